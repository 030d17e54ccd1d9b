/** Members of one event: the hot loop of the reader. Text and numbers go to the values at once, nested values are passed over. */
import { ValueSkipper, SKIP_BAD, SKIP_MORE } from '../json/skip'
import * as B from './bytes'
import type { Findings } from './findings'
import { Input } from '../json/input'
import { alienKey, commentEnd, isHeaderKey, isListKey, NO, UNSURE } from './ahead'
import { CONTROLS, ESCAPES, HASH_SEED, hashStep, NON_ASCII } from './strings'
import { EventValues } from './values'

const MAX_TEXT = 1024 * 1024
const MAX_NUMBER = 4096
export const MAX_KEY = 4096
export const SLASH = 0x2f
const SINGLE_QUOTE = 0x27

// States. The names say what comes next.
export const START = 0
export const TOP = 1
export const TOP_VALUE = 2
export const BETWEEN = 3
export const EVENT = 4
export const EVENT_VALUE = 5
export const ENTRY = 6
export const RESYNC = 7
export const TAIL = 8
export const DONE = 9

// What stands before, in an object or in a list.
export const AFTER_OPEN = 0
export const AFTER_ITEM = 1
export const AFTER_COMMA = 2
/** An entry of the list that is no event. */
export const AFTER_ENTRY = 3

export abstract class EventReader extends Input {
  readonly values: EventValues
  /** Guess of the number of rows, set by the reader. */
  expected = 0

  protected readonly findings: Findings
  protected readonly skipper: ValueSkipper
  protected state = START
  protected sep = AFTER_OPEN
  /** Offset in the stream of the event or value being read. */
  protected itemStart = 0
  #valueStart = 0
  #valueKey = B.OTHER
  /** The key whose control characters were told. */
  #toldKey = -1

  constructor(findings: Findings) {
    super()
    this.findings = findings
    this.skipper = new ValueSkipper(findings, alienKey)
    this.values = new EventValues(findings)
  }

  /** The event ends before index `after`. */
  protected abstract commit(after: number): void
  /** The event is damaged at `i`. True: go on. */
  protected abstract bad(i: number, problem: string): boolean
  /** The event turns out to be a document of its own: `i` is its first member, or the one that holds its events. True: go on. */
  protected abstract secondDocument(i: number): boolean

  /** The event at `offset`, whose inside begins at `i`. */
  protected beginEvent(i: number, offset: number): void {
    this.values.begin(this.expected, offset)
    this.findings.begin()
    this.itemStart = offset
    this.i = i
    this.state = EVENT
    this.sep = AFTER_OPEN
  }

