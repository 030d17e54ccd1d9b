/**
 * Passes over one JSON value of any size without keeping it. The state survives the end of a chunk, there is no recursion, and the grammar of
 * strings, separators and brackets is checked, because a wrong quote is noticed there first. Numbers and bare words are not judged. Commas that are
 * missing or too many and raw control characters are told and passed over; anything else ends the value as bad.
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
  ZERO_BLOCK,
} from './bytes'

/** Deepest nesting that is followed; real traces have less than ten levels. */
export const MAX_DEPTH = 1000

export const SKIP_MORE = 0
export const SKIP_DONE = 1
export const SKIP_BAD = 2

/** What the first key of an object says about it, for a reader that looks for objects that do not belong where they stand. */
export const ORDINARY = 0
/** It does not belong here. */
export const ALIEN = 1
/** It does not belong here if the value of this key is a string of one character. */
export const ALIEN_IF_LETTER = 2
/** Asked about the first key `b[s..e)` of each object; `depth` is 1 for the value itself. */
export type FirstKey = (b: Uint8Array, s: number, e: number, depth: number) => number
/** Longer first keys are not asked about. */
const LONGEST_FIRST_KEY = 32

/** Told of what was passed over, with the offset in the stream. */
export interface Mends {
  strayComma(offset: number): void
  missingComma(offset: number): void
  /** Once per string. */
  control(offset: number): void
}

const NOTHING = 0
const FIRST = 1
const LETTER = 2

const VALUE = 0
const KEY = 1
const AFTER_KEY = 2
const AFTER_VALUE = 3
/** A value of an object's member: unlike that of a list it cannot be left out. */
const MEMBER_VALUE = 4
const IN_SCALAR = 5
const KEY_STRING = 6
const VALUE_STRING = 7

export class ValueSkipper {
  readonly #mends: Mends
  readonly #firstKey: FirstKey | null
  #asking = false
  #mode = VALUE
  #depth = 0
  readonly #kind = new Uint8Array(MAX_DEPTH + 1)
  /** Whether the last token was a comma, and whether it was a string value. */
  #comma = false
  #isString = false
  /** Offset of the inside of the string that is open. */
  #inside = 0
  /** What is asked of the next string: nothing, whether it is an alien first key, whether it is one letter. */
  #ask = NOTHING
  /** The string whose control characters were told, the offset of its last zero byte, and how many stand in a row up to there. */
  #told = -1
  #zeroAt = -1
  #zeros = 0
  /** Where the scan stands: after the value when done, at the offence when bad. */
  at = 0
  problem = ''

  constructor(mends: Mends, firstKey: FirstKey | null = null) {
    this.#mends = mends
    this.#firstKey = firstKey
  }

  /** A new value. `asking`: `firstKey` is asked about each object in it, the value itself included. */
  begin(asking = false): void {
    this.#asking = asking && this.#firstKey !== null
    this.#ask = NOTHING
    this.#mode = VALUE
    this.#depth = 0
    this.#comma = false
    this.#told = -1
  }

