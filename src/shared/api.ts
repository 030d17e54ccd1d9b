/**
 * The API contract between host and renderer: every request with a schema that checks its argument, every answer, every event.
 * Two transports carry it (Electron IPC and WebSocket); both hosts register the same handlers (src/main/host).
 *
 * Answers are bounded by the screen (pixels, rows asked for), never by the size of a file. How they are computed may change behind the contract.
 * Times of a query are nanoseconds relative to the origin of a time group (see TimeGroup); `Ns` doubles, exact for 104 days.
 * To add a request: a schema in REQUESTS, an answer in Answers, a handler in src/main/host/handlers; see CONTRIBUTING.md.
 */
import * as v from 'valibot'
import type { Catalog } from './catalog'
import { CLOCK_REQUESTS, type ClockAnswers, type ClockInfo, type SystemChoice } from './clock-api'
import type { Diagnostic } from './diagnostics'
import { NEFF_REQUESTS, type NeffAnswers } from './neff-api'
import { SCHEMA_REQUESTS, type FileVerdict, type SchemaAnswers } from './schema-api'
import type { Verification } from './verify'
import { TRACE_REQUESTS, type TraceAnswers } from './trace-api'
import { HBM_REQUESTS, type HbmAnswers, type HbmInfo, type RuntimeLink } from './hbm-api'

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const time = v.pipe(v.number(), v.finite())
const pixels = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(16384))
const index = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(2 ** 32))
const empty = v.strictObject({})
const axis = v.picklist(['time', 'event'])
export type Axis = v.InferOutput<typeof axis>

export const REQUESTS = {
  // ── the program ──
  'app.info': empty,
  /** Recent folders; each has an id to open it with. */
  'recent.list': empty,
  'recent.open': v.strictObject({ id }),
  /** Desktop: native dialog. Browser: answers { kind: 'browse' }, the renderer then shows its picker. */
  'folder.pick': v.strictObject({ what: v.picklist(['folder', 'file']) }),
  /** Browser picker: folders and known files below the served roots. `id` null lists the roots; `any`: files of every kind. */
  'browse.list': v.strictObject({ id: v.nullable(id), any: v.optional(v.boolean()) }),
  'browse.open': v.strictObject({ id }),
  /** Writes the bundled sample profile to the user's cache where it is not there yet and opens it. */
  'sample.open': empty,
  // ── the opened root ──
  'root.get': empty,
  'root.close': empty,
  // ── folders where NEFFs are looked for too ──
  ...NEFF_REQUESTS,
  // ── trace schemas ──
  ...SCHEMA_REQUESTS,
  // ── a session ──
  /** Starts (or joins) the reading of the session's files and answers what is known now; `session` events say when to ask again. */
  'session.open': v.strictObject({ session: id }),
  'session.view': v.strictObject({ session: id }),
  'job.cancel': v.strictObject({ job: id }),
  'file.retry': v.strictObject({ session: id, file: id }),
  // ── system trace ──
  'trace.slices': v.strictObject({
    session: id,
    tracks: v.pipe(v.array(index), v.maxLength(256)),
    start: time,
    end: time,
    width: pixels,
  }),
  /** Tiles `first` to `first + count` of each track (see shared/tiles): as the windows [i, i + 1) * TILE_COLUMNS * column would be answered. */
  'trace.tiles': v.strictObject({
    session: id,
    tracks: v.pipe(v.array(index), v.maxLength(256)),
    /** Width of a column in ns, a power of two. */
    column: v.pipe(
      v.number(),
      v.minValue(2 ** -20),
      v.maxValue(2 ** 60),
      v.check(x => Number.isInteger(Math.log2(x)), 'no power of two'),
    ),
    first: v.pipe(v.number(), v.safeInteger()),
    count: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(64)),
  }),
  'trace.counter': v.strictObject({ session: id, tracks: v.pipe(v.array(index), v.maxLength(256)), start: time, end: time, width: pixels }),
  'trace.overview': v.strictObject({ session: id, group: index, width: pixels }),
  'trace.slice': v.strictObject({ session: id, source: index, row: index }),
  ...TRACE_REQUESTS,
  // ── PyTorch allocator ──
  'memory.picture': v.strictObject({
    session: id,
    allocator: index,
    axis,
    start: time,
    end: time,
    width: pixels,
    height: pixels,
    /** Top of the Y axis in bytes; null lets the engine fit it to the window (active and, if asked, reserved). */
    yMax: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(1))),
    withReserved: v.boolean(),
    /** Whether a fitted Y axis makes room for the block-rounded curve; absent: no. */
    withRounded: v.optional(v.boolean()),
  }),
  'memory.at': v.strictObject({ session: id, allocator: index, axis, at: time }),
  /** The allocations merged into "n smaller" at one column of a picture, largest first, at most `limit`. */
  'memory.smaller': v.strictObject({
    session: id,
    allocator: index,
    axis,
    /** The instant that the column shows: an event index of that device (-1: start state). */
    event: v.pipe(v.number(), v.integer(), v.minValue(-1)),
    from: v.pipe(v.number(), v.minValue(0)),
    to: v.pipe(v.number(), v.minValue(0)),
    limit: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(500)),
  }),
  'memory.allocation': v.strictObject({ session: id, allocator: index, allocation: index }),
  // ── device memory (HBM) ──
  ...HBM_REQUESTS,
  // ── clocks ──
  ...CLOCK_REQUESTS,
  /** Reads a snapshot a second time, by another reader, and compares the figures. One at a time; null: it was cancelled. */
  'memory.verify': v.strictObject({ session: id, file: id }),
  'memory.verifyCancel': v.strictObject({ session: id, file: id }),
  // ── export ──
  /** Desktop: save dialog, then writes. Browser: never called (the page saves the blob itself). */
  'export.save': v.strictObject({
    name: v.pipe(v.string(), v.maxLength(120)),
    data: v.pipe(v.instance(Uint8Array), v.maxLength(64 * 1024 * 1024)),
  }),
} as const

