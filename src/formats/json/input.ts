/** The bytes of the stream that a scanner works on: fed in chunks of any size, kept only as far as they are still needed. */
import { BACKSLASH, QUOTE, WS } from './bytes'

/** What is kept of a record or a member while it is read, unless the scanner wants another bound. */
export const KEEP = 1024 * 1024

/** What is there of the input, for those who look ahead. */
export interface Ahead {
  readonly b: Uint8Array
  readonly end: number
  /** No more bytes will come. */
  readonly ended: boolean
}

/** `b[i]` has the offset `base + i` of the stream; bytes from `i` to `end` are there and not yet understood. */
export abstract class Input {
  protected b: Uint8Array = new Uint8Array(0)
  protected i = 0
  protected end = 0
  /** Offset in the stream of `b[0]`. */
  protected base = 0
  /** No more bytes will come. */
  protected ended = false
  /** Index in `b` from where bytes are still needed though the scan is past them; -1 none. */
  protected keep = -1
  #wanted = 1
  readonly #limit: number

  constructor(limit = KEEP) {
    this.#limit = limit
  }

  /** Goes on by one step; false when more input is needed or the end is reached. */
  protected abstract step(): boolean

  feed(chunk: Uint8Array): void {
    this.#append(chunk)
    if (this.end - this.i >= this.#wanted) this.#run()
  }

  finish(): void {
    this.ended = true
    this.#run()
  }

  #append(chunk: Uint8Array): void {
    if (this.end + chunk.length > this.b.length) {
      if (this.keep >= 0 && this.i - this.keep > this.#limit) this.keep = -1
      const from = this.keep >= 0 ? Math.min(this.keep, this.i) : this.i
      const live = this.end - from
      let to = this.b
      // Room for twice what is held back, so that small chunks do not move it again and again.
      if (2 * live + chunk.length > to.length) to = new Uint8Array(Math.max(65536, 4 * live + Math.ceil(chunk.length * 1.25)))
      to.set(this.b.subarray(from, this.end))
      this.b = to
      this.base += from
      this.i -= from
      this.end = live
      if (this.keep >= 0) this.keep -= from
    }
    this.b.set(chunk, this.end)
    this.end += chunk.length
  }

  #run(): void {
    while (this.step());
    // A token that is cut again and again would be scanned again and again; waiting for twice its length keeps the work linear.
    const tail = this.end - this.i
    this.#wanted = tail > 4096 ? tail * 2 : tail + 1
  }

  protected get ahead(): Ahead {
    return { b: this.b, end: this.end, ended: this.ended }
  }

  protected space(i: number): number {
    const b = this.b
    while (i < this.end && WS[b[i]] === 1) i++
    return i
  }

  /** Index of the closing quote of a string whose inside begins at `i`; -1 when it is not there yet. */
  protected stringEnd(i: number): number {
    const b = this.b
    while (i < this.end) {
      if (b[i] === QUOTE) return i
      i += b[i] === BACKSLASH ? 2 : 1
    }
    return -1
  }
}
