/** Reading a model at its states: which state stands at a time, and the bytes of each category in it. Checkpoints make any state a short walk away. */
import { NO_CATEGORY, type HbmModel } from './model'

/** Events between two checkpoints. */
const SPAN = 128

interface Checkpoints {
  /** Per checkpoint k (before event k * SPAN): bytes of each category, then what is left of its start state. */
  readonly values: Float64Array
}
const cache = new WeakMap<HbmModel, Checkpoints>()

function checkpoints(m: HbmModel): Checkpoints {
  let c = cache.get(m)
  if (c) return c
  const width = 2 * m.categories.length
  const values = new Float64Array(width * (Math.floor(m.count / SPAN) + 1))
  const now = begin(m)
  for (let i = 0; i <= m.count; i++) {
    if (i % SPAN === 0) values.set(now, (i / SPAN) * width)
    if (i < m.count) step(m, i, now)
  }
  cache.set(m, (c = { values }))
  return c
}

function begin(m: HbmModel): Float64Array {
  const n = m.categories.length
  const now = new Float64Array(2 * n)
  m.categories.forEach((c, i) => (now[i] = now[n + i] = c.startBytes))
  return now
}

function step(m: HbmModel, i: number, now: Float64Array): void {
  const e = m.events
  if (!e || e.category[i] === NO_CATEGORY) return
  const c = e.category[i]
  now[c] = e.categoryTotal[i]
  const a = e.allocation[i]
  if (a >= 0 && m.allocations && a < m.allocations.startCount) {
    const left = m.categories.length + c
    now[left] = Math.max(0, now[left] - m.allocations.size[a])
  }
}

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

/** First event at or after a time; `count` where there is none. */
export function firstAt(m: HbmModel, time: number): number {
  let lo = 0
  let hi = m.count
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (m.time[mid] < time) lo = mid + 1
    else hi = mid
  }
  return lo
}

export const isKnown = (m: HbmModel, time: number): boolean => m.count > 0 && time >= m.time[0] && time <= m.until

export const inGap = (m: HbmModel, time: number): boolean => m.gaps.some(g => time >= g.start && time < g.end)

/**
 * Bytes of each category after event `state` into `bytes`, and into `start` what is left of those of before the recording; NaN where not told.
 * `state` must be an event.
 */
export function categoriesAt(m: HbmModel, state: number, bytes: Float64Array, start: Float64Array): void {
  const n = m.categories.length
  if (m.usage) {
    for (let c = 0; c < n; c++) {
      bytes[c] = m.usage[c][state]
      start[c] = NaN
    }
    return
  }
  const { values } = checkpoints(m)
  const k = Math.floor((state + 1) / SPAN)
  const now = values.slice(k * 2 * n, (k + 1) * 2 * n)
  for (let i = k * SPAN; i <= state; i++) step(m, i, now)
  for (let c = 0; c < n; c++) {
    bytes[c] = now[c]
    start[c] = m.categories[c].startKnown ? now[n + c] : NaN
  }
}
