/** Sentences and short words of the frame. Pure, so that every spelling has one place and a test. */
import type { SessionView } from '../../../shared/api'
import { READABLE_KINDS, type CatalogFile, type CatalogSession, type FileKind, type FileState, type Mode } from '../../../shared/catalog'
import type { Diagnostic, Severity } from '../../../shared/diagnostics'
import { duration, num } from '../../../shared/format'
import type { TimeWindow } from '../state/view'
import type { IconName } from './icons'

const NBSP = '\u00a0'

/** `1 file`, `23 files`. */
export const count = (n: number, one: string, many = one + 's'): string => `${num(n)} ${n === 1 ? one : many}`

/** `rank 0`, `ranks 0, 1`; '' without ranks. */
export const ranksText = (ranks: readonly number[]): string =>
  ranks.length ? `${ranks.length === 1 ? 'rank' : 'ranks'} ${ranks.join(', ')}` : ''

/** Digits after the point that tell two ends of a window apart: one for windows of 10 ms and more, up to six for the shortest. */
const digitsFor = (spanNs: number): number => (spanNs >= 1e7 ? 1 : spanNs >= 1e4 ? 3 : 6)

/** The visible range as in the top bar: [`612.0 – 1,436.0 ms`, `824.0 ms`]. Input ns relative to the group's origin. */
export function rangeText(w: TimeWindow): readonly [string, string] {
  const d = digitsFor(w.end - w.start)
  const ms = (v: number): string => num(Math.abs(v) < 0.5 * 10 ** (6 - d) ? 0 : v / 1e6, d)
  return [`${ms(w.start)} – ${ms(w.end)}${NBSP}ms`, duration(w.end - w.start)]
}

export const KIND: Readonly<Record<FileKind, { readonly icon: IconName; readonly word: string; readonly title: string }>> = {
  'chrome-trace': { icon: 'frames', word: 'framework', title: 'Framework trace' },
  'memory-snapshot': { icon: 'layers', word: 'snapshot', title: 'PyTorch memory snapshot' },
  ntrace: { icon: 'runtime', word: 'runtime', title: 'Neuron runtime trace' },
  'trace-info': { icon: 'tag', word: 'info', title: 'Trace information' },
  'cpu-util': { icon: 'cpu', word: 'host CPU', title: 'Host CPU use' },
  'host-memory': { icon: 'ram', word: 'memory', title: 'Host memory use' },
  neff: { icon: 'chip', word: 'model', title: 'Compiled model (NEFF)' },
  ntff: { icon: 'wave', word: 'device', title: 'Device profile (NTFF)' },
  'framework-mapping': { icon: 'tag', word: 'mapping', title: 'Framework mapping' },
  'explorer-parquet': { icon: 'table', word: 'Explorer', title: 'Explorer export, Parquet' },
  'explorer-json': { icon: 'table', word: 'Explorer', title: 'Explorer export, JSON' },
  'perfetto-trace': { icon: 'frames', word: 'Perfetto', title: 'Perfetto trace' },
  unknown: { icon: 'file', word: 'unknown', title: 'Unknown kind' },
}

/** Kinds that the program reads now; the others are listed, and said to be so. */
export const READ_NOW: ReadonlySet<FileKind> = new Set<FileKind>(READABLE_KINDS)

/** Order of the files of a session in the tree. */
export const KIND_ORDER: readonly FileKind[] = [
  'chrome-trace',
  'memory-snapshot',
  'ntrace',
  'trace-info',
  'cpu-util',
  'host-memory',
  'neff',
  'ntff',
  'framework-mapping',
  'explorer-parquet',
  'explorer-json',
  'perfetto-trace',
  'unknown',
]

/** A state that needs attention as a chip; null for a settled file. */
export function stateChip(state: FileState): { readonly cls: string; readonly word: string } | null {
  switch (state) {
    case 'complete':
      return null
    case 'growing':
      return { cls: 'rec', word: 'growing' }
    case 'truncated':
      return { cls: 'warn', word: 'truncated' }
    case 'empty':
      return { cls: '', word: 'empty' }
    case 'unreadable':
      return { cls: 'err', word: 'unreadable' }
  }
}

export const STATE_SENTENCE: Readonly<Record<FileState, string>> = {
  complete: 'complete',
  growing: 'still being written',
  truncated: 'ends inside a record; the whole records are used',
  empty: '0 bytes so far',
  unreadable: 'cannot be read as what it claims to be',
}

