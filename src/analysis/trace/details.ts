/** What is known about one slice, and which slices stand at one time. */
import type { SliceDetails } from '../../shared/api'
import { stringAt, type StringTable } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import type { TraceModel, TrackModel } from './model'
import { ownTime } from './stats/own'
import { firstVisible, lowerBound } from './window'

/** Longest `args` shown, in characters. */
const MAX_ARGS = 64 * 1024

export interface SlicePlace {
  readonly track: TrackModel
  /** Position in the track's columns. */
  readonly at: number
}

/** Where a row of the table stands; null for rows that are on no track (metadata, flows, matched ends). */
export function placeOfRow(table: TraceTable, model: TraceModel, row: number): SlicePlace | null {
  if (row < 0 || row >= table.count) return null
  const thread = table.thread[row]
  const pid = thread < 0 ? '' : stringAt(table.strings, table.threads.pid[thread])
  const tid = thread < 0 ? '' : stringAt(table.strings, table.threads.tid[thread])
  const t = table.ts[row]
  for (const track of model.tracks) {
    if (track.kind !== 'slices' || track.pid !== pid || (track.role !== 'async' && track.tid !== tid)) continue
    for (let lane = 0; lane < track.depth; lane++) {
      const end = track.laneStart[lane + 1]
      for (let i = lowerBound(track.start, track.laneStart[lane], end, t); i < end && track.start[i] === t; i++)
        if (track.row[i] === row) return { track, at: i }
    }
  }
  return null
}

/** Label of a track where it stands alone: `PID:1/TID:2`. */
export const trackLabel = (track: TrackModel): string => (track.pid === '' ? track.name : `PID:${track.pid}/${track.name}`)

/**
 * Details of the slice of `row`, times relative to the table's epoch; null when no track shows that row. `args` is left null: it is read from the
 * file when asked for (see `prettyArgs`). Parents come outermost first. Self time is the duration without what its direct children cover together
 * (complete ones: see `ownTime`); it and the duration are null where begin or end are unknown.
 */
export function sliceDetails(table: TraceTable, model: TraceModel, row: number): SliceDetails | null {
  const place = placeOfRow(table, model, row)
  if (!place) return null
  const { track, at } = place
  return {
    ...sliceFacts(table.strings, track, at),
    phase: table.phase[row] === 0 ? '' : String.fromCharCode(table.phase[row]),
    startUnixNs: String(table.epochNs + BigInt(Math.round(track.start[at]))),
    args: null,
    argsNotice: null,
  }
}

/** What the columns of a track tell of the slice at a position, whatever its table is. */
export function sliceFacts(
  strings: StringTable,
  track: TrackModel,
  at: number,
): Pick<SliceDetails, 'name' | 'category' | 'track' | 'start' | 'duration' | 'selfTime' | 'parents' | 'children'> {
  const parents: { name: string; row: number; start: number; duration: number }[] = []
  for (let p = track.parent[at]; p >= 0; p = track.parent[p])
    parents.push({ name: stringAt(strings, track.nameId[p]), row: track.row[p], start: track.start[p], duration: track.duration[p] })
  parents.reverse()
  const children = childrenOf(track, at)
  const known = track.flags[at] < 2
  const duration = known && track.flags[at] === 0 ? track.duration[at] : null
  const start = track.start[at]
  return {
    name: stringAt(strings, track.nameId[at]),
    category: stringAt(strings, track.categoryId[at]),
    track: trackLabel(track),
    start,
    duration,
    selfTime: duration === null ? null : ownTime(track).self[at],
    parents,
    children: children.length,
  }
}

const nameAt = (table: TraceTable, track: TrackModel, i: number): string => stringAt(table.strings, track.nameId[i])

/** Positions of the direct children of a slice, lane by lane. They lie on lanes below it and begin within it. */
export function childrenOf(track: TrackModel, at: number): readonly number[] {
  const { start, duration, laneStart, parent } = track
  let lane = 0
  while (laneStart[lane + 1] <= at) lane++
  const end = start[at] + duration[at]
  const out: number[] = []
  for (let l = lane + 1; l < track.depth; l++) {
    const to = laneStart[l + 1]
    for (let i = lowerBound(start, laneStart[l], to, start[at]); i < to && start[i] <= end; i++) if (parent[i] === at) out.push(i)
  }
  return out
}

export interface SliceAt {
  /** `PID:1/TID:2`. */
  readonly track: string
  readonly name: string
  /** ns relative to the table's epoch. */
  readonly start: number
  readonly duration: number
  readonly row: number
  /** As in TrackModel: 2 means that its end is not known. */
  readonly flags: number
}

/** All slices that cover `t`: [start, start + duration), by track, outermost first. Instants and slices of length 0 cover nothing. */
export function slicesAt(model: TraceModel, table: TraceTable, t: number): readonly SliceAt[] {
  const out: SliceAt[] = []
  for (const track of model.tracks) {
    if (track.kind !== 'slices') continue
    for (let lane = 0; lane < track.depth; lane++) {
      const i = coveringInLane(track, lane, t)
      if (i >= 0) out.push(sliceAt(table, track, i))
    }
  }
  return out
}

const sliceAt = (table: TraceTable, track: TrackModel, i: number): SliceAt => ({
  track: trackLabel(track),
  name: nameAt(table, track, i),
  start: track.start[i],
  duration: track.duration[i],
  row: track.row[i],
  flags: track.flags[i],
})

/** Slices of a lane do not overlap, so at most one covers a time; -1 when none does. */
export function coveringInLane(track: TrackModel, lane: number, t: number): number {
  const end = track.laneStart[lane + 1]
  // Slices of length 0 at exactly `t` come first; they cover nothing.
  for (let i = firstVisible(track, lane, t); i < end && track.start[i] <= t; i++) if (track.start[i] + track.duration[i] > t) return i
  return -1
}

/**
 * The innermost slice of the host threads that covers `t`: the shortest of all threads (the deeper one of equals); null when none does. Found by
 * time only: with several threads it may belong to another one than the caller means.
 */
export function innermostSliceAt(model: TraceModel, table: TraceTable, t: number): SliceAt | null {
  let best: SliceAt | null = null
  for (const track of model.tracks) {
    if (track.kind !== 'slices' || track.role !== 'thread') continue
    for (let lane = track.depth - 1; lane >= 0; lane--) {
      const i = coveringInLane(track, lane, t)
      if (i < 0 || (best && track.duration[i] >= best.duration)) continue
      best = sliceAt(table, track, i)
    }
  }
  return best
}

/** `args` as pretty JSON; as it stands, with a notice, when it is no valid JSON or too long. `length` is the whole length in bytes. */
export function prettyArgs(text: string, length: number): { readonly args: string; readonly notice: string | null } {
  if (length > text.length * 4 || text.length > MAX_ARGS)
    return { args: text.slice(0, MAX_ARGS), notice: `Cut: args is ${length.toLocaleString('en-US')} bytes long.` }
  try {
    const pretty = JSON.stringify(JSON.parse(text), null, 2)
    // JSON.parse rounds integers beyond 2^53; the text as it stands does not.
    if (pretty.length > MAX_ARGS || /[0-9]{16}/.test(text)) return { args: text, notice: null }
    return { args: pretty, notice: null }
  } catch {
    return { args: text, notice: 'Shown as it stands: it is not valid JSON.' }
  }
}
