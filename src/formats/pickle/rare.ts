/** Opcodes that no snapshot of today's torch holds, apart from the main loop so that it stays small: text forms of protocol 0, and everything that asks for a lookup or a call. */
import { putBigint } from './integers'
import { LIMITS } from './limits'
import type { RunState } from './builder'
import type { Machine } from './machine'
import { PickleFault } from './store'
import { FALSE, FLOAT, FROZENSET, LIST_EMPTY, NONE, OBJ, OPAQUE, STR, TRUE, TUPLE, hex } from './tags'
import { decodeText, floatLiteral, rawUnicodeEscape, stringLiteral } from './text'

/** Runs opcode `op`, whose arguments begin at `m.pos`; moves `m.pos` and `m.sp`. 'more': the line is not all there, nothing has happened. */
export function runRare(m: Machine, op: number, eof: boolean): RunState | null {
  const { store, opaques } = m
  const pushObject = (obj: number): void => {
    m.tags[m.sp] = OBJ
    m.vals[m.sp++] = obj
  }
  switch (op) {
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
      const nl = m.buf.indexOf(10, m.pos)
      const state = needLine(m, m.pos, nl, eof)
      if (state) return state
      const line = m.buf.subarray(m.pos, nl)
      m.pos = nl + 1
      if (op === 0x70) {
        if (m.sp <= m.fence) throw m.underflow(op)
        m.memo.put(memoIndex(line), m.tags[m.sp - 1] as number, m.vals[m.sp - 1] as number)
      } else if (op === 0x67) m.memo.get(memoIndex(line), m.tags, m.vals, m.sp++)
      else if (op === 0x50) {
        opaques.tellGlobal('persistent id', m.offset)
        pushObject(opaques.make('persistent id', STR, store.strings.intern(line, 0, line.length)))
      } else textValue(m, op, line)
      return null
    }

    // ── containers of protocols 0 and 4 ──
    case 0x6c: // LIST
    case 0x91: // FROZENSET
    case 0x31: {
      // POP_MARK
      const from = m.popMark(op)
      let obj = -1
      if (op === 0x91) obj = m.nodes(FROZENSET, from, m.sp)
      else if (op === 0x6c) {
        obj = store.newObject(LIST_EMPTY)
        m.appendItems(OBJ, obj, from, m.sp)
      }
      m.sp = from
      if (obj >= 0) pushObject(obj)
      return null
    }
    case 0x90: {
      // ADDITEMS
      const from = m.popMark(op)
      if (from <= m.fence) throw m.underflow(op)
      m.appendItems(m.tags[from - 1] as number, m.vals[from - 1] as number, from, m.sp)
      m.sp = from
      return null
    }
    case 0x30: // POP: an item, or the mark when there is none above it
      if (m.sp > m.fence) m.sp--
      else m.popMark(op)
      return null
    case 0x32: // DUP
      if (m.sp <= m.fence) throw m.underflow(op)
      m.tags[m.sp] = m.tags[m.sp - 1] as number
      m.vals[m.sp] = m.vals[m.sp - 1] as number
      m.sp++
      return null

    // ── what asks Python to look something up or to run it ──
    case 0x63: // GLOBAL
    case 0x69: {
      // INST
      const nl1 = m.buf.indexOf(10, m.pos)
      let state = needLine(m, m.pos, nl1, eof)
      if (state) return state
      const nl2 = m.buf.indexOf(10, nl1 + 1)
      state = needLine(m, nl1 + 1, nl2, eof)
      if (state) return state
      const name = `${decodeText(m.buf.subarray(m.pos, nl1))}.${decodeText(m.buf.subarray(nl1 + 1, nl2))}`
      m.pos = nl2 + 1
      opaques.tellGlobal(name, m.offset)
      if (op === 0x63) pushObject(opaques.make(name, NONE, 0))
      else {
        const from = m.popMark(op)
        const args = m.nodes(TUPLE, from, m.sp)
        m.sp = from
        opaques.tellCall(name, 'INST', m.offset)
        pushObject(opaques.make(name, OBJ, args))
      }
      return null
    }
    case 0x93: {
      // STACK_GLOBAL
      if (m.sp - 2 < m.fence) throw m.underflow(op)
      if (m.tags[m.sp - 2] !== STR || m.tags[m.sp - 1] !== STR)
        throw new PickleFault('pickle-bad-value', 'STACK_GLOBAL without two strings')
      m.sp -= 2
      const name = `${m.text(m.vals[m.sp] as number)}.${m.text(m.vals[m.sp + 1] as number)}`
      opaques.tellGlobal(name, m.offset)
      pushObject(opaques.make(name, NONE, 0))
      return null
    }
    case 0x82: // EXT1
    case 0x83: // EXT2
    case 0x84: {
      // EXT4
      const code = op === 0x82 ? (m.buf[m.pos] as number) : op === 0x83 ? m.view.getUint16(m.pos, true) : m.view.getInt32(m.pos, true)
      m.pos += op === 0x82 ? 1 : op === 0x83 ? 2 : 4
      const name = `copyreg extension ${code}`
      opaques.tellGlobal(name, m.offset)
      pushObject(opaques.make(name, NONE, 0))
      return null
    }
    case 0x52: // REDUCE
    case 0x81: // NEWOBJ
    case 0x92: {
      // NEWOBJ_EX
      const k = op === 0x92 ? 3 : 2
      if (m.sp - k < m.fence) throw m.underflow(op)
      m.sp -= k
      const name = opaques.nameOf(m.tags[m.sp] as number, m.vals[m.sp] as number)
      opaques.tellCall(name, op === 0x52 ? 'REDUCE' : op === 0x81 ? 'NEWOBJ' : 'NEWOBJ_EX', m.offset)
      if (k === 2) pushObject(opaques.make(name, m.tags[m.sp + 1] as number, m.vals[m.sp + 1] as number))
      else pushObject(opaques.make(name, OBJ, m.nodes(TUPLE, m.sp + 1, m.sp + 3)))
      return null
    }
    case 0x6f: {
      // OBJ
      const from = m.popMark(op)
      if (from >= m.sp) throw m.underflow(op)
      const name = opaques.nameOf(m.tags[from] as number, m.vals[from] as number)
      opaques.tellCall(name, 'OBJ', m.offset)
      const args = m.nodes(TUPLE, from + 1, m.sp)
      m.sp = from
      pushObject(opaques.make(name, OBJ, args))
      return null
    }
    case 0x62: {
      // BUILD
      if (m.sp - 2 < m.fence) throw m.underflow(op)
      m.sp--
      const tag = m.tags[m.sp - 1] as number
      const val = m.vals[m.sp - 1] as number
      opaques.tellCall(opaques.nameOf(tag, val), 'BUILD', m.offset)
      if (store.kind(tag, val) === OPAQUE) store.append(opaques.itemsOf(val), m.tags[m.sp] as number, m.vals[m.sp] as number)
      return null
    }
    case 0x51: // BINPERSID
      if (m.sp <= m.fence) throw m.underflow(op)
      m.sp--
      opaques.tellGlobal('persistent id', m.offset)
      pushObject(opaques.make('persistent id', m.tags[m.sp] as number, m.vals[m.sp] as number))
      return null
    case 0x97: // NEXT_BUFFER
    case 0x98: // READONLY_BUFFER
      throw new PickleFault('pickle-buffer', `an out-of-band buffer (opcode ${hex(op)}), which stands outside the file`)
    default:
      throw new PickleFault('pickle-bad-opcode', `byte ${hex(op)}, which is no pickle opcode`)
  }
}

