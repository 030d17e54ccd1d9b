/** From decoded messages to the table: rows, merged attributes, names, places, cores. */
import {
  ATTR_NUMBER,
  FIELD_PREFIX,
  NAME_FROM,
  ROW_INSTANT,
  ROW_OPEN,
  ROW_SLICE,
  ROW_TAIL,
  STOP_SUFFIX,
  type SystemCore,
  type SystemPlaces,
  type SystemTypes,
} from '../../shared/system-tables'
import type { StringTable } from '../../shared/columns'
import type { Role } from './description'
import { nameTypes, type NamedType, type SeenType } from './names'
import { orderByTime } from './order'
import { pairMessages, PHASE_START, PHASE_STOP, type Pairs } from './pair'
import { attributeAt, LISTED, NUMBER, type EventStore } from './store'

/** The columns of a SystemTable that come from messages. */
export interface BuiltRows {
  readonly count: number
  readonly start: Float64Array
  readonly duration: Float64Array
  readonly state: Uint8Array
  readonly type: Int32Array
  readonly place: Int32Array
  readonly trackingId: BigUint64Array
  readonly id: BigUint64Array
  readonly parentId: BigUint64Array
  readonly sequence: BigUint64Array
  readonly hasSequence: Uint8Array
  readonly model: BigUint64Array
  readonly modelName: Int32Array
  readonly exec: BigInt64Array
  readonly ncStart: BigInt64Array
  readonly ncStop: BigInt64Array
  readonly attrStart: Uint32Array
  readonly attrKey: Int32Array
  readonly attrText: Int32Array
  readonly attrNumber: Float64Array
  readonly strings: StringTable
  readonly types: SystemTypes
  readonly places: SystemPlaces
  readonly cores: readonly SystemCore[]
  readonly range: readonly [number, number] | null
}

export interface Built {
  readonly rows: BuiltRows
  readonly pairs: Pairs
  readonly named: readonly NamedType[]
  readonly instants: number
}

/** Sets of keys are kept for this many event numbers and keys; a file with more is not one of the runtime, and only loses names. */
const MAX_TYPES = 4096
const MAX_KEYS = 1024
/** Share of the events of a number that must have the same hint for it to be the name. */
const HINT_SHARE = 0.9

