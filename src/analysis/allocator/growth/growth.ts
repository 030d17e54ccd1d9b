/** What grew between two moments: allocated after the first and still live at the second. */
import type { SnapshotTable } from '../../../shared/tables'
import { keysOf, type GroupBy } from '../live/keys'
import { groupWhere, totalOf, type Group } from '../live/live'
import { isLiveAt } from '../live/moments'
import type { AllocatorModel } from '../model'

export interface Growth {
  readonly from: number
  readonly to: number
  /** Active requested bytes in the two states; null where the file has no size for one of the allocations. */
  readonly fromBytes: number | null
  readonly toBytes: number | null
  /** Allocated after `from` and live at `to`: the sum of the groups. */
  readonly totalBytes: number | null
  readonly count: number
  /** Live at `from` and no more at `to`. toBytes = fromBytes + totalBytes - freedBytes. */
  readonly freedBytes: number | null
  readonly freedCount: number
  readonly groups: readonly Group[]
}

/** Linear in the allocations of the device. `from` is not after `to`; -1 is the start. */
export function growthBetween(table: SnapshotTable, model: AllocatorModel, from: number, to: number, by: GroupBy): Growth {
  const all = (which: (i: number) => boolean): readonly Group[] => groupWhere(table, model, keysOf(table, model, by), which)
  const groups = all(i => (model.allocEvent[i] as number) > from && isLiveAt(model, i, to))
  const freed = totalOf(all(i => isLiveAt(model, i, from) && !isLiveAt(model, i, to)))
  return {
    from,
    to,
    fromBytes: totalOf(all(i => isLiveAt(model, i, from))).totalBytes,
    toBytes: totalOf(all(i => isLiveAt(model, i, to))).totalBytes,
    ...totalOf(groups),
    freedBytes: freed.totalBytes,
    freedCount: freed.count,
    groups,
  }
}
