/** Order of rows by time. */

/**
 * Rows with a time, ascending, in the order of the rows where equal. `time`: whole numbers, NaN for rows that are left out. Stable radix sort over as many 16-bit digits
 * as the span needs; nothing to do where the rows are in order already.
 */
export function orderByTime(time: Float64Array, n: number): Uint32Array {
  let order = new Uint32Array(n)
  let count = 0
  let least = Infinity
  let most = -Infinity
  let sorted = true
  for (let i = 0; i < n; i++) {
    const t = time[i] as number
    if (Number.isNaN(t)) continue
    if (t < most) sorted = false
    if (t > most) most = t
    if (t < least) least = t
    order[count++] = i
  }
  order = order.subarray(0, count)
  if (sorted) return order
  let other = new Uint32Array(count)
  const counts = new Uint32Array(65536)
  for (let unit = 1; unit <= most - least; unit *= 65536) {
    counts.fill(0)
    const digit = (row: number): number => Math.floor(((time[row] as number) - least) / unit) % 65536
    for (let k = 0; k < count; k++) {
      const d = digit(order[k] as number)
      counts[d] = (counts[d] as number) + 1
    }
    for (let d = 0, sum = 0; d < 65536; d++) {
      const c = counts[d] as number
      counts[d] = sum
      sum += c
    }
    for (let k = 0; k < count; k++) {
      const row = order[k] as number
      const d = digit(row)
      const at = counts[d] as number
      counts[d] = at + 1
      other[at] = row
    }
    ;[order, other] = [other, order]
  }
  return order
}
