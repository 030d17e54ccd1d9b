/**
 * The part of the API contract that asks about the events of the System Trace: statistics, occurrences, ranges, dependencies, search, gaps, steps, and what the user keeps
 * with a session (notes, layout of the tracks). Same rules as `api.ts`: answers are bounded by what the screen can show, what was cut is counted, times are ns relative to
 * the origin of a time group.
 */
import * as v from 'valibot'

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const time = v.pipe(v.number(), v.finite())
const index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 32))
const limit = (most: number) => v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(most))
/** Tracks that are asked; null: all of the group. */
const tracks = v.nullable(v.pipe(v.array(index), v.maxLength(20_000)))
/** A window inside a group; null on both sides: everything. */
const range = { start: v.nullable(time), end: v.nullable(time) }
const by = v.picklist(['name', 'track', 'category'])
export type StatsBy = v.InferOutput<typeof by>
/** Several questions of the same kind cancel each other by this: a newer one of the same `lane` ends the older one, which is answered as `cancelled`. */
const lane = v.pipe(v.string(), v.minLength(1), v.maxLength(40))

export const STATS_COLUMNS = [
  'key',
  'count',
  'totalNs',
  'selfNs',
  'wallNs',
  'overlapNs',
  'minNs',
  'maxNs',
  'meanNs',
  'medianNs',
  'p95Ns',
] as const
export type StatsColumn = (typeof STATS_COLUMNS)[number]
/** Head of each in CSV: `total_ns`. */
export const STATS_HEADS: readonly string[] = STATS_COLUMNS.map(c => c.replace(/Ns$/, '_ns'))
const sort = v.strictObject({ column: v.picklist(STATS_COLUMNS), descending: v.boolean() })

const stats = { session: id, group: index, by, ...range, tracks, filter: v.pipe(v.string(), v.maxLength(500)), regex: v.boolean(), sort }

export const GROUPINGS = ['default', 'cpu-device', 'neuroncore', 'thread', 'process', 'instance'] as const
export type Grouping = (typeof GROUPINGS)[number]

const text = (most: number) => v.pipe(v.string(), v.maxLength(most))
const key = text(400)

/** Unix ns as a number; null for texts that are none: checks run on what an earlier one has refused, too. */
const nsOf = (t: string): bigint | null => {
  if (!/^-?\d{1,19}$/.test(t)) return null
  const ns = BigInt(t)
  return BigInt.asIntN(64, ns) === ns ? ns : null
}
const unixNs = v.pipe(
  v.string(),
  v.check(t => nsOf(t) !== null, 'no Unix time in ns'),
)
/** A mark on the time axis, or a named range. Times are Unix ns as decimal text, so that they stay where they are when sources come and go. */
export const NOTE = v.pipe(
  v.strictObject({
    id: v.pipe(v.string(), v.minLength(1), v.maxLength(40)),
    startNs: unixNs,
    /** null: a moment. */
    endNs: v.nullable(unixNs),
    text: text(2000),
    /** Index into the palette of notes. */
    color: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(15)),
  }),
  v.check(n => n.endNs === null || (nsOf(n.endNs) ?? 0n) >= (nsOf(n.startNs) ?? 0n), 'ends before it begins'),
)
/** Notes of a session, and characters of all their texts together: what is kept is read back whole, and one request carries it. */
export const MOST_NOTES = 1000
export const MOST_NOTE_TEXT = 200_000
const notes = v.pipe(
  v.array(NOTE),
  v.maxLength(MOST_NOTES),
  v.check(all => all.reduce((n, x) => n + x.text.length, 0) <= MOST_NOTE_TEXT, 'more text than is kept with a session'),
  v.check(all => new Set(all.map(n => n.id)).size === all.length, 'two notes of one id'),
)
export type Note = Readonly<v.InferOutput<typeof NOTE>>

/** Characters of all keys of a layout together. */
const MOST_LAYOUT_TEXT = 500_000
/** How the tracks of a session are laid out, as the user left it. Keys are those of the rows (paint/timeline/rows). */
export const TRACK_LAYOUT = v.pipe(
  v.strictObject({
    grouping: v.picklist(GROUPINGS),
    collapsed: v.pipe(v.array(key), v.maxLength(5000)),
    /** Keys that are closed by default and were opened. */
    expanded: v.pipe(v.array(key), v.maxLength(5000)),
    pinned: v.pipe(v.array(key), v.maxLength(200)),
    hidden: v.pipe(v.array(key), v.maxLength(5000)),
    /** Rows that were moved: each stands before the next of its group in this order; others keep their own. */
    order: v.pipe(v.array(key), v.maxLength(5000)),
    filter: text(500),
    regex: v.boolean(),
  }),
  v.check(
    l => [l.collapsed, l.expanded, l.pinned, l.hidden, l.order].flat().reduce((n, k) => n + k.length, 0) <= MOST_LAYOUT_TEXT,
    'more rows than are kept with a session',
  ),
)
export type TrackLayout = Readonly<v.InferOutput<typeof TRACK_LAYOUT>>