export type RequestName = keyof typeof REQUESTS
export type RequestArgs<N extends RequestName> = v.InferOutput<(typeof REQUESTS)[N]>

// ───────────────────────────── answers ─────────────────────────────

export interface AppInfo {
  readonly name: string
  readonly version: string
  readonly shell: 'desktop' | 'browser'
  /** Why a browser and not a window, when `npm start` fell back. */
  readonly notice: string | null
  /** Whether the host can show native dialogs. */
  readonly dialogs: boolean
}

export interface RecentEntry {
  readonly id: string
  readonly label: string
  readonly path: string
  readonly detail: string
  readonly openedMs: number
}

export type PickAnswer = { readonly kind: 'opened' } | { readonly kind: 'cancelled' } | { readonly kind: 'browse' }

export interface BrowseEntry {
  readonly id: string
  readonly name: string
  readonly type: 'folder' | 'file'
  readonly bytes: number | null
  readonly mtimeMs: number
}
export interface BrowseAnswer {
  /** Folder shown, null for the list of served roots. */
  readonly folder: { readonly id: string; readonly name: string; readonly parent: string | null } | null
  readonly entries: readonly BrowseEntry[]
  /** Set when the listing was cut. */
  readonly cut: string | null
}

/** The opened root; null when nothing is open. `version` grows with each change. */
export interface RootState {
  readonly version: number
  readonly name: string
  readonly catalog: Catalog
  readonly watching: boolean
  readonly watchNotice: string | null
  /** True until the first walk has ended. */
  readonly scanning: boolean
}

export interface Job {
  readonly id: string
  readonly session: string
  readonly file: string
  readonly path: string
  readonly state: 'queued' | 'reading' | 'done' | 'failed' | 'cancelled'
  readonly done: number
  readonly total: number
  readonly note: string
}

/** Sources that overlap in time share a group: one window, one cursor. A source that overlaps with nothing has a group of its own; nothing is shifted. */
export interface TimeGroup {
  readonly id: number
  /** Unix ns of time 0 of all queries in this group; for an uncalibrated source the zero of its own clock. */
  readonly originNs: bigint
  /** Extent of the data, relative to the origin (start is 0). */
  readonly durationNs: number
  readonly calibrated: boolean
  /** Row indices of `sources`. */
  readonly sources: readonly number[]
  readonly label: string
}

