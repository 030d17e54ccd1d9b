/** Direct children of a slice. */
import { childrenOf } from '../../../analysis/trace/details'
import type { Answers, RequestArgs } from '../../../shared/api'
import { refAt, type EngineContext } from './context'
import { eventPlace } from './event-place'

/** By start, on equal starts the upper one first: what the slice's details count as children, instants and slices with an end missing among them. */
export function traceChildren(context: EngineContext, { source, row, limit }: RequestArgs<'trace.children'>): Answers['trace.children'] {
  const { part, track, at } = eventPlace(context, source, row)
  const { start } = track.model
  const all = [...childrenOf(track.model, at)].sort((a, b) => start[a] - start[b] || a - b)
  return { children: all.slice(0, limit).map(i => refAt(part, track, i)), total: all.length }
}
