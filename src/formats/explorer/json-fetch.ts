/**
 * Events as the runtime's fetch call answers them (`nrt_sys_trace_fetch_events`): single messages; a start and a stop of the same tracking id and type are a slice.
 * The call gives times of the device's clock to events of the device where it has no host time; those are not put on the host's axis.
 */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { ROW_INSTANT, ROW_OPEN, ROW_SLICE, ROW_TAIL } from '../../shared/system-tables'
import { entryOf } from '../neuron-runtime/catalogue'
import type { SystemBuilder } from './build'
import { addAttributes, sourceOfName } from './events'
import { NOWHERE } from './places'
import { idOf, indexOf, isRecord, numberOf, textOf, timeOf } from './values'

/** Starts that wait for their stop at most. */
const MAX_OPEN = 2_000_000
const OWN = new Set([
  'event_type',
  'phase',
  'id',
  'nc_idx',
  'tracking_id',
  'thread_id',
  'worker_gid',
  'data',
  'timestamp_ns',
  'nrta_seq_id',
  'parent_id',
])

export class FetchedEvents {
  readonly #b: SystemBuilder
  readonly #open = new Map<string, number>()
  #messages = 0
  #pairs = 0
  #tails = 0
  #phases = 0
  #forgotten = 0

  constructor(builder: SystemBuilder) {
    this.#b = builder
  }

  add(item: Readonly<Record<string, unknown>>): void {
    const b = this.#b
    const time = timeOf(item['timestamp_ns'])
    const phase = textOf(item['phase'])
    const tracking = idOf(item['tracking_id']) ?? 0n
    const type = this.#type(item['event_type'])
    const key = `${tracking} ${type}`
    if (phase === 'stop') {
      const row = tracking === 0n ? undefined : this.#open.get(key)
      if (row !== undefined && time !== null) {
        this.#open.delete(key)
        b.stop.a[row] = time
        b.state.a[row] = ROW_SLICE
        this.#pairs++
        this.#count(type)
        this.#details(row, item, true)
        return
      }
    } else if (phase !== 'start' && phase !== 'instant') this.#phases++
    const row = b.add()
    this.#count(type)
    b.type.a[row] = type
    b.state.a[row] = phase === 'start' ? ROW_OPEN : phase === 'stop' ? ROW_TAIL : ROW_INSTANT
    b.trackingId.a[row] = tracking
    b.id.a[row] = idOf(item['id']) ?? 0n
    b.parentId.a[row] = idOf(item['parent_id']) ?? 0n
    if (time !== null) b.start.a[row] = time
    this.#details(row, item, false)
    const data = isRecord(item['data']) ? item['data'] : {}
    b.place.a[row] = b.places.id({
      ...NOWHERE,
      thread: numberOf(item['thread_id']),
      // -1 is "not known".
      worker: indexOf(item['worker_gid']),
      device: indexOf(item['nd_idx']),
      nc: indexOf(item['nc_idx']),
      core: indexOf(data['device_core_idx']),
    })
    if (phase === 'stop') this.#tails++
    if (phase !== 'start' || tracking === 0n || time === null) return
    const known = this.#open.has(key)
    // An earlier start of the same id stays without its stop.
    if (known || this.#open.size >= MAX_OPEN) this.#forgotten++
    if (known || this.#open.size < MAX_OPEN) this.#open.set(key, row)
  }

  #count(type: number): void {
    this.#messages++
    this.#b.countMessages(type, 1)
  }

  #type(v: unknown): number {
    const number = indexOf(v)
    if (number < 0) {
      const name = textOf(v) ?? ''
      return this.#b.typeOf(name, sourceOfName(name))
    }
    const name = entryOf(number)?.name
    return name === undefined
      ? this.#b.typeOf(`event ${number} (unknown)`, undefined, number, 'number')
      : this.#b.typeOf(name, sourceOfName(name), number, 'catalogue')
  }

  #details(row: number, item: Readonly<Record<string, unknown>>, stop: boolean): void {
    const b = this.#b
    if (item['nrta_seq_id'] !== undefined) b.setSequence(row, item['nrta_seq_id'])
    for (const [key, value] of Object.entries(item)) if (!OWN.has(key)) b.attribute(row, key, value, stop)
    if (isRecord(item['data'])) addAttributes(b, row, item['data'], stop)
  }

  /** Ends the pairing: starts that still wait have no stop. */
  finish(sink: DiagnosticSink): { readonly messages: number; readonly pairs: number; readonly unmatched: number } {
    const unmatched = this.#open.size + this.#tails + this.#forgotten
    if (unmatched > 0)
      sink.add({
        severity: 'info',
        code: 'system-unmatched',
        message: `${this.#open.size + this.#forgotten} starts have no stop and ${this.#tails} stops no start.`,
        meaning: 'They are kept as such: their other end was not recorded or overwritten.',
        action: 'None needed.',
        count: unmatched,
      })
    if (this.#phases > 0)
      sink.add({
        severity: 'warning',
        code: 'system-phase',
        message: `${this.#phases} events have no phase of start, stop or instant.`,
        meaning: 'They are shown as instants.',
        action: 'None needed.',
        count: this.#phases,
      })
    return { messages: this.#messages, pairs: this.#pairs, unmatched }
  }
}
