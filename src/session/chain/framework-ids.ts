/**
 * Links of the framework's own ids. `correlation` and `External id` tie work on a stream to the call that started it where no flow does; a framework mapping ties operators to
 * what the runtime did where no stream event names the sequence id. An id that several calls carry, none of them inside of the other, tells nothing.
 */
import { stringAt } from '../../shared/columns'
import { TRACE_ID_KEYS, type FrameworkMappingTable, type TraceTable } from '../../shared/tables'
import { Groups, halves, isNone } from './groups'
import type { LinkList } from './links'
import { BY_CORRELATION, BY_MAPPING, INFERRED, L_FRAMEWORK, L_RUNTIME, L_STREAM, type Breath, type GraphSource } from './model'
import { STRIDE, type Nodes } from './nodes'
import { processesOf, type Sequences } from './sequence'
import { innermost, nest, outermost } from './slices'

const CORRELATION = TRACE_ID_KEYS.indexOf('correlation')
const EXTERNAL = TRACE_ID_KEYS.indexOf('External id')
const SEQUENCE_NUMBER = TRACE_ID_KEYS.indexOf('Sequence number')
/** More calls than one operator makes. */
const MOST_CALLS = 1000

export async function correlationLinks(n: Nodes, s: GraphSource, t: TraceTable, links: LinkList, breath: Breath): Promise<void> {
  const { ids } = t
  if (!ids || s.facts.streams === 0) return
  const led = new Uint8Array(s.count)
  for (let i = 0; i < links.count; i++) {
    const to = links.to(i) - s.base
    if (to >= 0 && to < s.count) led[to] = 1
  }
  const value = halves(ids.value)
  for (const key of [CORRELATION, EXTERNAL]) {
    const calls = new Groups()
    const work: number[] = []
    for (let i = 0; i < ids.count; i++) {
      if (i % STRIDE === 0 && breath.due) await breath.pause()
      if (ids.key[i] !== key || isNone(value[2 * i], value[2 * i + 1])) continue
      const row = ids.row[i]
      const l = n.layer[s.base + row]
      if (l === L_FRAMEWORK) calls.add(0, value[2 * i], value[2 * i + 1], s.base + row)
      else if (l === L_STREAM && led[row] === 0) work.push(i)
    }
    for (let k = 0; k < work.length; k++) {
      if (k % 1024 === 0 && breath.due) await breath.pause()
      const i = work[k]
      const g = calls.of(0, value[2 * i], value[2 * i + 1])
      const found = g < 0 ? [] : Array.from(calls.members(g))
      if (found.length === 0 || found.length > MOST_CALLS) continue
      const [call, ...more] = innermost(found, nest(n, found))
      if (call === undefined || more.length > 0) continue
      const node = s.base + ids.row[i]
      links.add(call, node, BY_CORRELATION, value[2 * i], value[2 * i + 1])
      n.process[node] = n.process[call]
      led[ids.row[i]] = 1
    }
  }
}

/** Adds the links of the mappings; answers how many entries led to one and how many did not although the runtime's trace has their sequence id. */
export async function mappingLinks(
  n: Nodes,
  mappings: readonly FrameworkMappingTable[],
  q: Sequences,
  links: LinkList,
  breath: Breath,
): Promise<{ readonly mapped: number; readonly unmapped: number }> {
  let mapped = 0
  let unmapped = 0
  if (mappings.length === 0) return { mapped, unmapped }
  const operators = await collectOperators(n, breath)
  const processes = processesOf(
    n,
    n.sources.filter(s => s.table.kind === 'system'),
  )
  for (const m of mappings) {
    const [seq, number] = [halves(m.nrtaSeqId), halves(m.seqNr)]
    // Where no thread of the mapping is one of the trace, its threads are counted in another way and the sequence number alone must do.
    const threads = new Set<string>()
    for (let o = 0; o < m.operatorCount; o++) if ((m.present[o] & 2) !== 0) threads.add(String(m.threadId[o]))
    const alike = [...threads].some(t => operators.tids.has(t))
    for (let e = 0; e < m.count; e++) {
      if (e % 1024 === 0 && breath.due) await breath.pause()
      for (const p of processes) {
        const g = q.groups.of(p, seq[2 * e], seq[2 * e + 1])
        if (g < 0 || isNone(seq[2 * e], seq[2 * e + 1])) continue
        const members = Array.from(q.groups.members(g))
        // The framework's trace says it itself.
        if (members.some(x => n.layer[x] === L_FRAMEWORK || n.layer[x] === L_STREAM)) continue
        const runtime = members.filter(x => n.layer[x] === L_RUNTIME)
        const work = runtime.length > 0 ? runtime : members
        if (members.length > MOST_CALLS) continue
        let found = 0
        for (let o = m.opStart[e]; o < m.opStart[e + 1]; o++) {
          if ((m.present[o] & 1) === 0 || m.seqNr[o] < 0n) continue
          if (alike && (m.present[o] & 2) === 0) continue
          const at = operators.find(p, alike ? String(m.threadId[o]) : null, number[2 * o], number[2 * o + 1])
          const [operator, ...more] = at.length > MOST_CALLS ? [] : outermost(at, nest(n, at))
          if (operator === undefined || more.length > 0) continue
          found++
          for (const to of outermost(work, nest(n, work)))
            links.add(operator, to, alike ? BY_MAPPING : BY_MAPPING | INFERRED, seq[2 * e], seq[2 * e + 1])
        }
        if (found > 0) mapped++
        else unmapped++
      }
    }
  }
  return { mapped, unmapped }
}

interface Operators {
  /** Ids of threads that have operators with a sequence number. */
  readonly tids: ReadonlySet<string>
  /** Operators of a process with a sequence number, of one thread or (null) of any. */
  readonly find: (process: number, tid: string | null, low: number, high: number) => readonly number[]
}

async function collectOperators(n: Nodes, breath: Breath): Promise<Operators> {
  const groups = new Groups()
  const tids = new Set<string>()
  const tidOf = new Map<number, string>()
  for (const s of n.sources) {
    const t = s.table
    if (t.kind !== 'chrome-trace' || !t.ids) continue
    const value = halves(t.ids.value)
    const texts = Array.from(t.threads.tid, id => stringAt(t.strings, id))
    for (let i = 0; i < t.ids.count; i++) {
      if (i % STRIDE === 0 && breath.due) await breath.pause()
      const row: number = t.ids.row[i]
      const node = s.base + row
      if (t.ids.key[i] !== SEQUENCE_NUMBER || n.layer[node] !== L_FRAMEWORK) continue
      groups.add(n.process[node], value[2 * i], value[2 * i + 1], node)
      const tid = texts[t.thread[row]] ?? ''
      tids.add(tid)
      tidOf.set(node, tid)
    }
  }
  return {
    tids,
    find: (process, tid, low, high) => {
      const g = groups.of(process, low, high)
      if (g < 0) return []
      const all = Array.from(groups.members(g))
      return tid === null ? all : all.filter(x => tidOf.get(x) === tid)
    },
  }
}
