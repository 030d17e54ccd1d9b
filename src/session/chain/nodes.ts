/** Numbers the events of all sources and says of each: layer, process, place among the drawn slices. */
import { stringAt } from '../../shared/columns'
import { EVENT_SOURCES, eventName, type SystemTable } from '../../shared/system-tables'
import type { TraceTable } from '../../shared/tables'
import { L_FRAMEWORK, L_HARDWARE, L_NONE, L_RUNTIME, L_STREAM, L_UNKNOWN, type Breath, type ChainSource, type GraphSource } from './model'

/** Readings of two clocks, no work: nothing leads to them. */
export const isClockReading = (name: string): boolean => name === 'timestamp_sync_point'

const SOURCE_RT = EVENT_SOURCES.indexOf('neuron_rt')
const SOURCE_HW = EVENT_SOURCES.indexOf('neuron_hw')
const SOURCE_FRAMEWORK = EVENT_SOURCES.indexOf('framework')

export interface Nodes {
  readonly sources: readonly GraphSource[]
  readonly count: number
  readonly layer: Uint8Array
  readonly process: Uint16Array
  readonly position: Int32Array
  readonly processes: readonly string[]
  /** Number of a process by its id as text; '' is 0. */
  readonly processOf: (pid: string) => number
}

/** Rows between two looks at the clock. */
export const STRIDE = 8192

export async function makeNodes(input: readonly ChainSource[], breath: Breath): Promise<Nodes> {
  const processes = ['']
  const known = new Map([['', 0]])
  const processOf = (pid: string): number => {
    let p = known.get(pid)
    if (p === undefined) {
      // More than a column holds: not told apart, so linked with nothing.
      if (processes.length >= 0xffff) return 0
      known.set(pid, (p = processes.push(pid) - 1))
    }
    return p
  }
  let base = 0
  let slices = 0
  const sources: GraphSource[] = input.map(s => {
    const trackBase = Uint32Array.from(s.tracks, t => {
      const at = slices
      slices += t.row.length
      return at
    })
    const facts = { streams: 0, hardware: 0, runtime: 0, flows: 0, boundFlows: 0, crowdedFlows: 0, sequences: 0 }
    const one = { ...s, base, count: s.table.count, trackBase, facts }
    base += s.table.count
    return one
  })
  const layer = new Uint8Array(base)
  const process = new Uint16Array(base)
  const position = new Int32Array(base).fill(-1)
  for (const s of sources) {
    const hosts = hostsOf(s)
    for (let k = 0; k < s.tracks.length; k++) {
      const t = s.tracks[k]
      const from = s.trackBase[k]
      for (let i = 0; i < t.row.length; i++) {
        position[s.base + t.row[i]] = from + i
        if (i % STRIDE === 0 && breath.due) await breath.pause()
      }
      if (s.table.kind !== 'chrome-trace') continue
      const stream = t.role === 'stream'
      if (stream) s.facts.streams += t.row.length
      // The process of a stream is a device; whose work it did is told by what started it.
      const pid = stream ? processOf(hosts.length === 1 ? hosts[0] : '') : processOf(t.pid)
      for (let i = 0; i < t.row.length; i++) {
        if (i % STRIDE === 0 && breath.due) await breath.pause()
        layer[s.base + t.row[i]] = stream ? L_STREAM : L_FRAMEWORK
        process[s.base + t.row[i]] = pid
      }
    }
    if (s.table.kind === 'system') await systemNodes(s, s.table, layer, process, position, processOf, breath)
  }
  return { sources, count: base, layer, process, position, processes, processOf }
}

/** Processes whose threads a trace shows. */
export function hostsOf(s: ChainSource): readonly string[] {
  const threads = s.tracks.filter(t => t.role === 'thread')
  // Whatever Kineto adds as "Spans" and "Traces" is no process.
  const numbered = threads.filter(t => /^\d+$/.test(t.pid))
  return [...new Set((numbered.length > 0 ? numbered : threads).map(t => t.pid))].filter(p => p !== '')
}

async function systemNodes(
  s: GraphSource,
  t: SystemTable,
  layer: Uint8Array,
  process: Uint16Array,
  position: Int32Array,
  processOf: (pid: string) => number,
  breath: Breath,
): Promise<void> {
  const own = processOf(s.pid)
  const ofPlace = Uint16Array.from(t.places.process, p => (Number.isNaN(p) ? own : processOf(String(p))))
  const ofType = Uint8Array.from(t.types.source, c =>
    c === SOURCE_RT ? L_RUNTIME : c === SOURCE_HW ? L_HARDWARE : c === SOURCE_FRAMEWORK ? L_FRAMEWORK : L_UNKNOWN,
  )
  for (let row = 0; row < t.count; row++) {
    if (row % STRIDE === 0 && breath.due) await breath.pause()
    const node = s.base + row
    if (position[node] < 0) continue
    const place = t.place[row]
    const l = ofType[t.type[row]]
    layer[node] = l === L_FRAMEWORK && t.places.stream[place] >= 0 ? L_STREAM : l
    process[node] = ofPlace[place]
    if (layer[node] === L_STREAM) s.facts.streams++
    else if (l === L_HARDWARE) s.facts.hardware++
    else if (l === L_RUNTIME) s.facts.runtime++
  }
}

export const sourceOf = (sources: readonly GraphSource[], node: number): GraphSource => {
  for (const s of sources) if (node < s.base + s.count) return s
  throw new RangeError(`no event ${node}`)
}

/** Track (its index in the source) and position of a node's slice; null for events on no track. */
export function placeOf(s: GraphSource, position: Int32Array, node: number): { readonly track: number; readonly at: number } | null {
  const p = position[node]
  if (p < 0) return null
  let low = 0
  let high = s.trackBase.length - 1
  while (low < high) {
    const mid = (low + high + 1) >>> 1
    if (s.trackBase[mid] <= p) low = mid
    else high = mid - 1
  }
  // Tracks without slices share their base with the next one.
  return { track: low, at: p - s.trackBase[low] }
}

export const nameOf = (table: TraceTable | SystemTable, row: number): string =>
  table.kind === 'system' ? eventName(table, row) : stringAt(table.strings, table.name[row])

export { L_NONE }
