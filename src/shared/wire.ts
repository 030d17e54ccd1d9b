/**
 * The binary codec of the WebSocket transport: MessagePack plus extensions, so that what the host answers arrives in the browser exactly as an
 * Electron window gets it: typed arrays of every kind, bigint, NaN, infinities, -0, `undefined` and plain data nested in arrays and objects.
 *
 * Bytes of the outside are checked before they are decoded (`checkShape`): every declared length must lie inside the message and nesting is bounded,
 * so a small message can't make the decoder reserve much memory.
 */
import { decode, DecodeError, encode, ExtensionCodec } from '@msgpack/msgpack'
import type { TypedArray } from './columns'

/** Data that the codec can't carry, or bytes that are no message of it. The text is for a log and for the user. */
export class WireError extends Error {
  override readonly name = 'WireError'
}

export interface WireLimits {
  /** Bytes of a message. */
  readonly bytes: number
  /** Levels of arrays, objects and extensions. */
  readonly depth: number
}

/** What a renderer takes from its host: large columns, little nesting. */
export const ANSWER_LIMITS: WireLimits = { bytes: 256 * 1024 * 1024, depth: 64 }
/**
 * What a host takes from a browser: a request names ids and numbers; the largest carry all notes of a session or the layout of its tracks, whose schemas bound them
 * (shared/trace-api) well below this.
 */
export const REQUEST_LIMITS: WireLimits = { bytes: 4 * 1024 * 1024, depth: 16 }

const ARRAYS = [
  Uint8Array,
  Uint8ClampedArray,
  Int8Array,
  Uint16Array,
  Int16Array,
  Uint32Array,
  Int32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
] as const

/** Extension types 0..10 are the typed arrays in the order of ARRAYS. They are part of the wire format: don't renumber. */
const EXT = { buffer: 16, bigint: 17, undefined: 18, negativeZero: 19, entries: 20 } as const

/** Values that MessagePack has no form for are replaced by an instance of this before encoding. */
class Marked {
  readonly ext: number
  readonly data: Uint8Array
  constructor(ext: number, data: Uint8Array) {
    this.ext = ext
    this.data = data
  }
}

const NOTHING = new Uint8Array(0)
const UNDEFINED = new Marked(EXT.undefined, NOTHING)
const NEGATIVE_ZERO = new Marked(EXT.negativeZero, NOTHING)

const text = new TextEncoder()
const untext = new TextDecoder()

const codec = new ExtensionCodec()

ARRAYS.forEach((array, type) => {
  codec.register({
    type,
    encode: v =>
      v instanceof array && (v.constructor === array || type === 0) ? new Uint8Array(v.buffer, v.byteOffset, v.byteLength) : null,
    // The copy has a buffer of its own, so the columns are aligned whatever stands before them in the message, and don't hold the message alive.
    decode: data => {
      if (data.byteLength % array.BYTES_PER_ELEMENT) throw new WireError(`${array.name} of ${data.byteLength} bytes`)
      return new array(data.slice().buffer)
    },
  })
})
codec.register({
  type: EXT.buffer,
  encode: v => (v instanceof ArrayBuffer ? new Uint8Array(v) : null),
  decode: data => data.slice().buffer,
})
for (const type of [EXT.bigint, EXT.undefined, EXT.negativeZero, EXT.entries])
  codec.register({ type, encode: v => (v instanceof Marked && v.ext === type ? v.data : null), decode: data => unmark(type, data) })

/** Hexadecimal keeps the time linear in the digits; the number of digits is bounded by the message. */
function bigintOf(data: Uint8Array): bigint {
  const digits = untext.decode(data)
  if (!/^-?[0-9a-f]+$/.test(digits)) throw new WireError('a bigint that is no number')
  return digits.startsWith('-') ? -BigInt('0x' + digits.slice(1)) : BigInt('0x' + digits)
}

function unmark(type: number, data: Uint8Array): unknown {
  if (type === EXT.bigint) return bigintOf(data)
  if (type === EXT.entries) {
    const pairs = decode(data, { extensionCodec: codec })
    if (!Array.isArray(pairs)) throw new WireError('an object without entries')
    return fromEntries(pairs)
  }
  if (data.byteLength) throw new WireError('a constant with content')
  return type === EXT.undefined ? undefined : -0
}

/** An object whose keys may be `__proto__`: defined, never assigned. */
function fromEntries(pairs: readonly unknown[]): object {
  const object = {}
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2 || typeof pair[0] !== 'string') throw new WireError('an object with a damaged entry')
    Object.defineProperty(object, pair[0], { value: pair[1], enumerable: true, configurable: true, writable: true })
  }
  return object
}

const MAX_DEPTH = ANSWER_LIMITS.depth

