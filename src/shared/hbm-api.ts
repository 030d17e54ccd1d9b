/**
 * The part of the API contract that concerns device memory (HBM) as the runtime reports it. `api.ts` takes the requests and answers up; the rules of that file hold:
 * times are ns relative to the origin of the time group of the HBM's source, answers are bounded by the screen. NaN in columns and null elsewhere are "not known", never 0.
 */
import * as v from 'valibot'

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const time = v.pipe(v.number(), v.finite())
const pixels = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16384))
const index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 32))

/** category: the runtime's usage types. family: eight families and what belongs to none. runtime: rows of the runtime's own memory table. */
export const HBM_GROUPINGS = ['family', 'category', 'runtime'] as const
const grouping = v.picklist(HBM_GROUPINGS)
export type HbmGrouping = (typeof HBM_GROUPINGS)[number]

export const HBM_SORTS = ['size', 'category', 'address', 'age', 'model', 'traceId', 'label'] as const
export type HbmSort = (typeof HBM_SORTS)[number]
const filtered = {
  session: id,
  hbm: index,
  at: time,
  sort: v.picklist(HBM_SORTS),
  descending: v.boolean(),
  /** Words that all must be found in category, address, model, trace id or label, without regard to case; '' for all rows. */
  filter: v.pipe(v.string(), v.maxLength(200)),
}

export const HBM_REQUESTS = {
  /** Stacked bytes by group for `width` pixel columns of [start, end). */
  'hbm.picture': v.strictObject({ session: id, hbm: index, start: time, end: time, width: pixels, grouping }),
  /** Everything at one instant. */
  'hbm.at': v.strictObject({ session: id, hbm: index, at: time }),
  /** Runtime allocations that are live at a time. */
  'hbm.live': v.strictObject({ ...filtered, offset: index, limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(500)) }),
  'hbm.allocation': v.strictObject({ session: id, hbm: index, allocation: index }),
  /** All rows of `hbm.live` as CSV text, at most HBM_CSV_ROWS; what is left out is said. */
  'hbm.csv': v.strictObject(filtered),
} as const

export const HBM_CSV_ROWS = 100_000

/** A usage category of one HBM. */
export interface HbmCategoryInfo {
  /** As Neuron Explorer spells it (`tensors`, `dma_rings_io`), `usage type 7` for a number without a sure name, the file's own text where nobody knows it. */
  readonly name: string
  /** Name of its colour: `--hbm-` + color; `unknown` for categories without one. */
  readonly color: string
  /** Index into HbmInfo.families. */
  readonly family: number
  /** Index into HbmInfo.runtimeRows. */
  readonly runtimeRow: number
  /** The file has a number, and its name was told from the order of the usage types: to be marked. */
  readonly inferredName: boolean
  /** Bytes of before the recording, inferred from the category's total at its first event; null where the file tells no totals. */
  readonly startBytes: number | null
  /** The category's own peak and when it was first reached (null: before the first event, or not known). */
  readonly peakBytes: number
  readonly peakTime: number | null
}

/** A group of a stacked chart, bottom first. */
export interface HbmGroup {
  /** `Tensors`, `tensors`, `Model Constants`. */
  readonly label: string
  readonly color: string
  /** No category: bytes of the runtime's total that no event of the recording names. */
  readonly unattributed: boolean
}

/** An allocation that the runtime refused. */
export interface HbmOom {
  readonly time: number
  /** Bytes asked for; null where no event tells. */
  readonly bytes: number | null
  /** Index into HbmInfo.categories; null where the event names none. */
  readonly category: number | null
  readonly returnCode: string
  /** Row of the source, for `trace.slice`. */
  readonly row: number
  /** The runtime's total at that time; null where not told. */
  readonly totalBytes: number | null
}

/** A stretch for which the totals are not sure. */
export interface HbmGap {
  readonly start: number
  readonly end: number
  /** lost: events were overwritten; totals stand only at the events that are left. */
  readonly kind: 'lost'
  readonly reason: string
}

export interface HbmCapacity {
  /** Bytes of this HBM; null where not known. */
  readonly bytes: number | null
  /** Share of one logical NeuronCore where it is less than the HBM (LNC 1 on Trn2 and Trn3); null otherwise or where not known. */
  readonly perCoreBytes: number | null
  /** Where the figures come from, or why there are none; for the screen. */
  readonly reason: string
}

