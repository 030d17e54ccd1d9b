/**
 * Allocated bytes as the allocator counts them (torch.cuda.memory_allocated): block sizes from alloc to free_requested. The history stores requested bytes only; the
 * block size follows from the allocator's rules (round_size and should_split of c10/cuda/CUDACachingAllocator.cpp):
 * - the request is rounded up to 512 bytes;
 * - the free gap it is taken from is split only if what is left is worth it: at least 512 bytes in the small pool (requests up to 1 MiB) and in expandable segments, more
 *   than 1 MiB in the large pool, and never for a request of at least max_split_size. Otherwise the block takes the whole gap.
 * Blocks of the segment table have their true size; of a block that was freed without a known alloc only the rounding is known.
 */
import { ACTIONS, type DeviceTrace, type SnapshotTable } from '../../shared/tables'
import type { AllocatorModel } from './model'
import { RankSet } from './rankset'

const MIN_BLOCK = 512
const SMALL_SIZE = 1024 * 1024
const SEGMENT_ALLOC = ACTIONS.indexOf('segment_alloc')
const SEGMENT_FREE = ACTIONS.indexOf('segment_free')
const SEGMENT_MAP = ACTIONS.indexOf('segment_map')
const SEGMENT_UNMAP = ACTIONS.indexOf('segment_unmap')

export interface Rounded {
  /** Block bytes of each allocation of the model. */
  readonly block: Float64Array
  /** Allocated block bytes after each event. */
  readonly after: Float64Array
  readonly start: number
}

/** Null where the rules do not tell: a rounding to powers of two is set, or the segment table is not whole. */
export function roundedCurve(table: SnapshotTable, segmentRows: readonly number[], model: Omit<AllocatorModel, 'figures'>): Rounded | null {
  const settings = readSettings(table.settings)
  const trace = table.devices[model.traceIndex]
  if (settings === null || table.segments.complete === false) return null
  const block = blockSizes(table, segmentRows, model, trace ?? null, settings.maxSplit)
  const after = new Float64Array(model.events)
  let start = 0
  for (let i = 0; i < model.count; i++) {
    const bytes = block[i] as number
    const alloc = model.allocEvent[i] as number
    const requested = model.freeRequestedEvent[i] as number
    const freed = model.freeEvent[i] as number
    // Of the start state, what was already pending when the recording began was not allocated any more.
    const initially = alloc < 0 && (model.origin[i] === 1 || requested >= 0)
    const end = requested >= 0 ? requested : freed
    if (initially) start += bytes
    if (alloc >= 0) after[alloc] = (after[alloc] as number) + bytes
    if ((alloc >= 0 || initially) && end >= 0) after[end] = (after[end] as number) - bytes
  }
  let sum = start
  for (let i = 0; i < after.length; i++) after[i] = sum += after[i] as number
  return { block, after, start }
}

const round512 = (n: number): number => Math.max(MIN_BLOCK, Math.ceil(n / MIN_BLOCK) * MIN_BLOCK)

