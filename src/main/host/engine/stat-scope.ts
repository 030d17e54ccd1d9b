/** The complete slices of a time group as statistics walk through them; made once per version of the engine's tables, whoever asks first. */
import type { Asked, Counted } from '../../../analysis/trace/stats/groups'
import { buildScope, type StatScope, type StatTrack } from '../../../analysis/trace/stats/scope'
import { systemTrackLabel } from '../../../analysis/system/details'
import { trackLabel } from '../../../analysis/trace/details'
import { RequestError } from '../../../shared/api'
import type { SliceRef } from '../../../shared/trace-api'
import { refAt, type EngineContext, type Part, type PartTrack } from './context'
import { Turn } from './lanes'

/** sync: threads, streams and cores, which statistics count. async: operations of b and e events. */
export type StatKind = 'sync' | 'async'

export interface GroupScope {
  readonly scope: StatScope
  /** By number of the track in the scope. */
  readonly places: readonly { readonly part: Part; readonly track: PartTrack }[]
}

const kept = new WeakMap<EngineContext, Map<string, Promise<GroupScope>>>()

/** The scope of a group. Questions that come while it is being made wait for it. RequestError for a group that is not there. */
export function groupScope(context: EngineContext, group: number, kind: StatKind = 'sync'): Promise<GroupScope> {
  if (!context.groups[group]) throw new RequestError('This time range is not there (any more).')
  let all = kept.get(context)
  if (!all) kept.set(context, (all = new Map()))
  const key = `${group} ${kind}`
  let one = all.get(key)
  if (!one) all.set(key, (one = make(context, group, kind)))
  return one
}

async function make(context: EngineContext, group: number, kind: StatKind): Promise<GroupScope> {
  const places = context.parts
    .filter(p => p.group === group)
    .flatMap(part =>
      part.tracks
        .filter(({ model }) => model.kind === 'slices' && (model.role === 'async') === (kind === 'async'))
        .map(track => ({ part, track })),
    )
  const labels = distinct(places)
  const tracks = places.map(({ part, track }, t): StatTrack => {
    const { origin } = track.model
    return {
      model: track.model,
      strings: part.strings,
      offset: part.offset,
      label: labels[t],
      category: part.source.kind === 'system' ? (origin === undefined || origin === 'runtime' ? 'source not known' : origin) : null,
    }
  })
  return { scope: await buildScope(tracks, new Turn()), places }
}

/** As lists and the terminal call a track; where several are called the same, with their file. */
function distinct(places: GroupScope['places']): readonly string[] {
  const plain = places.map(({ part, track }) => labelOf(part, track))
  const times = (list: readonly string[]): Map<string, number> => {
    const n = new Map<string, number>()
    for (const l of list) n.set(l, (n.get(l) ?? 0) + 1)
    return n
  }
  const once = times(plain)
  const withFile = plain.map((l, i) => ((once.get(l) ?? 0) > 1 ? `${l} (${places[i].part.source.file.path})` : l))
  const twice = times(withFile)
  const nth = new Map<string, number>()
  return withFile.map(l => {
    if ((twice.get(l) ?? 0) < 2) return l
    const k = (nth.get(l) ?? 0) + 1
    nth.set(l, k)
    return `${l} #${k}`
  })
}

export const labelOf = (part: Part, track: PartTrack): string =>
  part.source.kind === 'system' ? systemTrackLabel(track.model) : trackLabel(track.model)

/**
 * What a question asks of each track of the scope; null: everything. A track that repeats slices of others stands for these slices, so that nothing is counted twice.
 * RequestError for a track that is not there.
 */
export function askedTracks(context: EngineContext, { places }: GroupScope, ids: readonly number[] | null): readonly Asked[] | null {
  if (!ids) return null
  const whole = new Set<number>()
  const rows = new Map<Part, Uint8Array>()
  for (const id of ids) {
    const found = context.trackOf(id)
    if (!found) throw new RequestError(`Track ${id} is not there (any more).`)
    const { part, track } = found
    if (!track.model.derived) whole.add(id)
    else {
      let marked = rows.get(part)
      if (!marked) rows.set(part, (marked = new Uint8Array('count' in part.source.table ? part.source.table.count : 0)))
      for (const row of track.model.row) marked[row] = 1
    }
  }
  return places.map(({ part, track }) => whole.has(track.id) || (rows.get(part) ?? false))
}

export function refOf({ places }: GroupScope, { track, at }: Counted): SliceRef {
  const place = places[track]
  return refAt(place.part, place.track, at)
}
