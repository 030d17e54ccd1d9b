/** What the members of an event become: columns of its row, threads, counters, names. */
import * as B from './bytes'
import { Micros, NOT_A_NUMBER, OUT_OF_RANGE, PARSED } from './decimal'
import { readArgs } from './event-args'
import { EventIds } from './event-ids'
import type { Findings } from './findings'
import { KEEP } from '../json/input'
import { Counters, EventRows, metadataNames, Threads } from './rows'
import { StringPool } from './strings'

/** Longest `id2` that is kept. */
const MAX_ID = 1024

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The event being read and the rows before it. Offsets are those of the stream; `b[i]` has the offset `base + i`. */
export class EventValues {
  readonly rows = new EventRows()
  readonly threads = new Threads()
  readonly counters = new Counters()
  readonly strings = new StringPool()
  readonly ids = new EventIds(this.strings)
  readonly #findings: Findings
  readonly #names = metadataNames(this.strings)
  readonly #micros = new Micros()
  #pid = -1
  #tid = -1
  /** `bp` of the event is `e`. */
  #bound = false

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** A new event at `offset`. */
  begin(expected: number, offset: number): void {
    this.rows.begin(expected, offset)
    this.#pid = -1
    this.#tid = -1
    this.#bound = false
  }

  /** The string whose inside is `b[s..e)`; `hash` and `odd` are what the pool wants of it. */
  string(code: number, b: Uint8Array, base: number, s: number, e: number, hash: number, odd: number): void {
    if (code === B.TS || code === B.DUR) {
      while (s < e && B.WS[b[s]] === 1) s++
      while (e > s && B.WS[b[e - 1]] === 1) e--
      this.#time(code, b, base, s, e)
      return
    }
    if (code === B.PH) {
      const text = odd ? this.strings.text(b, s, e) : ''
      const first = odd ? text.charCodeAt(0) : e > s ? b[s] : 0
      if (odd ? text.length !== 1 || first > 127 : e - s !== 1) this.#findings.oddPhase(base + s)
      this.rows.phase[this.rows.count] = first > 127 ? 0x3f : first
      return
    }
    if (code === B.BP) this.#bound = e - s === 1 && b[s] === 0x65
    else if (odd === 0) this.#setText(code, this.strings.intern(b, s, e, hash))
    else {
      const { loneSurrogates, badEscapes } = this.strings
      this.#setText(code, this.strings.internJson(b, s, e, hash, odd))
      if (this.strings.loneSurrogates !== loneSurrogates) this.#findings.loneSurrogate(base + s)
      if (this.strings.badEscapes !== badEscapes) this.#findings.badEscape(base + s)
    }
  }

  /** A number or bare word. */
  scalar(code: number, b: Uint8Array, base: number, s: number, e: number): void {
    if (e - s === 4 && b[s] === 0x6e && b[s + 1] === 0x75) this.clear(code)
    else if (code === B.TS || code === B.DUR) this.#time(code, b, base, s, e)
    else if (code === B.PH) {
      this.#findings.oddPhase(base + s)
      this.rows.phase[this.rows.count] = 0
    } else if (code === B.BP) this.#bound = false
    else this.#setText(code, this.strings.internBytes(b, s, e))
  }

  /** A value that says nothing under this key. */
  clear(code: number): void {
    if (code === B.TS) this.rows.ts[this.rows.count] = NaN
    else if (code === B.DUR) this.rows.dur[this.rows.count] = NaN
    else if (code === B.PH) this.rows.phase[this.rows.count] = 0
    else if (code === B.BP) this.#bound = false
    else this.#setText(code, -1)
  }

  /** `args` of `length` bytes at `offset`; `absent` for null. */
  args(offset: number, length: number, absent: boolean): void {
    this.rows.setArgs(absent ? -1 : offset, length)
  }

  /** `id2`, which counts only without an `id`. */
  id2(b: Uint8Array, s: number, e: number): void {
    if (e - s <= MAX_ID && this.rows.id[this.rows.count] < 0)
      this.rows.id[this.rows.count] = this.strings.internText(decoder.decode(b.subarray(s, e)))
  }

  /** Makes the event a row. `b` holds it from `offset`, unless it is longer than KEEP; `length` are its bytes. */
  commit(b: Uint8Array, base: number, length: number): void {
    const rows = this.rows
    const n = rows.count
    const thread = this.threads.row(this.#pid, this.#tid)
    rows.thread[n] = thread
    rows.count = n + 1
    const phase = rows.phase[n]
    if ((phase === 0x4d || phase === 0x43) && rows.argsOffset[n] >= 0) {
      if (length > KEEP) this.#findings.longArgs(rows.argsOffset[n])
      else {
        const from = rows.argsOffset[n] - base
        readArgs(this, b, base, from, from + rows.argsLength[n], n, this.#pid, this.#names, this.#findings)
      }
    } else if (phase === 0x66 || phase === 0x73 || phase === 0x74) {
      if (this.#bound) this.ids.bound(n)
    } else if (rows.argsLength[n] > 2 && this.ids.wants(rows.cat[n], this.#text)) {
      const from = rows.argsOffset[n] - base
      if (length > KEEP) this.ids.unread++
      else this.ids.read(b, from, from + rows.argsLength[n], n)
    }
  }

  readonly #text = (id: number): string => this.strings.at(id)

  #setText(code: number, id: number): void {
    if (code === B.NAME) this.rows.name[this.rows.count] = id
    else if (code === B.CAT) this.rows.cat[this.rows.count] = id
    else if (code === B.PID) this.#pid = id
    else if (code === B.TID) this.#tid = id
    else this.rows.id[this.rows.count] = id
  }

  #time(code: number, b: Uint8Array, base: number, s: number, e: number): void {
    const m = this.#micros
    const n = this.rows.count
    let r = m.parse(b, s, e)
    if (code === B.TS) {
      this.rows.ts[n] = r === PARSED ? m.us : NaN
      this.rows.rest[n] = r === PARSED ? m.ns : 0
    } else {
      const ns = m.us * 1000 + m.ns
      // Beyond 104 days the sum is rounded: a rounded duration is none.
      if (r === PARSED && !Number.isSafeInteger(ns)) r = OUT_OF_RANGE
      this.rows.dur[n] = r === PARSED ? ns : NaN
    }
    if (r !== PARSED) this.#findings.badTime(base + s, r === NOT_A_NUMBER)
  }
}
