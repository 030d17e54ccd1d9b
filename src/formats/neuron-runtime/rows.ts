/**
 * The second hot part: messages by time into rows, start and stop merged. Plain loops over columns; 64-bit values are halves, never bigints. Rows can be written in several goes,
 * so that messages need not be kept for longer than until the other half has come.
 */
import { ROW_INSTANT, ROW_OPEN, ROW_SLICE, ROW_TAIL } from '../../shared/system-tables'
import { KEY_COLUMNS, KEY_CORE, KEY_EXEC, KEY_MODEL, KEY_NC_TIME } from './keys'
import { MAX_KEYS, Merged } from './merge'
import { PHASE_START, PHASE_STOP } from './pair'
import { Places } from './places'
import { cut, LISTED, NUMBER, resized, type EventStore } from './store'

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

const MAX_TYPES = 4096
const HINTS = 16
const HIGH = 2 ** 32
/** Upper halves of signed columns are below this: a larger value would read as one below zero. */
const SIGNED = 2 ** 31
const NONE = 0xffffffff
const NO_THREADS = new Float64Array(1)
/** `partner` of a stop whose slice is written. */
const WRITTEN = -2

const bigints = (halves: Uint32Array<ArrayBuffer>): BigUint64Array =>
  new BigUint64Array(halves.buffer, halves.byteOffset, halves.length / 2)
const signed = (halves: Uint32Array<ArrayBuffer>): BigInt64Array => new BigInt64Array(halves.buffer, halves.byteOffset, halves.length / 2)

/** Every message that is not the stop of a pair becomes a row. */
export class RowWriter {
  readonly #s: EventStore
  readonly #threads: boolean
  readonly #out: Merged
  readonly #places = new Places()
  readonly #types = new Types()
  /** Rows that there is room for. */
  size = 0
  count = 0
  #start = new Float64Array(0)
  #duration = new Float64Array(0)
  #state = new Uint8Array(0)
  #type = new Int32Array(0)
  #place = new Int32Array(0)
  #hasSequence = new Uint8Array(0)
  #attrStart = new Uint32Array(1)
  // 64-bit columns as halves.
  #tracking = new Uint32Array(0)
  #id = new Uint32Array(0)
  #parent = new Uint32Array(0)
  #sequence = new Uint32Array(0)
  #model = new Uint32Array(0)
  #exec = new Uint32Array(0)
  #ncStart = new Uint32Array(0)
  #ncStop = new Uint32Array(0)

  /** `threads`: whether the thread ids are used. */
  constructor(s: EventStore, threads: boolean) {
    this.#s = s
    this.#threads = threads
    this.#out = new Merged(s)
  }

  /** Attributes of the rows. */
  get attributes(): { readonly count: number; readonly size: number } {
    return this.#out
  }

  /** Makes room for so many rows and attributes in all. */
  reserve(rows: number, attributes: number): void {
    this.#out.reserve(attributes)
    const size = rows
    if (size <= this.size) return
    this.size = size
    const n = this.count
    this.#start = resized(this.#start, size, n)
    this.#duration = resized(this.#duration, size, n)
    this.#state = resized(this.#state, size, n)
    this.#type = resized(this.#type, size, n)
    this.#place = resized(this.#place, size, n)
    this.#hasSequence = resized(this.#hasSequence, size, n)
    this.#attrStart = resized(this.#attrStart, size + 1, n + 1)
    this.#tracking = resized(this.#tracking, 2 * size, 2 * n)
    this.#id = resized(this.#id, 2 * size, 2 * n)
    this.#parent = resized(this.#parent, 2 * size, 2 * n)
    this.#sequence = resized(this.#sequence, 2 * size, 2 * n)
    this.#model = resized(this.#model, 2 * size, 2 * n)
    this.#exec = resized(this.#exec, 2 * size, 2 * n)
    this.#ncStart = resized(this.#ncStart, 2 * size, 2 * n)
    this.#ncStop = resized(this.#ncStop, 2 * size, 2 * n)
  }

