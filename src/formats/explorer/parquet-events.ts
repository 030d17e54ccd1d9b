/** Fills rows of events from a file of SystemProfileEvents: row group by row group, column by column. */
import { EVENT_SOURCE_UNKNOWN } from '../../shared/system-tables'
import { NO_TIME, type SystemBuilder } from './build'
import { settle, sourceNamed, sourceOfName } from './events'
import type { Origin } from './findings'
import { NOWHERE } from './places'
import { idOf, indexOf, isRecord, numberOf, parseExact, textOf, timeOf } from './values'

/** Reads a column of the group at hand; false where the file has none of this name, or where it is damaged. */
export type Column = (name: string, visit: (row: number, value: unknown) => void) => Promise<boolean>

/** What is counted while events are read. */
export interface EventCounts {
  /** duration_ns is not the difference of the times. */
  durations: number
  /** extra_attributes_json that is no JSON object. */
  badJson: number
}

const KNOWN = new Set(['name', 'start_ts', 'end_ts', 'duration_ns', 'id', 'trace_event_source', 'instance_id', 'process_id', 'thread_id'])
for (const c of ['nc_idx', 'pcore_idx', 'worker_gid', 'flow_id', 'framework_stream_id', 'extra_attributes_json']) KNOWN.add(c)

/** Longest text of extra_attributes_json that is taken apart. */
const JSON_CHARS = 1024 * 1024

/** Reads a row group of `n` rows. `columns`: all that the file has; those that are not known become attributes. */
export async function readEventGroup(
  b: SystemBuilder,
  n: number,
  columns: readonly string[],
  column: Column,
  origin: Origin,
  counts: EventCounts,
): Promise<void> {
  const base = b.add(n)
  await column('start_ts', (i, v) => (b.start.a[base + i] = timeOf(v) ?? NO_TIME))
  await column('end_ts', (i, v) => (b.stop.a[base + i] = timeOf(v) ?? NO_TIME))
  await column('duration_ns', (i, v) => {
    const row = base + i
    const d = timeOf(v)
    const start = b.start.a[row]
    if (d === null || start === NO_TIME) return
    if (b.stop.a[row] === NO_TIME) b.stop.a[row] = start + d
    else if (b.stop.a[row] - start !== d) counts.durations++
  })
  for (let row = base; row < base + n; row++) if (b.start.a[row] !== NO_TIME) settle(b, row)

  const names = new Array<string>(n).fill('')
  const sources = new Int16Array(n).fill(-1)
  await column('name', (i, v) => (names[i] = textOf(v) ?? ''))
  await column('trace_event_source', (i, v) => {
    const text = textOf(v)
    if (text === null) return
    sources[i] = sourceNamed(text)
    // A word that is not known stays to be seen.
    if (sources[i] === EVENT_SOURCE_UNKNOWN) b.attribute(base + i, 'trace_event_source', text)
  })
  for (let i = 0; i < n; i++) b.type.a[base + i] = b.typeOf(names[i], sources[i] < 0 ? sourceOfName(names[i]) : sources[i])
  names.length = 0

  await column('id', (i, v) => (b.id.a[base + i] = idOf(v) ?? 0n))
  const instance = new Int32Array(n).fill(-1)
  const stream = new Int32Array(n).fill(-1)
  const process = new Float64Array(n).fill(NaN)
  const thread = new Float64Array(n).fill(NaN)
  const nc = new Int32Array(n).fill(-1)
  const core = new Int32Array(n).fill(-1)
  const worker = new Int32Array(n).fill(-1)
  const device = new Int32Array(n).fill(-1)
  await column('instance_id', (i, v) => {
    const text = textOf(v)
    origin.instance(text)
    if (text !== null) instance[i] = b.text(text)
  })
  await column('process_id', (i, v) => origin.process((process[i] = numberOf(v))))
  await column('thread_id', (i, v) => (thread[i] = numberOf(v)))
  await column('nc_idx', (i, v) => (nc[i] = indexOf(v)))
  await column('pcore_idx', (i, v) => (core[i] = indexOf(v)))
  await column('worker_gid', (i, v) => (worker[i] = indexOf(v)))
  await column('framework_stream_id', (i, v) => {
    const text = textOf(v)
    if (text !== null && text !== '') stream[i] = b.text(text)
  })
  await column('flow_id', (i, v) => {
    for (const id of Array.isArray(v) ? v : [v]) b.attribute(base + i, 'flow_id', id)
  })
  for (const name of columns) if (!KNOWN.has(name)) await column(name, (i, v) => b.attribute(base + i, name, v))
  await column('extra_attributes_json', (i, v) => {
    if (v === null || v === '') return
    const record = typeof v === 'string' && v.length <= JSON_CHARS ? parseExact(v) : undefined
    if (!isRecord(record)) {
      if (record === null) return
      counts.badJson++
      b.attribute(base + i, 'extra_attributes_json', v)
      return
    }
    for (const [key, value] of Object.entries(record)) {
      b.attribute(base + i, key, value)
      if (key === 'device_core_idx' && core[i] < 0) core[i] = indexOf(value)
      if (key === 'nc_idx' && nc[i] < 0) nc[i] = indexOf(value)
      if ((key === 'nd_idx' || key === 'device_idx') && device[i] < 0) device[i] = indexOf(value)
    }
  })
  for (let i = 0; i < n; i++)
    b.place.a[base + i] = b.places.id({
      ...NOWHERE,
      instance: instance[i],
      stream: stream[i],
      process: process[i],
      thread: thread[i],
      worker: worker[i],
      device: device[i],
      nc: nc[i],
      core: core[i],
    })
}
