/** Why nothing is linked with an event, in half a sentence: what the files lack, or what this event does not carry. */
import { num } from '../../shared/format'
import { MOST_MEMBERS, sequenceOf } from './sequence'
import { L_FRAMEWORK, L_HARDWARE, L_RUNTIME, L_STREAM, type ChainGraph, type GraphSource } from './model'
import { hostsOf, isClockReading, nameOf } from './nodes'

export interface Why {
  readonly up: string | null
  readonly down: string | null
}

/** Reasons for both directions, whether or not something is linked there; null where nothing is missing. */
export function why(g: ChainGraph, s: GraphSource, node: number): Why {
  const row = node - s.base
  const traces = g.sources.filter(x => x.table.kind === 'chrome-trace')
  const systems = g.sources.filter(x => x.facts.runtime > 0 || x.facts.hardware > 0)
  const name = nameOf(s.table, row)
  const id = sequenceOf(s, row)
  switch (g.layer[node]) {
    case L_FRAMEWORK:
      return {
        up: null,
        down: s.table.kind === 'chrome-trace' ? framework(s) : id === null ? 'the event carries no flow id' : nobody(g, node, id, systems),
      }
    case L_STREAM:
      return {
        up:
          s.table.kind !== 'chrome-trace'
            ? id === null
              ? 'the event carries no flow id'
              : `no framework event carries flow id ${id}`
            : s.facts.flows === 0
              ? 'the trace has no flow ids and no call with the same id: was it captured with ProfilerActivity.CPU?'
              : `no flow of the trace ends in this event${crowd(s)}`,
        down: stream(g, node, s, id, systems),
      }
    case L_RUNTIME: {
      const clockless = id === null ? noSequence(s, name) : null
      return {
        up: clockless ?? upstream(g, node, id as string, s, traces),
        down:
          clockless ??
          (systems.every(x => x.facts.hardware === 0)
            ? 'no event of the hardware was captured'
            : `no event of the hardware has sequence id ${id}${lost(systems)}`),
      }
    }
    case L_HARDWARE:
      if (isClockReading(name)) return { up: 'a reading of the two clocks belongs to no work', down: null }
      return {
        up:
          id === null
            ? noSequence(s, name)
            : systems.every(x => x.facts.runtime === 0)
              ? upstream(g, node, id, s, traces)
              : leadsToRuntime(g, node)
                ? `every event of the runtime with sequence id ${id} starts after it${lost(systems)}`
                : `no event of the runtime has sequence id ${id}${lost(systems)}`,
        down: null,
      }
    default: {
      const unknown = 'whether this kind of event is of the host or the hardware is not known'
      return { up: unknown, down: unknown }
    }
  }
}

/** Whether host events follow from this one of the hardware. */
function leadsToRuntime(g: ChainGraph, node: number): boolean {
  for (let k = g.downStart[node]; k < g.downStart[node + 1]; k++) if (g.layer[g.to[k]] === L_RUNTIME) return true
  return false
}

function framework(s: GraphSource): string {
  const { facts } = s
  if (facts.streams === 0 && facts.flows === 0)
    return 'the trace has no device events and no flow ids: was it captured with ProfilerActivity.PrivateUse1?'
  if (facts.flows === 0) return 'the trace has no flow ids, and no device event carries an id of this call'
  if (facts.boundFlows === 0 && facts.crowdedFlows === 0) return 'the flows of the trace end and begin where no slice stands'
  const none = 'no flow begins in this event or in a call inside of it'
  return facts.crowdedFlows === 0 ? `${none}: it started no device work` : none + crowd(s)
}

/** Told where it may be the reason: flows that were left out. */
function crowd({ facts: { crowdedFlows: n } }: GraphSource): string {
  if (n === 0) return ''
  return `; ${num(n)} flow ${n === 1 ? 'id was' : 'ids were'} left out: more than ${num(MOST_MEMBERS)} events carry ${n === 1 ? 'it' : 'each'}`
}

function stream(g: ChainGraph, node: number, s: GraphSource, id: string | null, systems: readonly GraphSource[]): string {
  if (systems.length === 0) return 'the session has no runtime trace'
  if (id === null)
    return s.facts.sequences === 0
      ? 'the device events of the trace carry no nrt_sequence_id'
      : 'this device event carries no nrt_sequence_id'
  return nobody(g, node, id, systems)
}

/** Why an id leads to nothing in the runtime's trace. */
function nobody(g: ChainGraph, node: number, id: string, systems: readonly GraphSource[]): string {
  if (systems.length === 0) return 'the session has no runtime trace'
  if (systems.every(x => x.facts.sequences === 0)) return missingIds(systems)
  const own = g.processes[g.process[node]] ?? ''
  const theirs = new Set<string>()
  for (const x of systems) theirs.add(x.pid)
  if (own !== '' && ![...theirs].some(p => p === own || p === '') && systems.every(x => processesOf(x).every(p => p !== own)))
    return `the runtime trace is of process ${[...theirs].join(', ')}, this event of process ${own}`
  return `no event of the runtime trace has sequence id ${id}${lost(systems)}`
}

/** Processes that events of a source name. */
function processesOf(s: GraphSource): readonly string[] {
  if (s.table.kind !== 'system') return []
  return Array.from(new Set(s.table.places.process), p => (Number.isNaN(p) ? s.pid : String(p)))
}

function upstream(g: ChainGraph, node: number, id: string, s: GraphSource, traces: readonly GraphSource[]): string {
  // An export has the framework's events itself.
  const all = s.facts.streams > 0 ? [...new Set([...traces, s])] : traces
  if (all.length === 0) return 'the session has no framework trace'
  if (all.every(x => x.facts.streams === 0))
    return 'the framework trace has no device events: was it captured with ProfilerActivity.PrivateUse1?'
  if (traces.length > 0 && all.every(x => x === s || x.facts.sequences === 0))
    return 'the device events of the framework trace carry no nrt_sequence_id'
  const own = g.processes[g.process[node]] ?? ''
  const hosts = [...new Set(traces.flatMap(hostsOf))]
  if (own !== '' && hosts.length > 0 && !hosts.includes(own))
    return `the framework trace is of process ${hosts.join(', ')}, this event of process ${own}`
  return `no device event of the framework trace has sequence id ${id}`
}

function noSequence(s: GraphSource, name: string): string {
  if (s.facts.sequences === 0) return missingIds([s])
  return `this ${name} event carries no sequence id`
}

function missingIds(systems: readonly GraphSource[]): string {
  const unverified = systems.some(x => x.table.kind === 'system' && x.table.verdict.unverified.includes('nrta_seq_id'))
  return unverified
    ? 'no check confirmed which field of the runtime trace is the sequence id; an imported schema tells'
    : 'the runtime trace has no sequence ids'
}

const lost = (systems: readonly GraphSource[]): string =>
  systems.some(x => x.table.kind === 'system' && x.table.cores.some(c => c.headLost))
    ? '; the beginning of the runtime trace was overwritten'
    : ''
