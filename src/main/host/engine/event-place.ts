/** Where the event of a row stands. */
import { placeOfSystemRow } from '../../../analysis/system/details'
import { placeOfRow } from '../../../analysis/trace/details'
import { RequestError } from '../../../shared/api'
import type { EngineContext, Part, PartTrack } from './context'

export interface EventPlace {
  readonly part: Part
  readonly track: PartTrack
  /** Position in the track's columns. */
  readonly at: number
}

/** The track that holds a row of a source, and where. RequestError when no track shows it. */
export function eventPlace(context: EngineContext, source: number, row: number): EventPlace {
  const part = context.partOf(source)
  const of = part?.source
  const place =
    of?.kind === 'chrome-trace'
      ? placeOfRow(of.table, of.model, row)
      : of?.kind === 'system'
        ? placeOfSystemRow(of.table, of.model, row)
        : null
  const track = part?.tracks.find(t => t.model === place?.track)
  if (!part || !place || !track) throw new RequestError('This event is not there (any more).')
  return { part, track, at: place.at }
}