export const TRACE_REQUESTS = {
  /** Statistics of complete slices, grouped. Durations are clipped to the range; slices that only touch it are left out. */
  'trace.stats': v.strictObject({ ...stats, limit: limit(5000), lane }),
  /** The same as CSV, all rows. */
  'trace.statsCsv': v.strictObject(stats),
  /** What a range holds besides slices: busy share of each core, bytes moved, memory at both ends. */
  'trace.range': v.strictObject({ session: id, group: index, start: time, end: time, lane }),
  /** All slices with the name of one, over the whole group. */
  'trace.occurrences': v.strictObject({ session: id, source: index, row: index }),
  /** Direct children of a slice, by start. */
  'trace.children': v.strictObject({ session: id, source: index, row: index, limit: limit(1000) }),
  /** What caused an event and what it caused. */
  'trace.chain': v.strictObject({ session: id, source: index, row: index }),
  'trace.search': v.strictObject({
    session: id,
    group: index,
    query: v.pipe(v.string(), v.minLength(1), v.maxLength(500)),
    regex: v.boolean(),
    matchCase: v.boolean(),
    fields: v.strictObject({ names: v.boolean(), args: v.boolean(), stacks: v.boolean() }),
    tracks,
    limit: limit(5000),
    lane,
  }),
  /** More hits of the last search of a lane, by start: from the hit of this number on, or from the first one that does not start before `from`. */
  'trace.searchPage': v.strictObject({ session: id, search: index, offset: index, from: v.nullable(time), limit: limit(5000) }),
  /** Where tracks have hits of a search in a window. */
  'trace.searchMarks': v.strictObject({
    session: id,
    search: index,
    tracks: v.pipe(v.array(index), v.maxLength(512)),
    start: time,
    end: time,
    width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16_384)),
  }),
  /** Idle stretches of each NeuronCore, longest first, with what the host did meanwhile. */
  'trace.gaps': v.strictObject({
    session: id,
    group: index,
    ...range,
    minNs: v.pipe(v.number(), v.minValue(0)),
    limit: limit(100_000),
    lane,
  }),
  /** Two ranges (steps) compared by name. */
  'trace.compare': v.strictObject({
    session: id,
    group: index,
    a: v.strictObject({ start: time, end: time }),
    b: v.strictObject({ start: time, end: time }),
    by,
    tracks,
    filter: text(500),
    limit: limit(100_000),
    lane,
  }),
  /** The events of a window as Chrome trace JSON, which Perfetto opens. */
  'trace.json': v.strictObject({ session: id, group: index, start: time, end: time, tracks }),
  /** Annotations of the program (outermost, without the profiler's steps) as bands of a window; those narrower than a few px are left out. */
  'trace.bands': v.strictObject({
    session: id,
    group: index,
    start: time,
    end: time,
    width: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16384)),
  }),
  'notes.get': v.strictObject({ session: id }),
  'notes.set': v.strictObject({ session: id, notes }),
  'layout.get': v.strictObject({ session: id }),
  'layout.set': v.strictObject({ session: id, layout: TRACK_LAYOUT }),
} as const

/** Names a drawn event, enough to select and show it. */
export interface SliceRef {
  readonly source: number
  readonly row: number
  /** Track that draws it. */
  readonly track: number
  readonly start: number
  /** null: an instant, or a slice of which one end is missing. */
  readonly duration: number | null
  readonly name: string
}

/** Figures of a set of slices; all in ns. median and p95 by nearest rank. */
export interface Figures {
  readonly count: number
  readonly totalNs: number
  readonly minNs: number
  readonly maxNs: number
  readonly meanNs: number
  readonly medianNs: number
  readonly p95Ns: number
}

export interface StatsRow extends Figures {
  readonly key: string
  /** Without what the direct children on the same track take. */
  readonly selfNs: number
  /** Time that at least one of them covers, over all tracks. */
  readonly wallNs: number
  /** Time that two or more of them cover at once. */
  readonly overlapNs: number
  /** The longest of them. */
  readonly longest: SliceRef | null
}

