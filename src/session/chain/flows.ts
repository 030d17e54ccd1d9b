/**
 * Flows of a Chrome trace (`ph` s, t, f with one `id`, name and category): Kineto's `ac2g` leads from the call on the host to the work on the device. A start and a step are
 * bound to the slice around them; an end to the slice around it where `bp` is `e`, else to the one that begins next on its thread (Trace Event Format).
 */
import { stringAt, stringCount } from '../../shared/columns'
import { TRACE_ID_KEYS, type TraceTable } from '../../shared/tables'
import { Groups } from './groups'
import type { LinkList } from './links'
import { BY_FLOW, L_FRAMEWORK, L_STREAM, VALUE_TEXT, type Breath, type ChainTrack, type GraphSource } from './model'
import { innermostAt, nextFrom } from './slices'
import { STRIDE, type Nodes } from './nodes'

const X = 0x58
const S = 0x73
const T = 0x74
const F = 0x66
const BIND = TRACE_ID_KEYS.indexOf('bp')

/** Ties a backward operator to its forward one: no work leads from one to the other. */
const NO_WORK = new Set(['fwdbwd'])

export async function flowLinks(n: Nodes, s: GraphSource, table: TraceTable, links: LinkList, breath: Breath): Promise<void> {
  const { phase, ts, id, cat, name } = table
  const skip = new Set<number>()
  for (let i = 0; i < stringCount(table.strings) && skip.size < NO_WORK.size; i++)
    if (NO_WORK.has(stringAt(table.strings, i).toLowerCase())) skip.add(i)
  // Category and name as one number; there are a handful of pairs.
  const kinds = new Map<string, number>()
  const groups = new Groups()
  for (let row = 0; row < table.count; row++) {
    if (row % STRIDE === 0 && breath.due) await breath.pause()
    if (phase[row] !== S && phase[row] !== T && phase[row] !== F) continue
    if (id[row] < 0 || ts[row] !== ts[row] || skip.has(cat[row]) || skip.has(name[row])) continue
    s.facts.flows++
    const text = `${cat[row]} ${name[row]}`
    let kind = kinds.get(text)
    if (kind === undefined) kinds.set(text, (kind = kinds.size))
    groups.add(kind, id[row], 0, row)
  }
  if (groups.count === 0) return
  const bound = boundRows(table)
  const tracks = tracksOfThreads(s, table)
  for (let g = 0; g < groups.count; g++) {
    if (g % 1024 === 0 && breath.due) await breath.pause()
    const rows = Array.from(groups.members(g))
    const nodes = rows.map(row => nodeOf(n, s, table, tracks, row, bound))
    for (const node of nodes) if (node >= 0) s.facts.boundFlows++
    for (const [from, to] of pairsOf(table, rows, nodes)) {
      links.add(from, to, BY_FLOW | VALUE_TEXT, groups.low(g))
      // The work on a stream is that of the process that started it.
      if (n.layer[to] === L_STREAM && n.layer[from] === L_FRAMEWORK) n.process[to] = n.process[from]
    }
  }
}

/**
 * Links of one flow. Where it starts in one slice only, that slice leads through the steps to every end. Where an id was used again, by the same process or another one, an
 * end belongs to the last start before it only if no two starts stand together: what two processes have in flight at once under one id cannot be told apart, and is left out.
 */
function pairsOf(table: TraceTable, rows: readonly number[], nodes: readonly number[]): readonly (readonly [number, number])[] {
  const order = rows.map((row, i) => ({ row, node: nodes[i] })).filter(e => e.node >= 0)
  const starts = new Set(order.flatMap(e => (table.phase[e.row] === S ? [e.node] : [])))
  if (starts.size === 0) return []
  const rank = (row: number): number => (table.phase[row] === S ? 0 : table.phase[row] === T ? 1 : 2)
  if (starts.size === 1) {
    // Clocks of host and device may disagree: an end before its start is one all the same.
    order.sort((a, b) => rank(a.row) - rank(b.row) || table.ts[a.row] - table.ts[b.row])
    return chained(table, order)
  }
  order.sort((a, b) => table.ts[a.row] - table.ts[b.row] || rank(a.row) - rank(b.row))
  const parts: (typeof order)[] = []
  for (const e of order) {
    const last = parts[parts.length - 1]
    if (table.phase[e.row] !== S) {
      // An end before any start.
      if (!last) return []
      last.push(e)
    } else if (last?.every(o => table.phase[o.row] === S)) {
      if (last.some(o => o.node !== e.node)) return []
      last.push(e)
    } else parts.push([e])
  }
  return parts.flatMap(p => chained(table, p))
}

function chained(
  table: TraceTable,
  order: readonly { readonly row: number; readonly node: number }[],
): readonly (readonly [number, number])[] {
  const out: (readonly [number, number])[] = []
  let last = -1
  for (const e of order) {
    if (last >= 0 && table.phase[e.row] !== S && e.node !== last) out.push([last, e.node])
    if (table.phase[e.row] !== F) last = e.node
  }
  return out
}

/** 1 for rows whose end is bound to the slice around it. */
function boundRows(table: TraceTable): Uint8Array {
  const out = new Uint8Array(table.count)
  const { ids } = table
  if (ids) for (let i = 0; i < ids.count; i++) if (ids.key[i] === BIND) out[ids.row[i]] = 1
  return out
}

/** Tracks by row of `threads`. */
function tracksOfThreads(s: GraphSource, table: TraceTable): readonly (ChainTrack | undefined)[] {
  const key = (pid: string, tid: string): string => JSON.stringify([pid, tid])
  const byThread = new Map(s.tracks.filter(t => t.role === 'thread' || t.role === 'stream').map(t => [key(t.pid, t.tid), t]))
  return Array.from({ length: table.threads.count }, (_, i) =>
    byThread.get(key(stringAt(table.strings, table.threads.pid[i]), stringAt(table.strings, table.threads.tid[i]))),
  )
}

function nodeOf(
  n: Nodes,
  s: GraphSource,
  table: TraceTable,
  tracks: readonly (ChainTrack | undefined)[],
  row: number,
  bound: Uint8Array,
): number {
  const track = tracks[table.thread[row]]
  if (!track) return -1
  // Kineto writes the ends of a flow directly behind their slice. Where several begin at that time this tells which one is meant.
  const before = s.base + row - 1
  if (
    row > 0 &&
    table.thread[row - 1] === table.thread[row] &&
    table.phase[row - 1] === X &&
    table.ts[row - 1] === table.ts[row] &&
    n.position[before] >= 0
  )
    return before
  const at = table.phase[row] === F && bound[row] === 0 ? nextFrom(track, table.ts[row]) : innermostAt(track, table.ts[row])
  return at < 0 ? -1 : s.base + track.row[at]
}