/** How a key of one side fared as the key of the join. */
export interface JoinCandidate {
  /** Names for people: `trace_id of alloc entries`, `tracking id`. */
  readonly pytorch: string
  readonly runtime: string
  readonly matched: number
  /** matched / rows that could match (the side with fewer rows that have the key). */
  readonly rate: number
  /** Share of matched values that stand once on both sides. */
  readonly unique: number
  /** Share of matched pairs whose sizes and times fit; null where neither could be compared. */
  readonly consistent: number | null
  readonly verdict: 'taken' | 'tie' | 'weaker' | 'inconsistent' | 'not-unique' | 'too-few'
}

export interface HbmJoinInfo {
  /** The pair of keys that matched; null where none did. */
  readonly key: { readonly pytorch: string; readonly runtime: string } | null
  /** Runtime allocations that are linked: by id, and (only without a key) by address and size. */
  readonly matched: number
  readonly inferred: number
  readonly pytorchOnly: number
  readonly runtimeOnly: number
  /** Best first, at most 12. */
  readonly candidates: readonly JoinCandidate[]
  /** What was done or why not, in a sentence or two. */
  readonly text: string
}

/** One HBM of one Neuron device as one source tells of it. */
export interface HbmInfo {
  readonly id: number
  /** Row of `SessionView.sources`. */
  readonly source: number
  readonly path: string
  /** Neuron device (ND) and HBM; null where the file does not tell the device. */
  readonly device: number | null
  readonly hbm: number
  readonly instance: string | null
  readonly pid: number | null
  readonly rank: number | null
  /** `ND:0 HBM:0`, with instance or process where several have the same. */
  readonly label: string
  /** Time group; null without one (nothing can be drawn). */
  readonly group: number | null
  /** events: from the runtime's allocations. usage: from an export's totals, without allocations. */
  readonly from: 'events' | 'usage'
  /** runtime: `total_bytes`. running-sum: the file has no totals, so only bytes since the beginning of the recording are counted. */
  readonly totals: 'runtime' | 'running-sum'
  readonly events: number
  readonly allocations: number
  readonly frees: number
  readonly liveAtEnd: number
  readonly peakBytes: number
  readonly peakTime: number | null
  /** Before the first event nothing is known, after the last event of the source neither. */
  readonly timeRange: readonly [number, number] | null
  readonly capacity: HbmCapacity
  readonly categories: readonly HbmCategoryInfo[]
  /** Bottom of a stack first. */
  readonly families: readonly HbmGroup[]
  readonly runtimeRows: readonly HbmGroup[]
  /** Bytes of before the recording, all categories; null where not known. */
  readonly startBytes: number | null
  readonly gaps: readonly HbmGap[]
  /** At most 1,000, the first ones. */
  readonly ooms: readonly HbmOom[]
  readonly oomCount: number
  /** null: there is no memory snapshot to join with, or no runtime allocations. */
  readonly join: HbmJoinInfo | null
  /** Allocators (SessionView.allocators) whose memory lies in this HBM, and what says so; empty where nothing does. */
  readonly pytorch: { readonly allocators: readonly number[]; readonly how: string }
}

export const HBM_UNKNOWN = 0
export const HBM_KNOWN = 1
/** Totals are those of events, but events are lost around them. */
export const HBM_UNSURE = 2

/**
 * Column c shows the first instant of its highest total; the groups (with the unattributed one) add up to that total unless the runtime's own figures do not
 * (then a diagnostic says so).
 */
export interface HbmPicture {
  readonly version: number
  readonly width: number
  readonly grouping: HbmGrouping
  readonly groups: readonly HbmGroup[]
  /** Per group, `width` columns; NaN where nothing is known. */
  readonly bytes: readonly Float64Array[]
  /** The part of `bytes` that was there before the recording; NaN where that cannot be told. */
  readonly startBytes: readonly Float64Array[]
  readonly min: Float64Array
  readonly max: Float64Array
  /** Instant that the column shows; NaN where nothing is known. */
  readonly time: Float64Array
  /** HBM_UNKNOWN, HBM_KNOWN, HBM_UNSURE. */
  readonly known: Uint8Array
  /** PyTorch's reserved bytes at the column's instant (HbmInfo.pytorch), NaN where not known. */
  readonly reserved: Float64Array
}

