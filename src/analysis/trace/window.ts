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

/** Reused between queries; grown when a screen needs more. */
class Scratch {
  capacity = 0
  start = new Float64Array(0)
  duration = new Float64Array(0)
  lane = new Uint16Array(0)
  row = new Uint32Array(0)
  merged = new Uint32Array(0)
  flags = new Uint8Array(0)

  reserve(used: number, more: number): void {
    if (used + more <= this.capacity) return
    const n = (this.capacity = Math.max(4096, 2 * (used + more)))
    const start = new Float64Array(n)
    start.set(this.start.subarray(0, used))
    this.start = start
    const duration = new Float64Array(n)
    duration.set(this.duration.subarray(0, used))
    this.duration = duration
    const lane = new Uint16Array(n)
    lane.set(this.lane.subarray(0, used))
    this.lane = lane
    const row = new Uint32Array(n)
    row.set(this.row.subarray(0, used))
    this.row = row
    const merged = new Uint32Array(n)
    merged.set(this.merged.subarray(0, used))
    this.merged = merged
    const flags = new Uint8Array(n)
    flags.set(this.flags.subarray(0, used))
    this.flags = flags
  }
}
const scratch = new Scratch()

/**
 * Slices of `tracks` that touch `[start, end)`, for `width` pixel columns. Times are ns relative to the table's epoch, in and out.
 *
 * A slice is visible when it begins before `end` and ends after `start` (or begins at or after it: slices of length 0 and instants). Slices at
 * least a column wide are answered one by one. Of the narrower ones that begin in the same column of the same lane, the longest (first of equals)
 * stands for all of them and `merged` says how many. Tracks that hold no slices (counters) answer nothing.
 */
export function slicesInWindow(
  table: TraceTable,
  tracks: readonly TrackModel[],
  start: number,
  end: number,
  width: number,
): Omit<SlicesAnswer, 'version'> {
  const trackStart = new Uint32Array(tracks.length + 1)
  let n = 0
  if (end > start && width > 0)
    tracks.forEach((track, t) => {
      if (track.kind === 'slices')
        for (let lane = 0; lane < track.depth; lane++) n = laneInWindow(track, lane, start, end, (end - start) / width, width, n)
      trackStart[t + 1] = n
    })
  const row = scratch.row.slice(0, n)
  const name = new Uint32Array(n)
  const category = new Uint32Array(n)
  const names = localStrings(table.strings, table.name, row, name)
  const categories = localStrings(table.strings, table.cat, row, category)
  return {
    trackStart,
    start: scratch.start.slice(0, n),
    duration: scratch.duration.slice(0, n),
    lane: scratch.lane.slice(0, n),
    row,
    merged: scratch.merged.slice(0, n),
    flags: scratch.flags.slice(0, n),
    name,
    category,
    names,
    categories,
  }
}

/** Appends the visible slices of one lane to the scratch columns; returns the new length. */
function laneInWindow(track: TrackModel, lane: number, t0: number, t1: number, px: number, width: number, used: number): number {
  const { start, duration } = track
  const from = firstVisible(track, lane, t0)
  const to = lowerBound(start, from, track.laneStart[lane + 1], t1)
  if (from >= to) return used
  scratch.reserve(used, Math.min(to - from, 2 * width + 4))
  const outStart = scratch.start
  const outDuration = scratch.duration
  const outLane = scratch.lane
  const outRow = scratch.row
  const outMerged = scratch.merged
  const outFlags = scratch.flags
  const { row, flags } = track
  let n = used
  let column = -1
  for (let i = from; i < to; ) {
    let best = i
    let longest = duration[i]
    let next = i + 1
    if (longest < px) {
      column = Math.max(column + 1, Math.floor((start[i] - t0) / px), 0)
      const edge = t0 + (column + 1) * px
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
    outStart[n] = start[best]
    outDuration[n] = duration[best]
    outLane[n] = lane
    outRow[n] = row[best]
    outMerged[n] = next - i
    outFlags[n] = flags[best]
    n++
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

/** Decoded strings of a table and a scratch column from its ids to those of an answer. */
interface Local {
  readonly texts: Map<number, string>
  readonly local: Int32Array
}
const locals = new WeakMap<StringTable, Local>()

/** Fills `out` with indices into the returned list, one for each row's string; absent strings are ''. */
function localStrings(strings: StringTable, column: Int32Array, rows: Uint32Array, out: Uint32Array): readonly string[] {
  let l = locals.get(strings)
  // One more entry at the front, for "absent" (-1).
  if (!l) locals.set(strings, (l = { texts: new Map(), local: new Int32Array(strings.offsets.length) }))
  const { texts, local } = l
  const ids: number[] = []
  for (let i = 0; i < rows.length; i++) {
    const id = column[rows[i]] + 1
    let at = local[id]
    if (at === 0) {
      ids.push(id)
      at = local[id] = ids.length
    }
    out[i] = at - 1
  }
  return ids.map(id => {
    local[id] = 0
    let text = texts.get(id)
    if (text === undefined) texts.set(id, (text = stringAt(strings, id - 1)))
    return text
  })
}
