/** Typed arrays that grow. Readers fill columns with them; `take` gives the exact column. */

type Numeric = Uint8Array | Uint32Array | Int32Array | Float64Array

/** Growth by half keeps the waste and the peak during a move small. */
export const grown = (length: number, atLeast: number): number => Math.max(atLeast, length + (length >>> 1), 1024)

class Grow<A extends Numeric> {
  a: A
  n = 0
  readonly #make: (length: number) => A
  constructor(make: (length: number) => A, length: number) {
    this.#make = make
    this.a = make(length)
  }
  push(v: number): number {
    if (this.n === this.a.length) this.reserve(this.n + 1)
    this.a[this.n] = v
    return this.n++
  }
  reserve(length: number): void {
    if (length <= this.a.length) return
    const next = this.#make(grown(this.a.length, length))
    next.set(this.a.subarray(0, this.n))
    this.a = next
  }
  /** Exact copy. */
  take(): A {
    return this.a.slice(0, this.n) as A
  }
}

export class GrowU8 extends Grow<Uint8Array> {
  constructor(length = 1024) {
    super(n => new Uint8Array(n), length)
  }
}
export class GrowU32 extends Grow<Uint32Array> {
  constructor(length = 1024) {
    super(n => new Uint32Array(n), length)
  }
}
export class GrowI32 extends Grow<Int32Array> {
  constructor(length = 1024) {
    super(n => new Int32Array(n), length)
  }
}
export class GrowF64 extends Grow<Float64Array> {
  constructor(length = 1024) {
    super(n => new Float64Array(n), length)
  }
}

/** Unsigned 64-bit values written as two halves, so that no bigint is made on the way in. */
export class GrowU64 {
  /** Halves: value i is `a[2i]` (low) and `a[2i + 1]` (high), as a little-endian machine lays out a 64-bit integer. */
  a = new Uint32Array(2048)
  n = 0
  push(low: number, high: number): number {
    if (2 * this.n === this.a.length) {
      const next = new Uint32Array(grown(this.n, this.n + 1) * 2)
      next.set(this.a)
      this.a = next
    }
    this.a[2 * this.n] = low
    this.a[2 * this.n + 1] = high
    return this.n++
  }
  at(i: number): bigint {
    return (BigInt(this.a[2 * i + 1] as number) << 32n) | BigInt(this.a[2 * i] as number)
  }
}
