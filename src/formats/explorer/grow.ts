/** Columns that grow to a number of rows known at each step; new rows hold the fill value. */
type Column = Uint8Array | Int32Array | Uint32Array | Float64Array | BigInt64Array | BigUint64Array

type ValueOf<A extends Column> = A extends BigInt64Array | BigUint64Array ? bigint : number

export class Grown<A extends Column> {
  a: A
  readonly #make: (n: number) => A
  readonly #fill: ValueOf<A>
  constructor(make: (n: number) => A, fill: ValueOf<A>) {
    this.#make = make
    this.#fill = fill
    this.a = make(0)
  }
  /** Room for `n` rows. */
  room(n: number): void {
    if (n <= this.a.length) return
    const next = this.#make(Math.max(n, 64, Math.ceil(this.a.length * 1.5)))
    next.set(this.a as never)
    if (this.#fill !== 0 && this.#fill !== 0n) next.fill(this.#fill as never, this.a.length)
    this.a = next
  }
}

export const u8 = (fill = 0): Grown<Uint8Array> => new Grown(n => new Uint8Array(n), fill)
export const i32 = (fill = 0): Grown<Int32Array> => new Grown(n => new Int32Array(n), fill)
export const f64 = (fill = 0): Grown<Float64Array> => new Grown(n => new Float64Array(n), fill)
export const i64 = (fill = 0n): Grown<BigInt64Array> => new Grown(n => new BigInt64Array(n), fill)
export const u64 = (fill = 0n): Grown<BigUint64Array> => new Grown(n => new BigUint64Array(n), fill)
