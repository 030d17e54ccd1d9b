/**
 * A small, deterministic pickle writer for data (no classes, no globals), protocols 2, 4 and 5. The sample profile and the fixtures are written by it;
 * Python's own `pickle.load` reads the result. Like Python it memoises strings, lists, dicts and tuples, batches by 1000 and writes frames from protocol 4 on.
 */

/** A Python tuple. */
export class Tuple {
  readonly items: readonly PickleValue[]
  constructor(items: readonly PickleValue[]) {
    this.items = items
  }
}

/** A Python float whose value may be whole (`new Float(0)` is written as 0.0, where the number 0 would be the int 0). */
export class Float {
  readonly value: number
  constructor(value: number) {
    this.value = value
  }
}

/**
 * What can be written. Objects and Maps become dicts, arrays lists, Uint8Array bytes (protocol 4 on). Numbers that are safe integers and bigints become ints of any
 * size, other numbers floats. The same object met twice is written once and referenced, as Python does; lists and dicts may contain themselves.
 */
export type PickleValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Tuple
  | Float
  | readonly PickleValue[]
  | ReadonlyMap<PickleValue, PickleValue>
  | { readonly [key: string]: PickleValue }

export type WriteProtocol = 2 | 4 | 5

const BATCH = 1000
const FRAME_TARGET = 64 * 1024
const encoder = new TextEncoder()

/**
 * Bytes of a pickle of `value`. Lone surrogates in strings become U+FFFD.
 * Throws on a value outside PickleValue and on bytes in protocol 2 (which has no opcode for them).
 */
export function pickleDumps(value: PickleValue, protocol: WriteProtocol = 4): Uint8Array {
  const w = new Writer(protocol)
  w.save(value)
  return w.finish()
}

class Writer {
  readonly #protocol: WriteProtocol
  #out = new Uint8Array(64 * 1024)
  #n = 0
  /** Where the body of the open frame begins; its header of 9 bytes stands before it. */
  #frame = -1
  readonly #memo = new Map<unknown, number>()

  constructor(protocol: WriteProtocol) {
    this.#protocol = protocol
    this.#u8(0x80)
    this.#u8(protocol)
    this.#openFrame()
  }

  finish(): Uint8Array {
    this.#u8(0x2e)
    this.#closeFrame()
    return this.#out.slice(0, this.#n)
  }

  save(v: PickleValue): void {
    if (v === null) this.#u8(0x4e)
    else if (typeof v === 'boolean') this.#u8(v ? 0x88 : 0x89)
    else if (typeof v === 'number') {
      if (Number.isSafeInteger(v) && !Object.is(v, -0)) this.#int(v)
      else this.#float(v)
    } else if (typeof v === 'bigint') {
      if (v >= -0x80000000n && v <= 0x7fffffffn) this.#int(Number(v))
      else this.#long(v)
    } else if (typeof v === 'string') this.#string(v)
    else if (v instanceof Float) this.#float(v.value)
    else if (this.#get(v)) return
    else if (v instanceof Uint8Array) this.#bytes(v)
    else if (v instanceof Tuple) this.#tuple(v)
    else if (Array.isArray(v)) this.#list(v as readonly PickleValue[])
    else if (v instanceof Map) this.#dict(v, [...(v as ReadonlyMap<PickleValue, PickleValue>)])
    else if (typeof v === 'object') this.#dict(v, Object.entries(v as Readonly<Record<string, PickleValue>>))
    else throw new TypeError(`cannot pickle ${typeof v}`)
    if (this.#frame >= 0 && this.#n - this.#frame >= FRAME_TARGET) {
      this.#closeFrame()
      this.#openFrame()
    }
  }

  // ── scalars ──

  #int(v: number): void {
    if (v >= 0 && v < 256) {
      this.#u8(0x4b)
      this.#u8(v)
    } else if (v >= 0 && v < 65536) {
      this.#u8(0x4d)
      this.#little(v, 2)
    } else if (v >= -0x80000000 && v <= 0x7fffffff) {
      this.#u8(0x4a)
      this.#little(v >>> 0, 4)
    } else this.#long(BigInt(v))
  }

