/**
 * Byte scanner of a Chrome trace. Chunks go in, rows come out; nothing is kept of the input but the event (at most 1 MiB of it) that a chunk cuts.
 * The scanner never fails: what it cannot read is told to the findings and passed over. Its result does not depend on how the input is cut.
 *
 * A file may hold more than one document, one after the other or one inside of the other, as two writers leave it: every event that is whole becomes a row, in file order.
 */
import { SKIP_BAD, SKIP_MORE } from '../json/skip'
import * as B from './bytes'
import {
  AFTER_COMMA,
  AFTER_ENTRY,
  AFTER_ITEM,
  AFTER_OPEN,
  BETWEEN,
  DONE,
  ENTRY,
  EVENT,
  EVENT_VALUE,
  MAX_KEY,
  RESYNC,
  SLASH,
  START,
  TAIL,
  TOP,
  TOP_VALUE,
} from './event'
import type { Findings } from './findings'
import { MAX_LOOKED_AT, Metadata } from './metadata'
import { commentEnd, eventFollows, looksLikeList, NO, UNSURE, YES } from './ahead'
import { RecoveringReader } from './recovery'

export class TraceScanner extends RecoveringReader {
  readonly metadata: Metadata
  #topKey = ''

  constructor(findings: Findings) {
    super(findings)
    this.metadata = new Metadata(findings)
  }

  /** Offset in the stream up to which the bytes are understood. */
  get offset(): number {
    return this.base + this.i
  }
  /** Where the entry begins that the end of the input cut; the end where none is open. */
  get cutAt(): number {
    return this.state === EVENT || this.state === EVENT_VALUE || this.state === ENTRY ? this.itemStart : this.offset
  }
  /** True once nothing more is of interest. */
  get done(): boolean {
    return this.state === DONE
  }
  /** The way was lost in damage and not found again. */
  get lost(): boolean {
    return this.state === RESYNC
  }

  override finish(): void {
    super.finish()
    this.findings.drop()
    if (this.foreign && this.state !== DONE) this.refuse()
    if (this.sep === AFTER_ENTRY) this.findings.notAnEvent(this.itemStart)
  }

  /** One step; false when more input is needed or the end is reached. */
  protected step(): boolean {
    switch (this.state) {
      case START:
        return this.#start()
      case TOP:
        return this.#top()
      case TOP_VALUE:
        return this.#topValue()
      case BETWEEN:
        return this.#between()
      case EVENT:
        return this.event()
      case EVENT_VALUE:
        return this.eventValue()
      case ENTRY:
        return this.#entry()
      case RESYNC:
        return this.resync()
      case TAIL:
        return this.#tail()
      default:
        return false
    }
  }

  // ── around the events ──

