/**
 * Looks whether bytes are a struct of Thrift's compact protocol, without building anything. The Parquet library makes room for as many elements as a list claims to have;
 * what passed here has them.
 */

/** The bytes end inside the struct; this is no such struct; it has more parts than allowed. */
export const CUT = -1
export const BAD = -2
export const TOO_MANY = -3

const MAX_DEPTH = 24

export interface ThriftLimits {
  /** Fields and list elements in all. */
  readonly parts: number
}

/** Offset after the struct that begins at `at`; CUT, BAD or TOO_MANY. */
export function structEnd(b: Uint8Array, at: number, end: number, limits: ThriftLimits): number {
  const walk = new Walk(b, end, limits.parts)
  return walk.struct(at, 0)
}

class Walk {
  readonly #b: Uint8Array
  readonly #end: number
  #left: number

  constructor(b: Uint8Array, end: number, parts: number) {
    this.#b = b
    this.#end = end
    this.#left = parts
  }

  struct(at: number, depth: number): number {
    if (depth > MAX_DEPTH) return BAD
    for (;;) {
      if (at >= this.#end) return CUT
      const head = this.#b[at++]
      const type = head & 15
      if (type === 0) return at
      if (--this.#left < 0) return TOO_MANY
      if (head >> 4 === 0) at = this.#varint(at)
      if (at >= 0) at = this.#value(type, at, depth, false)
      if (at < 0) return at
    }
  }

  #value(type: number, at: number, depth: number, inList: boolean): number {
    switch (type) {
      case 1: // true, false: in the type itself, a byte in lists
      case 2:
        return inList ? this.#skip(at, 1) : at
      case 3:
        return this.#skip(at, 1)
      case 4:
      case 5:
      case 6:
        return this.#varint(at)
      case 7:
        return this.#skip(at, 8)
      case 8: {
        const after = this.#varint(at)
        return after < 0 ? after : this.#skip(after, this.#read(at, after))
      }
      case 9: {
        if (at >= this.#end) return CUT
        const head = this.#b[at++]
        const element = head & 15
        let n = head >> 4
        if (n === 15) {
          const after = this.#varint(at)
          if (after < 0) return after
          n = this.#read(at, after)
          at = after
        }
        this.#left -= n
        if (this.#left < 0) return TOO_MANY
        for (; n > 0 && at >= 0; n--) at = this.#value(element, at, depth + 1, true)
        return at
      }
      case 12:
        return this.struct(at, depth + 1)
      default:
        return BAD
    }
  }

  #skip(at: number, n: number): number {
    return at + n > this.#end ? CUT : at + n
  }

  /** Offset after the varint. Ten bytes at most, as 64 bits need. */
  #varint(at: number): number {
    for (let i = at; i < at + 10; i++) {
      if (i >= this.#end) return CUT
      if (this.#b[i] < 0x80) return i + 1
    }
    return BAD
  }

  /** Value of the varint in `[at, after)` as a double. */
  #read(at: number, after: number): number {
    let v = 0
    for (let i = after - 1; i >= at; i--) v = v * 128 + (this.#b[i] & 127)
    return v
  }
}
