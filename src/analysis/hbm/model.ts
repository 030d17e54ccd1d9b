/** Device memory (HBM) of one source, one HBM of one Neuron device of one process: the curve, its categories, and the runtime's allocations. Plain columns. */
import type { Category } from './categories'

export interface HbmCategory extends Category {
  /**
   * Bytes before the first event: of the category's own total at its first event less what the events up to there changed. Without such totals: what the recording frees without
   * having allocated it (at least that was there).
   */
  readonly startBytes: number
  /** Whether `startBytes` follows from totals of the runtime. */
  readonly startKnown: boolean
  readonly peakBytes: number
  /** ns relative to the table's epoch; NaN where no event is known. */
  readonly peakTime: number
}

export const ALLOC = 0
export const FREE = 1
/** Index in category columns of what names none. */
export const NO_CATEGORY = 0xffff

/** The events that change the curve, by time of their stop (rows of the table where equal). Failed allocations are not among them. */
export interface HbmEvents {
  /** Row of the system table. */
  readonly row: Uint32Array
  readonly kind: Uint8Array
  /** Index into categories. */
  readonly category: Uint16Array
  /** Bytes allocated or freed. */
  readonly bytes: Float64Array
  /** The category's bytes after the event. */
  readonly categoryTotal: Float64Array
  /** Allocation that begins or ends here; -1: the event has no address. */
  readonly allocation: Int32Array
  /** Allocations with a known address that are live after the event, and their bytes. */
  readonly live: Uint32Array
  readonly liveBytes: Float64Array
}

/** Start state first (rows 0 .. startCount - 1: what the recording frees without having allocated it), then in order of allocation. */
export interface HbmAllocations {
  readonly count: number
  readonly startCount: number
  readonly size: Float64Array
  readonly category: Uint16Array
  readonly address: BigUint64Array
  /** Event after which it is live; -1: before the first. */
  readonly from: Int32Array
  /** Event after which it is not live any more; -1: live at the end. */
  readonly to: Int32Array
  /** Rows of the system table; -1 without. */
  readonly allocRow: Int32Array
  readonly freeRow: Int32Array
}

export interface HbmFailure {
  /** ns relative to the table's epoch. */
  readonly time: number
  readonly row: number
  /** Bytes asked for; NaN where no event tells. */
  readonly bytes: number
  readonly category: number
  readonly returnCode: string
  /** The runtime's total at that time; NaN where not told. */
  readonly total: number
}

/** Made from the rest of a model, see index-of.ts. */
export interface HbmIndex {
  /** First times of blocks of 8 events, of 8 such blocks, and so on. */
  readonly times: readonly Float64Array[]
  /** Highest and lowest totals of blocks of 8 events, of 8 such blocks, and so on. */
  readonly high: readonly Float64Array[]
  readonly low: readonly Float64Array[]
  /** The figures (`stateWidth`) before each event k * span. Empty where there are no events but totals. */
  readonly span: number
  readonly states: Float64Array
  /** Last `to` in blocks of 8 allocations, and so on; 2^31 - 1 for those that are live at the end. */
  readonly ends: readonly Int32Array[]
}

export interface HbmModel {
  readonly index: HbmIndex
  readonly kind: 'events' | 'usage'
  /** -1: the file does not tell the device. */
  readonly device: number
  readonly hbm: number
  /** '' and NaN: the file does not tell. */
  readonly instance: string
  readonly process: number
  readonly count: number
  /** Never decreasing, ns relative to the table's epoch. */
  readonly time: Float64Array
  /** The HBM's bytes after event i: the runtime's own total where the event has one. Never NaN. */
  readonly total: Float64Array
  readonly totals: 'runtime' | 'running-sum'
  /** What is known ends here: the source's last event. Before time[0] nothing is known. */
  readonly until: number
  /** Bottom of a stack first. */
  readonly categories: readonly HbmCategory[]
  /** Bytes before the first event; NaN where totals are missing. */
  readonly startBytes: number
  /** Whether the total has bytes that no category accounts for, at any time. */
  readonly unattributed: boolean
  readonly events: HbmEvents | null
  /** Usage: bytes of each category after row i; NaN where not told. */
  readonly usage: readonly Float64Array[] | null
  readonly allocations: HbmAllocations | null
  readonly peakBytes: number
  /** Event of the first maximum; -1 without events. */
  readonly peakEvent: number
  readonly allocs: number
  readonly frees: number
  readonly liveAtEnd: number
  readonly failures: readonly HbmFailure[]
  readonly failureCount: number
  /** Stretches around which events are lost, ns relative to the table's epoch. */
  readonly gaps: readonly { readonly start: number; readonly end: number; readonly reason: string }[]
}

/** Failed allocations that are kept one by one. */
export const MAX_FAILURES = 1000
