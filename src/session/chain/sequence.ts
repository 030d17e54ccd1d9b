/**
 * Links by the ids that name one execution: the NRT sequence id, which the framework's stream event carries as `nrt_sequence_id` and the runtime as `nrta_seq_id`, and the
 * `flow_id` of Neuron Explorer's exports, which is the same number. Equal ids of one process belong together; each layer leads to the next one that carries the id. Between
 * two layers the innermost events lead to the outermost, so that no link repeats what two others say.
 */
import { stringAt } from '../../shared/columns'
import { attributeText, keyId, type SystemTable } from '../../shared/system-tables'
import { TRACE_ID_KEYS, type TraceTable } from '../../shared/tables'
import { Groups, halves, isNone } from './groups'
import type { LinkList } from './links'
import {
  BY_FLOW,
  BY_PARENT,
  BY_SEQUENCE,
  L_FRAMEWORK,
  L_HARDWARE,
  L_NONE,
  L_RUNTIME,
  L_UNKNOWN,
  VALUE_NONE,
  type Breath,
  type GraphSource,
} from './model'
import { isClockReading, sourceOf, STRIDE, type Nodes } from './nodes'
import { around } from './order'
import { innermost, nest, outermost, type Nest } from './slices'

/** More events than one execution has, and more links than one needs: an id that so many carry is none. */
export const MOST_MEMBERS = 100_000
export const MOST_PAIRS = 100_000

const SEQUENCE = TRACE_ID_KEYS.indexOf('nrt_sequence_id')
const DIGITS = /^\d{1,20}$/

export interface Sequences {
  /** Space is the process. */
  readonly groups: Groups
  /** 1: its id stands as a flow id only. 2: as a sequence id. 0: it has none. */
  readonly carries: Uint8Array
}

/** Collects the ids of all sources. Processes of streams must be known by now. */
export async function collectSequences(n: Nodes, breath: Breath): Promise<Sequences> {
  const groups = new Groups()
  const carries = new Uint8Array(n.count)
  settleProcesses(n)
  for (const s of n.sources) {
    if (s.table.kind === 'chrome-trace') await ofTrace(n, s, s.table, groups, carries, breath)
    else await ofSystem(n, s, s.table, groups, carries, breath)
  }
  return { groups, carries }
}

/** Where one side does not tell its process and there is only one that it can be, it is that one. */
function settleProcesses(n: Nodes): void {
  const traces = n.sources.filter(s => s.table.kind === 'chrome-trace')
  const systems = n.sources.filter(s => s.table.kind === 'system')
  const settle = (of: readonly GraphSource[], by: readonly GraphSource[]): void => {
    const [only, ...more] = of.length === 1 ? processesOf(n, by) : []
    if (only === undefined || more.length > 0) return
    for (const s of of) for (let i = s.base; i < s.base + s.count; i++) if (n.process[i] === 0 && n.layer[i] !== L_NONE) n.process[i] = only
  }
  settle(systems, traces)
  settle(traces, systems)
}

/** Processes that events of some sources are of, without 0. */
export function processesOf(n: Nodes, of: readonly GraphSource[]): readonly number[] {
  const seen = new Uint8Array(n.processes.length)
  for (const s of of) for (let i = s.base; i < s.base + s.count; i++) seen[n.process[i]] = 1
  return Array.from(seen.keys()).filter(p => p > 0 && seen[p] === 1)
}

async function ofTrace(n: Nodes, s: GraphSource, t: TraceTable, groups: Groups, carries: Uint8Array, breath: Breath): Promise<void> {
  const { ids } = t
  if (!ids) return
  const value = halves(ids.value)
  for (let i = 0; i < ids.count; i++) {
    if (i % STRIDE === 0 && breath.due) await breath.pause()
    if (ids.key[i] !== SEQUENCE || isNone(value[2 * i], value[2 * i + 1])) continue
    const node = s.base + ids.row[i]
    if (n.layer[node] === L_NONE || carries[node] !== 0) continue
    carries[node] = 2
    s.facts.sequences++
    groups.add(n.process[node], value[2 * i], value[2 * i + 1], node)
  }
}

async function ofSystem(n: Nodes, s: GraphSource, t: SystemTable, groups: Groups, carries: Uint8Array, breath: Breath): Promise<void> {
  const value = halves(t.sequence)
  const usable = !t.verdict.unverified.includes('nrta_seq_id')
  const flow = keyId(t, 'flow_id')
  for (let row = 0; row < t.count; row++) {
    if (row % STRIDE === 0 && breath.due) await breath.pause()
    const node = s.base + row
    if (n.layer[node] === L_NONE || n.layer[node] === L_UNKNOWN) continue
    if (usable && t.hasSequence[row] === 1 && !isNone(value[2 * row], value[2 * row + 1])) {
      carries[node] = 2
      s.facts.sequences++
      groups.add(n.process[node], value[2 * row], value[2 * row + 1], node)
    }
    if (flow < 0) continue
    for (let a = t.attrStart[row]; a < t.attrStart[row + 1]; a++) {
      if (t.attrKey[a] !== flow) continue
      const text = attributeText(t, a)
      if (!DIGITS.test(text)) continue
      const id = BigInt(text)
      const low = Number(id & 0xffff_ffffn)
      const high = Number(id >> 32n)
      if (high > 0xffff_ffff || isNone(low, high) || (carries[node] === 2 && value[2 * row] === low && value[2 * row + 1] === high))
        continue
      if (carries[node] === 0) {
        carries[node] = 1
        s.facts.sequences++
      }
      groups.add(n.process[node], low, high, node)
    }
  }
}

