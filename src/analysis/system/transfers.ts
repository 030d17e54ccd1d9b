/**
 * Copies between host and device: `dmem_buf_copyin` (host to device) and `dmem_buf_copyout` (device to host), by instance, process and logical NeuronCore. Two tracks for each
 * direction, as in Neuron Explorer: the copies, and their bandwidth. The batch variants are left out: whether the copies of a batch stand beside it is not known, and
 * together they would count twice.
 */
import { DiagnosticSink, type Diagnostic } from '../../shared/diagnostics'
import { num } from '../../shared/format'
import { attributeNumber, ROW_SLICE, typesNamed, type SystemTable } from '../../shared/system-tables'
import { mergeSort } from '../trace/lanes'
import type { TrackModel } from '../trace/model'
import { curve } from './counters'
import { PlaceFacts } from './place'
import { systemTrack, type TrackHead } from './track'

export const DIRECTIONS = ['host_to_device', 'device_to_host'] as const
export type Direction = (typeof DIRECTIONS)[number]
const EVENT: Readonly<Record<Direction, string>> = { host_to_device: 'dmem_buf_copyin', device_to_host: 'dmem_buf_copyout' }
const BATCH = ['dmem_buf_copyin_batch', 'dmem_buf_copyout_batch']

/** Copies of one direction at one place. */
export interface Transfers {
  readonly direction: Direction
  readonly pid: string
  readonly facts: PlaceFacts
  /** Rows of the table, ascending: all copies, halves too. */
  readonly rows: readonly number[]
  /** Bytes of each row; NaN where the event carries none. */
  readonly bytes: Float64Array
  /** Copies that carry no size. */
  readonly withoutSize: number
  /** Copies with a size whose start or stop is missing or whose duration is 0: they have no bandwidth. */
  readonly withoutDuration: number
}

/** All copies of a table. `pid`: process of the session where the events name none. */
export function transfersOf(t: SystemTable, pid = ''): readonly Transfers[] {
  const unverified = new Set(t.verdict.unverified)
  const out: Transfers[] = []
  for (const direction of DIRECTIONS) {
    const types = new Set(typesNamed(t, EVENT[direction]))
    if (types.size === 0) continue
    const sets = new Map<string, { readonly pid: string; readonly facts: PlaceFacts; readonly rows: number[] }>()
    for (let row = 0; row < t.count; row++) {
      if (!types.has(t.type[row] as number)) continue
      const place = t.place[row] as number
      const p = t.places
      const nc = unverified.has('nc_idx') ? -1 : (p.nc[place] as number)
      const device = unverified.has('nd_idx') ? -1 : (p.device[place] as number)
      const key = [p.instance[place], p.process[place], device, nc].join()
      let set = sets.get(key)
      if (!set) {
        const process = p.process[place] as number
        sets.set(key, (set = { pid: Number.isNaN(process) ? pid : String(process), facts: new PlaceFacts(unverified), rows: [] }))
      }
      set.facts.add(t, place)
      set.rows.push(row)
    }
    for (const { rows, ...set } of sets.values()) {
      const bytes = Float64Array.from(rows, row => {
        const size = attributeNumber(t, row, 'size')
        return size >= 0 ? size : NaN
      })
      let withoutSize = 0
      let withoutDuration = 0
      rows.forEach((row, i) => {
        if (Number.isNaN(bytes[i])) withoutSize++
        else if (!lasts(t, row)) withoutDuration++
      })
      out.push({ direction, ...set, rows, bytes, withoutSize, withoutDuration })
    }
  }
  return out
}

const lasts = (t: SystemTable, row: number): boolean => t.state[row] === ROW_SLICE && (t.duration[row] as number) > 0

/**
 * Bandwidth over time, bytes per second: the sum of bytes / duration of the copies that are under way. null where no copy has both. 0 between copies is known, as the recording
 * has all events of the core; it begins at `from`.
 */