/** Replaces what MessagePack can't say, copying only containers that hold such a value. Throws WireError for anything that is not plain data. */
function mark(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'undefined':
      return UNDEFINED
    case 'number':
      return Object.is(value, -0) ? NEGATIVE_ZERO : value
    case 'bigint':
      return new Marked(EXT.bigint, text.encode(value.toString(16)))
    case 'string':
    case 'boolean':
      return value
    case 'function':
    case 'symbol':
      throw new WireError(`a ${typeof value} is no data`)
    case 'object':
      break
  }
  if (value === null || isTypedArray(value) || value instanceof ArrayBuffer) return value
  if (depth <= 0) throw new WireError('nested too deep')
  if (Array.isArray(value)) {
    let copy: unknown[] | null = null
    for (let i = 0; i < value.length; i++) {
      const old: unknown = value[i]
      const marked = mark(old, depth - 1)
      if (marked !== old && !copy) copy = value.slice()
      if (copy) copy[i] = marked
    }
    return copy ?? value
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw new WireError(`a ${value.constructor.name} is no plain data`)
  const entries: [string, unknown][] = Object.entries(value)
  let changed = false
  for (const entry of entries) {
    const marked = mark(entry[1], depth - 1)
    if (marked !== entry[1]) changed = true
    entry[1] = marked
  }
  if (Object.hasOwn(value, '__proto__')) return new Marked(EXT.entries, encode(entries, { extensionCodec: codec, maxDepth: 2 * MAX_DEPTH }))
  return changed ? Object.fromEntries(entries) : value
}

function isTypedArray(value: object): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView)
}

/** Encodes plain data. Throws WireError for functions, symbols, class instances and nesting beyond ANSWER_LIMITS.depth. */
export function encodeWire(value: unknown): Uint8Array<ArrayBuffer> {
  return encode(mark(value, MAX_DEPTH), { extensionCodec: codec, maxDepth: 2 * MAX_DEPTH })
}

/** Decodes one message. Throws WireError, and nothing else, for bytes that are no message or exceed `limits`. */
export function decodeWire(bytes: Uint8Array, limits: WireLimits = ANSWER_LIMITS): unknown {
  if (bytes.byteLength > limits.bytes) throw new WireError(`a message of ${bytes.byteLength} bytes, more than ${limits.bytes}`)
  checkShape(bytes, limits.depth)
  try {
    // A plain view: `slice` of a Node Buffer would not copy.
    return decode(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength), { extensionCodec: codec })
  } catch (e) {
    if (e instanceof WireError) throw e
    if (e instanceof DecodeError || e instanceof RangeError || e instanceof TypeError) throw new WireError(`damaged message: ${e.message}`)
    throw e
  }
}

/**
 * Walks the headers of a message without building anything. All elements that open containers still owe must fit into the bytes that are left (each
 * takes at least one), which bounds everything a decoder could reserve by the size of the message.
 */
function checkShape(bytes: Uint8Array, maxDepth: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const end = bytes.byteLength
  let at = 0
  let owed = 1
  /** Elements that are left in each open container. */
  const open: number[] = [1]
  const need = (n: number): void => {
    if (n > end - at) throw new WireError(`damaged message: ends early at byte ${at}`)
  }
  const unsigned = (width: 1 | 2 | 4): number => {
    need(width)
    const v = width === 1 ? view.getUint8(at) : width === 2 ? view.getUint16(at) : view.getUint32(at)
    at += width
    return v
  }
  const skip = (n: number): void => {
    need(n)
    at += n
  }
  const enter = (n: number): void => {
    owed += n
    if (owed > end - at) throw new WireError(`damaged message: more elements than bytes at byte ${at}`)
    if (n === 0) return
    if (open.length > maxDepth) throw new WireError(`a message nested deeper than ${maxDepth}`)
    open.push(n)
  }
  const extension = (n: number): void => {
    need(1)
    const type = view.getInt8(at++)
    need(n)
    if (type === EXT.entries) {
      if (open.length >= maxDepth) throw new WireError(`a message nested deeper than ${maxDepth}`)
      checkShape(bytes.subarray(at, at + n), maxDepth - open.length)
    }
    at += n
  }
  while (open.length) {
    const left = (open[open.length - 1] as number) - 1
    if (left < 0) {
      open.pop()
      continue
    }
    open[open.length - 1] = left
    owed--
    const head = unsigned(1)
    if (head <= 0x7f || head >= 0xe0) continue
    else if (head <= 0x8f) enter((head & 15) * 2)
    else if (head <= 0x9f) enter(head & 15)
    else if (head <= 0xbf) skip(head & 31)
    else
      switch (head) {
        case 0xc0: // nil, false, true
        case 0xc2:
        case 0xc3:
          break
        case 0xc4: // bin
        case 0xd9: // str
          skip(unsigned(1))
          break
        case 0xc5:
        case 0xda:
          skip(unsigned(2))
          break
        case 0xc6:
        case 0xdb:
          skip(unsigned(4))
          break
        case 0xc7: // ext
          extension(unsigned(1))
          break
        case 0xc8:
          extension(unsigned(2))
          break
        case 0xc9:
          extension(unsigned(4))
          break
        case 0xca: // numbers
        case 0xce:
        case 0xd2:
          skip(4)
          break
        case 0xcb:
        case 0xcf:
        case 0xd3:
          skip(8)
          break
        case 0xcc:
        case 0xd0:
          skip(1)
          break
        case 0xcd:
        case 0xd1:
          skip(2)
          break
        case 0xd4: // fixed ext
        case 0xd5:
        case 0xd6:
        case 0xd7:
        case 0xd8:
          extension(1 << (head - 0xd4))
          break
        case 0xdc: // array
          enter(unsigned(2))
          break
        case 0xdd:
          enter(unsigned(4))
          break
        case 0xde: // map
          enter(unsigned(2) * 2)
          break
        case 0xdf:
          enter(unsigned(4) * 2)
          break
        default:
          throw new WireError(`damaged message: byte 0x${head.toString(16)} at ${at - 1} starts nothing`)
      }
  }
  if (at !== end) throw new WireError(`damaged message: ${end - at} bytes after its end`)
}
