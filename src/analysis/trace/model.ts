/**
 * Tracks of a Chrome trace: rows of the table arranged by track and nesting level, sorted for windows.
 */

/**
 * runtime: of the runtime's trace, but whether from the host or the hardware is not known. host: samples of CPU and memory. hbm: device memory. transfer: copies between host
 * and device. pytorch: bytes of the caching allocator.
 */
export type TrackOrigin = 'framework' | 'neuron_rt' | 'neuron_hw' | 'runtime' | 'host' | 'hbm' | 'transfer' | 'pytorch'

/** Where all events of a track happened, as far as the file tells and it is one place. */
export interface TrackPlace {
  readonly instance?: string
  /** Neuron device (ND). */
  readonly device?: number
  /** Logical and physical NeuronCore. */
  readonly nc?: number
  readonly core?: number
  readonly worker?: number
  readonly thread?: string
}

export interface TrackModel {
  /** Index within the source. */
  readonly index: number
  readonly kind: 'slices' | 'counter'
  /** core: events of the runtime or the hardware on a NeuronCore. */
  readonly role: 'thread' | 'stream' | 'async' | 'counter' | 'core'
  /** Where the events come from; absent: the framework. */
  readonly origin?: TrackOrigin
  /** The beginning is lost (overwritten in the ring buffer): before this time nothing is known. Absent or null: nothing is missing. */
  readonly knownFrom?: number | null
  readonly place?: TrackPlace
  /** Its slices stand on another track of the source too. */
  readonly derived?: boolean
  /** Shown only where rows go by thread, or only where they do not; absent: always. */
  readonly arranged?: 'by-thread' | 'by-core'
  readonly pid: string
  readonly tid: string
  readonly processName: string
  readonly processLabels: string
  /** `TID:0`, `Stream:7`, name of the counter or the async group. */
  readonly name: string
  readonly note: string
  readonly depth: number
  readonly events: number

  // ── slices and instants: lanes one after the other, each sorted by start ──
  /** `laneStart[l] .. laneStart[l + 1]` index the columns below; length depth + 1. */
  readonly laneStart: Uint32Array
  readonly start: Float64Array
  /** ns; 0 for instants. */
  readonly duration: Float64Array
  /** Row of the trace table. */
  readonly row: Uint32Array
  /** String ids of the row's name and category, -1 absent: copies of the table's columns in this order, so that a query reads memory in sequence. */
  readonly nameId: Int32Array
  readonly categoryId: Int32Array
  /** 0 slice, 1 instant, 2 slice without an end (drawn to the end of the track, or of the slice around it), 3 slice without a start (length 0, at its end). */
  readonly flags: Uint8Array
  /** Column index of the parent slice; -1 at the top. */
  readonly parent: Int32Array

  // ── counter: sorted by time ──
  readonly time: Float64Array
  readonly value: Float64Array
  readonly min: number
  readonly max: number
}

export interface StepModel {
  readonly name: string
  readonly start: number
  readonly duration: number
  readonly row: number
}

export interface TraceModel {
  readonly tracks: readonly TrackModel[]
  readonly steps: readonly StepModel[]
  /** First start and last end over all events with `ts` except phase M, ns relative to the table's epochNs; null without any. */
  readonly range: readonly [number, number] | null
  /** Events that stand on no track, by reason (for the diagnostics). Metadata (M) and flows (s, t, f) are no events of a track and are not counted here. */
  readonly skipped: Readonly<Record<string, number>>
  /** Begin events without an end (flag 2) and end events without a begin (flag 3), which are on their tracks. */
  readonly unmatched: { readonly begins: number; readonly ends: number }
  /** Row of the first of each in file order; -1 for none. */
  readonly firstUnmatched?: { readonly begin: number; readonly end: number }
}
