/**
 * The events of a window as sequences in order of time, one per lane, pair list, counter and list of flows. Nothing is copied of lanes; only begins and ends that have to be
 * told one by one are listed.
 */
import { mergeSort } from '../../../../analysis/trace/lanes'
import type { TrackModel } from '../../../../analysis/trace/model'
import { firstVisible, lowerBound } from '../../../../analysis/trace/window'
import type { Part, PartTrack } from '../context'

export const SLICE = 0
export const BEGIN = 1
export const END = 2
export const COUNT = 3
export const FLOW = 4

/** Events of one place by time. */
export interface Cursor {
  readonly part: Part
  /** null: flows, which stand on the threads of their rows. */
  readonly track: PartTrack | null
  /** Positions in the track's columns (counter: in its samples; flows: rows of the table), and what each is. */
  readonly at: (k: number) => number
  readonly kind: (k: number) => number
  readonly count: number
  /** Time of the group. */
  readonly time: (k: number) => number
  next: number
}

/** Stretches of a track's lanes that touch [start, end), the time of the source. */
export function stretches(m: TrackModel, start: number, end: number): readonly (readonly [from: number, to: number])[] {
  if (m.kind !== 'slices') return []
  const out: (readonly [number, number])[] = []
  for (let lane = 0; lane < m.depth; lane++) {
    const from = firstVisible(m, lane, start)
    const to = lowerBound(m.start, from, m.laneStart[lane + 1] as number, end)
    if (to > from) out.push([from, to])
  }
  return out
}

/** Slices of one lane. */
export const laneCursor = (part: Part, track: PartTrack, from: number, to: number): Cursor => ({
  part,
  track,
  count: to - from,
  at: k => from + k,
  kind: () => SLICE,
  time: k => (track.model.start[from + k] as number) + part.offset,
  next: 0,
})

/** Samples of a counter in [start, end), and the one before, whose value holds at the start. `gaps`: samples without a value, which are not among them. */
export function counterCursor(
  part: Part,
  track: PartTrack,
  start: number,
  end: number,
): { readonly cursor: Cursor | null; readonly gaps: number } {
  const { time, value } = track.model
  const to = lowerBound(time, 0, time.length, end)
  let from = lowerBound(time, 0, to, start)
  if (from > 0 && (from === to || (time[from] as number) > start)) from--
  const at = Uint32Array.from({ length: to - from }, (_, k) => from + k).filter(i => Number.isFinite(value[i]))
  const cursor: Cursor = {
    part,
    track,
    count: at.length,
    at: k => at[k] as number,
    kind: () => COUNT,
    time: k => (time[at[k] as number] as number) + part.offset,
    next: 0,
  }
  return { cursor: at.length > 0 ? cursor : null, gaps: to - from - at.length }
}

/** Most slices that are listed as begins and ends: no answer holds more. */
const MAX_LISTED = 1 << 20

/**
 * Begins and ends of a track whose slices are pairs of events (B/E, or b/e of async ids), one by one, in an order in which a reader that pairs them by nesting finds the same
 * slices: each tree of slices from its root on, then by time, ties as they came. `beyond`: events of the latest slices, which no answer would have room for.
 */
export function pairsCursor(
  part: Part,
  track: PartTrack,
  all: readonly (readonly [number, number])[],
  isPair: (at: number) => boolean,
): { readonly cursor: Cursor; readonly beyond: number } {
  const m = track.model
  const spans = earliest(m, all)
  const positions = new Uint32Array(spans.reduce((n, [a, b]) => n + b - a, 0))
  let n = 0
  for (const [a, b] of spans) for (let p = a; p < b; p++) positions[n++] = p
  let beyond = 0
  all.forEach(([, end], i) => {
    for (let p = (spans[i] as readonly [number, number])[1]; p < end; p++) beyond += m.flags[p] === 0 && isPair(p) ? 2 : 1
  })
  // Async ids run side by side: each root is a stack of its own. The slices of a thread have one.
  const roots = m.role === 'async' ? rootsOf(m, positions) : new Uint32Array(n)
  // What begins at one time stands in the order of the file: outer begins before inner ones, ends that end nothing before what begins after them.
  const byStart = (p: number, q: number): number =>
    (m.start[p] as number) - (m.start[q] as number) || (m.row[p] as number) - (m.row[q] as number)
  const order = mergeSort(
    n,
    (i, j) => byStart(roots[i] as number, roots[j] as number) || byStart(positions[i] as number, positions[j] as number),
  )
  const at = new Uint32Array(2 * n)
  const kind = new Uint8Array(2 * n)
  const times = new Float64Array(2 * n)
  let count = 0
  const add = (p: number, k: number, t: number): void => {
    at[count] = p
    kind[count] = k
    times[count++] = t
  }
  const stack: number[] = []
  const close = (): void => {
    const p = stack.pop() as number
    if (m.flags[p] === 0) add(p, END, (m.start[p] as number) + (m.duration[p] as number))
  }
  let root = -1
  for (const i of order) {
    const p = positions[i] as number
    if (roots[i] !== root) while (stack.length > 0) close()
    root = roots[i] as number
    while (stack.length > 0 && !isWithin(m, p, stack[stack.length - 1] as number)) close()
    if (m.flags[p] === 1 || m.flags[p] === 3 || !isPair(p)) add(p, SLICE, m.start[p] as number)
    else {
      add(p, BEGIN, m.start[p] as number)
      stack.push(p)
    }
  }
  while (stack.length > 0) close()
  // Ids that run side by side meet at one time: what ends there, then ends that end nothing, then the rest, as cursors are merged.
  const rank = (k: number): number => {
    if (m.role !== 'async') return 0
    const p = at[k] as number
    return kind[k] === END && (m.start[p] as number) < (times[k] as number) ? 0 : m.flags[p] === 3 ? 1 : 2
  }
  const byTime = mergeSort(count, (a, b) => (times[a] as number) - (times[b] as number) || rank(a) - rank(b))
  const cursor: Cursor = {
    part,
    track,
    count,
    at: k => at[byTime[k] as number] as number,
    kind: k => kind[byTime[k] as number] as number,
    time: k => (times[byTime[k] as number] as number) + part.offset,
    next: 0,
  }
  return { cursor, beyond }
}

