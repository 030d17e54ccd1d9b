/**
 * The pickle interpreter: protocols 0 to 5, data only. It resolves no name, makes no object of a class and calls nothing: whatever asks for that becomes an inert
 * opaque value and a diagnostic. What it builds values with is the builder's.
 *
 * It is fed bytes (`append`) and runs as far as whole opcodes are there; how the input is cut makes no difference. No recursion; every opcode is O(1) apart from the
 * bytes and stack items it consumes. Opcode meanings: Lib/pickletools.py of CPython 3.14.
 */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { Builder, type RunState } from './builder'
import { putLong } from './integers'
import { LIMITS } from './limits'
import { Memo } from './memo'
import { ARGS, LONGEST } from './opcodes'
import { Opaques } from './opaque'
import { runRare } from './rare'
import { PickleFault } from './store'
import { BYTES, DICT_EMPTY, FALSE, FLOAT, INT, LIST_EMPTY, NONE, OBJ, SET, STR, TRUE, TUPLE, UNSET, hex } from './tags'

export class Machine extends Builder {
  readonly family = 'pickle'
  readonly marksAll = false
  /** -1 until a PROTO opcode or the first opcode that tells protocol 0 from 1. */
  protocol = -1
  readonly memo = new Memo()
  readonly opaques: Opaques

  constructor(sink: DiagnosticSink) {
    super()
    this.opaques = new Opaques(this.store, sink)
  }

  /** Prepares for a stream of `bytes`: its objects and memo entries find room without being moved. */
  override expect(bytes: number): void {
    super.expect(bytes)
    const most = Math.min(bytes >>> 5, 1 << 24)
    this.memo.reserve(most)
    this.store.reserveObjects(most)
  }

  override drop(): void {
    super.drop()
    this.memo.tag = new Uint8Array(0)
    this.memo.val = new Int32Array(0)
  }

  protected override loop(eof: boolean): RunState {
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
    const runs = this.shapes

    for (;;) {
      this.at = pos
      this.sp = sp
      if (pos >= soft) {
        if (!eof) return this.more(end - pos + 1)
        if (pos >= end || pos + 1 + (ARGS[buf[pos] as number] as number) > end)
          throw new PickleFault('pickle-truncated', 'the file ends inside the pickle')
      }
      if (sp >= room) {
        this.growStack()
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
          if (this.mp === this.marks.length) this.growMarks()
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
        case 0x95: {
          // FRAME: only a hint for buffering; nothing is made room for
          const n = view.getUint32(pos, true) + view.getUint32(pos + 4, true) * 0x100000000
          pos += 8
          if (n > LIMITS.frameBytes) {
            const left = this.total - (this.base + pos)
            if (left === Infinity) throw new PickleFault('pickle-limit', `a frame of ${n} bytes`)
            if (n > left) throw new PickleFault('pickle-truncated', `a frame declares ${n} bytes, but only ${Math.max(0, left)} are left`)
          }
          break
        }
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

  // ── bytes and marks ──

  #needBytes(pos: number, n: number, eof: boolean, what: string, most: number): RunState | null {
    if (pos + n <= this.end && n <= most) return null
    const left = Math.min(this.total, eof ? this.base + this.end : Infinity) - (this.base + pos)
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
}
