/** The second hot part: messages by time into rows, start and stop merged. Plain loops over columns; 64-bit values are halves, never bigints. */
import { FIELD_PREFIX, ROW_INSTANT, ROW_OPEN, ROW_SLICE, ROW_TAIL, STOP_SUFFIX } from '../../shared/system-tables'
import { KEY_COLUMNS, KEY_CORE, KEY_EXEC, KEY_MODEL, KEY_NC_TIME } from './keys'
import { PHASE_START, PHASE_STOP } from './pair'
import { Places } from './places'
import { LISTED, NUMBER, type EventStore } from './store'

/** Columns of a table, with event numbers instead of types and staging ids of texts. */
export interface RawRows {
  readonly count: number
  readonly start: Float64Array
  readonly duration: Float64Array
  readonly state: Uint8Array
  /** Index into `types.numbers`. */
  readonly type: Int32Array
  readonly place: Int32Array
  readonly trackingId: BigUint64Array
  readonly id: BigUint64Array
  readonly parentId: BigUint64Array
  readonly sequence: BigUint64Array
  readonly hasSequence: Uint8Array
  readonly model: BigUint64Array
  readonly exec: BigInt64Array
  readonly ncStart: BigInt64Array
  readonly ncStop: BigInt64Array
  readonly attrStart: Uint32Array
  readonly attrKey: Int32Array
  readonly attrText: Int32Array
  readonly attrNumber: Float64Array
  readonly places: Places
  readonly types: SeenTypes
}

/** What was seen of each event number. */
export interface SeenTypes {
  readonly numbers: readonly number[]
  readonly messages: readonly number[]
  /** 1 for each key that an event of the number has. */
  readonly keys: readonly Uint8Array[]
  /** Hints and how often, at most HINTS. */
  readonly hints: readonly ReadonlyMap<number, number>[]
}

/** Keys that are noted per event number; a file with more is not one of the runtime, and only loses names. */
export const MAX_KEYS = 1024
const MAX_TYPES = 4096
const HINTS = 16
const HIGH = 2 ** 32
/** Upper halves of signed columns are below this: a larger value would read as one below zero. */
const SIGNED = 2 ** 31

const low = (a: BigUint64Array | BigInt64Array): Uint32Array => new Uint32Array(a.buffer, a.byteOffset, 2 * a.length)

function copy(from: Uint32Array, i: number, to: Uint32Array, row: number): void {
  to[2 * row] = from[2 * i] as number
  to[2 * row + 1] = from[2 * i + 1] as number
}

