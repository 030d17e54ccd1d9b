/** Reading a model at its states: which state stands at a time, and the bytes of each category in it. Checkpoints make any state a short walk away. */
import { stateWidth, stepStates } from './index-of'
import type { HbmModel } from './model'

/** Last event at or before a time; -1 before the first: nothing is known there. Beyond `until` nothing is known either, see `isKnown`. */
export function stateAt(m: HbmModel, time: number): number {
  let lo = 0
  let hi = m.count
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (m.time[mid] <= time) lo = mid + 1
    else hi = mid
  }
  return lo - 1
}

/**
 * First event at or after a time (`after`: later than it), which is no earlier than event `from`; `count` where there is none. Events near `from` are found soonest.
 */
export function firstAt(m: HbmModel, time: number, from = 0, after = false): number {
  const { time: times, count } = m
  let lo = from
  let hi = from
  for (let step = 16; hi < count && (times[hi] < time || (after && times[hi] === time)); step *= 2) {
    lo = hi + 1
    hi += step
  }
  hi = Math.min(hi, count)
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (times[mid] < time || (after && times[mid] === time)) lo = mid + 1
    else hi = mid
  }
  return lo
}

export const isKnown = (m: HbmModel, time: number): boolean => m.count > 0 && time >= m.time[0] && time <= m.until

export const inGap = (m: HbmModel, time: number): boolean => m.gaps.some(g => time >= g.start && time < g.end)

/** Bytes of the categories at one state after another; cheapest where the next is a little later. */
export class Categories {
  readonly #m: HbmModel
  /** After the last state that was read: bytes of each category; NaN where not told. */
  readonly bytes: Float64Array
  /** What is left of those of before the recording; NaN where not told. */
  readonly start: Float64Array
  readonly #now: Float64Array
  readonly #known: Uint8Array
  #state = -2

  constructor(m: HbmModel) {
    this.#m = m
    const n = m.categories.length
    this.bytes = new Float64Array(n)
    this.start = Float64Array.from(m.categories, c => (m.events && c.startKnown ? c.startBytes : NaN))
    this.#now = new Float64Array(stateWidth(m))
    this.#known = Uint8Array.from(m.categories, c => Number(c.startKnown))
  }

  /** `state` must be an event. */
  read(state: number): void {
    const m = this.#m
    const { bytes, start } = this
    const n = bytes.length
    if (!m.events) {
      for (let c = 0; c < n; c++) bytes[c] = m.usage ? m.usage[c][state] : NaN
      return
    }
    const now = this.#now
    const width = now.length
    const { span, states } = m.index
    const k = Math.floor((state + 1) / span)
    if (this.#state < k * span - 1 || this.#state > state) {
      for (let c = 0, at = k * width; c < width; c++) now[c] = states[at++]
      this.#state = k * span - 1
    }
    stepStates(m, now, this.#state + 1, state + 1)
    this.#state = state
    for (let c = 0; c < n; c++) bytes[c] = now[c]
    if (width > n) for (let c = 0; c < n; c++) start[c] = this.#known[c] === 1 ? now[n + c] : NaN
  }
}
