/** Lanes of host samples: CPU utilisation (average of all cores, then each core) and host memory. */
import type { CpuTable, HostMemoryTable } from '../../shared/system-tables'
import { mergeSort } from '../trace/lanes'
import type { TrackModel } from '../trace/model'

/** Columns of a track without samples, for tracks of slices. */
export const EMPTY_COUNTER = { time: new Float64Array(0), value: new Float64Array(0), min: NaN, max: NaN } as const

const EMPTY_SLICES = {
  start: new Float64Array(0),
  duration: new Float64Array(0),
  row: new Uint32Array(0),
  nameId: new Int32Array(0),
  categoryId: new Int32Array(0),
  flags: new Uint8Array(0),
  parent: new Int32Array(0),
} as const

/** A step curve as a track. Samples need not be in order. */
export function counter(index: number, name: string, note: string, tid: string, time: Float64Array, value: Float64Array): TrackModel {
  const order = mergeSort(time.length, (a, b) => (time[a] as number) - (time[b] as number))
  const sorted = curve(
    { role: 'counter', origin: 'host', pid: '', tid, processName: '', processLabels: '', name, note },
    Float64Array.from(order, i => time[i] as number),
    Float64Array.from(order, i => value[i] as number),
  )
  return { ...sorted, index }
}

/** A step curve whose samples are in order of time; the columns are taken over. `note` is the unit. */
export function curve(
  head: Pick<TrackModel, 'role' | 'origin' | 'place' | 'pid' | 'tid' | 'processName' | 'processLabels' | 'name' | 'note' | 'knownFrom'>,
  time: Float64Array,
  value: Float64Array,
): TrackModel {
  let min = NaN
  let max = NaN
  for (const v of value) {
    if (!(v >= min)) min = v
    if (!(v <= max)) max = v
  }
  return {
    ...EMPTY_SLICES,
    // Its own: buffers of tables are transferred between threads, a shared one would be gone after the first.
    laneStart: new Uint32Array([0, 0]),
    index: -1,
    kind: 'counter',
    ...head,
    depth: 1,
    events: value.length,
    time,
    value,
    min,
    max,
  }
}

/**
 * Host CPU: first the average, then one track per sampled core, percent of one core. The average is the file's own where it has one, else the mean of the cores sampled at the
 * same instant (the runtime samples all at once).
 */
export function cpuTracks(t: CpuTable): readonly TrackModel[] {
  const byCore = new Map<number, number[]>()
  for (let i = 0; i < t.count; i++) {
    const core = t.cpu[i] as number
    const list = byCore.get(core)
    if (list) list.push(i)
    else byCore.set(core, [i])
  }
  const columns = (rows: readonly number[]): readonly [Float64Array, Float64Array] => [
    Float64Array.from(rows, i => t.time[i] as number),
    Float64Array.from(rows, i => t.util[i] as number),
  ]
  const tracks: TrackModel[] = []
  const stored = byCore.get(-1)
  const average = stored ? columns(stored) : byCore.size > 0 ? meanByTime(t) : null
  if (average) tracks.push(counter(0, 'CPU average', stored ? '%' : `% of ${byCore.size} cores`, 'average', ...average))
  for (const core of [...byCore.keys()].filter(c => c >= 0).sort((a, b) => a - b))
    tracks.push(counter(tracks.length, `CPU:${core}`, '%', String(core), ...columns(byCore.get(core) as number[])))
  return tracks
}

function meanByTime(t: CpuTable): readonly [Float64Array, Float64Array] {
  const sums = new Map<number, [sum: number, n: number]>()
  for (let i = 0; i < t.count; i++) {
    const u = t.util[i] as number
    if (Number.isNaN(u)) continue
    const at = sums.get(t.time[i] as number)
    if (at) {
      at[0] += u
      at[1]++
    } else sums.set(t.time[i] as number, [u, 1])
  }
  return [Float64Array.from(sums.keys()), Float64Array.from(sums.values(), ([sum, n]) => sum / n)]
}

/** Host memory: resident bytes of the process (host_mem.pb), or of the host as an export tells. */
export const hostMemoryTracks = (t: HostMemoryTable): readonly TrackModel[] =>
  t.count === 0 ? [] : [counter(0, 'Host memory', 'bytes', 'host-memory', t.time, t.usage)]