/** Every message of `order` that is not the stop of a pair becomes a row. */
export function makeRows(s: EventStore, order: Uint32Array, partner: Int32Array, matched: number, threads: boolean): RawRows {
  const count = order.length - matched
  const start = new Float64Array(count)
  const duration = new Float64Array(count).fill(NaN)
  const state = new Uint8Array(count)
  const type = new Int32Array(count)
  const place = new Int32Array(count)
  const trackingId = new BigUint64Array(count)
  const id = new BigUint64Array(count)
  const parentId = new BigUint64Array(count)
  const sequence = new BigUint64Array(count)
  const hasSequence = new Uint8Array(count)
  const model = new BigUint64Array(count)
  const exec = new BigInt64Array(count)
  const ncStart = new BigInt64Array(count)
  const ncStop = new BigInt64Array(count)
  const [trackings, ids, parents, sequences] = [low(trackingId), low(id), low(parentId), low(sequence)]
  const [models, execs, ncStarts, ncStops] = [low(model), low(exec), low(ncStart), low(ncStop)]
  for (const a of [execs, ncStarts, ncStops]) a.fill(0xffffffff)
  const attrStart = new Uint32Array(count + 1)
  const out = new Merged(s)
  const places = new Places()
  const types = new Types()
  const { time, phase, nd, nc, thread, tracking, parent, hint, type: numbers, sequence: numbered, hasSequence: has } = s
  const eventIds = s.id
  const { at } = out
  let row = 0
  for (let k = 0; k < order.length; k++) {
    const i = order[k] as number
    const other = partner[i] as number
    const p = phase[i]
    if (other >= 0 && p === PHASE_STOP) continue
    start[row] = time[i] as number
    if (other >= 0) {
      state[row] = ROW_SLICE
      duration[row] = (time[other] as number) - (time[i] as number)
    } else state[row] = p === PHASE_START ? ROW_OPEN : p === PHASE_STOP ? ROW_TAIL : ROW_INSTANT
    const t = types.of(numbers[i] as number)
    type[row] = t
    types.messages[t] = (types.messages[t] as number) + (other >= 0 ? 2 : 1)
    if (hint) {
      types.hint(t, hint[i] as number)
      if (other >= 0) types.hint(t, hint[other] as number)
    }
    copy(tracking, i, trackings, row)
    copy(eventIds, i, ids, row)
    if (parent) copy(parent, i, parents, row)
    if (numbered && has) {
      const from = has[i] === 1 || other < 0 ? i : other
      if (has[from] === 1) {
        copy(numbered, from, sequences, row)
        hasSequence[row] = 1
      }
    }
    attrStart[row] = out.count
    out.row(i, other, types.keys[t] as Uint8Array)
    let core = -1
    if (out.any) {
      // Entries 0 to 3: of the start (or the only message); 4 to 7: of the stop.
      if ((at[KEY_CORE] as number) >= 0 || (at[KEY_COLUMNS + KEY_CORE] as number) >= 0)
        core = smallOf(s, (at[KEY_CORE] as number) >= 0 ? (at[KEY_CORE] as number) : (at[KEY_COLUMNS + KEY_CORE] as number))
      wide(s, at[KEY_MODEL] as number, at[KEY_COLUMNS + KEY_MODEL] as number, models, row, HIGH)
      wide(s, at[KEY_EXEC] as number, at[KEY_COLUMNS + KEY_EXEC] as number, execs, row, SIGNED)
      wide(s, at[KEY_NC_TIME] as number, -1, state[row] === ROW_TAIL ? ncStops : ncStarts, row, SIGNED)
      wide(s, at[KEY_COLUMNS + KEY_NC_TIME] as number, -1, ncStops, row, SIGNED)
    }
    const where = places.of(nd[i] as number, nc[i] as number, core, threads ? (thread[i] as number) : 0)
    place[row] = where
    const from = time[i] as number
    places.add(where, from, other < 0 ? from : (time[other] as number), other < 0 ? 1 : 2, state[row] as number)
    row++
  }
  attrStart[count] = out.count
  return {
    ...{
      count,
      start,
      duration,
      state,
      type,
      place,
      trackingId,
      id,
      parentId,
      sequence,
      hasSequence,
      model,
      exec,
      ncStart,
      ncStop,
      attrStart,
    },
    ...out.take(),
    ...{ places, types },
  }
}

/** A small number at a place of the store's attributes; -1 where it is none. */
const smallOf = (s: EventStore, at: number): number => {
  const v = s.attrText[at] === NUMBER ? (s.attrNumber[at] as number) : -1
  return v < 2 ** 31 ? v : -1
}

/** Writes the attribute at `at`, or else at `or`, as a whole number (decimal or 0x digits) whose upper half is below `limit`; nothing where neither is one. */
function wide(s: EventStore, at: number, or: number, to: Uint32Array, row: number, limit: number): void {
  if (at >= 0 && put(s, at, to, row, limit)) return
  if (or >= 0) put(s, or, to, row, limit)
}

function put(s: EventStore, at: number, to: Uint32Array, row: number, limit: number): boolean {
  const t = s.attrText[at] as number
  if (t === NUMBER) {
    const v = s.attrNumber[at] as number
    to[2 * row] = v % HIGH
    to[2 * row + 1] = Math.floor(v / HIGH)
    return true
  }
  if (t > LISTED) return false // texts that are no digits are not listed
  const k = LISTED - t
  const b = s.list.bytes
  let from = s.list.offsets[k] as number
  const end = s.list.offsets[k + 1] as number
  const base = b[from] === 48 && b[from + 1] === 0x78 ? 16 : 10
  if (base === 16) from += 2
  if (from === end) return false
  let l = 0
  let h = 0
  for (let i = from; i < end; i++) {
    const c = b[i] as number
    const d = c >= 48 && c <= 57 ? c - 48 : base === 16 && c >= 97 && c <= 102 ? c - 87 : base === 16 && c >= 65 && c <= 70 ? c - 55 : -1
    if (d < 0) return false
    l = l * base + d
    const carry = Math.floor(l / HIGH)
    l -= carry * HIGH
    h = h * base + carry
    if (h >= limit) return false
  }
  to[2 * row] = l
  to[2 * row + 1] = h
  return true
}

class Types {
  readonly numbers: number[] = []
  readonly messages: number[] = []
  readonly keys: Uint8Array[] = []
  readonly hints: Map<number, number>[] = []
  readonly #small = new Int32Array(256).fill(-1)
  readonly #index = new Map<number, number>()
  readonly #noKeys = new Uint8Array(MAX_KEYS)

