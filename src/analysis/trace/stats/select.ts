/** Order statistics without sorting everything. */

/** Index of a quantile of `percent` by nearest rank in `n` sorted values: the smallest that at least so many percent are not above. */
export const nearestRank = (n: number, percent: number): number => Math.max(0, Math.ceil((percent * n) / 100) - 1)

/** Rounds after which a range is sorted: a sequence made to be bad for the choice of pivots costs n log n as well. */
const ROUNDS = 64

/**
 * The value that stands at `k` (from <= k < to) once `values[from..to)` were sorted. Moves values: afterwards those before `k` are not larger and those behind it are not
 * smaller. No NaN.
 */
export function select(values: Float64Array, from: number, to: number, k: number): number {
  let a = from
  let b = to - 1
  for (let round = 0; b - a > 24; round++) {
    if (round >= ROUNDS) {
      values.subarray(a, b + 1).sort()
      return values[k]
    }
    const pivot = pivotOf(values, a, b)
    let i = a - 1
    let j = b + 1
    for (;;) {
      do i++
      while (values[i] < pivot)
      do j--
      while (values[j] > pivot)
      if (i >= j) break
      const v = values[i]
      values[i] = values[j]
      values[j] = v
    }
    // All up to j are not above the pivot, all behind it not below. With equal values both sides shrink alike.
    if (k <= j) b = j
    else a = j + 1
  }
  for (let i = a + 1; i <= b; i++) {
    const v = values[i]
    let j = i - 1
    for (; j >= a && values[j] > v; j--) values[j + 1] = values[j]
    values[j + 1] = v
  }
  return values[k]
}

/** Median of nine spread over the range; never the last value where that alone is the largest, so that the range shrinks. */
function pivotOf(values: Float64Array, a: number, b: number): number {
  const step = (b - a) >> 3
  const three = (x: number, y: number, z: number): number => Math.max(Math.min(x, y), Math.min(Math.max(x, y), z))
  const at = (i: number): number => values[a + i * step]
  return three(three(at(0), at(1), at(2)), three(at(3), at(4), at(5)), three(at(6), at(7), values[b]))
}
