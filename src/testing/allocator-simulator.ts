/**
 * A small caching allocator as c10/cuda/CUDACachingAllocator.cpp describes it, written with linked blocks and shared with nothing of the program: best fit, split and
 * coalesce, small and large pools, private pools, streams, expandable segments with pages that are mapped and unmapped, frees that stay pending. It writes the history
 * and the segment table of a snapshot and knows the allocated bytes after each event, which a snapshot does not tell.
 */
import type { FixtureBlock, FixtureEvent, FixtureSegment, FixtureSnapshot } from '../formats/memory-snapshot/fixture'

const KB = 1024
const MB = 1024 * KB

export interface SimulatorOptions {
  readonly expandable: boolean
  /** Bytes; Infinity for none. */
  readonly maxSplit: number
  /** Divisions for each power of two from 1 MiB on; 0 for none. */
  readonly divisions: number
}

interface Block {
  address: number
  size: number
  requested: number
  state: 'free' | 'used' | 'pending' | 'unmapped'
  prev: Block | null
  next: Block | null
  readonly pool: Pool
  readonly expandable: boolean
}
interface Pool {
  readonly id: number
  readonly stream: number
  readonly small: boolean
  /** First block of each segment, or of each reserved range of an expandable one. */
  readonly heads: Block[]
}

export class AllocatorSimulator {
  readonly events: FixtureEvent[] = []
  /** Allocated bytes after each event. */
  readonly allocated: number[] = []
  /** Block bytes of the alloc that each free belongs to, by event. */
  readonly blockOfEvent = new Map<number, { readonly size: number; readonly requested: number }>()
  readonly #pools = new Map<string, Pool>()
  readonly #o: SimulatorOptions
  #total = 0
  #nextAddress = 0x7f00_0000_0000

  constructor(options: SimulatorOptions) {
    this.#o = options
  }

  live(state: 'used' | 'pending'): Block[] {
    return this.#blocks().filter(b => b.state === state)
  }

  alloc(requested: number, stream: number, privatePool: number): void {
    const size = this.#round(requested)
    const small = size <= MB
    const pool = this.#pool(privatePool, stream, small)
    const fits = (b: Block): boolean =>
      b.state === 'free' &&
      b.pool === pool &&
      b.size >= size &&
      // An oversized block is not given to a small request, nor is much of one wasted on a large one.
      (this.#o.maxSplit === Infinity || (size < this.#o.maxSplit ? b.size < this.#o.maxSplit : b.size < size + 20 * MB))
    let best: Block | null = null
    for (const b of this.#blocks()) if (fits(b) && (!best || b.size < best.size)) best = b
    best ??= this.#o.expandable ? this.#grow(pool, size) : this.#segment(pool, size)
    const left = best.size - size
    const worth = small || this.#o.expandable ? left >= 512 : size < this.#o.maxSplit && left > MB
    if (worth) {
      const rest: Block = { ...best, address: best.address + size, size: left, prev: best, next: best.next }
      if (best.next) best.next.prev = rest
      best.next = rest
      best.size = size
    }
    best.state = 'used'
    best.requested = requested
    this.#total += best.size
    this.#record('alloc', best)
  }

  /** `done`: the stream is through with it at once. */
  free(block: Block, done: boolean): void {
    block.state = 'pending'
    this.#total -= block.size
    this.#record('free_requested', block)
    if (done) this.complete(block)
  }

  complete(block: Block): void {
    this.#record('free_completed', block)
    block.state = 'free'
    block.requested = 0
    this.#merge(block)
  }

  /** Gives back segments that are wholly free, and free pages of expandable ones. */
  emptyCache(): void {
    for (const pool of this.#pools.values())
      for (const head of [...pool.heads]) {
        if (!head.expandable) {
          if (head.state !== 'free' || head.next) continue
          this.#note('segment_free', head.address, head.size, pool.stream)
          pool.heads.splice(pool.heads.indexOf(head), 1)
          continue
        }
        const page = pool.small ? 2 * MB : 20 * MB
        for (let b: Block | null = head; b; b = b.next) {
          const from = head.address + Math.ceil((b.address - head.address) / page) * page
          const to = head.address + Math.floor((b.address + b.size - head.address) / page) * page
          if (b.state !== 'free' || to <= from) continue
          this.#note('segment_unmap', from, to - from, pool.stream)
          const hole = this.#cut(this.#cut(b, from), to, true)
          hole.state = 'unmapped'
          this.#mergeUnmapped(hole)
          b = hole
        }
      }
  }

  checkpoint(): void {
    this.#note('snapshot', 0, this.#total, 0)
  }

  /** The snapshot whose history begins with event `from` (the older ones were dropped). */
  snapshot(from = 0): FixtureSnapshot {
    const segments: FixtureSegment[] = []
    for (const pool of this.#pools.values())
      for (const head of pool.heads) {
        let open: FixtureSegment | null = null
        for (let b: Block | null = head; b; b = b.next) {
          if (b.state === 'unmapped') {
            open = null
            continue
          }
          if (!open) {
            open = this.#emptySegment(pool, b)
            segments.push(open)
          }
          const block: FixtureBlock = {
            address: b.address,
            size: b.size,
            requested_size: b.requested,
            state: b.state === 'used' ? 'active_allocated' : b.state === 'pending' ? 'active_pending_free' : 'inactive',
          }
          open.blocks.push(block)
          open.total_size += b.size
        }
      }
    const { maxSplit, divisions, expandable } = this.#o
    return {
      segments,
      device_traces: [this.events.slice(from)],
      allocator_settings: {
        max_split_size: maxSplit === Infinity ? -1 : maxSplit,
        expandable_segments: expandable,
        roundup_power2_divisions: Object.fromEntries(Array.from({ length: 16 }, (_, i) => [String(2 ** i), divisions])),
      },
    }
  }

  #emptySegment(pool: Pool, b: Block): FixtureSegment {
    return {
      device: 0,
      address: b.address,
      total_size: 0,
      stream: pool.stream,
      segment_type: pool.small ? 'small' : 'large',
      is_expandable: b.expandable,
      blocks: [],
    }
  }

  #round(n: number): number {
    const d = this.#o.divisions
    if (n < 512) return 512
    if (d < 2 || n <= 512 * d) return n % 512 === 0 ? n : n - (n % 512) + 512
    let power = 1
    while (power * 2 <= n) power *= 2
    for (let edge = power; ; edge += power / d) if (edge >= n) return edge
  }

  #pool(id: number, stream: number, small: boolean): Pool {
    const key = `${id},${stream},${small}`
    const known = this.#pools.get(key)
    if (known) return known
    const pool: Pool = { id, stream, small, heads: [] }
    this.#pools.set(key, pool)
    return pool
  }

  #segment(pool: Pool, size: number): Block {
    const bytes = pool.small ? 2 * MB : size < 10 * MB ? 20 * MB : Math.ceil(size / (2 * MB)) * 2 * MB
    const block = this.#block(pool, this.#nextAddress, bytes, 'free', false)
    this.#nextAddress += bytes
    pool.heads.push(block)
    this.#note('segment_alloc', block.address, bytes, pool.stream)
    return block
  }

