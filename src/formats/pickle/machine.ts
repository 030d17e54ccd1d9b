/**
 * The pickle interpreter: protocols 0 to 5, data only. It resolves no name, makes no object of a class and calls nothing: whatever asks for that becomes an inert
 * opaque value and a diagnostic. Values are a tag and a number in typed arrays; containers live in the store; a format may recognise dicts and lists (Shapes).
 *
 * It is fed bytes (`append`) and runs as far as whole opcodes are there; how the input is cut makes no difference. No recursion; every opcode is O(1) apart from the
 * bytes and stack items it consumes. Opcode meanings: Lib/pickletools.py of CPython 3.14.
 */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { putLong } from './integers'
import { LIMITS } from './limits'
import { Memo } from './memo'
import { Opaques } from './opaque'
import { runRare } from './rare'
import { PickleFault, Store } from './store'
import {
  BYTES,
  DICT,
  DICT_EMPTY,
  DICT_PLAIN,
  FALSE,
  FLOAT,
  INT,
  LIST,
  LIST_EMPTY,
  NONE,
  OBJ,
  OPAQUE,
  SET,
  SHAPE,
  STR,
  TRUE,
  TUPLE,
  UNSET,
  hex,
} from './tags'
import { decodeText } from './text'

/** What a format does with containers as they are filled. `from .. to` are positions on the machine's stack. */
export interface Shapes {
  /** Pairs set on an empty dict. True: the shapes have changed its kind to one of theirs and keep its content. */
  dict(obj: number, from: number, to: number): boolean
  /** Items appended to a list that is empty or of a shape's kind. True: taken; false: the machine keeps them as nodes (the shape has turned the list into LIST before). */
  list(obj: number, from: number, to: number): boolean
  /**
   * Offered the bytes after a MARK on an empty list, where most lists of frames are nothing but references to the memo up to APPENDS. Answers the position after APPENDS
   * when the list was taken as a whole, else -1, and nothing has happened. Bytes from `soft` on must not be looked at.
   */
  takeRun(list: number, buf: Uint8Array, view: DataView, pos: number, soft: number, memoTag: Uint8Array, memoVal: Int32Array): number
  /** A pair or item set on an object of a shape's kind that is no list of theirs. */
  late(): void
}

export interface Fault {
  readonly code: string
  readonly message: string
  readonly offset: number
}

/** more: needs bytes. stop: STOP was reached, the value is `rootTag`/`rootVal`. fault: see `fault`. */
export type RunState = 'more' | 'stop' | 'fault'

/** Bytes that follow each opcode before any declared length is known. */
const ARGS = new Uint8Array(256)
for (const [op, n] of Object.entries({
  0x4a: 4,
  0x4b: 1,
  0x4d: 2,
  0x47: 8,
  0x54: 4,
  0x55: 1,
  0x58: 4,
  0x42: 4,
  0x43: 1,
  0x68: 1,
  0x6a: 4,
  0x71: 1,
  0x72: 4, // prettier-ignore
  0x80: 1,
  0x82: 1,
  0x83: 2,
  0x84: 4,
  0x8a: 1,
  0x8b: 4,
  0x8c: 1,
  0x8d: 8,
  0x8e: 8,
  0x95: 8,
  0x96: 8, // prettier-ignore
}))
  ARGS[Number(op)] = n
const LONGEST = 16

export class Machine {
  readonly store = new Store()
  /** The value stack. */
  tags = new Uint8Array(1 << 12)
  vals = new Float64Array(1 << 12)
  sp = 0
  /** Stack positions of the open marks. */
  marks = new Int32Array(256)
  mp = 0
  /** -1 until a PROTO opcode or the first opcode that tells protocol 0 from 1. */
  protocol = -1
  fault: Fault | null = null
  rootTag = NONE
  rootVal = 0
  /** Bytes that must be there before running again makes sense. */
  want = 1
  /** Size of the stream where it is known, else Infinity. */
  total = Infinity

