/** Where the states of a replay stand on an axis: see `picture.ts`. */
import type { Axis } from '../../shared/api'
import type { AllocatorModel } from './model'

/** States -1 .. events - 1 on an axis, never decreasing. */
export interface Positions {
  /** Position of the first state; NaN where no event has a time. */
  readonly first: number
  /** Time axis: time of the last event (included). Event axis: `events` (excluded, see `open`). */
  readonly last: number
  /** Whether `last` itself is outside the recorded range. */
  readonly open: boolean
  readonly at: (state: number) => number
  /** First state whose position is >= p; `events` where there is none. */
  readonly lowerBound: (p: number) => number
  /** First state whose position is > p. */
  readonly upperBound: (p: number) => number
}

const monotone = new WeakMap<AllocatorModel, Float64Array>()

/**
 * Times of the events as a running maximum: an event without a time, or one that steps back, takes the latest time before it; events before the
 * first time take that one. All NaN where no event has a time. The model's own column where it needs no change.
 */
export function monotoneTime(model: AllocatorModel): Float64Array {
  const known = monotone.get(model)
  if (known) return known
  const { time } = model
  let ok = true
  for (let i = 0; i < time.length && ok; i++) ok = i === 0 ? time[0] === time[0] : time[i] >= time[i - 1]
  let out = time
  if (!ok) {
    out = new Float64Array(time.length)
    let latest = time.find(t => !Number.isNaN(t)) ?? NaN
    for (let i = 0; i < time.length; i++) {
      if (time[i] > latest) latest = time[i]
      out[i] = latest
    }
  }
  monotone.set(model, out)
  return out
}

export function positions(model: AllocatorModel, axis: Axis): Positions {
  const n = model.events
  if (axis === 'event') {
    const clamp = (p: number): number => Math.min(n, Math.max(-1, p))
    return {
      first: -1,
      last: n,
      open: true,
      at: i => i,
      lowerBound: p => clamp(Math.ceil(p)),
      upperBound: p => clamp(Math.floor(p) + 1),
    }
  }
  const time = monotoneTime(model)
  const first = n > 0 ? time[0] : NaN
  const search = (p: number, inclusive: boolean): number => {
    // State -1 stands at the first event's time.
    if (!(first < p || (inclusive && first === p))) return -1
    let lo = 0
    let hi = n
    while (lo < hi) {
      const mid = (lo + hi) >>> 1
      if (time[mid] < p || (inclusive && time[mid] === p)) lo = mid + 1
      else hi = mid
    }
    return lo
  }
  return {
    first,
    last: n > 0 ? time[n - 1] : NaN,
    open: false,
    at: i => (i < 0 ? first : time[i]),
    lowerBound: p => search(p, false),
    upperBound: p => search(p, true),
  }
}

/** State at a position: the last one at or before it, -1 before the first event (the rule of the terminal command `at`). */
export function stateAt(model: AllocatorModel, axis: Axis, at: number): number {
  return Math.max(-1, positions(model, axis).upperBound(at) - 1)
}
