/** Times and nesting of nodes: what encloses what, on one track by its columns, across events of one thread by times. */
import { ROW_SLICE, type SystemTable } from '../../shared/system-tables'
import type { Nodes } from './nodes'
import { placeOf, sourceOf } from './nodes'
import { L_HARDWARE, L_STREAM, type ChainTrack, type GraphSource } from './model'

/** Position of the innermost slice of a track that covers a time; one that begins then comes before one that ends then; -1 without any. */
export function innermostAt(t: ChainTrack, time: number): number {
  let ending = -1
  for (let lane = t.depth - 1; lane >= 0; lane--) {
    const from = t.laneStart[lane]
    for (let i = lastAtOrBefore(t.start, from, t.laneStart[lane + 1], time); i >= from; i--) {
      if (t.flags[i] !== 0 && t.flags[i] !== 2) continue
      const end = t.start[i] + t.duration[i]
      if (end > time || (t.start[i] === time && t.duration[i] === 0)) return i
      if (end === time && ending < 0) ending = i
      break
    }
  }
  return ending
}

/** Position of the slice of a track that begins next, at `time` or later; the outermost of those that begin together. */
export function nextFrom(t: ChainTrack, time: number): number {
  let best = -1
  for (let lane = 0; lane < t.depth; lane++) {
    const to = t.laneStart[lane + 1]
    let i = lastAtOrBefore(t.start, t.laneStart[lane], to, time)
    // Of several at the same time the first.
    while (i >= t.laneStart[lane] && t.start[i] >= time) i--
    i++
    while (i < to && t.flags[i] !== 0 && t.flags[i] !== 2) i++
    if (i < to && (best < 0 || t.start[i] < t.start[best])) best = i
  }
  return best
}

function lastAtOrBefore(start: Float64Array, from: number, to: number, time: number): number {
  let low = from
  let high = to
  while (low < high) {
    const mid = (low + high) >>> 1
    if (start[mid] <= time) low = mid + 1
    else high = mid
  }
  return low - 1
}

/** Node of the slice that encloses a node on its track; -1 at the top. */
export function parentOf(sources: readonly GraphSource[], position: Int32Array, node: number): number {
  const s = sourceOf(sources, node)
  const place = placeOf(s, position, node)
  if (!place) return -1
  const track = s.tracks[place.track]
  const p = track.parent[place.at]
  return p < 0 ? -1 : s.base + track.row[p]
}

/** How the events of one id lie within each other. */
export interface Nest {
  /** Index (in the list) of the innermost one around each; -1 without. */
  readonly parent: Int32Array
  /** 1 where another one lies within. */
  readonly around: Uint8Array
}

/**
 * What of a list of nodes of one layer encloses what. Framework and streams: by their track. Events of the runtime: slices of one thread (hardware: of one core) of one process
 * whose times lie within each other; a thread that the file does not tell, or that no check confirmed, encloses nothing. Sorted once: an execution may have thousands of events.
 */
export function nest(n: Nodes, of: readonly number[]): Nest {
  const parent = new Int32Array(of.length).fill(-1)
  const around = new Uint8Array(of.length)
  if (of.length < 2) return { parent, around }
  const set = (i: number, p: number): void => {
    parent[i] = p
    around[p] = 1
  }
  const indexOf = new Map(of.map((node, i) => [node, i]))
  const timed: number[] = []
  of.forEach((node, i) => {
    const s = sourceOf(n.sources, node)
    if (s.table.kind === 'system' && n.layer[node] > L_STREAM) {
      if (s.table.state[node - s.base] === ROW_SLICE && lineOf(s, s.table, node, n.layer[node]) !== null) timed.push(i)
      return
    }
    for (let p = parentOf(n.sources, n.position, node); p >= 0; p = parentOf(n.sources, n.position, p)) {
      const at = indexOf.get(p)
      if (at === undefined) continue
      set(i, at)
      break
    }
  })
  const lines = new Map<string, number[]>()
  for (const i of timed) {
    const s = sourceOf(n.sources, of[i])
    const line = lineOf(s, s.table as SystemTable, of[i], n.layer[of[i]]) as string
    const list = lines.get(line)
    if (list) list.push(i)
    else lines.set(line, [i])
  }
  for (const list of lines.values()) {
    const { base, table } = sourceOf(n.sources, of[list[0]]) as GraphSource & { readonly table: SystemTable }
    const start = (i: number): number => table.start[of[i] - base]
    const end = (i: number): number => table.start[of[i] - base] + table.duration[of[i] - base]
    list.sort((a, b) => start(a) - start(b) || end(b) - end(a) || of[a] - of[b])
    const open: number[] = []
    for (const i of list) {
      while (open.length > 0 && end(open[open.length - 1]) < end(i)) open.pop()
      const top = open[open.length - 1]
      if (top !== undefined) set(i, top)
      open.push(i)
    }
  }
  return { parent, around }
}

/** What the events that may enclose each other share; null where the file does not tell. */
function lineOf(s: GraphSource, t: SystemTable, node: number, layer: number): string | null {
  const p = t.place[node - s.base]
  const { core, nc, device, thread, process } = t.places
  if (layer === L_HARDWARE) return core[p] < 0 ? null : `${s.base} ${device[p]} ${nc[p]} ${core[p]}`
  if (Number.isNaN(thread[p]) || t.verdict.unverified.includes('thread_id')) return null
  return `${s.base} ${process[p]} ${thread[p]}`
}

/** Those that no other of them encloses. */
export const outermost = (of: readonly number[], { parent }: Nest): readonly number[] => of.filter((_, i) => parent[i] < 0)
/** Those that enclose no other of them. */
export const innermost = (of: readonly number[], { around }: Nest): readonly number[] => of.filter((_, i) => around[i] === 0)
