/** What a picture shows of a tree: which session, which allocator or tracks, which window. Pure; what cannot be had is a Refused with the words for the user. */
import { makesTrace, type AllocatorInfo, type Axis, type SessionView } from '../../shared/api'
import type { CatalogFile, CatalogSession, ReadableKind } from '../../shared/catalog'
import { num } from '../../shared/format'
import type { HbmInfo } from '../../shared/hbm-api'
import type { Span } from '../../paint/sheet/ask'
import { isReadable } from '../read'
import type { ExportOptions, View } from './options'

/** The picture cannot be made. Code and action as of a diagnostic. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly code: string
  readonly action: string

  constructor(code: string, message: string, action: string) {
    super(message)
    this.code = code
    this.action = action
  }
}

/** Kinds that are read, but that no panel of the picture draws. */
const NOT_DRAWN: readonly ReadableKind[] = ['neff', 'ntff']

/** Whether a panel of the picture may draw something of the file. */
export const isDrawn = (f: CatalogFile): f is CatalogFile & { readonly kind: ReadableKind } => isReadable(f) && !NOT_DRAWN.includes(f.kind)
const listed = (names: readonly string[]): string =>
  names.slice(0, 20).join(', ') + (names.length > 20 ? ` and ${names.length - 20} more` : '')

export interface ChosenSession {
  readonly session: CatalogSession
  /** Folders of the sessions that would have done as well. */
  readonly others: readonly string[]
}

