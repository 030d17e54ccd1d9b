/** Times and nesting of nodes: what encloses what, on one track by its columns, across events of one thread by times. */
import { ROW_SLICE, type SystemTable } from '../../shared/system-tables'
import type { Nodes } from './nodes'
import { placeOf, sourceOf } from './nodes'
import { L_HARDWARE, L_STREAM, type ChainTrack, type GraphSource } from './model'

/**
 * Position of the innermost slice of a track that covers a time: of those that overlap the one that begins last, of those that begin together the deepest. One that only ends
 * then counts if there is no other; -1 without any.
 */
export function innermostAt(t: ChainTrack, time: number): number {
  let best = -1
  let ending = -1
  const whole = wholeOf(t)
  for (let lane = t.depth - 1; lane >= 0; lane--) {
    let i = lastBefore(t.start, t.laneStart[lane], t.laneStart[lane + 1], time, true)
    if (i < t.laneStart[lane]) continue
    if (whole) i = whole.last[i]
    if (i < 0) continue
    const end = t.start[i] + t.duration[i]
    if (end > time || (t.start[i] === time && t.duration[i] === 0)) {
      if (best < 0 || t.start[i] > t.start[best]) best = i
    } else if (end === time && ending < 0) ending = i
  }
  return best >= 0 ? best : ending
}

/** Position of the slice of a track that begins next, at `time` or later; the outermost of those that begin together. */
export function nextFrom(t: ChainTrack, time: number): number {
  let best = -1
  const whole = wholeOf(t)
  for (let lane = 0; lane < t.depth; lane++) {
    const to = t.laneStart[lane + 1]
    // Of several at the same time the first.
    let i = lastBefore(t.start, t.laneStart[lane], to, time, false) + 1
    if (i >= to) continue
    if (whole) i = whole.next[i]
    if (i >= 0 && (best < 0 || t.start[i] < t.start[best])) best = i
  }
  return best
}

/** Of every position the last slice of its lane up to it and the first one from it on (instants and ends without a start are none); -1 without. */
interface Whole {
  readonly last: Int32Array
  readonly next: Int32Array
}

/** By the track's flags; null where all are slices. A lane may be all instants: passing them one by one for every flow would take their product. */
const wholes = new WeakMap<Uint8Array, { readonly of: Whole | null }>()

function wholeOf({ flags, laneStart, depth }: ChainTrack): Whole | null {
  const known = wholes.get(flags)
  if (known) return known.of
  const isSlice = (i: number): boolean => flags[i] === 0 || flags[i] === 2
  let of: Whole | null = null
  if (flags.some(f => f !== 0 && f !== 2)) {
    of = { last: new Int32Array(flags.length), next: new Int32Array(flags.length) }
    for (let lane = 0; lane < depth; lane++) {
      let at = -1
      for (let i = laneStart[lane]; i < laneStart[lane + 1]; i++) of.last[i] = isSlice(i) ? (at = i) : at
      at = -1
      for (let i = laneStart[lane + 1] - 1; i >= laneStart[lane]; i--) of.next[i] = isSlice(i) ? (at = i) : at
    }
  }
  wholes.set(flags, { of })
  return of
}

