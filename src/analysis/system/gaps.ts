/**
 * Where a NeuronCore stood idle: stretches between its hardware events. A gap has an event that ended before it and one that began after it; before the first and after the last
 * event of a core, and before what a ring buffer has lost, nothing is known and nothing is a gap. Where one end of an event is missing, the time next to it is not known either:
 * a start without its stop may have run until the next event began, a stop without its start may have begun when the event before ended.
 */
import { mergeSort } from '../trace/lanes'
import type { TrackModel } from '../trace/model'
import type { Pausing } from '../../shared/pausing'
import { lowerBound } from '../trace/window'

/** Idle stretches of one core over its whole recording, by start. Times as those of its track. */
export interface CoreIdle {
  readonly start: Float64Array
  readonly end: Float64Array
  /** Positions in the track's columns of the event that ended at `start` and of the one that begins at `end`. */
  readonly before: Uint32Array
  readonly after: Uint32Array
  /** Disjoint stretches in which something ran, by start, and ns of them before each (one more entry: all). */
  readonly busy: Stretches
  /** Disjoint stretches between events of which nothing is known. */
  readonly unknown: Stretches
  /** First and last time that is known; null where the core has no event that tells. */
  readonly known: readonly [number, number] | null
}

export interface Stretches {
  readonly start: Float64Array
  readonly end: Float64Array
  readonly sum: Float64Array
}

const STRIDE = 1 << 14
const kept = new WeakMap<TrackModel, CoreIdle>()

/** Made once per track; n log n at worst, linear where lanes are few. Null when it was given up. */
export async function coreIdle(track: TrackModel, pausing: Pausing): Promise<CoreIdle | null> {
  let idle = kept.get(track)
  if (!idle) {
    const made = await build(track, pausing)
    if (!made) return null
    kept.set(track, (idle = made))
  }
  return idle
}

async function build(track: TrackModel, pausing: Pausing): Promise<CoreIdle | null> {
  const { start, duration, flags } = track
  const rows = tellingEvents(track)
  if (pausing.due && (await pausing.pause())) return null
  // A stop without its start comes before what begins at the same time: it may have run until then.
  const order = mergeSort(
    rows.length,
    (a, b) => start[rows[a]] - start[rows[b]] || Number(flags[rows[b]] === 3) - Number(flags[rows[a]] === 3),
  )
  const gaps = { start: [] as number[], end: [] as number[], before: [] as number[], after: [] as number[] }
  const busy = new Spans()
  const unknown = new Spans()
  /** Latest end so far and the event that has it; -Infinity before the first. */
  let until = -Infinity
  let last = -1
  /** A start without its stop since then. */
  let open = false
  let first = Infinity
  for (let k = 0; k < order.length; k++) {
    const i = rows[order[k]]
    const flag = flags[i]
    const at = start[i]
    if (k === 0) first = at
    if (at > until && last >= 0) {
      // What ends at `at` without a start may have run since `until`.
      if (open || flag === 3) unknown.add(until, at)
      else {
        gaps.start.push(until)
        gaps.end.push(at)
        gaps.before.push(last)
        gaps.after.push(i)
      }
      open = false
    }
    const end = flag === 0 ? at + duration[i] : at
    if (flag === 0) busy.add(at, end)
    if (flag === 2) open = true
    if (end >= until) {
      until = end
      last = i
    }
    if (k % STRIDE === STRIDE - 1 && pausing.due && (await pausing.pause())) return null
  }
  return {
    start: Float64Array.from(gaps.start),
    end: Float64Array.from(gaps.end),
    before: Uint32Array.from(gaps.before),
    after: Uint32Array.from(gaps.after),
    busy: busy.done(),
    unknown: unknown.done(),
    known: until > first ? [first, until] : null,
  }
}

/** Positions of the events that tell when the core ran, lane by lane: slices of some length that no complete slice encloses, and halves. */
function tellingEvents({ flags, duration, parent }: TrackModel): Uint32Array {
  const tells = (i: number): boolean => {
    if (flags[i] === 1 || (flags[i] === 0 && !(duration[i] > 0))) return false
    // A stop at the very start of another slice stands below that, and still tells of the time before.
    if (flags[i] === 3) return true
    const p = parent[i]
    return p < 0 || flags[p] !== 0
  }
  let n = 0
  for (let i = 0; i < flags.length; i++) if (tells(i)) n++
  const out = new Uint32Array(n)
  for (let i = 0, k = 0; k < n; i++) if (tells(i)) out[k++] = i
  return out
}

/** Disjoint stretches, made of ones that come by start. */
class Spans {
  readonly #start: number[] = []
  readonly #end: number[] = []

  add(start: number, end: number): void {
    const last = this.#end.length - 1
    if (last >= 0 && start <= this.#end[last]) this.#end[last] = Math.max(this.#end[last], end)
    else if (end > start) {
      this.#start.push(start)
      this.#end.push(end)
    }
  }

  done(): Stretches {
    const sum = new Float64Array(this.#start.length + 1)
    for (let i = 0; i < this.#start.length; i++) sum[i + 1] = sum[i] + this.#end[i] - this.#start[i]
    return { start: Float64Array.from(this.#start), end: Float64Array.from(this.#end), sum }
  }
}

/** ns of [from, to) that the stretches cover. */
export function coveredBetween(s: Stretches, from: number, to: number): number {
  return to > from ? coveredUntil(s, to) - coveredUntil(s, from) : 0
}

function coveredUntil(s: Stretches, t: number): number {
  const i = lowerBound(s.start, 0, s.start.length, t)
  return i === 0 ? 0 : s.sum[i - 1] + Math.min(t, s.end[i - 1]) - s.start[i - 1]
}

/** A gap, cut to the range that is asked about. */
export interface IdleGap {
  readonly start: number
  readonly end: number
  readonly before: number
  readonly after: number
}

export interface IdleInRange {
  /** By start, at least `least` long. */
  readonly gaps: readonly IdleGap[]
  /** ns; busy and idle add up to known. */
  readonly busyNs: number
  readonly idleNs: number
  readonly knownNs: number
  readonly known: readonly [number, number] | null
}

/** Gaps of one core in [from, to), ns of its track. `knownFrom`: before it everything is lost. Gaps are cut to the range, shorter ones than `least` are in the sums only. */
export function idleInRange(idle: CoreIdle, from: number, to: number, least: number, knownFrom: number | null = null): IdleInRange {
  if (!idle.known) return { gaps: [], busyNs: 0, idleNs: 0, knownNs: 0, known: null }
  const a = Math.max(from, idle.known[0], knownFrom ?? -Infinity)
  const b = Math.min(to, idle.known[1])
  if (!(b > a)) return { gaps: [], busyNs: 0, idleNs: 0, knownNs: 0, known: null }
  const gaps: IdleGap[] = []
  let idleNs = 0
  // Gaps are disjoint: their ends ascend like their starts.
  for (let i = firstEnding(idle.end, a); i < idle.start.length && idle.start[i] < b; i++) {
    const start = Math.max(a, idle.start[i])
    const end = Math.min(b, idle.end[i])
    idleNs += end - start
    if (end - start >= least) gaps.push({ start, end, before: idle.before[i], after: idle.after[i] })
  }
  const busyNs = coveredBetween(idle.busy, a, b)
  return { gaps, busyNs, idleNs, knownNs: busyNs + idleNs, known: [a, b] }
}

/** First index whose end lies behind `t`. */
function firstEnding(end: Float64Array, t: number): number {
  let a = 0
  let b = end.length
  while (a < b) {
    const m = (a + b) >>> 1
    if (end[m] > t) b = m
    else a = m + 1
  }
  return a
}