  readonly memo = new Memo()
  readonly opaques: Opaques
  #shapes: Shapes | null = null

  // ── window ──
  buf = new Uint8Array(1 << 16)
  view = new DataView(this.buf.buffer)
  pos = 0
  end = 0
  /** Start of the opcode at hand. */
  at = 0
  /** Offset in the stream of `buf[0]`. */
  #base = 0

  constructor(sink: DiagnosticSink) {
    this.opaques = new Opaques(this.store, sink)
  }

  set shapes(s: Shapes) {
    this.#shapes = s
  }

  /** Offset in the stream of the opcode at hand. */
  get offset(): number {
    return this.#base + this.at
  }
  /** The first bytes of the stream. */
  head = new Uint8Array(0)
  /** Bytes loaded and not yet consumed. */
  get waiting(): number {
    return this.end - this.pos
  }
  get bytesFed(): number {
    return this.#base + this.end
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
      this.#base += this.pos
      this.pos = 0
      this.end = left
    }
    this.buf.set(chunk, this.end)
    this.end += chunk.length
    if (this.head.length < 16 && this.#base === 0) this.head = this.buf.slice(0, Math.min(16, this.end))
  }

  /** Prepares for a stream of `bytes`: its objects and memo entries find room without being moved. */
  expect(bytes: number): void {
    this.total = bytes
    const most = Math.min(bytes >>> 5, 1 << 24)
    this.memo.reserve(most)
    this.store.reserveObjects(most)
  }

  /** Runs as far as the bytes go. With `eof` nothing more will come. */
  run(eof: boolean): RunState {
    try {
      return this.#loop(eof)
    } catch (e) {
      if (e instanceof PickleFault) this.fault = { code: e.code, message: e.message, offset: this.offset }
      else if (e instanceof RangeError && e.message.includes('allocation failed'))
        this.fault = { code: 'pickle-limit', message: 'not enough memory for what the file declares', offset: this.offset }
      else throw e
      return 'fault'
    }
  }

  /** Frees memo and window; the stack and the store stay. The machine cannot run on. */
  drop(): void {
    this.memo.tag = new Uint8Array(0)
    this.memo.val = new Int32Array(0)
    this.buf = new Uint8Array(0)
    this.view = new DataView(this.buf.buffer)
  }

  /** Goes back to the start of the opcode at hand, of which `want` bytes are needed. */
  more(want: number): RunState {
    this.pos = this.at
    this.want = want
    return 'more'
  }

  #loop(eof: boolean): RunState {
    const store = this.store
    const buf = this.buf
    const view = this.view
    const end = this.end
    const soft = end - LONGEST
    let pos = this.pos
    let tags = this.tags
    let vals = this.vals
    let sp = this.sp
    let fence = this.fence
    let room = tags.length - 4
    const memo = this.memo
    let memoTag = memo.tag
    let memoVal = memo.val
    const runs = this.#shapes

