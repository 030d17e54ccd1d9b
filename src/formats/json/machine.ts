/**
 * Builds values out of a JSON text as it streams by: the same values, on the same stack and in the same store, as the pickle interpreter builds, so that a format which
 * recognises dicts and lists while they are filled (Shapes) reads both. No object and no string of JavaScript is made; how the input is cut makes no difference; there is no
 * recursion. Grammar: RFC 8259, and `NaN`, `Infinity`, `-Infinity`, which Python's json module writes.
 *
 * Integers are exact at any size. A number with a fraction or an exponent is an integer too where it is a whole number within 2^53: JSON knows one kind of number.
 */
import { isUtf8 } from 'node:buffer'
import type { DiagnosticSink } from '../../shared/diagnostics'
import { Builder, type RunState } from '../pickle/builder'
import { putBigint } from '../pickle/integers'
import { HASH_STEP } from '../pickle/interner'
import { LIMITS } from '../pickle/limits'
import { PickleFault } from '../pickle/store'
import { DICT_EMPTY, FALSE, FLOAT, INT, LIST_EMPTY, NONE, OBJ, STR, TRUE } from '../pickle/tags'
import { unescape } from './escapes'
import { MOST_OF_ONE, Repeats } from './repeats'

// What is expected next.
const VALUE = 0
const VALUE_OR_END = 1
const KEY = 2
const KEY_OR_END = 3
const COLON = 4
const AFTER = 5
/** The value is whole: white space may follow. */
const TAIL = 6
const EXPECTED = ['a value', 'a value or ]', 'a key', 'a key or }', 'a colon', 'a comma or the end of what is open', 'the end']

/** Mask of the table of keys that follow each other. */
const FOLLOWERS = 511
/** Items of a list that stand on the stack at most before they are put into it. */
const BATCH = 1024
/** Characters of one number, as Python bounds it. */
const NUMBER_BYTES = LIMITS.intDigits
/** Bytes of one text. What holds all of a text is kept until its end is there. */
const TEXT_BYTES = 1 << 24

/** Bytes that end the quick way through a string: quote, backslash, control characters. */
const SPECIAL = new Uint8Array(256).fill(1, 0, 0x20)
SPECIAL[0x22] = 1
SPECIAL[0x5c] = 1

const WORDS: readonly (readonly [text: string, tag: number, value: number])[] = [
  ['true', TRUE, 0],
  ['false', FALSE, 0],
  ['null', NONE, 0],
  ['NaN', FLOAT, NaN],
  ['Infinity', FLOAT, Infinity],
  ['-Infinity', FLOAT, -Infinity],
]

/** Asks for more bytes: the token at hand is not all there. */
const MORE = -1

interface Found {
  count: number
  readonly offset: number
}

export class JsonMachine extends Builder {
  readonly family = 'json'
  readonly marksAll = true
  #mode = VALUE
  /** The innermost open container is an object. */
  #inObject = false
  #scratch = new Uint8Array(1024)
  /** Id of the string that was read last. */
  #string = 0
  /** Its bytes are its text: no escapes. */
  #plain = false
  /** For each key (by the low bits of its id) the one that last followed it, plus 1; the first for none. */
  readonly #followers = new Int32Array(FOLLOWERS + 1)
  readonly #repeats = new Repeats()
  /** Key of the lists in which objects repeat; -1 before one was met. */
  #repeatKey = -1
  /** Offset of the innermost open object where it stands in a list and holds no container so far; -1 otherwise. */
  #objectAt = -1
  #notes = 0
  #notesBefore = 0
  readonly #found = new Map<'control' | 'escape' | 'utf8', Found>()

