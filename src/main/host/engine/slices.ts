/** Slices of tracks of several sources as one answer: each source is asked in its own time, the answers are joined in the order of the request. */
import type { TrackModel } from '../../../analysis/trace/model'
import { slicesInStretches } from '../../../analysis/trace/window'
import type { SlicesAnswer } from '../../../shared/api'
import type { StringTable } from '../../../shared/columns'
import { TILE_COLUMNS, tileSpan } from '../../../shared/tiles'

/** A track that is asked for, and what is added to its times to get those of its group. */
export interface TrackQuery {
  readonly strings: StringTable
  readonly track: TrackModel
  readonly offset: number
}

/** A stretch of a track in the time of its group. */
interface GroupStretch extends TrackQuery {
  readonly start: number
  readonly end: number
  readonly width: number
}

/** Slices of the window [start, end), group time, for `width` pixel columns. */
export const slicesOfTracks = (queries: readonly TrackQuery[], start: number, end: number, width: number): Omit<SlicesAnswer, 'version'> =>
  slicesOfStretches(queries.map(q => ({ ...q, start, end, width })))

/** Tiles `first` to `first + count` of each track, track by track. */
export function tilesOfTracks(queries: readonly TrackQuery[], column: number, first: number, count: number): Omit<SlicesAnswer, 'version'> {
  const span = tileSpan(column)
  return slicesOfStretches(
    queries.flatMap(q =>
      Array.from({ length: count }, (_, k) => ({ ...q, start: (first + k) * span, end: (first + k + 1) * span, width: TILE_COLUMNS })),
    ),
  )
}

function slicesOfStretches(stretches: readonly GroupStretch[]): Omit<SlicesAnswer, 'version'> {
  const bySource = new Map<StringTable, number[]>()
  stretches.forEach((q, i) => {
    const list = bySource.get(q.strings)
    if (list) list.push(i)
    else bySource.set(q.strings, [i])
  })
  const parts = [...bySource].map(([strings, at]) => {
    const some = at.map(i => stretches[i] as GroupStretch)
    const part = slicesInStretches(
      { strings },
      some.map(q => ({ track: q.track, start: q.start - q.offset, end: q.end - q.offset, width: q.width })),
    )
    some.forEach(({ offset }, k) => {
      const end = part.trackStart[k + 1] as number
      for (let i = part.trackStart[k] as number; i < end; i++) part.start[i] = (part.start[i] as number) + offset
    })
    return { at, part }
  })
  const only = parts[0]
  if (only && parts.length === 1) return only.part
  return join(stretches.length, parts)
}

interface Part {
  /** Positions in the request of the part's tracks. */
  readonly at: readonly number[]
  readonly part: Omit<SlicesAnswer, 'version'>
}

function join(tracks: number, parts: readonly Part[]): Omit<SlicesAnswer, 'version'> {
  const total = parts.reduce((n, p) => n + p.part.start.length, 0)
  const out = {
    trackStart: new Uint32Array(tracks + 1),
    start: new Float64Array(total),
    duration: new Float64Array(total),
    lane: new Uint16Array(total),
    row: new Uint32Array(total),
    merged: new Uint32Array(total),
    flags: new Uint8Array(total),
    name: new Uint32Array(total),
    category: new Uint32Array(total),
  }
  const names = new Texts()
  const categories = new Texts()
  const maps = parts.map(p => ({ name: p.part.names.map(t => names.id(t)), category: p.part.categories.map(t => categories.id(t)) }))
  const where = new Map<number, { readonly p: number; readonly k: number }>()
  parts.forEach((part, p) => part.at.forEach((i, k) => where.set(i, { p, k })))
  let n = 0
  for (let i = 0; i < tracks; i++) {
    const w = where.get(i)
    if (w) {
      const { part } = parts[w.p] as Part
      const from = part.trackStart[w.k] as number
      const to = part.trackStart[w.k + 1] as number
      for (const key of ['start', 'duration', 'lane', 'row', 'merged', 'flags'] as const) out[key].set(part[key].subarray(from, to), n)
      const map = maps[w.p] as (typeof maps)[number]
      for (let k = from; k < to; k++, n++) {
        out.name[n] = map.name[part.name[k] as number] as number
        out.category[n] = map.category[part.category[k] as number] as number
      }
    }
    out.trackStart[i + 1] = n
  }
  return { ...out, names: names.list, categories: categories.list }
}

class Texts {
  readonly list: string[] = []
  readonly #ids = new Map<string, number>()

  id(text: string): number {
    let id = this.#ids.get(text)
    if (id === undefined) this.#ids.set(text, (id = this.list.push(text) - 1))
    return id
  }
}
