/** What is live at a moment, by stack, frame, file or size. */
import type { SnapshotTable } from '../../../shared/tables'
import type { AllocatorModel } from '../model'
import { keysOf, type GroupBy, type Keys } from './keys'
import { isLiveAt } from './moments'

export interface Group {
  readonly key: string
  /** Requested bytes; null where the file has no size for one of them. */
  readonly bytes: number | null
  readonly count: number
}

export interface Live {
  /** -1 is the start state. */
  readonly event: number
  /** Active requested bytes, the sum of the groups; null where the file has no size for one of the allocations. */
  readonly totalBytes: number | null
  readonly count: number
  /** Largest first, then the most allocations, then by key. */
  readonly groups: readonly Group[]
}

/** Groups what is live in the state after `event`. Linear in the allocations of the device. */
export function liveAt(table: SnapshotTable, model: AllocatorModel, event: number, by: GroupBy): Live {
  const groups = groupWhere(table, model, keysOf(table, model, by), i => isLiveAt(model, i, event))
  return { event, ...totalOf(groups), groups }
}

/** Groups the allocations that `which` takes. */
export function groupWhere(table: SnapshotTable, model: AllocatorModel, keys: Keys, which: (allocation: number) => boolean): Group[] {
  const known = sizeKnown(table, model)
  // NaN is a group with an allocation whose size is not known.
  const bytes: number[] = []
  const count: number[] = []
  for (let i = 0; i < model.count; i++) {
    if (!which(i)) continue
    const id = keys.of(i)
    bytes[id] = (bytes[id] ?? 0) + (known(i) ? (model.size[i] as number) : NaN)
    count[id] = (count[id] ?? 0) + 1
  }
  const out: Group[] = []
  count.forEach((n, id) => {
    const b = bytes[id] as number
    out.push({ key: keys.texts[id] as string, bytes: Number.isNaN(b) ? null : b, count: n })
  })
  return out.sort(
    (a, b) => (b.bytes ?? Infinity) - (a.bytes ?? Infinity) || b.count - a.count || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0),
  )
}

export function totalOf(groups: readonly Group[]): { readonly totalBytes: number | null; readonly count: number } {
  let bytes: number | null = 0
  let count = 0
  for (const g of groups) {
    bytes = bytes === null || g.bytes === null ? null : bytes + g.bytes
    count += g.count
  }
  return { totalBytes: bytes, count }
}

/** Whether the file has the size of an allocation; the replay counts one without as 0. */
export function sizeKnown(table: SnapshotTable, model: AllocatorModel): (i: number) => boolean {
  const trace = table.devices[model.traceIndex]
  const { blocks } = table
  return i => {
    const event = i >= model.startCount ? (model.allocEvent[i] as number) : (model.freeEvent[i] as number)
    const block = model.block[i] as number
    if (i < model.startCount && block >= 0)
      return !(Number.isNaN(blocks.requestedSize[block] as number) && Number.isNaN(blocks.size[block] as number))
    return event < 0 || !trace || !Number.isNaN(trace.size[event] as number)
  }
}
