/**
 * A small caching allocator with the rules that the snapshot format describes: requests are rounded to 512 bytes, served best-fit from
 * free blocks of the same pool and stream, split where the rest is worth keeping, and merged with free neighbours. It writes the history
 * and the segment table that `torch`'s snapshot would hold. Used by the sample generator only; the viewer's replay knows nothing of it.
 */
import { MIB } from '../../shared/units'

export interface SampleFrame {
  readonly name: string
  readonly filename: string
  readonly line: number
}

/** One frame list object per event, as the real writer does it; frame objects are shared. */
export type SampleStack = readonly SampleFrame[]

export interface SampleEntry {
  readonly action: string
  readonly addr: bigint
  readonly size: number
  readonly stream: number
  readonly timeUs: number
  readonly frames: SampleStack
  /** Id that the runtime gave the memory of a new segment. */
  readonly traceId?: bigint
}

interface Block {
  address: bigint
  size: number
  requested: number
  state: 'active_allocated' | 'active_pending_free' | 'inactive'
  frames: SampleStack
  prev: Block | null
  next: Block | null
  segment: Segment
}

interface Segment {
  readonly address: bigint
  readonly size: number
  readonly stream: number
  readonly small: boolean
  readonly frames: SampleStack
  readonly traceId: bigint
  first: Block
}

/** An allocation that the simulated program holds. */
export interface Handle {
  readonly block: Block
  readonly size: number
}

const SMALL_LIMIT = MIB
const SMALL_SEGMENT = 2 * MIB
const LARGE_SEGMENT = 20 * MIB
const ROUND = 512

/** Asks the runtime for the memory of a segment; answers its trace id. */
export type TakeMemory = (bytes: number, recording: boolean) => bigint

export class SampleAllocator {
  readonly #take: TakeMemory
  readonly #segments: Segment[] = []
  readonly #entries: SampleEntry[] = []
  #free: Block[] = []
  #next = 0x10_0000_0000n
  #recording = false
  /** Requested bytes of live blocks (until free_requested), for the trace's `[memory]` events. */
  allocatedRounded = 0
  reserved = 0

  constructor(take: TakeMemory) {
    this.#take = take
  }

  /** From now on events go to the history. Before, only the segment table changes (the start state of the snapshot). */
  record(): void {
    this.#recording = true
  }

  get entries(): readonly SampleEntry[] {
    return this.#entries
  }

  alloc(size: number, stream: number, timeUs: number, frames: SampleStack): Handle {
    const rounded = Math.max(ROUND, Math.ceil(size / ROUND) * ROUND)
    const small = rounded <= SMALL_LIMIT
    let best: Block | null = null
    for (const b of this.#free)
      if (b.segment.small === small && b.segment.stream === stream && b.size >= rounded && (best === null || b.size < best.size)) best = b
    const block = best ?? this.#grow(rounded, small, stream, timeUs, frames)
    this.#free = this.#free.filter(b => b !== block)
    const rest = block.size - rounded
    if (small ? rest >= ROUND : rest > MIB) {
      const tail: Block = {
        address: block.address + BigInt(rounded),
        size: rest,
        requested: 0,
        state: 'inactive',
        frames: [],
        prev: block,
        next: block.next,
        segment: block.segment,
      }
      if (block.next) block.next.prev = tail
      block.next = tail
      block.size = rounded
      this.#free.push(tail)
    }
    block.requested = size
    block.state = 'active_allocated'
    block.frames = frames
    this.allocatedRounded += block.size
    this.#log('alloc', block.address, size, stream, timeUs, frames)
    return { block, size }
  }

  /** The program lets go. With `pending` the block stays active until `complete` (another stream still uses it). */
  free(h: Handle, timeUs: number, frames: SampleStack, pending = false): void {
    const { block } = h
    this.allocatedRounded -= block.size
    this.#log('free_requested', block.address, h.size, block.segment.stream, timeUs, frames)
    block.state = 'active_pending_free'
    if (!pending) this.complete(h, timeUs, frames)
  }

  complete(h: Handle, timeUs: number, frames: SampleStack): void {
    const { block } = h
    this.#log('free_completed', block.address, h.size, block.segment.stream, timeUs, frames)
    block.state = 'inactive'
    block.requested = 0
    block.frames = []
    let at = block
    const { prev, next } = block
    if (next?.state === 'inactive') {
      this.#free = this.#free.filter(b => b !== next)
      block.size += next.size
      block.next = next.next
      if (next.next) next.next.prev = block
    }
    if (prev?.state === 'inactive') {
      this.#free = this.#free.filter(b => b !== prev)
      prev.size += block.size
      prev.next = block.next
      if (block.next) block.next.prev = prev
      at = prev
    }
    this.#free.push(at)
  }

  /** The segment table in the words of the snapshot format. */
  segmentTable(): readonly Readonly<Record<string, unknown>>[] {
    return this.#segments.map(s => {
      const blocks: Record<string, unknown>[] = []
      const sum = { allocated: 0, active: 0, requested: 0 }
      for (let b: Block | null = s.first; b; b = b.next) {
        if (b.state === 'active_allocated') sum.allocated += b.size
        if (b.state !== 'inactive') {
          sum.active += b.size
          sum.requested += b.requested
        }
        blocks.push({ address: b.address, size: b.size, requested_size: b.requested, state: b.state, frames: b.frames })
      }
      return {
        device: 0,
        address: s.address,
        total_size: s.size,
        allocated_size: sum.allocated,
        active_size: sum.active,
        requested_size: sum.requested,
        stream: s.stream,
        segment_type: s.small ? 'small' : 'large',
        is_expandable: false,
        trace_id: s.traceId,
        frames: s.frames,
        blocks,
      }
    })
  }

  #grow(rounded: number, small: boolean, stream: number, timeUs: number, frames: SampleStack): Block {
    const size = small ? SMALL_SEGMENT : rounded < 10 * MIB ? LARGE_SEGMENT : Math.ceil(rounded / (2 * MIB)) * 2 * MIB
    const address = this.#next
    this.#next += BigInt(size) + BigInt(2 * MIB)
    const traceId = this.#take(size, this.#recording)
    const segment = { address, size, stream, small, frames, traceId } as Segment
    segment.first = { address, size, requested: 0, state: 'inactive', frames: [], prev: null, next: null, segment }
    this.#segments.push(segment)
    this.#free.push(segment.first)
    this.reserved += size
    this.#log('segment_alloc', address, size, stream, timeUs, frames, traceId)
    return segment.first
  }

  #log(action: string, addr: bigint, size: number, stream: number, timeUs: number, frames: SampleStack, traceId?: bigint): void {
    if (this.#recording) this.#entries.push({ action, addr, size, stream, timeUs, frames, ...(traceId === undefined ? {} : { traceId }) })
  }
}
