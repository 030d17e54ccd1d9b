/** Counters of a time window: what each pixel column shows of a step curve. */
import type { CounterAnswer } from '../../shared/api'
import type { TrackModel } from './model'
import { argMax, pyramidOf } from './range-max'
import { lowerBound } from './window'

const negated = new WeakMap<Float64Array, Float64Array>()

/** -values, made once: the smallest value of a range is the largest of these. */
function negative(values: Float64Array): Float64Array {
  let n = negated.get(values)
  if (!n) negated.set(values, (n = values.map(v => -v)))
  return n
}

/**
 * Minimum, maximum and last value per pixel column of `[start, end)`, one array of `width` entries per track. A counter keeps its value until the
 * next sample, so the value carried into a column counts there. NaN before the first sample, and for tracks that are no counters.
 */
export function counterInWindow(tracks: readonly TrackModel[], start: number, end: number, width: number): Omit<CounterAnswer, 'version'> {
  const answer = { min: [] as Float64Array[], max: [] as Float64Array[], last: [] as Float64Array[] }
  for (const track of tracks) {
    const min = new Float64Array(width).fill(NaN)
    const max = new Float64Array(width).fill(NaN)
    const last = new Float64Array(width).fill(NaN)
    answer.min.push(min)
    answer.max.push(max)
    answer.last.push(last)
    if (track.kind !== 'counter' || !(end > start)) continue
    const { time, value } = track
    const n = time.length
    const px = (end - start) / width
    // Samples at the left edge belong to the first column.
    let i = lowerBound(time, 0, n, start)
    for (let c = 0; c < width; c++) {
      const next = c + 1 === width ? lowerBound(time, i, n, end) : seek(time, i, n, start + (c + 1) * px)
      const carried = i > 0 && !(i < next && time[i] === start + c * px)
      if (carried) min[c] = max[c] = last[c] = value[i - 1]
      if (next > i) {
        const high = value[argMax(value, pyramidOf(value), i, next)]
        const minus = negative(value)
        const low = value[argMax(minus, pyramidOf(minus), i, next)]
        if (!(low >= min[c])) min[c] = low
        if (!(high <= max[c])) max[c] = high
        last[c] = value[next - 1]
      }
      i = next
    }
  }
  return answer
}

/** First position from `i` on with a time of at least `t`; looks near by first. */
function seek(time: Float64Array, i: number, n: number, t: number): number {
  for (let k = 0; k < 8; k++, i++) if (i >= n || time[i] >= t) return i
  return lowerBound(time, i, n, t)
}
