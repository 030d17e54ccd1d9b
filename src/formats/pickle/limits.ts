/**
 * Bounds of the interpreter. A real snapshot stays far below each of them; a file that goes beyond is built to exhaust memory or time and is refused with `pickle-limit`.
 * What a file may take is linear in its size: every stack slot, object and node costs at least one byte of input.
 */
export const LIMITS = {
  /** Slots of the value stack. A whole list of a C++ written snapshot stands on it before APPENDS. */
  stack: 1 << 25,
  marks: 1 << 20,
  /** Lists, dicts, tuples and sets. A snapshot of 5 GB has about 35 million. */
  objects: 1 << 26,
  /** Items of containers that are kept one by one. */
  nodes: 1 << 25,
  memo: 1 << 27,
  /** Memo entries whose index does not follow on the ones before. */
  sparseMemo: 1 << 16,
  opaques: 1 << 16,
  stringBytes: 1 << 26,
  /** Bytes of a frame, unless the file is known to hold that many; pickle writers end one after 64 KiB. */
  frameBytes: 1 << 30,
  /** Bytes of one integer. */
  intBytes: 4096,
  /** Digits of one integer written as text (Python itself stops there). */
  intDigits: 4300,
  lineBytes: 1 << 20,
} as const
