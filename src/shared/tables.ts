/**
 * The tables that readers produce and analysis consumes. Columns only; ids are indices into string tables or into sibling tables, -1 means absent.
 * All time columns are nanoseconds relative to the table's `epochNs`.
 */
import type { StringTable } from './columns'
import type { CpuTable, HostMemoryTable, SystemTable, TraceInfoTable } from './system-tables'
import type { NeffContent, NtffContent } from './device-tables'

/** How a source's times are mapped to Unix time, and how far to trust that. */
export type ClockDomain =
  | 'kineto-base-time' // baseTimeNanoseconds + ts
  | 'unix-microseconds' // absolute Unix microseconds stored in the file (Kineto before 2.4, snapshot time_us)
  | 'unix-nanoseconds' // absolute Unix nanoseconds stored in the file (the runtime's files and their exports)
  | 'unknown' // relative to an unknown zero: drawn in its own range
  | 'none' // no times at all

/** A Chrome trace ("Trace Event Format") as columns, one row per entry of `traceEvents`, in file order. Phase M rows are included. */
export interface TraceTable {
  readonly kind: 'chrome-trace'
  /** Unix ns (or ns since an unknown zero, see `clock`) of time 0 of the columns. */
  readonly epochNs: bigint
  readonly clock: ClockDomain
  /** `baseTimeNanoseconds`, null where the file has none. */
  readonly baseTimeNs: bigint | null
  readonly count: number
  /** ASCII code of `ph`; 0 where absent. */
  readonly phase: Uint8Array
  /** Start, ns relative to epochNs; NaN where absent or unreadable. */
  readonly ts: Float64Array
  /** Duration in ns, exact; NaN where absent, unreadable or longer than 2^53 ns. */
  readonly dur: Float64Array
  readonly name: Int32Array
  readonly cat: Int32Array
  /** Row of `threads` (distinct pid/tid pair); -1 where the event has neither. */
  readonly thread: Int32Array
  /** String id of `id` (flows, async, objects) as text; -1 where absent. */
  readonly id: Int32Array
  /**
   * Byte range of `args` in the uncompressed stream, parsed when asked for. Negative where an event has none: then -1 - o is the offset o at which the event
   * itself begins.
   */
  readonly argsOffset: Float64Array
  readonly argsLength: Uint32Array
  readonly strings: StringTable
  readonly threads: TraceThreads
  /** Counter series of phase C: one row per (event, numeric arg). */
  readonly counters: TraceCounters
  /** Ids that tell which events belong together. Absent: not known. */
  readonly ids?: TraceIds
  /** Smallest `ts` and largest `ts` + `dur` (missing: 0) outside phase M, absolute like `epochNs` and exact; null without any time. */
  readonly extentNs?: readonly [bigint, bigint] | null
  /** Top-level members other than traceEvents, as raw JSON text (each at most 64 KiB, together at most 4 MiB). */
  readonly metadata: Readonly<Record<string, string>>
  /** `distributedInfo.rank`, null where absent. */
  readonly rank: number | null
  /** True when the closing bracket of `traceEvents` was seen. */
  readonly complete: boolean
  /** Bytes of the uncompressed stream that were read. */
  readonly bytesRead: number
}

/** Distinct (pid, tid) pairs with what the metadata events say about them. Ids index the table's `strings`; -1 absent. */
export interface TraceThreads {
  readonly count: number
  /** pid and tid as text, as they stand in the file (they may be strings). */
  readonly pid: Int32Array
  readonly tid: Int32Array
  readonly processName: Int32Array
  readonly processLabels: Int32Array
  readonly threadName: Int32Array
  /** NaN where absent. */
  readonly processSort: Float64Array
  readonly threadSort: Float64Array
}

export interface TraceCounters {
  readonly count: number
  /** Row of the trace table. */
  readonly row: Uint32Array
  /** String id of the arg's key. */
  readonly key: Int32Array
  readonly value: Float64Array
}

/**
 * What ids of events are kept: members of `args`, and `bp` of flow events (value 1 where it is `e`: bound to the slice around it). `nrta_seq_id` is kept as `nrt_sequence_id`.
 */
export const TRACE_ID_KEYS = ['External id', 'correlation', 'Sequence number', 'nrt_sequence_id', 'neff_cache_key', 'bp'] as const
export type TraceIdKey = (typeof TRACE_ID_KEYS)[number]

