/** Byte classes of JSON and key names of a Chrome trace. */
export * from '../json/bytes'

// Keys of an event. OTHER is everything that has no column.
export const OTHER = 0
export const PH = 1
export const TS = 2
export const DUR = 3
export const NAME = 4
export const CAT = 5
export const PID = 6
export const TID = 7
export const ID = 8
export const ID2 = 9
export const ARGS = 10
export const BP = 11

/** Code of the key `b[s..e)`. */
export function keyCode(b: Uint8Array, s: number, e: number): number {
  const c = b[s]
  const d = b[s + 1]
  if (e - s === 2) {
    if (c === 0x70 && d === 0x68) return PH
    if (c === 0x74 && d === 0x73) return TS
    if (c === 0x69 && d === 0x64) return ID
    if (c === 0x62 && d === 0x70) return BP
  } else if (e - s === 3) {
    const f = b[s + 2]
    if (d === 0x69 && f === 0x64) return c === 0x70 ? PID : c === 0x74 ? TID : OTHER
    if (c === 0x64 && d === 0x75 && f === 0x72) return DUR
    if (c === 0x63 && d === 0x61 && f === 0x74) return CAT
    if (c === 0x69 && d === 0x64 && f === 0x32) return ID2
  } else if (e - s === 4) {
    if (c === 0x6e && d === 0x61 && b[s + 2] === 0x6d && b[s + 3] === 0x65) return NAME
    if (c === 0x61 && d === 0x72 && b[s + 2] === 0x67 && b[s + 3] === 0x73) return ARGS
  }
  return OTHER
}