  protected override loop(eof: boolean): RunState {
    const { buf, end, store } = this
    let { pos, tags, vals, sp } = this
    let mode = this.#mode
    let inObject = this.#inObject
    let room = tags.length - 4
    const followers = this.#followers
    // Where this is not the key before, the guess is wrong and nothing else.
    let lastKey = -1

    // A byte order mark before the text.
    if (this.base === 0 && pos === 0 && buf[0] === 0xef) {
      if (end < 3 && !eof) return this.more(3)
      if (buf[1] === 0xbb && buf[2] === 0xbf) pos = 3
    }
    for (;;) {
      let c = 0
      while (pos < end && ((c = buf[pos] as number) === 0x20 || c === 0x0a || c === 0x0d || c === 0x09)) pos++
      this.at = pos
      this.sp = sp
      this.#mode = mode
      this.#inObject = inObject
      if (pos >= end) {
        if (!eof) return this.more(1)
        if (mode === TAIL) return this.#stop(pos)
        throw new PickleFault('json-truncated', 'the file ends inside the JSON text')
      }
      if (sp >= room) {
        this.growStack()
        tags = this.tags
        vals = this.vals
        room = tags.length - 4
      }
      switch (mode) {
        case KEY_OR_END:
        case KEY: {
          if (c === 0x22) {
            // Objects of a kind have their keys in one order: the key after the last one is mostly known.
            const slot = (lastKey + 1) & FOLLOWERS
            const guess = (followers[slot] as number) - 1
            let after = guess < 0 ? 0 : store.strings.quoted(guess, buf, pos + 1, end)
            if (after > 0) lastKey = guess
            else {
              after = this.#text(pos + 1, eof)
              if (after === MORE) return this.#wait()
              lastKey = this.#string
              // A key with escapes is not what its bytes are.
              if (this.#plain) followers[slot] = lastKey + 1
            }
            tags[sp] = STR
            vals[sp++] = lastKey
            pos = after
            // The colon mostly follows at once.
            if (pos < end && buf[pos] === 0x3a) {
              pos++
              mode = VALUE
            } else mode = COLON
            break
          }
          if (c !== 0x7d || mode === KEY) throw this.#unexpected(c, mode)
          pos++
          sp = this.#close()
          inObject = this.#parentIsObject()
          mode = this.mp === 0 ? TAIL : AFTER
          break
        }
        case COLON:
          if (c !== 0x3a) throw this.#unexpected(c, mode)
          pos++
          mode = VALUE
          break
        case AFTER:
          if (c === 0x2c) {
            pos++
            if (inObject) mode = KEY
            else {
              const from = this.marks[this.mp - 1] as number
              if (sp - from >= BATCH) {
                this.#take(vals[from - 1] as number, from, sp)
                sp = from
              }
              mode = VALUE
            }
            break
          }
          if (c !== (inObject ? 0x7d : 0x5d)) throw this.#unexpected(c, mode)
          pos++
          sp = this.#close()
          if (inObject && this.#objectAt >= 0) this.#remember(pos, sp)
          this.#objectAt = -1
          inObject = this.#parentIsObject()
          if (inObject) lastKey = vals[sp - 2] as number
          if (this.mp === 0) mode = TAIL
          break
        case TAIL:
          return this.#stop(pos)

        default: {
          // A value.
          if (c === 0x22) {
            const after = this.#text(pos + 1, eof)
            if (after === MORE) return this.#wait()
            tags[sp] = STR
            vals[sp++] = this.#string
            pos = after
          } else if (c === 0x7b || c === 0x5b) {
            if (c === 0x7b) {
              if (!inObject && this.#mayRepeat(sp)) {
                const after = this.#repeated(pos, sp)
                if (after > 0) {
                  sp++
                  pos = after
                  mode = AFTER
                  break
                }
              }
              this.#objectAt = inObject ? -1 : this.base + pos
              this.#notesBefore = this.#notes
            } else this.#objectAt = -1
            if (this.mp === this.marks.length) this.growMarks()
            tags[sp] = OBJ
            vals[sp++] = store.newObject(c === 0x7b ? DICT_EMPTY : LIST_EMPTY)
            this.marks[this.mp++] = sp
            pos++
            lastKey = -1
            inObject = c === 0x7b
            mode = inObject ? KEY_OR_END : VALUE_OR_END
            break
          } else if (c === 0x5d && mode === VALUE_OR_END) {
            pos++
            sp = this.#close()
            inObject = this.#parentIsObject()
            mode = this.mp === 0 ? TAIL : AFTER
            break
          } else {
            // Integers are most of the numbers; a number is only known to be whole by the byte after it.
            let p = c === 0x2d ? pos + 1 : pos
            const first = p
            let v = 0
            for (; p < end; p++) {
              const d = (buf[p] as number) - 48
              if (d < 0 || d > 9) break
              v = v * 10 + d
            }
            const next = p < end ? (buf[p] as number) : 0
            if (
              p < end &&
              p > first &&
              v <= Number.MAX_SAFE_INTEGER &&
              next !== 0x2e &&
              (next | 32) !== 0x65 &&
              (buf[first] !== 48 || p === first + 1)
            ) {
              tags[sp] = INT
              vals[sp++] = c === 0x2d && v !== 0 ? -v : v
              pos = p
            } else {
              const after = this.#rest(pos, eof, sp, c, mode)
              if (after === MORE) return this.#wait()
              sp++
              pos = after
            }
          }
          mode = this.mp === 0 ? TAIL : AFTER
        }
      }
    }
  }

  /** Tells what was found in the text that JSON does not allow but that stands for itself. */
  tell(sink: DiagnosticSink): void {
    const add = (what: 'control' | 'escape' | 'utf8', code: string, message: string, meaning: string): void => {
      const f = this.#found.get(what)
      if (f) sink.add({ severity: 'info', code, offset: f.offset, message, meaning, action: 'Nothing to do.', count: f.count })
    }
    add('utf8', 'json-invalid-utf8', 'Texts hold bytes that are no UTF-8.', 'They are shown as \ufffd. No byte figure is affected.')
    add(
      'control',
      'json-control-character',
      'Texts hold control characters that JSON wants escaped.',
      'They are kept. No byte figure is affected.',
    )
    add(
      'escape',
      'json-bad-escape',
      'Texts hold escapes that JSON does not define.',
      'They are shown as they stand. No byte figure is affected.',
    )
  }

  // ── ends ──

  #stop(pos: number): RunState {
    this.pos = pos
    this.rootTag = this.tags[0] as number
    this.rootVal = this.vals[0] as number
    this.sp = 0
    return 'stop'
  }

  /** The token at hand goes on beyond the window. Twice the bytes next time, so that a long one is not gone through again for every chunk. */
  #wait(): RunState {
    const there = this.end - this.at
    return this.more(Math.max(there + 1, Math.min(2 * there, TEXT_BYTES + 16)))
  }

