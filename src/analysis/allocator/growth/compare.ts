/** What is live in two snapshots, side by side: the difference by stack, frame, file or size, with paths made comparable. */
import { stringAt } from '../../../shared/columns'
import type { SnapshotTable } from '../../../shared/tables'
import { keysOf, type GroupBy } from '../live/keys'
import { groupWhere, totalOf, type Group } from '../live/live'
import { isLiveAt } from '../live/moments'
import type { AllocatorModel } from '../model'
import { pathsOf, type Roots } from './paths'

export interface Side {
  readonly table: SnapshotTable
  readonly model: AllocatorModel
  readonly event: number
}

/** Bytes are requested bytes; null where a file has no size for one of the allocations. */
export interface Difference {
  readonly key: string
  readonly aBytes: number | null
  readonly bBytes: number | null
  readonly diffBytes: number | null
  readonly aCount: number
  readonly bCount: number
  readonly diffCount: number
}

export interface Comparison {
  readonly a: { readonly totalBytes: number | null; readonly count: number }
  readonly b: { readonly totalBytes: number | null; readonly count: number }
  readonly diffBytes: number | null
  readonly diffCount: number
  /** Largest difference first, whichever way; what is the same is listed too. */
  readonly groups: readonly Difference[]
  /** Folders that were taken for one. */
  readonly roots: readonly Roots[]
}

/** B minus A. Linear in the allocations of both. */
export function compareLive(a: Side, b: Side, by: GroupBy): Comparison {
  const paths = pathsOf(filesOf(a.table), filesOf(b.table))
  const groups = ({ table, model, event }: Side, path: (file: string) => string): readonly Group[] =>
    groupWhere(table, model, keysOf(table, model, by, path), i => isLiveAt(model, i, event))
  const ga = groups(a, paths.a)
  const gb = groups(b, paths.b)
  const inA = new Map(ga.map(g => [g.key, g]))
  const inB = new Map(gb.map(g => [g.key, g]))
  const none = { bytes: 0, count: 0 }
  const out = [...new Set([...inA.keys(), ...inB.keys()])].map((key): Difference => {
    const [x, y] = [inA.get(key) ?? none, inB.get(key) ?? none]
    const diffBytes = minus(y.bytes, x.bytes)
    return { key, aBytes: x.bytes, bBytes: y.bytes, diffBytes, aCount: x.count, bCount: y.count, diffCount: y.count - x.count }
  })
  const large = (d: Difference): number => (d.diffBytes === null ? Infinity : Math.abs(d.diffBytes))
  const order = (x: Difference, y: Difference): number => {
    const [p, q] = [large(x), large(y)]
    return p !== q ? q - p : Math.abs(y.diffCount) - Math.abs(x.diffCount) || (x.key < y.key ? -1 : 1)
  }
  const [ta, tb] = [totalOf(ga), totalOf(gb)]
  return {
    a: ta,
    b: tb,
    diffBytes: minus(tb.totalBytes, ta.totalBytes),
    diffCount: tb.count - ta.count,
    groups: out.sort(order),
    roots: paths.roots,
  }
}

const minus = (b: number | null, a: number | null): number | null => (a === null || b === null ? null : b - a)

function filesOf({ frames, strings }: SnapshotTable): Set<string> {
  const ids = new Set<number>()
  for (let f = 0; f < frames.count; f++) ids.add(frames.file[f] as number)
  return new Set(Array.from(ids, id => stringAt(strings, id)))
}
