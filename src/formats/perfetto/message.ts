/** Fields of the messages that are read, by their numbers in resources/proto/perfetto-trace.proto. Text and numbers out of wire fields. */
import { exact, walkFields, type WireField } from '../protobuf/wire'

export const PACKET = {
  clockSnapshot: 6,
  timestamp: 8,
  sequence: 10,
  trackEvent: 11,
  internedData: 12,
  sequenceFlags: 13,
  cleared: 41,
  dropped: 42,
  compressed: 50,
  clock: 58,
  defaults: 59,
  trackDescriptor: 60,
  zstd: 133,
} as const

export const SLICE_BEGIN = 1
export const SLICE_END = 2
export const INSTANT = 3
export const COUNTER = 4

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
export const text = (b: Uint8Array, f: WireField): string => utf8.decode(b.subarray(f.start, f.end))

/** A fixed 64-bit field. */
export const fixed64 = (b: Uint8Array, f: WireField): bigint => new DataView(b.buffer, b.byteOffset + f.start, 8).getBigUint64(0, true)
export const double = (b: Uint8Array, f: WireField): number => new DataView(b.buffer, b.byteOffset + f.start, 8).getFloat64(0, true)
export const int64 = (b: Uint8Array, f: WireField): bigint => BigInt.asIntN(64, exact(b, f))

/** Visits the fields of a sub-message; false where it is damaged. */
export const fields = (b: Uint8Array, f: Pick<WireField, 'start' | 'end'>, visit: (f: WireField) => void): boolean =>
  walkFields(b, f.start, f.end, visit).end === 'whole'

/** Deepest nesting of annotations that is followed. */
const MAX_DEPTH = 12

/** Names of a sequence that annotations refer to. */
export interface AnnotationNames {
  readonly names: ReadonlyMap<number, string>
  readonly strings: ReadonlyMap<number, string>
}

export interface Annotation {
  readonly name: string
  /** undefined: none that is known. */
  readonly value: unknown
}

/** A DebugAnnotation. A name that the file does not have is told by its number. */
export function annotation(b: Uint8Array, at: Pick<WireField, 'start' | 'end'>, of: AnnotationNames, depth = 0): Annotation {
  let name = ''
  let value: unknown
  const dict: [string, unknown][] = []
  const list: unknown[] = []
  fields(b, at, f => {
    if (f.wire === 0) {
      if (f.number === 1) name = of.names.get(f.value) ?? `annotation ${f.value}`
      else if (f.number === 2) value = f.value !== 0
      else if (f.number === 3) value = exact(b, f)
      else if (f.number === 4) value = int64(b, f)
      else if (f.number === 7) value = `0x${exact(b, f).toString(16)}`
      else if (f.number === 17) value = of.strings.get(f.value)
    } else if (f.wire === 1) {
      if (f.number === 5) value = double(b, f)
    } else if (f.wire === 2) {
      if (f.number === 6 || f.number === 9) value = text(b, f)
      else if (f.number === 10) name = text(b, f)
      else if (depth < MAX_DEPTH && (f.number === 11 || f.number === 12)) {
        const a = annotation(b, f, of, depth + 1)
        if (f.number === 11) dict.push([a.name, a.value])
        else list.push(a.value)
      } else if (depth < MAX_DEPTH && f.number === 8) value = nested(b, f, depth + 1)
    }
  })
  if (dict.length > 0) value = Object.fromEntries(dict)
  else if (list.length > 0) value = list
  return { name, value }
}

/** The older form of nested values. */
function nested(b: Uint8Array, at: WireField, depth: number): unknown {
  let type = 0
  let value: unknown
  const keys: string[] = []
  const values: unknown[] = []
  fields(b, at, f => {
    if (f.wire === 0) {
      if (f.number === 1) type = f.value
      else if (f.number === 5) value = int64(b, f)
      else if (f.number === 7) value = f.value !== 0
    } else if (f.wire === 1 && f.number === 6) value = double(b, f)
    else if (f.wire === 2) {
      if (f.number === 2) keys.push(text(b, f))
      else if (f.number === 8) value = text(b, f)
      else if ((f.number === 3 || f.number === 4) && depth < MAX_DEPTH) values.push(nested(b, f, depth + 1))
    }
  })
  if (type === 1) return Object.fromEntries(keys.map((k, i) => [k, values[i]]))
  return type === 2 ? values : value
}
