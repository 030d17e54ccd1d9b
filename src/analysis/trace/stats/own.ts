/** Which slice encloses which, and what of a slice is its own time: columns beside those of a track, made once. */
import type { TrackModel } from '../model'

export interface OwnTime {
  /** Position of the nearest complete slice that encloses this one; -1 at the top. Slices of which one end is missing enclose nothing: how long they were is not known. */
  readonly owner: Int32Array
  /** ns of a complete slice that no complete slice directly in it covers. */
  readonly self: Float64Array
  /**
   * What the slice adds to what its earlier siblings cover of the owner: [end - adds, end). These parts of one owner are disjoint, so that cover within a window is their
   * sum. The durations themselves where no siblings overlap.
   */
  readonly adds: Float64Array
  /** Positions of slices of which one end is missing. */
  readonly unmatched: Uint32Array
}

const kept = new WeakMap<TrackModel, OwnTime>()

/** Linear in the slices of the track; those with overlapping siblings are sorted. */
export function ownTime(track: TrackModel): OwnTime {
  let own = kept.get(track)
  if (!own) kept.set(track, (own = build(track)))
  return own
}

function build(track: TrackModel): OwnTime {
  const { start, duration, flags, laneStart, depth } = track
  const n = flags.length
  const unmatched: number[] = []
  for (let i = 0; i < n; i++) if (flags[i] > 1) unmatched.push(i)
  const owner = unmatched.length === 0 ? track.parent : completeParents(track)

  // Slices of one lane never overlap: only children on several lanes may.
  const cover = new Float64Array(n)
  const laneOf = new Uint16Array(n)
  let spread: Set<number> | null = null
  for (let lane = 0; lane < depth; lane++) {
    const to = laneStart[lane + 1]
    for (let i = laneStart[lane]; i < to; i++) {
      const p = owner[i]
      if (p < 0 || flags[i] !== 0) continue
      cover[p] += duration[i]
      if (laneOf[p] === 0) laneOf[p] = lane + 1
      else if (laneOf[p] !== lane + 1) (spread ??= new Set()).add(p)
    }
  }
  let adds = duration
  if (spread) {
    adds = duration.slice()
    const children: number[] = []
    for (let i = 0; i < n; i++) if (flags[i] === 0 && spread.has(owner[i])) children.push(i)
    children.sort((a, b) => owner[a] - owner[b] || start[a] - start[b] || duration[b] - duration[a])
    let of = -1
    let until = 0
    for (const i of children) {
      const end = start[i] + duration[i]
      if (owner[i] !== of) {
        of = owner[i]
        until = start[of]
        cover[of] = 0
      }
      adds[i] = Math.max(0, end - Math.max(start[i], until))
      cover[of] += adds[i]
      if (end > until) until = end
    }
  }
  const self = cover
  // Sums of fractions of a ns are rounded: never below nothing.
  for (let i = 0; i < n; i++) self[i] = Math.max(0, duration[i] - cover[i])
  return { owner, self, adds, unmatched: Uint32Array.from(unmatched) }
}

function completeParents({ parent, flags }: TrackModel): Int32Array {
  const owner = parent.slice()
  for (let i = 0; i < owner.length; i++) {
    let p = parent[i]
    while (p >= 0 && flags[p] !== 0) p = parent[p]
    owner[i] = p
  }
  return owner
}

/** Slices of a track that a window cuts, with what of each is left as its own time. */
export interface Cut {
  readonly at: number
  readonly self: number
}

/** Scratch column: number of a cut slice plus one; zero wherever it is not in use. */
let marks = new Uint32Array(0)

/**
 * The complete slices that begin before `from` or end after `to` and overlap the window, and their own time within it: clipped duration less what direct children cover of
 * it. Linear in the slices of the window, which may be unbounded (-Infinity, Infinity).
 */
export function cutSlices(track: TrackModel, from: number, to: number): readonly Cut[] {
  const { start, duration, flags, laneStart, depth } = track
  const { owner, adds } = ownTime(track)
  const first = new Uint32Array(depth)
  const end = new Uint32Array(depth)
  const found: number[] = []
  for (let lane = 0; lane < depth; lane++) {
    // Within a lane starts and ends ascend and nothing overlaps: one slice at most covers each bound.
    const a = (first[lane] = firstEndingAfter(track, lane, from))
    const b = (end[lane] = firstFrom(start, a, laneStart[lane + 1], to))
    if (a >= b) continue
    const cutLeft = start[a] < from
    if (cutLeft && flags[a] === 0) found.push(a)
    const last = b - 1
    if (flags[last] === 0 && start[last] + duration[last] > to && !(cutLeft && last === a)) found.push(last)
  }
  if (found.length === 0) return []
  if (marks.length < flags.length) marks = new Uint32Array(flags.length)
  const mark = marks
  const covered = new Float64Array(found.length)
  found.forEach((at, k) => (mark[at] = k + 1))
  for (let lane = 0; lane < depth; lane++) {
    const b = end[lane]
    for (let i = first[lane]; i < b; i++) {
      const p = owner[i]
      if (p < 0 || mark[p] === 0 || flags[i] !== 0) continue
      const until = start[i] + duration[i]
      const since = until - adds[i]
      const part = since >= from && until <= to ? adds[i] : Math.min(until, to) - Math.max(since, from)
      if (part > 0) covered[mark[p] - 1] += part
    }
  }
  for (const at of found) mark[at] = 0
  return found.map((at, k) => ({
    at,
    self: Math.max(0, Math.min(duration[at], Math.min(start[at] + duration[at], to) - Math.max(start[at], from)) - covered[k]),
  }))
}

/** First position of the lane that ends after `t`; the lane's end where none does. */
export function firstEndingAfter({ start, duration, laneStart }: TrackModel, lane: number, t: number): number {
  let a = laneStart[lane]
  let b = laneStart[lane + 1]
  while (a < b) {
    const m = (a + b) >>> 1
    if (start[m] + duration[m] > t) b = m
    else a = m + 1
  }
  return a
}

/** First position in [a, b) that begins at or after `t`; b when none does. */
export function firstFrom(start: Float64Array, a: number, b: number, t: number): number {
  while (a < b) {
    const m = (a + b) >>> 1
    if (start[m] >= t) b = m
    else a = m + 1
  }
  return a
}
