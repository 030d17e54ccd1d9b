/** Order of a few ten thousand slices by their start. */

const BITS = 11
const SIZE = 1 << BITS
const counts = new Uint32Array(SIZE)

/** Holds what one sort needs; used over and over. */
export class ByStart {
  #keys = new Uint32Array(0)
  #a = new Uint32Array(0)
  #b = new Uint32Array(0)

  /** Places 0..n-1 in order of `start`, all within [first, first + span]. The answer stands until the next call. */
  order(start: Float64Array, n: number, first: number, span: number): Uint32Array {
    if (this.#keys.length < n) {
      this.#keys = new Uint32Array(n)
      this.#a = new Uint32Array(n)
      this.#b = new Uint32Array(n)
    }
    const keys = this.#keys
    // Two passes: few slices of a chunk are so near to each other that these digits do not tell them apart, and those are put in order at the end.
    let unit = 1
    while (span * unit >= SIZE * SIZE) unit /= 2
    let used = 0
    let last = 0
    let sorted = true
    for (let i = 0; i < n; i++) {
      const k = ((start[i] - first) * unit) >>> 0
      keys[i] = k
      used |= k
      if (k < last) sorted = false
      last = k
    }
    let from = this.#a
    let to = this.#b
    for (let i = 0; i < n; i++) from[i] = i
    if (!sorted)
      for (let shift = 0; shift < 2 * BITS && used >>> shift !== 0; shift += BITS) {
        counts.fill(0)
        for (let i = 0; i < n; i++) counts[(keys[i] >>> shift) & (SIZE - 1)]++
        let sum = 0
        for (let d = 0; d < SIZE; d++) {
          const c = counts[d]
          counts[d] = sum
          sum += c
        }
        for (let i = 0; i < n; i++) {
          const row = from[i]
          to[counts[(keys[row] >>> shift) & (SIZE - 1)]++] = row
        }
        const swap = from
        from = to
        to = swap
      }
    return settle(from, start, n)
  }
}

/** Puts neighbours in order that the keys did not tell apart. */
function settle(order: Uint32Array, start: Float64Array, n: number): Uint32Array {
  let moves = 8 * n
  for (let i = 1; i < n; i++) {
    const row = order[i]
    const s = start[row]
    let j = i - 1
    if (start[order[j]] <= s) continue
    for (; j >= 0 && start[order[j]] > s; j--) order[j + 1] = order[j]
    order[j + 1] = row
    moves -= i - j
    // Crowds far apart from each other: rather n log n than n squared.
    if (moves < 0) return order.subarray(0, n).sort((x, y) => start[x] - start[y])
  }
  return order
}
