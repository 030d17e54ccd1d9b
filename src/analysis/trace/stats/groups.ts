/**
 * Statistics of complete slices by name, track or category.
 *
 * Counted are slices of which both ends are known on tracks of threads, streams and cores (X and matched B/E of a Chrome trace, paired events of the runtime). Asynchronous
 * operations (b/e), which overlap their thread's work by design, and instants are not. In a window a slice counts with what lies in it; one that only touches it does not
 * count, one of length 0 counts strictly inside.
 *
 * The slices are walked in chunks by time, few enough for the processor's cache: that lane by lane in sequence, then, for the time that is covered once and twice, in order
 * of start. Nothing is kept between two questions but the own times of the tracks.
 */
import type { Figures } from '../../../shared/trace-api'
import type { Pausing } from '../../../shared/pausing'
import { ByStart } from './by-start'
import { Cover } from './cover'
import { cutSlices, firstEndingAfter, firstFrom, ownTime } from './own'
import type { Keys, StatScope } from './scope'
import { nearestRank, select } from './select'

/** A counted slice: number of its track in the scope, position in the track's columns. */
export interface Counted {
  readonly track: number
  readonly at: number
}

export interface GroupFigures extends Figures {
  readonly key: string
  readonly selfNs: number
  readonly wallNs: number
  readonly overlapNs: number
  /** Longest within the window; of equals the one that begins first. */
  readonly longest: Counted
}

export interface Quantiles {
  readonly median: Float64Array
  readonly p95: Float64Array
}

export interface StatsWindow {
  /** First time; -Infinity: from the beginning. */
  readonly from: number
  /** First time that is not asked for; Infinity: to the end. */
  readonly to: number
  /** What is asked of each track of the scope; null: everything. */
  readonly tracks: readonly Asked[] | null
}

/** All of a track, nothing, or the slices of some rows of its table (1 for each). */
export type Asked = boolean | Uint8Array

const asks = (asked: Asked, row: number): boolean => (typeof asked === 'boolean' ? asked : asked[row] === 1)

/** What lies in the window of one lane: positions next .. end. */
interface Run {
  readonly track: number
  next: number
  readonly end: number
  readonly asked: Asked
}

/** Slices that are put in order of their start at one time. */
const CHUNK = 1 << 15
/** One start of so many is taken to find where chunks end. */
const SAMPLE = 1 << 8
/** Values between two looks at the clock. */
const STRIDE = 1 << 16
/** Place of a slice as one number: track * PLACE + position. */
const PLACE = 2 ** 32

/** Groups the slices of the window. Linear in their number. Null: given up. `chunk` is for tests. */
export async function groupSlices(
  scope: StatScope,
  keys: Keys,
  window: StatsWindow,
  pausing: Pausing,
  chunk = CHUNK,
): Promise<GroupedSlices | null> {
  const { from, to, tracks } = window
  const runs: Run[] = []
  const cut = new Map<number, number>()
  let unmatched = 0
  let most = 0
  for (let t = 0; t < scope.tracks.length && to > from; t++) {
    const asked = tracks?.[t] ?? true
    if (asked === false) continue
    const { model, offset } = scope.tracks[t]
    const a = from - offset
    const b = to - offset
    for (const i of ownTime(model).unmatched)
      if (model.start[i] < b && model.start[i] + model.duration[i] > a && asks(asked, model.row[i])) unmatched++
    for (const c of cutSlices(model, a, b)) cut.set(t * PLACE + c.at, c.self)
    for (let lane = 0; lane < model.depth; lane++) {
      const next = firstEndingAfter(model, lane, a)
      const end = firstFrom(model.start, next, model.laneStart[lane + 1], b)
      if (next >= end) continue
      runs.push({ track: t, next, end, asked })
      most += end - next
    }
    if (pausing.due && (await pausing.pause())) return null
  }
  const grouped = new GroupedSlices(scope, keys, window, cut, most, unmatched)
  for (const bound of [...boundsOf(scope, runs, most, chunk), Infinity]) {
    for (const run of runs) grouped.take(run, bound)
    grouped.close()
    if (pausing.due && (await pausing.pause())) return null
  }
  return grouped
}

