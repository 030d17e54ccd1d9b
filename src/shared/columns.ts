/**
 * Columns: struct of arrays instead of an object per event. Typed arrays move between threads without a copy.
 */

/** A table of strings as one UTF-8 buffer and `length + 1` offsets. Strings are decoded when asked for. */
export interface StringTable {
  readonly bytes: Uint8Array
  /** `offsets[i] .. offsets[i + 1]` are the bytes of string i. */
  readonly offsets: Uint32Array
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const stringCount = (t: StringTable): number => t.offsets.length - 1

/** String `i`, or '' for an id outside the table (-1 stands for "absent" in id columns). */
export function stringAt(t: StringTable, i: number): string {
  if (i < 0 || i >= t.offsets.length - 1) return ''
  return decoder.decode(t.bytes.subarray(t.offsets[i], t.offsets[i + 1]))
}

/** Builds a string table from strings (for small tables and tests; readers intern bytes directly). */
export function stringTable(strings: readonly string[]): StringTable {
  const enc = new TextEncoder()
  const parts = strings.map(s => enc.encode(s))
  const offsets = new Uint32Array(parts.length + 1)
  let n = 0
  parts.forEach((p, i) => {
    offsets[i] = n
    n += p.length
  })
  offsets[parts.length] = n
  const out = new Uint8Array(n)
  parts.forEach((p, i) => out.set(p, offsets[i]))
  return { bytes: out, offsets }
}

export type TypedArray =
  | Uint8Array
  | Uint8ClampedArray
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array

/**
 * Every distinct ArrayBuffer inside plain data: the transfer list for postMessage. Empty ones are left out: copying them costs nothing, and one that
 * many tables share as "none" must not be taken from the others.
 */
export function buffersOf(value: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>()
  collect(value, found)
  return [...found]
}

function collect(value: unknown, into: Set<ArrayBuffer>): void {
  if (value === null || typeof value !== 'object') return
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer && value.buffer.byteLength > 0) into.add(value.buffer)
  } else if (value instanceof ArrayBuffer) {
    if (value.byteLength > 0) into.add(value)
  } else if (Array.isArray(value)) for (const v of value) collect(v, into)
  else for (const key in value) collect((value as Record<string, unknown>)[key], into)
}
