/**
 * Fragmentation of a state, by the definitions of Neuron's memory guide:
 * - internal: "the bytes that block rounding adds": size of the allocated blocks minus the bytes that were asked for.
 * - external: "the free bytes that are outside the largest free region and outside the cached blocks": capacity minus reserved, minus the largest free region between, before and behind segments.
 * - index: (internal + external) / total free. Total free is what no block is handed out of: capacity minus allocated and pending blocks, so cached blocks count.
 * - density: reserved / address span, from the first to the last segment.
 * What other programs hold of the device no snapshot tells: it counts as free.
 */
import type { SnapshotTable } from '../../../shared/tables'
import { sizeKnown } from '../live/live'
import type { AllocatorModel } from '../model'
import { SIZE_SOURCES } from '../state/history'
import { POOL_LARGE, POOL_SMALL, SIZE_POOLS } from '../state/segments'
import { INACTIVE, type AllocatorState } from '../state/stateAt'

/** Figures of some segments of a state. Null is not known, see `reasons`. */
export interface PoolFigures {
  readonly segments: number
  readonly reservedBytes: number
  /** Block bytes handed out, and of those whose free is pending. */
  readonly allocatedBytes: number | null
  readonly pendingBytes: number | null
  /** Free chunks within segments. */
  readonly cachedBytes: number | null
  readonly internalBytes: number | null
  readonly largestFreeChunk: number | null
  readonly density: number | null
  /** Wholly free segments that `empty_cache` would give back; those of private pools stay while their graph lives. */
  readonly emptyCacheBytes: number
  readonly emptyCacheSegments: number
  readonly privateFreeBytes: number
  /** Whole free pages (2 MiB small, 20 MiB large) of partly used segments that can expand: CUDA's `empty_cache` gives them back too. */
  readonly emptyCachePageBytes: number | null
}

export interface Fragmentation extends PoolFigures {
  readonly device: number
  readonly event: number
  readonly capacityBytes: number | null
  readonly totalFreeBytes: number | null
  /** Largest free region of the device outside the segments. */
  readonly largestFreeRegion: number | null
  readonly externalBytes: number | null
  readonly index: number | null
  readonly pools: Readonly<Partial<Record<(typeof SIZE_POOLS)[number], PoolFigures>>>
  /** How the sizes of the live blocks are known. */
  readonly blockSizes: Readonly<Record<(typeof SIZE_SOURCES)[number], number>>
  /** Why a figure is null, by its name. */
  readonly reasons: Readonly<Record<string, string>>
}

/** The default pool; others belong to CUDA graphs and MemPools. */
const DEFAULT_POOL = '0,0'
const PAGE = { [POOL_SMALL]: 2 * 1024 * 1024, [POOL_LARGE]: 20 * 1024 * 1024 } as const
const ALLOCATED = 0

