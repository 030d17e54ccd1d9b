/** The allocator's own state at a moment: segments in order of address, each with its blocks and free chunks, as the segment table has them at the end. */
import { BLOCK_STATES, type SnapshotTable } from '../../../shared/tables'
import { isLiveAt } from '../live/moments'
import type { AllocatorModel } from '../model'
import { historyOf, isPendingAt } from './history'

const ALLOCATED = BLOCK_STATES.indexOf('active_allocated')
const PENDING = BLOCK_STATES.indexOf('active_pending_free')
export const INACTIVE = BLOCK_STATES.indexOf('inactive')

/** Why there is no state: half a sentence for people. */
export interface NoState {
  readonly reason: string
}

export interface AllocatorState {
  readonly device: number
  /** -1 is the start state. */
  readonly event: number
  readonly segments: {
    readonly count: number
    readonly address: BigUint64Array
    readonly size: Float64Array
    /** Index into SIZE_POOLS; of a segment that is not in the table any more inferred from what lived in it. */
    readonly type: Uint8Array
    readonly stream: Int32Array
    readonly pool: Int32Array
    readonly expandable: Uint8Array
    readonly stack: Int32Array
    /** Row of the segment table where it is the same at the end; -1 otherwise. */
    readonly table: Int32Array
    /** `blockStart[s] .. blockStart[s + 1]` are the blocks of segment s. */
    readonly blockStart: Uint32Array
  }
  readonly blocks: {
    readonly count: number
    readonly address: BigUint64Array
    /** Block bytes. NaN where not known: then the free chunk behind it, if any, is not known either and has no row. */
    readonly size: Float64Array
    /** Requested bytes; NaN of a free chunk. */
    readonly requested: Float64Array
    /** Index into BLOCK_STATES. */
    readonly state: Uint8Array
    /** Row of the model; -1 of a free chunk. */
    readonly allocation: Int32Array
    /** Index into SIZE_SOURCES; of a free chunk that of the block before it. */
    readonly sizeSource: Uint8Array
  }
  /** Live allocations that lie in no segment (their segment is missing from the file). */
  readonly outside: number
  /** Blocks that reach into the next one or beyond their segment: nothing that rests on their sizes holds. */
  readonly overlaps: number
}

/**
 * State after `event` of a device (-1: the start). Linear in the allocations and segments of its history. There is none where the file ends early, or where its segment events and its
 * segment table contradict each other.
 */
export function stateAt(table: SnapshotTable, model: AllocatorModel, event: number): AllocatorState | NoState {
  const { anchored, segments: s, order, blockBytes, sizeSource } = historyOf(table, model)
  if (!anchored) return { reason: 'the file ends early: the segment table cannot be tied to the history' }
  if (s.conflicts > 0)
    return { reason: `${s.conflicts} segment ${s.conflicts === 1 ? 'event contradicts' : 'events contradict'} the segment table` }

  const held: number[] = []
  for (let r = 0; r < s.count; r++) if ((s.from[r] as number) <= event && event < (s.to[r] as number)) held.push(r)
  held.sort((a, b) => ((s.address[a] as bigint) < (s.address[b] as bigint) ? -1 : 1))

  const address: bigint[] = []
  const size: number[] = []
  const requested: number[] = []
  const state: number[] = []
  const allocation: number[] = []
  const source: number[] = []
  const blockStart = new Uint32Array(held.length + 1)
  let outside = 0
  let overlaps = 0
  let k = 0
  /** Next live allocation in order of address, -1 at the end; does not move. */
  const next = (): number => {
    while (k < order.length && !isLiveAt(model, order[k] as number, event)) k++
    return k < order.length ? (order[k] as number) : -1
  }
  const push = (at: bigint, bytes: number, i: number, known: number): void => {
    address.push(at)
    size.push(bytes)
    requested.push(i < 0 ? NaN : (model.size[i] as number))
    state.push(i < 0 ? INACTIVE : isPendingAt(model, i, event) ? PENDING : ALLOCATED)
    allocation.push(i)
    source.push(known)
  }
  held.forEach((r, n) => {
    const start = s.address[r] as bigint
    const stop = start + BigInt(s.size[r] as number)
    for (let i = next(); i >= 0 && (model.address[i] as bigint) < start; i = next()) {
      outside++
      k++
    }
    /** Where the block before ends; null where that is not known. */
    let end: bigint | null = start
    let known = 0
    for (let i = next(); i >= 0 && (model.address[i] as bigint) < stop; i = next()) {
      const at = model.address[i] as bigint
      if (end !== null && at > end) push(end, Number(at - end), -1, known)
      if (end !== null && at < end) overlaps++
      const bytes = blockBytes[i] as number
      known = sizeSource[i] as number
      push(at, bytes, i, known)
      end = Number.isNaN(bytes) ? null : at + BigInt(bytes)
      k++
    }
    if (end !== null && end < stop) push(end, Number(stop - end), -1, known)
    if (end !== null && end > stop) overlaps++
    blockStart[n + 1] = address.length
  })
  while (next() >= 0) {
    outside++
    k++
  }
  const ofRow = (column: Int32Array): Int32Array => Int32Array.from(held, r => column[r] as number)
  return {
    device: model.device,
    event,
    segments: {
      count: held.length,
      address: BigUint64Array.from(held, r => s.address[r] as bigint),
      size: Float64Array.from(held, r => s.size[r] as number),
      type: Uint8Array.from(held, r => s.type[r] as number),
      stream: ofRow(s.stream),
      pool: ofRow(s.pool),
      expandable: Uint8Array.from(held, r => s.expandable[r] as number),
      stack: ofRow(s.stack),
      table: Int32Array.from(held, r => ((s.to[r] as number) === model.events ? (s.table[r] as number) : -1)),
      blockStart,
    },
    blocks: {
      count: address.length,
      address: BigUint64Array.from(address),
      size: Float64Array.from(size),
      requested: Float64Array.from(requested),
      state: Uint8Array.from(state),
      allocation: Int32Array.from(allocation),
      sizeSource: Uint8Array.from(source),
    },
    outside,
    overlaps,
  }
}
