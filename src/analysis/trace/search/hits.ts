/** Matching rows as hits: counted by track, listed by start a page at a time, and as stretches of a window for drawing. */
import type { TrackModel } from '../model'
import type { Pausing } from '../../../shared/pausing'
import { NO_MATCH, type SearchedPart, type SearchedTrack } from './rows'

/** Hits of one track. */
export interface TrackHits {
  readonly id: number
  /** Index of its source among those searched. */
  readonly part: number
  readonly model: TrackModel
  readonly offset: number
  /** Positions in the track's columns, ascending: by lane, then start. */
  readonly positions: Uint32Array
}

export interface Hits {
  /** Those with hits, in the order of the search. */
  readonly tracks: readonly TrackHits[]
  readonly total: number
  /** Start of the first hit and how many buckets a ns is. */
  readonly first: number
  readonly perNs: number
  /** Hits before each bucket of time; the last entry is the total. */
  readonly before: Uint32Array
}

/** Below this all hits stand in one bucket. */
const FEW = 4096
const BUCKETS = 1 << 16

/**
 * Gathers the hits of all parts; null when it was given up. Linear in the events; four bytes per hit. A row that stands on several of the searched tracks counts once, on the
 * one that is not derived.
 */
export async function collectHits(parts: readonly SearchedPart[], pausing: Pausing): Promise<Hits | null> {
  const tracks: TrackHits[] = []
  let total = 0
  let earliest = Infinity
  let latest = -Infinity
  for (const [p, part] of parts.entries()) {
    const claimed = part.tracks.some(t => t.derived) ? new Uint8Array(part.where.length) : null
    for (const track of claimed ? [...part.tracks].sort((a, b) => Number(a.derived) - Number(b.derived)) : part.tracks) {
      const positions = hitPositions(track, part.where, claimed)
      if (pausing.due && (await pausing.pause())) return null
      if (positions.length === 0) continue
      tracks.push({ id: track.id, part: p, model: track.model, offset: part.offset, positions })
      total += positions.length
      for (const i of positions) {
        const t = (track.model.start[i] as number) + part.offset
        if (t < earliest) earliest = t
        if (t > latest) latest = t
      }
    }
  }
  const buckets = total <= FEW || !(latest > earliest) ? 1 : BUCKETS
  const before = new Uint32Array(buckets + 1)
  const hits = { tracks, total, first: earliest, perNs: buckets === 1 ? 0 : (buckets - 1) / (latest - earliest), before }
  for (const t of tracks) {
    for (const i of t.positions) before[bucketOf(hits, (t.model.start[i] as number) + t.offset) + 1]++
    if (pausing.due && (await pausing.pause())) return null
  }
  for (let b = 0; b < buckets; b++) before[b + 1] = (before[b + 1] as number) + (before[b] as number)
  return hits
}

/** Positions of a track's hits. `claimed`: rows that another track has already; new ones are added. */
export function hitPositions({ model }: Pick<SearchedTrack, 'model'>, where: Uint8Array, claimed: Uint8Array | null = null): Uint32Array {
  const { row } = model
  let n = 0
  for (let i = 0; i < row.length; i++) if (where[row[i] as number] !== NO_MATCH && !claimed?.[row[i] as number]) n++
  const out = new Uint32Array(n)
  let k = 0
  for (let i = 0; i < row.length && k < n; i++) {
    const r = row[i] as number
    if (where[r] === NO_MATCH || claimed?.[r]) continue
    out[k++] = i
    if (claimed) claimed[r] = 1
  }
  return k === n ? out : out.subarray(0, k)
}

const bucketOf = (h: Pick<Hits, 'first' | 'perNs' | 'before'>, t: number): number =>
  Math.max(0, Math.min(h.before.length - 2, Math.floor((t - h.first) * h.perNs)))

/** A hit: its track and its position in the track's columns. */
export interface HitAt {
  readonly track: TrackHits
  readonly at: number
}

/** Hits `offset .. offset + limit` by start (equal ones by track). */
export function hitsPage(h: Hits, offset: number, limit: number): readonly HitAt[] {
  if (offset >= h.total || limit <= 0) return []
  const b0 = bucketAt(h.before, offset)
  const b1 = bucketAt(h.before, Math.min(h.total, offset + limit) - 1)
  const found: { readonly track: TrackHits; readonly at: number; readonly t: number }[] = []
  for (const track of h.tracks)
    forLanes(track, (from, to) => {
      const time = (k: number): number => (track.model.start[track.positions[k] as number] as number) + track.offset
      for (let k = first(from, to, i => bucketOf(h, time(i)) >= b0); k < to; k++) {
        const t = time(k)
        if (bucketOf(h, t) > b1) break
        found.push({ track, at: track.positions[k] as number, t })
      }
    })
  found.sort((a, b) => a.t - b.t) // stable: by track and lane where equal
  const skip = offset - (h.before[b0] as number)
  return found.slice(skip, skip + limit).map(({ track, at }) => ({ track, at }))
}