export interface HbmAt {
  /** Nothing is known at this time: all figures are null. */
  readonly known: typeof HBM_UNKNOWN | typeof HBM_KNOWN | typeof HBM_UNSURE
  readonly totalBytes: number | null
  /** By HbmInfo.categories; null where not told. */
  readonly categories: readonly (number | null)[]
  readonly startBytes: readonly (number | null)[]
  readonly unattributedBytes: number | null
  readonly freeBytes: number | null
  /** Live allocations whose address is known. */
  readonly liveAllocations: number
  readonly liveBytes: number
  /** PyTorch's reserved bytes in this HBM; null where not known. */
  readonly reservedBytes: number | null
  /** The runtime's bytes of the families of tensors (tensors, io). */
  readonly tensorBytes: number | null
  /** total - reserved; null where not known or negative, then `crossCheck` says why. */
  readonly outsideBytes: number | null
  readonly crossCheck: string | null
}

/** How a link was found. id: by the join's key. inferred: by address and size in overlapping time. */
export type LinkHow = 'id' | 'inferred'

/** Where a runtime allocation stands on PyTorch's side. */
export interface PytorchLink {
  readonly how: LinkHow
  /** Id of SessionView.allocators. */
  readonly allocator: number
  /** What it is for the caching allocator. */
  readonly kind: 'segment' | 'allocation'
  /** Row for `memory.allocation`; null for a segment. */
  readonly allocation: number | null
  /** Event of the allocator's history; null where only the segment table has it. */
  readonly event: number | null
  readonly address: string
  readonly bytes: number
}

/** A runtime allocation, for links from PyTorch's side. */
export interface RuntimeLink {
  readonly how: LinkHow
  readonly hbm: number
  readonly allocation: number
  readonly category: string
  readonly address: string
  readonly bytes: number
}

export interface HbmRow {
  readonly allocation: number
  readonly size: number
  /** Index into HbmInfo.categories; null where the file names none. */
  readonly category: number | null
  /** Hex without grouping; null where the file has none. */
  readonly address: string | null
  /** ns since it was made; null for one that was there before the recording. */
  readonly age: number | null
  /** Name or id of the model; null where the event names none. */
  readonly model: string | null
  readonly traceId: string | null
  readonly link: PytorchLink | null
  /** Owning frame of the linked stack (`Block.forward model/block.py:74`); null without one. */
  readonly label: string | null
}

export interface HbmLive {
  readonly version: number
  /** Live allocations, those that pass the filter, and the bytes of these. */
  readonly total: number
  readonly passed: number
  readonly passedBytes: number
  /** Of the live ones: linked by id, inferred. */
  readonly linked: number
  readonly inferred: number
  readonly rows: readonly HbmRow[]
  /** Bytes of the runtime's total that no row accounts for (allocated before the recording and still there); null where not known. */
  readonly missingBytes: number | null
}

export interface HbmFrame {
  readonly name: string
  readonly file: string
  readonly line: number
  readonly library: boolean
}

export interface HbmEventRef {
  /** Row of SessionView.sources and of its table, for `trace.slice`. */
  readonly source: number
  readonly row: number
  readonly name: string
  readonly start: number
  readonly duration: number | null
}

export interface HbmAllocationDetails extends HbmRow {
  readonly categoryName: string
  /** Time of the stop of its allocation; null: before the recording. */
  readonly allocTime: number | null
  /** null: still live at the end of the recording. */
  readonly freeTime: number | null
  /** Its address was given out again without a free in the recording: the free was lost. */
  readonly freeLost: boolean
  readonly modelId: string | null
  /** NeuronCore and thread of the event that made it; null where not told. */
  readonly nc: number | null
  readonly thread: number | null
  readonly trackingId: string | null
  readonly sequenceId: string | null
  /** Its allocation, its free, and the events around the allocation, innermost first. */
  readonly allocEvent: HbmEventRef | null
  readonly freeEvent: HbmEventRef | null
  readonly parents: readonly HbmEventRef[]
  /** Attributes of both events as stored. */
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly of: 'alloc' | 'free' }[]
  readonly frames: readonly HbmFrame[]
  readonly framesFrom: 'segment' | 'alloc' | 'block' | 'none'
  /** PyTorch allocations that lay inside the linked segment while it was there; null unless linked to a segment. */
  readonly blocks: number | null
}

export interface HbmCsv {
  readonly text: string
  readonly rows: number
  /** What was left out; null: nothing. */
  readonly notice: string | null
}

export interface HbmAnswers {
  'hbm.picture': HbmPicture
  'hbm.at': HbmAt
  'hbm.live': HbmLive
  'hbm.allocation': HbmAllocationDetails
  'hbm.csv': HbmCsv
}
