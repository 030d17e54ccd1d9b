/** Answers of the engine made ready for drawing: one piece per track, lanes found, styles decided once. No copy of the big columns is made. */
import type { CounterAnswer, SlicesAnswer } from '../../shared/api'
import { styleOf } from './style'

/** The stretch of time that an answer covers and how fine it is. ns relative to the group's origin. */
export interface Fetched {
  readonly start: number
  readonly end: number
  /** Pixel columns that were asked for. */
  readonly columns: number
}

/** Slices of one track, ordered by lane, then start. Columns as in `SlicesAnswer`. */
export interface SliceColumns extends Fetched {
  readonly version: number
  readonly count: number
  /** `laneStart[l] .. laneStart[l + 1]` are the slices of lane l. */
  readonly laneStart: Uint32Array
  readonly from: Float64Array
  readonly duration: Float64Array
  readonly row: Uint32Array
  readonly merged: Uint32Array
  readonly flags: Uint8Array
  readonly name: Uint32Array
  readonly category: Uint32Array
  readonly style: Uint8Array
  readonly names: readonly string[]
  readonly categories: readonly string[]
  /** For tracks with instants: index of the last slice (not instant) of the lane at or before i, -1 where there is none; null without instants. */
  readonly sliceBefore: Int32Array | null
}

export const FLAG_SLICE = 0
export const FLAG_INSTANT = 1
/** A slice without an end (B without E). */
export const FLAG_OPEN_END = 2
export const FLAG_OPEN_START = 3

/** Pairs of name and category whose style is looked up in a table rather than in a map. */
const DENSE = 1 << 16

/** Takes a `trace.slices` answer apart; one entry per requested track, in the order of the request. */
export function splitSlices(answer: SlicesAnswer, fetched: Fetched): readonly SliceColumns[] {
  const n = answer.start.length
  const style = new Uint8Array(n)
  const kinds = Math.max(1, answer.categories.length)
  /** Style + 1 by name and category; an answer has few of both and very many slices. */
  const memo = new Map<number, number>()
  const table = new Uint8Array(Math.min(DENSE, Math.max(1, answer.names.length) * kinds))
  for (let i = 0; i < n; i++) {
    const key = answer.name[i] * kinds + answer.category[i]
    let s = key < table.length ? table[key] : memo.get(key)
    if (!s) {
      s = 1 + styleOf(answer.names[answer.name[i]] ?? '', answer.categories[answer.category[i]] ?? '')
      if (key < table.length) table[key] = s
      else memo.set(key, s)
    }
    style[i] = s - 1
  }
  return Array.from({ length: Math.max(0, answer.trackStart.length - 1) }, (_, t) => {
    const a = answer.trackStart[t]
    const b = answer.trackStart[t + 1]
    const lanes: number[] = [0]
    let hasInstants = false
    for (let i = a; i < b; i++) {
      while (lanes.length <= answer.lane[i]) lanes.push(i - a)
      if (answer.flags[i] === FLAG_INSTANT) hasInstants = true
    }
    lanes.push(b - a)
    const laneStart = Uint32Array.from(lanes)
    const flags = answer.flags.subarray(a, b)
    return {
      start: fetched.start,
      end: fetched.end,
      columns: fetched.columns,
      version: answer.version,
      count: b - a,
      laneStart,
      from: answer.start.subarray(a, b),
      duration: answer.duration.subarray(a, b),
      row: answer.row.subarray(a, b),
      merged: answer.merged.subarray(a, b),
      flags,
      name: answer.name.subarray(a, b),
      category: answer.category.subarray(a, b),
      style: style.subarray(a, b),
      names: answer.names,
      categories: answer.categories,
      sliceBefore: hasInstants ? slicesBefore(flags, laneStart) : null,
    }
  })
}

export function slicesBefore(flags: Uint8Array, laneStart: Uint32Array): Int32Array {
  const out = new Int32Array(flags.length)
  for (let l = 0; l + 1 < laneStart.length; l++) {
    let last = -1
    for (let i = laneStart[l]; i < laneStart[l + 1]; i++) {
      if (flags[i] !== FLAG_INSTANT) last = i
      out[i] = last
    }
  }
  return out
}

/** First slice or instant of a lane that may reach into a window that begins at `t`. Slices of a lane don't overlap each other. */
export function firstFrom(c: SliceColumns, lane: number, t: number): number {
  const lo = c.laneStart[lane]
  const i = lowerBound(c.from, t, lo, c.laneStart[lane + 1])
  if (i === lo) return i
  const before = c.sliceBefore ? c.sliceBefore[i - 1] : i - 1
  return before < 0 ? i : before
}

export interface CounterColumns extends Fetched {
  readonly version: number
  readonly min: Float64Array
  readonly max: Float64Array
  readonly last: Float64Array
  /** Average of each column; absent or null where the answer has none. */
  readonly mean?: Float64Array | null
}

/** Takes a `trace.counter` answer apart, in the order of the request. */
export const splitCounters = (answer: CounterAnswer, fetched: Fetched): readonly CounterColumns[] =>
  answer.last.map((last, i) => ({
    start: fetched.start,
    end: fetched.end,
    columns: fetched.columns,
    version: answer.version,
    min: answer.min[i],
    max: answer.max[i],
    last,
    mean: answer.mean?.[i] ?? null,
  }))

/** First index in [lo, hi) whose value is not below `x`. */
export function lowerBound(a: Float64Array, x: number, lo: number, hi: number): number {
  while (lo < hi) {
    const m = (lo + hi) >> 1
    if (a[m] < x) lo = m + 1
    else hi = m
  }
  return lo
}

/** End of a slice on the axis: an unfinished one whose end is not told goes to the end of the stretch. */
export const endOf = (c: SliceColumns, i: number): number =>
  c.from[i] + (Number.isFinite(c.duration[i]) ? c.duration[i] : c.end - c.from[i])

/** Nanoseconds of one pixel column of the stretch. */
export const columnNs = (c: Fetched): number => (c.end - c.start) / c.columns

/** Where a slice is drawn: what stands for several merged slices fills its whole column. */
export function drawnSpan(c: SliceColumns, i: number): readonly [from: number, to: number] {
  const from = c.from[i]
  const to = endOf(c, i)
  const column = columnNs(c)
  if (c.merged[i] <= 1 || to - from >= column) return [from, to]
  const a = c.start + Math.floor((from - c.start) / column) * column
  return [a, Math.max(to, a + column)]
}

/** Index of the slice with this row of the source's table, -1 where it is not there (outside the stretch, or merged into another). */
export const indexOfRow = (c: SliceColumns, row: number): number => c.row.indexOf(row)

/** Lane of a slice by its index. */
export function laneOf(c: SliceColumns, index: number): number {
  let lane = 0
  while (lane + 2 < c.laneStart.length && c.laneStart[lane + 1] <= index) lane++
  return lane
}

/** Least and greatest value that a counter may have at a position; equal where the value is known, NaN where nothing is. */
export interface CounterSpan {
  readonly low: number
  readonly high: number
  /** Average over the pixel column; NaN where it is not told. */
  readonly mean: number
}

/** What a counter may be at a time: the values of its pixel column, the one carried into it included. The answer doesn't tell where in the column each holds. */
export function counterAt(c: CounterColumns, t: number): CounterSpan {
  if (t < c.start || t >= c.end) return { low: NaN, high: NaN, mean: NaN }
  const i = Math.min(Math.floor(((t - c.start) / (c.end - c.start)) * c.columns), c.last.length - 1)
  return { low: c.min[i] ?? NaN, high: c.max[i] ?? NaN, mean: c.mean?.[i] ?? NaN }
}
