/** Sorting of very many things that lets others run in between. */
import type { Pausing } from './pausing'

/** Things that the engine sorts at once. */
const RUN = 1 << 13
/** Steps between two looks at the clock. */
const STRIDE = 1 << 10

/** Sorts numbers by `order` in place, as `sort` does (stable); null when it was given up, and the numbers are then in any order. n log n steps; twice the room. */
export async function sortPausing(
  all: Uint32Array,
  order: (a: number, b: number) => number,
  pausing: Pausing,
): Promise<Uint32Array | null> {
  const n = all.length
  for (let from = 0; from < n; from += RUN) {
    all.subarray(from, Math.min(n, from + RUN)).sort(order)
    if (pausing.due && (await pausing.pause())) return null
  }
  let a = all
  let b = n > RUN ? new Uint32Array(n) : all
  for (let size = RUN; size < n; size *= 2) {
    for (let from = 0; from < n; from += 2 * size) {
      const middle = Math.min(n, from + size)
      const end = Math.min(n, from + 2 * size)
      let i = from
      let j = middle
      for (let k = from; k < end; k++) {
        b[k] = j >= end || (i < middle && order(a[i], a[j]) <= 0) ? a[i++] : a[j++]
        if (k % STRIDE === 0 && pausing.due && (await pausing.pause())) return null
      }
    }
    const swap = a
    a = b
    b = swap
  }
  if (a !== all) all.set(a)
  return all
}