/** The session of `--session` and `--rank`; the first one where several are left. */
export function chooseSession(sessions: readonly CatalogSession[], o: Pick<ExportOptions, 'session' | 'rank'>): ChosenSession {
  const drawable = sessions.filter(s => s.files.some(isDrawn))
  if (drawable.length === 0)
    throw new Refused('nothing-to-draw', 'There is neither a trace nor a memory snapshot here.', 'Give a folder or a file of one.')
  const wanted = o.session?.replace(/^\.\//, '').replace(/\/+$/, '') ?? null
  const named =
    wanted === null ? drawable : drawable.filter(s => s.dir === wanted || s.timestamp === wanted || s.dir.endsWith(`/${wanted}`))
  if (named.length === 0)
    throw new Refused(
      'no-such-session',
      `There is no session ${JSON.stringify(o.session)} with something to draw; there are: ${listed(drawable.map(s => s.dir))}.`,
      'Give one of them to --session.',
    )
  // Where names tell no rank, the files do, once they were read.
  const ranked = o.rank === null ? named : named.filter(s => s.ranks.length === 0 || s.ranks.includes(o.rank as number))
  if (ranked.length === 0) {
    const ranks = [...new Set(named.flatMap(s => s.ranks))].sort((a, b) => a - b)
    throw new Refused('no-such-rank', `There is no rank ${o.rank}; there are: ${listed(ranks.map(String))}.`, 'Give one of them to --rank.')
  }
  const [session, ...rest] = ranked as [CatalogSession, ...CatalogSession[]]
  return { session, others: rest.map(s => s.dir) }
}

export interface Chosen {
  readonly view: View
  readonly group: number
  /** Window and extent on the group's time, ns. */
  readonly window: Span
  readonly extent: Span
  readonly memory: { readonly allocator: AllocatorInfo; readonly axis: Axis; readonly window: Span } | null
  readonly hbm: HbmInfo | null
  /** Only these sources take part in the timeline; null for all of the group. */
  readonly traces: ReadonlySet<number> | null
  /** Unix time of the window; null where times are not known, or not as Unix times. */
  readonly unix: { readonly from: bigint; readonly to: bigint } | null
  /** What was left out, for the user. */
  readonly notes: readonly string[]
}

/** What is drawn of an open session. Throws Refused. */
export function choose(view: SessionView, o: ExportOptions): Chosen {
  const notes: string[] = []
  const traces = o.rank === null ? null : new Set(view.sources.filter(s => s.rank === null || s.rank === o.rank).map(s => s.index))
  const tracks = view.tracks.filter(t => makesTrace(t) && (traces?.has(t.source) ?? true))
  const what = o.view ?? (tracks.length > 0 ? 'timeline' : 'allocator')
  const allocator = what === 'timeline' || what === 'hbm' ? null : chooseAllocator(view, o, notes)
  const hbm = what === 'hbm' ? chooseHbm(view, o, notes) : null
  if (what !== 'allocator' && what !== 'hbm' && tracks.length === 0)
    throw new Refused('no-trace', 'There is no trace with something to draw here.', 'Use --view allocator.')
  if (allocator && allocator.timeRange === null) return onEvents(allocator, what, o, notes)

  const group = allocator?.group ?? hbm?.group ?? (tracks[0]?.group as number)
  if (what === 'both' && !tracks.some(t => t.group === group))
    throw new Refused(
      'no-common-time',
      'The trace and the snapshot do not overlap in time.',
      'Make two pictures: --view timeline, --view allocator.',
    )
  const elsewhere = new Set(tracks.filter(t => t.group !== group).map(t => t.group)).size
  if ((what === 'timeline' || what === 'both') && elsewhere > 0)
    notes.push(`Tracks of ${num(elsewhere)} other time range${elsewhere === 1 ? '' : 's'} are not drawn`)
  const { originNs, durationNs, calibrated } = view.groups.find(g => g.id === group) as SessionView['groups'][number]
  const extent = { start: 0, end: Math.max(1, durationNs) }
  // The allocator alone is shown as long as it was recorded; with the trace, the whole time that they share.
  const own = what === 'allocator' ? allocator?.timeRange : hbm?.timeRange
  const whole = own ? widened(own) : extent
  if (!o.range)
    return {
      view: what,
      group,
      window: whole,
      extent,
      memory: onTime(allocator, whole),
      hbm,
      traces,
      notes,
      unix: unixOf(originNs, whole, calibrated),
    }
  if (!calibrated)
    throw new Refused(
      'no-unix-time',
      'The zero of the times in this file is not known, so that no Unix time can be found in it.',
      'Leave out --from and --to: the whole recording is drawn.',
    )
  const window = { start: Number(o.range.from - originNs), end: Number(o.range.to - originNs) }
  const known = whole
  if (!(window.end > known.start) || window.start > known.end) {
    const [a, b] = [originNs + BigInt(Math.floor(known.start)), originNs + BigInt(Math.ceil(known.end))]
    throw new Refused(
      'no-data-in-range',
      `Nothing was recorded in this range; there is data from ${a} to ${b}.`,
      'Choose --from and --to within it.',
    )
  }
  return { view: what, group, window, extent, memory: onTime(allocator, window), hbm, traces, notes, unix: o.range }
}

const onTime = (allocator: AllocatorInfo | null, window: Span): Chosen['memory'] => allocator && { allocator, axis: 'time', window }

/** A recording of a single instant still has a width. */
const widened = ([start, end]: readonly [number, number]): Span => ({
  start: Math.floor(start),
  end: Math.max(Math.ceil(end), Math.floor(start) + 1),
})

const unixOf = (originNs: bigint, w: Span, calibrated: boolean): Chosen['unix'] =>
  calibrated ? { from: originNs + BigInt(w.start), to: originNs + BigInt(Math.ceil(w.end)) } : null

/** A snapshot without times: its events are the axis. */
function onEvents(allocator: AllocatorInfo, what: View, o: ExportOptions, notes: readonly string[]): Chosen {
  if (what === 'both')
    throw new Refused(
      'no-common-time',
      'The snapshot has no times, so that it cannot stand below the trace.',
      'Make two pictures: --view timeline, --view allocator.',
    )
  if (o.range)
    throw new Refused(
      'no-unix-time',
      'The snapshot has no times: its axis is the index of its events.',
      'Leave out --from and --to: the whole recording is drawn.',
    )
  const window = { start: -1, end: Math.max(allocator.events, 1) }
  return {
    view: what,
    group: -1,
    window,
    extent: window,
    memory: { allocator, axis: 'event', window },
    hbm: null,
    traces: null,
    unix: null,
    notes: [...notes, 'The snapshot has no times: its axis is the index of its events'],
  }
}

function chooseHbm(view: SessionView, o: ExportOptions, notes: string[]): HbmInfo {
  const all = (view.hbm ?? []).filter(h => h.group !== null)
  if (all.length === 0)
    throw new Refused('no-hbm', 'No source here tells of device memory.', 'Give a session with ntrace.pb or an export of Neuron Explorer.')
  const some = all.filter(
    h => (o.device === null || h.device === o.device) && (o.hbm === null || h.hbm === o.hbm) && (o.rank === null || h.rank === o.rank),
  )
  const [first, ...rest] = some
  if (!first)
    throw new Refused(
      'no-such-device',
      `There is no such HBM; there are: ${listed(all.map(h => h.label))}.`,
      'Choose with --device, --hbm and --rank.',
    )
  if (rest.length > 0) notes.push(`Of ${num(some.length)} HBMs the first is drawn (${first.label}); choose with --device and --hbm`)
  return first
}

function chooseAllocator(view: SessionView, o: ExportOptions, notes: string[]): AllocatorInfo {
  const names = view.allocators.map(a => `rank ${a.rank} device ${a.device}`)
  if (names.length === 0)
    throw new Refused('no-snapshot', 'There is no memory snapshot with something to draw here.', 'Use --view timeline, or give a snapshot.')
  const some = view.allocators.filter(a => (o.rank === null || a.rank === o.rank) && (o.device === null || a.device === o.device))
  const [first, ...rest] = some
  if (!first)
    throw new Refused(
      'no-such-device',
      `No memory snapshot is of this rank and device; there are: ${listed(names)}.`,
      'Choose with --rank and --device.',
    )
  if (rest.length > 0)
    notes.push(
      `Of ${num(some.length)} allocators the first is drawn (${first.path}, rank ${first.rank}, device ${first.device}); choose with --rank, --device or a file as PATH`,
    )
  return first
}