  /** A free block of at least `size`: maps pages at the end of a free block, or where nothing is mapped yet. */
  #grow(pool: Pool, size: number): Block {
    const page = pool.small ? 2 * MB : 20 * MB
    for (const head of pool.heads)
      for (let b: Block | null = head; b; b = b.next) {
        if (b.state !== 'unmapped') continue
        const before = b.prev?.state === 'free' ? b.prev.size : 0
        const bytes = Math.ceil((size - before) / page) * page
        if (bytes > b.size) continue
        this.#cut(b, b.address + bytes, true)
        b.state = 'free'
        this.#note('segment_map', b.address, bytes, pool.stream)
        return this.#merge(b)
      }
    const range = 64 * page + Math.ceil(size / page) * page
    pool.heads.push(this.#block(pool, this.#nextAddress, range, 'unmapped', true))
    this.#nextAddress += range + page
    return this.#grow(pool, size)
  }

  #block(pool: Pool, address: number, size: number, state: Block['state'], expandable: boolean): Block {
    return { address, size, requested: 0, state, prev: null, next: null, pool, expandable }
  }

  /** Cuts a block at an address that may be one of its ends; the second part, or the first where `first` is set. */
  #cut(b: Block, at: number, first = false): Block {
    if (at <= b.address) return b
    if (at >= b.address + b.size) return b
    const rest: Block = { ...b, address: at, size: b.address + b.size - at, prev: b, next: b.next }
    if (b.next) b.next.prev = rest
    b.next = rest
    b.size = at - b.address
    return first ? b : rest
  }

  #merge(b: Block): Block {
    return this.#join(b, 'free')
  }
  #mergeUnmapped(b: Block): Block {
    return this.#join(b, 'unmapped')
  }
  #join(b: Block, state: Block['state']): Block {
    while (b.next?.state === state) {
      b.size += b.next.size
      b.next = b.next.next
      if (b.next) b.next.prev = b
    }
    while (b.prev?.state === state) {
      b = b.prev
      b.size += b.next?.size ?? 0
      b.next = b.next?.next ?? null
      if (b.next) b.next.prev = b
    }
    return b
  }

  #blocks(): Block[] {
    const out: Block[] = []
    for (const pool of this.#pools.values()) for (const head of pool.heads) for (let b: Block | null = head; b; b = b.next) out.push(b)
    return out
  }

  #record(action: string, b: Block): void {
    this.blockOfEvent.set(this.events.length, { size: b.size, requested: b.requested })
    this.#note(action, b.address, b.requested, b.pool.stream)
  }
  #note(action: string, addr: number, size: number, stream: number): void {
    this.events.push({ action, addr, size, stream, frames: [] })
    this.allocated.push(this.#total)
  }
}