  #start(): boolean {
    const b = this.b
    let i = this.i
    if (this.base === 0 && i === 0 && this.end > 0 && b[0] === 0xef) {
      if (this.end < 3 && !this.ended) return false
      if (b[1] === 0xbb && b[2] === 0xbf) i = 3
    }
    i = this.space(i)
    this.i = i
    if (i >= this.end || (this.end - i < 8 && !this.ended)) return false
    if (isUtf16(b, i, this.end)) {
      this.findings.utf16()
      this.state = DONE
      return true
    }
    if (b[i] === B.OPEN_BRACE) this.openDocument(i + 1)
    else if (b[i] === B.OPEN_BRACKET) {
      this.bareArray = true
      this.#openList()
      this.i = i + 1
    } else {
      this.foreign = { offset: this.base + i, head: b.slice(i, Math.min(this.end, i + 8)) }
      this.lose(i)
    }
    return true
  }

  protected openDocument(i: number): void {
    this.keep = -1
    this.inList = false
    this.inDocument = true
    this.state = TOP
    this.sep = AFTER_OPEN
    this.i = i
  }

  #openList(): void {
    this.found = true
    this.closed = this.whole = false
    this.keep = -1
    this.inList = true
    this.doubtful = false
    this.state = BETWEEN
    this.sep = AFTER_OPEN
  }

  #top(): boolean {
    const b = this.b
    let i = this.i
    for (;;) {
      i = this.space(i)
      this.i = i
      if (i >= this.end) return false
      if (b[i] === SLASH) {
        const after = commentEnd(this.ahead, i)
        if (after === -1 - UNSURE) return false
        if (after < 0) break
        this.findings.comment(this.base + i)
        i = after
        continue
      }
      if (b[i] !== B.COMMA) break
      if (this.sep !== AFTER_ITEM) this.findings.strayComma(this.base + i)
      this.sep = AFTER_COMMA
      i++
    }
    if (b[i] === B.CLOSE_BRACE) {
      if (this.sep === AFTER_COMMA) this.findings.strayComma(this.base + i)
      this.whole = true
      this.i = i + 1
      this.state = TAIL
      return true
    }
    if (b[i] !== B.QUOTE) return this.#badTop(i)
    const k = this.stringEnd(i + 1)
    if (k < 0) return this.end - i > MAX_KEY ? this.#badTop(i) : false
    if (k - i > MAX_KEY) return this.#badTop(i)
    let v = this.space(k + 1)
    if (v >= this.end) return false
    if (b[v] !== B.COLON) return this.#badTop(i)
    v = this.space(v + 1)
    if (v >= this.end) return false
    this.#topKey = this.values.strings.text(b, i + 1, k)
    if (b[v] === B.OPEN_BRACKET) {
      const named = this.#topKey === 'traceEvents'
      const verdict = named ? YES : this.found ? NO : looksLikeList(this.ahead, v + 1)
      if (verdict === UNSURE) return false
      if (verdict === YES) {
        if (this.sep === AFTER_ITEM) this.findings.missingComma(this.base + i)
        if (!named) this.findings.otherKey(this.#topKey, this.base + v)
        else if (this.found) this.findings.secondList(this.base + v)
        this.#openList()
        this.i = v + 1
        return true
      }
    } else if (this.#topKey === 'traceEvents') this.findings.notAList(this.base + v)
    else if (this.#topKey === 'ph' && this.sep === AFTER_OPEN && !this.found) {
      // No document at all: the file begins with an event.
      const at = this.i
      this.findings.bareEvents(this.base + at)
      this.bareArray = true
      this.inDocument = false
      this.#openList()
      this.beginEvent(at, this.base + at)
      this.keep = at
      this.i = at
      return true
    }
    if (this.sep === AFTER_ITEM) this.findings.missingComma(this.base + i)
    this.skipper.begin()
    this.itemStart = this.base + v
    this.keep = v
    this.i = v
    this.state = TOP_VALUE
    return true
  }

  #topValue(): boolean {
    const r = this.skipper.run(this.b, this.i, this.end, this.base)
    this.i = this.skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.#badTop(this.i)
    const from = this.itemStart - this.base
    const length = this.i - from
    if (length > MAX_LOOKED_AT) this.findings.longMember(this.#topKey, this.itemStart, length)
    else if (this.#topKey !== 'traceEvents') this.metadata.set(this.#topKey, this.itemStart, decoder.decode(this.b.subarray(from, this.i)))
    this.state = TOP
    this.sep = AFTER_ITEM
    return true
  }

  /**
   * Damage outside of a list of events: the next member, document or event is looked for. It may stand inside of the value before, where that is a string without
   * its closing quote.
   */
  #badTop(i: number): boolean {
    this.findings.badMetadata(this.base + i, this.found)
    this.lookAgain(this.state === TOP_VALUE || this.sep === AFTER_ITEM ? this.itemStart + 1 : this.base + i, i)
    return true
  }

  #tail(): boolean {
    this.i = this.space(this.i)
    if (this.i >= this.end) return false
    this.findings.trailing(this.base + this.i)
    this.lose(this.i)
    return true
  }

  // ── the list of events ──

  #between(): boolean {
    const b = this.b
    let i = this.i
    for (;;) {
      i = this.space(i)
      this.i = i
      if (i >= this.end) return false
      const c = b[i]
      if (c === B.OPEN_BRACE) {
        if (this.sep === AFTER_ITEM || this.sep === AFTER_ENTRY) {
          this.#endEntry()
          this.findings.missingComma(this.base + i)
        }
        this.beginEvent(i + 1, this.base + i)
        this.keep = i
        return true
      }
      if (c === B.COMMA) {
        if (this.sep === AFTER_OPEN || this.sep === AFTER_COMMA) this.findings.strayComma(this.base + i)
        this.#endEntry()
        this.sep = AFTER_COMMA
        i++
      } else if (c === B.CLOSE_BRACKET) {
        const verdict = eventFollows(this.ahead, i + 1)
        if (verdict === UNSURE) return false
        this.#endEntry()
        if (this.sep === AFTER_COMMA) this.findings.strayComma(this.base + i)
        if (verdict !== YES) {
          this.closeList(i + 1)
          return true
        }
        this.findings.strayBracket(this.base + i)
        this.sep = AFTER_ITEM
        i++
      } else if (c === B.OPEN_BRACKET && this.sep !== AFTER_ENTRY) {
        const verdict = looksLikeList(this.ahead, i + 1)
        if (verdict === UNSURE) return false
        if (verdict !== YES) return this.#beginEntry(i)
        this.findings.strayBracket(this.base + i)
        this.sep = AFTER_OPEN
        i++
      } else if (c === SLASH) {
        const after = commentEnd(this.ahead, i)
        if (after === -1 - UNSURE) return false
        if (after < 0) return this.debris(i)
        this.findings.comment(this.base + i)
        i = after
      } else if ((c === B.QUOTE || B.SCALAR[c] === 1) && (this.sep === AFTER_OPEN || this.sep === AFTER_COMMA)) return this.#beginEntry(i)
      else return this.debris(i)
    }
  }

  protected closeList(i: number): void {
    this.closed = true
    this.inList = false
    this.i = i
    this.state = this.inDocument ? TOP : TAIL
    if (!this.inDocument) this.whole = true
    this.sep = AFTER_ITEM
  }

  #beginEntry(i: number): boolean {
    if (this.sep === AFTER_ITEM) this.findings.missingComma(this.base + i)
    this.itemStart = this.base + i
    this.keep = i
    this.skipper.begin(true)
    this.findings.begin()
    this.state = ENTRY
    return true
  }

  /** An entry that is no event; it counts as one once a comma or the end of the list follows. */
  #entry(): boolean {
    const r = this.skipper.run(this.b, this.i, this.end, this.base)
    this.i = this.skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.debris(this.i)
    this.findings.drop()
    this.state = BETWEEN
    this.sep = AFTER_ENTRY
    return true
  }

  #endEntry(): void {
    this.keep = -1
    if (this.sep !== AFTER_ENTRY) return
    this.findings.notAnEvent(this.itemStart)
    this.sep = AFTER_ITEM
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** UTF-16 or UTF-32, with its mark or by the zero bytes beside the first characters. */
function isUtf16(b: Uint8Array, i: number, end: number): boolean {
  const [c, d, e, f] = b.subarray(i, Math.min(end, i + 4))
  if ((c === 0xff && d === 0xfe) || (c === 0xfe && d === 0xff) || (c === 0 && d === 0 && e === 0xfe && f === 0xff)) return true
  const open = (x: number | undefined): boolean => x === B.OPEN_BRACE || x === B.OPEN_BRACKET
  return (open(c) && d === 0 && e !== 0 && f === 0) || (c === 0 && open(d) && e === 0 && f !== 0)
}
