/** Counters (phase C): one track per process, name, id and key of `args`. */
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { mergeSort } from './lanes'
import { counterTrack, Processes, type Draft } from './draft'

interface Series {
  readonly pid: number
  readonly name: number
  readonly id: number
  readonly key: number
  /** Index of its event (process, name and id) in `keys`. */
  readonly event: number
}

export interface CounterSeries {
  readonly series: readonly Series[]
  /** Samples of each series. */
  readonly events: readonly number[]
  /** Series of each row of `counters`; -1: without time. */
  readonly seriesOf: Int32Array
  /** How many series the events of one process, name and id have. */
  readonly keys: readonly number[]
}

export function counterSeries(table: TraceTable): CounterSeries {
  const c = table.counters
  const processes = new Processes(table)
  const series: Series[] = []
  const events: number[] = []
  const keys: number[] = []
  const seriesOf = new Int32Array(c.count).fill(-1)
  const indexOf = new Map<string, number>()
  const eventOf = new Map<string, number>()
  for (let i = 0; i < c.count; i++) {
    const r = c.row[i]
    if (Number.isNaN(table.ts[r])) continue
    const pid = processes.pidOf(r)
    const event = `${pid} ${table.name[r]} ${table.id[r]}`
    const key = `${event} ${c.key[i]}`
    let s = indexOf.get(key)
    if (s === undefined) {
      let e = eventOf.get(event)
      if (e === undefined) eventOf.set(event, (e = keys.push(0) - 1))
      keys[e]++
      indexOf.set(key, (s = series.push({ pid, name: table.name[r], id: table.id[r], key: c.key[i], event: e }) - 1))
      events.push(0)
    }
    events[s]++
    seriesOf[i] = s
  }
  return { series, events, seriesOf, keys }
}

/** One track per series. `keep`: 0 for series that get none; null keeps all. */
export function counterTracks(table: TraceTable, { series, seriesOf, keys }: CounterSeries, keep: Uint8Array | null): readonly Draft[] {
  if (series.length === 0) return []
  const c = table.counters
  const processes = new Processes(table)
  const samplesOf = series.map((_, s): number[] | null => (keep && !keep[s] ? null : []))
  for (let i = 0; i < c.count; i++) if (seriesOf[i] >= 0) samplesOf[seriesOf[i]]?.push(i)
  const drafts: Draft[] = []
  samplesOf.forEach((samples, i) => {
    if (!samples) return
    const s = series[i]
    const at = (k: number): number => table.ts[c.row[samples[k]]]
    const order = mergeSort(samples.length, (a, b) => at(a) - at(b))
    const time = Float64Array.from(order, k => at(k))
    const value = Float64Array.from(order, k => c.value[samples[k]])
    const base = stringAt(table.strings, s.name) + (s.id >= 0 ? ` [${stringAt(table.strings, s.id)}]` : '')
    const key = stringAt(table.strings, s.key)
    const alone = keys[s.event] === 1
    const name = alone ? base : `${base} ${key}`.trim()
    drafts.push(counterTrack(time, value, processes.place(s.pid), name, alone && key !== base ? key : ''))
  })
  return drafts
}
