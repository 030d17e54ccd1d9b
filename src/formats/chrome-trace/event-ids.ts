/**
 * Ids in the args of events, which tell what belongs to what: the calls of an operator, the device work of a call, what the runtime did for it. They are taken while
 * the file is read, so that links need no second pass over it. Numbers or digits in quotes of at most 64 bits; anything else under these keys is no id.
 */
import { TRACE_ID_KEYS, type TraceIds } from '../../shared/tables'
import { stringEnd, valueEnd } from '../json/members'
import * as B from './bytes'
import { ESCAPES, NON_ASCII, type StringPool } from './strings'

const BIND = TRACE_ID_KEYS.indexOf('bp')
const CACHE_KEY = TRACE_ID_KEYS.indexOf('neff_cache_key')
/** Longest cache key that is kept, bytes. */
const MAX_CACHE_KEY = 4096
const HIGH = 2 ** 32

const NAMES = (
  [
    ...TRACE_ID_KEYS.map((k, i) => [k, i] as const),
    ['external id', TRACE_ID_KEYS.indexOf('External id')],
    ['nrta_seq_id', TRACE_ID_KEYS.indexOf('nrt_sequence_id')],
  ] as const
).map(([name, code]) => ({ bytes: B.ascii(name), code }))
const LENGTHS = new Uint8Array(32)
for (const { bytes, code } of NAMES) if (code !== BIND) LENGTHS[bytes.length] = 1

/** Index into TRACE_ID_KEYS of the key at `s`; -1 for others. */
function keyOf(b: Uint8Array, s: number, length: number): number {
  for (let k = 0; k < NAMES.length; k++) {
    const { bytes, code } = NAMES[k]
    if (bytes.length !== length || bytes[0] !== b[s] || bytes[1] !== b[s + 1]) continue
    let i = 2
    while (i < length && bytes[i] === b[s + i]) i++
    if (i === length) return code
  }
  return -1
}

/** Categories that have none of these ids and stand for most events of a trace with stacks. */
const WITHOUT = new Set(['python_function', 'cpu_instant_event'])

/** Growing columns of ids. */
export class EventIds {
  #count = 0
  #row = new Uint32Array(256)
  #key = new Uint8Array(256)
  /** Lower and upper halves. */
  #value = new Uint32Array(512)
  /** Events whose args were too long to be looked at. */
  unread = 0
  readonly #strings: StringPool
  /** By string id of the category: 0 not asked yet, 1 has ids, 2 has none. */
  #categories = new Uint8Array(256)
  #low = 0
  #high = 0

  constructor(strings: StringPool) {
    this.#strings = strings
  }

  /** Whether events of a category (string id, -1 none) are to be looked at. */
  wants(category: number, text: (id: number) => string): boolean {
    if (category < 0) return true
    if (category >= this.#categories.length) {
      const bigger = new Uint8Array(2 * category)
      bigger.set(this.#categories)
      this.#categories = bigger
    }
    const known = this.#categories[category]
    if (known !== 0) return known === 1
    const wanted = !WITHOUT.has(text(category))
    this.#categories[category] = wanted ? 1 : 2
    return wanted
  }

  /** The end of a flow that says to which slice it is bound: the one around it (`bp` is `e`). */
  bound(row: number): void {
    this.#low = 1
    this.#high = 0
    this.#add(row, BIND)
  }

  /** Looks at the members of `b[s..e)`, a whole object. */
  read(b: Uint8Array, s: number, e: number, row: number): void {
    if (b[s] !== B.OPEN_BRACE) return
    let i = s + 1
    while (i < e) {
      while (i < e && b[i] !== B.QUOTE) i++
      if (i >= e) return
      const from = i + 1
      i = from
      while (i < e && b[i] !== B.QUOTE && b[i] !== B.BACKSLASH) i++
      if (b[i] === B.BACKSLASH) i = stringEnd(b, i, e)
      const length = i - from
      i++
      while (i < e && (B.WS[b[i]] === 1 || b[i] === B.COLON)) i++
      const start = i
      // Most values are numbers.
      while (i < e && B.SCALAR[b[i]] === 1) i++
      if (i === start) i = valueEnd(b, start, e)
      if (length >= LENGTHS.length || LENGTHS[length] === 0) continue
      const code = keyOf(b, from, length)
      if (code >= 0) this.#take(b, start, i, row, code)
    }
  }

  #take(b: Uint8Array, s: number, e: number, row: number, code: number): void {
    const quoted = b[s] === B.QUOTE
    const from = quoted ? s + 1 : s
    const to = quoted ? e - 1 : e
    if (code === CACHE_KEY) {
      if (!quoted || to <= from || to - from > MAX_CACHE_KEY) return
      let odd = 0
      for (let i = from; i < to; i++) odd |= b[i] === B.BACKSLASH ? ESCAPES : b[i] >= 0x80 ? NON_ASCII : 0
      this.#low = odd ? this.#strings.internJson(b, from, to, 0, odd) : this.#strings.internBytes(b, from, to)
      this.#high = 0
    } else if (!this.#digits(b, from, to)) return
    this.#add(row, code)
  }

  /** Decimal digits as two halves; false for anything else and beyond 64 bits. */
  #digits(b: Uint8Array, s: number, e: number): boolean {
    if (e <= s || e - s > 20) return false
    if (e - s < 16) {
      let v = 0
      for (let i = s; i < e; i++) {
        const d = b[i] - 48
        if (d < 0 || d > 9) return false
        v = v * 10 + d
      }
      this.#low = v >>> 0
      this.#high = v < HIGH ? 0 : Math.floor(v / HIGH)
      return true
    }
    let low = 0
    let high = 0
    for (let i = s; i < e; i++) {
      const d = b[i] - 48
      if (d < 0 || d > 9) return false
      low = low * 10 + d
      const carry = Math.floor(low / HIGH)
      low -= carry * HIGH
      high = high * 10 + carry
      if (high >= HIGH) return false
    }
    this.#low = low
    this.#high = high
    return true
  }

  #add(row: number, key: number): void {
    const n = this.#count++
    if (n >= this.#row.length) {
      const row = new Uint32Array(n * 2)
      row.set(this.#row)
      this.#row = row
      const key = new Uint8Array(n * 2)
      key.set(this.#key)
      this.#key = key
      const value = new Uint32Array(n * 4)
      value.set(this.#value)
      this.#value = value
    }
    this.#row[n] = row
    this.#key[n] = key
    this.#value[2 * n] = this.#low
    this.#value[2 * n + 1] = this.#high
  }

  table(): TraceIds {
    const n = this.#count
    return {
      count: n,
      row: this.#row.slice(0, n),
      key: this.#key.slice(0, n),
      value: new BigUint64Array(this.#value.buffer.slice(0, 16 * n)).slice(0, n),
      unread: this.unread,
    }
  }
}