  of(number: number): number {
    const direct = number >= 0 && number < 256
    const found = direct ? (this.#small[number] as number) : (this.#index.get(number) ?? -1)
    if (found >= 0) return found
    const t = this.numbers.length
    this.numbers.push(number)
    this.messages.push(0)
    this.keys.push(t < MAX_TYPES ? new Uint8Array(MAX_KEYS) : this.#noKeys)
    this.hints.push(new Map())
    if (direct) this.#small[number] = t
    else this.#index.set(number, t)
    return t
  }

  hint(t: number, hint: number): void {
    if (hint < 0) return
    const counts = this.hints[t] as Map<number, number>
    const n = counts.get(hint)
    if (n !== undefined || counts.size < HINTS) counts.set(hint, (n ?? 0) + 1)
  }
}

const FIELDS = ['hint', 'status', 'data', 'event_type', 'duration'] as const

/** Writes the attributes of rows: those of the start, then those of the stop that differ. */
class Merged {
  readonly #s: EventStore
  #key: Int32Array
  #text: Int32Array
  #number: Float64Array
  readonly #suffixed = new Map<number, number>()
  readonly #fields: readonly number[]
  readonly #hasFields: boolean
  count = 0
  /** Whether the last row had an attribute that columns are made of. */
  any = false
  /** Places in the store of those of the last row, by key, of start and stop; -1. */
  readonly at = new Int32Array(2 * KEY_COLUMNS).fill(-1)

  constructor(s: EventStore) {
    this.#s = s
    const size = s.attrs + 64
    this.#key = new Int32Array(size)
    this.#text = new Int32Array(size)
    this.#number = new Float64Array(size)
    this.#hasFields = s.hint !== null || s.status !== null || s.data !== null || s.eventType !== null || s.duration !== null
    this.#fields = this.#hasFields ? FIELDS.map(f => s.keys.internText(FIELD_PREFIX + f)) : []
  }

  row(i: number, other: number, seen: Uint8Array): void {
    const s = this.#s
    const from = s.attrStart[i] as number
    const end = s.attrEnd(i)
    const otherFrom = other < 0 ? 0 : (s.attrStart[other] as number)
    const otherEnd = other < 0 ? 0 : s.attrEnd(other)
    if (this.any) {
      this.at.fill(-1)
      this.any = false
    }
    if (from === end && otherFrom === otherEnd && !this.#hasFields) return
    this.#room(end - from + otherEnd - otherFrom + 2 * FIELDS.length)
    const keys = s.attrKey
    const texts = s.attrText
    const numbers = s.attrNumber
    const outKey = this.#key
    const outText = this.#text
    const outNumber = this.#number
    const first = this.count
    let n = first
    for (let a = from; a < end; a++) {
      const k = keys[a] as number
      if (k < KEY_COLUMNS) {
        this.at[k] = a
        this.any = true
      }
      if (k < MAX_KEYS) seen[k] = 1
      outKey[n] = k
      outText[n] = texts[a] as number
      outNumber[n++] = numbers[a] as number
    }
    this.count = n
    if (this.#hasFields) n = this.#fieldsOf(i)
    const until = n
    for (let a = otherFrom; a < otherEnd; a++) {
      let k = keys[a] as number
      if (k < KEY_COLUMNS) {
        this.at[KEY_COLUMNS + k] = a
        this.any = true
      }
      if (k < MAX_KEYS) seen[k] = 1
      let m = first
      while (m < until && outKey[m] !== k) m++
      if (m < until) {
        if (this.#equal(m, texts[a] as number, numbers[a] as number)) continue
        k = this.#suffix(k)
      }
      outKey[n] = k
      outText[n] = texts[a] as number
      outNumber[n++] = numbers[a] as number
    }
    this.count = n
    if (this.#hasFields && other >= 0) this.#stopFields(other, first, until)
  }

  #room(more: number): void {
    if (this.count + more <= this.#key.length) return
    const size = this.count + more + (this.count >>> 1)
    this.#key = longer(this.#key, size)
    this.#text = longer(this.#text, size)
    this.#number = longer(this.#number, size)
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
    // A copy costs more than a little room at the end.
    const cut = <T extends Int32Array | Float64Array>(a: T): T => (count > 0.8 * a.length ? a.subarray(0, count) : a.slice(0, count)) as T
    return { attrKey: cut(this.#key), attrText: cut(this.#text), attrNumber: cut(this.#number) }
  }
}

function longer<T extends Int32Array | Float64Array>(old: T, size: number): T {
  const out = new (old.constructor as new (n: number) => T)(size)
  out.set(old)
  return out
}
