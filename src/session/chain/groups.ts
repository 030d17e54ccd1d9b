/** Events by the id that they carry: a hash table over typed columns, so that two million ids cost no objects and no sorting. */

export class Groups {
  #slots = new Int32Array(1 << 10).fill(-1)
  #space = new Uint32Array(1 << 9)
  #low = new Uint32Array(1 << 9)
  #high = new Uint32Array(1 << 9)
  #count = 0
  /** Members in the order of their arrival: group and node. */
  #group = new Uint32Array(1 << 10)
  #node = new Uint32Array(1 << 10)
  #members = 0
  #start: Uint32Array | null = null
  #sorted: Uint32Array | null = null

  /** Groups so far. */
  get count(): number {
    return this.#count
  }

  #find(space: number, low: number, high: number): number {
    const mask = this.#slots.length - 1
    let slot = hash(space, low, high) & mask
    for (;;) {
      const g = this.#slots[slot]
      if (g < 0) return -1 - slot
      if (this.#low[g] === low && this.#high[g] === high && this.#space[g] === space) return g
      slot = (slot + 1) & mask
    }
  }

  /** Group of an id within a space (a process, a file); -1 where nothing carries it. */
  of(space: number, low: number, high: number): number {
    return Math.max(-1, this.#find(space, low, high))
  }

  add(space: number, low: number, high: number, node: number): void {
    let g = this.#find(space, low, high)
    if (g < 0) {
      const slot = -1 - g
      g = this.#count++
      if (g >= this.#low.length) {
        this.#space = doubled(this.#space)
        this.#low = doubled(this.#low)
        this.#high = doubled(this.#high)
      }
      this.#space[g] = space
      this.#low[g] = low
      this.#high[g] = high
      this.#slots[slot] = g
      if (this.#count * 2 > this.#slots.length) this.#rehash()
    }
    const n = this.#members++
    if (n >= this.#group.length) {
      this.#group = doubled(this.#group)
      this.#node = doubled(this.#node)
    }
    this.#group[n] = g
    this.#node[n] = node
    this.#start = null
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1)
    const mask = slots.length - 1
    for (let g = 0; g < this.#count; g++) {
      let slot = hash(this.#space[g], this.#low[g], this.#high[g]) & mask
      while (slots[slot] >= 0) slot = (slot + 1) & mask
      slots[slot] = g
    }
    this.#slots = slots
  }

  /** Nodes of a group, in the order of their arrival. Not to be kept beyond the next `add`. */
  members(g: number): Uint32Array {
    if (!this.#start || !this.#sorted) {
      const start = new Uint32Array(this.#count + 1)
      for (let i = 0; i < this.#members; i++) start[this.#group[i] + 1]++
      for (let i = 0; i < this.#count; i++) start[i + 1] += start[i]
      const next = start.slice()
      const sorted = new Uint32Array(this.#members)
      for (let i = 0; i < this.#members; i++) sorted[next[this.#group[i]]++] = this.#node[i]
      this.#start = start
      this.#sorted = sorted
    }
    return this.#sorted.subarray(this.#start[g], this.#start[g + 1])
  }

  low(g: number): number {
    return this.#low[g]
  }
  high(g: number): number {
    return this.#high[g]
  }
  space(g: number): number {
    return this.#space[g]
  }
}

function hash(space: number, low: number, high: number): number {
  let h = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) ^ Math.imul(space + 1, 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b)
  return (h ^ (h >>> 16)) >>> 0
}

function doubled(a: Uint32Array): Uint32Array<ArrayBuffer> {
  const b = new Uint32Array(a.length * 2)
  b.set(a)
  return b
}

/** The halves of a column of 64-bit values: `[2 i]` is the lower, `[2 i + 1]` the upper. */
export const halves = (a: BigUint64Array | BigInt64Array): Uint32Array => new Uint32Array(a.buffer, a.byteOffset, 2 * a.length)

/** Zero and all ones (in 32 and 64 bits) are how "none" is written. */
export const isNone = (low: number, high: number): boolean =>
  (low === 0 && high === 0) || (low === 0xffffffff && (high === 0xffffffff || high === 0))
