/** The documents of the commands as text for people. Figures are spelled as on the screens; everything that comes from a file is printed without control characters. */
import type { Pair } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { duration, fileSize, memory, num } from '../shared/format'
import type { AtDocument } from './at'
import type { ExportDocument } from './export/command'
import type { JsonDocument } from './export/json'
import type { InspectDocument, InspectFile } from './inspect'
import { plain } from './output'
import type { VerifiedReport } from './snapshot'
import { table } from './table'
import { verifyText } from './verify-text'

type Fields = Readonly<Record<string, unknown>>

/** Names and values, without a head. */
function pairs(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('')
}

export function toText(command: 'inspect' | 'snapshot' | 'trace' | 'at' | 'export' | 'sample', document: object): string {
  const diagnostics = (document as { readonly diagnostics?: readonly Diagnostic[] }).diagnostics ?? []
  // A document with nothing but the reason says just that.
  if (Object.keys(document).every(k => k === 'diagnostics')) return diagnosticsText(diagnostics)
  const body =
    command === 'inspect'
      ? inspectText(document as InspectDocument)
      : command === 'at'
        ? atText(document as AtDocument)
        : command === 'snapshot'
          ? snapshotText(document as Fields)
          : command === 'trace'
            ? traceText(document as Fields)
            : command === 'export'
              ? exportText(document as ExportDocument | JsonDocument)
              : sampleText(document as Fields)
  return body + (diagnostics.length > 0 ? '\n' + diagnosticsText(diagnostics) : '')
}

export function diagnosticsText(list: readonly Diagnostic[]): string {
  return list
    .map(d => {
      const where = d.offset === null ? '' : ` at byte ${num(d.offset)}`
      const times = d.count > 1 ? ` (${num(d.count)} times)` : ''
      return `${d.severity}: ${plain(d.file)}${where}: ${plain(d.message)}${times}\n  ${plain(d.meaning)} ${plain(d.action)}\n`
    })
    .join('')
}

// ───────────────────────────── inspect ─────────────────────────────

function inspectText(doc: InspectDocument): string {
  const out = [plain(doc.root)]
  doc.sessions.forEach((s, i) => {
    const last = i === doc.sessions.length - 1
    const facts = [
      s.instanceId === null ? null : `instance ${s.instanceId}`,
      s.pid === null ? null : `pid ${s.pid}`,
      s.timestamp === null ? null : `session ${s.timestamp}`,
      s.ranks.length > 0 ? `rank ${s.ranks.join(', ')}` : null,
      s.modes.length > 0 ? s.modes.join(' + ') : null,
    ].filter(f => f !== null)
    out.push(`${last ? '└─' : '├─'} ${plain(s.dir)}${facts.length > 0 ? `  (${plain(facts.join(', '))})` : ''}`)
    const rows = s.files.map(f => [
      plain(f.path.slice(f.path.lastIndexOf('/') + 1)),
      f.kind,
      fileSize(f.bytes),
      f.state,
      plain(factsText(f)),
    ])
    const widths = rows.reduce<number[]>((w, row) => row.map((c, k) => Math.max(w[k] ?? 0, c.length)), [])
    const pairs = s.pairs.map(p => `${plain(p.ntff.slice(p.ntff.lastIndexOf('/') + 1))}: ${pairText(p)}`)
    rows.forEach((row, k) => {
      const cells = row.map((c, n) => (n === 2 ? c.padStart(widths[n] as number) : c.padEnd(widths[n] as number)))
      out.push(`${last ? '   ' : '│  '}${k === rows.length - 1 ? '└─' : '├─'} ${cells.join('  ').trimEnd()}`)
    })
    for (const p of pairs) out.push(`${last ? '   ' : '│  '}   ${p}`)
  })
  return out.join('\n') + '\n'
}

const events = (n: number): string => `${num(n)} ${n === 1 ? 'event' : 'events'}`

