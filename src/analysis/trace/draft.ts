/** Parts that the three kinds of tracks (threads, async groups, counters) are made of. */
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import type { Lanes } from './lanes'
import type { TrackModel } from './model'
import type { SliceList } from './pairs'

const EMPTY = new Float64Array(0)
const NO_ROWS = new Uint32Array(0)

/** A track before it has its index, with what orders it. */
export interface Draft {
  readonly track: Omit<TrackModel, 'index'>
  /** Infinity where the file says none. */
  readonly processSort: number
  readonly threadSort: number
}

/** Counts by reason. */
export class Tally {
  readonly counts = new Map<string, number>()
  add(reason: string, n = 1): void {
    if (n > 0) this.counts.set(reason, (this.counts.get(reason) ?? 0) + n)
  }
}

export const columns = (
  l: SliceList,
): { readonly count: number; start: Float64Array; duration: Float64Array; row: Uint32Array; flags: Uint8Array } => ({
  count: l.count,
  start: l.start,
  duration: l.duration,
  row: l.row,
  flags: l.flags,
})

export interface Place {
  readonly pid: string
  readonly tid: string
  readonly processName: string
  readonly processLabels: string
  readonly threadName: string
  readonly processSort: number
  readonly threadSort: number
}

/** What the metadata says about a row of `threads`; -1: an event without pid and tid. */
export function placeOf(table: TraceTable, thread: number): Place {
  const t = table.threads
  const text = (column: Int32Array): string => (thread < 0 ? '' : stringAt(table.strings, column[thread]))
  const sort = (column: Float64Array): number => (thread < 0 || Number.isNaN(column[thread]) ? Infinity : column[thread])
  return {
    pid: text(t.pid),
    tid: text(t.tid),
    processName: text(t.processName),
    processLabels: text(t.processLabels),
    threadName: text(t.threadName),
    processSort: sort(t.processSort),
    threadSort: sort(t.threadSort),
  }
}

/** The same for things that belong to a process: its facts without those of a thread. */
export class Processes {
  readonly #table: TraceTable
  readonly #first = new Map<number, number>()
  constructor(table: TraceTable) {
    this.#table = table
    for (let i = table.threads.count - 1; i >= 0; i--) this.#first.set(table.threads.pid[i], i)
  }
  /** String id of the event's pid; -1 absent. */
  pidOf(row: number): number {
    const thread = this.#table.thread[row]
    return thread < 0 ? -1 : this.#table.threads.pid[thread]
  }
  place(pid: number): Place {
    return { ...placeOf(this.#table, pid < 0 ? -1 : (this.#first.get(pid) ?? -1)), tid: '', threadName: '', threadSort: Infinity }
  }
}

const picked = (column: Int32Array, rows: Uint32Array): Int32Array => {
  const out = new Int32Array(rows.length)
  for (let i = 0; i < out.length; i++) out[i] = column[rows[i]]
  return out
}

export function slicesTrack(
  table: TraceTable,
  lanes: Lanes,
  place: Place,
  role: 'thread' | 'stream' | 'async',
  name: string,
  note: string,
): Draft {
  return {
    processSort: place.processSort,
    threadSort: place.threadSort,
    track: {
      kind: 'slices',
      role,
      pid: place.pid,
      tid: place.tid,
      processName: place.processName,
      processLabels: place.processLabels,
      name,
      note,
      depth: lanes.depth,
      events: lanes.row.length,
      laneStart: lanes.laneStart,
      start: lanes.start,
      duration: lanes.duration,
      row: lanes.row,
      nameId: picked(table.name, lanes.row),
      categoryId: picked(table.cat, lanes.row),
      flags: lanes.flags,
      parent: lanes.parent,
      time: EMPTY,
      value: EMPTY,
      min: NaN,
      max: NaN,
    },
  }
}

/** Samples must be sorted by time. */
export function counterTrack(time: Float64Array, value: Float64Array, place: Place, name: string, note: string): Draft {
  let min = NaN
  let max = NaN
  for (const v of value) {
    if (!(v >= min)) min = v
    if (!(v <= max)) max = v
  }
  return {
    processSort: place.processSort,
    threadSort: Infinity,
    track: {
      kind: 'counter',
      role: 'counter',
      pid: place.pid,
      tid: '',
      processName: place.processName,
      processLabels: place.processLabels,
      name,
      note,
      depth: 1,
      events: value.length,
      laneStart: new Uint32Array([0, 0]),
      start: EMPTY,
      duration: EMPTY,
      row: NO_ROWS,
      nameId: new Int32Array(0),
      categoryId: new Int32Array(0),
      flags: new Uint8Array(0),
      parent: new Int32Array(0),
      time,
      value,
      min,
      max,
    },
  }
}
