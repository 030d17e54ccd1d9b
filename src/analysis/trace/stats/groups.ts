/**
 * Statistics of complete slices by name, track or category.
 *
 * Counted are slices of which both ends are known on tracks of threads, streams and cores (X and matched B/E of a Chrome trace, paired events of the runtime). Asynchronous
 * operations (b/e), which overlap their thread's work by design, and instants are not. In a window a slice counts with what lies in it; one that only touches it does not
 * count, one of length 0 counts strictly inside.
 */
import type { Figures } from '../../../shared/trace-api'
import { placeFrom, type Keys, type Pausing, type SliceIndex } from './slice-index'
import { cutSlices, ownTime } from './own'
import { nearestRank, select } from './select'

/** A counted slice: number of its track in the index, position in the track's columns. */
export interface Counted {
  readonly track: number
  readonly at: number
}

export interface GroupFigures extends Figures {
  readonly key: string
  readonly selfNs: number
  readonly wallNs: number
  readonly overlapNs: number
  /** Longest within the window; the first of equals. */
  readonly longest: Counted
}

export interface GroupedSlices {
  /** Groups with a slice in the window. */
  readonly groups: number
  readonly keyAt: (group: number) => string
  /** By group; `count` 0 where the window has none of it. ns. */
  readonly count: Float64Array
  readonly total: Float64Array
  readonly self: Float64Array
  readonly wall: Float64Array
  readonly overlap: Float64Array
  readonly min: Float64Array
  readonly max: Float64Array
  readonly slices: number
  readonly unmatched: number
  readonly wallNs: number
  /** Median and 95th percentile of the groups that are marked; NaN for the others. Null: given up. */
  readonly quantiles: (wanted: Uint8Array, pausing: Pausing) => Promise<Quantiles | null>
  /** All figures of a group whose quantiles are known. */
  readonly figures: (group: number, q: Quantiles) => GroupFigures
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
  /** What is asked of each track of the index; null: everything. */
  readonly tracks: readonly Asked[] | null
}

/** All of a track, nothing, or the slices of some rows of its table (1 for each). */
export type Asked = boolean | Uint8Array

const asks = (asked: Asked, row: number): boolean => (typeof asked === 'boolean' ? asked : asked[row] === 1)

const STRIDE = 1 << 13