/** How many hits start before `t`. */
export function hitsBefore(h: Hits, t: number): number {
  if (h.total === 0 || !(t > h.first)) return 0
  const b = bucketOf(h, t)
  let n = h.before[b] as number
  for (const track of h.tracks)
    forLanes(track, (from, to) => {
      const time = (k: number): number => (track.model.start[track.positions[k] as number] as number) + track.offset
      const a = first(from, to, i => bucketOf(h, time(i)) >= b)
      n += first(a, to, i => time(i) >= t) - a
    })
  return n
}

/** Last bucket with no more than `n` hits before it. */
function bucketAt(before: Uint32Array, n: number): number {
  return first(1, before.length - 1, b => (before[b] as number) > n) - 1
}

/** Calls `f` with the range of `positions` of each lane that has hits. */
function forLanes({ model, positions }: TrackHits, f: (from: number, to: number) => void): void {
  for (let from = 0, lane = 0; from < positions.length; lane++) {
    const end = model.laneStart[lane + 1] as number
    const to = first(from, positions.length, k => (positions[k] as number) >= end)
    if (to > from) f(from, to)
    from = to
  }
}

/** First index in [a, b) that `is` holds for, b when none; what is before does not, what is behind does. */
function first(a: number, b: number, is: (i: number) => boolean): number {
  while (a < b) {
    const m = (a + b) >>> 1
    if (is(m)) b = m
    else a = m + 1
  }
  return a
}

/** Stretches of hits of one track in a window, by lane, then start; disjoint within a lane. */
export interface HitMarks {
  readonly lane: Uint16Array
  /** ns in the time of the group. */
  readonly from: Float64Array
  readonly to: Float64Array
}

/**
 * Where `track` has hits in [start, end), group time, for `width` pixel columns: hits less than a column apart are one stretch, so that an answer is bounded by the screen. Steps
 * in proportion to the stretches and the logarithm of the hits. Null where there are more than `room` stretches.
 */
export function hitMarks(
  track: Pick<TrackHits, 'model' | 'positions' | 'offset'>,
  start: number,
  end: number,
  width: number,
  room = Infinity,
): HitMarks | null {
  const { model, positions, offset } = track
  const px = (end - start) / width
  const out = new Marks(room)
  const begins = (k: number): number => (model.start[positions[k] as number] as number) + offset
  const ends = (k: number): number => begins(k) + Math.max(0, model.duration[positions[k] as number] as number)
  for (let l = 0; l < model.depth; l++) {
    const lo = lowerPosition(positions, model.laneStart[l] as number)
    const hi = lowerPosition(positions, model.laneStart[l + 1] as number)
    // Starts and ends of a lane ascend.
    let k = first(lo, hi, i => begins(i) >= start || ends(i) > start)
    while (k < hi) {
      const a = begins(k)
      if (a >= end) break
      let b = ends(k)
      k++
      for (;;) {
        const edge = b + px
        const next = firstAtOrAfter(model.start, positions, k, hi, edge - offset)
        if (next === k) break
        b = Math.max(b, ends(next - 1))
        k = next
        if (b >= end) break
      }
      if (!out.add(l, a, b)) return null
    }
  }
  return out.taken()
}

/** Columns that grow. */
class Marks {
  readonly #room: number
  #n = 0
  #lane = new Uint16Array(64)
  #from = new Float64Array(64)
  #to = new Float64Array(64)

  constructor(room: number) {
    this.#room = room
  }

  /** False where there is no room left. */
  add(lane: number, from: number, to: number): boolean {
    const n = this.#n
    if (n >= this.#room) return false
    if (n === this.#lane.length) {
      const lanes = new Uint16Array(2 * n)
      const froms = new Float64Array(2 * n)
      const tos = new Float64Array(2 * n)
      lanes.set(this.#lane)
      froms.set(this.#from)
      tos.set(this.#to)
      this.#lane = lanes
      this.#from = froms
      this.#to = tos
    }
    this.#lane[n] = lane
    this.#from[n] = from
    this.#to[n] = to
    this.#n = n + 1
    return true
  }

  taken(): HitMarks {
    const n = this.#n
    return { lane: this.#lane.slice(0, n), from: this.#from.slice(0, n), to: this.#to.slice(0, n) }
  }
}

/** First hit in [a, b) that starts at `t` or later; it is probably near `a`. */
function firstAtOrAfter(start: Float64Array, positions: Uint32Array, a: number, b: number, t: number): number {
  let step = 1
  let hi = a
  while (hi < b && start[positions[hi]] < t) {
    a = hi + 1
    hi += step
    step *= 2
  }
  hi = Math.min(hi, b)
  while (a < hi) {
    const m = (a + hi) >>> 1
    if (start[positions[m]] < t) a = m + 1
    else hi = m
  }
  return a
}

function lowerPosition(positions: Uint32Array, at: number): number {
  return first(0, positions.length, k => (positions[k] as number) >= at)
}