/** Slices by group; the columns have one entry per group of the keys, in ns. `count` is 0 where the window has none of a group. */
export class GroupedSlices {
  readonly count: Float64Array
  readonly total: Float64Array
  readonly self: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly cover: Cover
  /** Slices counted. */
  slices = 0
  /** Slices of the window that are not counted because one end is missing. */
  readonly unmatched: number
  readonly #longestTrack: Uint32Array
  readonly #longestAt: Uint32Array
  readonly #longestStart: Float64Array
  readonly #scope: StatScope
  readonly #keys: Keys
  readonly #from: number
  readonly #to: number
  /** Own time of the slices that the window cuts, by place. */
  readonly #cut: ReadonlyMap<number, number>
  /** By slice in the order of the walk: its group and its ns in the window, for the quantiles. */
  readonly #groupOf: Uint32Array
  readonly #value: Float64Array
  /** Those of the chunk that is being taken. */
  #first = 0
  #start = new Float64Array(CHUNK)
  #end = new Float64Array(CHUNK)
  readonly #byStart = new ByStart()

  constructor(scope: StatScope, keys: Keys, window: StatsWindow, cut: ReadonlyMap<number, number>, most: number, unmatched: number) {
    const groups = keys.texts.length
    this.count = new Float64Array(groups)
    this.total = new Float64Array(groups)
    this.self = new Float64Array(groups)
    this.min = new Float64Array(groups).fill(Infinity)
    this.max = new Float64Array(groups).fill(-1)
    this.cover = new Cover(groups)
    this.unmatched = unmatched
    this.#longestTrack = new Uint32Array(groups)
    this.#longestAt = new Uint32Array(groups)
    this.#longestStart = new Float64Array(groups)
    this.#scope = scope
    this.#keys = keys
    this.#from = window.from
    this.#to = window.to
    this.#cut = cut
    this.#groupOf = new Uint32Array(most)
    this.#value = new Float64Array(most)
  }

  keyAt(group: number): string {
    return this.#keys.texts[group]
  }