/** One row per id, in file order; an event may have several. */
export interface TraceIds {
  readonly count: number
  /** Row of the trace table. */
  readonly row: Uint32Array
  /** Index into TRACE_ID_KEYS. */
  readonly key: Uint8Array
  /** The id; of `neff_cache_key` its string id. */
  readonly value: BigUint64Array
  /** Events whose args were too long to be looked at. */
  readonly unread: number
}

export const ACTIONS = [
  'alloc',
  'free_requested',
  'free_completed',
  'free',
  'segment_alloc',
  'segment_free',
  'segment_map',
  'segment_unmap',
  'snapshot',
  'oom',
  'user_defined',
  'annotate',
  'workspace_snapshot',
] as const
export type Action = (typeof ACTIONS)[number]
/** Code of an action that is not in ACTIONS; the text stands in `otherAction`. */
export const ACTION_OTHER = 255

export const BLOCK_STATES = ['active_allocated', 'active_pending_free', 'inactive'] as const
/** `active_awaiting_free` is read as `active_pending_free`. Any other text is 255. */
export const BLOCK_STATE_OTHER = 255

/** A key that the format does not define, kept as text per row (for example a trace id of a Neuron snapshot). -1 absent. */
export interface ExtraColumn {
  readonly key: string
  readonly value: Int32Array
}

/** History of one device: one row per entry of `device_traces[device]`, oldest first. */
export interface DeviceTrace {
  readonly device: number
  readonly count: number
  /** Index into ACTIONS, or ACTION_OTHER. */
  readonly action: Uint8Array
  /** String id of an action text outside ACTIONS; -1 otherwise. */
  readonly otherAction: Int32Array
  readonly address: BigUint64Array
  /** Requested bytes for alloc and free; the segment's bytes for segment_*; see docs of each action. */
  readonly size: Float64Array
  /** Row of `streams`. */
  readonly stream: Int32Array
  /** ns relative to epochNs; NaN where the entry has no time. */
  readonly time: Float64Array
  /** Row of `stacks`; -1 where frames are missing or empty. */
  readonly stack: Int32Array
  /** `device_free` of an oom entry in bytes; NaN elsewhere. */
  readonly deviceFree: Float64Array
  /** Row of `pools` (pool_id), -1 where absent. */
  readonly pool: Int32Array
  readonly compileContext: Int32Array
  readonly userMetadata: Int32Array
  readonly category: Int32Array
  readonly extras: readonly ExtraColumn[]
  /** False when the file ended inside this list: the events after the last row are not known. Absent: true. */
  readonly complete?: boolean
}

/** Segment table at the moment of the snapshot. */
export interface SegmentTable {
  readonly count: number
  readonly device: Int32Array
  readonly address: BigUint64Array
  readonly totalSize: Float64Array
  readonly allocatedSize: Float64Array
  readonly activeSize: Float64Array
  /** NaN where the version has none. */
  readonly requestedSize: Float64Array
  readonly stream: Int32Array
  /** String id: large | small | ''. */
  readonly segmentType: Int32Array
  readonly pool: Int32Array
  /** 1 expandable, 0 not, 255 not said. */
  readonly expandable: Uint8Array
  readonly stack: Int32Array
  /** `blockStart[i] .. blockStart[i + 1]` are the rows of `blocks`. */
  readonly blockStart: Uint32Array
  readonly extras: readonly ExtraColumn[]
  /** False when the file ended before or inside the table: segments are missing. Absent: true. */
  readonly complete?: boolean
}

export interface BlockTable {
  readonly count: number
  readonly segment: Uint32Array
  /** Accumulated from the segment's address where the version stores none (torch 2.0). */
  readonly address: BigUint64Array
  /** Block size in bytes, rounded by the allocator. */
  readonly size: Float64Array
  /** Requested bytes; NaN where absent. Stale on inactive blocks: never sum those. */
  readonly requestedSize: Float64Array
  /** Index into BLOCK_STATES, or BLOCK_STATE_OTHER. */
  readonly state: Uint8Array
  readonly stack: Int32Array
  readonly category: Int32Array
  readonly extras: readonly ExtraColumn[]
}

export interface FrameTable {
  readonly count: number
  readonly name: Int32Array
  readonly file: Int32Array
  /** Line number; -1 where absent. */
  readonly line: Int32Array
  /** Keys of a frame that the format does not define (e.g. `fx_node_name`), as one JSON text per frame, -1 absent. Absent: no frame has any. */
  readonly extra?: Int32Array
}

/** Distinct frame lists by content; innermost frame first, as in the file. */
export interface StackTable {
  readonly count: number
  /** `start[i] .. start[i + 1]` index `frames`. */
  readonly start: Uint32Array
  /** Rows of the frame table. */
  readonly frames: Uint32Array
}

