/**
 * Byte scanner of a Chrome trace. Chunks go in, rows come out; nothing is kept of the input but the event (at most 1 MiB of it) that a chunk cuts.
 * The scanner never fails: what it cannot read is told to the findings and passed over. Its result does not depend on how the input is cut.
 */
import * as B from './bytes'
import { Micros, NOT_A_NUMBER, PARSED } from './decimal'
import type { Findings } from './findings'
import { readArgs } from './event-args'
import { looksLikeEnd, looksLikeEvent, NO, UNSURE, YES } from './recover'
import { Counters, EventRows, metadataNames, Threads } from './rows'
import { SKIP_BAD, SKIP_MORE, ValueSkipper } from './skip'
import { CONTROLS, ESCAPES, HASH_SEED, hashStep, NON_ASCII, StringPool } from './strings'

/** Longest event whose `args` are looked into (counters, names of threads) and longest top-level value that is captured. */
const KEEP = 1024 * 1024
const MAX_TEXT = 1024 * 1024
const MAX_NUMBER = 4096
const MAX_KEY = 4096
const MAX_MEMBERS = 1000
const TRACE_EVENTS = B.ascii('"traceEvents"')

// States. The names say what comes next.
const START = 0
const TOP = 1
const TOP_VALUE = 2
const BETWEEN = 3
const EVENT = 4
const EVENT_VALUE = 5
const ENTRY = 6
const RESYNC = 7
const FIND = 8
const TAIL = 9
const DONE = 10

const AFTER_OPEN = 0
const AFTER_ITEM = 1
const AFTER_COMMA = 2

export class TraceScanner {
  readonly rows = new EventRows()
  readonly threads = new Threads()
  readonly counters = new Counters()
  readonly strings = new StringPool()
  /** Top-level members other than traceEvents, raw. */
  readonly metadata = new Map<string, string>()
  /** Whether a list of events was found, and its closing bracket. */
  found = false
  closed = false
  /** Whether the document as a whole came to its end. */
  whole = false
  bareArray = false
  /** Guess of the number of rows, set by the reader. */
  expected = 0

  readonly #findings: Findings
  readonly #names = metadataNames(this.strings)
  readonly #skipper = new ValueSkipper()
  readonly #micros = new Micros()
  #b: Uint8Array = new Uint8Array(0)
  #i = 0
  #end = 0
  /** Offset in the stream of `#b[0]`. */
  #base = 0
  #ended = false
  #wanted = 1
  #state = START
  #sep = AFTER_OPEN
  /** Index in `#b` from where bytes are still needed though the scan is past them; -1 none. */
  #keep = -1
  /** Offset in the stream of the event or value being read. */
  #itemStart = 0
  #valueStart = 0
  #valueKey = B.OTHER
  #topKey = ''
  #pid = -1
  #tid = -1
  /** Offset of the inside of the last string value of the event. */
  #lastString = 0
  /** Last significant byte, while looking for the next event after damage. */
  #before = 0
  /** The first object after damage counts as an event only if it has a phase. */
  #doubtful = false

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** Offset in the stream up to which the bytes are understood. */
  get offset(): number {
    return this.#base + this.#i
  }
  /** Bytes fed so far. */
  get fed(): number {
    return this.#base + this.#end
  }
  /** Where the entry begins that the end of the input cut; the end where none is open. */
  get cutAt(): number {
    return this.#state === EVENT || this.#state === EVENT_VALUE || this.#state === ENTRY ? this.#itemStart : this.offset
  }
  /** True once nothing more is of interest; `offset` is where that was. */
  get done(): boolean {
    return this.#state === DONE
  }

