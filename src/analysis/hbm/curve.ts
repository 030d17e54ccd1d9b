/** Reading a model at its states: which state stands at a time, and the bytes of each category in it. Checkpoints make any state a short walk away. */
import { BLOCK_BITS, stateWidth, stepStates } from './index-of'
import type { HbmModel } from './model'

/** Last event at or before a time; -1 before the first: nothing is known there. Beyond `until` nothing is known either, see `isKnown`. */
export const stateAt = (m: HbmModel, time: number): number => firstAfter(m, time) - 1

/** First event at or after a time; `count` where there is none. */
export function firstAt(m: HbmModel, time: number): number {
  const { times } = m.index
  let i = 0
  // From blocks of blocks down to events, the first entry that is not before the time; the block before it may end at or after it. Each entry of a block is looked at in turn:
  // jumping among few costs more.
  for (let level = times.length - 1; level >= 0; level--) {
    i = before(times[level], i, time)
    i = (i > 0 ? i - 1 : 0) << BLOCK_BITS
  }
  return before(m.time, i, time)
}

/** First entry from `i` on that is not before a time. */
function before(times: Float64Array, i: number, time: number): number {
  while (i < times.length && times[i] < time) i++
  return i
}

/** First event later than a time; `count` where there is none. */
export function firstAfter(m: HbmModel, time: number): number {
  const { times } = m.index
  let i = 0
  for (let level = times.length - 1; level >= 0; level--) {
    i = upTo(times[level], i, time)
    i = (i > 0 ? i - 1 : 0) << BLOCK_BITS
  }
  return upTo(m.time, i, time)
}

function upTo(times: Float64Array, i: number, time: number): number {
  while (i < times.length && times[i] <= time) i++
  return i
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