export interface StatsAnswer {
  readonly version: number
  readonly cancelled: boolean
  readonly by: StatsBy
  readonly start: number
  readonly end: number
  readonly rows: readonly StatsRow[]
  /** Rows that the filter left, before the limit. */
  readonly matching: number
  /** Complete slices counted. */
  readonly slices: number
  /** Slices in the range that are not counted, because one end is missing. */
  readonly unmatched: number
  /** Time that at least one counted slice covers. */
  readonly wallNs: number
  /** A regular expression that is none: why. */
  readonly filterError: string | null
  /** What the filter did not look at: an expression sees the beginning of very long names only. Absent or null: nothing. */
  readonly filterNote?: string | null
}

export interface CoreBusy {
  /** `NC0`, `NC0:4`. */
  readonly name: string
  readonly track: number
  /** ns of the range in which something ran on it; null: not captured there. */
  readonly busyNs: number | null
  /** ns of the range that are known (the lost head of a ring buffer is not). */
  readonly knownNs: number
  readonly slices: number
}

export interface MemoryEnds {
  readonly label: string
  /** requested bytes that are active, reserved bytes, or the total of an HBM. */
  readonly meaning: 'active (requested)' | 'reserved' | 'HBM total' | 'host resident'
  readonly startBytes: number | null
  readonly endBytes: number | null
  /** Highest in the range. */
  readonly peakBytes: number | null
}

export interface RangeAnswer {
  readonly version: number
  readonly cancelled: boolean
  readonly start: number
  readonly end: number
  readonly cores: readonly CoreBusy[]
  /** Transfers that end in the range, by direction and device place. Bytes null: the events carry none. */
  readonly moved: readonly {
    readonly direction: 'host_to_device' | 'device_to_host'
    readonly place: string
    readonly transfers: number
    readonly bytes: number | null
    readonly withoutSize: number
  }[]
  readonly memory: readonly MemoryEnds[]
}

export interface OccurrencesAnswer extends Figures {
  readonly version: number
  readonly name: string
  /** Instants and unmatched halves of the same name, which are not in the figures. */
  readonly others: number
  /** Place of the asked one among all by start (0-based); -1 where it is not among them. */
  readonly index: number
  readonly first: SliceRef | null
  readonly previous: SliceRef | null
  readonly next: SliceRef | null
  readonly last: SliceRef | null
  readonly shortest: SliceRef | null
  readonly longest: SliceRef | null
  /** Bins of the durations: `edges` has one more than `counts`; logarithmic where max / min is large. */
  readonly histogram: { readonly edges: Float64Array; readonly counts: Uint32Array; readonly logarithmic: boolean }
}

/** How two events are known to belong together. */
export type LinkBy = 'flow' | 'sequence' | 'framework-mapping' | 'parent' | 'tracking' | 'name-and-order' | 'model' | 'exec' | 'correlation'

export interface ChainEvent extends SliceRef {
  /** Where it stands: framework op, framework stream, neuron_rt, neuron_hw; runtime: of the runtime's trace, host or hardware not known. */
  readonly layer: 'framework' | 'stream' | 'neuron_rt' | 'neuron_hw' | 'runtime'
  readonly trackName: string
  /** Level on its track. */
  readonly lane: number
  /** `Event ID` for people and for `cli chain`: stable in the session. */
  readonly id: string
  readonly flowId: string | null
}

export interface ChainLink {
  readonly from: ChainEvent
  readonly to: ChainEvent
  readonly by: LinkBy
  /** The value that both carry, as text; '' where one encloses the other. */
  readonly value: string
  /** Told by order or name rather than by an id of the file. */
  readonly inferred: boolean
}

export interface ChainModel {
  readonly modelId: string | null
  readonly modelName: string | null
  readonly cacheKey: string | null
  /** NEFF files of the session that it is, by path and catalog id; how that is known. */
  readonly neffs: readonly { readonly file: string; readonly path: string; readonly by: string }[]
  readonly ntffs: readonly { readonly file: string; readonly path: string; readonly by: string }[]
  /** Why there is none, half a sentence. */
  readonly reason: string | null
}

export interface ChainAnswer {
  readonly version: number
  readonly event: ChainEvent
  /** Direct and indirect links, nearest first; each link once. */
  readonly upstream: readonly ChainLink[]
  readonly downstream: readonly ChainLink[]
  /** Links that were not listed because there are too many. */
  readonly cut: number
  /** Why nothing upstream or downstream is known; null where something is or nothing is missing. */
  readonly noUpstream: string | null
  readonly noDownstream: string | null
  /** What ran: the model that the event names, else the only one that the linked events name. */
  readonly model: ChainModel | null
  /** All models that the event and the linked events name, at most 20. */
  readonly models: readonly ChainModel[]
  /** Time on the device that this event caused (union of the hardware events downstream); null where none is linked. */
  readonly deviceNs: number | null
}

