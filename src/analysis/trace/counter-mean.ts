/** Average of counters per pixel column: over the time of the column in which a value is known. */
import { lowerBound } from './window'
import type { TrackModel } from './model'

/** Samples whose shares are added up one by one at most; longer runs are taken from sums of blocks. */
const BLOCK = 64
/** value x ns of each whole block, made once per counter: from the first sample of the block to the first of the next. */
const blocks = new WeakMap<Float64Array, Float64Array>()

function sums(time: Float64Array, value: Float64Array): Float64Array {
  let s = blocks.get(value)
  if (s) return s
  s = new Float64Array(Math.floor(Math.max(0, value.length - 1) / BLOCK))
  for (let b = 0; b < s.length; b++) {
    let sum = 0
    for (let i = b * BLOCK; i < (b + 1) * BLOCK; i++) sum += (value[i] as number) * ((time[i + 1] as number) - (time[i] as number))
    s[b] = sum
  }
  blocks.set(value, s)
  return s
}

/** Mean of each of `width` columns of `[start, end)`, one array per track; NaN before the first sample and for tracks that are no counters. */
export function counterMeans(tracks: readonly TrackModel[], start: number, end: number, width: number): readonly Float64Array[] {
  return tracks.map(({ kind, time, value }) => {
    const out = new Float64Array(width).fill(NaN)
    const n = time.length
    if (kind !== 'counter' || !(end > start) || n === 0) return out
    const whole = sums(time, value)
    const px = (end - start) / width
    let i = lowerBound(time, 0, n, start)
    for (let c = 0; c < width; c++) {
      const from = start + c * px
      const to = c + 1 === width ? end : start + (c + 1) * px
      let at = from
      let sum = 0
      let known = 0
      let low = Infinity
      let high = -Infinity
      const share = (v: number, until: number): void => {
        if (v < low) low = v
        if (v > high) high = v
        if (!(until > at)) return
        if (!Number.isNaN(v)) {
          sum += v * (until - at)
          known += until - at
        }
        at = until
      }
      if (i > 0) share(value[i - 1] as number, i < n ? Math.min(to, time[i] as number) : to)
      else if (i < n) at = Math.min(to, Math.max(from, time[i] as number))
      while (i < n && (time[i] as number) < to) {
        const b = i / BLOCK
        if (Number.isInteger(b) && b < whole.length && (time[i + BLOCK] as number) < to) {
          const length = (time[i + BLOCK] as number) - (time[i] as number)
          const block = whole[b] as number
          if (!Number.isNaN(block)) {
            sum += block
            known += length
            at = time[i + BLOCK] as number
            i += BLOCK
            low = -Infinity
            high = Infinity
            continue
          }
        }
        share(value[i] as number, i + 1 < n ? Math.min(to, time[i + 1] as number) : to)
        i++
      }
      if (known > 0) out[c] = Math.min(high, Math.max(low, sum / known))
    }
    return out
  })
}