  /**
   * Goes on from `i` (offset `base + i` of the stream); returns SKIP_MORE, SKIP_DONE or SKIP_BAD. With SKIP_MORE all of it is consumed but for a lone backslash or the
   * beginning of a first key: the next call wants the bytes from `at` on.
   */
  run(b: Uint8Array, i: number, end: number, base: number): number {
    const kind = this.#kind
    let mode = this.#mode
    let depth = this.#depth
    let top = depth ? kind[depth] : 0
    let comma = this.#comma
    let isString = this.#isString
    let inside = this.#inside
    let ask = this.#ask
    const first = this.#asking ? FIRST : NOTHING
    for (;;) {
      if (mode >= IN_SCALAR) {
        if (mode === IN_SCALAR) {
          while (i < end && SCALAR[b[i]] === 1) i++
          if (i >= end) break
          isString = false
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
            if (cls === S_CONTROL && this.#control(b[i], base + i, inside)) return this.#bad(i, 'a block of zero bytes inside a string')
            i++
          }
          if (!closed) {
            if (ask === FIRST && mode === KEY_STRING && base + i - inside <= LONGEST_FIRST_KEY) {
              i = inside - base - 1
              mode = KEY
            }
            break
          }
          isString = true
          if (ask !== NOTHING) {
            const says = ask === FIRST ? this.#judge(b, inside - base, i - 1, depth) : i - 1 === inside - base + 1 ? ALIEN : ORDINARY
            if (says === ALIEN) return this.#bad(i, 'another event or document begins inside of it')
            ask = says === ALIEN_IF_LETTER ? LETTER : NOTHING
          }
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
          comma = true
          continue
        }
        // A value behind a value: the comma is missing. A bare word behind a string is more likely a quote inside of it that was not escaped.
        if (top === OPEN_BRACE) {
          if (c === QUOTE) {
            this.#mends.missingComma(base + i)
            mode = KEY
          }
        } else if (c === QUOTE || c === OPEN_BRACE || c === OPEN_BRACKET || (SCALAR[c] === 1 && !isString)) {
          this.#mends.missingComma(base + i)
          mode = VALUE
        }
      } else if (mode === AFTER_KEY) {
        if (c !== COLON) return this.#bad(i, 'a colon is missing')
        i++
        mode = MEMBER_VALUE
        continue
      }
      if (c === QUOTE && mode !== AFTER_VALUE) {
        comma = false
        i++
        inside = base + i
        mode = mode === KEY ? KEY_STRING : VALUE_STRING
        continue
      }
      if (mode === VALUE || mode === MEMBER_VALUE) {
        if (c === OPEN_BRACE || c === OPEN_BRACKET) {
          if (depth >= MAX_DEPTH) return this.#bad(i, `nested deeper than ${MAX_DEPTH} levels`)
          comma = false
          kind[++depth] = top = c
          ask = c === OPEN_BRACE ? first : NOTHING
          i++
          mode = c === OPEN_BRACE ? KEY : VALUE
          continue
        }
        if (SCALAR[c] === 1) {
          comma = false
          ask = NOTHING
          mode = IN_SCALAR
          continue
        }
      }
      if (mode <= KEY && c === COMMA && depth > 0) {
        this.#mends.strayComma(base + i)
        comma = true
        i++
        continue
      }
      // What is left must close: `]` after a value or an empty list, `}` after a value or an empty object.
      if (
        depth > 0 &&
        ((c === CLOSE_BRACE && top === OPEN_BRACE && mode !== MEMBER_VALUE) || (c === CLOSE_BRACKET && top === OPEN_BRACKET))
      ) {
        if (comma) this.#mends.strayComma(base + i)
        comma = isString = false
        i++
        if (--depth === 0) return this.#end(i)
        top = kind[depth]
        mode = AFTER_VALUE
        continue
      }
      return this.#bad(i, mode === MEMBER_VALUE ? 'a value is missing' : 'unexpected character between values')
    }
    this.#mode = mode
    this.#depth = depth
    this.#comma = comma
    this.#isString = isString
    this.#inside = inside
    this.#ask = ask
    this.at = i
    return SKIP_MORE
  }

  #judge(b: Uint8Array, s: number, e: number, depth: number): number {
    return this.#firstKey && e - s <= LONGEST_FIRST_KEY ? this.#firstKey(b, s, e, depth) : ORDINARY
  }

  /** A raw control character inside the string whose inside begins at `inside`; true when it completes a block of zero bytes. */
  #control(c: number, offset: number, inside: number): boolean {
    if (this.#told !== inside) {
      this.#told = inside
      this.#zeroAt = -1
      this.#mends.control(offset)
    }
    if (c !== 0) return false
    this.#zeros = offset === this.#zeroAt + 1 ? this.#zeros + 1 : 1
    this.#zeroAt = offset
    return this.#zeros >= ZERO_BLOCK
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
