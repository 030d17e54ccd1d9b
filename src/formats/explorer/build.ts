/**
 * Builds a SystemTable out of an export, whatever its format: rows may come in any order and their columns one after another, attributes may be added to any row at any
 * time. At the end rows without a time are left out and the others are sorted by start.
 */
import {
  EVENT_SOURCE_UNKNOWN,
  NAME_FROM,
  ROW_INSTANT,
  ROW_OPEN,
  ROW_SLICE,
  ROW_TAIL,
  type NameFrom,
  type SystemCore,
  type SystemSource,
  type SystemTable,
  type SystemTypes,
} from '../../shared/system-tables'
import { StringPool } from '../chrome-trace/strings'
import { Attributes } from './attributes'
import { i32, i64, u64, u8 } from './grow'
import { PlacePool } from './places'
import { idOf, textOf, wholeOf } from './values'

/** Rows that are taken in. */
export const MAX_ROWS = 20_000_000
const MAX_TYPES = 100_000

/** Start of a row whose time is not known (yet). */
export const NO_TIME = -(1n << 63n)
const YEAR_2000 = 946_684_800_000_000_000n
const YEAR_2100 = 4_102_444_800_000_000_000n

/** Whether a time in ns can be the Unix time of a profile: between 2000 and 2100. */
export const isUnixNs = (t: bigint): boolean => t >= YEAR_2000 && t < YEAR_2100

/** What the finished table says besides its rows. */
export type Rest = Pick<SystemTable, 'verdict' | 'dropped' | 'cpu' | 'hostMemory' | 'hbmUsage' | 'info' | 'complete' | 'bytesRead'> & {
  /** Absent: rows. */
  readonly messages?: number
  /** False: the times are known not to be Unix times though they look like some. */
  readonly unix?: boolean
}

export interface Built {
  readonly table: SystemTable
  /** Rows without a readable time: left out. */
  readonly withoutTime: number
  /** Slices that end before they start: kept as instants. */
  readonly backwards: number
  /** Attributes left out and texts cut. */
  readonly attributesLeft: number
  readonly textsCut: number
  /** The events lie further apart than a double holds ns exactly. */
  readonly blurred: boolean
}

