/**
 * What a view asks of tracks: the slices of a time window, at most one per pixel column and lane. Answers are bounded by the screen, and so is the
 * time to make them: what lies within one column is jumped over.
 */
import type { SlicesAnswer } from '../../shared/api'
import { stringAt, type StringTable } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import type { TrackModel } from './model'
import { argMax, pyramidOf } from './range-max'

/** Entries looked at one by one before jumping. */
const NEAR = 24

/** Positions that a query chose and how many slices each stands for; reused between queries, grown when a screen needs more. */
let chosen = new Uint32Array(8192)
let stands = new Uint32Array(8192)

/** A stretch of a track that is asked for. */
export interface Stretch {
  readonly track: TrackModel
  readonly start: number
  readonly end: number
  /** Pixel columns. */
  readonly width: number
}

/**
 * Slices of `tracks` that touch `[start, end)`, for `width` pixel columns. Times are ns relative to the table's epoch, in and out.
 *
 * A slice is visible when it begins before `end` and ends after `start` (or begins at or after it: slices of length 0 and instants). Slices at
 * least a column wide are answered one by one. Of the narrower ones that begin in the same column of the same lane, the longest (first of equals)
 * stands for all of them and `merged` says how many; one that begins before the window stands by itself, so that windows side by side say together what
 * one over both says. Tracks that hold no slices (counters) answer nothing.
 */
export const slicesInWindow = (
  table: Pick<TraceTable, 'strings'>,
  tracks: readonly TrackModel[],
  start: number,
  end: number,
  width: number,
): Omit<SlicesAnswer, 'version'> =>
  slicesInStretches(
    table,
    tracks.map(track => ({ track, start, end, width })),
  )

/** The same for stretches of their own each; `trackStart` has one entry per stretch and the end. */
export function slicesInStretches(table: Pick<TraceTable, 'strings'>, stretches: readonly Stretch[]): Omit<SlicesAnswer, 'version'> {
  const tracks = stretches.map(s => s.track)
  const trackStart = new Uint32Array(stretches.length + 1)
  const laneEnds: number[] = []
  let n = 0
  stretches.forEach(({ track, start, end, width }, t) => {
    // One entry per lane also where nothing can be seen: what is copied below goes by them.
    if (track.kind === 'slices')
      for (let lane = 0; lane < track.depth; lane++)
        laneEnds.push((n = end > start && width > 0 ? chooseInLane(track, lane, start, end, width, n) : n))
    trackStart[t + 1] = n
  })
  const out = {
    trackStart,
    start: new Float64Array(n),
    duration: new Float64Array(n),
    lane: new Uint16Array(n),
    row: new Uint32Array(n),
    merged: stands.slice(0, n),
    flags: new Uint8Array(n),
    name: new Uint32Array(n),
    category: new Uint32Array(n),
  }
  const names = new LocalStrings(table.strings)
  const categories = new LocalStrings(table.strings)
  let l = 0
  let from = 0
  for (const track of tracks) {
    if (track.kind !== 'slices') continue
    for (let lane = 0; lane < track.depth; lane++) {
      const to = laneEnds[l++]
      copyLane(track, lane, from, to, out)
      from = to
    }
  }
  names.map(tracks, trackStart, 'nameId', out.name)
  categories.map(tracks, trackStart, 'categoryId', out.category)
  return { ...out, names: names.texts(), categories: categories.texts() }
}

/** Copies what was chosen in one lane to the columns of the answer. */
function copyLane(
  track: TrackModel,
  lane: number,
  from: number,
  to: number,
  out: { start: Float64Array; duration: Float64Array; lane: Uint16Array; row: Uint32Array; flags: Uint8Array },
): void {
  const { start, duration, row, flags } = track
  out.lane.fill(lane, from, to)
  for (let k = from; k < to; k++) {
    const i = chosen[k]
    out.start[k] = start[i]
    out.duration[k] = duration[i]
    out.row[k] = row[i]
    out.flags[k] = flags[i]
  }
}

