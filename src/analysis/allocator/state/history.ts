/** What `stateAt` needs of a device and no moment changes: its segments, the order of addresses, block sizes and pools. Made once for each model. */
import type { SnapshotTable } from '../../../shared/tables'
import { AddressIds, halvesOf } from '../addresses'
import { ORIGINS, type AllocatorModel } from '../model'
import { segmentsByDevice } from '../replay'
import { roundedCurve } from '../rounded'
import { roundingSettings } from '../rounding'
import { POOL_LARGE, POOL_SMALL, POOL_UNKNOWN, segmentHistory, typeOf, type SegmentHistory } from './segments'

/** How the size of a block is known: from the segment table; by the allocator's rules, checked on the file; by its rounding alone (it may have been larger); not at all. */
export const SIZE_SOURCES = ['table', 'rules', 'rounding', 'unknown'] as const
export const SIZE_UNKNOWN = 3

export interface AllocatorHistory {
  /** False where the file ends early: then the segment table cannot be tied to the events, and there is no state at any moment. */
  readonly anchored: boolean
  readonly segments: SegmentHistory
  /** Allocations of the model in order of address, then of their row. */
  readonly order: Int32Array
  /** Block bytes per allocation; NaN where not known. */
  readonly blockBytes: Float64Array
  /** Per allocation, index into SIZE_SOURCES. */
  readonly sizeSource: Uint8Array
  /** Per allocation, index into SIZE_POOLS. */
  readonly pool: Uint8Array
}

const made = new WeakMap<AllocatorModel, AllocatorHistory>()

/** The history of a model of `table`. Linear in allocations and segment events but for sorting addresses. */
export function historyOf(table: SnapshotTable, model: AllocatorModel): AllocatorHistory {
  const known = made.get(model)
  if (known) return known
  const trace = table.devices[model.traceIndex] ?? null
  const segmentRows = segmentsByDevice(table).get(model.device) ?? []
  const pool = sizePools(table, model)
  const order = addressOrder(model.address)
  const segments = segmentHistory(table, segmentRows, trace)
  inferTypes(segments, model, order, pool)
  const history = {
    anchored: table.segments.complete !== false && trace?.complete !== false,
    segments,
    order,
    pool,
    ...blockSizes(table, segmentRows, model),
  }
  made.set(model, history)
  return history
}

/** Rows in order of address: distinct addresses are sorted natively, rows by counting. */
export function addressOrder(address: BigUint64Array): Int32Array {
  const ids = new AddressIds()
  const halves = halvesOf(address)
  const rank = Int32Array.from(address, (_, i) => ids.add(halves[2 * i] as number, halves[2 * i + 1] as number))
  const sorted = ids.values().sort()
  const sortedHalves = halvesOf(sorted)
  const rankOf = new Int32Array(sorted.length)
  for (let r = 0; r < sorted.length; r++) rankOf[ids.find(sortedHalves[2 * r] as number, sortedHalves[2 * r + 1] as number)] = r
  const next = new Int32Array(sorted.length + 1)
  rank.forEach((id, i) => {
    const r = (rank[i] = rankOf[id] as number)
    next[r + 1] = (next[r + 1] as number) + 1
  })
  for (let r = 0; r < sorted.length; r++) next[r + 1] = (next[r + 1] as number) + (next[r] as number)
  const order = new Int32Array(address.length)
  rank.forEach((r, i) => {
    order[next[r] as number] = i
    next[r] = (next[r] as number) + 1
  })
  return order
}

function blockSizes(table: SnapshotTable, segmentRows: readonly number[], model: AllocatorModel) {
  const settings = model.rounded ? roundingSettings(table.settings) : null
  // Without confirmed rules only the table tells sizes.
  const blockBytes = settings ? roundedCurve(table, segmentRows, model, settings).block : new Float64Array(model.count).fill(NaN)
  const sizeSource = new Uint8Array(model.count)
  for (let i = 0; i < model.count; i++) {
    const k = model.block[i] as number
    if (k >= 0) blockBytes[i] = table.blocks.size[k] as number
    if (!Number.isSafeInteger(blockBytes[i] as number)) blockBytes[i] = NaN
    sizeSource[i] = Number.isNaN(blockBytes[i] as number) ? SIZE_UNKNOWN : k >= 0 ? 0 : i >= model.startCount ? 1 : 2
  }
  return { blockBytes, sizeSource }
}

/** Neuron's guide draws the line at 1 MB, CUDA's allocator takes up to 1 MiB for small: what lies between is told by the segment table alone. */
const SURELY_SMALL = 1_000_000
const SURELY_LARGE = 1024 * 1024

function sizePools(table: SnapshotTable, model: AllocatorModel): Uint8Array {
  const types = Uint8Array.from({ length: table.segments.count }, (_, s) => typeOf(table, s))
  return Uint8Array.from(model.size, (size, i) => {
    const k = model.block[i] as number
    const type = k >= 0 ? (types[table.blocks.segment[k] as number] as number) : POOL_UNKNOWN
    if (type !== POOL_UNKNOWN) return type
    return size < SURELY_SMALL ? POOL_SMALL : size > SURELY_LARGE ? POOL_LARGE : POOL_UNKNOWN
  })
}

/** Segments that are not in the table take the pool of what lived in them. */
function inferTypes(s: SegmentHistory, model: AllocatorModel, order: Int32Array, pool: Uint8Array): void {
  for (let r = 0; r < s.count; r++) {
    if (s.type[r] !== POOL_UNKNOWN) continue
    const stop = (s.address[r] as bigint) + BigInt(s.size[r] as number)
    for (let k = firstAt(model, order, s.address[r] as bigint); k < order.length; k++) {
      const i = order[k] as number
      if ((model.address[i] as bigint) >= stop) break
      const freed = model.freeEvent[i] as number
      const together = (model.allocEvent[i] as number) < (s.to[r] as number) && (freed < 0 || freed > (s.from[r] as number))
      if (!together || pool[i] === POOL_UNKNOWN) continue
      s.type[r] = pool[i] as number
      break
    }
  }
}

/** First place in `order` at or after an address. */
export function firstAt(model: Pick<AllocatorModel, 'address'>, order: Int32Array, address: bigint): number {
  let lo = 0
  let hi = order.length
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if ((model.address[order[mid] as number] as bigint) < address) lo = mid + 1
    else hi = mid
  }
  return lo
}

const LIVE_AT_START = ORIGINS.indexOf('live-at-start')

/** Whether the free of an allocation that is active after `event` has been asked for. */
export function isPendingAt(
  model: Pick<AllocatorModel, 'freeRequestedEvent' | 'allocEvent' | 'origin'>,
  i: number,
  event: number,
): boolean {
  const requested = model.freeRequestedEvent[i] as number
  if (requested >= 0) return requested <= event
  // Freed before the recording began, unless the table has it allocated.
  return (model.allocEvent[i] as number) < 0 && model.origin[i] !== LIVE_AT_START
}
