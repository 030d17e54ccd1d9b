/**
 * The way back after damage. An event that is damaged is given up, and the next whole one is looked for: inside of it first, because what seems to be one event may be the
 * beginning of one and another that follows.
 */
import * as B from './bytes'
import { KEEP } from '../json/input'
import { AFTER_COMMA, AFTER_ENTRY, AFTER_ITEM, BETWEEN, DONE, ENTRY, EventReader, RESYNC } from './event'
import { looksLikeEnd, looksLikeMember, looksLikeObject, NO, UNSURE, YES } from './ahead'

/** Something that does not begin like JSON is looked through this far for a document or an event. */
const MAX_LEADING = 64 * 1024

export abstract class RecoveringReader extends EventReader {
  /** Whether events or a list of them were found, and its closing bracket (that of the last list). */
  found = false
  closed = false
  /** Whether the document as a whole came to its end. */
  whole = false
  bareArray = false

  /** A list of events is open; the last one is a member of an object. */
  protected inList = false
  protected inDocument = false
  /** The first object after damage counts as an event only if it has a phase. */
  protected doubtful = false
  /** The first bytes of something that does not begin like JSON, while a document or an event is looked for in it. */
  protected foreign: { readonly offset: number; readonly head: Uint8Array } | null = null
  /** Last significant byte, while looking for the next event. */
  #before = 0
  /** Offset up to which damage was told, and bytes that were looked through again because of it. */
  #damaged = -1
  #again = 0

  /** A document whose first member stands behind `i` begins. */
  protected abstract openDocument(i: number): void
  /** The list of events ends before `i`. */
  protected abstract closeList(i: number): void

  protected commit(after: number): void {
    const rows = this.values.rows
    this.i = after
    this.keep = -1
    if (this.doubtful && rows.phase[rows.count] === 0) {
      this.findings.drop()
      this.#before = B.CLOSE_BRACE
      this.state = RESYNC
      return
    }
    if (this.doubtful) this.#resume()
    this.findings.keep()
    this.state = BETWEEN
    this.sep = AFTER_ITEM
    this.values.commit(this.b, this.base, after + this.base - this.itemStart)
  }

  /** The entry at `i` turns out to be a document of its own: `i` is its first member, or the one that holds its events. */
  protected secondDocument(i: number): boolean {
    this.findings.drop()
    this.findings.secondDocument(this.itemStart)
    this.#foundIn(this.itemStart)
    this.openDocument(i)
    return true
  }

  /**
   * Gives up the event that is being read and looks for the next one from its inside on: a string without its closing quote swallows what follows, and so does
   * an event that was cut before a value.
   */
  protected bad(i: number, problem: string): boolean {
    const at = this.base + i
    this.findings.drop()
    if (this.itemStart >= this.#damaged) this.findings.badEvent(this.itemStart, at, problem)
    this.lookAgain(this.itemStart + 1, i)
    return true
  }

  /** Bytes at `i` that belong to no event. */
  protected debris(i: number): boolean {
    const start = this.state === ENTRY || this.sep === AFTER_ENTRY ? this.itemStart : this.base + i
    this.findings.drop()
    if (start >= this.#damaged) this.findings.debris(start)
    this.lookAgain(start, i)
    return true
  }

  /** Looks for the way from offset `from` on, or from `i` where that is no longer there. What is looked through twice is bounded, so that the work stays linear. */
  protected lookAgain(from: number, i: number): void {
    const at = this.base + i
    this.#damaged = Math.max(this.#damaged, at)
    const cost = at - from
    const kept = this.keep >= 0 && cost <= KEEP && this.#again + cost <= 4 * at + KEEP
    if (kept) this.#again += cost
    this.keep = -1
    this.lose(kept ? from - this.base : i)
  }

  protected lose(i: number): void {
    this.i = i
    this.#before = 0
    this.doubtful = true
    this.sep = AFTER_ITEM
    this.state = RESYNC
  }

  protected resync(): boolean {
    const b = this.b
    const ahead = this.ahead
    const last = this.foreign ? Math.min(this.end, this.foreign.offset + MAX_LEADING - this.base) : this.end
    let before = this.#before
    for (let i = this.i; i < last; i++) {
      const c = b[i]
      if (B.WS[c] === 1) continue
      let verdict = NO
      if (c === B.OPEN_BRACE) verdict = looksLikeObject(ahead, i + 1, before)
      else if (c === B.CLOSE_BRACKET) verdict = this.inList ? looksLikeEnd(ahead, i + 1, !this.inDocument) : NO
      else if (c === B.QUOTE) verdict = looksLikeMember(ahead, i, before, this.inList)
      if (verdict === UNSURE) {
        this.i = i
        this.#before = before
        return false
      }
      if (verdict !== NO) {
        this.#take(i, c, verdict)
        return true
      }
      before = c
    }
    this.i = last
    this.#before = before
    if (last < this.end && this.foreign) {
      this.refuse()
      return true
    }
    return false
  }

  /** Goes on with what was found at `i`. */
  #take(i: number, c: number, verdict: number): void {
    const at = this.base + i
    if (c === B.CLOSE_BRACKET) {
      this.doubtful = false
      this.closeList(i + 1)
    } else if (c === B.OPEN_BRACE && verdict === YES) {
      this.beginEvent(i + 1, at)
      this.keep = i
    } else {
      if (this.inList && c === B.OPEN_BRACE) this.findings.secondDocument(at)
      this.#foundIn(at)
      this.doubtful = false
      if (this.inList && c === B.QUOTE) this.closed = true
      this.openDocument(c === B.QUOTE ? i : i + 1)
      if (c === B.QUOTE) this.sep = AFTER_COMMA
    }
  }

  /** An event was found after damage: a list is open, or open again. */
  #resume(): void {
    this.doubtful = false
    this.#foundIn(this.itemStart)
    this.found = true
    this.closed = this.whole = false
    if (!this.inList) this.inDocument = !this.bareArray
    this.inList = true
  }

  #foundIn(offset: number): void {
    if (!this.foreign) return
    this.findings.leading(this.foreign.offset, offset, this.foreign.head)
    this.foreign = null
  }

  protected refuse(): void {
    if (!this.foreign) return
    this.findings.notJson(this.foreign.offset, this.foreign.head)
    this.foreign = null
    this.state = DONE
  }
}