export function bandwidth(
  t: SystemTable,
  s: Transfers,
  from: number,
): { readonly time: Float64Array; readonly value: Float64Array } | null {
  const copies = s.rows.flatMap((row, i) => (lasts(t, row) && !Number.isNaN(s.bytes[i] as number) ? [i] : []))
  if (copies.length === 0) return null
  const row = (i: number): number => s.rows[copies[i] as number] as number
  const start = Float64Array.from(copies, (_, i) => t.start[row(i)] as number)
  const end = Float64Array.from(copies, (_, i) => (t.start[row(i)] as number) + (t.duration[row(i)] as number))
  const rate = Float64Array.from(copies, (c, i) => ((s.bytes[c] as number) / (t.duration[row(i)] as number)) * 1e9)
  const n = copies.length
  const begins = mergeSort(n, (a, b) => (start[a] as number) - (start[b] as number))
  const ends = mergeSort(n, (a, b) => (end[a] as number) - (end[b] as number))
  const time: number[] = []
  const value: number[] = []
  const first = start[begins[0] as number] as number
  if (from < first) {
    time.push(from)
    value.push(0)
  }
  // What ends at a time ends before what begins there. With nothing under way the sum is exactly 0; in between a compensated sum keeps what rounding would leave.
  let active = 0
  let sum = 0
  let lost = 0
  const add = (x: number): void => {
    const next = sum + x
    lost += Math.abs(sum) >= Math.abs(x) ? sum - next + x : x - next + sum
    sum = next
  }
  for (let b = 0, e = 0; e < n;) {
    const at = Math.min(b < n ? (start[begins[b] as number] as number) : Infinity, end[ends[e] as number] as number)
    for (; e < n && end[ends[e] as number] === at; e++, active--) add(-(rate[ends[e] as number] as number))
    if (active === 0) sum = lost = 0
    for (; b < n && start[begins[b] as number] === at; b++, active++) add(rate[begins[b] as number] as number)
    time.push(at)
    value.push(active === 0 ? 0 : Math.max(0, sum + lost))
  }
  return { time: Float64Array.from(time), value: Float64Array.from(value) }
}

/** Tracks of the copies and what is not in them. `file` names it in findings. */
export function transferTracks(
  t: SystemTable,
  file: string,
  pid = '',
): { readonly tracks: readonly TrackModel[]; readonly findings: readonly Diagnostic[] } {
  const sink = new DiagnosticSink(file)
  const tracks: TrackModel[] = []
  for (const s of transfersOf(t, pid)) {
    const place = s.facts.place
    const known = t.cores.find(c => c.headLost && c.nc === place.nc && (place.device === undefined || c.device === place.device))
    const head: Omit<TrackHead, 'name' | 'note'> = {
      role: 'core',
      origin: 'transfer',
      knownFrom: known?.firstNs ?? null,
      place,
      pid: s.pid,
      tid: `${place.device ?? ''}:${place.nc ?? ''}`,
      processName: '',
      processLabels: '',
    }
    const events = systemTrack(t, { ...head, name: `${s.direction}_transfers`, note: '', derived: true }, Uint32Array.from(s.rows))
    tracks.push({ ...events.track, index: -1 })
    const b = bandwidth(t, s, known?.firstNs ?? t.range?.[0] ?? 0)
    if (b) tracks.push(curve({ ...head, role: 'counter', name: `${s.direction}/transfer_bandwidth`, note: 'B/s' }, b.time, b.value))
    report(sink, s)
  }
  const batches = BATCH.flatMap(name => typesNamed(t, name)).reduce((sum, type) => sum + (t.types.messages[type] as number), 0)
  if (batches > 0)
    sink.add({
      severity: 'info',
      code: 'transfer-batches',
      count: batches,
      message: `${num(batches)} messages are of copies in batches (dmem_buf_copyin_batch, dmem_buf_copyout_batch).`,
      meaning:
        'They stand on the tracks of the runtime, not on those of transfers: whether the single copies are recorded too is not known.',
      action: 'Look at the events of the runtime where transfers seem to be missing.',
    })
  return { tracks, findings: sink.list }
}

function report(sink: DiagnosticSink, s: Transfers): void {
  const where = `${s.direction} copies${s.facts.place.nc === undefined ? '' : ` of NC:${s.facts.place.nc}`}`
  const of = num(s.rows.length)
  if (s.withoutSize > 0)
    sink.add({
      severity: 'info',
      code: 'transfer-without-size',
      count: s.withoutSize,
      message: `${num(s.withoutSize)} of ${of} ${where} carry no size.`,
      meaning:
        s.withoutSize === s.rows.length
          ? 'Their bandwidth is not known.'
          : 'The bandwidth is at least what is shown while one of them is under way.',
      action: 'Nothing; the copies themselves are on their track.',
    })
  if (s.withoutDuration > 0)
    sink.add({
      severity: 'info',
      code: 'transfer-without-duration',
      count: s.withoutDuration,
      message: `${num(s.withoutDuration)} of ${of} ${where} have no duration.`,
      meaning: 'They are not in the bandwidth.',
      action: 'Nothing; the copies themselves are on their track.',
    })
}
