/**
 * The wire level of protobuf without any schema: which fields stand where, read with protobufjs. For looking at bounded heads of files; never throws,
 * never reads past the end.
 */
import protobuf from 'protobufjs/minimal.js'

export interface WireField {
  readonly number: number
  /** 0 varint, 1 fixed 64, 2 length-delimited, 5 fixed 32. */
  readonly wire: 0 | 1 | 2 | 5
  /** Value of a varint as a double (inexact above 2^53); 0 for the other wire types. */
  readonly value: number
  /** Payload: `bytes.subarray(start, end)`; of a varint its own bytes, for `exact`. */
  readonly start: number
  readonly end: number
}

/** whole: every byte belongs to a field. cut: the bytes end inside a field. bad: not protobuf. */
export interface Walk {
  readonly end: 'whole' | 'cut' | 'bad'
  /** Offset of the first byte that belongs to no complete field. */
  readonly at: number
  readonly fields: number
}

/** protobufjs says RangeError for a read past the end and plain Error for what is no protobuf. */
const faultOf = (e: unknown): 'cut' | 'bad' => (e instanceof RangeError ? 'cut' : 'bad')

/** Varint at `at`: [value, next offset]; next is -1 where the bytes end inside it and -2 where it is longer than ten bytes. */
export function varint(bytes: Uint8Array, at: number, end = bytes.length): readonly [number, number] {
  const reader = protobuf.Reader.create(bytes.subarray(at, end))
  try {
    return [unsigned(reader), at + reader.pos]
  } catch (e) {
    return [0, faultOf(e) === 'cut' ? -1 : -2]
  }
}

/** A varint as a double, exact up to 2^53. protobufjs answers with a Long where that library is there. */
function unsigned(reader: protobuf.Reader): number {
  const v: unknown = reader.uint64()
  return typeof v === 'number' ? v : (v as { toNumber(): number }).toNumber()
}

/** Visits the fields of a message in `bytes[start, end)`. `visit` may return false to call the message bad. */
export function walkFields(bytes: Uint8Array, start: number, end: number, visit?: (f: WireField) => boolean | void): Walk {
  const reader = protobuf.Reader.create(bytes.subarray(start, Math.max(start, end)))
  const { len } = reader
  let fields = 0
  while (reader.pos < len) {
    const at = reader.pos
    let value = 0
    let from: number
    let to: number
    let number: number
    let wire: number
    try {
      const tag = unsigned(reader)
      number = Math.floor(tag / 8)
      wire = tag % 8
      if (number < 1 || number >= 2 ** 29) return { end: 'bad', at: start + at, fields }
      const valueAt = reader.pos
      if (wire === 0) value = unsigned(reader)
      else if (wire !== 1 && wire !== 2 && wire !== 5) return { end: 'bad', at: start + at, fields }
      const length = wire === 2 ? unsigned(reader) : wire === 1 ? 8 : wire === 5 ? 4 : 0
      if (length >= 2 ** 31) return { end: 'bad', at: start + at, fields }
      from = wire === 0 ? valueAt : reader.pos
      to = wire === 0 ? reader.pos : from + length
      if (to > len) return { end: 'cut', at: start + at, fields }
      reader.pos = to
    } catch (e) {
      return { end: faultOf(e), at: start + at, fields }
    }
    if (visit?.({ number, wire: wire as WireField['wire'], value, start: start + from, end: start + to }) === false)
      return { end: 'bad', at: start + at, fields }
    fields++
  }
  return { end: 'whole', at: start + reader.pos, fields }
}

const U64 = (1n << 64n) - 1n

/** A varint field, exact to 64 bits. */
export function exact(bytes: Uint8Array, f: Pick<WireField, 'start' | 'end'>): bigint {
  let v = 0n
  for (let i = f.end - 1; i >= f.start; i--) v = (v << 7n) | BigInt((bytes[i] as number) & 0x7f)
  return v & U64
}
