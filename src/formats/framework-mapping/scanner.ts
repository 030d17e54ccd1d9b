/**
 * Byte scanner of a framework mapping. It finds the entries of `data` one by one, whatever stands around them; each whole one goes to the columns, and nothing is kept of
 * the input but the entry that a chunk cuts. Its result does not depend on how the input is cut.
 */
import { ascii, CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, equalBytes, OPEN_BRACE, OPEN_BRACKET, QUOTE, SCALAR, WS } from '../json/bytes'
import { Input } from '../json/input'
import { ALIEN, ORDINARY, SKIP_BAD, SKIP_MORE, ValueSkipper } from '../json/skip'
import type { MappingColumns } from './columns'
import type { MappingFindings } from './findings'

/** Longest entry that is read: some 300,000 operators behind one sequence id. */
export const MAX_ENTRY = 16 * 1024 * 1024
const MAX_KEY = 4096
const MAX_VERSION = 64
/** Space and keys beyond this are not followed while looking for the next entry. */
const FAR = 256
const DATA = ascii('data')
const VERSION = ascii('version')
const ENTRY_KEYS = ['nrta_seq_id', 'framework_op_exec_ids'].map(ascii)
const OUTER_KEYS = [...ENTRY_KEYS, VERSION, DATA]

const isKey = (b: Uint8Array, s: number, e: number, keys: readonly Uint8Array[]): boolean => keys.some(k => equalBytes(b, s, e, k))
/** An entry, or a whole mapping, inside of an entry: what another writer put there. */
const alienKey = (b: Uint8Array, s: number, e: number, depth: number): number =>
  depth > 1 && isKey(b, s, e, OUTER_KEYS) ? ALIEN : ORDINARY

const START = 0
const TOP = 1
const TOP_VALUE = 2
const LIST = 3
const ENTRY = 4
const RESYNC = 5
const TAIL = 6
const DONE = 7

const AFTER_OPEN = 0
const AFTER_ITEM = 1
const AFTER_COMMA = 2

export class MappingScanner extends Input {
  /** Whether `data` was found, its closing bracket, and the end of the document. */
  found = false
  closed = false
  whole = false
  /** Text of `version` as it stands in the file; null where there is none. */
  version: string | null = null

  readonly #columns: MappingColumns
  readonly #findings: MappingFindings
  readonly #skipper: ValueSkipper
  #state = START
  #sep = AFTER_OPEN
  #itemStart = 0
  #isVersion = false
  /** Offset up to which damage was told, and bytes that were looked through again because of it. */
  #damaged = -1
  #again = 0

  constructor(columns: MappingColumns, findings: MappingFindings) {
    super(MAX_ENTRY)
    this.#columns = columns
    this.#findings = findings
    this.#skipper = new ValueSkipper(findings, alienKey)
  }

  get offset(): number {
    return this.base + this.i
  }
  /** Where the entry begins that the end of the input cut; the end where none is open. */
  get cutAt(): number {
    return this.#state === ENTRY ? this.#itemStart : this.offset
  }
  /** It is no JSON object at all. */
  get refused(): boolean {
    return this.#state === DONE
  }
  /** The way was lost in damage and not found again. */
  get lost(): boolean {
    return this.#state === RESYNC
  }

  protected step(): boolean {
    switch (this.#state) {
      case START:
        return this.#start()
      case TOP:
        return this.#top()
      case TOP_VALUE:
        return this.#topValue()
      case LIST:
        return this.#list()
      case ENTRY:
        return this.#entry()
      case RESYNC:
        return this.#resync()
      case TAIL:
        return this.#tail()
      default:
        return false
    }
  }

  // ── the document ──

