/**
 * What makes questions about an HBM cheap however many events it has, made once with the model: maxima and minima of the total over blocks of blocks, the categories at every so
 * many events, and how long the allocations of blocks live. Plain columns, so that it moves between threads with the model.
 */
import { NO_CATEGORY, type HbmIndex, type HbmModel } from './model'

/** Entries of a block; block k of a level stands for entries 8 k to 8 k + 7 of the level below. */
export const BLOCK_BITS = 3
const BLOCK = 1 << BLOCK_BITS

/** Events between two checkpoints at least; more where there are many categories, so that checkpoints take no more room than the events. */
const SPAN = 32

/** A model with its index. */
export const withIndex = (m: Omit<HbmModel, 'index'>): HbmModel => ({ ...m, index: indexOf(m) })

function indexOf(m: Omit<HbmModel, 'index'>): HbmIndex {
  const to = m.allocations?.to ?? new Int32Array(0)
  return {
    // No time is before the one at the begin of its block.
    times: levels(m.time, a => a),
    high: levels(m.total, (a, b) => (b > a ? b : a)),
    low: levels(m.total, (a, b) => (b < a ? b : a)),
    ...checkpoints(m),
    // One that lives at the end (-1) lives longest.
    ends: levels(
      to.map(e => (e < 0 ? 0x7fffffff : e)),
      (a, b) => (b > a ? b : a),
    ),
  }
}

function levels<T extends Float64Array | Int32Array>(values: T, better: (a: number, b: number) => number): T[] {
  const out: T[] = []
  for (let below = values; below.length > BLOCK;) {
    const level = new (values.constructor as new (n: number) => T)((below.length + BLOCK - 1) >> BLOCK_BITS)
    for (let k = 0; k < level.length; k++) {
      const end = Math.min(below.length, (k + 1) << BLOCK_BITS)
      let best = below[k << BLOCK_BITS]
      for (let i = (k << BLOCK_BITS) + 1; i < end; i++) best = better(best, below[i])
      level[k] = best
    }
    out.push(level)
    below = level
  }
  return out
}

function checkpoints(m: Omit<HbmModel, 'index'>): Pick<HbmIndex, 'span' | 'states'> {
  const n = m.categories.length
  const span = Math.max(SPAN, n)
  const { events } = m
  if (!events || n === 0) return { span, states: new Float64Array(0) }
  const width = stateWidth(m)
  const states = new Float64Array(width * (Math.floor(m.count / span) + 1))
  const now = new Float64Array(width)
  m.categories.forEach((c, i) => {
    now[i] = c.startBytes
    if (width > n) now[n + i] = c.startBytes
  })
  for (let i = 0; i <= m.count; i += span) {
    states.set(now, (i / span) * width)
    stepStates(m, now, i, Math.min(m.count, i + span))
  }
  return { span, states }
}

/** Figures of a checkpoint: bytes of each category, and where the recording frees what was there before it, what is left of that. */
export const stateWidth = (m: Pick<HbmModel, 'categories' | 'allocations'>): number =>
  (m.allocations && m.allocations.startCount > 0 ? 2 : 1) * m.categories.length

/** Events `from` to `to` in the figures of a checkpoint. */
export function stepStates(m: Omit<HbmModel, 'index'>, now: Float64Array, from: number, to: number): void {
  const { events, allocations } = m
  if (!events) return
  const n = m.categories.length
  const { category, categoryTotal, allocation } = events
  const freed = now.length > n ? allocations : null
  for (let i = from; i < to; i++) {
    const c = category[i]
    if (c === NO_CATEGORY) continue
    now[c] = categoryTotal[i]
    if (freed === null) continue
    const a = allocation[i]
    if (a >= 0 && a < freed.startCount) now[n + c] = Math.max(0, now[n + c] - freed.size[a])
  }
}

/** Highest and lowest total of ranges of events. */
export class Extremes {
  readonly #total: Float64Array
  readonly #high: readonly Float64Array[]
  readonly #low: readonly Float64Array[]
  max = NaN
  min = NaN
  /** First event that has the highest total. */
  at = -1

  constructor(m: HbmModel) {
    this.#total = m.total
    this.#high = m.index.high
    this.#low = m.index.low
  }

  /** Of events `from` to `to`, which must not be empty. */
  find(from: number, to: number): void {
    let high = this.#total
    let low = this.#total
    let [a, b] = [from, to]
    let min = Infinity
    // The best of the entries on the left, and of those on the right, which are all behind them, with where to look for it. Math.max does not guess which one is larger.
    let left = -Infinity
    let leftLevel = -1
    let leftFrom = from
    let right = -Infinity
    let rightLevel = -1
    let rightFrom = from
    for (let level = -1; ; level++) {
      if (level >= 0) {
        high = this.#high[level]
        low = this.#low[level]
      }
      const whole = level + 1 < this.#high.length && b - a > 2 * BLOCK
      const stop = whole ? (a + BLOCK - 1) & ~(BLOCK - 1) : b
      let best = -Infinity
      for (let i = a; i < stop; i++) {
        best = Math.max(best, high[i])
        min = Math.min(min, low[i])
      }
      if (best > left) {
        left = best
        leftLevel = level
        leftFrom = a
      }
      if (!whole) break
      const tail = b & ~(BLOCK - 1)
      best = -Infinity
      for (let i = tail; i < b; i++) {
        best = Math.max(best, high[i])
        min = Math.min(min, low[i])
      }
      // Entries of this level are before those of the levels below.
      if (tail < b && best >= right) {
        right = best
        rightLevel = level
        rightFrom = tail
      }
      a = stop >> BLOCK_BITS
      b = tail >> BLOCK_BITS
    }
    const behind = right > left
    const max = behind ? right : left
    let at = behind ? rightFrom : leftFrom
    for (let level = behind ? rightLevel : leftLevel; ; level--) {
      const values = level < 0 ? this.#total : this.#high[level]
      while (values[at] !== max) at++
      if (level < 0) break
      at <<= BLOCK_BITS
    }
    this.max = max
    this.min = min
    this.at = at
  }
}

/**
 * Allocations that are live after event `state`, ascending. They are made in order, so those that were made until then are the first ones; among them the blocks of which none
 * lives longer are passed over.
 */
export function liveAllocations(m: HbmModel, state: number): Uint32Array {
  const a = m.allocations
  if (!a || state < 0 || !m.events) return new Uint32Array(0)
  let lo = 0
  let hi = a.count
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (a.from[mid] <= state) lo = mid + 1
    else hi = mid
  }
  const out = new Uint32Array(m.events.live[state])
  const { to } = a
  const { ends } = m.index
  let n = 0
  const visit = (level: number, from: number, end: number): void => {
    if (level < 0) {
      for (let k = from; k < end; k++) if (to[k] < 0 || to[k] > state) out[n++] = k
      return
    }
    const blocks = ends[level]
    const last = ((lo - 1) >> (BLOCK_BITS * level)) + 1
    for (let k = from; k < end; k++) if (blocks[k] > state) visit(level - 1, k << BLOCK_BITS, Math.min(last, (k + 1) << BLOCK_BITS))
  }
  if (lo > 0) visit(ends.length - 1, 0, ((lo - 1) >> (BLOCK_BITS * ends.length)) + 1)
  return out
}
