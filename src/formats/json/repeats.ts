/**
 * Objects that stand in a text again and again in the same bytes: the frames of stacks are most of a JSON snapshot. What such an object was read as is found by its bytes,
 * without reading it again. All bytes are compared, so that a hash that matches by chance changes nothing.
 */
import { GrowI32, GrowU32, grown } from '../pickle/grow'

/** Bytes of all remembered objects together, and of one. */
const MOST_BYTES = 1 << 24
export const MOST_OF_ONE = 4096

export class Repeats {
  #bytes = new Uint8Array(1 << 16)
  #view = new DataView(this.#bytes.buffer)
  #used = 0
  readonly #start = new GrowU32(256)
  readonly #length = new GrowU32(256)
  readonly #hash = new GrowI32(256)
  readonly #kind = new GrowI32(256)
  readonly #value = new GrowI32(256)
  /** Open addressing: entry + 1, 0 free. At most half full. */
  #slots = new Int32Array(1024)
  readonly #seed = (Math.random() * 0x100000000) | 0

  /** Entry of the object in `view` at `from`, `length` bytes; -1 where it is not remembered. */
  find(view: DataView, from: number, length: number): number {
    const h = this.#hashOf(view, from, length)
    const mask = this.#slots.length - 1
    for (let s = h & mask, e = this.#slots[s] as number; e !== 0; s = (s + 1) & mask, e = this.#slots[s] as number)
      if (this.#hash.a[e - 1] === h && this.#length.a[e - 1] === length && this.#same(view, from, this.#start.a[e - 1] as number, length))
        return e - 1
    return -1
  }

  kind(entry: number): number {
    return this.#kind.a[entry] as number
  }
  value(entry: number): number {
    return this.#value.a[entry] as number
  }

  /** Remembers an object that is not there yet. What goes beyond the bounds is not. */
  add(buf: Uint8Array, view: DataView, from: number, length: number, kind: number, value: number): void {
    if (length > MOST_OF_ONE || this.#used + length > MOST_BYTES) return
    if (this.#used + length > this.#bytes.length) {
      const next = new Uint8Array(grown(this.#bytes.length, this.#used + length))
      next.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = next
      this.#view = new DataView(next.buffer)
    }
    this.#bytes.set(buf.subarray(from, from + length), this.#used)
    this.#start.push(this.#used)
    this.#used += length
    this.#length.push(length)
    this.#kind.push(kind)
    this.#value.push(value)
    const h = this.#hashOf(view, from, length)
    const entry = this.#hash.push(h)
    if (2 * (entry + 1) > this.#slots.length) this.#rehash()
    else this.#put(entry, h)
  }

  #put(entry: number, h: number): void {
    const mask = this.#slots.length - 1
    let s = h & mask
    while (this.#slots[s] !== 0) s = (s + 1) & mask
    this.#slots[s] = entry + 1
  }
  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 4)
    for (let e = 0; e < this.#hash.n; e++) this.#put(e, this.#hash.a[e] as number)
  }

  #hashOf(view: DataView, from: number, length: number): number {
    let h = this.#seed ^ length
    let i = from
    for (const to = from + length - 3; i < to; i += 4) {
      h = Math.imul(h ^ view.getUint32(i, true), 0x85ebca6b)
      h ^= h >>> 15
    }
    for (; i < from + length; i++) h = Math.imul(h ^ view.getUint8(i), 0x01000193)
    return h ^ (h >>> 13)
  }

  #same(view: DataView, from: number, at: number, length: number): boolean {
    const mine = this.#view
    let i = 0
    for (; i + 4 <= length; i += 4) if (view.getUint32(from + i, true) !== mine.getUint32(at + i, true)) return false
    for (; i < length; i++) if (view.getUint8(from + i) !== mine.getUint8(at + i)) return false
    return true
  }
}
