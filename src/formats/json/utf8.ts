/** Finds invalid UTF-8 in a stream. What TextDecoder would replace by one U+FFFD is one place. */
import { isUtf8 } from 'node:buffer'

export class Utf8Check {
  /** Places that are replaced when the text is shown. */
  count = 0
  /** Offset of the first of them; -1 without one. */
  first = -1
  #offset = 0
  /** Continuation bytes still missing, and the range of the next one. */
  #missing = 0
  #low = 0x80
  #high = 0xbf
  #start = 0

  /** Takes the next bytes of the stream. Valid text costs one native pass. */
  feed(b: Uint8Array): void {
    let i = 0
    while (i < b.length && this.#missing > 0) i = this.#step(b, i)
    // The last character may be cut: it is left to the slow way.
    let body = b.length
    for (let back = 1; back <= 3 && body - back >= i; back++) {
      const c = b[b.length - back]
      if (c < 0x80) break
      if (c >= 0xc0) {
        body = b.length - back
        break
      }
    }
    if (isUtf8(b.subarray(i, body))) i = body
    while (i < b.length) i = this.#step(b, i)
    this.#offset += b.length
  }

  /** The end of the stream: a character that is cut there is one place more. */
  finish(): void {
    if (this.#missing > 0) this.#bad(this.#start)
    this.#missing = 0
  }

  /** One byte, by the table of well-formed sequences of the Unicode standard (3-7). */
  #step(b: Uint8Array, i: number): number {
    const c = b[i]
    if (this.#missing > 0) {
      if (c < this.#low || c > this.#high) {
        this.#missing = 0
        this.#bad(this.#start)
        return i
      }
      this.#missing--
      this.#low = 0x80
      this.#high = 0xbf
      return i + 1
    }
    if (c < 0x80) return i + 1
    this.#start = this.#offset + i
    if (c < 0xc2 || c > 0xf4) this.#bad(this.#start)
    else {
      this.#missing = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3
      this.#low = c === 0xe0 ? 0xa0 : c === 0xf0 ? 0x90 : 0x80
      this.#high = c === 0xed ? 0x9f : c === 0xf4 ? 0x8f : 0xbf
    }
    return i + 1
  }

  #bad(at: number): void {
    if (this.count++ === 0) this.first = at
  }
}