export interface SearchHit extends SliceRef {
  readonly trackName: string
  readonly where: 'name' | 'args' | 'stack'
  /** The text around the hit, at most 200 characters, and where it stands in it. */
  readonly excerpt: string
  readonly from: number
  readonly to: number
}

export interface SearchAnswer {
  readonly version: number
  readonly cancelled: boolean
  /** Names the search for `trace.searchPage` and `trace.searchMarks`; 0: there is none. */
  readonly search: number
  /** The first ones by start. */
  readonly hits: readonly SearchHit[]
  readonly total: number
  /** Hits by track id, for the rows. */
  readonly byTrack: readonly (readonly [number, number])[]
  readonly error: string | null
  /** What was not searched, half a sentence (args of a file that cannot be read again, time that ran out); null: everything was. */
  readonly incomplete: string | null
}

export interface SearchPageAnswer {
  readonly version: number
  /** False: this search is not known any more; it is to be asked anew. */
  readonly known: boolean
  /** Number of the first hit of the page. */
  readonly offset: number
  readonly hits: readonly SearchHit[]
}

/** Stretches of hits, ns relative to the group's origin; hits less than a pixel column apart are one. */
export interface SearchMarksAnswer {
  readonly version: number
  /** As in SearchPageAnswer. */
  readonly known: boolean
  /**
   * `trackStart[i] .. trackStart[i + 1]` belong to the i-th requested track, by lane, then start; a track that is requested twice has none the second time. There are fewer
   * entries than tracks where the answer would be too long: at least one is answered, those that are not can be asked again.
   */
  readonly trackStart: Uint32Array
  readonly lane: Uint16Array
  readonly from: Float64Array
  readonly to: Float64Array
}

export interface Gap {
  readonly core: string
  readonly track: number
  readonly start: number
  readonly end: number
  readonly before: SliceRef | null
  readonly after: SliceRef | null
  /** What the host did meanwhile: longest shares first, at most 5, ns within the gap. */
  readonly host: readonly { readonly name: string; readonly trackName: string; readonly ns: number; readonly ref: SliceRef }[]
}

export interface GapsAnswer {
  readonly version: number
  readonly cancelled: boolean
  readonly gaps: readonly Gap[]
  readonly total: number
  /** By core: idle, busy and known ns, and how many gaps. */
  readonly cores: readonly {
    readonly core: string
    readonly track: number
    readonly idleNs: number
    readonly busyNs: number
    readonly knownNs: number
    /** Those of at least `minNs`. */
    readonly gaps: number
    /** First and last time that is known of the core, within the range; null where nothing is. */
    readonly known: readonly [number, number] | null
    /** Its first events are lost: how long it was idle before is not known. */
    readonly headLost: boolean
  }[]
  /** NeuronCores that the runtime names and of which there are no hardware events: not captured or idle, nothing tells which. */
  readonly silent: readonly string[]
  /** Why there are no cores, null where there are. */
  readonly reason: string | null
}

export interface CompareRow {
  readonly key: string
  readonly a: { readonly count: number; readonly totalNs: number; readonly selfNs: number } | null
  readonly b: { readonly count: number; readonly totalNs: number; readonly selfNs: number } | null
  /** b - a. */
  readonly deltaNs: number
}

export interface CompareAnswer {
  readonly version: number
  readonly cancelled: boolean
  /** Largest absolute difference first. */
  readonly rows: readonly CompareRow[]
  readonly matching: number
  readonly wallA: number
  readonly wallB: number
}

export interface TraceAnswers {
  'trace.stats': StatsAnswer
  'trace.statsCsv': { readonly csv: string; readonly rows: number }
  'trace.range': RangeAnswer
  'trace.occurrences': OccurrencesAnswer
  'trace.children': { readonly children: readonly SliceRef[]; readonly total: number }
  'trace.chain': ChainAnswer
  'trace.search': SearchAnswer
  'trace.searchPage': SearchPageAnswer
  'trace.searchMarks': SearchMarksAnswer
  'trace.gaps': GapsAnswer
  'trace.compare': CompareAnswer
  /** `events` are written, `cut` left out because the answer is bounded (64 MiB); `notes`: what else is not as in the files, a sentence each. */
  'trace.json': { readonly data: Uint8Array; readonly events: number; readonly cut: number; readonly notes: readonly string[] }
  'trace.bands': {
    readonly version: number
    /** Source that they are of; null: none has any. */
    readonly source: number | null
    /** By start; they don't overlap. */
    readonly bands: readonly { readonly name: string; readonly start: number; readonly duration: number }[]
    /** Bands that were left out because there are too many. */
    readonly cut: number
  }
  'notes.get': { readonly notes: readonly Note[] }
  'notes.set': null
  'layout.get': { readonly layout: TrackLayout | null }
  'layout.set': null
}
