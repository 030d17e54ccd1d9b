/**
 * Passes over one JSON value of any size without keeping it. The state survives the end of a chunk, there is no recursion, and the grammar of
 * strings, separators and brackets is checked, because a wrong quote is noticed there first. Numbers and bare words are not judged.
 */
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  IN_STRING,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SCALAR,
  S_BACKSLASH,
  S_CONTROL,
  S_QUOTE,
  WS,
} from './bytes'

/** Deepest nesting that is followed; real traces have less than ten levels. */
export const MAX_DEPTH = 1000

export const SKIP_MORE = 0
export const SKIP_DONE = 1
export const SKIP_BAD = 2

const VALUE = 0
const KEY = 1
const AFTER_KEY = 2
const AFTER_VALUE = 3
const IN_SCALAR = 4
const KEY_STRING = 5
const VALUE_STRING = 6

export class ValueSkipper {
  #mode = VALUE
  #depth = 0
  readonly #kind = new Uint8Array(MAX_DEPTH + 1)
  /** Where the scan stands: after the value when done, at the offence when bad. */
  at = 0
  problem = ''
  /** Offset in the stream of the inside of the last string. */
  lastString = 0
  /** Raw control characters seen inside strings, since the start. */
  controls = 0

  begin(): void {
    this.#mode = VALUE
    this.#depth = 0
    this.lastString = 0
  }

  /** Goes on from `i` (offset `base + i` of the stream); returns SKIP_MORE (all of it consumed, but for a lone backslash), SKIP_DONE or SKIP_BAD. */
  run(b: Uint8Array, i: number, end: number, base = 0): number {
    const kind = this.#kind
    let mode = this.#mode
    let depth = this.#depth
    let top = depth ? kind[depth] : 0
    for (;;) {
      if (mode >= IN_SCALAR) {
        if (mode === IN_SCALAR) {
          while (i < end && SCALAR[b[i]] === 1) i++
          if (i >= end) break
        } else {
          let closed = false
          while (i < end) {
            const cls = IN_STRING[b[i]]
            if (cls === S_QUOTE) {
              closed = true
              i++
              break
            }
            if (cls === S_BACKSLASH) {
              if (i + 1 >= end) break
              i += 2
              continue
            }
            if (cls === S_CONTROL) this.controls++
            i++
          }
          if (!closed) break
        }
        if (depth === 0) return this.#end(i)
        mode = mode === KEY_STRING ? AFTER_KEY : AFTER_VALUE
      }
      if (i >= end) break
      const c = b[i]
      if (WS[c] === 1) {
        i++
        continue
      }
      if (mode === AFTER_VALUE) {
        if (c === COMMA) {
          i++
          mode = top === OPEN_BRACE ? KEY : VALUE
          continue
        }
      } else if (mode === AFTER_KEY) {
        if (c !== COLON) return this.#bad(i, 'a colon is missing')
        i++
        mode = VALUE
        continue
      } else if (c === QUOTE) {
        i++
        this.lastString = base + i
        mode = mode === KEY ? KEY_STRING : VALUE_STRING
        continue
      } else if (mode === VALUE) {
        if (c === OPEN_BRACE || c === OPEN_BRACKET) {
          if (depth >= MAX_DEPTH) return this.#bad(i, `nested deeper than ${MAX_DEPTH} levels`)
          kind[++depth] = top = c
          i++
          mode = c === OPEN_BRACE ? KEY : VALUE
          continue
        }
        if (SCALAR[c] === 1) {
          mode = IN_SCALAR
          continue
        }
      }
      // What is left must close: `]` after a value or an empty list, `}` after a value or an empty object.
      if (depth > 0 && ((c === CLOSE_BRACE && top === OPEN_BRACE && mode !== VALUE) || (c === CLOSE_BRACKET && top === OPEN_BRACKET))) {
        i++
        if (--depth === 0) return this.#end(i)
        top = kind[depth]
        mode = AFTER_VALUE
        continue
      }
      return this.#bad(i, 'unexpected character between values')
    }
    this.#mode = mode
    this.#depth = depth
    this.at = i
    return SKIP_MORE
  }

  #end(i: number): number {
    this.at = i
    return SKIP_DONE
  }
  #bad(i: number, problem: string): number {
    this.at = i
    this.problem = problem
    return SKIP_BAD
  }
}
