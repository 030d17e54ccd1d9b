/** Attributes of rows: those of the start, then those of the stop that differ. Part of the second hot part, see rows.ts. */
import { FIELD_PREFIX, STOP_SUFFIX } from '../../shared/system-tables'
import { KEY_COLUMNS } from './keys'
import { cut, LISTED, NUMBER, resized, type EventStore } from './store'

/** Keys that are noted per event number; a file with more is not one of the runtime, and only loses names. */
export const MAX_KEYS = 1024
const HIGH = 2 ** 32

const FIELDS = ['hint', 'status', 'data', 'event_type', 'duration'] as const

/** Writes the attributes of rows one after the other. */
export class Merged {
  readonly #s: EventStore
  #key = new Int32Array(256)
  #text = new Int32Array(256)
  #number = new Float64Array(256)
  readonly #suffixed = new Map<number, number>()
  /** Keys of fields that are no attributes; empty as long as no message has any. */
  #fields: readonly number[] = []
  /** By key: where the latest start that has it has it first; -1. */
  #places = new Int32Array(256).fill(-1)
  count = 0
  /** Whether the last row had an attribute that columns are made of. */
  any = false
  /** Places in the store of those of the last row, by key, of start and stop; -1. */
  readonly at = new Int32Array(2 * KEY_COLUMNS).fill(-1)

  constructor(s: EventStore) {
    this.#s = s
  }

  /** Attributes that there is room for. */
  get size(): number {
    return this.#key.length
  }

  /** Makes room for so many attributes in all. */
  reserve(count: number): void {
    if (count <= this.#key.length) return
    this.#key = resized(this.#key, count, this.count)
    this.#text = resized(this.#text, count, this.count)
    this.#number = resized(this.#number, count, this.count)
  }

  /** To be called before rows of messages that have come since. */
  begin(): void {
    const s = this.#s
    if (this.#fields.length === 0 && (s.hint ?? s.status ?? s.data ?? s.eventType ?? s.duration) !== null)
      this.#fields = FIELDS.map(f => s.keys.internText(FIELD_PREFIX + f))
    if (s.keys.count > this.#places.length) this.#places = resized(this.#places, 2 * s.keys.count, this.#places.length, -1)
  }

  /** Attributes of the next row: of message `i` and, where `other` is not below 0, of its stop. Notes the keys in `seen`. */
  row(i: number, other: number, seen: Uint8Array): void {
    const s = this.#s
    const from = s.attrStart[i] as number
    const end = s.attrEnd(i)
    const otherFrom = other < 0 ? 0 : (s.attrStart[other] as number)
    const otherEnd = other < 0 ? 0 : s.attrEnd(other)
    const columns = this.at
    if (this.any) {
      for (let k = 0; k < 2 * KEY_COLUMNS; k++) columns[k] = -1
      this.any = false
    }
    const hasFields = this.#fields.length > 0
    if (from === end && otherFrom === otherEnd && !hasFields) return
    const need = this.count + end - from + otherEnd - otherFrom + 2 * FIELDS.length
    if (need > this.#key.length) this.reserve(need + (need >>> 1))
    const keys = s.attrKey
    const texts = s.attrText
    const numbers = s.attrNumber
    const outKey = this.#key
    const outText = this.#text
    const outNumber = this.#number
    const places = this.#places
    const first = this.count
    let n = first
    for (let a = from; a < end; a++) {
      const k = keys[a] as number
      if (k < KEY_COLUMNS) {
        columns[k] = a
        this.any = true
      }
      if (k < MAX_KEYS) seen[k] = 1
      // Those of rows before are less.
      if ((places[k] as number) < first) places[k] = n
      outKey[n] = k
      outText[n] = texts[a] as number
      outNumber[n++] = numbers[a] as number
    }
    this.count = n
    if (hasFields) {
      const own = n
      n = this.#fieldsOf(i)
      for (let a = own; a < n; a++) if ((places[outKey[a] as number] as number) < first) places[outKey[a] as number] = a
    }
    const until = n
    for (let a = otherFrom; a < otherEnd; a++) {
      let k = keys[a] as number
      if (k < KEY_COLUMNS) {
        columns[KEY_COLUMNS + k] = a
        this.any = true
      }
      if (k < MAX_KEYS) seen[k] = 1
      const m = places[k] as number
      if (m >= first) {
        if (this.#equal(m, texts[a] as number, numbers[a] as number)) continue
        k = this.#suffix(k)
      }
      outKey[n] = k
      outText[n] = texts[a] as number
      outNumber[n++] = numbers[a] as number
    }
    this.count = n
    if (hasFields && other >= 0) this.#stopFields(other, first, until)
  }

  #equal(at: number, text: number, number: number): boolean {
    const mine = this.#text[at] as number
    if (mine === NUMBER) return text === NUMBER && this.#number[at] === number
    if (mine > LISTED || text > LISTED) return mine === text
    const { bytes, offsets } = this.#s.list
    const [a, b] = [offsets[LISTED - mine] as number, offsets[LISTED - text] as number]
    const length = (offsets[LISTED - mine + 1] as number) - a
    if ((offsets[LISTED - text + 1] as number) - b !== length) return false
    for (let k = 0; k < length; k++) if (bytes[a + k] !== bytes[b + k]) return false
    return true
  }

  #suffix(key: number): number {
    let id = this.#suffixed.get(key)
    if (id === undefined) this.#suffixed.set(key, (id = this.#s.keys.internText(this.#s.keys.text(key) + STOP_SUFFIX)))
    return id
  }

  // ── fields that are no attributes ──

  /** Fields of the stop that the start has not, or has otherwise. */
  #stopFields(other: number, first: number, until: number): void {
    const mine = this.count
    this.#fieldsOf(other)
    let n = mine
    for (let a = mine; a < this.count; a++) {
      const k = this.#key[a] as number
      let m = first
      while (m < until && this.#key[m] !== k) m++
      if (m < until && this.#equal(m, this.#text[a] as number, this.#number[a] as number)) continue
      this.#key[n] = m < until ? this.#suffix(k) : k
      this.#text[n] = this.#text[a] as number
      this.#number[n++] = this.#number[a] as number
    }
    this.count = n
  }

  #fieldsOf(i: number): number {
    const { hint, status, data, eventType, duration } = this.#s
    if (hint && (hint[i] as number) >= 0) this.#put(this.#fields[0] as number, hint[i] as number, NaN)
    if (status) this.#number64(this.#fields[1] as number, status, i)
    if (data) this.#number64(this.#fields[2] as number, data, i)
    if (eventType) this.#number64(this.#fields[3] as number, eventType, i)
    if (duration) this.#number64(this.#fields[4] as number, duration, i)
    return this.count
  }

  #number64(key: number, h: Uint32Array, i: number): void {
    const l = h[2 * i] as number
    const high = h[2 * i + 1] as number
    if (l === 0 && high === 0) return
    if (high < 2 ** 21) return this.#put(key, NUMBER, high * HIGH + l)
    const text = new TextEncoder().encode(String((BigInt(high) << 32n) | BigInt(l)))
    this.#put(key, LISTED - this.#s.list.add(text, 0, text.length), NaN)
  }

  #put(key: number, text: number, number: number): void {
    const at = this.count++
    this.#key[at] = key
    this.#text[at] = text
    this.#number[at] = number
  }

  take(): { readonly attrKey: Int32Array; readonly attrText: Int32Array; readonly attrNumber: Float64Array } {
    const { count } = this
    return { attrKey: cut(this.#key, count), attrText: cut(this.#text, count), attrNumber: cut(this.#number, count) }
  }
}
