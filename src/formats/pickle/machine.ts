/**
 * The pickle interpreter: protocols 0 to 5, data only. It resolves no name, makes no object of a class and calls nothing: whatever asks for that becomes an inert
 * opaque value and a diagnostic. Values are a tag and a number in typed arrays; containers live in the store; a format may recognise dicts and lists (Shapes).
 *
 * It is fed bytes (`append`) and runs as far as whole opcodes are there; how the input is cut makes no difference. No recursion; every opcode is O(1) apart from the
 * bytes and stack items it consumes. Opcode meanings: Lib/pickletools.py of CPython 3.14.
 */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { grown } from './grow'
import { LIMITS } from './limits'
import { PickleFault, Store } from './store'
import {
  BIG,
  BYTES,
  DICT,
  DICT_EMPTY,
  DICT_PLAIN,
  FALSE,
  FLOAT,
  FROZENSET,
  I64,
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
  U64,
  UNSET,
} from './tags'
import { decodeText, floatLiteral, rawUnicodeEscape, stringLiteral } from './text'

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

const hex = (op: number): string => '0x' + op.toString(16).padStart(2, '0')

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

  #shapes: Shapes | null = null
  readonly #sink: DiagnosticSink
  readonly #told = new Set<string>()

  // ── window ──
  #buf = new Uint8Array(1 << 16)
  #view = new DataView(this.#buf.buffer)
  #pos = 0
  #end = 0
  /** Offset in the stream of `#buf[0]`. */
  #base = 0
  /** Start of the opcode at hand. */
  #at = 0

  // ── memo ──
  #memoTag = new Uint8Array(1 << 12).fill(UNSET)
  #memoVal = new Int32Array(1 << 12)
  /** Numbers put into the memo (nobody does that, but it is allowed). */
  readonly #memoNumber = new Map<number, number>()
  readonly #memoSparse = new Map<number, readonly [number, number]>()
  #puts = 0

  constructor(sink: DiagnosticSink) {
    this.#sink = sink
  }

  set shapes(s: Shapes) {
    this.#shapes = s
  }

  /** Offset in the stream of the opcode at hand. */
  get offset(): number {
    return this.#base + this.#at
  }
  /** The first bytes of the stream. */
  head = new Uint8Array(0)
  /** Bytes loaded and not yet consumed. */
  get waiting(): number {
    return this.#end - this.#pos
  }
  get bytesFed(): number {
    return this.#base + this.#end
  }

  /** Adds bytes to the window. Moves what is left to the front only when the room runs out, so that tiny chunks do not cost a move each. */
  append(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#buf.length) {
      const left = this.#end - this.#pos
      let to = this.#buf
      if (left + chunk.length > this.#buf.length / 2) {
        to = new Uint8Array(Math.max(this.#buf.length, 2 * (left + chunk.length)))
        to.set(this.#buf.subarray(this.#pos, this.#end))
      } else to.copyWithin(0, this.#pos, this.#end)
      this.#buf = to
      this.#view = new DataView(to.buffer)
      this.#base += this.#pos
      this.#pos = 0
      this.#end = left
    }
    this.#buf.set(chunk, this.#end)
    this.#end += chunk.length
    if (this.head.length < 16 && this.#base === 0) this.head = this.#buf.slice(0, Math.min(16, this.#end))
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

  /** Frees the memo; the stack, the window and the store stay. */
  dropMemo(): void {
    this.#memoTag = new Uint8Array(0)
    this.#memoVal = new Int32Array(0)
    this.#memoNumber.clear()
    this.#memoSparse.clear()
    this.#buf = new Uint8Array(0)
    this.#view = new DataView(this.#buf.buffer)
  }

  #more(at: number, want: number): RunState {
    this.#pos = at
    this.want = want
    return 'more'
  }

  #loop(eof: boolean): RunState {
    const store = this.store
    const buf = this.#buf
    const view = this.#view
    const end = this.#end
    const soft = end - LONGEST
    let pos = this.#pos
    let tags = this.tags
    let vals = this.vals
    let sp = this.sp
    let fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
    let room = tags.length - 4
    let memoTag = this.#memoTag
    let memoVal = this.#memoVal
    const runs = this.#shapes

    for (;;) {
      this.#at = pos
      this.sp = sp
      if (pos >= soft) {
        if (!eof) return this.#more(pos, end - pos + 1)
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
            if (tag >= STR && tag !== UNSET) {
              tags[sp] = tag
              vals[sp] = memoVal[i] as number
            } else {
              this.#at = pos - 1
              this.sp = sp
              this.#getRare(i, sp)
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
          if (tag >= STR && tag !== UNSET) {
            tags[sp] = tag
            vals[sp++] = memoVal[i] as number
          } else this.#getRare(i, sp++)
          break
        }
        case 0x94: // MEMOIZE
        case 0x71: // BINPUT
        case 0x72: {
          // LONG_BINPUT
          let i: number
          if (op === 0x94) i = this.#puts
          else if (op === 0x71) i = buf[pos++] as number
          else {
            i = view.getUint32(pos, true)
            pos += 4
          }
          if (sp <= fence) throw this.#underflow(op)
          const tag = tags[sp - 1] as number
          if (i < memoTag.length && tag >= STR) {
            // MEMOIZE counts the entries that are there, so a second put on one index does not count.
            if (memoTag[i] === UNSET) this.#puts++
            memoTag[i] = tag
            memoVal[i] = vals[sp - 1] as number
          } else {
            this.#put(i, tag, vals[sp - 1] as number)
            memoTag = this.#memoTag
            memoVal = this.#memoVal
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
          this.#long(pos, n, sp++)
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
            const after = runs.takeRun(vals[sp - 1] as number, buf, view, pos, soft, memoTag, memoVal)
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
          const m = this.#popMark(op)
          fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
          if (m <= fence) throw this.#underflow(op)
          this.setItems(tags[m - 1] as number, vals[m - 1] as number, m, sp)
          sp = m
          break
        }
        case 0x73: // SETITEM
          if (sp - 3 < fence) throw this.#underflow(op)
          this.setItem(tags[sp - 3] as number, vals[sp - 3] as number, sp - 2)
          sp -= 2
          break
        case 0x65: {
          // APPENDS
          const m = this.#popMark(op)
          fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
          if (m <= fence) throw this.#underflow(op)
          this.appendItems(tags[m - 1] as number, vals[m - 1] as number, m, sp)
          sp = m
          break
        }
        case 0x61: // APPEND
          if (sp - 2 < fence) throw this.#underflow(op)
          this.appendItems(tags[sp - 2] as number, vals[sp - 2] as number, sp - 1, sp)
          sp -= 1
          break
        case 0x85: // TUPLE1
        case 0x86: // TUPLE2
        case 0x87: {
          // TUPLE3
          const from = sp - (op - 0x84)
          if (from < fence) throw this.#underflow(op)
          const t =
            op === 0x86 && tags[from] === INT && tags[from + 1] === INT
              ? store.intPair(vals[from] as number, vals[from + 1] as number)
              : this.#nodes(TUPLE, from, sp)
          sp = from
          tags[sp] = OBJ
          vals[sp++] = t
          break
        }
        case 0x74: // TUPLE
        case 0x6c: // LIST
        case 0x64: // DICT
        case 0x91: // FROZENSET
        case 0x90: // ADDITEMS
        case 0x31: {
          // POP_MARK
          const m = this.#popMark(op)
          fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
          let t = -1
          if (op === 0x74) t = this.#nodes(TUPLE, m, sp)
          else if (op === 0x91) t = this.#nodes(FROZENSET, m, sp)
          else if (op === 0x6c) {
            t = store.newObject(LIST_EMPTY)
            if (sp > m) this.appendItems(OBJ, t, m, sp)
          } else if (op === 0x64) {
            t = store.newObject(DICT_EMPTY)
            if (sp > m) this.setItems(OBJ, t, m, sp)
          } else if (op === 0x90) {
            if (m <= fence) throw this.#underflow(op)
            this.appendItems(tags[m - 1] as number, vals[m - 1] as number, m, sp)
          }
          sp = m
          if (t >= 0) {
            tags[sp] = OBJ
            vals[sp++] = t
          }
          break
        }
        case 0x30: // POP: an item, or the mark when there is none above it
          if (sp > fence) sp--
          else {
            this.#popMark(op)
            fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
          }
          break
        case 0x32: // DUP
          if (sp <= fence) throw this.#underflow(op)
          tags[sp] = tags[sp - 1] as number
          vals[sp] = vals[sp - 1] as number
          sp++
          break

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
          if (sp <= fence) throw this.#underflow(op)
          if (this.protocol < 0) this.protocol = 0
          this.rootTag = tags[sp - 1] as number
          this.rootVal = vals[sp - 1] as number
          this.sp = sp - 1
          this.#pos = pos
          return 'stop'

        // ── text lines of protocol 0 ──
        case 0x49: // INT
        case 0x4c: // LONG
        case 0x46: // FLOAT
        case 0x53: // STRING
        case 0x56: // UNICODE
        case 0x67: // GET
        case 0x70: // PUT
        case 0x50: {
          // PERSID
          const nl = buf.indexOf(10, pos)
          const state = this.#needLine(pos, nl, eof)
          if (state) return state
          const line = buf.subarray(pos, nl)
          pos = nl + 1
          if (op === 0x70) {
            if (sp <= fence) throw this.#underflow(op)
            this.#put(this.#memoIndex(line), tags[sp - 1] as number, vals[sp - 1] as number)
            memoTag = this.#memoTag
            memoVal = this.#memoVal
          } else if (op === 0x67) this.#getRare(this.#memoIndex(line), sp++)
          else this.#textValue(op, line, sp++)
          break
        }

        // ── what asks Python to look something up or to run it ──
        case 0x63: // GLOBAL
        case 0x69: {
          // INST
          const nl1 = buf.indexOf(10, pos)
          let state = this.#needLine(pos, nl1, eof)
          if (state) return state
          const nl2 = buf.indexOf(10, nl1 + 1)
          state = this.#needLine(nl1 + 1, nl2, eof)
          if (state) return state
          const name = `${decodeText(buf.subarray(pos, nl1))}.${decodeText(buf.subarray(nl1 + 1, nl2))}`
          pos = nl2 + 1
          this.#tellGlobal(name)
          if (op === 0x63) this.#opaque(name, NONE, 0, sp++)
          else {
            const m = this.#popMark(op)
            fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
            const args = this.#nodes(TUPLE, m, sp)
            sp = m
            this.#tellCall(name, 'INST')
            this.#opaque(name, OBJ, args, sp++)
          }
          break
        }
        case 0x93: {
          // STACK_GLOBAL
          if (sp - 2 < fence) throw this.#underflow(op)
          if (tags[sp - 2] !== STR || tags[sp - 1] !== STR) throw new PickleFault('pickle-bad-value', 'STACK_GLOBAL without two strings')
          const name = `${this.text(vals[sp - 2] as number)}.${this.text(vals[sp - 1] as number)}`
          sp -= 2
          this.#tellGlobal(name)
          this.#opaque(name, NONE, 0, sp++)
          break
        }
        case 0x82: // EXT1
        case 0x83: // EXT2
        case 0x84: {
          // EXT4
          const code = op === 0x82 ? (buf[pos] as number) : op === 0x83 ? view.getUint16(pos, true) : view.getInt32(pos, true)
          pos += op === 0x82 ? 1 : op === 0x83 ? 2 : 4
          const name = `copyreg extension ${code}`
          this.#tellGlobal(name)
          this.#opaque(name, NONE, 0, sp++)
          break
        }
        case 0x52: // REDUCE
        case 0x81: // NEWOBJ
        case 0x92: {
          // NEWOBJ_EX
          const k = op === 0x92 ? 3 : 2
          if (sp - k < fence) throw this.#underflow(op)
          sp -= k
          const name = this.#nameOf(tags[sp] as number, vals[sp] as number)
          this.#tellCall(name, op === 0x52 ? 'REDUCE' : op === 0x81 ? 'NEWOBJ' : 'NEWOBJ_EX')
          const args = k === 2 ? (vals[sp + 1] as number) : this.#nodes(TUPLE, sp + 1, sp + 3)
          this.#opaque(name, k === 2 ? (tags[sp + 1] as number) : OBJ, args, sp++)
          break
        }
        case 0x6f: {
          // OBJ
          const m = this.#popMark(op)
          fence = this.mp > 0 ? (this.marks[this.mp - 1] as number) : 0
          if (m >= sp) throw this.#underflow(op)
          const name = this.#nameOf(tags[m] as number, vals[m] as number)
          this.#tellCall(name, 'OBJ')
          const args = this.#nodes(TUPLE, m + 1, sp)
          sp = m
          this.#opaque(name, OBJ, args, sp++)
          break
        }
        case 0x62: {
          // BUILD
          if (sp - 2 < fence) throw this.#underflow(op)
          sp--
          this.#tellCall(this.#nameOf(tags[sp - 1] as number, vals[sp - 1] as number), 'BUILD')
          if (store.kind(tags[sp - 1] as number, vals[sp - 1] as number) === OPAQUE)
            store.append(this.#opaqueItems(vals[sp - 1] as number), tags[sp] as number, vals[sp] as number)
          break
        }
        case 0x51: // BINPERSID
          if (sp <= fence) throw this.#underflow(op)
          this.#tellGlobal('persistent id')
          this.#opaque('persistent id', tags[sp - 1] as number, vals[sp - 1] as number, sp - 1)
          break
        case 0x97:
        case 0x98:
          throw new PickleFault('pickle-buffer', `an out-of-band buffer (opcode ${hex(op)}), which stands outside the file`)
        default:
          throw new PickleFault('pickle-bad-opcode', `byte ${hex(op)}, which is no pickle opcode`)
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
    else if (kind === OPAQUE) into = this.#opaqueItems(obj)
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
    else if (kind === OPAQUE) into = this.#opaqueItems(obj)
    else if (kind >= SHAPE) return this.#shapes?.late()
    else if (kind !== LIST && kind !== SET) throw new PickleFault('pickle-bad-value', 'an item is appended to something that is no list')
    for (let i = from; i < to; i++) this.store.append(into, this.tags[i] as number, this.vals[i] as number)
  }

  #nodes(kind: number, from: number, to: number): number {
    const t = this.store.newObject(kind)
    for (let i = from; i < to; i++) this.store.append(t, this.tags[i] as number, this.vals[i] as number)
    return t
  }

  // ── integers ──

  #long(pos: number, n: number, slot: number): void {
    const buf = this.#buf
    if (n <= 8) {
      let low = 0
      let high = 0
      for (let i = 0; i < n && i < 4; i++) low |= (buf[pos + i] as number) << (8 * i)
      for (let i = 4; i < n; i++) high |= (buf[pos + i] as number) << (8 * (i - 4))
      if (n > 0 && (buf[pos + n - 1] as number) >= 128) {
        if (n < 4) low |= -1 << (8 * n)
        if (n <= 4) high = -1
        else if (n < 8) high |= -1 << (8 * (n - 4))
      }
      this.#wide(low >>> 0, high, slot)
    } else if (n === 9 && buf[pos + 8] === 0) {
      const low = this.#view.getUint32(pos, true)
      const high = this.#view.getUint32(pos + 4, true)
      this.tags[slot] = U64
      this.vals[slot] = this.store.wide.push(low, high)
    } else {
      let digits = '0x'
      for (let i = n - 1; i >= 0; i--) digits += (buf[pos + i] as number).toString(16).padStart(2, '0')
      this.#bigint(BigInt.asIntN(8 * n, BigInt(digits)), slot)
    }
  }

  /** Signed 64-bit integer of two halves. */
  #wide(low: number, high: number, slot: number): void {
    if (high >= -0x200000 && high < 0x200000) {
      this.tags[slot] = INT
      this.vals[slot] = high * 0x100000000 + low
    } else {
      this.tags[slot] = high < 0 ? I64 : U64
      this.vals[slot] = this.store.wide.push(low, high >>> 0)
    }
  }

  #bigint(v: bigint, slot: number): void {
    if (v >= -(1n << 63n) && v < 1n << 64n) {
      const bits = BigInt.asUintN(64, v)
      const low = Number(bits & 0xffffffffn)
      const high = Number(bits >> 32n)
      if (v < 0n || high < 0x80000000) this.#wide(low, high | 0, slot)
      else {
        this.tags[slot] = U64
        this.vals[slot] = this.store.wide.push(low, high)
      }
    } else {
      this.tags[slot] = BIG
      this.vals[slot] = this.store.bigs.push(v) - 1
    }
  }

  // ── text forms ──

  #textValue(op: number, line: Uint8Array, slot: number): void {
    const store = this.store
    if (op === 0x53 || op === 0x56) {
      const bytes = op === 0x53 ? stringLiteral(line) : rawUnicodeEscape(line)
      if (!bytes) throw new PickleFault('pickle-bad-value', 'a string literal that is not well formed')
      this.tags[slot] = STR
      this.vals[slot] = store.strings.intern(bytes, 0, bytes.length)
    } else if (op === 0x50) {
      this.#tellGlobal('persistent id')
      this.#opaque('persistent id', STR, store.strings.intern(line, 0, line.length), slot)
    } else if (op === 0x46) {
      const v = floatLiteral(decodeText(line))
      if (v === null) throw new PickleFault('pickle-bad-value', 'a float that is not well formed')
      this.tags[slot] = FLOAT
      this.vals[slot] = v
    } else {
      const text = decodeText(line.subarray(0, LIMITS.intDigits + 8)).trim()
      if (op === 0x49 && (text === '00' || text === '01')) {
        this.tags[slot] = text === '01' ? TRUE : FALSE
        this.vals[slot] = 0
        return
      }
      const digits = op === 0x4c && text.endsWith('L') ? text.slice(0, -1) : text
      if (line.length > LIMITS.intDigits) throw new PickleFault('pickle-limit', `an integer of more than ${LIMITS.intDigits} digits`)
      if (!/^[+-]?\d+$/.test(digits)) throw new PickleFault('pickle-bad-value', 'an integer that is not well formed')
      this.#bigint(BigInt(digits.replace(/^\+/, '')), slot)
    }
  }

  text(id: number): string {
    return decodeText(this.store.strings.raw(id))
  }

  // ── memo ──

  #memoIndex(line: Uint8Array): number {
    const text = decodeText(line.subarray(0, 32)).trim()
    if (!/^\d{1,15}$/.test(text)) throw new PickleFault('pickle-memo', 'a memo index that is no number')
    return Number(text)
  }

  #put(i: number, tag: number, val: number): void {
    if (i > this.#memoTag.length && i > 2 * this.#puts + 1024) {
      // An index far beyond what was put so far: no array is sized by it.
      if (this.#memoSparse.size >= LIMITS.sparseMemo) throw new PickleFault('pickle-limit', 'too many scattered memo indices')
      if (!this.#memoSparse.has(i)) this.#puts++
      this.#memoSparse.set(i, [tag, val])
    } else {
      if (i >= LIMITS.memo) throw new PickleFault('pickle-limit', `memo index ${i}`)
      if (i >= this.#memoTag.length) {
        const n = grown(this.#memoTag.length, i + 1)
        const t = new Uint8Array(n)
        t.set(this.#memoTag)
        t.fill(UNSET, this.#memoTag.length)
        this.#memoTag = t
        const v = new Int32Array(n)
        v.set(this.#memoVal)
        this.#memoVal = v
      }
      if (this.#memoTag[i] === UNSET && !this.#memoSparse.has(i)) this.#puts++
      this.#memoTag[i] = tag
      if (tag >= STR) this.#memoVal[i] = val
      else this.#memoNumber.set(i, val)
      this.#memoSparse.delete(i)
    }
  }

  #getRare(i: number, slot: number): void {
    const tag = i < this.#memoTag.length ? (this.#memoTag[i] as number) : UNSET
    if (tag !== UNSET) {
      this.tags[slot] = tag
      this.vals[slot] = tag >= STR ? (this.#memoVal[i] as number) : (this.#memoNumber.get(i) as number)
      return
    }
    const sparse = this.#memoSparse.get(i)
    if (!sparse) throw new PickleFault('pickle-memo', `memo entry ${i}, which was never stored`)
    this.tags[slot] = sparse[0]
    this.vals[slot] = sparse[1]
  }

  // ── opaque values ──

  #opaque(name: string, tag: number, val: number, slot: number): void {
    const items = this.store.newObject(LIST)
    const row = this.store.addOpaque(name, tag, val, items)
    this.tags[slot] = OBJ
    this.vals[slot] = this.store.newObject(OPAQUE, row)
  }

  #opaqueItems(obj: number): number {
    return (this.store.opaques[this.store.objA[obj] as number] as { items: number }).items
  }

  #nameOf(tag: number, val: number): string {
    if (this.store.kind(tag, val) !== OPAQUE) return 'a value that is no class'
    return (this.store.opaques[this.store.objA[val] as number] as { name: string }).name
  }

  /** Each name once: a thousand harmless ones cannot push a telling one out of the list. */
  #tellGlobal(name: string): void {
    if (this.#told.has(name) || this.#told.size >= LIMITS.opaques) return
    this.#told.add(name)
    this.#sink.add({
      severity: 'warning',
      code: 'pickle-global',
      offset: this.offset,
      message: `The file asks Python for ${name.slice(0, 200)}.`,
      meaning: 'It was neither looked up nor run. The value stands as an inert placeholder; everything else is read as usual.',
      action:
        'A snapshot that PyTorch writes holds no such request. Do not load this file with Python if you do not trust where it comes from.',
    })
  }

  #tellCall(name: string, op: string): void {
    const key = `${op} ${name}`
    if (this.#told.has(key) || this.#told.size >= LIMITS.opaques) return
    this.#told.add(key)
    this.#sink.add({
      severity: 'warning',
      code: 'pickle-call',
      offset: this.offset,
      message: `The file asks Python to run ${name.slice(0, 200)} (${op}).`,
      meaning: 'Nothing was executed. The result stands as an inert placeholder.',
      action: 'Do not load this file with Python if you do not trust where it comes from.',
    })
  }

  // ── window and stacks ──

  #needBytes(pos: number, n: number, eof: boolean, what: string, most: number): RunState | null {
    if (pos + n <= this.#end && n <= most) return null
    const left = Math.min(this.total, eof ? this.#base + this.#end : Infinity) - (this.#base + pos)
    if (n > left) throw new PickleFault('pickle-truncated', `${what} declares ${n} bytes, but only ${Math.max(0, left)} are left`)
    if (n > most) throw new PickleFault('pickle-limit', `${what} of ${n} bytes`)
    return this.#more(this.#at, pos + n - this.#at)
  }

  #needLine(pos: number, nl: number, eof: boolean): RunState | null {
    if (nl >= 0 && nl < this.#end) return null
    if (this.#end - pos > LIMITS.lineBytes) throw new PickleFault('pickle-limit', `a line of more than ${LIMITS.lineBytes} bytes`)
    if (eof) throw new PickleFault('pickle-truncated', 'the file ends inside a line of the pickle')
    // Twice as much before the next look, so that a long line is not searched again for every chunk.
    return this.#more(this.#at, 2 * (this.#end - this.#at) + 1)
  }

  #popMark(op: number): number {
    if (this.mp === 0) throw this.#underflow(op)
    return this.marks[--this.mp] as number
  }

  #underflow(op: number): PickleFault {
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