function factsText(f: InspectFile): string {
  const facts = f.facts
  if (f.kind === 'chrome-trace' && typeof facts['events'] === 'number') {
    const span = facts['spanNs']
    const rank = facts['rank']
    return `${events(facts['events'])}${typeof span === 'number' ? `, ${duration(span)}` : ''}${typeof rank === 'number' ? `, says rank ${rank}` : ''}`
  }
  if (f.kind === 'memory-snapshot' && Array.isArray(facts['devices'])) {
    const devices = facts['devices'] as readonly {
      readonly device: number
      readonly events: number
      readonly peakActiveBytes: number | null
    }[]
    return devices.map(d => `device ${d.device}: ${events(d.events)}, peak ${size(d.peakActiveBytes)} active (requested)`).join('; ')
  }
  if (f.kind === 'neff' && typeof facts['uuid'] === 'string') return neffText(facts)
  if (f.kind === 'ntff' && typeof facts['version'] === 'number') return ntffText(facts)
  return runtimeText(f) ?? otherText(facts)
}

/** Facts of the runtime's own files; what is not known is left out. */
function runtimeText({ kind, facts: f }: InspectFile): string | null {
  const n = (key: string, word: string): string | null =>
    typeof f[key] === 'number' ? `${num(f[key])} ${word}${f[key] === 1 ? '' : 's'}` : null
  const how = typeof f['schema'] === 'string' ? `schema ${f['schema']}` : null
  const parts =
    kind === 'ntrace'
      ? [n('events', 'message'), n('slices', 'slice'), typeof f['spanNs'] === 'number' ? duration(f['spanNs']) : null, how]
      : kind === 'cpu-util'
        ? [n('samples', 'sample'), n('cores', 'core'), how]
        : kind === 'host-memory'
          ? [n('samples', 'sample'), typeof f['peakBytes'] === 'number' ? `peak ${memory(f['peakBytes'])} resident` : null, how]
          : kind === 'trace-info'
            ? [f['instanceType'], n('names', 'name'), n('profiles', 'profile'), how]
            : kind === 'framework-mapping'
              ? [n('entries', 'sequence id'), n('operators', 'operator')]
              : null
  return (
    parts &&
    parts
      .filter(p => typeof p === 'string')
      .map(p => plain(String(p)))
      .join(', ')
  )
}

const otherText = (facts: Fields): string =>
  Object.entries(facts)
    .filter(([, v]) => v !== null)
    .map(([k, v]) => `${k} ${plain(String(v))}`)
    .join(', ')

function neffText(f: Fields): string {
  const valid = f['hashValid']
  const parts = [
    `uuid ${String(f['uuid'])}`,
    valid === true ? 'hash ok' : valid === false ? 'hash does not fit the payload' : 'hash not checked',
    typeof f['payloadBytes'] === 'number' ? `payload ${memory(f['payloadBytes'])}` : null,
    typeof f['members'] === 'number' ? `${num(f['members'])} members` : null,
  ]
  return parts.filter(p => p !== null).join(', ')
}

function ntffText(f: Fields): string {
  const ps = f['executionDurationPs']
  const engines = Array.isArray(f['engines']) ? f['engines'].join(' ') : ''
  const parts = [
    `version ${String(f['version'])}`,
    ps === null || ps === undefined ? null : duration(Number(ps) / 1000),
    engines === '' ? null : engines,
    typeof f['neffName'] === 'string' ? `of ${f['neffName']}` : null,
  ]
  return parts.filter(p => p !== null).join(', ')
}

const VERDICTS: Readonly<Record<Pair['verdict'], string>> = {
  paired: 'paired with',
  partial: 'paired in part with',
  ambiguous: 'ambiguous between',
  'missing-neff': 'no NEFF found',
  'empty-ntff': 'empty',
}

const pairText = (p: Pair): string =>
  `${VERDICTS[p.verdict]}${p.neff.length > 0 ? ` ${p.neff.map(plain).join(', ')}` : ''}. ${plain(p.evidence)}`

/** How many requests failed, and of the first what was asked for and what the device had. */
function oomText(ooms: unknown): string {
  if (!Array.isArray(ooms)) return '—'
  const [first] = ooms as readonly { readonly event: number; readonly size: number; readonly deviceFree: number | null }[]
  if (!first) return '0'
  return `${num(ooms.length)} (first: event ${num(first.event)}, ${size(first.size)} requested, ${size(first.deviceFree)} free on the device)`
}

// ───────────────────────────── at ─────────────────────────────

