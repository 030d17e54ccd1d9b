/**
 * The page that `trace_plot`, `segment_plot` and `profile_plot` of torch/cuda/_memory_viz.py write:
 *
 *     const local_files = [{"name": "snapshot.pickle", "base64": "gASV..."}]
 *
 * Only this list is looked for and taken apart; nothing of the page is executed, loaded or kept. The first file of the list is decoded as the page streams by.
 */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { hex4 } from '../json/escapes'
import { Base64 } from './base64'

const MARK = 'local_files'
const LETTERS = [...MARK].map(c => c.charCodeAt(0))
const NAME_BYTES = 1024
const MOST_NAMES = 20
const DATA_URL_BYTES = 1024

// Where in the page the reader is.
const SEEK = 0
const BEFORE_EQUALS = 1
const BEFORE_LIST = 2
/** In the list, before a file, a comma or its end. */
const IN_LIST = 3
/** In a file, before a key, a comma or its end. */
const IN_FILE = 4
const IN_KEY = 5
const IN_BARE_KEY = 6
const BEFORE_COLON = 7
const BEFORE_VALUE = 8
/** In a string that is collected (`name`) or passed over. */
const IN_STRING = 9
/** In a value that is no string, at some depth of brackets. */
const IN_OTHER = 10
/** In the base64 of the first file. */
const PAYLOAD = 11
const DONE = 12
const BROKEN = 13

const isSpace = (c: number): boolean => c === 0x20 || (c >= 0x09 && c <= 0x0d)
const isWord = (c: number): boolean => (c >= 48 && c <= 57) || (c >= 65 && c <= 90) || (c >= 97 && c <= 122) || c === 0x5f || c === 0x24
const isQuote = (c: number): boolean => c === 0x22 || c === 0x27 || c === 0x60

export class SnapshotPage {
  /** Name of the file that is decoded, as the page gives it; '' where it gives none. */
  name = ''
  /** True once the base64 of the first file has begun. */
  found = false

  readonly #sink: DiagnosticSink
  readonly #base64 = new Base64()
  #state = SEEK
  /** Offset in the page of the chunk at hand. */
  #base = 0
  #matched = 0
  #last = 0
  #quote = 0
  /** Characters of an escape that is not whole yet. */
  #escape = ''
  #key = ''
  #text: number[] = []
  #depth = 0
  #inner = 0
  /** The first characters of the base64, held back until they are known to be none of `data:`. */
  #start = ''
  #started = false
  #dataUrl = false
  #files = 0
  /** Name of the file at hand. */
  #fileName = ''
  #isFirst = false
  readonly #others: string[] = []

  constructor(sink: DiagnosticSink) {
    this.#sink = sink
  }

  /** Takes the next bytes of the page; answers the decoded bytes that they give, valid until the next call. */
  push(chunk: Uint8Array): Uint8Array {
    this.#base64.clear()
    for (let i = 0; i < chunk.length;) i = this.#step(chunk, i)
    this.#base += chunk.length
    return this.#base64.out.subarray(0, this.#base64.length)
  }