export interface SourceInfo {
  readonly index: number
  readonly file: string
  readonly path: string
  readonly kind: 'chrome-trace' | 'memory-snapshot' | 'system' | 'cpu' | 'host-memory'
  /** Index of the time group; null for a source without times. */
  readonly group: number | null
  /** How times are mapped, in words for the screen. */
  readonly clock: string
  readonly rank: number | null
  readonly complete: boolean
  readonly events: number
  /** First start and last end of the source's data, ns relative to the group's origin; null without times. What lies beyond is not known where `complete` is false. */
  readonly range?: readonly [number, number] | null
}

export interface TrackInfo {
  readonly id: number
  /** Changes when its events or its place in time do: what was answered under the same stamp still holds. Absent: it changes with every version. */
  readonly stamp?: number
  readonly source: number
  readonly group: number
  readonly kind: 'slices' | 'counter'
  /** pid and tid as in the file, '' where absent. */
  readonly pid: string
  readonly tid: string
  readonly processName: string
  readonly processLabels: string
  /** How the row is labelled; core: events of the runtime or the hardware on a NeuronCore. */
  readonly role: 'thread' | 'stream' | 'async' | 'counter' | 'core'
  /**
   * Where the events come from (host: samples of CPU and memory, hbm: device memory, transfer: copies between host and device, pytorch: bytes of the caching allocator);
   * absent: the framework.
   */
  readonly origin?: 'framework' | 'neuron_rt' | 'neuron_hw' | 'runtime' | 'host' | 'hbm' | 'transfer' | 'pytorch'
  /** Where all of its events happened, as far as the file says so and it is one place: instance, Neuron device, logical and physical NeuronCore, worker, host thread. */
  readonly instance?: string
  readonly device?: number
  readonly nc?: number
  readonly core?: number
  readonly worker?: number
  readonly thread?: string
  /** Its slices stand on another track too: statistics and searches take them from there. */
  readonly derived?: boolean
  /** Shown only where rows go by thread, or only where they do not: two arrangements of the same events. Absent: always. */
  readonly arranged?: 'by-thread' | 'by-core'
  /** Earlier events of this track are lost: before this time (ns relative to the group's origin) nothing is known. Absent or null: nothing is missing. */
  readonly knownFrom?: number | null
  /** Label, e.g. `TID:0`, `Stream:7`, counter name. */
  readonly name: string
  /** Second line: thread name, unit. */
  readonly note: string
  /** Nesting levels (lanes); 1 for counters. */
  readonly depth: number
  readonly events: number
  /** Counter only. */
  readonly min: number
  readonly max: number
}

/** Curves of an allocator repeat what the Memory Viewer shows: beside events they stand in the System Trace, alone they make none. */
export const makesTrace = (t: Pick<TrackInfo, 'origin'>): boolean => t.origin !== 'pytorch'

export interface StepInfo {
  readonly name: string
  readonly source: number
  readonly group: number
  readonly start: number
  readonly duration: number
}

/** One allocator timeline: one device of one snapshot. All byte figures count requested bytes unless named reserved. */
export interface AllocatorInfo {
  readonly id: number
  readonly source: number
  readonly path: string
  readonly rank: number
  readonly rankFromName: boolean
  readonly device: number
  /** Time group, null without times (then only the event axis is there). */
  readonly group: number | null
  readonly events: number
  readonly allocations: number
  /** True where the active and allocated bytes are what the events prove and no more: the file ends early, or a size in it is not known. */
  readonly atLeast?: boolean
  readonly startActiveBytes: number
  readonly peakActiveBytes: number
  readonly peakActiveEvent: number
  /** ns relative to the group's origin; null for the start state or without times. */
  readonly peakTime: number | null
  readonly endActiveBytes: number
  readonly peakAllocatedBytes: number
  readonly endAllocatedBytes: number
  readonly startReservedBytes: number
  readonly peakReservedBytes: number
  readonly endReservedBytes: number
  readonly startBlocks: number
  readonly unknownFrees: number
  readonly unknownFreeBytes: number
  readonly ooms: readonly {
    readonly event: number
    readonly time: number | null
    readonly size: number
    readonly deviceFree: number | null
  }[]
  readonly checkpoints: readonly [number, number]
  /** Allocated bytes as block sizes (what torch.cuda.memory_allocated counts). */
  readonly blockRounded: BlockRoundedInfo
  readonly selfCheck: { readonly ok: boolean; readonly replayBytes: number; readonly tableBytes: number }
  /** First and last time of an event, relative to the group's origin; null without times. */
  readonly timeRange: readonly [number, number] | null
  /** Set when the file ended early: nothing is known after this time. */
  readonly endsEarly: boolean
  /** Colour groups (first frame outside torch), largest at the peak first; index = `groupOf` in pictures. The last is "other". */
  readonly groups: readonly OwnerGroup[]
}