  #start(): boolean {
    if (this.end - this.i < 4 && !this.ended) return false
    if (this.base === 0 && this.i === 0 && this.b[0] === 0xef && this.b[1] === 0xbb && this.b[2] === 0xbf) this.i = 3
    this.i = this.space(this.i)
    if (this.i >= this.end) return false
    if (this.b[this.i] !== OPEN_BRACE) {
      this.#findings.notJson(this.base + this.i, this.b.subarray(this.i, Math.min(this.end, this.i + 4)))
      this.#state = DONE
      return true
    }
    this.i++
    this.#state = TOP
    return true
  }

  #top(): boolean {
    const b = this.b
    const i = (this.i = this.space(this.i))
    if (i >= this.end) return false
    const c = b[i]
    if (c === COMMA || c === CLOSE_BRACE) {
      this.#comma(i)
      this.i = i + 1
      if (c === CLOSE_BRACE) {
        this.whole = true
        this.#state = TAIL
      }
      return true
    }
    if (c !== QUOTE) return this.#lose(i, i)
    const k = this.stringEnd(i + 1)
    if (k < 0 && this.end - i <= MAX_KEY) return false
    if (k < 0 || k - i > MAX_KEY) return this.#lose(i, i)
    let v = this.space(k + 1)
    if (v >= this.end) return false
    if (b[v] !== COLON) return this.#lose(i, i)
    v = this.space(v + 1)
    if (v >= this.end) return false
    if (this.#sep === AFTER_ITEM) this.#findings.missingComma(this.base + i)
    if (equalBytes(b, i + 1, k, DATA) && b[v] === OPEN_BRACKET) {
      if (this.found) this.#findings.secondList(this.base + v)
      this.#openList(v + 1)
      return true
    }
    this.#isVersion = equalBytes(b, i + 1, k, VERSION)
    if (!this.#isVersion) this.#findings.unknownKey('', b.subarray(i + 1, k), this.base + i)
    this.#skipper.begin()
    this.#itemStart = this.base + v
    this.keep = v
    this.i = v
    this.#state = TOP_VALUE
    return true
  }

  #topValue(): boolean {
    const r = this.#skipper.run(this.b, this.i, this.end, this.base)
    this.i = this.#skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.#lose(this.i, this.i)
    const from = this.#itemStart - this.base
    if (this.#isVersion && this.i - from <= MAX_VERSION) this.version = new TextDecoder().decode(this.b.subarray(from, this.i))
    else if (this.#isVersion) this.version = '…'
    this.keep = -1
    this.#sep = AFTER_ITEM
    this.#state = TOP
    return true
  }

  #tail(): boolean {
    this.i = this.space(this.i)
    if (this.i >= this.end) return false
    this.#findings.trailing(this.base + this.i)
    this.#state = RESYNC
    return true
  }

  // ── the entries ──

  #openList(i: number): void {
    this.found = true
    this.closed = this.whole = false
    this.i = i
    this.#sep = AFTER_OPEN
    this.#state = LIST
  }

  #list(): boolean {
    const b = this.b
    const i = (this.i = this.space(this.i))
    if (i >= this.end) return false
    const c = b[i]
    if (c === COMMA || c === CLOSE_BRACKET) {
      this.#comma(i)
      this.i = i + 1
      if (c === CLOSE_BRACKET) {
        this.closed = true
        this.#sep = AFTER_ITEM
        this.#state = TOP
      }
      return true
    }
    const comma = this.#sep !== AFTER_ITEM
    // A string is taken for debris: in what another writer cut it may be the inside out, and swallow the beginning of the next entry.
    if (c !== OPEN_BRACE && !(comma && (c === OPEN_BRACKET || SCALAR[c] === 1))) return this.#lose(i, i)
    if (!comma) this.#findings.missingComma(this.base + i)
    this.#beginEntry(i)
    return true
  }

  #beginEntry(i: number): void {
    this.#itemStart = this.base + i
    this.keep = i
    this.i = i
    this.#skipper.begin(true)
    this.#findings.begin()
    this.#state = ENTRY
  }

  #entry(): boolean {
    const r = this.#skipper.run(this.b, this.i, this.end, this.base)
    this.i = this.#skipper.at
    if (r === SKIP_MORE) return false
    const at = this.#itemStart
    if (r === SKIP_BAD) {
      this.#findings.drop()
      if (at >= this.#damaged) this.#findings.badEntry(at, this.base + this.i, this.#skipper.problem)
      const cost = this.i + this.base - at
      const kept = cost <= MAX_ENTRY && this.#again + cost <= 4 * (this.base + this.i) + MAX_ENTRY
      if (kept) this.#again += cost
      return this.#lose(kept ? at + 1 - this.base : this.i, this.i)
    }
    const from = at - this.base
    if (this.i - from > MAX_ENTRY) {
      this.#findings.drop()
      this.#findings.longEntry(at)
    } else {
      this.#columns.add(this.b, from, this.i, this.base)
      this.#findings.keep()
    }
    this.keep = -1
    this.#sep = AFTER_ITEM
    this.#state = LIST
    return true
  }

  /** A comma or closing bracket at `i`. */
  #comma(i: number): void {
    const closes = this.b[i] !== COMMA
    if (closes ? this.#sep === AFTER_COMMA : this.#sep !== AFTER_ITEM) this.#findings.strayComma(this.base + i)
    if (!closes) this.#sep = AFTER_COMMA
  }

  // ── damage ──

  /** Looks for the next entry from `from` on; what is damaged stands at `i`. */
  #lose(from: number, i: number): boolean {
    const at = this.base + i
    if (this.#state !== ENTRY && at >= this.#damaged) this.#findings.debris(at)
    this.#damaged = Math.max(this.#damaged, at)
    this.keep = -1
    this.i = from
    this.#state = RESYNC
    return true
  }

  /** The next object whose first key is one of an entry, the list itself, or its end. */
  #resync(): boolean {
    const b = this.b
    for (let i = this.i; i < this.end; i++) {
      const c = b[i]
      if (c !== OPEN_BRACE && c !== QUOTE && c !== CLOSE_BRACKET) continue
      const from = c === OPEN_BRACE ? i + 1 : i
      const verdict = c === CLOSE_BRACKET ? this.#endsAt(i + 1) : this.#keyAt(from, c === OPEN_BRACE ? ENTRY_KEYS : [DATA])
      if (verdict === 'more') {
        this.i = i
        return false
      }
      if (verdict === 'no') continue
      if (c === OPEN_BRACE) {
        this.found = true
        this.closed = this.whole = false
        this.#beginEntry(i)
      } else {
        this.i = c === QUOTE ? i : i + 1
        this.#sep = c === QUOTE ? AFTER_COMMA : AFTER_ITEM
        if (c === CLOSE_BRACKET) this.closed = true
        this.#state = TOP
      }
      return true
    }
    this.i = this.end
    return false
  }

  /** Whether one of these keys and a colon stand at `i`. */
  #keyAt(i: number, keys: readonly Uint8Array[]): 'yes' | 'no' | 'more' {
    const lost = this.ended ? 'no' : 'more'
    const { b, end } = this
    const last = Math.min(end, i + 4 * FAR)
    while (i < last && WS[b[i]] === 1) i++
    if (i >= end) return lost
    if (b[i] !== QUOTE) return 'no'
    const s = i + 1
    while (i + 1 < last && b[i + 1] !== QUOTE) if (++i - s > FAR) return 'no'
    if (i + 1 >= end) return lost
    const e = i + 1
    if (!isKey(b, s, e, keys)) return 'no'
    i = e + 1
    while (i < last && WS[b[i]] === 1) i++
    if (i >= end) return lost
    return b[i] === COLON ? 'yes' : 'no'
  }

  /** Whether the list of entries ends before `i`: only the end of the document follows. */
  #endsAt(i: number): 'yes' | 'no' | 'more' {
    if (!this.found || this.closed) return 'no'
    const { b, end } = this
    const last = Math.min(end, i + FAR)
    let braces = 0
    for (; i < last; i++) {
      if (WS[b[i]] === 1) continue
      if (b[i] !== CLOSE_BRACE || ++braces > 1) return 'no'
    }
    if (i < end) return 'no'
    return this.ended ? (braces === 1 ? 'yes' : 'no') : 'more'
  }
}
