/** What the chain is built of and what comes out: columns over all events of the sources, and the links between them in both directions. */
import type { Pausing } from '../../shared/pausing'
import type { SystemTable } from '../../shared/system-tables'
import type { FrameworkMappingTable, TraceTable } from '../../shared/tables'
import type { LinkBy } from '../../shared/trace-api'

/** The columns of a drawn track that nesting and times are read from (TrackModel has them): lanes one after the other, each sorted by start. */
export interface ChainTrack {
  readonly role: string
  readonly pid: string
  readonly tid: string
  readonly depth: number
  readonly laneStart: Uint32Array
  /** ns relative to the epoch of its source's table. */
  readonly start: Float64Array
  readonly duration: Float64Array
  readonly row: Uint32Array
  /** 0 slice, 1 instant, 2 without an end, 3 without a start. */
  readonly flags: Uint8Array
  /** Position of the enclosing slice; -1 at the top. */
  readonly parent: Int32Array
}

export interface ChainSource {
  readonly table: TraceTable | SystemTable
  readonly tracks: readonly ChainTrack[]
  /** Process of the session, for events that name none; '' where nothing tells. */
  readonly pid: string
}

export interface ChainInput {
  readonly sources: readonly ChainSource[]
  readonly mappings: readonly FrameworkMappingTable[]
}

/** Long work lets others run; `pause` answers whether it is not wanted any more. */
export type Breath = Pausing

// Where an event stands. Links lead from a lower number to a higher one, or stay; but from hardware to what of the runtime began after it.
export const L_NONE = 0
export const L_FRAMEWORK = 1
export const L_STREAM = 2
export const L_RUNTIME = 3
export const L_HARDWARE = 4
/** Of the runtime's trace, host or device not known: linked with nothing. */
export const L_UNKNOWN = 5

export const LINKS_BY: readonly LinkBy[] = [
  'flow',
  'sequence',
  'framework-mapping',
  'parent',
  'tracking',
  'name-and-order',
  'model',
  'exec',
  'correlation',
]
export const BY_FLOW = 0
export const BY_SEQUENCE = 1
export const BY_MAPPING = 2
export const BY_PARENT = 3
export const BY_TRACKING = 4
export const BY_EXEC = 7
export const BY_CORRELATION = 8

// Bits of a link besides its `by`.
/** The value is a string id of the source that the link comes from. */
export const VALUE_TEXT = 16
/** There is no value: one event encloses the other. */
export const VALUE_NONE = 32
export const INFERRED = 64

/** The events of one source: nodes `base .. base + count` are its rows. */
export interface GraphSource extends ChainSource {
  readonly base: number
  readonly count: number
  /** Position of the first slice of each track among those of all sources. */
  readonly trackBase: Uint32Array
  /** What the file has at all, for reasons. */
  readonly facts: SourceFacts
}

export interface SourceFacts {
  /** Events that stand on streams, and on the hardware. */
  streams: number
  hardware: number
  runtime: number
  /** Flow events, and those that could be bound to a slice. */
  flows: number
  boundFlows: number
  /** Flow ids that were left out: more events carry them than one flow has. */
  crowdedFlows: number
  /** Events with an NRT sequence id (or, in exports, a flow id). */
  sequences: number
}

/** A node is an event: the base of its source plus its row. */
export interface ChainGraph {
  readonly sources: readonly GraphSource[]
  readonly count: number
  readonly layer: Uint8Array
  /** Index into `processes`; 0: not known. */
  readonly process: Uint16Array
  readonly processes: readonly string[]
  /** Position of the node's slice over the tracks of all sources; -1: on none. */
  readonly position: Int32Array
  /** Links by the node that they come from: `downStart[i] .. downStart[i + 1]`. */
  readonly downStart: Uint32Array
  readonly to: Uint32Array
  readonly from: Uint32Array
  /** Index into LINKS_BY in the lower four bits, then VALUE_TEXT, VALUE_NONE, INFERRED. */
  readonly by: Uint8Array
  /** Value of a link, two halves each. */
  readonly value: Uint32Array
  /** Links by the node that they lead to: `upLink[upStart[i] .. upStart[i + 1]]` are their numbers. */
  readonly upStart: Uint32Array
  readonly upLink: Uint32Array
  /** Ids that more events carry than can belong together: nothing is linked by them. */
  readonly crowded: number
  /** Entries of a framework mapping that were used, and those that were not because no operator or several fit. */
  readonly mapped: number
  readonly unmapped: number
}
