/** Deterministic random numbers for the sample: the same seed gives the same files on every machine. */
export type Random = () => number

/** mulberry32: 32 bits of state, uniform in [0, 1). */
export function random(seed: number): Random {
  let s = seed >>> 0
  return () => {
    s = (s + 0x6d2b79f5) >>> 0
    let t = Math.imul(s ^ (s >>> 15), 1 | s)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Integer in [lo, hi]. */
export const between = (r: Random, lo: number, hi: number): number => lo + Math.floor(r() * (hi - lo + 1))