export class SystemBuilder {
  readonly strings = new StringPool()
  readonly places = new PlacePool()
  readonly attributes = new Attributes(this.strings)
  /** Absolute ns; NO_TIME where not known. `stop` counts for slices only. */
  readonly start = i64(NO_TIME)
  readonly stop = i64(NO_TIME)
  readonly state = u8(ROW_INSTANT)
  readonly type = i32(-1)
  readonly place = i32(-1)
  readonly trackingId = u64()
  readonly id = u64()
  readonly parentId = u64()
  readonly sequence = u64()
  readonly hasSequence = u8()
  readonly model = u64()
  readonly modelName = i32(-1)
  readonly exec = i64(-1n)
  readonly ncStart = i64(-1n)
  readonly ncStop = i64(-1n)
  rows = 0
  readonly #columns = [
    this.start,
    this.stop,
    this.state,
    this.type,
    this.place,
    this.trackingId,
    this.id,
    this.parentId,
    this.sequence,
    this.hasSequence,
    this.model,
    this.modelName,
    this.exec,
    this.ncStart,
    this.ncStop,
    this.attributes,
  ]
  readonly #source: SystemSource
  readonly #typeIds = new Map<string, number>()
  readonly #types: {
    readonly name: number
    readonly number: number
    readonly source: number
    readonly nameFrom: number
    messages: number
  }[] = []

  constructor(source: SystemSource) {
    this.#source = source
  }

  get full(): boolean {
    return this.rows >= MAX_ROWS
  }

  /** Adds `n` rows without time; answers the number of the first. */
  add(n = 1): number {
    const first = this.rows
    this.rows += n
    for (const c of this.#columns) c.room(this.rows)
    return first
  }

  /** Number of a kind of events: equal for equal name, source and number. */
  typeOf(name: string, source = EVENT_SOURCE_UNKNOWN, number = -1, nameFrom: NameFrom = 'stored'): number {
    const key = `${source} ${number} ${name}`
    let id = this.#typeIds.get(key)
    if (id !== undefined) return id
    if (this.#types.length >= MAX_TYPES && name !== OTHERS) return this.typeOf(OTHERS, source)
    id = this.#types.length
    this.#types.push({ name: this.strings.internText(name), number, source, nameFrom: NAME_FROM.indexOf(nameFrom), messages: 0 })
    this.#typeIds.set(key, id)
    return id
  }

  /** Messages of the row's type, one per row unless more are counted. */
  countMessages(type: number, n: number): void {
    this.#types[type].messages += n
  }

  /** Number of a text in the string table. */
  text(text: string): number {
    return this.attributes.text(text)
  }

  /**
   * Adds an attribute, and fills the column that it stands for. null and undefined are no value; objects and lists are kept as JSON. `stop`: of the second half of a slice.
   */
  attribute(row: number, key: string, value: unknown, stop = false): void {
    const text = textOf(value)
    if (text === null) return
    this.#fill(row, key, value, text, stop)
    this.attributes.add(row, key, text, stop)
  }

  /** Columns that attributes stand for; the keys are those of the documentation and of pictures of real profiles. */
  #fill(row: number, key: string, value: unknown, text: string, stop: boolean): void {
    switch (key) {
      case 'model_id':
        this.model.a[row] = idOf(value) ?? 0n
        break
      case 'model_name':
        this.modelName.a[row] = this.text(text)
        break
      case 'exec_id':
        this.exec.a[row] = signed(wholeOf(value))
        break
      case 'nrt_sequence_id':
      case 'nrta_seq_id':
        this.setSequence(row, value)
        break
      case 'parent_id':
        this.parentId.a[row] = idOf(value) ?? 0n
        break
      case 'tracking_id':
        this.trackingId.a[row] = idOf(value) ?? 0n
        break
      case 'nc_timestamp_ns':
        ;(stop ? this.ncStop : this.ncStart).a[row] = signed(wholeOf(value))
        break
      case 'nc_start_timestamp_ns':
        this.ncStart.a[row] = signed(wholeOf(value))
        break
      case 'nc_stop_timestamp_ns':
        this.ncStop.a[row] = signed(wholeOf(value))
        break
    }
  }

  setSequence(row: number, value: unknown): void {
    const id = idOf(value)
    if (id === null) return
    this.sequence.a[row] = id
    this.hasSequence.a[row] = 1
  }

  finish(rest: Rest): Built {
    let withoutTime = 0
    let backwards = 0
    const kept = new Uint32Array(this.rows)
    let n = 0
    let sorted = true
    let epoch = 0n
    let last = NO_TIME
    for (let i = 0; i < this.rows; i++) {
      const t = this.start.a[i]
      if (t === NO_TIME) {
        withoutTime++
        continue
      }
      if (this.state.a[i] === ROW_SLICE && this.stop.a[i] < t) {
        backwards++
        this.state.a[i] = ROW_INSTANT
      }
      if (n === 0 || t < epoch) epoch = t
      if (t < last) sorted = false
      last = t
      kept[n++] = i
    }
    const rows = kept.subarray(0, n)
    const { start: at, stop } = this
    if (!sorted) rows.sort((a, b) => (at.a[a] < at.a[b] ? -1 : at.a[a] > at.a[b] ? 1 : a - b))
    const start = new Float64Array(n)
    const duration = new Float64Array(n).fill(NaN)
    let end = epoch
    for (let i = 0; i < n; i++) {
      const row = rows[i]
      const t = at.a[row]
      start[i] = Number(t - epoch)
      if (t > end) end = t
      if (this.state.a[row] === ROW_SLICE) {
        duration[i] = Number(stop.a[row] - t)
        if (stop.a[row] > end) end = stop.a[row]
      }
    }
    const pick = <A extends Uint8Array | Int32Array | BigUint64Array | BigInt64Array>(from: A, into: A): A => {
      for (let i = 0; i < n; i++) into[i] = from[rows[i]]
      return into
    }
    const state = pick(this.state.a, new Uint8Array(n))
    const type = pick(this.type.a, new Int32Array(n))
    const place = pick(this.place.a, new Int32Array(n))
    const messages = rest.messages ?? n
    if (rest.messages === undefined) for (const t of type) this.countMessages(t, 1)
    const span = end - epoch
    const table: SystemTable = {
      kind: 'system',
      source: this.#source,
      verdict: rest.verdict,
      epochNs: epoch,
      clock: rest.unix !== false && n > 0 && isUnixNs(epoch) && isUnixNs(end) ? 'unix-nanoseconds' : 'unknown',
      count: n,
      start,
      duration,
      state,
      type,
      place,
      trackingId: pick(this.trackingId.a, new BigUint64Array(n)),
      id: pick(this.id.a, new BigUint64Array(n)),
      parentId: pick(this.parentId.a, new BigUint64Array(n)),
      sequence: pick(this.sequence.a, new BigUint64Array(n)),
      hasSequence: pick(this.hasSequence.a, new Uint8Array(n)),
      model: pick(this.model.a, new BigUint64Array(n)),
      modelName: pick(this.modelName.a, new Int32Array(n)),
      exec: pick(this.exec.a, new BigInt64Array(n)),
      ncStart: pick(this.ncStart.a, new BigInt64Array(n)),
      ncStop: pick(this.ncStop.a, new BigInt64Array(n)),
      ...this.attributes.layOut(rows),
      strings: this.strings.table(),
      types: this.#typeTable(),
      places: this.places.table(),
      cores: this.#cores(start, duration, state, place),
      messages,
      dropped: rest.dropped,
      range: n > 0 ? [0, Number(span)] : null,
      cpu: rest.cpu,
      hostMemory: rest.hostMemory,
      hbmUsage: rest.hbmUsage,
      info: rest.info,
      complete: rest.complete,
      bytesRead: rest.bytesRead,
    }
    const { left: attributesLeft, cut: textsCut } = this.attributes
    return { table, withoutTime, backwards, attributesLeft, textsCut, blurred: span > BigInt(Number.MAX_SAFE_INTEGER) }
  }

  #typeTable(): SystemTypes {
    const t = this.#types
    return {
      count: t.length,
      number: Int32Array.from(t, x => x.number),
      name: Int32Array.from(t, x => x.name),
      source: Uint8Array.from(t, x => x.source),
      nameFrom: Uint8Array.from(t, x => x.nameFrom),
      inferred: new Uint8Array(t.length),
      messages: Float64Array.from(t, x => x.messages),
    }
  }

  /** One row per device and NeuronCore that events name. Only a stop without its start shows that the head of a core is lost: of slices that are whole nothing is known. */
  #cores(start: Float64Array, duration: Float64Array, state: Uint8Array, place: Int32Array): readonly SystemCore[] {
    type Draft = { -readonly [K in keyof SystemCore]: SystemCore[K] }
    const cores = new Map<string, Draft>()
    const perPlace: (Draft | undefined)[] = this.places.list.map(p => {
      if (p.nc < 0) return undefined
      const key = `${p.device} ${p.nc}`
      let core = cores.get(key)
      if (!core) {
        core = {
          device: p.device,
          nc: p.nc,
          messages: 0,
          firstNs: Infinity,
          lastNs: -Infinity,
          stopsWithoutStart: 0,
          startsWithoutStop: 0,
          headLost: false,
          droppedAtLeast: null,
        }
        cores.set(key, core)
      }
      return core
    })
    for (let i = 0; i < start.length; i++) {
      const core = perPlace[place[i]]
      if (!core) continue
      core.messages++
      core.firstNs = Math.min(core.firstNs, start[i])
      core.lastNs = Math.max(core.lastNs, state[i] === ROW_SLICE ? start[i] + duration[i] : start[i])
      if (state[i] === ROW_TAIL) core.stopsWithoutStart++
      if (state[i] === ROW_OPEN) core.startsWithoutStop++
    }
    const found = [...cores.values()].filter(c => c.messages > 0).sort((a, b) => a.device - b.device || a.nc - b.nc)
    return found.map(c => ({
      ...c,
      headLost: c.stopsWithoutStart > 0,
      droppedAtLeast: c.stopsWithoutStart > 0 ? c.stopsWithoutStart : null,
    }))
  }
}

const OTHERS = '(other names)'
const signed = (v: bigint | null): bigint => (v === null || v < 0n || v >= 1n << 63n ? -1n : v)