/** `used`: roles that may be believed. `names`: interned ids (models). Empties the store's attribute columns as it goes. */
export function buildRows(s: EventStore, used: ReadonlySet<Role>, names: ReadonlyMap<bigint, string>): Built {
  const order = orderByTime(s.time, s.n)
  const pairs = pairMessages(s, order)
  const { partner } = pairs
  const types = typesOf(s, order)
  const named = nameTypes(types.seen)
  const numbers = new Map(named.map((t, i) => [t.number, i]))

  const count = order.length - pairs.matched
  const start = new Float64Array(count)
  const duration = new Float64Array(count).fill(NaN)
  const state = new Uint8Array(count)
  const type = new Int32Array(count)
  const place = new Int32Array(count)
  const trackingId = new BigUint64Array(count)
  const tracking = halves(trackingId)
  const id = new BigUint64Array(count)
  const ids = halves(id)
  const parentId = new BigUint64Array(count)
  const parents = halves(parentId)
  const sequence = new BigUint64Array(count)
  const sequences = halves(sequence)
  const hasSequence = new Uint8Array(count)
  const model = new BigUint64Array(count)
  const exec = new BigInt64Array(count).fill(-1n)
  const ncStart = new BigInt64Array(count).fill(-1n)
  const ncStop = new BigInt64Array(count).fill(-1n)
  const attrStart = new Uint32Array(count + 1)
  const merge = new Merge(s)
  const places = new Places()
  const key = {
    core: s.keys.internText('device_core_idx'),
    model: s.keys.internText('model_id'),
    exec: s.keys.internText('exec_id'),
    time: s.keys.internText('nc_timestamp_ns'),
  }
  // The row's value of an attribute as a whole number: the start's, else the stop's.
  const big = (a: number, b: number, k: number): bigint => {
    const at = attributeAt(s, a, k)
    const v = at < 0 ? -1n : bigOf(s, at)
    if (v >= 0n || b < 0) return v
    const other = attributeAt(s, b, k)
    return other < 0 ? -1n : bigOf(s, other)
  }
  const threads = used.has('thread_id')
  let row = 0
  let instants = 0
  for (const i of order) {
    const other = partner[i] as number
    const p = s.phase[i]
    if (p === PHASE_STOP && other >= 0) continue
    start[row] = s.time[i] as number
    if (other >= 0) {
      state[row] = ROW_SLICE
      duration[row] = (s.time[other] as number) - (s.time[i] as number)
    } else if (p === PHASE_START) state[row] = ROW_OPEN
    else if (p === PHASE_STOP) state[row] = ROW_TAIL
    else {
      state[row] = ROW_INSTANT
      instants++
    }
    type[row] = numbers.get(s.type[i] as number) as number
    copy(s.tracking, i, tracking, row)
    copy(s.id, i, ids, row)
    if (s.parent) copy(s.parent, i, parents, row)
    if (s.sequence && s.hasSequence) {
      const from = s.hasSequence[i] === 1 || other < 0 ? i : other
      if (s.hasSequence[from] === 1) {
        copy(s.sequence, from, sequences, row)
        hasSequence[row] = 1
      }
    }
    attrStart[row] = merge.count
    let core = -1
    // Most rows have no attributes that need a look.
    if (s.attrEnd(i) > (s.attrStart[i] as number) || (other >= 0 && s.attrEnd(other) > (s.attrStart[other] as number))) {
      core = Number(big(i, other, key.core))
      const m = big(i, other, key.model)
      if (m > 0n) model[row] = m
      exec[row] = signed(big(i, other, key.exec))
      const at = attributeAt(s, i, key.time)
      if (at >= 0) {
        const v = signed(bigOf(s, at))
        if (state[row] === ROW_TAIL) ncStop[row] = v
        else ncStart[row] = v
      }
      const stop = other < 0 ? -1 : attributeAt(s, other, key.time)
      if (stop >= 0) ncStop[row] = signed(bigOf(s, stop))
    }
    merge.row(i, other)
    place[row] = places.of(s.nd[i] as number, s.nc[i] as number, core, threads ? (s.thread[i] as number) : NaN)
    row++
  }
  attrStart[count] = merge.count
  const attrs = merge.take()
  const cores = used.has('nc_idx') ? coresOf(s, order, partner) : []
  const range =
    order.length === 0 ? null : ([s.time[order[0] as number] as number, s.time[order[order.length - 1] as number] as number] as const)
  const nameIds = named.map(t => s.texts.internText(t.name))
  const modelNames = new Map<bigint, number>()
  const modelName = new Int32Array(count).fill(-1)
  if (names.size > 0)
    for (let r = 0; r < count; r++) {
      const m = model[r] as bigint
      if (m === 0n) continue
      let text = modelNames.get(m)
      if (text === undefined) {
        const name = names.get(m)
        modelNames.set(m, (text = name === undefined ? -1 : s.texts.internText(name)))
      }
      modelName[r] = text
    }
  const { strings, textAt, listAt } = joined(s)
  for (let k = 0; k < attrs.text.length; k++) {
    const t = attrs.text[k] as number
    attrs.text[k] = t === NUMBER ? ATTR_NUMBER : t <= LISTED ? listAt + LISTED - t : t + textAt
  }
  for (let r = 0; r < count; r++) if ((modelName[r] as number) >= 0) modelName[r] = (modelName[r] as number) + textAt
  const rows: BuiltRows = {
    ...{ count, start, duration, state, type, place, trackingId, id, parentId, sequence, hasSequence, model, modelName, exec },
    ...{ ncStart, ncStop, attrStart, attrKey: attrs.key, attrText: attrs.text, attrNumber: attrs.number, strings, cores, range },
    types: {
      count: named.length,
      number: Int32Array.from(named, t => t.number),
      name: Int32Array.from(nameIds, v => v + textAt),
      source: Uint8Array.from(named, t => t.source),
      nameFrom: Uint8Array.from(named, t => NAME_FROM.indexOf(t.nameFrom)),
      inferred: Uint8Array.from(named, t => Number(t.inferred)),
      messages: Float64Array.from(named, t => types.messages.get(t.number) ?? 0),
    },
    places: places.take(used),
  }
  return { rows, pairs, named, instants }
}