/** `capacity` of the device in bytes; null where it is not known. */
export function fragmentation(table: SnapshotTable, model: AllocatorModel, state: AllocatorState, capacity: number | null): Fragmentation {
  const all = poolFigures(table, model, state, () => true)
  const pools: Partial<Record<(typeof SIZE_POOLS)[number], PoolFigures>> = {}
  SIZE_POOLS.forEach((name, type) => {
    if (type !== 0 || state.segments.type.includes(0)) pools[name] = poolFigures(table, model, state, s => state.segments.type[s] === type)
  })
  const sources = SIZE_SOURCES.map((_, k) =>
    state.blocks.sizeSource.reduce((n, s, b) => n + (s === k && state.blocks.state[b] !== INACTIVE ? 1 : 0), 0),
  )
  const reasons: Record<string, string> = {}
  if (all.internalBytes === null)
    for (const name of ['allocatedBytes', 'cachedBytes', 'internalBytes', 'largestFreeChunk'])
      if (all[name as keyof PoolFigures] === null) reasons[name] = sizesReason(model, state, sources[3] as number)
  if (all.density === null) reasons['density'] = 'there is no segment'
  const outside = outsideOf(all, state, capacity)
  for (const name of ['totalFreeBytes', 'externalBytes', 'index'] as const) {
    const reason = outside.reason[name]
    if (reason) reasons[name] = reason
  }
  return {
    device: state.device,
    event: state.event,
    ...all,
    capacityBytes: capacity,
    totalFreeBytes: outside.totalFree,
    largestFreeRegion: outside.region,
    externalBytes: outside.external,
    index: outside.index,
    pools,
    blockSizes: Object.fromEntries(SIZE_SOURCES.map((name, k) => [name, sources[k]])) as Fragmentation['blockSizes'],
    reasons,
  }
}

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`

function sizesReason(model: AllocatorModel, state: AllocatorState, unknown: number): string {
  if (state.outside > 0) return `${count(state.outside, 'live block')} ${state.outside === 1 ? 'lies' : 'lie'} in no segment of the file`
  if (state.overlaps > 0) return `${count(state.overlaps, 'block')} ${state.overlaps === 1 ? 'reaches' : 'reach'} into another`
  if (unknown === 0) return 'the file lacks the requested size of a block'
  return `the size of ${count(unknown, 'live block')} is not known: ${model.figures.blockRounded.reason}`
}

function poolFigures(table: SnapshotTable, model: AllocatorModel, state: AllocatorState, which: (segment: number) => boolean): PoolFigures {
  const { segments: s, blocks: b } = state
  const known = sizeKnown(table, model)
  const requestKnown = (i: number): boolean => {
    const k = model.block[i] as number
    return known(i) && !(k >= 0 && i < model.startCount && Number.isNaN(table.blocks.requestedSize[k] as number))
  }
  // Where blocks are in the wrong place, no sum of sizes means anything.
  const nothing = state.outside > 0 || state.overlaps > 0 ? NaN : 0
  let [allocated, pending, cached, internal, largest] = [nothing, nothing, nothing, nothing, nothing]
  let [count, reserved, empty, emptySegments, privateFree, pages] = [0, 0, 0, 0, 0, nothing]
  let first: bigint | null = null
  let last = 0n
  for (let i = 0; i < s.count; i++) {
    if (!which(i)) continue
    const size = s.size[i] as number
    const address = s.address[i] as bigint
    count++
    reserved += size
    first ??= address
    const stop = address + BigInt(size)
    if (stop > last) last = stop
    let used = 0
    let segmentPages = 0
    const page = s.expandable[i] === 1 ? (PAGE[s.type[i] as 1 | 2] ?? NaN) : 0
    for (let k = s.blockStart[i] as number; k < (s.blockStart[i + 1] as number); k++) {
      const bytes = b.size[k] as number
      if (b.state[k] === INACTIVE) {
        cached += bytes
        if (bytes > largest) largest = bytes
        if (page !== 0) {
          const from = Number((b.address[k] as bigint) - address)
          segmentPages += Math.max(0, Math.floor((from + bytes) / page) - Math.ceil(from / page)) * page
        }
        continue
      }
      used++
      // A block of unknown size hides what is free behind it.
      if (Number.isNaN(bytes)) cached = largest = segmentPages = NaN
      if (b.state[k] === ALLOCATED) {
        allocated += bytes
        internal += requestKnown(b.allocation[k] as number) ? bytes - (b.requested[k] as number) : NaN
      } else pending += bytes
    }
    if (used > 0) {
      if (page !== 0) pages += segmentPages
    } else if ((table.pools[s.pool[i] as number] ?? DEFAULT_POOL) === DEFAULT_POOL) {
      empty += size
      emptySegments++
    } else privateFree += size
  }
  const span = first === null ? 0 : Number(last - first)
  return {
    segments: count,
    reservedBytes: reserved,
    allocatedBytes: orNull(allocated),
    pendingBytes: orNull(pending),
    cachedBytes: orNull(cached),
    internalBytes: orNull(internal),
    largestFreeChunk: orNull(largest),
    density: span > 0 ? reserved / span : null,
    emptyCacheBytes: state.outside > 0 ? 0 : empty,
    emptyCacheSegments: state.outside > 0 ? 0 : emptySegments,
    privateFreeBytes: privateFree,
    emptyCachePageBytes: orNull(pages),
  }
}

const orNull = (v: number): number | null => (Number.isNaN(v) ? null : v)

interface Outside {
  readonly totalFree: number | null
  readonly region: number | null
  readonly external: number | null
  readonly index: number | null
  readonly reason: Partial<Record<'totalFreeBytes' | 'externalBytes' | 'index', string>>
}

/** What needs the device's capacity. */
function outsideOf(all: PoolFigures, state: AllocatorState, capacity: number | null): Outside {
  const none = (reason: string): Outside => ({
    ...{ totalFree: null, region: null, external: null, index: null },
    reason: { totalFreeBytes: reason, externalBytes: reason, index: reason },
  })
  if (capacity === null) return none("a snapshot does not hold the device's capacity")
  if (capacity < all.reservedBytes) return none('the capacity given is less than what is reserved')
  const { cachedBytes: cached, internalBytes: internal } = all
  const unreserved = capacity - all.reservedBytes
  const totalFree = cached === null ? null : unreserved + cached
  const sizes = 'block sizes are not known'
  const region = largestRegion(state, capacity)
  const external = region === null ? null : unreserved - region
  const reason: { totalFreeBytes?: string; externalBytes?: string; index?: string } = {}
  if (totalFree === null) reason.totalFreeBytes = sizes
  if (external === null)
    reason.externalBytes =
      "the segments' addresses span more than the device has: they are virtual, and where its memory is free is not known"
  let index: number | null = null
  if (external === null) reason.index = reason.externalBytes as string
  else if (totalFree === null || internal === null) reason.index = sizes
  else if (totalFree === 0) reason.index = 'nothing is free'
  else index = (internal + external) / totalFree
  return { totalFree, region, external, index, reason }
}

/**
 * Largest free region outside the segments: a gap between two of them, or what lies before the first and behind the last, taken as one piece. Null where the segments span more than the
 * device has.
 */
function largestRegion({ segments: s }: AllocatorState, capacity: number): number | null {
  if (s.count === 0) return capacity
  let largest = 0
  let end = s.address[0] as bigint
  for (let i = 0; i < s.count; i++) {
    const gap = Number((s.address[i] as bigint) - end)
    if (gap > largest) largest = gap
    end = (s.address[i] as bigint) + BigInt(s.size[i] as number)
  }
  const span = Number(end - (s.address[0] as bigint))
  return span > capacity ? null : Math.max(largest, capacity - span)
}
