/** What the packets of a Perfetto trace say, put together: sequences with their names and defaults, tracks, open slices, counters. */
import { inflateSync } from 'node:zlib'
import { ROW_INSTANT, ROW_OPEN, ROW_SLICE, ROW_TAIL } from '../../shared/system-tables'
import { SystemBuilder } from '../explorer/build'
import { f64, i32 } from '../explorer/grow'
import { idOf, indexOf, numberOf, textOf } from '../explorer/values'
import { exact, walkFields, type WireField } from '../protobuf/wire'
import { BOOTTIME, Clocks, REALTIME, type Reading, type SequenceClocks } from './clocks'
import { annotation, COUNTER, double, fields, fixed64, INSTANT, int64, PACKET, SLICE_BEGIN, SLICE_END, text } from './message'
import { trackOf, type Track } from './tracks'

/** Names of a sequence at most, open slices of all tracks, tracks, samples of counters, bytes of an inflated packet. */
const MAX_NAMES = 5_000_000
const MAX_OPEN = 2_000_000
const MAX_TRACKS = 1_000_000
const MAX_SAMPLES = 20_000_000
const INFLATED_BYTES = 64 * 1024 * 1024

interface Sequence {
  readonly categories: Map<number, string>
  readonly events: Map<number, string>
  readonly names: Map<number, string>
  readonly strings: Map<number, string>
  readonly clocks: SequenceClocks
  readonly counters: Map<bigint, number>
  track: bigint | null
  clock: number | null
}

export interface CounterSamples {
  readonly time: bigint[]
  readonly clock: number[]
  readonly value: number[]
}

/** Columns of rows that say where an event was, beside what its track says. */
export interface OwnPlace {
  readonly instance: string | null
  readonly stream: string | null
}

