/** Interning of byte strings: each distinct text is stored once as UTF-8; events hold its number. */
import { isUtf8 } from 'node:buffer'
import type { StringTable } from '../../shared/columns'

/** What a JSON string contains beside plain ASCII. */
export const ESCAPES = 1
export const CONTROLS = 2
export const NON_ASCII = 4

const PRIME = 0x01000193
// A fresh seed per process: nobody can prepare a file whose names all fall into one slot.
export const HASH_SEED = (Math.random() * 0x7fffffff) | 0
export const hashStep = (h: number, byte: number): number => Math.imul(h ^ byte, PRIME)

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

export class StringPool {
  #bytes = new Uint8Array(1 << 14)
  #used = 0
  #offsets = new Uint32Array(1 << 10)
  #hashes = new Int32Array(1 << 10)
  #slots = new Int32Array(1 << 11).fill(-1)
  #count = 0
  #scratch = new Uint8Array(1 << 10)
  /** Escapes of half a surrogate pair, which became U+FFFD. */
  loneSurrogates = 0
  /** Escapes that JSON does not define, kept as they stand. */
  badEscapes = 0

  /** Number of the text `b[s..e)`, which must be plain UTF-8, given its hash. */
  intern(b: Uint8Array, s: number, e: number, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    const bytes = this.#bytes
    const offsets = this.#offsets
    const length = e - s
    let slot = (hash ^ (hash >>> 15)) & mask
    for (;;) {
      const found = slots[slot]
      if (found < 0) break
      if (this.#hashes[found] === hash) {
        const at = offsets[found]
        if (offsets[found + 1] - at === length) {
          let k = 0
          while (k < length && bytes[at + k] === b[s + k]) k++
          if (k === length) return found
        }
      }
      slot = (slot + 1) & mask
    }
    return this.#add(b, s, e, hash, slot)
  }

  internBytes(b: Uint8Array, s: number, e: number): number {
    let h = HASH_SEED
    for (let i = s; i < e; i++) h = hashStep(h, b[i])
    return this.intern(b, s, e, h)
  }

  internText(text: string): number {
    const b = encoder.encode(text)
    return this.internBytes(b, 0, b.length)
  }

