/**
 * Would a request fit now? By the rules of the CUDA allocator (get_free_block, get_allocation_size of c10/cuda/CUDACachingAllocator.cpp): the smallest free chunk of the right pool and stream,
 * else a new segment, else the same after the wholly free segments were given back.
 */
import { num } from '../../../shared/format'
import type { SnapshotTable } from '../../../shared/tables'
import type { AllocatorModel } from '../model'
import { roundingSettings, roundSize } from '../rounding'
import { POOL_LARGE, POOL_SMALL, SIZE_POOLS } from '../state/segments'
import { INACTIVE, type AllocatorState } from '../state/stateAt'
import type { Fragmentation } from './figures'

const MIB = 1024 * 1024
const SMALL = MIB
const LARGE_BUFFER = 20 * MIB

export interface RequestAnswer {
  readonly requestBytes: number
  /** Size of the block that it would take; null where the rounding is not known. */
  readonly blockBytes: number | null
  readonly pool: (typeof SIZE_POOLS)[number]
  /** Stream that was taken: the default one, else that with the most reserved bytes. */
  readonly stream: string
  /** null: cannot be told. */
  readonly fits: boolean | null
  readonly how: 'cached-chunk' | 'new-segment' | 'after-empty-cache' | null
  /** Largest free chunk of that pool and stream; null where block sizes are not known. */
  readonly largestFreeChunk: number | null
  /** The chunk that would be taken. */
  readonly chunkBytes: number | null
  /** Bytes of the segment that would be needed. */
  readonly segmentBytes: number | null
  readonly why: string
}

/** `f` are the figures of the same state. */
export function wouldFit(
  table: SnapshotTable,
  model: AllocatorModel,
  state: AllocatorState,
  f: Fragmentation,
  requestBytes: number,
): RequestAnswer {
  const settings = model.rounded ? roundingSettings(table.settings) : null
  const blockBytes = settings ? roundSize(requestBytes, settings) : null
  const type = settings
    ? (blockBytes as number) <= SMALL
      ? POOL_SMALL
      : POOL_LARGE
    : requestBytes < 1e6
      ? POOL_SMALL
      : requestBytes > SMALL
        ? POOL_LARGE
        : 0
  const pool = SIZE_POOLS[type] as (typeof SIZE_POOLS)[number]
  const stream = streamOf(table, state)
  const chunks = chunksOf(table, state, type, stream)
  const largest = chunks === null ? null : (chunks.at(-1) ?? 0)
  const base = { requestBytes, blockBytes, pool, stream, largestFreeChunk: largest, chunkBytes: null, segmentBytes: null }
  const answer = (fits: boolean | null, how: RequestAnswer['how'], why: string, more: Partial<RequestAnswer> = {}): RequestAnswer => ({
    ...base,
    fits,
    how,
    why,
    ...more,
  })
  const where = `free chunk of the ${pool} pool on stream ${stream}`
  if (!settings || blockBytes === null) {
    const rounding = `the size of the block is not known (${model.figures.blockRounded.reason})`
    if (largest !== null && largest < requestBytes)
      return answer(
        null,
        null,
        `The largest ${where} has ${bytes(largest)}, less than asked for; whether a new segment can be had is not known: ${rounding}.`,
      )
    return answer(null, null, `Not known: ${rounding}.`)
  }
  if (chunks === null) return answer(null, null, 'Not known: the sizes of live blocks are not known, so free chunks are not either.')
  const max = settings.maxSplit
  // An oversized chunk is not given to a small request, nor is much of one wasted on a large one.
  const fit = chunks.find(c => c >= blockBytes && (blockBytes < max ? c < max || max === Infinity : c < blockBytes + LARGE_BUFFER))
  if (fit !== undefined)
    return answer(true, 'cached-chunk', `A ${where} of ${bytes(fit)} takes the block of ${bytes(blockBytes)}.`, { chunkBytes: fit })
  const segmentBytes = segmentFor(blockBytes, settings.expandable)
  const lack =
    largest === null || largest < blockBytes
      ? `The block of ${bytes(blockBytes)} is larger than every ${where} (${bytes(largest ?? 0)} the largest, ${bytes(chunks.reduce((a, b) => a + b, 0))} in all)`
      : `Every ${where} of at least ${bytes(blockBytes)} is kept for other sizes (max_split_size)`
  if (f.capacityBytes === null)
    return answer(
      null,
      null,
      `${lack}: it needs a new segment of ${bytes(segmentBytes)}. Whether the device has that is not known without its capacity.`,
      { segmentBytes },
    )
  const unreserved = f.capacityBytes - f.reservedBytes
  if (unreserved < 0) return answer(null, null, `${lack}. The capacity given is less than what is reserved.`, { segmentBytes })
  const others = 'if nothing else holds memory of the device'
  if (unreserved >= segmentBytes && f.largestFreeRegion !== null && f.largestFreeRegion < segmentBytes)
    return answer(
      null,
      null,
      `${lack}; ${bytes(unreserved)} of the device are not reserved, but the largest piece of it between the segments has ${bytes(f.largestFreeRegion)}: a new segment of ${bytes(segmentBytes)} only fits where the device joins pieces.`,
      { segmentBytes },
    )
  if (unreserved >= segmentBytes)
    return answer(
      true,
      'new-segment',
      `${lack}; ${bytes(unreserved)} of the device are not reserved, enough for a new segment of ${bytes(segmentBytes)} ${others}.`,
      { segmentBytes },
    )
  const back = f.emptyCacheBytes + (f.emptyCachePageBytes ?? 0)
  if (unreserved + back >= segmentBytes)
    return answer(
      true,
      'after-empty-cache',
      `${lack}; ${bytes(unreserved)} of the device are not reserved, and ${bytes(back)} of wholly free cache are given back first: enough for a new segment of ${bytes(segmentBytes)} ${others}.`,
      { segmentBytes },
    )
  return answer(
    false,
    null,
    `${lack}; a new segment needs ${bytes(segmentBytes)}, but ${bytes(unreserved)} of the device are not reserved and ${bytes(back)} could be given back.`,
    { segmentBytes },
  )
}

