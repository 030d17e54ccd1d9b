/** What the queries about events see of an engine: the drawn sources with their tracks and their place in time. Read-only; a new one for each version. */
import type { TrackModel } from '../../../analysis/trace/model'
import type { AllocatorInfo, TimeGroup, TrackInfo } from '../../../shared/api'
import type { SliceRef } from '../../../shared/trace-api'
import { stringAt, type StringTable } from '../../../shared/columns'
import type { SideTable } from '../../../shared/tables'
import type { TraceInfoTable } from '../../../shared/system-tables'
import type { EngineFile } from '../protocol'
import type { EngineDeps } from './engine'
import type { HbmQueries } from './hbm'
import type { Allocator, SnapshotSource, Source } from './sources'

export interface PartTrack {
  /** Id in the view. */
  readonly id: number
  readonly info: TrackInfo
  readonly model: TrackModel
}

/** A source that is drawn: events, samples, or (a memory snapshot) the curves of its allocators. */
export interface Part {
  /** Index in the view (`SourceInfo.index`, `SliceRef.source`). */
  readonly index: number
  readonly group: number
  /** Added to times of the source (ns relative to its table's epoch) to get those of the group. */
  readonly offset: number
  readonly shiftNs: bigint
  readonly source: Source
  readonly strings: StringTable
  /** Without those whose slices stand on another track too (`TrackInfo.derived`); `trackOf` knows these as well. */
  readonly tracks: readonly PartTrack[]
}

export interface EngineContext {
  readonly version: number
  readonly groups: readonly TimeGroup[]
  /** Those with a place in time, in the order of the screen. */
  readonly parts: readonly Part[]
  readonly partOf: (source: number) => Part | null
  readonly trackOf: (id: number) => { readonly part: Part; readonly track: PartTrack } | null
  readonly sides: readonly { readonly file: EngineFile; readonly table: SideTable | TraceInfoTable }[]
  readonly allocators: readonly {
    readonly info: AllocatorInfo
    readonly source: SnapshotSource
    readonly allocator: Allocator
    readonly offset: number
  }[]
  readonly hbm: HbmQueries | null
  readonly deps: EngineDeps
}

/** The drawn event at a position of a track's columns. */
export function refAt(part: Part, track: PartTrack, at: number): SliceRef {
  const m = track.model
  return {
    source: part.index,
    row: m.row[at] as number,
    track: track.id,
    start: (m.start[at] as number) + part.offset,
    duration: m.flags[at] === 0 ? (m.duration[at] as number) : null,
    name: stringAt(part.strings, m.nameId[at] as number),
  }
}
