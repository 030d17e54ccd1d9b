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
  readonly samples: number[]
}

export function counterTracks(table: TraceTable): readonly Draft[] {
  const c = table.counters
  const processes = new Processes(table)
  const series = new Map<string, Series>()
  const keysOf = new Map<string, Set<number>>()
  for (let i = 0; i < c.count; i++) {
    const r = c.row[i]
    if (Number.isNaN(table.ts[r])) continue
    const pid = processes.pidOf(r)
    const event = `${pid} ${table.name[r]} ${table.id[r]}`
    const key = `${event} ${c.key[i]}`
    let s = series.get(key)
    if (!s) {
      series.set(key, (s = { pid, name: table.name[r], id: table.id[r], key: c.key[i], samples: [] }))
      const keys = keysOf.get(event)
      if (keys) keys.add(c.key[i])
      else keysOf.set(event, new Set([c.key[i]]))
    }
    s.samples.push(i)
  }
  return [...series.values()].map(s => {
    const at = (k: number): number => table.ts[c.row[s.samples[k]]]
    const order = mergeSort(s.samples.length, (a, b) => at(a) - at(b))
    const time = Float64Array.from(order, k => at(k))
    const value = Float64Array.from(order, k => c.value[s.samples[k]])
    const base = stringAt(table.strings, s.name) + (s.id >= 0 ? ` [${stringAt(table.strings, s.id)}]` : '')
    const key = stringAt(table.strings, s.key)
    const alone = (keysOf.get(`${s.pid} ${s.name} ${s.id}`) as Set<number>).size === 1
    const name = alone ? base : `${base} ${key}`.trim()
    return counterTrack(time, value, processes.place(s.pid), name, alone && key !== base ? key : '')
  })
}