const halves = (a: BigUint64Array): Uint32Array => new Uint32Array(a.buffer, a.byteOffset, 2 * a.length)

function copy(from: Uint32Array, i: number, to: Uint32Array, row: number): void {
  to[2 * row] = from[2 * i] as number
  to[2 * row + 1] = from[2 * i + 1] as number
}

const MAX_SIGNED = 2n ** 63n - 1n
const signed = (v: bigint): bigint => (v > MAX_SIGNED ? -1n : v)

/** Attribute at a place as a whole number of at most 64 bits (decimal or 0x digits); -1n where it is none. */
function bigOf(s: EventStore, at: number): bigint {
  const t = s.attrText[at] as number
  if (t === NUMBER) return BigInt(s.attrNumber[at] as number)
  if (t > LISTED) return -1n // other texts are not listed
  const k = LISTED - t
  const from = s.list.offsets[k] as number
  const to = s.list.offsets[k + 1] as number
  const b = s.list.bytes
  const hex = b[from + 1] === 0x78
  if (to - from > (hex ? 18 : 20)) return -1n
  const text = String.fromCharCode(...b.subarray(from, to))
  if (!/^(0x[0-9a-fA-F]+|\d+)$/.test(text)) return -1n
  const v = BigInt(text)
  return v < 2n ** 64n ? v : -1n
}

// ── attributes ──

/** Writes the attributes of rows: those of the start, then those of the stop that differ. */
class Merge {
  readonly #s: EventStore
  #key: Int32Array
  #text: Int32Array
  #number: Float64Array
  readonly #suffixed = new Map<number, number>()
  readonly #fields: Readonly<Record<'hint' | 'status' | 'data' | 'event_type' | 'duration', number>>
  count = 0

  constructor(s: EventStore) {
    this.#s = s
    const size = s.attrs + 64
    this.#key = new Int32Array(size)
    this.#text = new Int32Array(size)
    this.#number = new Float64Array(size)
    const key = (name: string): number => s.keys.internText(FIELD_PREFIX + name)
    this.#fields = { hint: key('hint'), status: key('status'), data: key('data'), event_type: key('event_type'), duration: key('duration') }
  }

  row(i: number, other: number): void {
    const s = this.#s
    const first = this.count
    const end = s.attrEnd(i)
    for (let at = s.attrStart[i] as number; at < end; at++)
      this.#put(s.attrKey[at] as number, s.attrText[at] as number, s.attrNumber[at] as number)
    this.#fieldsOf(i)
    if (other < 0) return
    const until = this.count
    const otherEnd = s.attrEnd(other)
    for (let at = s.attrStart[other] as number; at < otherEnd; at++)
      this.#merge(first, until, s.attrKey[at] as number, s.attrText[at] as number, s.attrNumber[at] as number)
    const mine = this.count
    this.#fieldsOf(other)
    // Fields of the stop went to the end: what the start has already is taken back.
    const stop: [number, number, number][] = []
    for (let at = mine; at < this.count; at++) stop.push([this.#key[at] as number, this.#text[at] as number, this.#number[at] as number])
    this.count = mine
    for (const [k, t, n] of stop) this.#merge(first, until, k, t, n)
  }

  #merge(first: number, until: number, key: number, text: number, number: number): void {
    for (let at = first; at < until; at++) {
      if (this.#key[at] !== key) continue
      if (!this.#equal(at, text, number)) this.#put(this.#suffix(key), text, number)
      return
    }
    this.#put(key, text, number)
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
    if (id === undefined) {
      const { bytes, offsets } = this.#s.keys.table()
      const name = new TextDecoder().decode(bytes.subarray(offsets[key], offsets[key + 1]))
      this.#suffixed.set(key, (id = this.#s.keys.internText(name + STOP_SUFFIX)))
    }
    return id
  }

  #fieldsOf(i: number): void {
    const { hint, status, data, eventType, duration } = this.#s
    if (hint && (hint[i] as number) >= 0) this.#put(this.#fields.hint, hint[i] as number, NaN)
    if (status) this.#number64(this.#fields.status, status, i)
    if (data) this.#number64(this.#fields.data, data, i)
    if (eventType) this.#number64(this.#fields.event_type, eventType, i)
    if (duration) this.#number64(this.#fields.duration, duration, i)
  }

  #number64(key: number, h: Uint32Array, i: number): void {
    const low = h[2 * i] as number
    const high = h[2 * i + 1] as number
    if (low === 0 && high === 0) return
    if (high < 2 ** 21) return this.#put(key, NUMBER, high * 2 ** 32 + low)
    const text = new TextEncoder().encode(String((BigInt(high) << 32n) | BigInt(low)))
    this.#put(key, LISTED - this.#s.list.add(text, 0, text.length), NaN)
  }

  #put(key: number, text: number, number: number): void {
    const at = this.count++
    if (at === this.#key.length) {
      const size = at + (at >>> 1) + 64
      this.#key = longer(this.#key, size)
      this.#text = longer(this.#text, size)
      this.#number = longer(this.#number, size)
    }
    this.#key[at] = key
    this.#text[at] = text
    this.#number[at] = number
  }

