/** Largest value of a range of a column without looking at each entry: a pyramid of the positions of maxima, built when first asked for. */

const BITS = 4
const SPAN = 1 << BITS

/** Levels from fine to coarse; entry k of level l is the position of the first maximum of block k (blocks of 16^(l+1) entries). */
type Pyramid = readonly Uint32Array[]

const cache = new WeakMap<Float64Array, Pyramid>()

export function pyramidOf(values: Float64Array): Pyramid {
  let p = cache.get(values)
  if (!p) cache.set(values, (p = build(values)))
  return p
}

function build(values: Float64Array): Pyramid {
  const levels: Uint32Array[] = []
  let below: Uint32Array | null = null
  let n = values.length
  while (n > SPAN) {
    const count = (n + SPAN - 1) >> BITS
    const level = new Uint32Array(count)
    for (let k = 0; k < count; k++) {
      const to = Math.min(n, (k + 1) << BITS)
      let best: number = below ? below[k << BITS] : k << BITS
      for (let i = (k << BITS) + 1; i < to; i++) {
        const at: number = below ? below[i] : i
        if (values[at] > values[best]) best = at
      }
      level[k] = best
    }
    levels.push(level)
    below = level
    n = count
  }
  return levels
}

/** Position of the first maximum of `values[from..to)`, which must not be empty and must not hold NaN. */
export function argMax(values: Float64Array, pyramid: Pyramid, from: number, to: number): number {
  let best = from
  let a = from
  let b = to
  let level = -1
  // Both ends are taken from the finest level up to where whole blocks begin; the middle moves up one level.
  for (;;) {
    const ids = level < 0 ? null : pyramid[level]
    const whole = level + 1 < pyramid.length && b - a > 2 * SPAN
    const stop = whole ? (a + SPAN - 1) & ~(SPAN - 1) : b
    for (let i = a; i < stop; i++) best = better(values, best, ids ? ids[i] : i)
    if (!whole) return best
    const tail = b & ~(SPAN - 1)
    for (let i = tail; i < b; i++) best = better(values, best, ids ? ids[i] : i)
    a = stop >> BITS
    b = tail >> BITS
    level++
  }
}

/** The position of the larger value; the earlier one where they are equal. */
const better = (values: Float64Array, a: number, b: number): number => (values[b] > values[a] || (values[b] === values[a] && b < a) ? b : a)