function needLine(m: Machine, pos: number, nl: number, eof: boolean): RunState | null {
  if (nl >= 0 && nl < m.end) return null
  if (m.end - pos > LIMITS.lineBytes) throw new PickleFault('pickle-limit', `a line of more than ${LIMITS.lineBytes} bytes`)
  if (eof) throw new PickleFault('pickle-truncated', 'the file ends inside a line of the pickle')
  // Twice as much before the next look, so that a long line is not searched again for every chunk.
  return m.more(2 * (m.end - m.at) + 1)
}

function memoIndex(line: Uint8Array): number {
  const text = decodeText(line.subarray(0, 32)).trim()
  if (!/^\d{1,15}$/.test(text)) throw new PickleFault('pickle-memo', 'a memo index that is no number')
  return Number(text)
}

function textValue(m: Machine, op: number, line: Uint8Array): void {
  const slot = m.sp++
  if (op === 0x53 || op === 0x56) {
    const bytes = op === 0x53 ? stringLiteral(line) : rawUnicodeEscape(line)
    if (!bytes) throw new PickleFault('pickle-bad-value', 'a string literal that is not well formed')
    m.tags[slot] = STR
    m.vals[slot] = m.store.strings.intern(bytes, 0, bytes.length)
  } else if (op === 0x46) {
    const v = floatLiteral(decodeText(line))
    if (v === null) throw new PickleFault('pickle-bad-value', 'a float that is not well formed')
    m.tags[slot] = FLOAT
    m.vals[slot] = v
  } else {
    if (line.length > LIMITS.intDigits) throw new PickleFault('pickle-limit', `an integer of more than ${LIMITS.intDigits} digits`)
    const text = decodeText(line).trim()
    if (op === 0x49 && (text === '00' || text === '01')) {
      m.tags[slot] = text === '01' ? TRUE : FALSE
      m.vals[slot] = 0
      return
    }
    const digits = op === 0x4c && text.endsWith('L') ? text.slice(0, -1) : text
    if (!/^[+-]?\d+$/.test(digits)) throw new PickleFault('pickle-bad-value', 'an integer that is not well formed')
    putBigint(m.store, BigInt(digits.replace(/^\+/, '')), m.tags, m.vals, slot)
  }
}
