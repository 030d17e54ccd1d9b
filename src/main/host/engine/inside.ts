/** In which call of the framework trace something happened, found by time only. */
import { innermostSliceAt } from '../../../analysis/trace/details'
import type { AllocationDetails } from '../../../shared/api'
import type { Place } from './engine'
import type { TraceSource } from './sources'

/**
 * The innermost slice that covers `time` (group time) in the trace that stands for `rank`: the only trace of the group, or the one that says that rank.
 * null when no slice covers it, and when several traces could be meant: a guess would name a call of another process.
 */
export function insideSlice(
  traces: readonly { readonly source: TraceSource; readonly place: Place }[],
  rank: number,
  time: number,
): AllocationDetails['inside'] {
  const meant = traces.length > 1 ? traces.filter(t => (t.source.table.rank ?? t.source.file.rank) === rank) : traces
  const only = meant[0]
  if (!only || meant.length > 1 || only.place.offset === null) return null
  const slice = innermostSliceAt(only.source.model, only.source.table, time - only.place.offset)
  return slice && { name: slice.name, track: slice.track, source: only.place.index, row: slice.row }
}