/**
 * Block-rounded bytes of an allocator. The curve is shown where `status` is confirmed or not-confirmed (then say so); else start and peak are null, and the end
 * is told where the segment table has it by itself. `reason`: what was checked, or why it is not shown, half a sentence.
 */
export interface BlockRoundedInfo {
  readonly status: 'confirmed' | 'not-confirmed' | 'refuted' | 'unknown'
  readonly reason: string
  readonly startBytes: number | null
  readonly peakBytes: number | null
  readonly endBytes: number | null
}

export interface OwnerGroup {
  readonly label: string
  readonly file: string
  readonly line: number
  readonly peakBytes: number
}

export interface SessionView {
  readonly session: string
  readonly version: number
  readonly groups: readonly TimeGroup[]
  readonly sources: readonly SourceInfo[]
  readonly tracks: readonly TrackInfo[]
  readonly steps: readonly StepInfo[]
  readonly allocators: readonly AllocatorInfo[]
  /** Device memory as the runtime reports it, by device and HBM; absent or empty where no source tells. */
  readonly hbm?: readonly HbmInfo[]
  /** How each source came to its times. */
  readonly clocks?: readonly ClockInfo[]
  /** Files that tell of the runtime where there is more than one kind; the others than the shown ones are not drawn. */
  readonly systems?: readonly SystemChoice[]
  /** How each file of the runtime was decoded, refused ones too. */
  readonly verdicts?: readonly FileVerdict[]
  readonly jobs: readonly Job[]
  readonly diagnostics: readonly Diagnostic[]
  /** Set while the engine is rebuilt after it ended unexpectedly. */
  readonly notice: string | null
}

/**
 * Slices of the tracks in a window, at most one per (pixel column, lane) for slices narrower than a pixel.
 * Columns have one entry per drawn slice, ordered by track, then lane, then start.
 */
export interface SlicesAnswer {
  readonly version: number
  /** `trackStart[i] .. trackStart[i + 1]` belong to the i-th requested track. */
  readonly trackStart: Uint32Array
  /** ns relative to the group's origin. */
  readonly start: Float64Array
  /** ns; 0 for instants. */
  readonly duration: Float64Array
  readonly lane: Uint16Array
  /** Row of the source's table, for `trace.slice`; the longest one where several were merged. */
  readonly row: Uint32Array
  /** How many slices this one stands for (1: itself). */
  readonly merged: Uint32Array
  /** 0 slice, 1 instant, 2 slice without an end (B without E), 3 slice without a start. */
  readonly flags: Uint8Array
  /** Index into names. */
  readonly name: Uint32Array
  /** Index into categories. */
  readonly category: Uint32Array
  readonly names: readonly string[]
  readonly categories: readonly string[]
}

/** As SlicesAnswer with one "track" per track and tile: `trackStart[i * count + k]` begins tile k of the i-th track. What reaches over an edge stands in both tiles. */
export interface TilesAnswer extends SlicesAnswer {
  /** `TrackInfo.stamp` of each requested track. */
  readonly stamps: Uint32Array
}

/** Per pixel column of each track: minimum, maximum, last and average value; NaN where nothing is known yet. */
export interface CounterAnswer {
  readonly version: number
  readonly min: readonly Float64Array[]
  readonly max: readonly Float64Array[]
  readonly last: readonly Float64Array[]
  /** Average over the time of the column that is known. Absent: not told. */
  readonly mean?: readonly Float64Array[]
}

export interface OverviewAnswer {
  readonly version: number
  /** Share 0..1 of each column that is covered by top-level slices. */
  readonly busy: Float32Array
  /** Highest active requested bytes per column over the group's allocators (the first one); NaN where unknown; empty without a snapshot. */
  readonly active: Float64Array
  readonly activeMax: number
}