  take(): { readonly key: Int32Array; readonly text: Int32Array; readonly number: Float64Array } {
    return { key: this.#key.slice(0, this.count), text: this.#text.slice(0, this.count), number: this.#number.slice(0, this.count) }
  }
}

function longer<T extends Int32Array | Float64Array>(old: T, size: number): T {
  const out = new (old.constructor as new (n: number) => T)(size)
  out.set(old)
  return out
}

/** One string table of keys, repeated texts and listed ones, in this order. */
function joined(s: EventStore): { readonly strings: StringTable; readonly textAt: number; readonly listAt: number } {
  const keys = s.keys.table()
  const texts = s.texts.table()
  const { list } = s
  const textAt = keys.offsets.length - 1
  const listAt = textAt + texts.offsets.length - 1
  const bytes = new Uint8Array(keys.bytes.length + texts.bytes.length + list.used)
  bytes.set(keys.bytes)
  bytes.set(texts.bytes, keys.bytes.length)
  bytes.set(list.bytes.subarray(0, list.used), keys.bytes.length + texts.bytes.length)
  const offsets = new Uint32Array(listAt + list.count + 1)
  offsets.set(keys.offsets)
  for (let i = 1; i < texts.offsets.length; i++) offsets[textAt + i] = (texts.offsets[i] as number) + keys.bytes.length
  for (let i = 1; i <= list.count; i++) offsets[listAt + i] = (list.offsets[i] as number) + keys.bytes.length + texts.bytes.length
  return { strings: { bytes, offsets }, textAt, listAt }
}

// ── types ──

function typesOf(
  s: EventStore,
  order: Uint32Array,
): { readonly seen: readonly SeenType[]; readonly messages: ReadonlyMap<number, number> } {
  const messages = new Map<number, number>()
  const sets = new Map<number, Uint8Array>()
  const hints = new Map<number, Map<number, number>>()
  for (const i of order) {
    const t = s.type[i] as number
    messages.set(t, (messages.get(t) ?? 0) + 1)
    let set = sets.get(t)
    if (!set) {
      if (sets.size >= MAX_TYPES) continue
      sets.set(t, (set = new Uint8Array(MAX_KEYS)))
    }
    const end = s.attrEnd(i)
    for (let at = s.attrStart[i] as number; at < end; at++) {
      const k = s.attrKey[at] as number
      if (k < MAX_KEYS) set[k] = 1
    }
    const hint = s.hint ? (s.hint[i] as number) : -1
    if (hint >= 0) {
      let counts = hints.get(t)
      if (!counts) hints.set(t, (counts = new Map()))
      if (counts.size < 16 || counts.has(hint)) counts.set(hint, (counts.get(hint) ?? 0) + 1)
    }
  }
  const keys = s.keys.table()
  const texts = s.texts.table()
  const text = (table: StringTable, k: number): string =>
    new TextDecoder().decode(table.bytes.subarray(table.offsets[k], table.offsets[k + 1]))
  const keyNames = Array.from({ length: Math.min(MAX_KEYS, keys.offsets.length - 1) }, (_, k) => text(keys, k))
  const seen = [...messages].map(([number, n]): SeenType => {
    const set = sets.get(number)
    const [hint, times] = [...(hints.get(number) ?? [])].sort((a, b) => b[1] - a[1])[0] ?? [-1, 0]
    return {
      number,
      messages: n,
      keys: new Set(keyNames.filter((_, k) => set?.[k] === 1)),
      hint: times >= HINT_SHARE * n ? text(texts, hint) : null,
    }
  })
  return { seen, messages }
}

// ── places and cores ──

class Places {
  readonly #index = new Map<number, number[]>()
  readonly #nd: number[] = []
  readonly #nc: number[] = []
  readonly #core: number[] = []
  readonly #thread: number[] = []
  #last = -1