/** Last position of a lane that begins before `time`, or (`including`) at it; `from - 1` without one. */
function lastBefore(start: Float64Array, from: number, to: number, time: number, including: boolean): number {
  let low = from
  let high = to
  while (low < high) {
    const mid = (low + high) >>> 1
    if (including ? start[mid] <= time : start[mid] < time) low = mid + 1
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
  const few = of.length <= FEW
  const indexOf = few ? null : new Map(of.map((node, i) => [node, i]))
  const timed: number[] = []
  for (let i = 0; i < of.length; i++) {
    const s = sourceOf(n.sources, of[i])
    if (s.table.kind === 'system' && n.layer[of[i]] > L_STREAM) {
      if (hasLine(s.table, of[i] - s.base, n.layer[of[i]])) timed.push(i)
      continue
    }
    for (let p = parentOf(n.sources, n.position, of[i]); p >= 0; p = parentOf(n.sources, n.position, p)) {
      const at = indexOf ? (indexOf.get(p) ?? -1) : of.indexOf(p)
      if (at < 0) continue
      parent[i] = at
      break
    }
  }
  if (few) nestFew(n, of, timed, parent)
  else nestMany(n, of, timed, parent)
  for (const p of parent) if (p >= 0) around[p] = 1
  return { parent, around }
}

/** So few that comparing all with all is quicker than sorting them; most executions are. */
const FEW = 24

/** The last of those before it (by start, longer ones first) that end with it or later. */
function nestFew(n: Nodes, of: readonly number[], timed: readonly number[], parent: Int32Array): void {
  for (const i of timed) {
    const s = sourceOf(n.sources, of[i])
    const t = s.table as SystemTable
    const row = of[i] - s.base
    let best = -1
    for (const k of timed) {
      const other = of[k] - s.base
      if (k === i || other < 0 || other >= s.count || !sameLine(t, row, other, n.layer[of[i]])) continue
      if (comesFirst(t, other, row) && endOf(t, other) >= endOf(t, row) && (best < 0 || comesFirst(t, of[best] - s.base, other))) best = k
    }
    parent[i] = best
  }
}

function nestMany(n: Nodes, of: readonly number[], timed: readonly number[], parent: Int32Array): void {
  const lines = new Map<string, number[]>()
  for (const i of timed) {
    const s = sourceOf(n.sources, of[i])
    const line = lineOf(s, s.table as SystemTable, of[i], n.layer[of[i]])
    const list = lines.get(line)
    if (list) list.push(i)
    else lines.set(line, [i])
  }
  for (const list of lines.values()) {
    const s = sourceOf(n.sources, of[list[0]])
    const t = s.table as SystemTable
    const row = (i: number): number => of[i] - s.base
    list.sort((a, b) => (comesFirst(t, row(a), row(b)) ? -1 : 1))
    const open: number[] = []
    for (const i of list) {
      while (open.length > 0 && endOf(t, row(open[open.length - 1])) < endOf(t, row(i))) open.pop()
      parent[i] = open[open.length - 1] ?? -1
      open.push(i)
    }
  }
}

const endOf = (t: SystemTable, row: number): number => t.start[row] + t.duration[row]

/** By start, longer ones first, then as in the file. */
function comesFirst(t: SystemTable, a: number, b: number): boolean {
  if (t.start[a] !== t.start[b]) return t.start[a] < t.start[b]
  return t.duration[a] === t.duration[b] ? a < b : t.duration[a] > t.duration[b]
}

/** Whether the file tells what the events that may enclose each other share: the thread, of the hardware the core. */
function hasLine(t: SystemTable, row: number, layer: number): boolean {
  if (t.state[row] !== ROW_SLICE) return false
  const p = t.place[row]
  if (layer === L_HARDWARE) return t.places.core[p] >= 0
  return !Number.isNaN(t.places.thread[p]) && !t.verdict.unverified.includes('thread_id')
}

function sameLine(t: SystemTable, a: number, b: number, layer: number): boolean {
  const [p, q] = [t.place[a], t.place[b]]
  if (p === q) return true
  const { core, nc, device, thread, process } = t.places
  if (layer === L_HARDWARE) return core[p] === core[q] && nc[p] === nc[q] && device[p] === device[q]
  return thread[p] === thread[q] && (process[p] === process[q] || (Number.isNaN(process[p]) && Number.isNaN(process[q])))
}

function lineOf(s: GraphSource, t: SystemTable, node: number, layer: number): string {
  const p = t.place[node - s.base]
  const { core, nc, device, thread, process } = t.places
  return layer === L_HARDWARE ? `${s.base} ${device[p]} ${nc[p]} ${core[p]}` : `${s.base} ${process[p]} ${thread[p]}`
}

/** Those that no other of them encloses. */
export const outermost = (of: readonly number[], { parent }: Nest): readonly number[] => of.filter((_, i) => parent[i] < 0)
/** Those that enclose no other of them. */
export const innermost = (of: readonly number[], { around }: Nest): readonly number[] => of.filter((_, i) => around[i] === 0)