function atText(doc: AtDocument): string {
  const slices =
    doc.slices.length === 0
      ? 'No slice covers this time.\n'
      : table([
          ['track', 'slice', 'start (Unix ns)', 'duration'],
          ...doc.slices.map(s => [plain(s.track), plain(s.name), s.startNs, duration(s.durNs)]),
        ])
  const bytes =
    doc.memory.length === 0
      ? 'No memory snapshot has a state at this time.\n'
      : table([
          ['rank', 'device', 'active (requested)', 'event'],
          ...doc.memory.map(m => [String(m.rank), String(m.device), size(m.activeBytes), m.event < 0 ? '−1 (start state)' : num(m.event)]),
        ])
  const hbm =
    doc.hbm.length === 0
      ? ''
      : `\n${table([
          ['session', 'Neuron device', 'HBM', 'total (runtime)'],
          ...doc.hbm.map(h => [plain(h.session), h.device === null ? '—' : String(h.device), String(h.hbm), size(h.totalBytes)]),
        ])}`
  return `${slices}\n${bytes}${hbm}`
}

// ───────────────────────────── export ─────────────────────────────

function exportText(d: ExportDocument | JsonDocument): string {
  if (d.format === 'json')
    return `${plain(d.out)}\n${pairs([
      ['events', d.cut > 0 ? `${num(d.events)} (${num(d.cut)} left out)` : num(d.events)],
      ['size', memory(d.bytes)],
      ['session', plain(d.session)],
      ['range', d.fromNs !== null && d.toNs !== null ? `${d.fromNs} to ${d.toNs} (Unix ns)` : 'the whole recording, on its own clock'],
    ])}`
  const range =
    d.fromNs !== null && d.toNs !== null
      ? `${d.fromNs} to ${d.toNs} (Unix ns)`
      : d.axis === 'event'
        ? `events ${num(Math.max(0, d.fromEvent ?? 0))} to ${num(Math.max(0, (d.toEvent ?? 0) - 1))}`
        : 'the whole recording, on its own clock'
  return `${plain(d.out)}\n${pairs([
    ['view', `${d.view}, ${d.theme}`],
    ['size', `${num(d.width)} × ${num(d.height)} px`],
    ['session', plain(d.session)],
    ['range', range],
    ...(d.maxBytes === null ? [] : [['top of the axis', memory(d.maxBytes)] as const]),
  ])}`
}

// ───────────────────────────── snapshot, trace, sample ─────────────────────────────

const count = (v: unknown): string => (typeof v === 'number' ? num(v) : v === null || v === undefined ? '—' : plain(String(v)))
const size = (v: unknown): string => (typeof v === 'number' ? memory(v) : '—')
/** Of a file that ends early the events prove a figure, and no more: what was live at the start is not known then. */
const proven = (d: Fields, v: unknown): string => (typeof v === 'number' && d['liveAtStart'] === null ? `at least ${memory(v)}` : size(v))