/** Chooses the slices of one lane that are answered, from place `used` of `chosen` on; returns the new end. */
function chooseInLane(track: TrackModel, lane: number, t0: number, t1: number, width: number, used: number): number {
  const { start, duration } = track
  const from = firstVisible(track, lane, t0)
  const to = lowerBound(start, from, track.laneStart[lane + 1], t1)
  if (from >= to) return used
  const room = used + Math.min(to - from, 2 * width + 4)
  if (room > chosen.length) {
    const grow = (old: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> => {
      const bigger = new Uint32Array(2 * room)
      bigger.set(old.subarray(0, used))
      return bigger
    }
    chosen = grow(chosen)
    stands = grow(stands)
  }
  const ids = chosen
  const counts = stands
  const px = (t1 - t0) / width
  let n = used
  /** End of the column of the last narrow slice. */
  let edge = t0
  for (let i = from; i < to;) {
    let best = i
    let longest = duration[i]
    let next = i + 1
    if (longest < px) {
      const s = start[i]
      if (s >= edge) edge = s < edge + px ? edge + px : t0 + (Math.floor((s - t0) / px) + 1) * px
      const near = next + NEAR < to ? next + NEAR : to
      while (next < near && start[next] < edge) {
        const d = duration[next]
        if (d >= px) break
        if (d > longest) {
          longest = d
          best = next
        }
        next++
      }
      if (next === near && next < to && start[next] < edge) {
        // Only the last slice that begins in a column can be as wide as one.
        const first = next
        next = gallop(start, next, to, edge)
        if (duration[next - 1] >= px) next--
        if (next > first) {
          const far = argMax(duration, pyramidOf(duration), first, next)
          if (duration[far] > longest) best = far
        }
      }
    }
    ids[n] = best
    counts[n++] = next - i
    i = next
  }
  return n
}

/** First position of the lane that is visible from `t` on: ends after it, or begins at or after it. Within a lane starts and ends ascend. */
export function firstVisible(track: TrackModel, lane: number, t: number): number {
  const { start, duration, laneStart } = track
  let a = laneStart[lane]
  let b = laneStart[lane + 1]
  while (a < b) {
    const m = (a + b) >>> 1
    if (start[m] >= t || start[m] + duration[m] > t) b = m
    else a = m + 1
  }
  return a
}

/** First position in [a, b) with a value of at least `t`; b when there is none. */
export function lowerBound(values: Float64Array, a: number, b: number, t: number): number {
  while (a < b) {
    const m = (a + b) >>> 1
    if (values[m] >= t) b = m
    else a = m + 1
  }
  return a
}

/** The same for a boundary that is probably near. */
function gallop(values: Float64Array, from: number, to: number, t: number): number {
  let step = 32
  let a = from
  let b = from + step
  while (b < to && values[b] < t) {
    a = b
    step *= 2
    b = a + step
  }
  return lowerBound(values, a, Math.min(b, to), t)
}

/** Decoded strings of a table, and a scratch column from its ids to those of an answer. */
const decoded = new WeakMap<StringTable, { readonly texts: Map<number, string>; readonly local: Int32Array }>()

/** Numbers the strings of one answer. */
class LocalStrings {
  readonly #strings: StringTable
  readonly #shared: { readonly texts: Map<number, string>; readonly local: Int32Array }
  readonly #ids: number[] = []

  constructor(strings: StringTable) {
    this.#strings = strings
    let shared = decoded.get(strings)
    // One more entry at the front, for "absent" (-1).
    if (!shared) decoded.set(strings, (shared = { texts: new Map(), local: new Int32Array(strings.offsets.length) }))
    this.#shared = shared
  }

  /** Fills `out` with local numbers of the strings of what was chosen. */
  map(tracks: readonly TrackModel[], trackStart: Uint32Array, column: 'nameId' | 'categoryId', out: Uint32Array): void {
    const { local } = this.#shared
    const ids = this.#ids
    tracks.forEach((track, t) => {
      const of = track[column]
      for (let k = trackStart[t]; k < trackStart[t + 1]; k++) {
        const id = of[chosen[k]] + 1
        let at = local[id]
        if (at === 0) {
          ids.push(id)
          at = local[id] = ids.length
        }
        out[k] = at - 1
      }
    })
    for (const id of ids) local[id] = 0
  }

  /** The strings by local number; '' for absent ones. */
  texts(): readonly string[] {
    const { texts } = this.#shared
    return this.#ids.map(id => {
      let text = texts.get(id)
      if (text === undefined) texts.set(id, (text = stringAt(this.#strings, id - 1)))
      return text
    })
  }
}
