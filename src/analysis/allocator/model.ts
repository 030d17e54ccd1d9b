/**
 * The result of replaying one device of a snapshot: allocations as columns and the totals after each event.
 * Semantics: docs of `replay` and the format's README. Bytes are requested bytes unless named reserved or block-rounded.
 */

/** Where an allocation comes from. */
export const ORIGINS = ['recorded', 'live-at-start', 'unknown-free', 'pending-free'] as const
/** recorded: an alloc event. live-at-start: an active block of the segment table without a live alloc. unknown-free: freed in the window without an alloc. pending-free: a pending block of the table without a live alloc. */
export type Origin = (typeof ORIGINS)[number]

export interface AllocatorModel {
  /** Device index as in the snapshot. */
  readonly device: number
  /** Row of `SnapshotTable.devices`, -1 for a device that has segments only. */
  readonly traceIndex: number
  /** Number of events of the device's list, all actions counted. */
  readonly events: number

  // ── allocations: start state first (rows 0 .. startCount - 1), then recorded ones in order of their alloc event ──
  readonly count: number
  readonly startCount: number
  readonly size: Float64Array
  readonly address: BigUint64Array
  /** Index into ORIGINS. */
  readonly origin: Uint8Array
  /** Event of the alloc; -1 for the start state. */
  readonly allocEvent: Int32Array
  /** Event of free_requested; -1 where there is none. */
  readonly freeRequestedEvent: Int32Array
  /** Event after which the allocation is no longer active (free_completed, free, or the alloc that reused a live address); -1: active at the end. */
  readonly freeEvent: Int32Array
  /** Row of the snapshot's stacks; -1 without frames. Alloc site; block's frames for live-at-start; for unknown-free see freeStack. */
  readonly stack: Int32Array
  /** Stack of the free event; -1 where absent. */
  readonly freeStack: Int32Array
  readonly stream: Int32Array
  /** Row of the snapshot's blocks where the allocation is in the segment table at the end; -1 otherwise. */
  readonly block: Int32Array

  // ── totals after event i (length = events) ──
  readonly active: Float64Array
  readonly allocated: Float64Array
  readonly reserved: Float64Array
  /** Allocated bytes as block sizes (what torch.cuda.memory_allocated counts); null where `figures.blockRounded` says that the curve cannot be shown. */
  readonly rounded: Float64Array | null
  /** ns relative to the snapshot's epochNs; NaN where the entry has none. Never decreasing except as the file has it. */
  readonly time: Float64Array

  readonly figures: AllocatorFigures
}

/**
 * Whether the block-rounded curve is known, and its figures; NaN is "not known".
 * - confirmed: every block that the recording allocated and that is live at its end has the size that the rules give, and every checkpoint agrees.
 * - not-confirmed: shown too, but there was no such block to check.
 * - refuted, unknown: no curve; `endBytes` is told where the segment table has it by itself.
 */
export interface BlockRounded {
  readonly status: 'confirmed' | 'not-confirmed' | 'refuted' | 'unknown'
  /** What it was checked on, or why it is not shown; half a sentence for the screen. */
  readonly reason: string
  /** Live blocks of the recording whose size was compared with the segment table's. */
  readonly checkedBlocks: number
  /** [matched, total] of the `snapshot` entries of the history. */
  readonly checkpoints: readonly [number, number]
  readonly startBytes: number
  readonly peakBytes: number
  readonly endBytes: number
}

/** The figures of the terminal command `snapshot`, one device. See the README of the command for each field's rule. */
export interface AllocatorFigures {
  readonly startActiveBytes: number
  readonly peakActiveBytes: number
  /** Event index of the first maximum; -1 is the start state. */
  readonly peakActiveEvent: number
  readonly endActiveBytes: number
  readonly startAllocatedBytes: number
  readonly peakAllocatedBytes: number
  readonly endAllocatedBytes: number
  readonly startReservedBytes: number
  readonly peakReservedBytes: number
  readonly endReservedBytes: number
  readonly unknownFrees: number
  readonly unknownFreeBytes: number
  readonly liveAtStart: number
  readonly liveAtStartBytes: number
  readonly eventsByAction: Readonly<Record<string, number>>
  /** `{"a,b": reserved bytes}` of segments per pool at the end. */
  readonly pools: Readonly<Record<string, number>>
  /** size: bytes requested; deviceFree: bytes free on the device, null where not stored. */
  readonly ooms: readonly { readonly event: number; readonly size: number; readonly deviceFree: number | null }[]
  /** [matched, total] of `snapshot` entries against the replay. */
  readonly checkpoints: readonly [number, number]
  readonly blockRounded: BlockRounded
  readonly maxStack: number
  readonly entriesWithoutFrames: number
  readonly selfCheck: { readonly ok: boolean; readonly replayBytes: number; readonly tableBytes: number }
  /** Allocs on an address that was still live: the old one was retired. */
  readonly retired: number
}