  feed(chunk: Uint8Array): void {
    this.#append(chunk)
    if (this.#end - this.#i >= this.#wanted) this.#run()
  }

  finish(): void {
    this.#ended = true
    this.#run()
  }

  #append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#b.length) {
      if (this.#keep >= 0 && this.#i - this.#keep > KEEP) this.#keep = -1
      const from = this.#keep >= 0 ? Math.min(this.#keep, this.#i) : this.#i
      const live = this.#end - from
      let to = this.#b
      // Room for twice what is held back, so that small chunks do not move it again and again.
      if (2 * live + chunk.length > to.length) to = new Uint8Array(Math.max(65536, 4 * live + Math.ceil(chunk.length * 1.25)))
      to.set(this.#b.subarray(from, this.#end))
      this.#b = to
      this.#base += from
      this.#i -= from
      this.#end = live
      if (this.#keep >= 0) this.#keep -= from
    }
    this.#b.set(chunk, this.#end)
    this.#end += chunk.length
  }

  #run(): void {
    while (this.#step());
    // A token that is cut again and again would be scanned again and again; waiting for twice its length keeps the work linear.
    const tail = this.#end - this.#i
    this.#wanted = tail > 4096 ? tail * 2 : tail + 1
  }

  /** One step; false when more input is needed or the end is reached. */
  #step(): boolean {
    switch (this.#state) {
      case START:
        return this.#start()
      case TOP:
        return this.#top()
      case TOP_VALUE:
        return this.#topValue()
      case BETWEEN:
        return this.#between()
      case EVENT:
        return this.#event()
      case EVENT_VALUE:
        return this.#eventValue()
      case ENTRY:
        return this.#entry()
      case RESYNC:
        return this.#resync()
      case FIND:
        return this.#find()
      case TAIL:
        return this.#tail()
      default:
        return false
    }
  }

  // ── around the events ──

  #start(): boolean {
    const b = this.#b
    let i = this.#i
    if (this.#base === 0 && i === 0 && this.#end > 0 && b[0] === 0xef) {
      if (this.#end < 3 && !this.#ended) return false
      if (b[1] === 0xbb && b[2] === 0xbf) i = 3
    }
    i = this.#space(i)
    this.#i = i
    if (i >= this.#end) return false
    if (b[i] === B.OPEN_BRACE) {
      this.#state = TOP
      this.#sep = AFTER_OPEN
    } else if (b[i] === B.OPEN_BRACKET) {
      this.bareArray = true
      this.#openList()
    } else {
      if (this.#end - i < 8 && !this.#ended) return false
      this.#findings.notJson(this.#base + i, b.subarray(i, Math.min(this.#end, i + 8)))
      this.#state = DONE
    }
    this.#i = i + 1
    return true
  }

  #openList(): void {
    this.found = true
    this.#state = BETWEEN
    this.#sep = AFTER_OPEN
  }

  #top(): boolean {
    const b = this.#b
    let i = this.#i
    for (;;) {
      i = this.#space(i)
      this.#i = i
      if (i >= this.#end) return false
      if (b[i] !== B.COMMA) break
      if (this.#sep !== AFTER_ITEM) this.#findings.strayComma(this.#base + i)
      this.#sep = AFTER_COMMA
      i++
    }
    if (b[i] === B.CLOSE_BRACE) {
      if (this.#sep === AFTER_COMMA) this.#findings.strayComma(this.#base + i)
      this.whole = true
      this.#i = i + 1
      this.#state = TAIL
      return true
    }
    if (b[i] !== B.QUOTE || this.#sep === AFTER_ITEM) return this.#badTop(i)
    const k = this.#stringEnd(i + 1)
    if (k < 0) return this.#end - i > MAX_KEY ? this.#badTop(i) : false
    if (k - i > MAX_KEY) return this.#badTop(i)
    let v = this.#space(k + 1)
    if (v >= this.#end) return false
    if (b[v] !== B.COLON) return this.#badTop(i)
    v = this.#space(v + 1)
    if (v >= this.#end) return false
    this.#topKey = this.strings.text(b, i + 1, k)
    if (this.#topKey === 'traceEvents') {
      if (b[v] === B.OPEN_BRACKET) {
        if (this.found) this.#findings.secondList(this.#base + v)
        this.#openList()
        this.#i = v + 1
        return true
      }
      this.#findings.notAList(this.#base + v)
    }
    this.#skipper.begin()
    this.#itemStart = this.#base + v
    this.#keep = v
    this.#i = v
    this.#state = TOP_VALUE
    return true
  }

  #topValue(): boolean {
    const r = this.#skipper.run(this.#b, this.#i, this.#end, this.#base)
    this.#i = this.#skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.#badTop(this.#i)
    const from = this.#itemStart - this.#base
    const length = this.#i - from
    if (length > KEEP) this.#findings.longMetadata(this.#topKey, this.#itemStart, length)
    else if (this.metadata.size >= MAX_MEMBERS) this.#findings.tooManyMembers(this.#itemStart)
    else if (this.#topKey !== 'traceEvents') this.metadata.set(this.#topKey, this.#text(from, this.#i))
    this.#keep = -1
    this.#state = TOP
    this.#sep = AFTER_ITEM
    return true
  }

  /** Damage outside of the list of events: before it, look for it; after it, what follows is left. */
  #badTop(i: number): boolean {
    this.#keep = -1
    this.#i = i
    this.#findings.badMetadata(this.#base + i, this.found)
    this.#state = this.found ? DONE : FIND
    return true
  }

  #find(): boolean {
    const b = this.#b
    for (let i = this.#i; ; i++) {
      const limit = this.#end - TRACE_EVENTS.length
      while (i <= limit && (b[i] !== B.QUOTE || !B.equalBytes(b, i, i + TRACE_EVENTS.length, TRACE_EVENTS))) i++
      this.#i = Math.min(i, this.#end)
      if (i > limit) return false
      let v = this.#space(i + TRACE_EVENTS.length)
      if (v >= this.#end) return false
      if (b[v] !== B.COLON) continue
      v = this.#space(v + 1)
      if (v >= this.#end) return false
      if (b[v] !== B.OPEN_BRACKET) continue
      this.#openList()
      this.#i = v + 1
      return true
    }
  }

  #tail(): boolean {
    this.#i = this.#space(this.#i)
    if (this.#i >= this.#end) return false
    this.#findings.trailing(this.#base + this.#i)
    this.#state = DONE
    return true
  }

  // ── the list of events ──

  #between(): boolean {
    const b = this.#b
    let i = this.#i
    for (;;) {
      i = this.#space(i)
      this.#i = i
      if (i >= this.#end) return false
      const c = b[i]
      if (c === B.OPEN_BRACE) {
        if (this.#sep === AFTER_ITEM) this.#findings.missingComma(this.#base + i)
        this.#beginEvent(i)
        return true
      }
      if (c === B.COMMA) {
        if (this.#sep !== AFTER_ITEM) this.#findings.strayComma(this.#base + i)
        this.#sep = AFTER_COMMA
        i++
      } else if (c === B.CLOSE_BRACKET) {
        if (this.#sep === AFTER_COMMA) this.#findings.strayComma(this.#base + i)
        this.#closeList(i + 1)
        return true
      } else if (c === B.QUOTE || c === B.OPEN_BRACKET || B.SCALAR[c] === 1) {
        this.#itemStart = this.#base + i
        this.#skipper.begin()
        this.#state = ENTRY
        return true
      } else {
        this.#itemStart = this.#base + i
        return this.#bad(i, 'unexpected character between events')
      }
    }
  }

  #closeList(i: number): void {
    this.closed = true
    this.#i = i
    this.#state = this.bareArray ? TAIL : TOP
    if (this.bareArray) this.whole = true
    this.#sep = AFTER_ITEM
  }

  #entry(): boolean {
    const r = this.#skipper.run(this.#b, this.#i, this.#end, this.#base)
    this.#i = this.#skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.#bad(this.#i, this.#skipper.problem, this.#skipper.lastString)
    this.#findings.notAnEvent(this.#itemStart)
    this.#state = BETWEEN
    this.#sep = AFTER_ITEM
    return true
  }

  #beginEvent(i: number): void {
    this.rows.begin(this.expected)
    this.#pid = -1
    this.#tid = -1
    this.#itemStart = this.#base + i
    this.#lastString = this.#itemStart
    this.#keep = i
    this.#i = i + 1
    this.#state = EVENT
    this.#sep = AFTER_OPEN
  }

  /** Members of one event. A member that is cut is read again from its key; large values are passed over in EVENT_VALUE. */
  #event(): boolean {
    const b = this.#b
    const end = this.#end
    let i = this.#i
    for (;;) {
      while (i < end && B.WS[b[i]] === 1) i++
      this.#i = i
      if (i >= end) return false
      const c = b[i]
      if (c === B.COMMA) {
        if (this.#sep !== AFTER_ITEM) this.#findings.strayComma(this.#base + i)
        this.#sep = AFTER_COMMA
        i++
        continue
      }
      if (c === B.CLOSE_BRACE) {
        if (this.#sep === AFTER_COMMA) this.#findings.strayComma(this.#base + i)
        this.#commit(i + 1)
        return true
      }
      if (this.#sep === AFTER_ITEM) return this.#bad(i, 'a comma is missing between members', this.#lastString)
      if (c !== B.QUOTE) return this.#bad(i, 'a key was expected')
      let k = i + 1
      while (k < end && B.IN_STRING[b[k]] === 0) k++
      let escaped = false
      if (k >= end || b[k] !== B.QUOTE) {
        escaped = true
        k = this.#stringEnd(k)
        if (k < 0) return end - i > MAX_KEY ? this.#bad(i, 'a key has no end') : false
      }
      if (k - i > MAX_KEY) return this.#bad(i, 'a key has no end')
      let v = k + 1
      while (v < end && B.WS[b[v]] === 1) v++
      if (v >= end) return false
      if (b[v] !== B.COLON) return this.#bad(i, 'a colon is missing after a key')
      v++
      while (v < end && B.WS[b[v]] === 1) v++
      if (v >= end) return false

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
            if (odd & CONTROLS) this.#findings.control(this.#base + v)
            this.#stringValue(code, v + 1, j, h, odd)
            this.#lastString = this.#base + v + 1
            i = j + 1
            this.#sep = AFTER_ITEM
            continue
          }
          if (j >= end && end - v <= MAX_TEXT) return false
          this.#findings.longValue(this.#base + v)
        } else if (B.SCALAR[q] === 1) {
          let j = v
          while (j < end && B.SCALAR[b[j]] === 1) j++
          if (j < end && j - v <= MAX_NUMBER) {
            this.#scalarValue(code, v, j)
            i = j
            this.#sep = AFTER_ITEM
            continue
          }
          if (j >= end && end - v <= MAX_NUMBER) return false
          this.#findings.longValue(this.#base + v)
        } else if (q !== B.OPEN_BRACE && q !== B.OPEN_BRACKET) return this.#bad(v, 'a value is missing')
        // A nested or oversized value under a known key says nothing; a duplicate key overrides what stood before, as in every JSON reader.
        this.#clear(code)
      }
      this.#valueKey = code
      this.#valueStart = this.#base + v
      this.#skipper.begin()
      this.#i = v
      this.#state = EVENT_VALUE
      return true
    }
  }

  #eventValue(): boolean {
    const r = this.#skipper.run(this.#b, this.#i, this.#end, this.#base)
    this.#i = this.#skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.#bad(this.#i, this.#skipper.problem, this.#skipper.lastString)
    const n = this.rows.count
    const from = this.#valueStart - this.#base
    const length = this.#i - from
    if (this.#valueKey === B.ARGS) {
      const absent = length === 4 && from >= 0 && this.#b[from] === 0x6e
      this.rows.argsOffset[n] = absent ? -1 : this.#valueStart
      this.rows.argsLength[n] = absent ? 0 : Math.min(length, 0xffffffff)
    } else if (this.#valueKey === B.ID2 && length <= 1024 && from >= 0 && this.rows.id[n] < 0) {
      this.rows.id[n] = this.strings.internText(this.#text(from, this.#i))
    }
    this.#sep = AFTER_ITEM
    this.#state = EVENT
    return true
  }

  #stringValue(code: number, s: number, e: number, hash: number, odd: number): void {
    const n = this.rows.count
    if (code === B.TS || code === B.DUR) {
      const b = this.#b
      while (s < e && B.WS[b[s]] === 1) s++
      while (e > s && B.WS[b[e - 1]] === 1) e--
      this.#time(code, s, e)
      return
    }
    if (code === B.PH) {
      const text = odd ? this.strings.text(this.#b, s, e) : ''
      const first = odd ? text.charCodeAt(0) : e > s ? this.#b[s] : 0
      if (odd ? text.length !== 1 || first > 127 : e - s !== 1) this.#findings.oddPhase(this.#base + s)
      this.rows.phase[n] = first > 127 ? 0x3f : first
      return
    }
    this.#setText(code, this.strings.internJson(this.#b, s, e, hash, odd))
  }

  #scalarValue(code: number, s: number, e: number): void {
    const b = this.#b
    if (e - s === 4 && b[s] === 0x6e && b[s + 1] === 0x75) this.#clear(code)
    else if (code === B.TS || code === B.DUR) this.#time(code, s, e)
    else if (code === B.PH) {
      this.#findings.oddPhase(this.#base + s)
      this.rows.phase[this.rows.count] = 0
    } else this.#setText(code, this.strings.internBytes(b, s, e))
  }

  #setText(code: number, id: number): void {
    if (code === B.NAME) this.rows.name[this.rows.count] = id
    else if (code === B.CAT) this.rows.cat[this.rows.count] = id
    else if (code === B.PID) this.#pid = id
    else if (code === B.TID) this.#tid = id
    else this.rows.id[this.rows.count] = id
  }

  #clear(code: number): void {
    if (code === B.TS) this.rows.ts[this.rows.count] = NaN
    else if (code === B.DUR) this.rows.dur[this.rows.count] = NaN
    else if (code === B.PH) this.rows.phase[this.rows.count] = 0
    else this.#setText(code, -1)
  }

  #time(code: number, s: number, e: number): void {
    const m = this.#micros
    const n = this.rows.count
    const r = m.parse(this.#b, s, e)
    if (code === B.TS) {
      this.rows.ts[n] = r === PARSED ? m.us : NaN
      this.rows.rest[n] = r === PARSED ? m.ns : 0
    } else this.rows.dur[n] = r === PARSED ? m.us * 1000 + m.ns : NaN
    if (r !== PARSED) this.#findings.badTime(this.#base + s, r === NOT_A_NUMBER)
  }

  #commit(after: number): void {
    const rows = this.rows
    const n = rows.count
    this.#i = after
    this.#keep = -1
    if (this.#doubtful && rows.phase[n] === 0) {
      this.#before = B.CLOSE_BRACE
      this.#state = RESYNC
      return
    }
    this.#doubtful = false
    const thread = this.threads.row(this.#pid, this.#tid)
    rows.thread[n] = thread
    rows.count = n + 1
    this.#state = BETWEEN
    this.#sep = AFTER_ITEM
    const phase = rows.phase[n]
    if ((phase === 0x4d || phase === 0x43) && rows.argsOffset[n] >= 0) {
      if (after + this.#base - this.#itemStart > KEEP) this.#findings.longArgs(rows.argsOffset[n])
      else {
        const from = rows.argsOffset[n] - this.#base
        readArgs(this, this.#b, from, from + rows.argsLength[n], n, this.#pid, this.#names, this.#findings)
      }
    }
  }

  // ── damage ──

  /**
   * Gives up the entry that is being read and looks for the next one from `i` on, or from inside of the last string: a string without its closing
   * quote swallows what follows up to the next quote, and that may be the beginning of the next event.
   */
  #bad(i: number, problem: string, lastString = this.#base + i): boolean {
    if (!this.#doubtful) this.#findings.badEvent(this.#itemStart, this.#base + i, problem)
    if (this.#keep >= 0 && i - this.#keep <= KEEP && lastString - this.#base > this.#keep) i = Math.min(i, lastString - this.#base)
    this.#keep = -1
    this.#before = 0
    this.#doubtful = true
    this.#i = i
    this.#state = RESYNC
    return true
  }

  #resync(): boolean {
    const b = this.#b
    const end = this.#end
    let before = this.#before
    for (let i = this.#i; i < end; i++) {
      const c = b[i]
      if (B.WS[c] === 1) continue
      let verdict = NO
      if (c === B.OPEN_BRACE) {
        if (before === B.COMMA || before === B.CLOSE_BRACE || before === B.OPEN_BRACKET)
          verdict = looksLikeEvent(b, i + 1, end, this.#ended)
      } else if (c === B.CLOSE_BRACKET) verdict = looksLikeEnd(b, i + 1, end, this.#ended, this.bareArray)
      if (verdict === UNSURE) {
        this.#i = i
        this.#before = before
        return false
      }
      if (verdict === YES) {
        if (c === B.OPEN_BRACE) this.#beginEvent(i)
        else {
          this.#doubtful = false
          this.#closeList(i + 1)
        }
        return true
      }
      before = c
    }
    this.#i = end
    this.#before = before
    return false
  }

  // ── small parts ──

  #space(i: number): number {
    const b = this.#b
    while (i < this.#end && B.WS[b[i]] === 1) i++
    return i
  }

  /** Index of the closing quote of a string whose inside begins at `i`; -1 when it is not there yet. */
  #stringEnd(i: number): number {
    const b = this.#b
    while (i < this.#end) {
      if (b[i] === B.QUOTE) return i
      i += b[i] === B.BACKSLASH ? 2 : 1
    }
    return -1
  }

  #escapedKey(s: number, e: number): number {
    const text = B.ascii(this.strings.text(this.#b, s, e))
    return B.keyCode(text, 0, text.length)
  }

  #text(s: number, e: number): string {
    return decoder.decode(this.#b.subarray(s, e))
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
