/** Look-ups in the picture of an HBM. */
import { HBM_UNKNOWN, type HbmPicture } from '../../shared/hbm-api'

/** Group whose band holds `bytes` (counted from the bottom) in column `c`; -1 above the stack, below it, and where nothing is known. */
export function groupAt(p: HbmPicture, c: number, bytes: number): number {
  if (c < 0 || c >= p.width || p.known[c] === HBM_UNKNOWN || bytes < 0) return -1
  let top = 0
  for (let g = 0; g < p.groups.length; g++) {
    top += p.bytes[g][c] || 0
    if (bytes < top) return g
  }
  return -1
}

/** The next group with bytes in column `c` above (1) or below (-1) `from`; the lowest or highest to begin with. -1: there is none. */
export function stepGroup(p: HbmPicture, c: number, from: number, by: 1 | -1): number {
  if (c < 0 || c >= p.width) return -1
  const n = p.groups.length
  for (let g = from < 0 ? (by > 0 ? 0 : n - 1) : from + by; g >= 0 && g < n; g += by) if (p.bytes[g][c] > 0) return g
  return from
}

/** Neighbouring columns of which nothing is known, as [from, to). */
export function unknownRuns(known: Uint8Array): readonly (readonly [number, number])[] {
  const out: [number, number][] = []
  for (let c = 0; c < known.length; c++) {
    if (known[c] !== HBM_UNKNOWN) continue
    const last = out.at(-1)
    if (last?.[1] === c) last[1] = c + 1
    else out.push([c, c + 1])
  }
  return out
}

/** Highest value that the chart shows: totals, and the reserved line where it is drawn. 0 where nothing is known. */
export function highest(p: HbmPicture, withReserved: boolean): number {
  let max = 0
  for (let c = 0; c < p.width; c++) {
    if (p.max[c] > max) max = p.max[c]
    if (withReserved && p.reserved[c] > max) max = p.reserved[c]
  }
  return max
}