function blockSizes(
  table: SnapshotTable,
  segmentRows: readonly number[],
  model: Omit<AllocatorModel, 'figures'>,
  trace: DeviceTrace | null,
  maxSplit: number,
): Float64Array {
  const block = new Float64Array(model.count)
  for (let i = 0; i < model.startCount; i++) {
    const k = model.block[i] as number
    block[i] = k >= 0 ? (table.blocks.size[k] as number) : round512(model.size[i] as number)
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
  for (let i = 0; i < model.startCount; i++) map.occupy(model.address[i] as bigint)
  for (let e = 0; e < model.events; e++) {
    map.segment(e, false)
    for (let i = freed[e] as number; i >= 0; i = chain[i] as number) map.vacate(model.address[i] as bigint)
    if (next < model.count && model.allocEvent[next] === e) {
      const size = round512(model.size[next] as number)
      const gap = map.gap(model.address[next] as bigint)
      const left = gap.bytes - size
      const split = size <= SMALL_SIZE || gap.expandable ? left >= MIN_BLOCK : size < maxSplit && left > SMALL_SIZE
      block[next] = left <= 0 || split ? size : gap.bytes
      map.occupy(model.address[next] as bigint)
      next++
    }
  }
  return block
}

/** Occupied addresses and ends of segments in order of address, moved along with the events. */
class AddressMap {
  readonly #addresses: BigUint64Array
  readonly #occupied: RankSet
  /** Addresses where a segment or a mapped range ends. */
  readonly #ends: RankSet
  /** Starts and ends of the mapped ranges of expandable segments. */
  readonly #mappedStart: RankSet
  readonly #mappedEnd: RankSet
  readonly #trace: DeviceTrace

  constructor(table: SnapshotTable, segmentRows: readonly number[], model: Omit<AllocatorModel, 'figures'>, trace: DeviceTrace) {
    this.#trace = trace
    const all: bigint[] = []
    const { segments } = table
    for (const s of segmentRows)
      all.push(segments.address[s] as bigint, end(segments.address[s] as bigint, segments.totalSize[s] as number))
    for (let e = 0; e < trace.count; e++)
      if (isSegment(trace.action[e] as number))
        all.push(trace.address[e] as bigint, end(trace.address[e] as bigint, trace.size[e] as number))
    const ordered = new BigUint64Array(all.length + model.count)
    ordered.set(model.address)
    ordered.set(all, model.count)
    ordered.sort()
    let n = 0
    for (let i = 0; i < ordered.length; i++) if (i === 0 || ordered[i] !== ordered[i - 1]) ordered[n++] = ordered[i] as bigint
    this.#addresses = ordered.slice(0, n)
    this.#occupied = new RankSet(n)
    this.#ends = new RankSet(n)
    this.#mappedStart = new RankSet(n)
    this.#mappedEnd = new RankSet(n)
    for (const s of segmentRows) {
      const from = segments.address[s] as bigint
      const to = end(from, segments.totalSize[s] as number)
      if (segments.expandable[s] === 1) this.#map(from, to)
      else this.#ends.add(this.#rank(to))
    }
    // The table is the state at the end: undo all events to get to the start.
    for (let e = trace.count - 1; e >= 0; e--) this.segment(e, true)
  }

  /** Applies (or undoes) a segment event. */
  segment(e: number, undo: boolean): void {
    const action = this.#trace.action[e] as number
    if (!isSegment(action)) return
    const from = this.#trace.address[e] as bigint
    const to = end(from, this.#trace.size[e] as number)
    const grows = (action === SEGMENT_ALLOC || action === SEGMENT_MAP) !== undo
    if (action === SEGMENT_MAP || action === SEGMENT_UNMAP) {
      if (grows) this.#map(from, to)
      else this.#unmap(from, to)
    } else if (grows) this.#ends.add(this.#rank(to))
    else this.#ends.delete(this.#rank(to))
  }

  occupy(address: bigint): void {
    this.#occupied.add(this.#rank(address))
  }
  vacate(address: bigint): void {
    this.#occupied.delete(this.#rank(address))
  }

  /** Bytes from an address to the next occupied one or the end of its segment; 0 where no segment is known. */
  gap(address: bigint): { readonly bytes: number; readonly expandable: boolean } {
    const r = this.#rank(address)
    const stop = this.#ends.after(r)
    if (stop < 0) return { bytes: 0, expandable: false }
    const next = this.#occupied.after(r)
    const to = next >= 0 && next < stop ? next : stop
    return { bytes: Number((this.#addresses[to] as bigint) - address), expandable: this.#mappedEnd.has(stop) }
  }

  #map(from: bigint, to: bigint): void {
    const a = this.#rank(from)
    const b = this.#rank(to)
    if (this.#mappedEnd.has(a)) this.#end(a, false)
    else this.#mappedStart.add(a)
    if (this.#mappedStart.has(b)) this.#mappedStart.delete(b)
    else this.#end(b, true)
  }
  #unmap(from: bigint, to: bigint): void {
    const a = this.#rank(from)
    const b = this.#rank(to)
    if (this.#mappedStart.has(a)) this.#mappedStart.delete(a)
    else this.#end(a, true)
    if (this.#mappedEnd.has(b)) this.#end(b, false)
    else this.#mappedStart.add(b)
  }
  #end(r: number, there: boolean): void {
    if (there) {
      this.#mappedEnd.add(r)
      this.#ends.add(r)
    } else {
      this.#mappedEnd.delete(r)
      this.#ends.delete(r)
    }
  }

  #rank(address: bigint): number {
    let lo = 0
    let hi = this.#addresses.length
    while (lo < hi) {
      const mid = (lo + hi) >>> 1
      if ((this.#addresses[mid] as bigint) < address) lo = mid + 1
      else hi = mid
    }
    return lo
  }
}

const isSegment = (action: number): boolean =>
  action === SEGMENT_ALLOC || action === SEGMENT_FREE || action === SEGMENT_MAP || action === SEGMENT_UNMAP
const end = (address: bigint, bytes: number): bigint => BigInt.asUintN(64, address + BigInt(Number.isFinite(bytes) ? Math.trunc(bytes) : 0))

/** What of `allocator_settings` changes block sizes; null where the rounding is not known. */
function readSettings(text: string | null): { readonly maxSplit: number } | null {
  let settings: unknown = null
  try {
    settings = text === null ? null : JSON.parse(text)
  } catch {
    // Settings longer than what is kept: taken as the defaults, as no known version writes that much.
  }
  if (settings === null || typeof settings !== 'object') return { maxSplit: Infinity }
  const { max_split_size: maxSplit, roundup_power2_divisions: divisions } = settings as Record<string, unknown>
  if (divisions !== null && typeof divisions === 'object' && Object.values(divisions).some(d => typeof d === 'number' && d > 1)) return null
  return { maxSplit: typeof maxSplit === 'number' && maxSplit > 0 ? maxSplit : Infinity }
}
