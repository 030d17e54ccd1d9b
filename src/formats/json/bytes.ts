/** Byte classes of JSON text, as tables: one look-up per byte. */

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

/**
 * A string with this many zero bytes in a row is no string: a block of the file was lost (a hole in a sparse file, a crash), and what seems to be one
 * string is the beginning of one and the end of another. A single zero byte is a control character like any other.
 */
export const ZERO_BLOCK = 4

/** Index of the zero byte that completes a block of zero bytes in `b[s..e)`; -1 without one. */
export function zeroBlock(b: Uint8Array, s: number, e: number): number {
  let run = 0
  for (let i = s; i < e; i++) {
    run = b[i] === 0 ? run + 1 : 0
    if (run === ZERO_BLOCK) return i
  }
  return -1
}

const encoder = new TextEncoder()
export const ascii = (text: string): Uint8Array => encoder.encode(text)

export function equalBytes(b: Uint8Array, s: number, e: number, text: Uint8Array): boolean {
  if (e - s !== text.length) return false
  for (let k = 0; k < text.length; k++) if (b[s + k] !== text[k]) return false
  return true
}
