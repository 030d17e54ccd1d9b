import { inspect, isDeepStrictEqual } from 'node:util'
import { encode } from '@msgpack/msgpack'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeWire, encodeWire, REQUEST_LIMITS, WireError } from './wire'

const typed = fc.oneof(
  fc.uint8Array(),
  fc.uint8ClampedArray(),
  fc.int8Array(),
  fc.uint16Array(),
  fc.int16Array(),
  fc.uint32Array(),
  fc.int32Array(),
  fc.float32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.bigUint64Array(),
)
const leaf = fc.oneof(
  fc.constantFrom(undefined, null, true, false, NaN, Infinity, -Infinity, -0, 0, 2 ** 53, -(2 ** 53), 5e-324),
  fc.double(),
  fc.maxSafeInteger(),
  fc.bigInt(),
  fc.string({ unit: 'grapheme' }),
  typed,
)
const key = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', ''))
const data = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    leaf,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6, noNullPrototype: true }),
  ),
})).value

/** isDeepStrictEqual takes NaN for NaN and -0 for itself only, tells undefined from absent, and compares the classes of arrays. */
const roundTrip = (v: unknown): void => {
  const back = decodeWire(encodeWire(v))
  if (!isDeepStrictEqual(back, v)) expect.fail(`${inspect(v, { depth: 9 })} came back as ${inspect(back, { depth: 9 })}`)
}

