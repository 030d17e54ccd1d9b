/**
 * The wire level of protobuf: tags, varints and lengths, without any schema. For looking at bounded heads of files; never throws, never reads past the end.
 */

export interface WireField {
  readonly number: number
  /** 0 varint, 1 fixed 64, 2 length-delimited, 5 fixed 32. */
  readonly wire: 0 | 1 | 2 | 5
  /** Value of a varint as a double (inexact above 2^53); 0 for the other wire types. */
  readonly value: number
  /** Payload: `bytes.subarray(start, end)`. */
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

/** Varint at `at`: [value, next offset]; next is -1 where the bytes end inside it and -2 where it is longer than ten bytes. */
export function varint(bytes: Uint8Array, at: number, end = bytes.length): readonly [number, number] {
  let value = 0
  let scale = 1
  for (let i = 0; i < 10; i++) {
    if (at + i >= end) return [0, -1]
    const b = bytes[at + i] as number
    value += (b & 0x7f) * scale
    if (b < 0x80) return [value, at + i + 1]
    scale *= 128
  }
  return [0, -2]
}

/** Visits the fields of a message in `bytes[start, end)`. `visit` may return false to call the message bad. */
export function walkFields(bytes: Uint8Array, start: number, end: number, visit?: (f: WireField) => boolean | void): Walk {
  let at = start
  let fields = 0
  while (at < end) {
    const [tag, afterTag] = varint(bytes, at, end)
    if (afterTag < 0) return { end: afterTag === -1 ? 'cut' : 'bad', at, fields }
    const number = Math.floor(tag / 8)
    const wire = tag % 8
    if (number < 1 || number >= 2 ** 29) return { end: 'bad', at, fields }
    let value = 0
    let from = afterTag
    let to: number
    if (wire === 0) {
      ;[value, to] = varint(bytes, afterTag, end)
      if (to < 0) return { end: to === -1 ? 'cut' : 'bad', at, fields }
    } else if (wire === 1) to = from + 8
    else if (wire === 5) to = from + 4
    else if (wire === 2) {
      const [length, next] = varint(bytes, afterTag, end)
      if (next === -1) return { end: 'cut', at, fields }
      if (next < 0 || length >= 2 ** 31) return { end: 'bad', at, fields }
      from = next
      to = from + length
    } else return { end: 'bad', at, fields }
    if (to > end) return { end: 'cut', at, fields }
    if (visit?.({ number, wire, value, start: from, end: to }) === false) return { end: 'bad', at, fields }
    at = to
    fields++
  }
  return { end: 'whole', at, fields }
}