  /** The page has ended: tells what is missing. Answers the bytes that were still held back. */
  finish(): Uint8Array {
    this.#base64.clear()
    if (this.#state === PAYLOAD) {
      if (!this.#started && !this.#dataUrl) this.#feedStart()
      this.#base64.finish()
      this.#tell(
        'html-truncated',
        'warning',
        this.#base,
        'The page ends inside the base64 of its snapshot.',
        'What was decoded before that place is used.',
      )
    } else if (this.#state === SEEK || this.#state === BEFORE_EQUALS || this.#state === BEFORE_LIST)
      this.#tell('html-no-snapshot', 'error', null, 'The page holds no list `local_files` with a snapshot.', 'There is nothing to show.')
    else if (this.#state !== DONE && this.#state !== BROKEN)
      this.#tell(
        'html-truncated',
        this.found ? 'warning' : 'error',
        this.#base,
        'The page ends inside its list of files.',
        this.found ? `The snapshot${this.#named} is whole; further ones may be missing.` : 'There is nothing to show.',
      )
    else if (!this.found && this.#state === DONE)
      this.#tell(
        'html-no-snapshot',
        'error',
        null,
        'The list `local_files` of the page holds no file with base64.',
        'There is nothing to show.',
      )
    const more = this.#files - (this.found ? 1 : 0)
    if (this.found && more > 0) {
      const names = this.#others.map(n => `'${n}'`).join(', ')
      this.#sink.add({
        severity: 'info',
        code: 'html-more-files',
        message: `The page holds ${more} more ${more === 1 ? 'file' : 'files'}: ${names}${more > this.#others.length ? ', …' : ''}.`,
        meaning: `Only the first one${this.#named} is shown.`,
        action: 'Make a page of each snapshot, or open the snapshots themselves.',
        count: more,
      })
    }
    return this.#base64.out.subarray(0, this.#base64.length)
  }

  get #named(): string {
    return this.name === '' ? '' : `, '${this.name}',`
  }

  // ── one step: a byte, or a run of them ──

  #step(b: Uint8Array, i: number): number {
    const c = b[i] as number
    switch (this.#state) {
      case SEEK: {
        for (; i < b.length; i++) {
          const d = b[i] as number
          if (d === LETTERS[this.#matched]) {
            if (this.#matched > 0 || !isWord(this.#last)) this.#matched++
          } else this.#matched = d === LETTERS[0] && !isWord(this.#last) ? 1 : 0
          this.#last = d
          if (this.#matched === LETTERS.length) {
            this.#matched = 0
            this.#state = BEFORE_EQUALS
            return i + 1
          }
        }
        return i
      }
      case BEFORE_EQUALS:
      case BEFORE_LIST:
        if (isSpace(c)) return i + 1
        if (c === (this.#state === BEFORE_EQUALS ? 0x3d : 0x5b)) {
          this.#state = this.#state === BEFORE_EQUALS ? BEFORE_LIST : IN_LIST
          return i + 1
        }
        this.#last = 0x5f
        this.#state = SEEK
        return i
      case IN_LIST:
        if (isSpace(c) || c === 0x2c) return i + 1
        if (c === 0x5d) this.#state = DONE
        else if (c === 0x7b) {
          this.#files++
          this.#fileName = ''
          this.#isFirst = false
          this.#state = IN_FILE
        } else return this.#broken(i, c)
        return i + 1
      case IN_FILE:
        if (isSpace(c) || c === 0x2c) return i + 1
        if (c === 0x7d) {
          this.#endFile()
          this.#state = IN_LIST
          return i + 1
        }
        if (isQuote(c)) {
          this.#begin(c, IN_KEY)
          return i + 1
        }
        if (!isWord(c)) return this.#broken(i, c)
        this.#begin(0, IN_BARE_KEY)
        return i
      case IN_BARE_KEY:
        if (isWord(c)) {
          this.#collect(c)
          return i + 1
        }
        this.#key = this.#collected()
        this.#state = BEFORE_COLON
        return i
      case BEFORE_COLON:
        if (isSpace(c)) return i + 1
        if (c !== 0x3a) return this.#broken(i, c)
        this.#state = BEFORE_VALUE
        return i + 1
      case BEFORE_VALUE:
        if (isSpace(c)) return i + 1
        return this.#value(i, c)
      case IN_KEY:
      case IN_STRING:
        return this.#inString(b, i)
      case IN_OTHER:
        if (this.#inner !== 0) {
          if (this.#escape !== '') this.#escape = ''
          else if (c === 0x5c) this.#escape = '\\'
          else if (c === this.#inner) this.#inner = 0
        } else if (isQuote(c)) this.#inner = c
        else if (c === 0x7b || c === 0x5b) this.#depth++
        else if (this.#depth === 0 && (c === 0x2c || c === 0x7d)) {
          this.#state = IN_FILE
          return i
        } else if (c === 0x7d || c === 0x5d) this.#depth--
        return i + 1
      case PAYLOAD:
        return this.#payload(b, i)
      default:
        return b.length
    }
  }

  #begin(quote: number, state: number): void {
    this.#quote = quote
    this.#escape = ''
    this.#text = []
    this.#state = state
  }

  #collect(c: number): void {
    if (this.#text.length < NAME_BYTES) this.#text.push(c)
  }
  #collected(): string {
    return new TextDecoder().decode(Uint8Array.from(this.#text))
  }

  #value(i: number, c: number): number {
    if (!isQuote(c)) {
      this.#depth = 0
      this.#inner = 0
      this.#escape = ''
      this.#state = IN_OTHER
      return i
    }
    this.#begin(c, IN_STRING)
    if (this.#key === 'base64' && !this.found) {
      this.found = true
      this.#isFirst = true
      this.name = this.#fileName
      this.#state = PAYLOAD
    }
    return i + 1
  }

  /** A key, a name, or a string that is passed over. */
  #inString(b: Uint8Array, i: number): number {
    const keep = this.#state === IN_KEY || this.#key === 'name'
    for (; i < b.length; i++) {
      const c = b[i] as number
      if (this.#escape !== '') {
        this.#escape += String.fromCharCode(c)
        const plain = unescaped(this.#escape)
        if (plain !== null) {
          this.#escape = ''
          if (keep) for (const u of plain) this.#collect(u)
        }
      } else if (c === 0x5c) this.#escape = '\\'
      else if (c === this.#quote) {
        if (this.#state === IN_KEY) {
          this.#key = this.#collected()
          this.#state = BEFORE_COLON
        } else {
          if (keep) this.#fileName = this.#collected()
          this.#state = IN_FILE
        }
        return i + 1
      } else if (keep) this.#collect(c)
    }
    return i
  }

  #endFile(): void {
    if (this.#isFirst) this.name = this.#fileName
    else if (this.#others.length < MOST_NAMES)
      this.#others.push(this.#fileName === '' ? 'a file without a name' : this.#fileName.slice(0, 120))
  }

  // ── base64 ──

  #payload(b: Uint8Array, i: number): number {
    const c = b[i] as number
    if (this.#escape !== '') {
      this.#escape += String.fromCharCode(c)
      const plain = unescaped(this.#escape)
      if (plain === null) return i + 1
      this.#escape = ''
      for (const u of plain) if (!this.#take(u)) return this.#wrong(i, u)
      return i + 1
    }
    if (c === this.#quote) return this.#endPayload(i)
    if (c === 0x5c) {
      this.#escape = '\\'
      return i + 1
    }
    if (!this.#started || this.#dataUrl) return this.#take(c) ? i + 1 : this.#wrong(i, c)
    const stop = this.#base64.push(b, i, b.length)
    if (stop === b.length) return stop
    const d = b[stop] as number
    return d === this.#quote || d === 0x5c ? stop : this.#wrong(stop, d)
  }

  /** One character of the payload, after escapes. */
  #take(c: number): boolean {
    if (this.#dataUrl) {
      if (c !== 0x2c) {
        if (this.#start.length >= DATA_URL_BYTES) return false
        this.#start += String.fromCharCode(c)
        return true
      }
      // Without `;base64` the rest is text with percent signs.
      if (!/;\s*base64\s*$/i.test(this.#start)) return false
      this.#dataUrl = false
      this.#started = true
      return true
    }
    if (!this.#started) {
      if (this.#start === '' && isSpace(c)) return true
      this.#start += String.fromCharCode(c)
      if (this.#start.toLowerCase() === 'data:') {
        this.#dataUrl = true
        return true
      }
      if ('data:'.startsWith(this.#start.toLowerCase())) return true
      return this.#feedStart()
    }
    return this.#base64.push(Uint8Array.of(c), 0, 1) === 1
  }

  #feedStart(): boolean {
    this.#started = true
    const held = Buffer.from(this.#start, 'latin1')
    return this.#base64.push(held, 0, held.length) === held.length
  }

  #endPayload(i: number): number {
    const whole = (this.#started || this.#feedStart()) && !this.#dataUrl && this.#base64.finish()
    this.#state = IN_FILE
    if (!whole)
      this.#tell(
        'html-base64',
        'warning',
        this.#base + i,
        'The base64 of the snapshot ends in the middle of a byte.',
        'What was decoded before that place is used.',
      )
    return i + 1
  }

  #wrong(i: number, c: number): number {
    const percent = this.#dataUrl ? 'The data URL of the snapshot is no base64.' : `${shown(c)} stands in the base64 of the snapshot.`
    this.#tell(
      'html-base64',
      'error',
      this.#base + i,
      percent,
      'What was decoded before that place is used; what follows it in the page is not read.',
    )
    this.#state = BROKEN
    return i
  }

  #broken(i: number, c: number): number {
    this.#tell(
      'html-list',
      this.found ? 'warning' : 'error',
      this.#base + i,
      `${shown(c)} stands in the list \`local_files\` where it is not expected.`,
      this.found ? 'The snapshot before that place is used; what follows it in the page is not read.' : 'Nothing of this page can be read.',
    )
    this.#state = BROKEN
    return i
  }

  #tell(code: string, severity: 'warning' | 'error', offset: number | null, message: string, meaning: string): void {
    this.#sink.add({
      severity,
      code,
      offset,
      message,
      meaning,
      action:
        code === 'html-truncated' || code === 'html-base64'
          ? 'Copy the page again, or open the snapshot that it was made from.'
          : 'Open a page that trace_plot, segment_plot or profile_plot of torch.cuda._memory_viz has written, or the snapshot itself.',
    })
  }
}

const shown = (c: number): string => (c > 0x20 && c < 0x7f ? `'${String.fromCharCode(c)}'` : `Byte 0x${c.toString(16).padStart(2, '0')}`)

/** UTF-8 bytes of an escape of JavaScript that begins with a backslash; null while it is not whole. */
function unescaped(escape: string): readonly number[] | null {
  if (escape.length < 2) return null
  if (escape[1] === 'u') {
    if (escape.length < 6) return null
    const code = hex4(Buffer.from(escape, 'latin1'), 2, 6)
    return [...Buffer.from(code < 0 ? '\ufffd' : String.fromCharCode(code))]
  }
  const at = 'bfnrt'.indexOf(escape[1] as string)
  return [at >= 0 ? ([8, 12, 10, 13, 9][at] as number) : escape.charCodeAt(1)]
}