  /** Number of the JSON string whose inside is `b[s..e)`; `odd` says what it contains (ESCAPES | CONTROLS | NON_ASCII). Invalid UTF-8 becomes U+FFFD. */
  internJson(b: Uint8Array, s: number, e: number, hash: number, odd: number): number {
    if ((odd & (ESCAPES | NON_ASCII)) === 0) return this.intern(b, s, e, hash)
    let n = odd & ESCAPES ? this.unescape(b, s, e) : this.#copy(b, s, e)
    if (!isUtf8(this.#scratch.subarray(0, n))) {
      const fixed = encoder.encode(decoder.decode(this.#scratch.subarray(0, n)))
      n = this.#copy(fixed, 0, fixed.length)
    }
    return this.internBytes(this.#scratch, 0, n)
  }

  #copy(b: Uint8Array, s: number, e: number): number {
    if (this.#scratch.length < e - s) this.#scratch = new Uint8Array(2 * (e - s))
    this.#scratch.set(b.subarray(s, e))
    return e - s
  }

  /** Resolves JSON escapes of `b[s..e)` into the scratch buffer; returns the length. A lone surrogate becomes U+FFFD. */
  unescape(b: Uint8Array, s: number, e: number): number {
    // An escape never grows: \uXXXX (6 bytes) gives at most 3, \n (2) gives 1, an unknown one is kept.
    if (this.#scratch.length < e - s) this.#scratch = new Uint8Array(2 * (e - s))
    const out = this.#scratch
    let n = 0
    for (let i = s; i < e; i++) {
      const c = b[i]
      if (c !== 0x5c || i + 1 >= e) {
        out[n++] = c
        continue
      }
      const x = b[++i]
      const simple = SIMPLE[x]
      if (simple) out[n++] = simple
      else if (x === 0x75 && hex4(b, i + 1, e) >= 0) {
        let code = hex4(b, i + 1, e)
        i += 4
        if (code >= 0xd800 && code <= 0xdbff && b[i + 1] === 0x5c && b[i + 2] === 0x75) {
          const low = hex4(b, i + 3, e)
          if (low >= 0xdc00 && low <= 0xdfff) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00)
            i += 6
          }
        }
        if (code >= 0xd800 && code <= 0xdfff) {
          this.loneSurrogates++
          code = 0xfffd
        }
        if (code < 0x80) out[n++] = code
        else if (code < 0x800) {
          out[n++] = 0xc0 | (code >> 6)
          out[n++] = 0x80 | (code & 63)
        } else if (code < 0x10000) {
          out[n++] = 0xe0 | (code >> 12)
          out[n++] = 0x80 | ((code >> 6) & 63)
          out[n++] = 0x80 | (code & 63)
        } else {
          out[n++] = 0xf0 | (code >> 18)
          out[n++] = 0x80 | ((code >> 12) & 63)
          out[n++] = 0x80 | ((code >> 6) & 63)
          out[n++] = 0x80 | (code & 63)
        }
      } else {
        this.badEscapes++
        out[n++] = 0x5c
        out[n++] = x
      }
    }
    return n
  }

  /** Text of a JSON string's inside, for keys. */
  text(b: Uint8Array, s: number, e: number): string {
    return decoder.decode(this.#scratch.subarray(0, this.unescape(b, s, e)))
  }

  #add(b: Uint8Array, s: number, e: number, hash: number, slot: number): number {
    const n = this.#count++
    if (n + 2 > this.#offsets.length) {
      this.#offsets = grown(this.#offsets, Uint32Array)
      this.#hashes = grown(this.#hashes, Int32Array)
    }
    if (this.#used + e - s > this.#bytes.length) {
      const bigger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#used + e - s))
      bigger.set(this.#bytes.subarray(0, this.#used))
      this.#bytes = bigger
    }
    this.#bytes.set(b.subarray(s, e), this.#used)
    this.#used += e - s
    this.#offsets[n + 1] = this.#used
    this.#hashes[n] = hash
    this.#slots[slot] = n
    if (this.#count * 2 > this.#slots.length) this.#rehash()
    return n
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(-1)
    const mask = slots.length - 1
    for (let i = 0; i < this.#count; i++) {
      const h = this.#hashes[i]
      let slot = (h ^ (h >>> 15)) & mask
      while (slots[slot] >= 0) slot = (slot + 1) & mask
      slots[slot] = i
    }
    this.#slots = slots
  }

  get count(): number {
    return this.#count
  }

  /** The text of a number. */
  at(id: number): string {
    return decoder.decode(this.#bytes.subarray(this.#offsets[id], this.#offsets[id + 1]))
  }

  table(): StringTable {
    return { bytes: this.#bytes.slice(0, this.#used), offsets: this.#offsets.slice(0, this.#count + 1) }
  }
}

function grown<T extends Uint32Array | Int32Array>(old: T, make: new (n: number) => T): T {
  const bigger = new make(old.length * 2)
  bigger.set(old)
  return bigger
}

const SIMPLE = new Uint8Array(256)
for (const [from, to] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'].map(p => [p.charCodeAt(0), p.charCodeAt(1)]))
  SIMPLE[from] = to

function hex4(b: Uint8Array, i: number, e: number): number {
  if (i + 4 > e) return -1
  let v = 0
  for (let k = 0; k < 4; k++) {
    const c = b[i + k]
    const d = c >= 48 && c <= 57 ? c - 48 : c >= 97 && c <= 102 ? c - 87 : c >= 65 && c <= 70 ? c - 55 : -1
    if (d < 0) return -1
    v = v * 16 + d
  }
  return v
}
