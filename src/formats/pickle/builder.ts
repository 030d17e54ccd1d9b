/**
 * What builds values out of a stream of bytes: the window of bytes, the value stack with its marks, and the containers that are filled from it. Values are a tag and a
 * number in typed arrays; containers live in the store; a format may recognise dicts and lists as they are filled (Shapes). How the bytes are understood is up to the
 * class that extends this: the pickle interpreter (machine.ts) and the scanner of JSON (../json/machine.ts).
 */
import { LIMITS } from './limits'
import { PickleFault, Store, type Opaque } from './store'
import { DICT, DICT_EMPTY, DICT_PLAIN, LIST, LIST_EMPTY, NONE, OPAQUE, SET, SHAPE } from './tags'
import { decodeText } from './text'

/** What a format does with containers as they are filled. `from .. to` are positions on the builder's stack. */
export interface Shapes {
  /** Pairs set on an empty dict. True: the shapes have changed its kind to one of theirs and keep its content. */
  dict(obj: number, from: number, to: number): boolean
  /** Items appended to a list that is empty or of a shape's kind. True: taken; false: the builder keeps them as nodes (the shape has turned the list into LIST before). */
  list(obj: number, from: number, to: number): boolean
  /**
   * Pickles only. Offered the bytes after a MARK on an empty list, where most lists of frames are nothing but references to the memo up to APPENDS. Answers the position after APPENDS
   * when the list was taken as a whole, else -1, and nothing has happened. Bytes from `soft` on must not be looked at.
   */
  takeRun(list: number, buf: Uint8Array, view: DataView, pos: number, soft: number, memoTag: Uint8Array, memoVal: Int32Array): number
  /** JSON only, where a value is met once. True when the list keeps none of its items as objects, so that what was made for them can be forgotten. */
  spent(list: number): boolean
  /** JSON only. True when the object is the same wherever the same bytes stand. */
  repeats(obj: number): boolean
  /** A pair or item set on an object of a shape's kind that is no list of theirs. */
  late(): void
}

export interface Fault {
  readonly code: string
  readonly message: string
  readonly offset: number
}

/** more: needs bytes. stop: the value is whole, it is `rootTag`/`rootVal`. fault: see `fault`. */
export type RunState = 'more' | 'stop' | 'fault'

/** Bytes of the stream that are kept for telling what it is. */
const HEAD = 16

export abstract class Builder {
  /** Begins the codes of faults and limits. */
  abstract readonly family: 'pickle' | 'json'
  /** Every open container has a mark; otherwise one that a single item is added to may stand without. */
  abstract readonly marksAll: boolean
  readonly store = new Store()
  /** The value stack. */
  tags = new Uint8Array(1 << 12)
  vals = new Float64Array(1 << 12)
  sp = 0
  /** Stack positions of the open marks. */
  marks = new Int32Array(256)
  mp = 0
  fault: Fault | null = null
  rootTag = NONE
  rootVal = 0
  /** Bytes that must be there before running again makes sense. */
  want = 1
  /** Size of the stream where it is known, else Infinity. */
  total = Infinity
  shapes: Shapes | null = null

  // ── window ──
  buf = new Uint8Array(1 << 16)
  view = new DataView(this.buf.buffer)
  pos = 0
  end = 0
  /** Start of what is at hand (an opcode, a token). */
  at = 0
  /** Offset in the stream of `buf[0]`. */
  protected base = 0
  /** The first bytes of the stream. */
  head = new Uint8Array(0)

  /** Offset in the stream of what is at hand. */
  get offset(): number {
    return this.base + this.at
  }
  /** Bytes loaded and not yet consumed. */
  get waiting(): number {
    return this.end - this.pos
  }
  get bytesFed(): number {
    return this.base + this.end
  }

  /** Adds bytes to the window. Moves what is left to the front only when the room runs out, so that tiny chunks do not cost a move each. */
  append(chunk: Uint8Array): void {
    if (this.end + chunk.length > this.buf.length) {
      const left = this.end - this.pos
      let to = this.buf
      if (left + chunk.length > this.buf.length / 2) {
        to = new Uint8Array(Math.max(this.buf.length, 2 * (left + chunk.length)))
        to.set(this.buf.subarray(this.pos, this.end))
      } else to.copyWithin(0, this.pos, this.end)
      this.buf = to
      this.view = new DataView(to.buffer)
      this.base += this.pos
      this.pos = 0
      this.end = left
    }
    this.buf.set(chunk, this.end)
    this.end += chunk.length
    if (this.head.length < HEAD && this.base === 0) this.head = this.buf.slice(0, Math.min(HEAD, this.end))
  }

