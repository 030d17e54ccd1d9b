/** How durations are spread. */

export interface Histogram {
  /** One more than bins; the last bin holds its upper edge too. */
  readonly edges: Float64Array
  readonly counts: Uint32Array
  /** Edges grow by a factor; where there are durations of 0 the first bin begins there. */
  readonly logarithmic: boolean
}

const BINS = 40
/** From this ratio of the longest to the shortest duration on, even bins would hold nearly everything in one. */
const WIDE = 50

/** At most 40 bins of ns from the shortest to the longest; one where all are equal, none without durations. Logarithmic where the longest is 50 times the shortest or more. */
export function histogramOf(durations: Float64Array): Histogram {
  let min = Infinity
  let max = -Infinity
  /** Shortest that is not 0. */
  let least = Infinity
  for (const d of durations) {
    if (d < min) min = d
    if (d > max) max = d
    if (d > 0 && d < least) least = d
  }
  if (durations.length === 0) return { edges: new Float64Array(1), counts: new Uint32Array(0), logarithmic: false }
  if (min === max) return { edges: Float64Array.of(min, max), counts: Uint32Array.of(durations.length), logarithmic: false }
  const logarithmic = max > least && max / Math.max(least, 1) >= WIDE
  const edges = new Float64Array(BINS + 1)
  const low = logarithmic ? least : min
  for (let i = 0; i <= BINS; i++) edges[i] = logarithmic ? low * (max / low) ** (i / BINS) : low + ((max - low) * i) / BINS
  edges[0] = min
  edges[BINS] = max
  const counts = new Uint32Array(BINS)
  for (const d of durations) counts[binOf(edges, d)]++
  return { edges, counts, logarithmic }
}

/** The bin [edge, next edge) that holds a value from the first to the last edge. */
function binOf(edges: Float64Array, value: number): number {
  let a = 0
  let b = edges.length - 2
  while (a < b) {
    const m = (a + b + 1) >>> 1
    if (edges[m] <= value) a = m
    else b = m - 1
  }
  return a
}
