/**
 * Tiles of slice tracks as they came from the engine, and how the tiles of a window become the columns that are drawn. Tiles are immutable and kept while there is room,
 * least recently drawn first out; names are numbered once for all of them, so that joining tiles is copying columns.
 */
import type { TilesAnswer } from '../../../shared/api'
import { tileSpan, TILE_COLUMNS } from '../../../shared/tiles'
import { styleOf, type SliceColumns } from '../../../paint/timeline'
import { FLAG_INSTANT, slicesBefore } from '../../../paint/timeline/columns'

/** One tile of one track; columns ordered by lane, then start. What reaches in from the left comes first in its lane. */
export interface Tile {
  /** `TrackInfo.stamp` that it was made for. */
  readonly stamp: number
  readonly laneStart: Uint32Array
  readonly from: Float64Array
  readonly duration: Float64Array
  readonly row: Uint32Array
  readonly merged: Uint32Array
  readonly flags: Uint8Array
  /** Index into `TileStore.names`. */
  readonly name: Uint32Array
  readonly category: Uint32Array
  readonly style: Uint8Array
  readonly instants: boolean
}

/** Entries of all tiles together before the ones drawn longest ago are forgotten: about 100 MB. */
const KEEP_ENTRIES = 2_500_000
/** What an empty tile counts, so that those are bounded too. */
const TILE_COST = 16
/** Distinct names before everything is forgotten: a trace may have a name of its own for each event. */
const KEEP_NAMES = 400_000

export class TileStore {
  readonly #tiles = new Map<string, Tile>()
  readonly #most: number
  #entries = 0
  names: string[] = []
  categories: string[] = []
  #nameIds = new Map<string, number>()
  #categoryIds = new Map<string, number>()

  constructor(most = KEEP_ENTRIES) {
    this.#most = most
  }

  /** Entries that are kept, for tests and the benchmark. */
  get entries(): number {
    return this.#entries
  }

  clear(): void {
    this.#tiles.clear()
    this.#entries = 0
    // New lists: what was drawn with the old ones keeps them.
    this.names = []
    this.categories = []
    this.#nameIds = new Map()
    this.#categoryIds = new Map()
  }

  /** The tile of a track at a column width; does not count as use. */
  get(track: number, column: number, tile: number): Tile | undefined {
    return this.#tiles.get(key(track, column, tile))
  }

  /** Marks tiles as used just now. */
  touch(track: number, column: number, first: number, last: number): void {
    for (let i = first; i <= last; i++) {
      const k = key(track, column, i)
      const tile = this.#tiles.get(k)
      if (!tile) continue
      this.#tiles.delete(k)
      this.#tiles.set(k, tile)
    }
  }

