/** Which group a track stands in: one rule per grouping. */
import type { TrackInfo } from '../../../shared/api'
import type { Grouping } from '../../../shared/trace-api'
import { join, ncName, pidName, threadOf } from './names'
import type { NameContext } from './model'

/** Group of a track. Groups stand by `rank`, then in the order of their first track. */
export interface Home {
  readonly key: string
  readonly title: string | null
  /** What stands behind the title; null: rank and name of the process. */
  readonly sub: string | null
  readonly full: string
  readonly closed: boolean
  readonly rank: readonly number[]
}

export interface RuleInput {
  readonly names: NameContext
  /** Name of a source, as keys have it. */
  readonly source: (t: TrackInfo) => string
  /** Source of the only framework trace of a process; null where two tell of it, undefined where none does. */
  readonly traceOf: ReadonlyMap<string, string | null>
  /** Place of a process among all, by its first track. */
  readonly order: (t: TrackInfo) => number
}

/** The host's averages, and the samples of each of its cores. */
export const HOST_KEY = 'host'
export const HOST_CORES_KEY = 'host-cores'
export const LANES_KEY = 'lanes'

const LAST = 1e9

const host = (t: TrackInfo): Home =>
  // A host has hundreds of cores: their lanes begin folded, the average stands above them.
  /^\d+$/.test(t.tid)
    ? { key: HOST_CORES_KEY, title: 'Host CPU by core', sub: '', full: '', closed: true, rank: [LAST + 2] }
    : { key: HOST_KEY, title: 'Host', sub: '', full: '', closed: false, rank: [LAST + 1] }

const lanes: Home = { key: LANES_KEY, title: 'Memory and transfers', sub: '', full: '', closed: false, rank: [LAST] }
const isLane = (t: TrackInfo): boolean => t.origin === 'hbm' || t.origin === 'transfer' || t.origin === 'pytorch'

const processTitle = (pid: string): string => pidName(pid) || 'No process'

/** What is left of a process beside the groups of a grouping. */
const rest = (t: TrackInfo, { names, order }: RuleInput, sub: string): Home => ({
  key: `rest/${t.pid}`,
  title: processTitle(t.pid),
  sub,
  full: join(t.instance ?? names.instance, pidName(t.pid)),
  closed: false,
  rank: [order(t), 1],
})

type Rule = (t: TrackInfo, input: RuleInput) => Home

/**
 * Process, then source. The runtime's events of a process join the group that the framework's trace of the same process makes: one process, whatever file tells of it. Two
 * traces that name the same process stay apart.
 */
const byDefault: Rule = (t, { names, source, traceOf }) => {
  if (isLane(t)) return lanes
  const from = t.origin === undefined ? source(t) : (traceOf.get(t.pid) ?? source(t))
  return {
    key: `process/${from}/${t.pid}`,
    title: processTitle(t.pid),
    sub: null,
    full: join(t.instance ?? names.instance, pidName(t.pid)),
    closed: false,
    rank: [0],
  }
}

/** By where it ran: threads of the host, or the device with its streams, memory and transfers. */
const byUnit: Rule = t =>
  isLane(t) || t.origin === 'neuron_hw' || t.role === 'stream'
    ? { key: 'device', title: 'Neuron device', sub: '', full: '', closed: false, rank: [1] }
    : { key: 'cpu', title: 'CPU', sub: '', full: '', closed: false, rank: [0] }

const byCore: Rule = (t, input) => {
  const { names } = input
  if (t.nc === undefined) return isLane(t) ? lanes : rest(t, input, 'without a NeuronCore')
  const name = ncName(t, names)
  return {
    key: `nc/${name}`,
    title: name,
    sub: '',
    full: join(t.instance ?? names.instance, name),
    closed: false,
    rank: [-1, t.device ?? 0, t.nc],
  }
}

const byThread: Rule = (t, input) => {
  if (isLane(t)) return lanes
  const thread = threadOf(t)
  if (thread === '') return rest(t, input, 'without a thread, or of several')
  const pid = pidName(t.pid)
  return {
    key: `thread/${t.pid}/${thread}`,
    title: `TID:${thread}`,
    sub: pid,
    full: join(t.instance ?? input.names.instance, pid, `TID:${thread}`),
    closed: false,
    rank: [input.order(t), 0],
  }
}

const byProcess: Rule = (t, { names, order }) =>
  t.pid === '' && isLane(t)
    ? lanes
    : {
        key: `pid/${t.pid}`,
        title: processTitle(t.pid),
        sub: null,
        full: join(t.instance ?? names.instance, pidName(t.pid)),
        closed: false,
        rank: [order(t)],
      }

const byInstance: Rule = (t, { names }) => ({
  key: 'all',
  title: null,
  sub: '',
  full: t.instance ?? names.instance,
  closed: false,
  rank: [0],
})

const RULES: Readonly<Record<Grouping, Rule>> = {
  default: byDefault,
  'cpu-device': byUnit,
  neuroncore: byCore,
  thread: byThread,
  process: byProcess,
  instance: byInstance,
}

/** The host's samples stand together in every grouping. */
export const homeOf = (grouping: Grouping, t: TrackInfo, input: RuleInput): Home =>
  t.origin === 'host' ? host(t) : RULES[grouping](t, input)

/** Whether rows go by thread: then the runtime's events do too. */
export const goesByThread = (grouping: Grouping): boolean => grouping === 'thread' || grouping === 'cpu-device'