export class PerfettoTrace {
  readonly builder = new SystemBuilder('perfetto')
  readonly clocks = new Clocks()
  readonly tracks = new Map<bigint, Track>()
  readonly counters = new Map<bigint, CounterSamples>()
  /** Clock of a row's times, its track (index in `trackIds`) and name (index in `eventNames`), and what annotations say of its place. */
  readonly clock = i32(REALTIME)
  readonly track = i32(-1)
  readonly name = i32(-1)
  readonly nc = i32(-1)
  readonly core = i32(-1)
  readonly worker = i32(-1)
  readonly device = i32(-1)
  readonly process = f64(NaN)
  readonly thread = f64(NaN)
  readonly instance = i32(-1)
  readonly stream = i32(-1)
  /** 1 + index of a source that an annotation or a category tells; 0 none. */
  readonly source = i32(0)
  readonly trackIds: bigint[] = []
  readonly eventNames: string[] = []
  readonly texts: string[] = []
  readonly #columns = [
    this.clock,
    this.track,
    this.name,
    this.nc,
    this.core,
    this.worker,
    this.device,
    this.process,
    this.thread,
    this.instance,
    this.stream,
    this.source,
  ]
  readonly #trackIndex = new Map<bigint, number>()
  readonly #nameIndex = new Map<string, number>()
  readonly #textIndex = new Map<string, number>()
  readonly #sequences = new Map<number, Sequence>()
  readonly #open = new Map<bigint, number[]>()
  #openCount = 0

  events = 0
  pairs = 0
  tails = 0
  samples = 0
  /** Counts of what is told in diagnostics. */
  readonly left = {
    damaged: 0,
    rows: 0,
    samples: 0,
    withoutTime: 0,
    otherTypes: 0,
    unnamed: 0,
    dropped: 0,
    compressed: 0,
    clocks: 0,
    limits: 0,
  }

  /** Starts that still have no stop. */
  get opens(): number {
    return this.#openCount
  }

  packet(b: Uint8Array, start: number, end: number): void {
    const at: (WireField | undefined)[] = []
    let damaged = false
    const walk = walkFields(b, start, end, f => {
      // A field that is given twice is one message in protobuf; here the last one counts. None of these are repeated.
      if (f.number < 256) at[f.number] = f
    })
    if (walk.end !== 'whole') damaged = true
    if (damaged) {
      this.left.damaged++
      return
    }
    const varint = (n: number): WireField | undefined => (at[n]?.wire === 0 ? at[n] : undefined)
    const message = (n: number): WireField | undefined => (at[n]?.wire === 2 ? at[n] : undefined)
    const sequence = this.#sequence(varint(PACKET.sequence)?.value ?? 0)
    if (varint(PACKET.dropped)?.value) this.left.dropped++
    if (varint(PACKET.cleared)?.value || (varint(PACKET.sequenceFlags)?.value ?? 0) % 2 === 1) clear(sequence)
    const snapshot = message(PACKET.clockSnapshot)
    if (snapshot) this.clocks.snapshot(b, snapshot, sequence.clocks)
    const interned = message(PACKET.internedData)
    if (interned) this.#intern(b, interned, sequence)
    const defaults = message(PACKET.defaults)
    if (defaults) this.#defaults(b, defaults, sequence)
    const descriptor = message(PACKET.trackDescriptor)
    if (descriptor) this.#describe(b, descriptor)
    const compressed = message(PACKET.compressed)
    if (compressed) this.#inflate(b, compressed)
    if (message(PACKET.zstd)) this.left.compressed++
    const event = message(PACKET.trackEvent)
    if (!event) return
    const stamp = varint(PACKET.timestamp)
    const clock = varint(PACKET.clock)?.value ?? sequence.clock ?? BOOTTIME
    this.#event(b, event, sequence, stamp ? this.clocks.read(exact(b, stamp), clock, sequence.clocks) : null)
  }

  #sequence(id: number): Sequence {
    let s = this.#sequences.get(id)
    if (!s) {
      s = {
        categories: new Map(),
        events: new Map(),
        names: new Map(),
        strings: new Map(),
        clocks: new Map(),
        counters: new Map(),
        track: null,
        clock: null,
      }
      if (this.#sequences.size >= MAX_TRACKS) this.left.limits++
      else this.#sequences.set(id, s)
    }
    return s
  }

  #intern(b: Uint8Array, at: WireField, s: Sequence): void {
    fields(b, at, f => {
      const into =
        f.wire !== 2
          ? undefined
          : f.number === 1
            ? s.categories
            : f.number === 2
              ? s.events
              : f.number === 3
                ? s.names
                : f.number === 29
                  ? s.strings
                  : undefined
      if (!into) return
      let iid = 0
      let value = ''
      fields(b, f, g => {
        if (g.number === 1 && g.wire === 0) iid = g.value
        else if (g.number === 2 && g.wire === 2) value = text(b, g)
      })
      if (into.size >= MAX_NAMES) this.left.limits++
      else into.set(iid, value)
    })
  }

  #defaults(b: Uint8Array, at: WireField, s: Sequence): void {
    fields(b, at, f => {
      if (f.number === 58 && f.wire === 0) s.clock = f.value
      else if (f.number === 11 && f.wire === 2)
        fields(b, f, g => {
          if (g.number === 11 && g.wire === 0) s.track = exact(b, g)
        })
    })
  }

  /** A track may be described again; what a later description leaves out stays. */
  #describe(b: Uint8Array, at: WireField): void {
    const { uuid, track } = trackOf(b, at)
    const old = this.tracks.get(uuid)
    if (!old && this.tracks.size >= MAX_TRACKS) {
      this.left.limits++
      return
    }
    this.tracks.set(uuid, {
      name: track.name || (old?.name ?? ''),
      parent: track.parent ?? old?.parent ?? null,
      pid: Number.isNaN(track.pid) ? (old?.pid ?? NaN) : track.pid,
      processName: track.processName || (old?.processName ?? ''),
      tid: Number.isNaN(track.tid) ? (old?.tid ?? NaN) : track.tid,
      threadName: track.threadName || (old?.threadName ?? ''),
      counter: track.counter ?? old?.counter ?? null,
    })
  }

  /** Packets inside a packet; inside those there are no others. */
  #inflate(b: Uint8Array, at: WireField): void {
    let plain: Uint8Array
    try {
      plain = inflateSync(b.subarray(at.start, at.end), { maxOutputLength: INFLATED_BYTES })
    } catch {
      this.left.compressed++
      return
    }
    const inner = walkFields(plain, 0, plain.length, f => {
      if (f.number !== 1 || f.wire !== 2) return
      let again = false
      walkFields(plain, f.start, f.end, g => {
        if (g.number === PACKET.compressed) again = true
      })
      if (again) this.left.compressed++
      else this.packet(plain, f.start, f.end)
    })
    if (inner.end !== 'whole') this.left.damaged++
  }

  #event(b: Uint8Array, at: WireField, s: Sequence, time: Reading | null): void {
    let type = 0
    let name: string | null = null
    let track = s.track ?? 0n
    let value = NaN
    const annotations: WireField[] = []
    const flows: bigint[] = []
    const categories: string[] = []
    const ok = fields(b, at, f => {
      if (f.wire === 0) {
        if (f.number === 9) type = f.value
        else if (f.number === 10) name = s.events.get(f.value) ?? this.#nameless(f.value)
        else if (f.number === 11) track = exact(b, f)
        else if (f.number === 30) value = Number(int64(b, f))
        else if (f.number === 3) categories.push(s.categories.get(f.value) ?? `category ${f.value}`)
        else if (f.number === 36 || f.number === 42) flows.push(exact(b, f))
      } else if (f.wire === 1) {
        if (f.number === 44) value = double(b, f)
        else if (f.number === 47 || f.number === 48) flows.push(fixed64(b, f))
      } else if (f.wire === 2) {
        if (f.number === 4) annotations.push(f)
        else if (f.number === 22) categories.push(text(b, f))
        else if (f.number === 23) name = text(b, f)
        else if (f.number === 47 || f.number === 48)
          for (let i = f.start; i + 8 <= f.end; i += 8) flows.push(fixed64(b, { ...f, start: i, end: i + 8 }))
      }
    })
    if (!ok) {
      this.left.damaged++
      return
    }
    if (type === COUNTER) {
      this.#sample(track, value, time, s)
      return
    }
    if (type !== SLICE_BEGIN && type !== SLICE_END && type !== INSTANT) {
      this.left.otherTypes++
      return
    }
    this.events++
    if (!time) {
      this.left.withoutTime++
      return
    }
    let row = -1
    const stop = type === SLICE_END
    if (stop) row = this.#close(track, time)
    const added = row < 0
    if (added) {
      row = this.#add(type, name ?? '', track, time)
      if (row < 0) return
    }
    this.#details(b, row, annotations, flows, categories, s, stop && !added)
  }

  #nameless(iid: number): string {
    this.left.unnamed++
    return `name ${iid} (not in the file)`
  }

  /** Row of the slice that the stop belongs to, the one that was begun last on the track; -1 without one. */
  #close(track: bigint, time: Reading): number {
    const stack = this.#open.get(track)
    const row = stack?.pop()
    if (row === undefined) return -1
    this.#openCount--
    const { builder } = this
    if (this.clock.a[row] !== time.clock) {
      // The clocks of its two ends are not known to each other: it stays open.
      this.left.clocks++
      return row
    }
    builder.stop.a[row] = time.time
    builder.state.a[row] = ROW_SLICE
    this.pairs++
    return row
  }

  #add(type: number, name: string, track: bigint, time: Reading): number {
    const { builder } = this
    if (builder.full) {
      this.left.rows++
      return -1
    }
    const row = builder.add()
    for (const c of this.#columns) c.room(row + 1)
    builder.start.a[row] = time.time
    builder.state.a[row] = type === SLICE_BEGIN ? ROW_OPEN : type === SLICE_END ? ROW_TAIL : ROW_INSTANT
    this.clock.a[row] = time.clock
    this.track.a[row] = indexIn(this.#trackIndex, this.trackIds, track)
    this.name.a[row] = indexIn(this.#nameIndex, this.eventNames, name)
    if (type === SLICE_END) this.tails++
    if (type === SLICE_BEGIN) {
      let stack = this.#open.get(track)
      if (!stack) this.#open.set(track, (stack = []))
      if (this.#openCount >= MAX_OPEN) this.left.limits++
      else {
        stack.push(row)
        this.#openCount++
      }
    }
    return row
  }

  #details(
    b: Uint8Array,
    row: number,
    annotations: readonly WireField[],
    flows: readonly bigint[],
    categories: readonly string[],
    s: Sequence,
    stop: boolean,
  ): void {
    const { builder } = this
    if (!stop || flows.length > 0) for (const f of flows) builder.attribute(row, 'flow_id', f)
    for (const at of annotations) {
      const { name, value } = annotation(b, at, s)
      if (value === undefined) continue
      if (!this.#place(row, name, value)) builder.attribute(row, name, value, stop)
    }
    if (stop || categories.length === 0) return
    builder.attribute(row, '@category', categories.join(', '))
    for (const c of categories) this.#source(row, c)
  }

  /** Annotations that say where the event was; true where the value needs no attribute of its own. */
  #place(row: number, name: string, value: unknown): boolean {
    switch (name) {
      case 'id': {
        const id = idOf(value)
        if (id !== null) this.builder.id.a[row] = id
        return id !== null
      }
      case 'instance_id':
        return this.#text(this.instance.a, row, value)
      case 'framework_stream_id':
        return this.#text(this.stream.a, row, value)
      case 'process_id':
        return !Number.isNaN((this.process.a[row] = numberOf(value)))
      case 'thread_id':
        return !Number.isNaN((this.thread.a[row] = numberOf(value)))
      case 'nc_idx':
      case 'lnc_idx':
        return (this.nc.a[row] = indexOf(value)) >= 0
      case 'pcore_idx':
        return (this.core.a[row] = indexOf(value)) >= 0
      case 'device_core_idx':
        if (this.core.a[row] < 0) this.core.a[row] = indexOf(value)
        return false
      case 'worker_gid':
        return (this.worker.a[row] = indexOf(value)) >= 0
      case 'nd_idx':
      case 'device_idx':
        return (this.device.a[row] = indexOf(value)) >= 0
      case 'trace_event_source':
        return this.#source(row, textOf(value))
      case 'flow_id':
        if (!Array.isArray(value)) return false
        for (const v of value) this.builder.attribute(row, 'flow_id', v)
        return true
      default:
        return false
    }
  }

  #text(column: Int32Array, row: number, value: unknown): boolean {
    const t = textOf(value)
    if (t === null || t === '') return true
    column[row] = indexIn(this.#textIndex, this.texts, t)
    return true
  }

  #source(row: number, word: string | null): boolean {
    const i = ['neuron_rt', 'neuron_hw', 'framework'].indexOf(word ?? '')
    if (i >= 0) this.source.a[row] = i + 1
    return i >= 0
  }

  #sample(uuid: bigint, given: number, time: Reading | null, s: Sequence): void {
    if (!time || Number.isNaN(given) || this.samples >= MAX_SAMPLES) {
      this.left.samples++
      return
    }
    const info = this.tracks.get(uuid)?.counter
    let value = given
    if (info?.incremental) {
      value += s.counters.get(uuid) ?? 0
      s.counters.set(uuid, value)
    }
    let list = this.counters.get(uuid)
    if (!list) this.counters.set(uuid, (list = { time: [], clock: [], value: [] }))
    list.time.push(time.time)
    list.clock.push(time.clock)
    list.value.push(value * (info?.multiplier ?? 1))
    this.samples++
  }
}

/** State of a sequence begins anew. */
function clear(s: Sequence): void {
  for (const m of [s.categories, s.events, s.names, s.strings, s.counters]) m.clear()
  s.track = null
  s.clock = null
}

function indexIn<T>(index: Map<T, number>, list: T[], value: T): number {
  let i = index.get(value)
  if (i === undefined) {
    i = list.length
    list.push(value)
    index.set(value, i)
  }
  return i
}
