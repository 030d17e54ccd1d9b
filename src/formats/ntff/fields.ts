/** Fields of a message whose bytes may end early: what is whole is visited, a part that is cut is visited clipped and says so. */
import { varint, walkFields, type WireField } from '../protobuf/wire'

export interface Field extends WireField {
  /** The bytes end inside this (length-delimited) field. */
  readonly cut: boolean
}

/** Visits the fields in `bytes[start, end)`. `whole` is false where the bytes end inside a field or are no protobuf from some place on. */
export function eachField(
  bytes: Uint8Array,
  start: number,
  end: number,
  visit: (f: Field) => void,
): { readonly whole: boolean; readonly bad: boolean } {
  const walk = walkFields(bytes, start, end, f => visit({ ...f, cut: false }))
  if (walk.end === 'cut') {
    const [tag, at] = varint(bytes, walk.at, end)
    if (at > 0 && tag % 8 === 2) {
      const [, from] = varint(bytes, at, end)
      if (from > 0) visit({ number: Math.floor(tag / 8), wire: 2, value: 0, start: from, end, cut: true })
    }
  }
  return { whole: walk.end === 'whole', bad: walk.end === 'bad' }
}

const text = new TextDecoder('utf-8')
/** No name of a file or an instance is longer; what is, is no name. */
const TEXT_BYTES = 4096

export const textOf = (bytes: Uint8Array, f: Field): string => text.decode(bytes.subarray(f.start, Math.min(f.end, f.start + TEXT_BYTES)))

export const hexOf = (bytes: Uint8Array, start: number, end: number): string => {
  let out = ''
  for (let i = start; i < end; i++) out += (bytes[i] as number).toString(16).padStart(2, '0')
  return out
}

/** A uuid of 16 bytes that is not all zero; '' for anything else. */
export function uuidOf(bytes: Uint8Array, f: Field): string {
  if (f.wire !== 2 || f.cut || f.end - f.start !== 16) return ''
  const hex = hexOf(bytes, f.start, f.end)
  return /^0+$/.test(hex) ? '' : hex
}
