/** Attributes of rows while a table is built: any row at any time; laid out row by row at the end. */
import { ATTR_NUMBER, STOP_SUFFIX } from '../../shared/system-tables'
import type { StringPool } from '../chrome-trace/strings'
import { f64, i32, u8 } from './grow'

/** Beyond these attributes are left out and counted, texts are cut. */
export const ATTRIBUTE_LIMITS = {
  perRow: 250,
  all: 150_000_000,
  keys: 10_000,
  /** Characters of a text. */
  text: 64 * 1024,
  /** Characters of all distinct texts. */
  texts: 1024 * 1024 * 1024,
} as const

const PLAIN = /^(0|[1-9]\d{0,15})$/
/** Texts whose numbers are remembered, so that frequent ones need not be encoded again. */
const REMEMBERED = 50_000

export class Attributes {
  /** Attributes that were left out, and texts that were cut. */
  left = 0
  cut = 0
  readonly #strings: StringPool
  readonly #count = u8()
  /** Last attribute of each row; each attribute names the one before it. */
  readonly #last = i32(-1)
  readonly #before = i32(-1)
  readonly #key = i32(-1)
  readonly #text = i32(-1)
  readonly #number = f64(NaN)
  #n = 0
  #chars = 0
  readonly #keys = new Map<string, number>()
  readonly #texts = new Map<string, number>()

  constructor(strings: StringPool) {
    this.#strings = strings
  }

  room(rows: number): void {
    this.#count.room(rows)
    this.#last.room(rows)
  }

  /** `stop`: of the second half of a slice. A key that the row has already with the same value is not repeated then, with another one it gets STOP_SUFFIX. */
  add(row: number, key: string, text: string, stop: boolean): void {
    let keyId = this.#keyId(key)
    if (
      keyId < 0 ||
      this.#count.a[row] >= ATTRIBUTE_LIMITS.perRow ||
      this.#n >= ATTRIBUTE_LIMITS.all ||
      this.#chars > ATTRIBUTE_LIMITS.texts
    ) {
      this.left++
      return
    }
    const number = PLAIN.test(text) ? Number(text) : NaN
    const plain = number <= Number.MAX_SAFE_INTEGER
    const id = plain ? ATTR_NUMBER : this.#textId(text)
    if (stop) {
      const first = this.#find(row, keyId)
      if (first >= 0) {
        if (this.#text.a[first] === id && (!plain || this.#number.a[first] === number)) return
        keyId = this.#keyId(key + STOP_SUFFIX)
        if (keyId < 0) {
          this.left++
          return
        }
      }
    }
    const at = this.#n++
    for (const c of [this.#before, this.#key, this.#text, this.#number]) c.room(this.#n)
    this.#before.a[at] = this.#last.a[row]
    this.#key.a[at] = keyId
    this.#text.a[at] = id
    if (plain) this.#number.a[at] = number
    this.#last.a[row] = at
    this.#count.a[row]++
  }

  /** Number of a text in the string table. */
  text(text: string): number {
    let id = this.#texts.get(text)
    if (id !== undefined) return id
    const known = this.#strings.count
    id = this.#strings.internText(text)
    if (this.#strings.count > known) this.#chars += text.length
    if (this.#texts.size >= REMEMBERED) this.#texts.clear()
    this.#texts.set(text, id)
    return id
  }

  #textId(text: string): number {
    if (text.length <= ATTRIBUTE_LIMITS.text) return this.text(text)
    this.cut++
    return this.text(text.slice(0, ATTRIBUTE_LIMITS.text) + '…')
  }

  #keyId(key: string): number {
    let id = this.#keys.get(key)
    if (id !== undefined) return id
    if (this.#keys.size >= ATTRIBUTE_LIMITS.keys || key.length > 1024) return -1
    id = this.#strings.internText(key)
    this.#keys.set(key, id)
    return id
  }

  #find(row: number, key: number): number {
    let at = this.#last.a[row]
    while (at >= 0 && this.#key.a[at] !== key) at = this.#before.a[at]
    return at
  }

  /** The columns of a SystemTable for these rows, in this order. */
  layOut(rows: Uint32Array): { attrStart: Uint32Array; attrKey: Int32Array; attrText: Int32Array; attrNumber: Float64Array } {
    const attrStart = new Uint32Array(rows.length + 1)
    for (let i = 0; i < rows.length; i++) attrStart[i + 1] = attrStart[i] + this.#count.a[rows[i]]
    const n = attrStart[rows.length]
    const attrKey = new Int32Array(n)
    const attrText = new Int32Array(n)
    const attrNumber = new Float64Array(n)
    for (let i = 0; i < rows.length; i++) {
      let to = attrStart[i + 1]
      for (let at = this.#last.a[rows[i]]; at >= 0; at = this.#before.a[at]) {
        to--
        attrKey[to] = this.#key.a[at]
        attrText[to] = this.#text.a[at]
        attrNumber[to] = this.#number.a[at]
      }
    }
    return { attrStart, attrKey, attrText, attrNumber }
  }
}
