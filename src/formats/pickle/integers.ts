/** Integers of any size on the stack: INT within ±2^53, U64 and I64 up to 64 bits, BIG beyond. Nothing is rounded. */
import type { Store } from './store'
import { BIG, I64, INT, U64 } from './tags'

/** Two's complement, little endian, `n` bytes from `pos`: LONG1 and LONG4. */
export function putLong(store: Store, buf: Uint8Array, pos: number, n: number, tags: Uint8Array, vals: Float64Array, slot: number): void {
  if (n <= 8) {
    let low = 0
    let high = 0
    for (let i = 0; i < n && i < 4; i++) low |= (buf[pos + i] as number) << (8 * i)
    for (let i = 4; i < n; i++) high |= (buf[pos + i] as number) << (8 * (i - 4))
    if (n > 0 && (buf[pos + n - 1] as number) >= 128) {
      if (n < 4) low |= -1 << (8 * n)
      if (n <= 4) high = -1
      else if (n < 8) high |= -1 << (8 * (n - 4))
    }
    putWide(store, low >>> 0, high, tags, vals, slot)
    return
  }
  let digits = '0x'
  for (let i = n - 1; i >= 0; i--) digits += (buf[pos + i] as number).toString(16).padStart(2, '0')
  putBigint(store, BigInt.asIntN(8 * n, BigInt(digits)), tags, vals, slot)
}

/** Signed 64-bit integer of two halves. */
function putWide(store: Store, low: number, high: number, tags: Uint8Array, vals: Float64Array, slot: number): void {
  if (high >= -0x200000 && high < 0x200000) {
    tags[slot] = INT
    vals[slot] = high * 0x100000000 + low
  } else {
    tags[slot] = high < 0 ? I64 : U64
    vals[slot] = store.wide.push(low, high >>> 0)
  }
}

export function putBigint(store: Store, v: bigint, tags: Uint8Array, vals: Float64Array, slot: number): void {
  if (v < -(1n << 63n) || v >= 1n << 64n) {
    tags[slot] = BIG
    vals[slot] = store.bigs.push(v) - 1
    return
  }
  const bits = BigInt.asUintN(64, v)
  const low = Number(bits & 0xffffffffn)
  const high = Number(bits >> 32n)
  if (v < 0n || high < 0x80000000) putWide(store, low, high | 0, tags, vals, slot)
  else {
    tags[slot] = U64
    vals[slot] = store.wide.push(low, high)
  }
}
