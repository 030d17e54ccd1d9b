/** Which columns of a track are drawn now: its tiles at the scale of the window, or, while those are on their way, the best that is there, stretched. */
import type { TrackInfo } from '../../../shared/api'
import type { SliceColumns } from '../../../paint/timeline'
import { tileAt, tileSpan } from '../../../shared/tiles'
import type { Span } from './fetchWindow'
import type { TileStore } from './tiles'

/** Tiles of a window at the scale of the screen. */
export interface Want {
  readonly column: number
  readonly first: number
  readonly last: number
}

/** Tiles of the part of a window where there can be data; at least one. */
export function tilesOf(window: Span, extent: Span, column: number): Want {
  const first = tileAt(Math.min(Math.max(window.start, extent.start), extent.end), column)
  const end = Math.max(Math.min(window.end, extent.end), extent.start)
  // A tile that only begins where the window ends is not in it.
  const last = Math.max(first, Math.ceil(end / tileSpan(column)) - 1)
  return { column, first, last }
}

interface Shown extends Want {
  readonly columns: SliceColumns
  /** All of its tiles were there. */
  readonly whole: boolean
}

/** How much coarser tiles may be to be drawn in place of those that are missing: 2^24 times, which is every scale of a trace. */
const COARSER = 24

export class Drawn {
  readonly columns = new Map<number, SliceColumns>()
  readonly #store: TileStore
  readonly #shown = new Map<number, Shown>()
  /** Tracks of which tiles have come since they were joined. */
  readonly #fresh = new Set<number>()

  constructor(store: TileStore) {
    this.#store = store
  }

  clear(): void {
    this.columns.clear()
    this.#shown.clear()
    this.#fresh.clear()
  }

  /** Tiles of this track have come: where they stand in for older ones that are drawn, the columns are joined anew. */
  arrived(track: number, column: number, first: number, count: number): void {
    const now = this.#shown.get(track)
    if (now?.column === column && first <= now.last && first + count > now.first) this.#fresh.add(track)
  }

  /** Decides what of a track is drawn for the window. Cheap while that stays the same. */
  choose(track: number, want: Want, version: number): void {
    const now = this.#shown.get(track)
    const fresh = this.#fresh.delete(track)
    if (now?.whole && !fresh && now.column === want.column && now.first <= want.first && now.last >= want.last) return
    if (this.#store.has(track, want.column, want.first, want.last)) return this.#show(track, this.#widened(track, want), true, version)
    // Something is missing. What is drawn stays while it covers the window; else a coarser scale that does, else what there is of this one.
    const start = want.first * tileSpan(want.column)
    const end = (want.last + 1) * tileSpan(want.column)
    if (now?.whole && now.columns.start <= start && now.columns.end >= end) return
    for (let k = 1; k <= COARSER; k++) {
      const column = want.column * 2 ** k
      const coarse = { column, first: tileAt(start, column), last: Math.ceil(end / tileSpan(column)) - 1 }
      if (this.#store.has(track, column, coarse.first, coarse.last)) return this.#show(track, coarse, true, version)
    }
    if (!now || fresh) {
      let any = false
      for (let i = want.first; i <= want.last; i++) any ||= this.#store.get(track, want.column, i) !== undefined
      if (any) this.#show(track, want, false, version)
    }
  }

  /** Forgets the columns of tracks that are neither in sight nor near; their tiles stay. */
  keep(...lists: readonly (readonly TrackInfo[])[]): void {
    const ids = new Set(lists.flat().map(t => t.id))
    for (const id of this.#shown.keys()) {
      if (ids.has(id)) continue
      this.#shown.delete(id)
      this.columns.delete(id)
    }
  }

  /** The same with up to as many tiles on each side, where they are there: a pan then needs no new join at once. */
  #widened(track: number, { column, first, last }: Want): Want {
    const more = last - first + 1
    let [a, b] = [first, last]
    while (a > first - more && this.#store.get(track, column, a - 1)) a--
    while (b < last + more && this.#store.get(track, column, b + 1)) b++
    return { column, first: a, last: b }
  }

  #show(track: number, want: Want, whole: boolean, version: number): void {
    const columns = this.#store.join(track, want.column, want.first, want.last, version)
    this.#shown.set(track, { ...want, columns, whole })
    this.columns.set(track, columns)
  }
}
