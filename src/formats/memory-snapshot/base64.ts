/** Base64 that arrives in pieces. */

const SPACE = 64
const PAD = 65
/** Nothing that base64 is made of. */
const OTHER = 66

/** Value of each character; both alphabets, the usual one and that for URLs. */
const VALUE = new Uint8Array(256).fill(OTHER)
for (const [i, c] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries()) VALUE[c.charCodeAt(0)] = i
VALUE[0x2d] = 62
VALUE[0x5f] = 63
for (const c of ' \t\r\n\f') VALUE[c.charCodeAt(0)] = SPACE
VALUE[0x3d] = PAD

export class Base64 {
  /** Decoded bytes, `length` of them, since the last `clear`. */
  out = new Uint8Array(1 << 12)
  length = 0
  /** Characters of the group at hand, and their bits. */
  #group = 0
  #bits = 0
  #padded = false

  clear(): void {
    this.length = 0
  }

  /** Decodes `b[from .. to)`; answers the position of the first byte that does not belong there, `to` when all do. White space between characters is passed over. */
  push(b: Uint8Array, from: number, to: number): number {
    this.#room(to - from)
    const out = this.out
    let n = this.length
    let i = from
    for (;;) {
      if (this.#group === 0 && !this.#padded)
        for (; i + 4 <= to; i += 4) {
          const w = VALUE[b[i] as number] as number
          const x = VALUE[b[i + 1] as number] as number
          const y = VALUE[b[i + 2] as number] as number
          const z = VALUE[b[i + 3] as number] as number
          if ((w | x | y | z) >= SPACE) break
          out[n++] = (w << 2) | (x >> 4)
          out[n++] = (x << 4) | (y >> 2)
          out[n++] = (y << 6) | z
        }
      if (i >= to) break
      const v = VALUE[b[i] as number] as number
      if (v < SPACE) {
        if (this.#padded) break
        this.#bits = (this.#bits << 6) | v
        if (++this.#group === 4) {
          out[n++] = this.#bits >> 16
          out[n++] = this.#bits >> 8
          out[n++] = this.#bits
          this.#group = 0
          this.#bits = 0
        }
      } else if (v === PAD) this.#padded = true
      else if (v === OTHER) break
      i++
    }
    this.length = n
    return i
  }

  /** The end of the text: the bytes of the last, incomplete group. False when a character stands alone, which is less than a byte. */
  finish(): boolean {
    this.#room(2)
    if (this.#group === 1) return false
    if (this.#group >= 2) this.out[this.length++] = this.#bits >> (this.#group === 2 ? 4 : 10)
    if (this.#group === 3) this.out[this.length++] = this.#bits >> 2
    this.#group = 0
    return true
  }

  #room(more: number): void {
    if (this.length + more + 4 <= this.out.length) return
    const next = new Uint8Array(2 * (this.length + more + 4))
    next.set(this.out.subarray(0, this.length))
    this.out = next
  }
}
