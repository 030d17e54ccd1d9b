/** Answers, rows and scenes for tests. */
import type { SlicesAnswer, TrackInfo } from '../../shared/api'
import { splitSlices, type SliceColumns } from './columns'
import type { TrackLayout } from '../../shared/trace-api'
import { DEFAULT_LAYOUT, layoutRows, type RowsInput } from './rows'
import type { TraceScene } from './scene'

export interface Event {
  readonly from: number
  readonly duration: number
  readonly name?: string
  readonly category?: string
  readonly lane?: number
  readonly merged?: number
  readonly flag?: number
}

/** An answer for the given tracks; events may come in any order. */
export function answer(tracks: readonly (readonly Event[])[], version = 1): SlicesAnswer {
  const names: string[] = []
  const categories: string[] = []
  const id = (list: string[], s: string): number => (list.includes(s) ? list.indexOf(s) : list.push(s) - 1)
  const starts = [0]
  const all = tracks.flatMap(t => {
    const sorted = [...t].sort((a, b) => (a.lane ?? 0) - (b.lane ?? 0) || a.from - b.from)
    starts.push(starts[starts.length - 1] + t.length)
    return sorted
  })
  return {
    version,
    trackStart: Uint32Array.from(starts),
    start: Float64Array.from(all, e => e.from),
    duration: Float64Array.from(all, e => e.duration),
    lane: Uint16Array.from(all, e => e.lane ?? 0),
    row: Uint32Array.from(all, (_, i) => 100 + i),
    merged: Uint32Array.from(all, e => e.merged ?? 1),
    flags: Uint8Array.from(all, e => e.flag ?? 0),
    name: Uint32Array.from(all, e => id(names, e.name ?? 'aten::add')),
    category: Uint32Array.from(all, e => id(categories, e.category ?? 'cpu_op')),
    names,
    categories,
  }
}

export const columns = (events: readonly Event[], start = 0, end = 1000, count = 1000): SliceColumns =>
  splitSlices(answer([events]), { start, end, columns: count })[0]

export const track = (id: number, more: Partial<TrackInfo> = {}): TrackInfo => ({
  id,
  source: 0,
  group: 0,
  kind: 'slices',
  pid: '10',
  tid: String(id),
  processName: 'python',
  processLabels: '',
  role: 'thread',
  name: `TID:${id}`,
  note: '',
  depth: 1,
  events: 1,
  min: 0,
  max: 0,
  ...more,
})

export const layout = (more: Partial<TrackLayout> = {}): TrackLayout => ({ ...DEFAULT_LAYOUT, ...more })

export const rowsOf = (tracks: readonly TrackInfo[], more: Partial<RowsInput> = {}): ReturnType<typeof layoutRows> =>
  layoutRows({ tracks, sources: [], layout: DEFAULT_LAYOUT, instance: null, session: null, notes: [], ...more })

/** A scene of 1172 px, so that the plot is 1000 px wide and shows 0 .. 1000 ns: a pixel is a nanosecond. */
export const scene = (more: Partial<TraceScene> = {}): TraceScene => ({
  width: 1172,
  height: 400,
  pixelRatio: 1,
  window: { start: 0, end: 1000 },
  extent: { start: 0, end: 1000 },
  axisLabel: 'Time',
  rows: rowsOf([]),
  scroll: 0,
  slices: new Map(),
  counters: new Map(),
  steps: [],
  overview: null,
  navigator: true,
  sayPending: false,
  cursor: null,
  hover: null,
  selected: null,
  range: null,
  measuring: false,
  focus: null,
  ...more,
})