function snapshotText(doc: Fields): string {
  const time = Array.isArray(doc['timeUs']) ? (doc['timeUs'] as readonly unknown[]) : []
  const [from, to] = time
  const head = pairs([
    ['format', `${count(doc['format'])}${doc['pickleProtocol'] === null ? '' : `, protocol ${count(doc['pickleProtocol'])}`}`],
    ['rank', count(doc['rank'])],
    ['segments', count(doc['segments'])],
    ['blocks', count(doc['blocks'])],
    ['distinct stacks', count(doc['stacks'])],
    ['recorded', typeof from === 'string' && typeof to === 'string' ? duration(Number(BigInt(to) - BigInt(from)) * 1000) : 'no times'],
  ])
  const devices = Array.isArray(doc['devices']) ? (doc['devices'] as readonly Fields[]) : []
  const rows: readonly (readonly [string, (d: Fields) => string])[] = [
    ['events', d => count(d['events'])],
    ['active at the start (requested)', d => proven(d, d['startActiveBytes'])],
    ['peak active (requested)', d => proven(d, d['peakActiveBytes'])],
    ['  at event', d => (d['peakActiveEvent'] === -1 ? '−1 (start state)' : count(d['peakActiveEvent']))],
    ['active at the end (requested)', d => proven(d, d['endActiveBytes'])],
    ['time of the peak (Unix ns)', d => (typeof d['peakActiveNs'] === 'string' ? d['peakActiveNs'] : '—')],
    ['peak allocated (requested)', d => proven(d, d['peakAllocatedBytes'])],
    ['allocated at the end (requested)', d => proven(d, d['endAllocatedBytes'])],
    ['peak allocated (block-rounded)', d => size(d['peakBlockRoundedBytes'])],
    ['allocated at the end (block-rounded)', d => size(d['endBlockRoundedBytes'])],
    ['reserved at the start', d => size(d['startReservedBytes'])],
    ['peak reserved', d => size(d['peakReservedBytes'])],
    ['reserved at the end', d => size(d['endReservedBytes'])],
    ['cached, free at the end', d => size(cachedFree(d))],
    ['live at the start', d => `${count(d['liveAtStart'])} (${size(d['liveAtStartBytes'])})`],
    ['freed but never allocated', d => `${count(d['unknownFrees'])} (${size(d['unknownFreeBytes'])})`],
    ['out of memory', d => oomText(d['ooms'])],
    ['longest stack', d => count(d['maxStack'])],
    ['entries without frames', d => count(d['entriesWithoutFrames'])],
    ['self-check', selfCheck],
  ]
  const verified = verifyText(doc as Partial<VerifiedReport>)
  if (devices.length === 0) return `${head}\nNo device has segments or events.\n${verified}`
  const figures = table([
    ['', ...devices.map(d => `device ${count(d['device'])}`)],
    ...rows.map(([name, cell]) => [name, ...devices.map(cell)]),
  ])
  return `${head}\n${figures}\n${devices.map(blockRounded).join('')}${verified}`
}

/** Reserved minus block-rounded; null where the curve is not shown. */
function cachedFree(d: Fields): number | null {
  const [reserved, rounded] = [d['endReservedBytes'], d['endBlockRoundedBytes']]
  return typeof d['peakBlockRoundedBytes'] === 'number' && typeof reserved === 'number' && typeof rounded === 'number'
    ? reserved - rounded
    : null
}

/** What the block-rounded figures were checked on, or why they are not there. */
function blockRounded(d: Fields): string {
  const b = d['blockRounded'] as { readonly status?: unknown; readonly reason?: unknown } | undefined
  if (!b) return ''
  const shown = b.status === 'confirmed' || b.status === 'not-confirmed'
  return `device ${count(d['device'])}, block-rounded: ${shown ? '' : 'not shown: '}${plain(String(b.reason))}\n`
}

function selfCheck(d: Fields): string {
  const check = d['selfCheck'] as { readonly ok?: unknown; readonly replayBytes?: unknown; readonly tableBytes?: unknown } | undefined
  if (!check) return '—'
  return check.ok === true ? 'ok' : `not ok: replay ${size(check.replayBytes)}, table ${size(check.tableBytes)}`
}

function traceText(doc: Fields): string {
  const counts = (v: unknown): readonly (readonly string[])[] =>
    v !== null && typeof v === 'object' ? Object.entries(v).map(([k, n]) => [plain(k), count(n)]) : []
  const head = pairs([
    ['events', count(doc['events'])],
    ['span', typeof doc['spanNs'] === 'number' ? duration(doc['spanNs']) : '—'],
    ['start (Unix ns)', doc['startNs'] === null ? '—' : String(doc['startNs'])],
    ['base time (ns)', doc['baseTimeNs'] === null ? 'none' : String(doc['baseTimeNs'])],
    ['tracks', count(doc['tracks'])],
    ['[memory] events', count(doc['memoryEvents'])],
    ['flow events', count(doc['flows'])],
  ])
  return `${head}\n${table([['phase', 'events'], ...counts(doc['byPhase'])])}\n${table([['category', 'events'], ...counts(doc['byCategory'])])}`
}

function sampleText(doc: Fields): string {
  const files = Array.isArray(doc['files']) ? (doc['files'] as readonly { readonly path: string; readonly bytes: number }[]) : []
  return `${plain(String(doc['root']))}\n${files.map(f => `  ${plain(f.path)}  ${fileSize(f.bytes)}\n`).join('')}`
}