  /**
   * Writes messages `order[from .. to)`, for whose rows there must be room, or where `order` is null messages `from` to `to` except those without a time. `hold`: ends before the
   * first start that has no stop yet. Answers where it ended.
   */
  write(order: Uint32Array | null, from: number, to: number, partner: Int32Array, hold: boolean): number {
    const s = this.#s
    // A row for each message at most. Who hands over all messages at once knows how many rows they make, and has made room.
    const need = this.count + to - from
    if (order === null && need > this.size) this.reserve(Math.max(need, this.size + (this.size >>> 1)), 0)
    const [start, duration, state, type, place] = [this.#start, this.#duration, this.#state, this.#type, this.#place]
    const [trackings, ids, parents, sequences, hasSequence] = [this.#tracking, this.#id, this.#parent, this.#sequence, this.#hasSequence]
    const [models, execs, ncStarts, ncStops, attrStart] = [this.#model, this.#exec, this.#ncStart, this.#ncStop, this.#attrStart]
    const out = this.#out
    out.begin()
    const places = this.#places
    const types = this.#types
    const threads = this.#threads
    const { time, phase, nd, nc, thread, tracking, parent, hint, type: numbers, sequence: numbered, hasSequence: has } = s
    const eventIds = s.id
    const { at } = out
    let row = this.count
    let k = from
    for (; k < to; k++) {
      const i = order === null ? k : (order[k] as number)
      const other = partner[i] as number
      const p = phase[i]
      if (other !== -1 && p === PHASE_STOP) continue
      const begin = time[i] as number
      if (begin !== begin) continue
      let end = begin
      let is = ROW_INSTANT
      if (other >= 0) {
        end = time[other] as number
        partner[other] = WRITTEN
        is = ROW_SLICE
      } else if (p === PHASE_START) {
        if (hold) break
        is = ROW_OPEN
      } else if (p === PHASE_STOP) is = ROW_TAIL
      start[row] = begin
      state[row] = is
      duration[row] = other >= 0 ? end - begin : NaN
      const t = types.of(numbers[i] as number)
      type[row] = t
      types.messages[t] = (types.messages[t] as number) + (other >= 0 ? 2 : 1)
      if (hint) {
        types.hint(t, hint[i] as number)
        if (other >= 0) types.hint(t, hint[other] as number)
      }
      const low = 2 * row
      const high = low + 1
      trackings[low] = tracking[2 * i] as number
      trackings[high] = tracking[2 * i + 1] as number
      ids[low] = eventIds[2 * i] as number
      ids[high] = eventIds[2 * i + 1] as number
      if (parent) {
        parents[low] = parent[2 * i] as number
        parents[high] = parent[2 * i + 1] as number
      }
      if (numbered && has) {
        const told = has[i] === 1 || other < 0 ? i : other
        if (has[told] === 1) {
          sequences[low] = numbered[2 * told] as number
          sequences[high] = numbered[2 * told + 1] as number
          hasSequence[row] = 1
        }
      }
      execs[low] = execs[high] = ncStarts[low] = ncStarts[high] = ncStops[low] = ncStops[high] = NONE
      attrStart[row] = out.count
      out.row(i, other, types.keys[t] as Uint8Array)
      let core = -1
      if (out.any) {
        // Entries 0 to 3: of the start (or the only message); 4 to 7: of the stop.
        const mine = at[KEY_CORE] as number
        if (mine >= 0 || (at[KEY_COLUMNS + KEY_CORE] as number) >= 0)
          core = smallOf(s, mine >= 0 ? mine : (at[KEY_COLUMNS + KEY_CORE] as number))
        wide(s, at[KEY_MODEL] as number, at[KEY_COLUMNS + KEY_MODEL] as number, models, row, HIGH)
        wide(s, at[KEY_EXEC] as number, at[KEY_COLUMNS + KEY_EXEC] as number, execs, row, SIGNED)
        wide(s, at[KEY_NC_TIME] as number, -1, is === ROW_TAIL ? ncStops : ncStarts, row, SIGNED)
        wide(s, at[KEY_COLUMNS + KEY_NC_TIME] as number, -1, ncStops, row, SIGNED)
      }
      const where = places.of(nd[i] as number, nc[i] as number, core, threads ? thread : NO_THREADS, threads ? i : 0)
      place[row] = where
      places.add(where, time, i, other < 0 ? i : other, other < 0 ? 1 : 2, is)
      row++
    }
    this.count = row
    attrStart[row] = out.count
    return k
  }

  take(): RawRows {
    const n = this.count
    return {
      count: n,
      start: cut(this.#start, n),
      duration: cut(this.#duration, n),
      state: cut(this.#state, n),
      type: cut(this.#type, n),
      place: cut(this.#place, n),
      trackingId: bigints(cut(this.#tracking, 2 * n)),
      id: bigints(cut(this.#id, 2 * n)),
      parentId: bigints(cut(this.#parent, 2 * n)),
      sequence: bigints(cut(this.#sequence, 2 * n)),
      hasSequence: cut(this.#hasSequence, n),
      model: bigints(cut(this.#model, 2 * n)),
      exec: signed(cut(this.#exec, 2 * n)),
      ncStart: signed(cut(this.#ncStart, 2 * n)),
      ncStop: signed(cut(this.#ncStop, 2 * n)),
      attrStart: cut(this.#attrStart, n + 1),
      ...this.#out.take(),
      places: this.#places,
      types: this.#types,
    }
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
    const high = Math.floor(v / HIGH)
    to[2 * row] = v - high * HIGH
    to[2 * row + 1] = high
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