/** The spans up to a time before which at most MAX_LISTED slices begin. */
function earliest(m: TrackModel, all: readonly (readonly [number, number])[]): readonly (readonly [number, number])[] {
  const until = (t: number): readonly (readonly [number, number])[] => all.map(([a, b]) => [a, lowerBound(m.start, a, b, t)] as const)
  const size = (spans: readonly (readonly [number, number])[]): number => spans.reduce((n, [a, b]) => n + b - a, 0)
  if (size(all) <= MAX_LISTED) return all
  let lo = Math.min(...all.map(([a]) => m.start[a] as number))
  let hi = Math.max(...all.map(([, b]) => m.start[b - 1] as number))
  for (let k = 0; k < 64 && lo < hi; k++) {
    const mid = lo + (hi - lo) / 2
    if (size(until(mid)) <= MAX_LISTED) lo = mid
    else hi = mid
  }
  return until(lo)
}

function isWithin(m: TrackModel, p: number, outer: number): boolean {
  for (let q = m.parent[p] as number; q >= 0; q = m.parent[q] as number) if (q === outer) return true
  return false
}

function rootsOf(m: TrackModel, positions: Uint32Array): Uint32Array {
  return positions.map(p => {
    let root = p
    while ((m.parent[root] as number) >= 0) root = m.parent[root] as number
    return root
  })
}

/** Rows of a trace by their times. */
export function flowCursor(part: Part, rows: readonly number[]): Cursor | null {
  if (part.source.kind !== 'chrome-trace' || rows.length === 0) return null
  const { ts } = part.source.table
  const order = mergeSort(rows.length, (a, b) => (ts[rows[a] as number] as number) - (ts[rows[b] as number] as number))
  const row = (k: number): number => rows[order[k] as number] as number
  return { part, track: null, count: rows.length, at: row, kind: () => FLOW, time: k => (ts[row(k)] as number) + part.offset, next: 0 }
}

/**
 * Cursors by the time of their next event. Of equal times ends come first, then ends that end nothing, then the rest as given: the slices of one async id stand on several
 * tracks, and what ends there must not end what begins there.
 */
export class Merge {
  readonly #heap: number[] = []
  readonly #cursors: readonly Cursor[]
  readonly #time: Float64Array

  constructor(cursors: readonly Cursor[]) {
    this.#cursors = cursors
    this.#time = Float64Array.from(cursors, c => c.time(0))
    cursors.forEach((_, i) => this.#up(this.#heap.push(i) - 1))
  }

  /** The cursor whose turn it is; null at the end. The caller takes its event and calls `advance`. */
  get first(): Cursor | null {
    const i = this.#heap[0]
    return i === undefined ? null : (this.#cursors[i] as Cursor)
  }

  advance(): void {
    const i = this.#heap[0] as number
    const c = this.#cursors[i] as Cursor
    c.next++
    if (c.next < c.count) this.#time[i] = c.time(c.next)
    else {
      const last = this.#heap.pop() as number
      if (this.#heap.length === 0) return
      this.#heap[0] = last
    }
    this.#down(0)
  }

  #before(a: number, b: number): boolean {
    const d = (this.#time[a] as number) - (this.#time[b] as number)
    if (d !== 0) return d < 0
    const rank = this.#rank(a) - this.#rank(b)
    return rank < 0 || (rank === 0 && a < b)
  }

  #rank(i: number): number {
    const c = this.#cursors[i] as Cursor
    const kind = c.kind(c.next)
    if (kind === END) return 0
    return kind === SLICE && c.track?.model.flags[c.at(c.next)] === 3 ? 1 : 2
  }

  #up(k: number): void {
    const h = this.#heap
    while (k > 0) {
      const p = (k - 1) >> 1
      if (!this.#before(h[k] as number, h[p] as number)) return
      ;[h[k], h[p]] = [h[p] as number, h[k] as number]
      k = p
    }
  }

  #down(k: number): void {
    const h = this.#heap
    for (;;) {
      let least = k
      for (const c of [2 * k + 1, 2 * k + 2]) if (c < h.length && this.#before(h[c] as number, h[least] as number)) least = c
      if (least === k) return
      ;[h[k], h[least]] = [h[least] as number, h[k] as number]
      k = least
    }
  }
}
