/** Walks over the members of an object and the items of a list whose grammar has been checked (see ValueSkipper); commas are not looked at. */
import { BACKSLASH, CLOSE_BRACE, CLOSE_BRACKET, COLON, OPEN_BRACE, OPEN_BRACKET, QUOTE, SCALAR, WS } from './bytes'

/** Calls `visit(key start, key end, value start, value end)` for each member of the object `b[s..e)`: the inside of the key, the whole value. Nothing for other values. */
export function eachMember(
  b: Uint8Array,
  s: number,
  e: number,
  visit: (keyStart: number, keyEnd: number, start: number, end: number) => void,
): void {
  if (b[s] !== OPEN_BRACE) return
  let i = s + 1
  while (i < e) {
    while (i < e && b[i] !== QUOTE) i++
    if (i >= e) return
    const from = i + 1
    const to = stringEnd(b, from, e)
    i = to + 1
    while (i < e && (WS[b[i]] === 1 || b[i] === COLON)) i++
    const start = i
    i = valueEnd(b, start, e)
    visit(from, to, start, i)
  }
}

/** Calls `visit(start, end)` for each item of the list `b[s..e)`. */
export function eachItem(b: Uint8Array, s: number, e: number, visit: (start: number, end: number) => void): void {
  if (b[s] !== OPEN_BRACKET) return
  let i = s + 1
  while (i < e) {
    const c = b[i]
    if (c !== QUOTE && c !== OPEN_BRACE && c !== OPEN_BRACKET && SCALAR[c] !== 1) {
      i++
      continue
    }
    const start = i
    i = valueEnd(b, start, e)
    visit(start, i)
  }
}

/** Index of the quote that ends the string whose inside begins at `i`; `e` where it has none. */
export function stringEnd(b: Uint8Array, i: number, e: number): number {
  while (i < e && b[i] !== QUOTE) i += b[i] === BACKSLASH ? 2 : 1
  return Math.min(i, e)
}

/** End of the value at `i`. */
export function valueEnd(b: Uint8Array, i: number, e: number): number {
  if (b[i] === QUOTE) return Math.min(stringEnd(b, i + 1, e) + 1, e)
  let depth = 0
  for (; i < e; i++) {
    const c = b[i]
    if (c === QUOTE) i = stringEnd(b, i + 1, e)
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth++
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      if (depth === 0) return i
      if (--depth === 0) return i + 1
    } else if (depth === 0 && SCALAR[c] !== 1) return i
  }
  return e
}