/** One walk through the slices of the window in order of their start. Null: given up. */
export async function groupSlices(index: SliceIndex, keys: Keys, window: StatsWindow, pausing: Pausing): Promise<GroupedSlices | null> {
  const { from, to, tracks: wanted } = window
  const groups = keys.texts.length
  const count = new Float64Array(groups)
  const total = new Float64Array(groups)
  const self = new Float64Array(groups)
  const wall = new Float64Array(groups)
  const overlap = new Float64Array(groups)
  const min = new Float64Array(groups).fill(Infinity)
  const max = new Float64Array(groups).fill(-1)
  const longest = new Uint32Array(groups)
  // Ends of the two slices of a group that reach furthest: what begins before the first is covered already, before the second covered twice.
  const reach = new Float64Array(groups).fill(-Infinity)
  const second = new Float64Array(groups).fill(-Infinity)
  let all = -Infinity
  let wallNs = 0
  let unmatched = 0

  const empty = !(to > from)
  const carried: { readonly track: number; readonly at: number; readonly self: number }[] = []
  /** What is left of slices that go on after the window, by track and position. */
  const rest = new Map<number, number>()
  const PLACE = 2 ** 32
  for (let t = 0; t < index.tracks.length && !empty; t++) {
    const asked = wanted?.[t] ?? true
    if (asked === false) continue
    const { model, offset } = index.tracks[t]
    const a = from - offset
    const b = to - offset
    for (const i of ownTime(model).unmatched)
      if (model.start[i] < b && model.start[i] + model.duration[i] > a && asks(asked, model.row[i])) unmatched++
    for (const cut of cutSlices(model, a, b)) {
      if (!asks(asked, model.row[cut.at])) continue
      if (model.start[cut.at] < a) carried.push({ track: t, ...cut })
      else rest.set(t * PLACE + cut.at, cut.self)
    }
    if (pausing.due && (await pausing.pause())) return null
  }

  const first = empty ? 0 : placeFrom(index, from)
  const end = empty ? 0 : placeFrom(index, to)
  const n = carried.length + end - first
  /** By slice: its group plus one (0: not counted) and its ns in the window, for the quantiles. */
  const groupOf = new Uint32Array(n)
  const value = new Float64Array(n)
  const rows = index.tracks.map(t => t.model.row)
  const starts = index.tracks.map(t => t.model.start)
  const durations = index.tracks.map(t => t.model.duration)
  const selfs = index.tracks.map(t => ownTime(t.model).self)
  const offsets = Float64Array.from(index.tracks, t => t.offset)
  const ids = index.tracks.map(({ model }) => (keys === index.name ? model.nameId : model.categoryId))
  let slices = 0
  for (let k = 0; k < n; k++) {
    if ((k & (STRIDE - 1)) === 0 && pausing.due && (await pausing.pause())) return null
    const before = k < carried.length ? carried[k] : null
    const place = first + k - carried.length
    const t = before ? before.track : index.track[place]
    const i = before ? before.at : index.at[place]
    if (wanted && !asks(wanted[t], rows[t][i])) continue
    let s = starts[t][i] + offsets[t]
    let e = s + durations[t][i]
    let own = selfs[t][i]
    if (before) {
      s = from
      own = before.self
      if (e > to) e = to
    } else if (e <= from) continue
    else if (e > to) {
      e = to
      own = rest.get(t * PLACE + i) ?? own
    }
    const map = keys.of[t]
    const g = typeof map === 'number' ? map : map[ids[t][i] + 1]
    const d = e - s
    groupOf[k] = g + 1
    value[k] = d
    slices++
    count[g]++
    total[g] += d
    self[g] += own
    if (d < min[g]) min[g] = d
    if (d > max[g]) {
      max[g] = d
      longest[g] = k
    }
    const r = reach[g]
    if (e > r) {
      wall[g] += e - (s > r ? s : r)
      if (r > s && r > second[g]) overlap[g] += r - Math.max(s, second[g])
      if (r > second[g]) second[g] = r
      reach[g] = e
    } else if (e > second[g]) {
      overlap[g] += e - Math.max(s, second[g])
      second[g] = e
    }
    if (e > all) {
      wallNs += e - (s > all ? s : all)
      all = e
    }
  }

  const quantiles = async (marked: Uint8Array, pause: Pausing): Promise<Quantiles | null> => {
    const median = new Float64Array(groups).fill(NaN)
    const p95 = new Float64Array(groups).fill(NaN)
    const at = new Float64Array(groups)
    let room = 0
    for (let g = 0; g < groups; g++) {
      at[g] = room
      if (marked[g] !== 0) room += count[g]
    }
    const values = new Float64Array(room)
    for (let k = 0; k < n; k++) {
      if ((k & (STRIDE - 1)) === 0 && pause.due && (await pause.pause())) return null
      const g = groupOf[k] - 1
      if (g >= 0 && marked[g] !== 0) values[at[g]++] = value[k]
    }
    for (let g = 0; g < groups; g++) {
      if (marked[g] === 0 || count[g] === 0) continue
      const a = at[g] - count[g]
      const high = a + nearestRank(count[g], 95)
      const middle = a + nearestRank(count[g], 50)
      p95[g] = select(values, a, at[g], high)
      // All before the 95th percentile are not above it.
      median[g] = middle < high ? select(values, a, high, middle) : p95[g]
      if (pause.due && (await pause.pause())) return null
    }
    return { median, p95 }
  }
  const sliceOf = (k: number): Counted =>
    k < carried.length
      ? { track: carried[k].track, at: carried[k].at }
      : { track: index.track[first + k - carried.length], at: index.at[first + k - carried.length] }
  let used = 0
  for (let g = 0; g < groups; g++) if (count[g] > 0) used++
  return {
    ...{ groups: used, keyAt: g => keys.texts[g], count, total, self, wall, overlap, min, max, slices, unmatched, wallNs, quantiles },
    figures: (g, q) => ({
      key: keys.texts[g],
      count: count[g],
      totalNs: total[g],
      selfNs: self[g],
      wallNs: wall[g],
      overlapNs: overlap[g],
      minNs: min[g],
      maxNs: max[g],
      meanNs: total[g] / count[g],
      medianNs: q.median[g],
      p95Ns: q.p95[g],
      longest: sliceOf(longest[g]),
    }),
  }
}
