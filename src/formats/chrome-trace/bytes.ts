/** Byte classes and key names of a Chrome trace, as tables: one look-up per byte. */

export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPEN_BRACE = 0x7b
export const CLOSE_BRACE = 0x7d
export const OPEN_BRACKET = 0x5b
export const CLOSE_BRACKET = 0x5d

/** 1 for the four JSON white space characters. */
export const WS = new Uint8Array(256)
for (const c of [0x20, 0x09, 0x0a, 0x0d]) WS[c] = 1

/** Inside a string: 0 plain ASCII, else one of the S_ classes. */
export const IN_STRING = new Uint8Array(256)
export const S_QUOTE = 1
export const S_BACKSLASH = 2
export const S_CONTROL = 3
export const S_NON_ASCII = 4
IN_STRING.fill(S_CONTROL, 0, 0x20)
IN_STRING.fill(S_NON_ASCII, 0x80)
IN_STRING[QUOTE] = S_QUOTE
IN_STRING[BACKSLASH] = S_BACKSLASH

/** 1 for bytes of numbers and bare words (true, null, NaN, -Infinity, 1.5e+3). Writers of invalid words are common, so they are skipped, not refused. */
export const SCALAR = new Uint8Array(256)
for (let c = 0; c < 256; c++) SCALAR[c] = /[0-9A-Za-z+\-._]/.test(String.fromCharCode(c)) && c < 0x80 ? 1 : 0

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

/** Code of the key `b[s..e)`. */
export function keyCode(b: Uint8Array, s: number, e: number): number {
  const c = b[s]
  const d = b[s + 1]
  if (e - s === 2) {
    if (c === 0x70 && d === 0x68) return PH
    if (c === 0x74 && d === 0x73) return TS
    if (c === 0x69 && d === 0x64) return ID
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

const encoder = new TextEncoder()
export const ascii = (text: string): Uint8Array => encoder.encode(text)

export function equalBytes(b: Uint8Array, s: number, e: number, text: Uint8Array): boolean {
  if (e - s !== text.length) return false
  for (let k = 0; k < text.length; k++) if (b[s + k] !== text[k]) return false
  return true
}
