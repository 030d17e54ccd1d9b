/** What the views ask at one instant of the allocator timeline: totals, the small allocations of a pixel row, the time of the peak. */
import type { AllocationSummary, Axis, MemoryAt } from '../../shared/api'
import type { AllocatorModel } from './model'
import type { PictureOwners } from './picture'
import { stateAt } from './picturePositions'

/** First row that is not yet allocated in a state. Rows stand in order of their alloc event, the start state first. */
function rowsUntil(model: AllocatorModel, state: number): number {
  let lo = model.startCount
  let hi = model.count
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (model.allocEvent[mid] <= state) lo = mid + 1
    else hi = mid
  }
  return lo
}

/**
 * Totals in the state at a position: the last event at or before it, the start state before the first.
 * `at` and the answer's time are in the caller's frame (model time + offset, or an event index). Outside the recorded range the nearest state is
 * answered; the views say there that nothing is known.
 */
export function memoryAt(model: AllocatorModel, axis: Axis, at: number, groupOf: Uint16Array, groupCount: number, offset = 0): MemoryAt {
  const state = stateAt(model, axis, axis === 'time' ? at - offset : at)
  const groups = new Float64Array(groupCount)
  const startGroups = new Float64Array(groupCount)
  let liveAllocations = 0
  let startBytes = 0
  const until = rowsUntil(model, state)
  for (let r = 0; r < until; r++) {
    const free = model.freeEvent[r]
    if (free >= 0 && free <= state) continue
    liveAllocations++
    groups[groupOf[r]] += model.size[r]
    if (r < model.startCount) {
      startBytes += model.size[r]
      startGroups[groupOf[r]] += model.size[r]
    }
  }
  const f = model.figures
  const t = state >= 0 ? model.time[state] : NaN
  return {
    event: state,
    time: Number.isNaN(t) ? null : t + offset,
    activeBytes: state < 0 ? f.startActiveBytes : model.active[state],
    allocatedBytes: state < 0 ? f.startAllocatedBytes : model.allocated[state],
    reservedBytes: state < 0 ? f.startReservedBytes : model.reserved[state],
    blockRoundedBytes: model.rounded === null ? null : state < 0 ? f.blockRounded.startBytes : model.rounded[state],
    liveAllocations,
    startBytes,
    groups,
    startGroups,
  }
}

export interface Smaller {
  readonly total: number
  readonly totalBytes: number
  readonly list: readonly AllocationSummary[]
}

/**
 * The allocations that were merged into a RUN_SMALLER run of the rows [fromBytes, toBytes) of a column that shows `state`: those whose middle lies
 * in the run. (One that is a row high or higher covers the centre of the row in which its middle lies, so it is never among them.)
 * Largest first, at most `limit` in the list; the totals count all of them.
 */
export function smallerAt(
  model: AllocatorModel,
  state: number,
  fromBytes: number,
  toBytes: number,
  limit: number,
  owners: PictureOwners,
): Smaller {
  const found: number[] = []
  let totalBytes = 0
  let base = 0
  const until = rowsUntil(model, state)
  for (let r = 0; r < until && base < toBytes; r++) {
    const free = model.freeEvent[r]
    if (free >= 0 && free <= state) continue
    const size = model.size[r]
    const middle = base + size / 2
    base += size
    if (middle < fromBytes || middle >= toBytes) continue
    found.push(r)
    totalBytes += size
  }
  found.sort((a, b) => model.size[b] - model.size[a] || a - b)
  return { total: found.length, totalBytes, list: found.slice(0, limit).map(r => summary(model, r, owners)) }
}

/** The facts of one allocation that lists show. The address is hex. */
export function summary(model: AllocatorModel, row: number, owners: PictureOwners): AllocationSummary {
  return {
    allocation: row,
    size: model.size[row],
    address: '0x' + model.address[row].toString(16),
    label: owners.label(row),
    group: owners.groupOf[row],
    start: row < model.startCount,
  }
}

/** Time of the peak in the caller's frame; null for the start state or an event without a time. */
export function peakTime(model: AllocatorModel, offset = 0): number | null {
  const e = model.figures.peakActiveEvent
  const t = e >= 0 ? model.time[e] : NaN
  return Number.isNaN(t) ? null : t + offset
}