export interface SliceDetails {
  readonly name: string
  readonly category: string
  readonly track: string
  readonly phase: string
  /** ns relative to the group's origin. */
  readonly start: number
  /** Absolute, decimal string. */
  readonly startUnixNs: string
  readonly duration: number | null
  readonly selfTime: number | null
  /** `args` as pretty JSON text (at most 64 KiB), null where absent. */
  readonly args: string | null
  readonly argsNotice: string | null
  /** The name is not the file's own word: it was told from the attributes, as `argsNotice` says. */
  readonly nameInferred?: boolean
  readonly parents: readonly { readonly name: string; readonly row: number; readonly start: number; readonly duration: number }[]
  readonly children: number
}

/** Special values of `runAllocation` in a picture. */
export const RUN_EMPTY = -1
/** Several allocations thinner than a pixel row. */
export const RUN_SMALLER = -2

/**
 * The allocator timeline, rasterised. Column c shows the live set at the first instant of its highest active total, stacked in order of allocation
 * from the bottom (start state first), at most one allocation per pixel row, run-length coded from the bottom up.
 */
export interface MemoryPicture {
  readonly version: number
  readonly width: number
  readonly height: number
  readonly yMax: number
  /** `columnStart[c] .. columnStart[c + 1]` are the runs of column c. */
  readonly columnStart: Uint32Array
  /** Rows of each run. */
  readonly runRows: Uint16Array
  /** Allocation index, RUN_EMPTY or RUN_SMALLER. */
  readonly runAllocation: Int32Array
  /** Owner group of the allocation, for RUN_SMALLER that of the allocations at the centres of its rows (neighbouring groups are runs of their own). */
  readonly runGroup: Uint16Array
  /** Event whose state the column shows (-1 start state; -2 nothing known: outside the recorded range). */
  readonly columnEvent: Int32Array
  /** Lowest, highest active (requested), highest allocated (requested) and highest reserved bytes in the column; NaN outside the recorded range. */
  readonly min: Float64Array
  readonly max: Float64Array
  readonly allocatedMax: Float64Array
  readonly reservedMax: Float64Array
  /** Highest block-rounded allocated bytes in the column; NaN where the curve is not shown (see AllocatorInfo.blockRounded). */
  readonly roundedMax: Float64Array
  /** Bytes of the start state that are live in the column's instant. */
  readonly startBytes: Float64Array
  /** Facts of every allocation that appears in a run, sorted by id. */
  readonly allocation: Uint32Array
  readonly size: Float64Array
  /** Index into AllocatorInfo.groups. */
  readonly group: Uint16Array
  /** 1: part of the start state. */
  readonly start: Uint8Array
  /** Top frame label of each, index into labels. */
  readonly label: Uint32Array
  readonly labels: readonly string[]
  /** Times or events (per axis) of alloc and free; NaN where before / after the recording. */
  readonly from: Float64Array
  readonly to: Float64Array
}

/** Totals at one instant. Bytes count requested bytes unless named reserved; null is "not known". */
export interface MemoryAt {
  readonly event: number
  readonly time: number | null
  readonly activeBytes: number
  readonly allocatedBytes: number
  readonly reservedBytes: number
  /** Allocated bytes as block sizes; null where the curve is not shown (see AllocatorInfo.blockRounded). */
  readonly blockRoundedBytes: number | null
  readonly liveAllocations: number
  readonly startBytes: number
  /** Live requested bytes per owner group, start state included. */
  readonly groups: Float64Array
  /** The part of `groups` that belongs to the start state. */
  readonly startGroups: Float64Array
}

export interface AllocationSummary {
  readonly allocation: number
  readonly size: number
  readonly address: string
  readonly label: string
  readonly group: number
  readonly start: boolean
}

export interface Frame {
  readonly name: string
  readonly file: string
  readonly line: number
  /** Inside torch or the standard library: folded by default. */
  readonly library: boolean
}

