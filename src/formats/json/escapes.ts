/** What stands between the quotes of a JSON string, as UTF-8. */

const SIMPLE = new Uint8Array(256)
for (const [c, v] of [
  ['"', 0x22],
  ['\\', 0x5c],
  ['/', 0x2f],
  ['b', 8],
  ['f', 12],
  ['n', 10],
  ['r', 13],
  ['t', 9],
] as const)
  SIMPLE[c.charCodeAt(0)] = v

/** Value of four hexadecimal digits; -1 where they are none. */
export function hex4(b: Uint8Array, at: number, end: number): number {
  if (at + 4 > end) return -1
  let v = 0
  for (let i = at; i < at + 4; i++) {
    const c = b[i] as number
    const d = c >= 48 && c <= 57 ? c - 48 : (c | 32) >= 97 && (c | 32) <= 102 ? (c | 32) - 87 : -1
    if (d < 0) return -1
    v = v * 16 + d
  }
  return v
}

export interface Unescaped {
  /** Bytes written. */
  readonly length: number
  /** Escapes that JSON does not define; they stand in the text as they are. */
  readonly bad: number
}

/**
 * Writes the text of `b[from .. to)` to `out`, which must have room for `to - from` bytes. Pairs of surrogates become one character; one without the other passes as three
 * bytes, as in `decodeText`.
 */
export function unescape(b: Uint8Array, from: number, to: number, out: Uint8Array): Unescaped {
  let n = 0
  let bad = 0
  for (let i = from; i < to; i++) {
    const c = b[i] as number
    if (c !== 0x5c) {
      out[n++] = c
      continue
    }
    const e = i + 1 < to ? (b[i + 1] as number) : 0
    const simple = SIMPLE[e] as number
    if (simple !== 0) {
      out[n++] = simple
      i++
      continue
    }
    let cp = e === 0x75 ? hex4(b, i + 2, to) : -1
    if (cp < 0) {
      bad++
      out[n++] = c
      continue
    }
    i += 5
    if (cp >= 0xd800 && cp < 0xdc00 && b[i + 1] === 0x5c && b[i + 2] === 0x75) {
      const low = hex4(b, i + 3, to)
      if (low >= 0xdc00 && low < 0xe000) {
        cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00)
        i += 6
      }
    }
    if (cp < 0x80) out[n++] = cp
    else {
      if (cp < 0x800) out[n++] = 0xc0 | (cp >> 6)
      else {
        if (cp < 0x10000) out[n++] = 0xe0 | (cp >> 12)
        else {
          out[n++] = 0xf0 | (cp >> 18)
          out[n++] = 0x80 | ((cp >> 12) & 63)
        }
        out[n++] = 0x80 | ((cp >> 6) & 63)
      }
      out[n++] = 0x80 | (cp & 63)
    }
  }
  return { length: n, bad }
}
