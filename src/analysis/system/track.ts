/** One track of rows of the runtime's table, arranged on levels. */
import { ROW_INSTANT, ROW_OPEN, ROW_SLICE, ROW_TAIL, type SystemTable } from '../../shared/system-tables'
import { arrange } from '../trace/lanes'
import type { TrackModel, TrackPlace } from '../trace/model'
import { SliceList } from '../trace/pairs'
import { EMPTY_COUNTER } from './counters'

const FLAG_OF = new Uint8Array(4)
FLAG_OF[ROW_SLICE] = 0
FLAG_OF[ROW_INSTANT] = 1
FLAG_OF[ROW_OPEN] = 2
FLAG_OF[ROW_TAIL] = 3

/** What a track of events is besides its events. */
export type TrackHead = Pick<TrackModel, 'role' | 'pid' | 'tid' | 'processName' | 'processLabels' | 'name' | 'note'> &
  Partial<Pick<TrackModel, 'origin' | 'knownFrom' | 'derived' | 'arranged'>> & { readonly place?: TrackPlace }

/** A track of some rows of the table. `dropped`: slices that found no level. */
export function systemTrack(
  t: SystemTable,
  head: TrackHead,
  rows: Uint32Array,
): { readonly track: Omit<TrackModel, 'index'>; readonly dropped: number } {
  let last = -Infinity
  for (const r of rows) {
    const d = t.duration[r] as number
    const end = (t.start[r] as number) + (d > 0 ? d : 0)
    if (end > last) last = end
  }
  const list = new SliceList()
  for (const r of rows) {
    const flag = FLAG_OF[t.state[r] as number] as number
    const start = t.start[r] as number
    list.add(start, flag === 0 ? Math.max(0, t.duration[r] as number) : flag === 2 ? last - start : 0, r, flag)
  }
  const lanes = arrange({ count: list.count, start: list.start, duration: list.duration, row: list.row, flags: list.flags, within: null })
  const nameId = new Int32Array(lanes.row.length)
  for (let i = 0; i < nameId.length; i++) nameId[i] = t.types.name[t.type[lanes.row[i] as number] as number] as number
  return {
    dropped: lanes.dropped,
    track: {
      ...EMPTY_COUNTER,
      ...head,
      kind: 'slices',
      depth: lanes.depth,
      events: lanes.row.length,
      laneStart: lanes.laneStart,
      start: lanes.start,
      duration: lanes.duration,
      row: lanes.row,
      nameId,
      categoryId: new Int32Array(nameId.length).fill(-1),
      flags: lanes.flags,
      parent: lanes.parent,
    },
  }
}