export interface AllocationDetails extends AllocationSummary {
  /** Block size where the segment table tells it, null otherwise. */
  readonly blockBytes: number | null
  readonly allocEvent: number
  readonly freeRequestedEvent: number | null
  readonly freeCompletedEvent: number | null
  /** ns relative to the group's origin; null before or after the recording, or without times. */
  readonly allocTime: number | null
  readonly freeRequestedTime: number | null
  readonly freeCompletedTime: number | null
  /** 'recorded' | 'live at start' | 'freed but never allocated in the recording' | 'pending free at the end'. */
  readonly origin: 'recorded' | 'live-at-start' | 'unknown-free' | 'pending-free'
  readonly stream: string
  readonly pool: string | null
  readonly segment: {
    readonly address: string
    readonly bytes: number
    readonly type: string
    readonly offset: number
    readonly expandable: boolean
  } | null
  readonly traceId: string | null
  readonly compileContext: string | null
  readonly userMetadata: string | null
  readonly category: string | null
  /** Keys that the format does not define, as text. */
  readonly extras: readonly { readonly key: string; readonly value: string }[]
  readonly frames: readonly Frame[]
  /** Whose frames these are: 'alloc', 'block' (segment table), 'free' (only the free site is known) or 'none'. */
  readonly framesFrom: 'alloc' | 'block' | 'free' | 'none'
  readonly freeFrames: readonly Frame[]
  /** Innermost slice of the framework trace that covers the alloc time, found by time only. */
  readonly inside: { readonly name: string; readonly track: string; readonly source: number; readonly row: number } | null
  /** Live bytes of the same owner line. */
  readonly sameLine: { readonly count: number; readonly liveAtPeak: number; readonly liveAtPeakBytes: number } | null
  /** Runtime allocations that hold it: its own, or that of its segment. Absent: there is no runtime trace to ask. */
  readonly runtime?: readonly RuntimeLink[]
}

export interface Answers extends HbmAnswers, ClockAnswers, NeffAnswers, SchemaAnswers, TraceAnswers {
  'app.info': AppInfo
  'recent.list': readonly RecentEntry[]
  'recent.open': { readonly opened: boolean; readonly reason: string | null }
  'folder.pick': PickAnswer
  'browse.list': BrowseAnswer
  'browse.open': { readonly opened: boolean; readonly reason: string | null }
  'sample.open': { readonly opened: boolean; readonly reason: string | null }
  'root.get': RootState | null
  'root.close': null
  'session.open': SessionView
  'session.view': SessionView
  'job.cancel': null
  'file.retry': null
  'trace.slices': SlicesAnswer
  'trace.tiles': TilesAnswer
  'trace.counter': CounterAnswer
  'trace.overview': OverviewAnswer
  'trace.slice': SliceDetails
  'memory.picture': MemoryPicture
  'memory.at': MemoryAt
  'memory.smaller': { readonly total: number; readonly totalBytes: number; readonly list: readonly AllocationSummary[] }
  'memory.allocation': AllocationDetails
  'memory.verify': Verification | null
  'memory.verifyCancel': null
  'export.save': { readonly saved: string | null }
}

// ───────────────────────────── events ─────────────────────────────

export type HostEvent =
  /** The root was opened, closed or changed; ask `root.get`. */
  | { readonly type: 'root'; readonly version: number }
  /** Tables of a session changed; ask `session.view`. */
  | { readonly type: 'session'; readonly session: string; readonly version: number }
  | { readonly type: 'job'; readonly job: Job }
  /** A command of the native menu. */
  | { readonly type: 'menu'; readonly command: string }

/** What the renderer sees as `window.workbench` (desktop) or makes itself over WebSocket (browser). */
export interface Bridge {
  readonly shell: 'desktop' | 'browser'
  request<N extends RequestName>(name: N, args: RequestArgs<N>): Promise<Answers[N]>
  onEvent(listener: (event: HostEvent) => void): () => void
  /** Opens a dropped file or folder. Desktop: by the path the shell tells. Browser: refused, with the reason. */
  openDropped(file: File): Promise<{ readonly opened: boolean; readonly reason: string | null }>
}

/** An error that crosses the bridge: the text is for the user. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
}

/** Checks one request of the outside world. Throws RequestError with what is wrong; never trusts the shape. */
export function checkRequest(name: unknown, args: unknown): { readonly name: RequestName; readonly args: never } {
  if (typeof name !== 'string' || !Object.hasOwn(REQUESTS, name))
    throw new RequestError(`unknown request ${typeof name === 'string' ? JSON.stringify(name.slice(0, 60)) : `of type ${typeof name}`}`)
  const parsed = v.safeParse(REQUESTS[name as RequestName], args)
  if (!parsed.success) {
    const issue = parsed.issues[0]
    throw new RequestError(`${name}: ${issue.message}${issue.path ? ` at ${issue.path.map(p => String(p.key)).join('.')}` : ''}`)
  }
  return { name: name as RequestName, args: parsed.output as never }
}
