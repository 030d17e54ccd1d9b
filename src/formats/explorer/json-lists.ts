/** Streams a JSON object whose members are lists: each item of each list as its bytes, as it goes by. Nothing is kept but the item that a chunk cuts. */
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../json/bytes'
import { Input } from '../json/input'
import { SKIP_BAD, SKIP_MORE, ValueSkipper, type Mends } from '../json/skip'

const START = 0
const TOP = 1
const VALUE = 2
const LIST = 3
const ITEM = 4
const DONE = 5

const MAX_KEY = 4096
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export interface ListVisitor {
  /** An item of the list `member`, as text, and its offset. */
  item(member: string, text: string, offset: number): void
  /** A member that is no list. */
  value(member: string, text: string, offset: number): void
}

export class JsonLists extends Input {
  /** The closing bracket was seen. */
  whole = false
  /** What is no JSON, and where; null. */
  bad: { readonly problem: string; readonly offset: number } | null = null
  /** Items and values of more than 1 MiB, which are passed over, and commas and control characters that were mended. */
  tooLong = 0
  mended = 0
  /** Names of the lists that were begun. */
  readonly lists = new Set<string>()
  readonly #visit: ListVisitor
  readonly #skipper: ValueSkipper
  #state = START
  #member = ''
  #itemStart = 0

  constructor(visit: ListVisitor) {
    super()
    this.#visit = visit
    const mend = (): void => void this.mended++
    const mends: Mends = { strayComma: mend, missingComma: mend, control: mend }
    this.#skipper = new ValueSkipper(mends)
  }

  /** Nothing more is of interest. */
  get done(): boolean {
    return this.#state === DONE
  }
  /** Offset up to which the input is understood. */
  get offset(): number {
    return this.#state === VALUE || this.#state === ITEM ? this.#itemStart : this.base + this.i
  }

  protected override step(): boolean {
    switch (this.#state) {
      case START:
        return this.#start()
      case TOP:
        return this.#top()
      case LIST:
        return this.#list()
      case VALUE:
      case ITEM:
        return this.#value()
      default:
        return false
    }
  }

  #fail(i: number, problem: string): boolean {
    this.bad = { problem, offset: this.base + i }
    this.keep = -1
    this.i = this.end
    this.#state = DONE
    return false
  }

  #start(): boolean {
    let i = this.i
    if (this.base === 0 && i === 0 && this.b[0] === 0xef) {
      if (this.end < 3 && !this.ended) return false
      if (this.b[1] === 0xbb && this.b[2] === 0xbf) i = 3
    }
    i = this.space(i)
    this.i = i
    if (i >= this.end) return false
    if (this.b[i] !== OPEN_BRACE) return this.#fail(i, 'it does not begin with an object')
    this.i = i + 1
    this.#state = TOP
    return true
  }

  #top(): boolean {
    let i = this.i
    for (;;) {
      i = this.space(i)
      this.i = i
      if (i >= this.end) return false
      if (this.b[i] !== COMMA) break
      i++
    }
    if (this.b[i] === CLOSE_BRACE) {
      this.whole = true
      this.i = i + 1
      this.#state = DONE
      return false
    }
    if (this.b[i] !== QUOTE) return this.#fail(i, 'a key was expected')
    const k = this.stringEnd(i + 1)
    if (k < 0 ? this.end - i > MAX_KEY : k - i > MAX_KEY) return this.#fail(i, 'a key has no end')
    if (k < 0) return false
    let v = this.space(k + 1)
    if (v >= this.end) return false
    if (this.b[v] !== COLON) return this.#fail(v, 'a colon is missing after a key')
    v = this.space(v + 1)
    if (v >= this.end) return false
    this.#member = utf8.decode(this.b.subarray(i + 1, k))
    if (this.b[v] === OPEN_BRACKET) {
      if (this.lists.size < 1000) this.lists.add(this.#member)
      this.i = v + 1
      this.#state = LIST
    } else this.#begin(v, VALUE)
    return true
  }

  #begin(i: number, state: number): void {
    this.#itemStart = this.base + i
    this.keep = i
    this.i = i
    this.#skipper.begin()
    this.#state = state
  }

  #list(): boolean {
    let i = this.i
    for (;;) {
      i = this.space(i)
      this.i = i
      if (i >= this.end) return false
      if (this.b[i] !== COMMA) break
      i++
    }
    if (this.b[i] === CLOSE_BRACKET) {
      this.i = i + 1
      this.#state = TOP
    } else this.#begin(i, ITEM)
    return true
  }

  #value(): boolean {
    const r = this.#skipper.run(this.b, this.i, this.end, this.base)
    this.i = this.#skipper.at
    if (r === SKIP_MORE) return false
    if (r === SKIP_BAD) return this.#fail(this.i, this.#skipper.problem)
    const inList = this.#state === ITEM
    const from = this.#itemStart - this.base
    if (this.keep < 0 || this.i - from > 1024 * 1024) this.tooLong++
    else {
      const text = utf8.decode(this.b.subarray(from, this.i))
      if (inList) this.#visit.item(this.#member, text, this.#itemStart)
      else this.#visit.value(this.#member, text, this.#itemStart)
    }
    this.keep = -1
    this.#state = inList ? LIST : TOP
    return true
  }
}
