/**
 * Distinct attribute keys with small ids. There are few, and they follow each other in the same order in most events, so the key that followed last time is tried before
 * anything is hashed.
 */
import type { StringTable } from '../../shared/columns'

/** Keys that columns are made of have fixed ids. */
export const KEY_CORE = 0
export const KEY_MODEL = 1
export const KEY_EXEC = 2
export const KEY_NC_TIME = 3
export const KEY_COLUMNS = 4
const FIXED = ['device_core_idx', 'model_id', 'exec_id', 'nc_timestamp_ns']

const encoder = new TextEncoder()

export class KeyTable {
  #bytes = new Uint8Array(1 << 10)
  #words = new DataView(this.#bytes.buffer)
  #offsets = new Uint32Array(1 << 7)
  /** Key that came last time after a key (by its id) and had this length. */
  readonly #next = new Int32Array(1 << 11)
  #slots = new Int32Array(1 << 8).fill(-1)
  #hashes = new Int32Array(1 << 7)
  // Differs from run to run, so that no file can be made whose keys all collide.
  readonly #seed = (Math.random() * 0x7fffffff) | 0
  count = 0

  constructor() {
    for (const k of FIXED) this.internText(k)
  }

  /** Id of `b[s, e)`; `words` are the same bytes, `before` is the id of the key before it in the same event, -1 for the first. */
  intern(b: Uint8Array, words: DataView, s: number, e: number, before: number): number {
    const length = e - s
    const slot = ((before + 1) * 37 + length * 64) & 2047
    const guess = this.#next[slot] as number
    const at = this.#offsets[guess] as number
    if ((this.#offsets[guess + 1] as number) - at === length) {
      const own = this.#words
      let k = 0
      while (k + 4 <= length && own.getInt32(at + k) === words.getInt32(s + k)) k += 4
      if (k + 4 > length) {
        const bytes = this.#bytes
        while (k < length && bytes[at + k] === b[s + k]) k++
        if (k === length) return guess
      }
    }
    const id = this.#find(b, s, e)
    this.#next[slot] = id
    return id
  }

  internText(text: string): number {
    const b = encoder.encode(text)
    return this.#find(b, 0, b.length)
  }

  text(id: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(this.#offsets[id], this.#offsets[id + 1]))
  }

  #find(b: Uint8Array, s: number, e: number): number {
    let h = this.#seed
    for (let i = s; i < e; i++) h = Math.imul(h ^ (b[i] as number), 0x01000193)
    h ^= h >>> 15
    const mask = this.#slots.length - 1
    let slot = h & mask
    for (let id = this.#slots[slot] as number; id >= 0; slot = (slot + 1) & mask, id = this.#slots[slot] as number) {
      if (this.#hashes[id] !== h) continue
      const at = this.#offsets[id] as number
      if ((this.#offsets[id + 1] as number) - at !== e - s) continue
      let k = 0
      while (k < e - s && this.#bytes[at + k] === b[s + k]) k++
      if (k === e - s) return id
    }
    return this.#add(b, s, e, h, slot)
  }

  #add(b: Uint8Array, s: number, e: number, hash: number, slot: number): number {
    const id = this.count++
    const used = this.#offsets[id] as number
    if (used + e - s > this.#bytes.length) {
      this.#bytes = larger(this.#bytes, Math.max(2 * this.#bytes.length, used + e - s))
      this.#words = new DataView(this.#bytes.buffer)
    }
    if (id + 3 > this.#offsets.length) {
      this.#offsets = larger(this.#offsets, 2 * this.#offsets.length)
      this.#hashes = larger(this.#hashes, 2 * this.#hashes.length)
    }
    this.#bytes.set(b.subarray(s, e), used)
    this.#offsets[id + 1] = used + e - s
    this.#hashes[id] = hash
    this.#slots[slot] = id
    if (2 * this.count > this.#slots.length) {
      const slots = new Int32Array(2 * this.#slots.length).fill(-1)
      for (let k = 0; k < this.count; k++) {
        let at = (this.#hashes[k] as number) & (slots.length - 1)
        while ((slots[at] as number) >= 0) at = (at + 1) & (slots.length - 1)
        slots[at] = k
      }
      this.#slots = slots
    }
    return id
  }

  table(): StringTable {
    return { bytes: this.#bytes.slice(0, this.#offsets[this.count]), offsets: this.#offsets.slice(0, this.count + 1) }
  }
}

function larger<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer>>(old: T, size: number): T {
  const out = new (old.constructor as new (n: number) => T)(size)
  out.set(old)
  return out
}