const MODE: Readonly<Record<Mode, string>> = {
  DEVICE: 'Device',
  RUNTIME: 'Runtime',
  CPU_UTIL: 'CPU',
  HOST_MEMORY: 'Host memory',
  framework: 'Framework',
  snapshot: 'Snapshot',
}
export const modesText = (modes: readonly Mode[]): string => modes.map(m => MODE[m]).join(' · ')

export const baseName = (path: string): string => path.split('/').filter(Boolean).at(-1) ?? path

/** How a session is called: its timestamp as on disk, else its folder, else the root's name. */
export const sessionName = (s: CatalogSession, rootName: string): string => s.timestamp ?? (s.dir === '.' ? rootName : baseName(s.dir))

/** A name in two parts: a column that is too narrow cuts the first one and keeps the end, where the rank and the ending stand. */
export function splitName(name: string, tail = 13): readonly [string, string] {
  const cut = name.length > tail + 6 ? name.length - tail : name.length
  return [name.slice(0, cut), name.slice(cut)]
}

/** A file's path below its session. */
export function fileName(f: CatalogFile, s: CatalogSession): string {
  const prefix = s.dir === '.' ? '' : s.dir + '/'
  return f.path.startsWith(prefix) ? f.path.slice(prefix.length) : baseName(f.path)
}

/** When a folder was last opened: `today`, `yesterday`, `26 Nov`, `26 Nov 2025`. */
export function dayText(ms: number, now: number): string {
  const day = (t: number): number => new Date(t).setHours(0, 0, 0, 0)
  const days = Math.round((day(now) - day(ms)) / 86_400_000)
  if (days <= 0) return 'today'
  if (days === 1) return 'yesterday'
  const d = new Date(ms)
  const year = d.getFullYear() === new Date(now).getFullYear() ? {} : ({ year: 'numeric' } as const)
  return d.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', ...year })
}

const KIND_SHORT = {
  'chrome-trace': 'trace',
  'memory-snapshot': 'snapshot',
  system: 'runtime',
  cpu: 'host CPU',
  'host-memory': 'host memory',
} as const
const SHORT_KINDS = Object.keys(KIND_SHORT) as readonly (keyof typeof KIND_SHORT)[]

const list = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`

/** What the status bar says about clocks; null while no source has times. */
export function clockText(view: SessionView): string | null {
  if (!view.groups.length) return null
  if (view.groups.length > 1) return `${view.groups.length} ranges that don't overlap, not aligned`
  const g = view.groups[0]
  const sources = view.sources.filter(s => g.sources.includes(s.index))
  const kinds = SHORT_KINDS.filter(k => sources.some(s => s.kind === k)).map(k => {
    const n = sources.filter(s => s.kind === k).length
    return n > 1 ? `${n} ${KIND_SHORT[k]}s` : KIND_SHORT[k]
  })
  if (!g.calibrated) return `${list(kinds)} on ${sources.length > 1 ? 'their' : 'its'} own clock`
  return sources.length > 1 ? `${list(kinds)} on one axis` : `${list(kinds)} on Unix time`
}

/** What the status bar says about amounts: `182,415 events, 20,318 allocations`; '' before anything was read. */
export function amountText(view: SessionView): string {
  const events = view.sources.filter(s => s.kind === 'chrome-trace').reduce((n, s) => n + s.events, 0)
  const allocations = view.allocators.reduce((n, a) => n + a.allocations, 0)
  return [
    view.sources.some(s => s.kind === 'chrome-trace') ? count(events, 'event') : null,
    view.allocators.length ? count(allocations, 'allocation') : null,
  ]
    .filter(Boolean)
    .join(', ')
}

export const SEVERITY: Readonly<
  Record<Severity, { readonly icon: IconName; readonly word: string; readonly cls: 'err' | 'warn' | 'info'; readonly order: number }>
> = {
  error: { icon: 'error', word: 'Error', cls: 'err', order: 0 },
  warning: { icon: 'warn', word: 'Warning', cls: 'warn', order: 1 },
  info: { icon: 'info', word: 'Note', cls: 'info', order: 2 },
}

/** The badge: the worst severity and its number, e.g. {cls: 'warn', text: '2 warnings'}; null without findings. */
export function findings(all: readonly Diagnostic[]): { readonly severity: Severity; readonly text: string } | null {
  for (const [severity, one] of [
    ['error', 'error'],
    ['warning', 'warning'],
    ['info', 'note'],
  ] as const) {
    const n = all.filter(d => d.severity === severity).length
    if (n) return { severity, text: count(n, one) }
  }
  return null
}
