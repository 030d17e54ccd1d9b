/**
 * Distinct byte strings with dense ids, in one buffer. Nothing is decoded on the way in.
 * The hash starts from a number that differs from run to run, so that no file can be built whose strings all collide; ids do not depend on it.
 */
import { grown, GrowU32 } from './grow'

const encoder = new TextEncoder()

export const HASH_STEP = 0x01000193

export class Interner {
  #bytes = new Uint8Array(64 * 1024)
  #used = 0
  readonly #offsets = new GrowU32()
  readonly #hashes = new GrowU32()
  /** Open addressing: id + 1, 0 free. Always at most half full. */
  #slots = new Int32Array(4096)
  readonly #seed = (Math.random() * 0x100000000) >>> 0

  constructor() {
    this.#offsets.push(0)
  }

  get count(): number {
    return this.#offsets.n - 1
  }

  /** Start of a hash; each byte of the string goes into it as `h = Math.imul(h ^ byte, HASH_STEP)`. */
  get seed(): number {
    return this.#seed
  }

  /** Id of `buf[from .. to)`. */
  intern(buf: Uint8Array, from: number, to: number): number {
    let h = this.#seed
    for (let i = from; i < to; i++) h = Math.imul(h ^ (buf[i] as number), HASH_STEP)
    return this.internHashed(buf, from, to, h)
  }

  /** Id of `buf[from .. to)`, whose bytes the caller has hashed on its way through them. */
  internHashed(buf: Uint8Array, from: number, to: number, hash: number): number {
    let h = hash ^ (hash >>> 15)
    h = Math.imul(h, 0x2c1b3c6d)
    h = (h ^ (h >>> 13)) >>> 0
    const mask = this.#slots.length - 1
    const n = to - from
    const bytes = this.#bytes
    let s = h & mask
    for (let id = this.#slots[s] as number; id !== 0; s = (s + 1) & mask, id = this.#slots[s] as number) {
      if (this.#hashes.a[id - 1] !== h) continue
      const o = this.#offsets.a[id - 1] as number
      if ((this.#offsets.a[id] as number) - o !== n) continue
      let k = 0
      while (k < n && bytes[o + k] === buf[from + k]) k++
      if (k === n) return id - 1
    }
    return this.#add(buf, from, to, h, s)
  }

  /** Position after string `id` and a quote, where they stand in `buf` at `from`; 0 where they do not. */
  quoted(id: number, buf: Uint8Array, from: number, end: number): number {
    const bytes = this.#bytes
    let o = this.#offsets.a[id] as number
    const to = this.#offsets.a[id + 1] as number
    const after = from + to - o
    if (after >= end || buf[after] !== 0x22) return 0
    for (let p = from; o < to; o++, p++) if (bytes[o] !== buf[p]) return 0
    return after + 1
  }

  internText(text: string): number {
    const b = encoder.encode(text)
    return this.intern(b, 0, b.length)
  }

  /** Bytes of string `id`; valid until the next intern. */
  raw(id: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets.a[id], this.#offsets.a[id + 1])
  }

  /** Exact copies of buffer and offsets: a StringTable. */
  table(): { readonly bytes: Uint8Array; readonly offsets: Uint32Array } {
    return { bytes: this.#bytes.slice(0, this.#used), offsets: this.#offsets.take() }
  }

  #add(buf: Uint8Array, from: number, to: number, h: number, slot: number): number {
    const n = to - from
    if (this.#used + n > 0xffffffff) throw new RangeError('Array buffer allocation failed: more than 4 GiB of distinct text')
    if (this.#used + n > this.#bytes.length) {
      const next = new Uint8Array(grown(this.#bytes.length, this.#used + n))
      next.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = next
    }
    this.#bytes.set(buf.subarray(from, to), this.#used)
    this.#used += n
    this.#offsets.push(this.#used)
    const id = this.#hashes.push(h)
    this.#slots[slot] = id + 1
    if (2 * (id + 1) > this.#slots.length) this.#rehash()
    return id
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4)
    const mask = slots.length - 1
    for (let id = 0; id < this.#hashes.n; id++) {
      let s = (this.#hashes.a[id] as number) & mask
      while (slots[s] !== 0) s = (s + 1) & mask
      slots[s] = id + 1
    }
    this.#slots = slots
  }
}