  /** Takes over an answer for `tracks` from tile `first` on. */
  put(answer: TilesAnswer, tracks: readonly number[], column: number, first: number, count: number): void {
    if (this.names.length > KEEP_NAMES) this.clear()
    const names = answer.names.map(t => idOf(t, this.names, this.#nameIds))
    const categories = answer.categories.map(t => idOf(t, this.categories, this.#categoryIds))
    const n = answer.start.length
    const name = new Uint32Array(n)
    const category = new Uint32Array(n)
    const style = new Uint8Array(n)
    const kinds = Math.max(1, answer.categories.length)
    /** Style + 1 by name and category of the answer. */
    const memo = new Map<number, number>()
    let before = -1
    let s = 0
    for (let i = 0; i < n; i++) {
      const pair = answer.name[i] * kinds + answer.category[i]
      if (pair !== before) {
        before = pair
        s = memo.get(pair) ?? 0
        if (s === 0) memo.set(pair, (s = 1 + styleOf(answer.names[answer.name[i]] ?? '', answer.categories[answer.category[i]] ?? '')))
      }
      style[i] = s - 1
      name[i] = names[answer.name[i]]
      category[i] = categories[answer.category[i]]
    }
    tracks.forEach((track, t) => {
      for (let k = 0; k < count; k++) {
        const a = answer.trackStart[t * count + k]
        const b = answer.trackStart[t * count + k + 1]
        const lanes: number[] = [0]
        let instants = false
        for (let i = a; i < b; i++) {
          while (lanes.length <= answer.lane[i]) lanes.push(i - a)
          if (answer.flags[i] === FLAG_INSTANT) instants = true
        }
        lanes.push(b - a)
        this.#set(key(track, column, first + k), {
          stamp: answer.stamps[t],
          laneStart: Uint32Array.from(lanes),
          // Copies, not views: a tile that is kept must not hold the whole answer.
          from: answer.start.slice(a, b),
          duration: answer.duration.slice(a, b),
          row: answer.row.slice(a, b),
          merged: answer.merged.slice(a, b),
          flags: answer.flags.slice(a, b),
          name: name.slice(a, b),
          category: category.slice(a, b),
          style: style.slice(a, b),
          instants,
        })
      }
    })
    this.#forget()
  }

  #set(k: string, tile: Tile): void {
    const old = this.#tiles.get(k)
    if (old) {
      this.#entries -= old.row.length + TILE_COST
      this.#tiles.delete(k)
    }
    this.#tiles.set(k, tile)
    this.#entries += tile.row.length + TILE_COST
  }

  #forget(): void {
    for (const [k, tile] of this.#tiles) {
      if (this.#entries <= this.#most) return
      this.#tiles.delete(k)
      this.#entries -= tile.row.length + TILE_COST
    }
  }

  /** Whether all tiles from `first` to `last` are there, whatever their stamp. */
  has(track: number, column: number, first: number, last: number): boolean {
    for (let i = first; i <= last; i++) if (!this.#tiles.has(key(track, column, i))) return false
    return true
  }

  /** Joins the tiles `first` to `last` that are there. What stands in two tiles is taken from the left one. */
  join(track: number, column: number, first: number, last: number, version: number): SliceColumns {
    const parts: { readonly tile: Tile; readonly follows: boolean; readonly start: number }[] = []
    const span = tileSpan(column)
    for (let i = first, before = false; i <= last; i++) {
      const tile = this.#tiles.get(key(track, column, i))
      if (tile) parts.push({ tile, follows: before, start: i * span })
      before = tile !== undefined
    }
    this.touch(track, column, first, last)
    const lanes = parts.reduce((m, p) => Math.max(m, p.tile.laneStart.length - 1), 0)
    const room = parts.reduce((n, p) => n + p.tile.row.length, 0)
    const out = {
      from: new Float64Array(room),
      duration: new Float64Array(room),
      row: new Uint32Array(room),
      merged: new Uint32Array(room),
      flags: new Uint8Array(room),
      name: new Uint32Array(room),
      category: new Uint32Array(room),
      style: new Uint8Array(room),
    }
    const laneStart = new Uint32Array(lanes + 1)
    let n = 0
    for (let lane = 0; lane < lanes; lane++) {
      for (const { tile, follows, start } of parts) {
        if (lane + 1 >= tile.laneStart.length) continue
        let a = tile.laneStart[lane]
        const b = tile.laneStart[lane + 1]
        // Slices of a lane don't overlap: at most one reaches in, and the tile on the left has it.
        if (follows) while (a < b && tile.from[a] < start) a++
        if (a === b) continue
        for (const c of ['from', 'duration'] as const) out[c].set(tile[c].subarray(a, b), n)
        for (const c of ['row', 'merged', 'name', 'category'] as const) out[c].set(tile[c].subarray(a, b), n)
        for (const c of ['flags', 'style'] as const) out[c].set(tile[c].subarray(a, b), n)
        n += b - a
      }
      laneStart[lane + 1] = n
    }
    const flags = out.flags.subarray(0, n)
    return {
      start: first * span,
      end: (last + 1) * span,
      columns: (last - first + 1) * TILE_COLUMNS,
      version,
      count: n,
      laneStart,
      from: out.from.subarray(0, n),
      duration: out.duration.subarray(0, n),
      row: out.row.subarray(0, n),
      merged: out.merged.subarray(0, n),
      flags,
      name: out.name.subarray(0, n),
      category: out.category.subarray(0, n),
      style: out.style.subarray(0, n),
      names: this.names,
      categories: this.categories,
      sliceBefore: parts.some(p => p.tile.instants) ? slicesBefore(flags, laneStart) : null,
    }
  }
}

const key = (track: number, column: number, tile: number): string => `${track}/${column}/${tile}`

function idOf(text: string, list: string[], ids: Map<string, number>): number {
  let id = ids.get(text)
  if (id === undefined) ids.set(text, (id = list.push(text) - 1))
  return id
}