  /** Members of one event. A member that is cut is read again from its key; large values are passed over in EVENT_VALUE. */
  protected event(): boolean {
    const b = this.b
    const end = this.end
    let i = this.i
    for (;;) {
      while (i < end && B.WS[b[i]] === 1) i++
      this.i = i
      if (i >= end) return false
      const c = b[i]
      if (c === B.COMMA) {
        if (this.sep !== AFTER_ITEM) this.findings.strayComma(this.base + i)
        this.sep = AFTER_COMMA
        i++
        continue
      }
      if (c === B.CLOSE_BRACE) {
        if (this.sep === AFTER_COMMA) this.findings.strayComma(this.base + i)
        this.commit(i + 1)
        return true
      }
      if (c !== B.QUOTE) {
        const after = c === SLASH ? commentEnd(this.ahead, i) : -1 - NO
        if (after === -1 - UNSURE) return false
        if (after < 0)
          return this.bad(i, c === SINGLE_QUOTE ? 'single quotes stand where double ones belong' : 'a comma or a key was expected')
        this.findings.comment(this.base + i)
        i = after
        continue
      }
      let k = i + 1
      while (k < end && B.IN_STRING[b[k]] === 0) k++
      let escaped = false
      if (k >= end || b[k] !== B.QUOTE) {
        escaped = true
        k = this.stringEnd(k)
        if (k < 0) return end - i > MAX_KEY ? this.bad(i, 'a key has no end') : false
      }
      if (k - i > MAX_KEY) return this.bad(i, 'a key has no end')
      let v = k + 1
      while (v < end && B.WS[b[v]] === 1) v++
      if (v >= end) return false
      if (b[v] !== B.COLON) return this.bad(v, 'a colon is missing after a key')
      v++
      while (v < end && B.WS[b[v]] === 1) v++
      if (v >= end) return false

      if (escaped && this.#toldKey !== this.base + i) {
        const zeros = B.zeroBlock(b, i + 1, k)
        if (zeros >= 0) return this.bad(zeros, 'a block of zero bytes inside a key')
        this.#toldKey = this.base + i
        if (b.subarray(i, k).some(x => B.IN_STRING[x] === B.S_CONTROL)) this.findings.control(this.base + i)
      }

      const q = b[v]
      const code = escaped ? this.#escapedKey(i + 1, k) : B.keyCode(b, i + 1, k)
      if (code !== B.OTHER && code !== B.ARGS && code !== B.ID2) {
        if (q === B.QUOTE) {
          let h = HASH_SEED
          let odd = 0
          let j = v + 1
          for (; j < end;) {
            const cls = B.IN_STRING[b[j]]
            if (cls === 0) h = hashStep(h, b[j++])
            else if (cls === B.S_QUOTE) break
            else if (cls === B.S_BACKSLASH) {
              odd |= ESCAPES
              j += 2
            } else {
              odd |= cls === B.S_CONTROL ? CONTROLS : NON_ASCII
              h = hashStep(h, b[j++])
            }
          }
          if (j < end && j - v <= MAX_TEXT) {
            if (odd & CONTROLS) {
              const zeros = B.zeroBlock(b, v + 1, j)
              if (zeros >= 0) return this.bad(zeros, 'a block of zero bytes inside a string')
              this.findings.control(this.base + v)
            }
            this.values.string(code, b, this.base, v + 1, j, h, odd)
            if (this.sep === AFTER_ITEM) this.findings.missingComma(this.base + i)
            i = j + 1
            this.sep = AFTER_ITEM
            continue
          }
          if (j >= end && end - v <= MAX_TEXT) return false
          this.findings.longValue(this.base + v)
        } else if (B.SCALAR[q] === 1) {
          let j = v
          while (j < end && B.SCALAR[b[j]] === 1) j++
          if (j < end && j - v <= MAX_NUMBER) {
            this.values.scalar(code, b, this.base, v, j)
            if (this.sep === AFTER_ITEM) this.findings.missingComma(this.base + i)
            i = j
            this.sep = AFTER_ITEM
            continue
          }
          if (j >= end && end - v <= MAX_NUMBER) return false
          this.findings.longValue(this.base + v)
        } else if (q !== B.OPEN_BRACE && q !== B.OPEN_BRACKET)
          return this.bad(v, q === SINGLE_QUOTE ? 'single quotes stand where double ones belong' : 'a value is missing')
        // A nested or oversized value under a known key says nothing; a duplicate key overrides what stood before, as in every JSON reader.
        this.values.clear(code)
      } else if (code === B.OTHER) {
        const first = this.sep === AFTER_OPEN && isHeaderKey(b, i + 1, k)
        if (first || (q === B.OPEN_BRACKET && isListKey(b, i + 1, k))) return this.secondDocument(i)
      }
      if (this.sep === AFTER_ITEM) this.findings.missingComma(this.base + i)
      this.#valueKey = code
      this.#valueStart = this.base + v
      this.skipper.begin(true)
      this.i = v
      this.state = EVENT_VALUE
      return true
    }
  }

  protected eventValue(): boolean {
    const r = this.skipper.run(this.b, this.i, this.end, this.base)
    this.i = this.skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.bad(this.i, this.skipper.problem)
    const from = this.#valueStart - this.base
    const length = this.i - from
    if (this.#valueKey === B.ARGS) this.values.args(this.#valueStart, length, length === 4 && from >= 0 && this.b[from] === 0x6e)
    else if (this.#valueKey === B.ID2 && from >= 0) this.values.id2(this.b, from, this.i)
    this.sep = AFTER_ITEM
    this.state = EVENT
    return true
  }

  #escapedKey(s: number, e: number): number {
    const text = B.ascii(this.values.strings.text(this.b, s, e))
    return B.keyCode(text, 0, text.length)
  }
}