  /** Prepares for a stream of `bytes`. */
  expect(bytes: number): void {
    this.total = bytes
  }

  /** Runs as far as the bytes go. With `eof` nothing more will come. */
  run(eof: boolean): RunState {
    try {
      return this.loop(eof)
    } catch (e) {
      if (e instanceof PickleFault) this.fault = { code: this.codeOf(e), message: e.message, offset: this.offset }
      else if (e instanceof RangeError && e.message.includes('allocation failed'))
        this.fault = { code: `${this.family}-limit`, message: 'not enough memory for what the file declares', offset: this.offset }
      else throw e
      this.pos = this.at
      return 'fault'
    }
  }

  protected abstract loop(eof: boolean): RunState

  /** The code of a fault in the words of this family: the store speaks of pickles. */
  codeOf(e: PickleFault): string {
    return e.code.replace(/^pickle-/, `${this.family}-`)
  }

  /** Frees the window; the stack and the store stay. Nothing can run on. */
  drop(): void {
    this.buf = new Uint8Array(0)
    this.view = new DataView(this.buf.buffer)
  }

  /** Goes back to the start of what is at hand, of which `want` bytes are needed. */
  more(want: number): RunState {
    this.pos = this.at
    this.want = want
    return 'more'
  }

  // ── containers ──

  /** Sets pairs (stack positions from .. to) on a dict; also on an opaque value, which keeps them without looking. */
  setItems(tag: number, obj: number, from: number, to: number): void {
    if ((to - from) & 1) throw new PickleFault('pickle-bad-value', 'a dict is given a key without a value')
    const kind = this.store.kind(tag, obj)
    if (kind === DICT_EMPTY && from < to && this.shapes?.dict(obj, from, to)) return
    this.#keepPairs(kind, obj, from, to)
  }

  /** One pair. It is not offered to the shapes: protocol 0 fills every dict that way, and its other pairs are still to come. */
  setItem(tag: number, obj: number, from: number): void {
    this.#keepPairs(this.store.kind(tag, obj), obj, from, from + 2)
  }

  #keepPairs(kind: number, obj: number, from: number, to: number): void {
    let into = obj
    if (kind === DICT_EMPTY || kind === DICT || kind === DICT_PLAIN) this.store.objKind[obj] = DICT
    else if (kind === OPAQUE) into = this.#itemsOf(obj)
    else if (kind >= SHAPE) return this.shapes?.late()
    else throw new PickleFault('pickle-bad-value', 'a key is set on something that is no dict')
    for (let i = from; i < to; i++) this.store.append(into, this.tags[i] as number, this.vals[i] as number)
  }

  /** Appends stack positions from .. to to a list, set or opaque value. */
  appendItems(tag: number, obj: number, from: number, to: number): void {
    let kind = this.store.kind(tag, obj)
    if (from === to) return
    if (this.shapes && (kind === LIST_EMPTY || kind >= SHAPE)) {
      if (this.shapes.list(obj, from, to)) return
      kind = this.store.objKind[obj] as number
    }
    let into = obj
    if (kind === LIST_EMPTY) this.store.objKind[obj] = LIST
    else if (kind === OPAQUE) into = this.#itemsOf(obj)
    else if (kind >= SHAPE) return this.shapes?.late()
    else if (kind !== LIST && kind !== SET) throw new PickleFault('pickle-bad-value', 'an item is appended to something that is no list')
    for (let i = from; i < to; i++) this.store.append(into, this.tags[i] as number, this.vals[i] as number)
  }

  /** A container of nodes with the stack's items from .. to. */
  nodes(kind: number, from: number, to: number): number {
    const t = this.store.newObject(kind)
    for (let i = from; i < to; i++) this.store.append(t, this.tags[i] as number, this.vals[i] as number)
    return t
  }

  text(id: number): string {
    return decodeText(this.store.strings.raw(id))
  }

  /** The list of what was appended to an opaque object, set on it or given as its state. */
  #itemsOf(obj: number): number {
    return (this.store.opaques[this.store.objA[obj] as number] as Opaque).items
  }

  // ── stacks ──

  growStack(): void {
    if (this.tags.length >= LIMITS.stack) throw new PickleFault('pickle-limit', `more than ${LIMITS.stack} values on the stack`)
    const n = this.tags.length * 2
    const t = new Uint8Array(n)
    t.set(this.tags)
    this.tags = t
    const v = new Float64Array(n)
    v.set(this.vals)
    this.vals = v
  }

  growMarks(): void {
    if (this.mp >= LIMITS.marks) throw new PickleFault('pickle-limit', `nesting deeper than ${LIMITS.marks}`)
    const m = new Int32Array(this.marks.length * 2)
    m.set(this.marks)
    this.marks = m
  }
}
