/**
 * Flows of a Chrome trace (`ph` s, t, f with one `id`, name and category): Kineto's `ac2g` leads from the call on the host to the work on the device. A start and a step are
 * bound to the slice around them; an end to the slice around it where `bp` is `e`, else to the one that begins next on its thread (Trace Event Format).
 */
import { sortPausing } from '../../shared/sorted'
import { stringAt } from '../../shared/columns'
import { TRACE_ID_KEYS, type TraceTable } from '../../shared/tables'
import { Groups } from './groups'
import type { LinkList } from './links'
import { BY_FLOW, L_FRAMEWORK, L_STREAM, VALUE_TEXT, type Breath, type ChainTrack, type GraphSource } from './model'
import { STRIDE, type Nodes } from './nodes'
import { MOST_MEMBERS } from './sequence'
import { innermostAt, nextFrom } from './slices'

const X = 0x58
const S = 0x73
const T = 0x74
const F = 0x66
const BIND = TRACE_ID_KEYS.indexOf('bp')

/** Ties a backward operator to its forward one: no work leads from one to the other. */
const NO_WORK = new Set(['fwdbwd'])

/** A flow event that is bound to a slice. */
interface End {
  readonly row: number
  readonly node: number
}

/** Adds the links of all flows of a trace; answers how many ids were left out because more events carry them than one flow has. */
export async function flowLinks(n: Nodes, s: GraphSource, table: TraceTable, links: LinkList, breath: Breath): Promise<number> {
  const { phase, ts, id, cat, name } = table
  // Category and name as one number, -1 where they carry no work; there are a handful of pairs.
  const kinds = new Map<string, number>()
  const noWork = (text: number): boolean => text >= 0 && NO_WORK.has(stringAt(table.strings, text).toLowerCase())
  const groups = new Groups()
  for (let row = 0; row < table.count; row++) {
    if (row % STRIDE === 0 && breath.due) await breath.pause()
    if (phase[row] !== S && phase[row] !== T && phase[row] !== F) continue
    if (id[row] < 0 || ts[row] !== ts[row]) continue
    const text = `${cat[row]} ${name[row]}`
    let kind = kinds.get(text)
    if (kind === undefined) kinds.set(text, (kind = noWork(cat[row]) || noWork(name[row]) ? -1 : kinds.size))
    if (kind < 0) continue
    s.facts.flows++
    groups.add(kind, id[row], 0, row)
  }
  if (groups.count === 0) return 0
  const bound = boundRows(table)
  const tracks = tracksOfThreads(s, table)
  // Looks at lanes since the last pause: one id may have a hundred thousand events, a track a thousand lanes.
  let looks = 0
  for (let g = 0; g < groups.count; g++) {
    const rows = groups.members(g)
    if (rows.length > MOST_MEMBERS) {
      s.facts.crowdedFlows++
      continue
    }
    const ends: End[] = []
    for (const row of rows) {
      const track = tracks[table.thread[row]]
      looks += 1 + (track?.depth ?? 0)
      if (looks >= STRIDE) {
        looks = 0
        if (breath.due) await breath.pause()
      }
      const node = nodeOf(n, s, table, track, row, bound)
      if (node < 0) continue
      s.facts.boundFlows++
      ends.push({ row, node })
    }
    for (const part of await partsOf(table, ends, breath)) {
      let last = -1
      for (const { row, node } of part) {
        if (last >= 0 && phase[row] !== S && node !== last) {
          links.add(last, node, BY_FLOW | VALUE_TEXT, groups.low(g))
          // The work on a stream is that of the process that started it.
          if (n.layer[node] === L_STREAM && n.layer[last] === L_FRAMEWORK) n.process[node] = n.process[last]
        }
        if (phase[row] !== F) last = node
      }
    }
  }
  return s.facts.crowdedFlows
}

/**
 * The events of one id, cut into flows that each begin in one slice and lead through the steps to every end. Where the id starts in one slice only they are one flow. Where it
 * was used again, by the same process or another one, an end belongs to the last start before it only if no two starts stand together: what two processes have in flight at
 * once under one id cannot be told apart, and is left out.
 */
async function partsOf(table: TraceTable, ends: readonly End[], breath: Breath): Promise<readonly (readonly End[])[]> {
  const { phase, ts } = table
  const first = ends.find(e => phase[e.row] === S)
  if (!first) return []
  const rank = (row: number): number => (phase[row] === S ? 0 : phase[row] === T ? 1 : 2)
  if (ends.every(e => phase[e.row] !== S || e.node === first.node)) {
    // Clocks of host and device may disagree: an end before its start is one all the same.
    return [await inOrder(ends, (a, b) => rank(a.row) - rank(b.row) || ts[a.row] - ts[b.row], breath)]
  }
  const inTime = await inOrder(ends, (a, b) => ts[a.row] - ts[b.row] || rank(a.row) - rank(b.row), breath)
  const parts: End[][] = []
  let last: End[] | undefined
  /** Nothing but starts so far, all of one slice. */
  let starting = false
  for (const e of inTime) {
    if (phase[e.row] !== S) {
      // An end before any start.
      if (!last) return []
      starting = false
      last.push(e)
    } else if (last && starting) {
      if (last[0].node !== e.node) return []
      last.push(e)
    } else {
      parts.push((last = [e]))
      starting = true
    }
  }
  return parts
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

function nodeOf(n: Nodes, s: GraphSource, table: TraceTable, track: ChainTrack | undefined, row: number, bound: Uint8Array): number {
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

/** The ends in order; equal ones keep theirs. A graph is made for all who ask: its making pauses and is never given up. */
async function inOrder(ends: readonly End[], compare: (a: End, b: End) => number, breath: Breath): Promise<readonly End[]> {
  const at = Uint32Array.from(ends, (_, i) => i)
  await sortPausing(at, (i, j) => compare(ends[i], ends[j]), {
    get due() {
      return breath.due
    },
    pause: async () => {
      await breath.pause()
      return false
    },
  })
  return Array.from(at, i => ends[i])
}