describe('round trip', () => {
  it('keeps plain data exactly', () => {
    fc.assert(fc.property(data, roundTrip), { numRuns: 1000 })
  })

  it.each([
    ['top-level undefined', undefined],
    ['-0', -0],
    ['-0 in an array', [-0, 0]],
    ['NaN payload', new Float64Array([NaN, -0, Infinity])],
    ['int64 extremes', new BigInt64Array([-(2n ** 63n), 2n ** 63n - 1n])],
    ['bigint beyond 64 bits', -(2n ** 200n)],
    ['undefined members', { a: undefined, b: [undefined, null] }],
    ['an own key __proto__', JSON.parse('{"a": {"__proto__": {"polluted": 1}, "b": -1}}')],
    ['nested keys __proto__', JSON.parse('{"__proto__": {"__proto__": [1]}}')],
    ['empty columns', { a: new Float64Array(0), b: new Uint8Array(0), c: new ArrayBuffer(0) }],
  ])('%s', (_name, v) => roundTrip(v))

  it('does not touch the prototype of anything', () => {
    const back = decodeWire(encodeWire(JSON.parse('{"__proto__": {"polluted": 1}}'))) as object
    expect(Object.getPrototypeOf(back)).toBe(Object.prototype)
    expect(Object.keys(back)).toEqual(['__proto__'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('aligns columns behind any number of bytes, with buffers of their own', () => {
    for (let n = 0; n < 17; n++) {
      const message = encodeWire(['x'.repeat(n), new Float64Array([1.5, NaN]), new Uint32Array([7])])
      const shifted = new Uint8Array(message.length + n)
      shifted.set(message, n)
      const [, f, u] = decodeWire(shifted.subarray(n)) as [string, Float64Array, Uint32Array]
      expect(f).toStrictEqual(new Float64Array([1.5, NaN]))
      expect(f.buffer.byteLength).toBe(16)
      expect(u.buffer.byteLength).toBe(4)
    }
  })

  it('copies columns out of a Node buffer too', () => {
    const message = Buffer.concat([Buffer.from('xyz'), encodeWire([new Float64Array([1.5, NaN]), new ArrayBuffer(4)])]).subarray(3)
    const [column, buffer] = decodeWire(message) as [Float64Array, ArrayBuffer]
    expect(column).toStrictEqual(new Float64Array([1.5, NaN]))
    expect([column.buffer.byteLength, buffer.byteLength]).toEqual([16, 4])
  })

  it('takes a column as the window that it is', () => {
    const whole = new Float64Array([1, 2, 3, 4])
    expect(decodeWire(encodeWire(whole.subarray(1, 3)))).toStrictEqual(new Float64Array([2, 3]))
  })

  it('carries a Node buffer as bytes', () => {
    expect(decodeWire(encodeWire(Buffer.from('abc')))).toStrictEqual(new Uint8Array([97, 98, 99]))
  })

  it('leaves its input as it was', () => {
    const input = { list: [undefined, -0, 1n], same: [1, 2] }
    const copy = structuredClone(input)
    encodeWire(input)
    expect(input).toStrictEqual(copy)
  })
})

describe('what is no data', () => {
  it.each([
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['a Map', new Map()],
    ['a Date', new Date(0)],
    ['an instance', new (class Thing {})()],
    ['a DataView', new DataView(new ArrayBuffer(8))],
  ])('%s is refused', (_name, v) => {
    expect(() => encodeWire({ deep: [v] })).toThrow(WireError)
  })

  it('a circle is refused', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(() => encodeWire(circle)).toThrow(WireError)
  })
})

describe('hostile bytes', () => {
  const attempt = (bytes: Uint8Array): void => {
    try {
      decodeWire(bytes, REQUEST_LIMITS)
    } catch (e) {
      expect(e).toBeInstanceOf(WireError)
    }
  }

  it('random bytes give data or a WireError', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), attempt), { numRuns: 5000 })
  })

  it('damaged messages give data or a WireError', () => {
    fc.assert(
      fc.property(data, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat(), (v, changes, cut) => {
        const bytes = encodeWire(v).slice()
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        attempt(bytes)
        attempt(bytes.subarray(0, cut % bytes.length))
      }),
      { numRuns: 2000 },
    )
  })

  it('every cut of a message is a WireError', () => {
    const message = encodeWire([1, 'app.info', { a: new Float64Array([1]), b: 10n, c: undefined }])
    for (let n = 0; n < message.length; n++) expect(() => decodeWire(message.subarray(0, n))).toThrow(WireError)
  })

  it('a declared length beyond the message is refused before anything is reserved', () => {
    for (const head of [
      [0xdd, 0xff, 0xff, 0xff, 0xff],
      [0xdf, 0x7f, 0xff, 0xff, 0xff],
      [0xdb, 0xff, 0xff, 0xff, 0xff],
      [0xc6, 0xff, 0xff, 0xff, 0xff],
      [0xc9, 0xff, 0xff, 0xff, 0xff, 1],
    ])
      expect(() => decodeWire(new Uint8Array([...head, 0, 0]))).toThrow(/damaged message/)
    // Many nested arrays that each claim all that is left.
    const nested = new Uint8Array(1000)
    for (let i = 0; i + 3 <= nested.length; i += 3) nested.set([0xdc, 0x03, 0x00], i)
    expect(() => decodeWire(nested)).toThrow(/more elements than bytes/)
  })

  it('nesting beyond the limit is refused, also inside an extension', () => {
    expect(() => decodeWire(new Uint8Array(1000).fill(0x91))).toThrow(/nested deeper/)
    let v: Uint8Array = new Uint8Array([0x90])
    for (let i = 0; i < 40; i++) v = new Uint8Array([0x91, 0xc8, v.length >> 8, v.length & 255, 20, ...v])
    expect(() => decodeWire(v, REQUEST_LIMITS)).toThrow(WireError)
  })

  it('a message over the limit of bytes is refused', () => {
    expect(() => decodeWire(encodeWire('x'.repeat(REQUEST_LIMITS.bytes)), REQUEST_LIMITS)).toThrow(`more than ${REQUEST_LIMITS.bytes}`)
  })

  it('bytes after the end are refused', () => {
    expect(() => decodeWire(new Uint8Array([1, 2]))).toThrow(/after its end/)
  })

  it('a typed array of half an element is refused', () => {
    expect(() => decodeWire(new Uint8Array([0xc7, 7, 8, 0, 0, 0, 0, 0, 0, 0]))).toThrow(/Float64Array of 7 bytes/)
  })

  it('a plain message with a key __proto__ is refused', () => {
    const plain = encode(JSON.parse('{"__proto__": 1}'))
    expect(() => decodeWire(plain)).toThrow(WireError)
  })
})
