/** The rows of a table of statistics: which groups, in which order. */
import type { StatsColumn } from '../../../shared/trace-api'
import type { Pausing } from '../../../shared/pausing'
import { sortPausing } from '../../../shared/sorted'
import type { GroupFigures, GroupedSlices, Quantiles } from './groups'

/** Rows between two looks at the clock. */
const STRIDE = 1 << 10

export interface StatsOrder {
  readonly column: StatsColumn
  readonly descending: boolean
}

export interface StatsRows {
  readonly rows: readonly GroupFigures[]
  /** Groups that pass the filter, before the limit. */
  readonly matching: number
}

/** Filtered, sorted and limited rows; equal ones by key. Median and p95 are found for what is answered, or for all where they decide the order. Null: given up. */
export async function statsRows(
  s: GroupedSlices,
  passes: ((key: string) => boolean) | null,
  order: StatsOrder,
  limit: number,
  pausing: Pausing,
): Promise<StatsRows | null> {
  const found = await passing(s.count.length, g => s.count[g] > 0 && (!passes || passes(s.keyAt(g))), pausing)
  if (!found) return null
  const mark = (groups: Uint32Array): Uint8Array => {
    const marked = new Uint8Array(s.count.length)
    for (const g of groups) marked[g] = 1
    return marked
  }
  let q: Quantiles | null = null
  if (order.column === 'medianNs' || order.column === 'p95Ns') {
    q = await s.quantiles(mark(found), pausing)
    if (!q) return null
  }
  const sign = order.descending ? -1 : 1
  const byKey = (a: number, b: number): number => (s.keyAt(a) < s.keyAt(b) ? -1 : 1)
  const value = valuesOf(s, order.column, q)
  const inOrder = value
    ? (a: number, b: number) => sign * (value(a) - value(b)) || byKey(a, b)
    : (a: number, b: number) => sign * byKey(a, b)
  if (!(await sortPausing(found, inOrder, pausing))) return null
  const shown = found.subarray(0, limit)
  q ??= await s.quantiles(mark(shown), pausing)
  if (!q) return null
  const rows: GroupFigures[] = []
  for (const g of shown) {
    rows.push(s.figures(g, q))
    if (rows.length % STRIDE === 0 && pausing.due && (await pausing.pause())) return null
  }
  return { rows, matching: found.length }
}

/** Numbers below `n` that pass. Looks at the clock after each: a long text may take a while. Null: given up. */
export async function passing(n: number, passes: (g: number) => boolean, pausing: Pausing): Promise<Uint32Array | null> {
  const found = new Uint32Array(n)
  let k = 0
  for (let g = 0; g < n; g++) {
    if (passes(g)) found[k++] = g
    if (pausing.due && (await pausing.pause())) return null
  }
  return found.slice(0, k)
}

function valuesOf(s: GroupedSlices, column: StatsColumn, q: Quantiles | null): ((g: number) => number) | null {
  switch (column) {
    case 'key':
      return null
    case 'count':
      return g => s.count[g]
    case 'totalNs':
      return g => s.total[g]
    case 'selfNs':
      return g => s.self[g]
    case 'wallNs':
      return g => s.cover.wall[g]
    case 'overlapNs':
      return g => s.cover.overlap[g]
    case 'minNs':
      return g => s.min[g]
    case 'maxNs':
      return g => s.max[g]
    case 'meanNs':
      return g => s.total[g] / s.count[g]
    case 'medianNs':
      return g => q?.median[g] ?? NaN
    case 'p95Ns':
      return g => q?.p95[g] ?? NaN
  }
}