    for (;;) {
      this.at = pos
      this.sp = sp
      if (pos >= soft) {
        if (!eof) return this.more(end - pos + 1)
        if (pos >= end || pos + 1 + (ARGS[buf[pos] as number] as number) > end)
          throw new PickleFault('pickle-truncated', 'the file ends inside the pickle')
      }
      if (sp >= room) {
        this.#growStack()
        tags = this.tags
        vals = this.vals
        room = tags.length - 4
      }
      const op = buf[pos++] as number
      switch (op) {
        // ── memo, the most frequent by far ──
        case 0x6a: {
          // LONG_BINGET. Frame lists are long runs of it, so the run is taken here; it stops before the last bytes of the window and before the stack is full.
          do {
            const i = view.getUint32(pos, true)
            const tag = i < memoTag.length ? (memoTag[i] as number) : UNSET
            if (tag >= STR) {
              tags[sp] = tag
              vals[sp] = memoVal[i] as number
            } else {
              this.at = pos - 1
              this.sp = sp
              memo.get(i, tags, vals, sp)
            }
            sp++
            pos += 5
          } while (pos < soft && sp < room && buf[pos - 1] === 0x6a)
          pos--
          break
        }
        case 0x68: {
          // BINGET
          const i = buf[pos++] as number
          const tag = memoTag[i] as number
          if (tag >= STR) {
            tags[sp] = tag
            vals[sp++] = memoVal[i] as number
          } else memo.get(i, tags, vals, sp++)
          break
        }
        case 0x94: // MEMOIZE
        case 0x71: // BINPUT
        case 0x72: {
          // LONG_BINPUT
          let i: number
          if (op === 0x94) i = memo.count
          else if (op === 0x71) i = buf[pos++] as number
          else {
            i = view.getUint32(pos, true)
            pos += 4
          }
          if (sp <= fence) throw this.underflow(op)
          const tag = tags[sp - 1] as number
          if (i < memoTag.length && tag >= STR) {
            // MEMOIZE counts the entries that are there, so a second put on one index does not count.
            if (memoTag[i] === UNSET) memo.count++
            memoTag[i] = tag
            memoVal[i] = vals[sp - 1] as number
          } else {
            memo.put(i, tag, vals[sp - 1] as number)
            memoTag = memo.tag
            memoVal = memo.val
          }
          break
        }

        // ── scalars ──
        case 0x4b: // BININT1
          tags[sp] = INT
          vals[sp++] = buf[pos++] as number
          break
        case 0x4d: // BININT2
          tags[sp] = INT
          vals[sp++] = view.getUint16(pos, true)
          pos += 2
          break
        case 0x4a: // BININT
          tags[sp] = INT
          vals[sp++] = view.getInt32(pos, true)
          pos += 4
          break
        case 0x8a: // LONG1
        case 0x8b: {
          // LONG4
          let n: number
          if (op === 0x8a) n = buf[pos++] as number
          else {
            n = view.getInt32(pos, true)
            pos += 4
            if (n < 0) throw new PickleFault('pickle-bad-value', 'LONG4 with a negative length')
          }
          const state = this.#needBytes(pos, n, eof, 'an integer', LIMITS.intBytes)
          if (state) return state
          putLong(store, buf, pos, n, tags, vals, sp++)
          pos += n
          break
        }
        case 0x47: // BINFLOAT
          tags[sp] = FLOAT
          vals[sp++] = view.getFloat64(pos, false)
          pos += 8
          break
        case 0x4e:
          tags[sp] = NONE
          vals[sp++] = 0
          break
        case 0x88:
          tags[sp] = TRUE
          vals[sp++] = 0
          break
        case 0x89:
          tags[sp] = FALSE
          vals[sp++] = 0
          break

        // ── strings and bytes ──
        case 0x8c: // SHORT_BINUNICODE
        case 0x55: // SHORT_BINSTRING
        case 0x43: // SHORT_BINBYTES
        case 0x58: // BINUNICODE
        case 0x54: // BINSTRING
        case 0x42: // BINBYTES
        case 0x8d: // BINUNICODE8
        case 0x8e: // BINBYTES8
        case 0x96: {
          // BYTEARRAY8
          let n: number
          if (op === 0x8c || op === 0x55 || op === 0x43) n = buf[pos++] as number
          else if (op === 0x58 || op === 0x54 || op === 0x42) {
            n = view.getUint32(pos, true)
            pos += 4
          } else {
            n = view.getUint32(pos, true) + view.getUint32(pos + 4, true) * 0x100000000
            pos += 8
          }
          const state = this.#needBytes(pos, n, eof, 'a string', LIMITS.stringBytes)
          if (state) return state
          tags[sp] = op === 0x43 || op === 0x42 || op === 0x8e || op === 0x96 ? BYTES : STR
          vals[sp++] = store.strings.intern(buf, pos, pos + n)
          pos += n
          break
        }

        // ── containers ──
        case 0x28: // MARK
          if (
            runs &&
            sp > fence &&
            (buf[pos] === 0x6a || buf[pos] === 0x68) &&
            tags[sp - 1] === OBJ &&
            store.objKind[vals[sp - 1] as number] === LIST_EMPTY
          ) {
            const after = runs.takeRun((vals[sp - 1] as number) | 0, buf, view, pos, soft, memoTag, memoVal)
            if (after > 0) {
              pos = after
              break
            }
          }
          if (this.mp === this.marks.length) this.#growMarks()
          this.marks[this.mp++] = sp
          fence = sp
          break
        case 0x7d: // EMPTY_DICT
          if (this.protocol < 0) this.protocol = 1
          tags[sp] = OBJ
          vals[sp++] = store.newObject(DICT_EMPTY)
          break
        case 0x5d: // EMPTY_LIST
          if (this.protocol < 0) this.protocol = 1
          tags[sp] = OBJ
          vals[sp++] = store.newObject(LIST_EMPTY)
          break
        case 0x8f: // EMPTY_SET
          tags[sp] = OBJ
          vals[sp++] = store.newObject(SET)
          break
        case 0x29: // EMPTY_TUPLE
          tags[sp] = OBJ
          vals[sp++] = store.newObject(TUPLE)
          break
        case 0x75: {
          // SETITEMS
          const m = this.popMark(op)
          fence = this.fence
          if (m <= fence) throw this.underflow(op)
          this.setItems(tags[m - 1] as number, (vals[m - 1] as number) | 0, m, sp)
          sp = m
          break
        }
        case 0x73: // SETITEM
          if (sp - 3 < fence) throw this.underflow(op)
          this.setItem(tags[sp - 3] as number, (vals[sp - 3] as number) | 0, sp - 2)
          sp -= 2
          break
        case 0x65: {
          // APPENDS
          const m = this.popMark(op)
          fence = this.fence
          if (m <= fence) throw this.underflow(op)
          this.appendItems(tags[m - 1] as number, (vals[m - 1] as number) | 0, m, sp)
          sp = m
          break
        }
        case 0x61: // APPEND
          if (sp - 2 < fence) throw this.underflow(op)
          this.appendItems(tags[sp - 2] as number, (vals[sp - 2] as number) | 0, sp - 1, sp)
          sp -= 1
          break
        case 0x85: // TUPLE1
        case 0x86: // TUPLE2
        case 0x87: {
          // TUPLE3
          const from = sp - (op - 0x84)
          if (from < fence) throw this.underflow(op)
          const t =
            op === 0x86 && tags[from] === INT && tags[from + 1] === INT
              ? store.intPair(vals[from] as number, vals[from + 1] as number)
              : this.nodes(TUPLE, from, sp)
          sp = from
          tags[sp] = OBJ
          vals[sp++] = t
          break
        }
        case 0x74: // TUPLE
        case 0x64: {
          // DICT
          const m = this.popMark(op)
          fence = this.fence
          let t: number
          if (op === 0x74) t = this.nodes(TUPLE, m, sp)
          else {
            t = store.newObject(DICT_EMPTY)
            this.setItems(OBJ, t, m, sp)
          }
          sp = m
          tags[sp] = OBJ
          vals[sp++] = t
          break
        }

        // ── framing ──
        case 0x80: {
          // PROTO
          const v = buf[pos++] as number
          if (v > 5) throw new PickleFault('pickle-protocol', `pickle protocol ${v}`)
          this.protocol = v
          break
        }
        case 0x95: // FRAME: only a hint for buffering
          pos += 8
          break
        case 0x2e: // STOP
          if (sp <= fence) throw this.underflow(op)
          if (this.protocol < 0) this.protocol = 0
          this.rootTag = tags[sp - 1] as number
          this.rootVal = vals[sp - 1] as number
          this.sp = sp - 1
          this.pos = pos
          return 'stop'

        default: {
          this.pos = pos
          const state = runRare(this, op, eof)
          if (state) return state
          pos = this.pos
          sp = this.sp
          fence = this.fence
          memoTag = memo.tag
          memoVal = memo.val
        }
      }
    }
  }

  // ── containers ──

  /** Sets pairs (stack positions from .. to) on a dict; also on an opaque value, which keeps them without looking. */
  setItems(tag: number, obj: number, from: number, to: number): void {
    if ((to - from) & 1) throw new PickleFault('pickle-bad-value', 'a dict is given a key without a value')
    const kind = this.store.kind(tag, obj)
    if (kind === DICT_EMPTY && from < to && this.#shapes?.dict(obj, from, to)) return
    this.#keepPairs(kind, obj, from, to)
  }

  /** One pair. It is not offered to the shapes: protocol 0 fills every dict that way, and its other pairs are still to come. */
  setItem(tag: number, obj: number, from: number): void {
    this.#keepPairs(this.store.kind(tag, obj), obj, from, from + 2)
  }

  #keepPairs(kind: number, obj: number, from: number, to: number): void {
    let into = obj
    if (kind === DICT_EMPTY || kind === DICT || kind === DICT_PLAIN) this.store.objKind[obj] = DICT
    else if (kind === OPAQUE) into = this.opaques.itemsOf(obj)
    else if (kind >= SHAPE) return this.#shapes?.late()
    else throw new PickleFault('pickle-bad-value', 'a key is set on something that is no dict')
    for (let i = from; i < to; i++) this.store.append(into, this.tags[i] as number, this.vals[i] as number)
  }

  /** Appends stack positions from .. to to a list, set or opaque value. */
  appendItems(tag: number, obj: number, from: number, to: number): void {
    let kind = this.store.kind(tag, obj)
    if (from === to) return
    if (this.#shapes && (kind === LIST_EMPTY || kind >= SHAPE)) {
      if (this.#shapes.list(obj, from, to)) return
      kind = this.store.objKind[obj] as number
    }
    let into = obj
    if (kind === LIST_EMPTY) this.store.objKind[obj] = LIST
    else if (kind === OPAQUE) into = this.opaques.itemsOf(obj)
    else if (kind >= SHAPE) return this.#shapes?.late()
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

  // ── window and stacks ──

  #needBytes(pos: number, n: number, eof: boolean, what: string, most: number): RunState | null {
    if (pos + n <= this.end && n <= most) return null
    const left = Math.min(this.total, eof ? this.#base + this.end : Infinity) - (this.#base + pos)
    if (n > left) throw new PickleFault('pickle-truncated', `${what} declares ${n} bytes, but only ${Math.max(0, left)} are left`)
    if (n > most) throw new PickleFault('pickle-limit', `${what} of ${n} bytes`)
    return this.more(pos + n - this.at)
  }

  /** Stack position that the opcodes at hand may not go below: the innermost mark. */
  get fence(): number {
    return this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
  }

  /** Closes the innermost mark and answers where it stood. */
  popMark(op: number): number {
    if (this.mp === 0) throw this.underflow(op)
    return this.marks[--this.mp] as number
  }

  underflow(op: number): PickleFault {
    return new PickleFault('pickle-stack', `opcode ${hex(op)} asks for more values than were put`)
  }

  #growStack(): void {
    if (this.tags.length >= LIMITS.stack) throw new PickleFault('pickle-limit', `more than ${LIMITS.stack} values on the stack`)
    const n = this.tags.length * 2
    const t = new Uint8Array(n)
    t.set(this.tags)
    this.tags = t
    const v = new Float64Array(n)
    v.set(this.vals)
    this.vals = v
  }

  #growMarks(): void {
    if (this.mp >= LIMITS.marks) throw new PickleFault('pickle-limit', `nesting deeper than ${LIMITS.marks}`)
    const m = new Int32Array(this.marks.length * 2)
    m.set(this.marks)
    this.marks = m
  }
}