  /** LONG1 / LONG4: two's complement, little endian, the shortest form that keeps the sign, as Python writes it. */
  #long(v: bigint): void {
    let bytes = 1
    while (v < -(1n << BigInt(8 * bytes - 1)) || v >= 1n << BigInt(8 * bytes - 1)) bytes++
    if (bytes < 256) {
      this.#u8(0x8a)
      this.#u8(bytes)
    } else {
      this.#u8(0x8b)
      this.#little(bytes, 4)
    }
    let rest = BigInt.asUintN(8 * bytes, v)
    for (let i = 0; i < bytes; i++) {
      this.#u8(Number(rest & 255n))
      rest >>= 8n
    }
  }

  #float(v: number): void {
    this.#u8(0x47)
    this.#room(8)
    new DataView(this.#out.buffer).setFloat64(this.#n, v, false)
    this.#n += 8
  }

  #string(v: string): void {
    if (this.#get(v)) return
    const data = encoder.encode(v)
    if (data.length < 256 && this.#protocol >= 4) {
      this.#u8(0x8c)
      this.#u8(data.length)
    } else {
      this.#u8(0x58)
      this.#little(data.length, 4)
    }
    this.#raw(data)
    this.#put(v)
  }

  #bytes(v: Uint8Array): void {
    if (this.#protocol < 4) throw new TypeError('bytes need protocol 4')
    if (v.length < 256) {
      this.#u8(0x43)
      this.#u8(v.length)
    } else {
      this.#u8(0x42)
      this.#little(v.length, 4)
    }
    this.#raw(v)
    this.#put(v)
  }

  // ── containers ──

  #tuple(v: Tuple): void {
    const n = v.items.length
    if (n === 0) {
      this.#u8(0x29)
      return
    }
    if (n > 3) this.#u8(0x28)
    for (const item of v.items) this.save(item)
    this.#u8(n > 3 ? 0x74 : 0x84 + n)
    this.#put(v)
  }

  #list(v: readonly PickleValue[]): void {
    this.#u8(0x5d)
    this.#put(v)
    for (let i = 0; i < v.length; i += BATCH) {
      const batch = v.slice(i, i + BATCH)
      if (batch.length > 1) this.#u8(0x28)
      for (const item of batch) this.save(item)
      this.#u8(batch.length > 1 ? 0x65 : 0x61)
    }
  }

  #dict(v: object, entries: readonly (readonly [PickleValue, PickleValue])[]): void {
    this.#u8(0x7d)
    this.#put(v)
    for (let i = 0; i < entries.length; i += BATCH) {
      const batch = entries.slice(i, i + BATCH)
      if (batch.length > 1) this.#u8(0x28)
      for (const [key, value] of batch) {
        this.save(key)
        this.save(value)
      }
      this.#u8(batch.length > 1 ? 0x75 : 0x73)
    }
  }

  // ── memo ──

  #get(v: unknown): boolean {
    const i = this.#memo.get(v)
    if (i === undefined) return false
    if (i < 256) {
      this.#u8(0x68)
      this.#u8(i)
    } else {
      this.#u8(0x6a)
      this.#little(i, 4)
    }
    return true
  }

  #put(v: unknown): void {
    const i = this.#memo.size
    this.#memo.set(v, i)
    if (this.#protocol >= 4) this.#u8(0x94)
    else if (i < 256) {
      this.#u8(0x71)
      this.#u8(i)
    } else {
      this.#u8(0x72)
      this.#little(i, 4)
    }
  }

  // ── frames and bytes ──

  #openFrame(): void {
    if (this.#protocol < 4) return
    this.#room(9)
    this.#n += 9
    this.#frame = this.#n
  }

  /** Fills in the header of the open frame; a frame of less than 4 bytes is written without one, as Python does. */
  #closeFrame(): void {
    if (this.#frame < 0) return
    const body = this.#n - this.#frame
    if (body < 4) {
      this.#out.copyWithin(this.#frame - 9, this.#frame, this.#n)
      this.#n -= 9
    } else {
      this.#out[this.#frame - 9] = 0x95
      new DataView(this.#out.buffer).setBigUint64(this.#frame - 8, BigInt(body), true)
    }
    this.#frame = -1
  }

  #room(bytes: number): void {
    if (this.#n + bytes <= this.#out.length) return
    const next = new Uint8Array(Math.max(this.#out.length * 2, this.#n + bytes))
    next.set(this.#out.subarray(0, this.#n))
    this.#out = next
  }

  #u8(v: number): void {
    this.#room(1)
    this.#out[this.#n++] = v
  }

  #little(v: number, bytes: number): void {
    this.#room(bytes)
    for (let i = 0; i < bytes; i++) this.#out[this.#n++] = (v >>> (8 * i)) & 255
  }

  #raw(data: Uint8Array): void {
    this.#room(data.length)
    this.#out.set(data, this.#n)
    this.#n += data.length
  }
}