export interface AnnotationTable {
  readonly count: number
  readonly text: Int32Array
  /** String id: START, END, or the action for annotate / user_defined entries. */
  readonly stage: Int32Array
  /** -1 where the annotation names no device. */
  readonly device: Int32Array
  /** ns relative to epochNs; NaN where absent. */
  readonly time: Float64Array
}

/** Pinned host memory of a snapshot (`host_segments`, `host_traces`). The device of its segments and traces is -1. */
export interface HostMemory {
  /** null where the file has no `host_segments`. */
  readonly segments: SegmentTable | null
  readonly blocks: BlockTable
  /** null where the file has no `host_traces`; times are relative to the snapshot's epoch and may lie before it. */
  readonly traces: readonly DeviceTrace[] | null
}

/** A PyTorch allocator snapshot as columns. */
export interface SnapshotTable {
  readonly kind: 'memory-snapshot'
  readonly format: 'pickle' | 'pickle-list' | 'json' | 'html'
  /** null for JSON. */
  readonly pickleProtocol: number | null
  /** Unix ns of time 0 of the time columns (smallest time_us); 0 where there are no times. */
  readonly epochNs: bigint
  readonly clock: ClockDomain
  /** Smallest and largest time_us of trace entries in ns relative to epochNs; null without times. */
  readonly timeRange: readonly [number, number] | null
  /** Smallest and largest `time_us` as they stand in the file. */
  readonly timeUs: readonly [number, number] | null
  /** One per list of `device_traces`, in order; a list may be empty. */
  readonly devices: readonly DeviceTrace[]
  readonly segments: SegmentTable
  readonly blocks: BlockTable
  readonly frames: FrameTable
  readonly stacks: StackTable
  /** Text of each distinct stream (decimal) and pool ("a,b"). */
  readonly streams: readonly string[]
  readonly pools: readonly string[]
  readonly strings: StringTable
  readonly annotations: AnnotationTable
  /** Absent where the file has none. */
  readonly host?: HostMemory
  /** allocator_settings and every unknown top-level key, as JSON text (each at most 64 KiB). */
  readonly settings: string | null
  readonly unknown: Readonly<Record<string, string>>
  readonly complete: boolean
  readonly bytesRead: number
}

/** A file without a time axis of its own: what it says about itself, and rows that joins and details ask for. */
interface SideFile {
  /** Small facts by name, for `inspect` and the details of the file. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly complete: boolean
  /** Bytes of the file that were read. */
  readonly bytesRead: number
}

/** A compiled graph: header and index of the archive. */
export interface NeffTable extends SideFile, NeffContent {
  readonly kind: 'neff'
}

/** A device profile: header, nodes, executions and the index of its records. */
export interface NtffTable extends SideFile, NtffContent {
  readonly kind: 'ntff'
}

/** Runtime sequence ids and the framework operators behind each, as `framework_mapping_*.json` has them: one row per entry, in file order. */
export interface FrameworkMappingTable extends SideFile {
  readonly kind: 'framework-mapping'
  /** `version` of the file; null where it is absent or no whole number. */
  readonly version: number | null
  readonly count: number
  readonly nrtaSeqId: BigUint64Array
  /** `opStart[i] .. opStart[i + 1]` are the operators of entry i; length count + 1. */
  readonly opStart: Uint32Array
  readonly operatorCount: number
  readonly seqNr: BigInt64Array
  readonly threadId: BigUint64Array
  readonly streamId: BigInt64Array
  /** Which of the three an operator has, as bits: 1 seqNr, 2 threadId, 4 streamId. The others are 0 and mean nothing. */
  readonly present: Uint8Array
}

export type SideTable = NeffTable | NtffTable | FrameworkMappingTable

/** What is drawn on a time axis. */
export type TimedTable = TraceTable | SnapshotTable | SystemTable | CpuTable | HostMemoryTable

export type ParsedTable = TimedTable | SideTable | TraceInfoTable

const TIMED: ReadonlySet<ParsedTable['kind']> = new Set(['chrome-trace', 'memory-snapshot', 'system', 'cpu', 'host-memory'])
/** How the times of a table become Unix times. */
export const clockOfTable = (t: TimedTable): ClockDomain => (t.kind === 'cpu' || t.kind === 'host-memory' ? 'unix-nanoseconds' : t.clock)
export const isTimed = (t: ParsedTable): t is TimedTable => TIMED.has(t.kind)