const bytes = (n: number): string => `${num(n)} B`

/** get_allocation_size; an expandable segment grows by pages (2 MiB small, 20 MiB large). */
function segmentFor(size: number, expandable: boolean): number {
  const up = (to: number): number => Math.ceil(size / to) * to
  if (size <= SMALL) return 2 * MIB
  if (expandable) return up(LARGE_BUFFER)
  return size < 10 * MIB ? LARGE_BUFFER : up(2 * MIB)
}

/** Free chunks of a pool on a stream, smallest first, outside private pools; null where a block's size is not known. */
function chunksOf(
  table: SnapshotTable,
  { segments: s, blocks: b, outside, overlaps }: AllocatorState,
  type: number,
  stream: string,
): readonly number[] | null {
  if (outside > 0 || overlaps > 0) return null
  const out: number[] = []
  for (let i = 0; i < s.count; i++) {
    if ((s.type[i] !== type && s.type[i] !== 0) || (table.streams[s.stream[i] as number] ?? stream) !== stream) continue
    if ((table.pools[s.pool[i] as number] ?? '0,0') !== '0,0') continue
    for (let k = s.blockStart[i] as number; k < (s.blockStart[i + 1] as number); k++) {
      if (Number.isNaN(b.size[k] as number)) return null
      if (b.state[k] !== INACTIVE) continue
      // Whose chunk it is decides; a segment of which nothing is known may be of the other pool.
      if (s.type[i] === 0) return null
      out.push(b.size[k] as number)
    }
  }
  return out.sort((x, y) => x - y)
}

function streamOf(table: SnapshotTable, { segments: s }: AllocatorState): string {
  const held = new Map<string, number>()
  for (let i = 0; i < s.count; i++) {
    const name = table.streams[s.stream[i] as number] ?? '0'
    held.set(name, (held.get(name) ?? 0) + (s.size[i] as number))
  }
  if (held.size === 0 || held.has('0')) return '0'
  return ([...held].sort((a, b) => b[1] - a[1])[0] as [string, number])[0]
}