  of(nd: number, nc: number, core: number, thread: number): number {
    if (this.#last >= 0 && this.#is(this.#last, nd, nc, core, thread)) return this.#last
    const h = (Number.isNaN(thread) ? 0 : thread) * 64 + core * 7 + nc * 13 + nd * 1021
    const list = this.#index.get(h)
    const found = list?.find(k => this.#is(k, nd, nc, core, thread))
    if (found !== undefined) return (this.#last = found)
    const k = this.#nd.length
    this.#nd.push(nd)
    this.#nc.push(nc)
    this.#core.push(core)
    this.#thread.push(thread)
    if (list) list.push(k)
    else this.#index.set(h, [k])
    return (this.#last = k)
  }

  #is(k: number, nd: number, nc: number, core: number, thread: number): boolean {
    return this.#nd[k] === nd && this.#nc[k] === nc && this.#core[k] === core && Object.is(this.#thread[k], thread)
  }

  take(used: ReadonlySet<Role>): SystemPlaces {
    const count = this.#nd.length
    const none = (): Int32Array => new Int32Array(count).fill(-1)
    return {
      count,
      instance: none(),
      process: new Float64Array(count).fill(NaN),
      worker: none(),
      device: used.has('nd_idx') ? Int32Array.from(this.#nd) : none(),
      nc: used.has('nc_idx') ? Int32Array.from(this.#nc) : none(),
      core: Int32Array.from(this.#core, v => (v >= 0 && v < 2 ** 31 ? v : -1)),
      // A thread of 0 is none: no thread of Linux has that number.
      thread: Float64Array.from(this.#thread, v => (v === 0 ? NaN : v)),
      stream: none(),
    }
  }
}

/** What each NeuronCore's ring buffer still held. */
function coresOf(s: EventStore, order: Uint32Array, partner: Int32Array): readonly SystemCore[] {
  interface Core {
    device: number
    nc: number
    messages: number
    firstNs: number
    lastNs: number
    stopsWithoutStart: number
    startsWithoutStop: number
  }
  const found = new Map<number, Core>()
  let last: Core | undefined
  for (const i of order) {
    const device = s.nd[i] as number
    const nc = s.nc[i] as number
    let c: Core | undefined = last
    if (!c || c.device !== device || c.nc !== nc) {
      c = found.get(device * 2 ** 20 + nc)
      if (!c) {
        c = { device, nc, messages: 0, firstNs: s.time[i] as number, lastNs: 0, stopsWithoutStart: 0, startsWithoutStop: 0 }
        found.set(device * 2 ** 20 + nc, c)
      }
      last = c
    }
    c.messages++
    c.lastNs = s.time[i] as number
    if (partner[i] === -1) {
      if (s.phase[i] === PHASE_STOP) c.stopsWithoutStart++
      else if (s.phase[i] === PHASE_START) c.startsWithoutStop++
    }
  }
  return [...found.values()]
    .sort((a, b) => a.device - b.device || a.nc - b.nc)
    .map(c => ({
      ...c,
      headLost: c.stopsWithoutStart > 0,
      // Each such stop had a start, which is not in the file.
      droppedAtLeast: c.stopsWithoutStart > 0 ? c.stopsWithoutStart : null,
    }))
}
