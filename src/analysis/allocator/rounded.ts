/**
 * Allocated bytes as the allocator counts them (torch.cuda.memory_allocated): block sizes from alloc to free_requested; the address stays occupied until free_completed.
 * The history stores requested bytes only; the block size follows from the rules of the CUDA allocator (`rounding.ts`) and the free gap that a block is taken from:
 * what is not worth to be split off stays part of the block. Blocks of the segment table have their true size; of a block that was freed without a known alloc
 * only the rounding is known. Whether the rules hold for a file is checked in `blockRounded.ts`.
 */
import type { DeviceTrace, SnapshotTable } from '../../shared/tables'
import { AddressMap } from './addressMap'
import { ORIGINS, type AllocatorModel } from './model'
import { roundSize, takenOf, type RoundingSettings } from './rounding'

const LIVE_AT_START = ORIGINS.indexOf('live-at-start')

/** What the curve is made from: an allocator's model before its figures. */
export type Replayed = Omit<AllocatorModel, 'figures' | 'rounded'>

export interface Rounded {
  /** Block bytes of each allocation of the model. */
  readonly block: Float64Array
  /** Allocated block bytes after each event. */
  readonly after: Float64Array
  readonly start: number
}

/** The curve as the rules give it, checked by nothing. */
export function roundedCurve(table: SnapshotTable, segmentRows: readonly number[], model: Replayed, settings: RoundingSettings): Rounded {
  const block = blockSizes(table, segmentRows, model, table.devices[model.traceIndex] ?? null, settings)
  const after = new Float64Array(model.events)
  let start = 0
  for (let i = 0; i < model.count; i++) {
    const bytes = block[i] as number
    const alloc = model.allocEvent[i] as number
    const requested = model.freeRequestedEvent[i] as number
    const freed = model.freeEvent[i] as number
    const initially = allocatedAtStart(model, i)
    const end = requested >= 0 ? requested : freed
    if (initially) start += bytes
    if (alloc >= 0) after[alloc] = (after[alloc] as number) + bytes
    if ((alloc >= 0 || initially) && end >= 0) after[end] = (after[end] as number) - bytes
  }
  let sum = start
  for (let i = 0; i < after.length; i++) after[i] = sum += after[i] as number
  return { block, after, start }
}

/** Of the start state, what was already pending when the recording began was not allocated any more. */
export const allocatedAtStart = (model: Replayed, i: number): boolean =>
  (model.allocEvent[i] as number) < 0 && (model.origin[i] === LIVE_AT_START || (model.freeRequestedEvent[i] as number) >= 0)

function blockSizes(
  table: SnapshotTable,
  segmentRows: readonly number[],
  model: Replayed,
  trace: DeviceTrace | null,
  settings: RoundingSettings,
): Float64Array {
  const block = new Float64Array(model.count)
  for (let i = 0; i < model.startCount; i++) {
    const k = model.block[i] as number
    block[i] = k >= 0 ? (table.blocks.size[k] as number) : roundSize(model.size[i] as number, settings)
  }
  if (!trace || model.count === model.startCount) return block
  const map = new AddressMap(table, segmentRows, model, trace)
  let next = model.startCount
  // Allocations that end at an event, as a chain: an alloc that reuses a live address ends another one.
  const freed = new Int32Array(model.events).fill(-1)
  const chain = new Int32Array(model.count)
  for (let i = 0; i < model.count; i++) {
    const e = model.freeEvent[i] as number
    if (e < 0) continue
    chain[i] = freed[e] as number
    freed[e] = i
  }
  for (let i = 0; i < model.startCount; i++) map.occupy(i)
  for (let e = 0; e < model.events; e++) {
    map.segment(e)
    for (let i = freed[e] as number; i >= 0; i = chain[i] as number) map.vacate(i)
    if (next < model.count && model.allocEvent[next] === e) {
      const gap = map.gap(next)
      block[next] = takenOf(gap.bytes, roundSize(model.size[next] as number, settings), gap.expandable, settings)
      map.occupy(next)
      next++
    }
  }
  return block
}