const NO_NEST: Nest = { parent: new Int32Array(0), around: new Uint8Array(0) }

/** Adds the links of all groups; answers how many groups were too large. */
export async function sequenceLinks(n: Nodes, q: Sequences, links: LinkList, breath: Breath): Promise<number> {
  let crowded = 0
  for (let g = 0; g < q.groups.count; g++) {
    if (g % 256 === 0 && breath.due) await breath.pause()
    const members = q.groups.members(g)
    if (members.length < 2) continue
    if (members.length > MOST_MEMBERS) {
      crowded++
      continue
    }
    const layers: number[][] = [[], [], [], [], []]
    for (const node of members) if (!(n.layer[node] === L_HARDWARE && isClock(n, node))) layers[n.layer[node]]?.push(node)
    const nests = layers.map(l => (l.length === 0 ? NO_NEST : nest(n, l)))
    for (let l = L_FRAMEWORK; l <= L_HARDWARE; l++) {
      if (layers[l].length === 0) continue
      // Nesting of the framework's own calls is told once for all of them.
      if (l > L_FRAMEWORK) nestedLinks(layers[l], nests[l], links)
      const below = layers.findIndex((x, i) => i > l && x.length > 0)
      if (below < 0) continue
      const own = innermost(layers[l], nests[l])
      const next = outermost(layers[below], nests[below])
      if (own.length * next.length > MOST_PAIRS || (l === L_RUNTIME && layers[l].length * next.length > MOST_PAIRS)) {
        crowded++
        continue
      }
      const link = (a: number, b: number): void => {
        const by = q.carries[a] === 2 && q.carries[b] === 2 ? BY_SEQUENCE : BY_FLOW
        links.add(a, b, by, q.groups.low(g), q.groups.high(g))
      }
      if (l !== L_RUNTIME) {
        for (const a of own) for (const b of next) link(a, b)
        continue
      }
      const above = layers.findLastIndex((x, i) => i < L_RUNTIME && x.length > 0)
      const starters = above < 0 ? [] : innermost(layers[above], nests[above])
      for (const b of next) {
        const { before, after } = around(n, layers[l], nests[l], b)
        for (const a of before) link(a, b)
        for (const a of after) link(b, a)
        // No call of the runtime that can have started it: the layer above leads to it.
        if (before.length === 0) for (const a of starters) link(a, b)
      }
    }
  }
  return crowded
}

/** 1 for types that are readings of clocks, by table. */
const clockTypes = new WeakMap<SystemTable, Uint8Array>()

function isClock(n: Nodes, node: number): boolean {
  const s = sourceOf(n.sources, node)
  const { table: t } = s
  if (t.kind !== 'system') return false
  let clocks = clockTypes.get(t)
  if (!clocks) clockTypes.set(t, (clocks = Uint8Array.from(t.types.name, name => (isClockReading(stringAt(t.strings, name)) ? 1 : 0))))
  return clocks[t.type[node - s.base]] === 1
}

/** Each event under the innermost of those that enclose it. */
export function nestedLinks(of: readonly number[], { parent }: Nest, links: LinkList): void {
  of.forEach((node, i) => {
    if (parent[i] >= 0) links.add(of[parent[i]], node, BY_PARENT | VALUE_NONE)
  })
}

/** Sequence id or flow id of a node as text; null where it has none. */
export function sequenceOf(s: GraphSource, row: number): string | null {
  const { table: t } = s
  if (t.kind === 'chrome-trace') {
    const { ids } = t
    if (!ids) return null
    for (let i = firstIdOf(t, row); i < ids.count && ids.row[i] === row; i++) if (ids.key[i] === SEQUENCE) return String(ids.value[i])
    return null
  }
  if (t.hasSequence[row] === 1 && !t.verdict.unverified.includes('nrta_seq_id')) return String(t.sequence[row])
  const flow = keyId(t, 'flow_id')
  for (let a = t.attrStart[row]; flow >= 0 && a < t.attrStart[row + 1]; a++) if (t.attrKey[a] === flow) return attributeText(t, a)
  return null
}

/** First id of a row of a trace (ids stand in the order of rows). */
export function firstIdOf(t: TraceTable, row: number): number {
  const { ids } = t
  if (!ids) return 0
  let low = 0
  let high = ids.count
  while (low < high) {
    const mid = (low + high) >>> 1
    if (ids.row[mid] < row) low = mid + 1
    else high = mid
  }
  return low
}

/** Text of a string id that an event carries under a key, e.g. `neff_cache_key`; null without. */
export function textIdOf(t: TraceTable, row: number, key: number): string | null {
  const { ids } = t
  if (!ids) return null
  for (let i = firstIdOf(t, row); i < ids.count && ids.row[i] === row; i++)
    if (ids.key[i] === key) return stringAt(t.strings, Number(ids.value[i]))
  return null
}