  #unexpected(c: number, mode: number): PickleFault {
    const found = c >= 0x20 && c < 0x7f ? `'${String.fromCharCode(c)}'` : `byte 0x${c.toString(16).padStart(2, '0')}`
    return new PickleFault('json-syntax', `${found} stands where ${EXPECTED[mode]} is expected`)
  }

  #truncated(what: string): PickleFault {
    return new PickleFault('json-truncated', `the file ends inside ${what}`)
  }

  // ── containers ──

  #parentIsObject(): boolean {
    const { mp } = this
    return mp > 0 && this.store.objKind[this.vals[(this.marks[mp - 1] as number) - 1] as number] === DICT_EMPTY
  }

  /** Closes the innermost container with what stands above its mark; answers the height of the stack after it. */
  #close(): number {
    const { store, tags, vals } = this
    const from = this.marks[this.mp - 1] as number
    const to = this.sp
    const obj = vals[from - 1] as number
    if (to > from) {
      if (store.objKind[obj] === DICT_EMPTY) this.setItems(OBJ, obj, from, to)
      else if (to - from === 2 && tags[from] === INT && tags[from + 1] === INT && store.objKind[obj] === LIST_EMPTY)
        // The id of a pool, which may stand on every event.
        vals[from - 1] = store.intPair(vals[from] as number, vals[from + 1] as number)
      else this.#take(obj, from, to)
    }
    this.mp--
    return from
  }

  #take(list: number, from: number, to: number): void {
    this.appendItems(OBJ, list, from, to)
    if (this.shapes?.spent(list) === true) this.store.forget(list + 1)
  }

  // ── objects that repeat ──

  /** Whether the list at hand stands under the key under which objects have repeated. */
  #mayRepeat(sp: number): boolean {
    const key = (this.marks[this.mp - 1] as number) - 2
    return this.mp > 0 && key >= 0 && this.tags[key] === STR && this.vals[key] === this.#repeatKey && sp > 0
  }

  /** An object at `pos` that was read before in the same bytes: it is put on the stack, the position after it is answered. 0 where there is none. */
  #repeated(pos: number, sp: number): number {
    // An object with a brace inside of it was not remembered.
    const { buf } = this
    const most = Math.min(this.end, pos + MOST_OF_ONE)
    let close = pos
    while (close < most && buf[close] !== 0x7d) close++
    if (close >= most) return 0
    const entry = this.#repeats.find(this.view, pos, close + 1 - pos)
    if (entry < 0) return 0
    this.tags[sp] = OBJ
    this.vals[sp] = this.store.newObject(this.#repeats.kind(entry), this.#repeats.value(entry))
    return close + 1
  }

  /** Remembers the object without inner ones that ends before `pos` and stands on top of the stack, where the same bytes always mean the same. */
  #remember(pos: number, sp: number): void {
    const obj = this.vals[sp - 1] as number
    const from = this.#objectAt - this.base
    if (from < 0 || this.shapes?.repeats(obj) !== true) return
    const key = (this.marks[this.mp - 1] as number) - 2
    if (key < 0 || this.tags[key] !== STR) return
    this.#repeatKey = this.vals[key] as number
    if (this.#notes === this.#notesBefore && this.buf.indexOf(0x7d, from) === pos - 1)
      this.#repeats.add(this.buf, this.view, from, pos - from, this.store.objKind[obj] as number, this.store.objA[obj] as number)
  }

  // ── strings ──

  /** Reads the string whose text begins at `pos` into `#string`; answers the position after its closing quote. */
  #text(pos: number, eof: boolean): number {
    const { buf, end } = this
    const strings = this.store.strings
    let h = strings.seed
    let high = 0
    let p = pos
    for (; p < end; p++) {
      const b = buf[p] as number
      if (SPECIAL[b] === 1) break
      high |= b
      h = Math.imul(h ^ b, HASH_STEP)
    }
    if (p < end && buf[p] === 0x22 && p - pos <= TEXT_BYTES) {
      const known = strings.count
      this.#string = strings.internHashed(buf, pos, p, h)
      this.#plain = true
      if (high >= 0x80 && this.#string === known) this.#checkUtf8(pos, p)
      return p + 1
    }
    return this.#oddText(pos, p, eof)
  }

  /** A string with escapes or control characters, or one that the window ends in; `p` is where the quick way ended. */
  #oddText(pos: number, p: number, eof: boolean): number {
    const { buf, end } = this
    let control = 0
    for (; p < end; p++) {
      const b = buf[p] as number
      if (b === 0x22) break
      if (b === 0x5c) p++
      else if (b < 0x20) control++
    }
    if (p - pos > TEXT_BYTES) throw new PickleFault('json-limit', `a text of more than ${TEXT_BYTES} bytes`)
    if (p >= end) {
      if (eof) throw this.#truncated('a text')
      return MORE
    }
    const strings = this.store.strings
    if (this.#scratch.length < p - pos) this.#scratch = new Uint8Array(2 * (p - pos))
    const { length, bad } = unescape(buf, pos, p, this.#scratch)
    const known = strings.count
    this.#string = strings.intern(this.#scratch, 0, length)
    this.#plain = false
    if (this.#string === known) this.#checkUtf8(pos, p)
    if (control > 0) this.#note('control', control)
    if (bad > 0) this.#note('escape', bad)
    return p + 1
  }

  /** Counts distinct texts that are no UTF-8. Escapes are ASCII, so that the bytes in the file tell. */
  #checkUtf8(from: number, to: number): void {
    if (!isUtf8(this.buf.subarray(from, to))) this.#note('utf8', 1)
  }

  #note(what: 'control' | 'escape' | 'utf8', count: number): void {
    this.#notes++
    const f = this.#found.get(what)
    if (f) f.count += count
    else this.#found.set(what, { count, offset: this.offset })
  }

  // ── numbers and words ──

  /** A value that is no string, container or short integer: written to stack slot `slot`. Answers the position after it. */
  #rest(pos: number, eof: boolean, slot: number, c: number, mode: number): number {
    const { buf, end, tags, vals } = this
    for (const [text, tag, value] of WORDS) {
      let k = 0
      while (k < text.length && pos + k < end && buf[pos + k] === text.charCodeAt(k)) k++
      if (k === text.length) {
        tags[slot] = tag
        vals[slot] = value
        return pos + k
      }
      // A minus may begin a number as well; that is seen below.
      if (pos + k === end && k > 0 && !(k === 1 && c === 0x2d)) {
        if (eof) throw this.#truncated('a word')
        return MORE
      }
    }
    if (c !== 0x2d && (c < 48 || c > 57)) throw this.#unexpected(c, mode)
    let p = pos + 1
    let whole = true
    for (; p < end; p++) {
      const b = buf[p] as number
      if (b >= 48 && b <= 57) continue
      if (b !== 0x2e && b !== 0x2b && b !== 0x2d && (b | 32) !== 0x65) break
      whole = false
    }
    if (p - pos > NUMBER_BYTES) throw new PickleFault('json-limit', `a number of more than ${NUMBER_BYTES} digits`)
    if (p === end) {
      if (!eof) return MORE
      // Only a number that is the whole text ends with it.
      if (this.mp > 0) throw this.#truncated('a number')
    }
    const text = String.fromCharCode(...buf.subarray(pos, p))
    if (!/^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(text))
      throw new PickleFault('json-syntax', `'${text.slice(0, 40)}' is no number`)
    if (whole) putBigint(this.store, BigInt(text), tags, vals, slot)
    else {
      const v = Number(text)
      tags[slot] = Number.isSafeInteger(v) ? INT : FLOAT
      vals[slot] = v === 0 ? 0 : v
    }
    return p
  }
}