  /** Takes the slices of a lane that begin before `bound`. */
  take(run: Run, bound: number): void {
    const { track: t, end, asked } = run
    const { model, offset } = this.#scope.tracks[t]
    const { start, duration, flags, row } = model
    const until = bound - offset
    let i = run.next
    if (i >= end || !(start[i] < until)) return
    // Room for a part of a lane that is as long as chunks are meant to be; where many begin at once it takes several turns.
    const stop = Math.min(end, i + CHUNK)
    const room = this.slices - this.#first + stop - i
    if (room > this.#start.length) {
      this.#start = grown(this.#start, room + CHUNK)
      this.#end = grown(this.#end, room + CHUNK)
    }
    const starts = this.#start
    const ends = this.#end
    const groupOf = this.#groupOf
    const value = this.#value
    const { count, total, self, min, max } = this
    const longestStart = this.#longestStart
    const own = ownTime(model).self
    const key = this.#keys.of[t]
    const common = typeof key === 'number' ? key : -1
    const map = typeof key === 'number' ? NONE : key
    const ids = this.#keys === this.#scope.name ? model.nameId : model.categoryId
    const from = this.#from
    const to = this.#to
    const base = this.#first
    let n = this.slices
    for (; i < stop; i++) {
      let s = start[i]
      if (s >= until) break
      if (flags[i] !== 0 || (asked !== true && !asks(asked, row[i]))) continue
      s += offset
      let e = s + duration[i]
      // As it is stored: far from the origin an end less a start is rounded.
      let d = duration[i]
      let o = own[i]
      if (s < from || e > to) {
        if (s < from) s = from
        if (e > to) e = to
        d = Math.min(d, e - s)
        o = Math.min(d, this.#cut.get(t * PLACE + i) ?? o)
      }
      const g = common >= 0 ? common : map[ids[i] + 1]
      starts[n - base] = s
      ends[n - base] = e
      groupOf[n] = g
      value[n++] = d
      count[g]++
      total[g] += d
      self[g] += o
      if (d < min[g]) min[g] = d
      if (d > max[g] || (d === max[g] && s < longestStart[g])) {
        max[g] = d
        this.#longestTrack[g] = t
        this.#longestAt[g] = i
        longestStart[g] = s
      }
    }
    this.slices = n
    run.next = i
    if (i === stop && stop < end) this.take(run, bound)
  }

  /** All slices of a chunk are taken: later ones begin later. */
  close(): void {
    const group = this.#groupOf.subarray(this.#first, this.slices)
    this.cover.add(this.#start, this.#end, this.#value.subarray(this.#first, this.slices), group, this.#byStart)
    this.#first = this.slices
  }

  /** Median and 95th percentile of the groups that are marked; NaN for the others. Null: given up. */
  async quantiles(marked: Uint8Array, pausing: Pausing): Promise<Quantiles | null> {
    const { count } = this
    const groups = count.length
    const median = new Float64Array(groups).fill(NaN)
    const p95 = new Float64Array(groups).fill(NaN)
    const at = new Float64Array(groups)
    let room = 0
    for (let g = 0; g < groups; g++) {
      at[g] = room
      if (marked[g] !== 0) room += count[g]
    }
    const values = new Float64Array(room)
    for (let k = 0; k < this.slices; k += STRIDE) {
      this.#scatter(k, Math.min(this.slices, k + STRIDE), marked, values, at)
      if (pausing.due && (await pausing.pause())) return null
    }
    for (let g = 0; g < groups; g++) {
      if (marked[g] === 0 || count[g] === 0) continue
      const a = at[g] - count[g]
      const middle = a + nearestRank(count[g], 50)
      const high = a + nearestRank(count[g], 95)
      median[g] = select(values, a, at[g], middle)
      // None behind the median is below it.
      p95[g] = high > middle ? select(values, middle + 1, at[g], high) : median[g]
      if (pausing.due && (await pausing.pause())) return null
    }
    return { median, p95 }
  }

  #scatter(from: number, to: number, marked: Uint8Array, values: Float64Array, at: Float64Array): void {
    const groupOf = this.#groupOf
    const value = this.#value
    for (let k = from; k < to; k++) {
      const g = groupOf[k]
      if (marked[g] !== 0) values[at[g]++] = value[k]
    }
  }

  /** All figures of a group whose quantiles are known. */
  figures(g: number, q: Quantiles): GroupFigures {
    return {
      key: this.keyAt(g),
      count: this.count[g],
      totalNs: this.total[g],
      selfNs: this.self[g],
      wallNs: this.cover.wall[g],
      overlapNs: this.cover.overlap[g],
      minNs: this.min[g],
      maxNs: this.max[g],
      meanNs: this.total[g] / this.count[g],
      medianNs: q.median[g],
      p95Ns: q.p95[g],
      longest: { track: this.#longestTrack[g], at: this.#longestAt[g] },
    }
  }
}

const NONE = new Int32Array(0)

/** Times that divide the slices of the runs, by their start, into chunks of about the same number. */
function boundsOf(scope: StatScope, runs: readonly Run[], count: number, chunk: number): readonly number[] {
  if (count <= chunk) return []
  const every = Math.min(SAMPLE, Math.ceil(chunk / 2))
  const sample = new Float64Array(Math.ceil(count / every))
  let n = 0
  let skip = 0
  for (const { track, next, end } of runs) {
    const { model, offset } = scope.tracks[track]
    let i = next + skip
    for (; i < end; i += every) sample[n++] = model.start[i] + offset
    skip = i - end
  }
  const sorted = sample.subarray(0, n).sort()
  const bounds: number[] = []
  for (let i = Math.floor(chunk / every); i < n; i += Math.floor(chunk / every)) if (sorted[i] !== bounds.at(-1)) bounds.push(sorted[i])
  return bounds
}

function grown(old: Float64Array<ArrayBuffer>, to: number): Float64Array<ArrayBuffer> {
  const bigger = new Float64Array(to)
  bigger.set(old)
  return bigger
}
