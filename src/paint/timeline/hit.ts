/** What lies under a point of the panel. Pure: the same scene that was painted is asked. */
import { columnNs, counterAt, drawnSpan, firstFrom, FLAG_INSTANT, lowerBound, type CounterSpan, type SliceColumns } from './columns'
import { PAD, SLICE } from './metrics'
import { viewport } from './navigator'
import { noteAt, type NoteMark } from './notes'
import { rangeEndAt } from './range'
import { contentY, rowAt, topOf, type GroupRow, type NoteRow, type TrackRow } from './rows'
import { sceneGeometry, sections, stickyOf, type Mark, type TraceScene } from './scene'

/** How far (CSS px) a pointer may miss a thin slice or an instant. */
const REACH = 2
const REACH_INSTANT = 4
/** Width of a window edge in the navigator. */
const EDGE = 6

export interface SliceHit {
  readonly type: 'slice'
  readonly row: TrackRow
  readonly columns: SliceColumns
  readonly index: number
  readonly mark: Mark
}

export type Hit =
  | { readonly type: 'navigator'; readonly part: 'start' | 'end' | 'inside' | 'outside' }
  | { readonly type: 'axis' }
  /** An end of the selected range, on the axis. */
  | { readonly type: 'range'; readonly end: 'start' | 'end' }
  /** A mark or a note in its row: an end of it, or it as a whole. */
  | { readonly type: 'note'; readonly note: NoteMark; readonly part: 'whole' | 'start' | 'end' }
  /** An empty place in the row of notes. */
  | { readonly type: 'notes' }
  | { readonly type: 'step'; readonly index: number }
  | { readonly type: 'group'; readonly row: GroupRow }
  | { readonly type: 'label'; readonly row: TrackRow | NoteRow }
  | SliceHit
  | { readonly type: 'counter'; readonly row: TrackRow; readonly span: CounterSpan }
  | { readonly type: 'empty'; readonly row: TrackRow | NoteRow | null }

/** What is at (x, y), CSS px from the panel's upper left corner. */
export function hitTest(scene: TraceScene, x: number, y: number): Hit {
  const g = sceneGeometry(scene)
  const s = sections(scene)
  const t = g.t(x)
  if (y < s.axis) {
    const [a, b] = viewport({ geometry: g, extent: scene.extent })
    const near = Math.min(EDGE, Math.max(2, (b - a) / 3))
    if (Math.abs(x - a) <= near) return { type: 'navigator', part: 'start' }
    if (Math.abs(x - b) <= near) return { type: 'navigator', part: 'end' }
    return { type: 'navigator', part: x > a && x < b ? 'inside' : 'outside' }
  }
  if (y < s.notes) {
    const end = rangeEndAt(g, scene.range, x)
    return end ? { type: 'range', end } : { type: 'axis' }
  }
  if (y < s.rows && x < g.gutter) return { type: 'axis' }
  if (y < s.steps) {
    const at = noteAt(g, scene.notes ?? [], x)
    return at ? { type: 'note', ...at } : { type: 'notes' }
  }
  if (y < s.rows) {
    const index = scene.steps.findIndex(step => t >= step.start && t < step.start + step.duration)
    return index < 0 ? { type: 'axis' } : { type: 'step', index }
  }
  const sticky = stickyOf(scene, s)
  const at = rowAt(scene.rows.rows, contentY(y - s.rows, sticky, scene.scroll))
  if (at < 0) return { type: 'empty', row: null }
  const row = scene.rows.rows[at]
  if (row.type === 'group') return { type: 'group', row }
  if (x < g.gutter) return { type: 'label', row }
  if (row.type === 'note') return { type: 'empty', row }
  if (row.track.kind === 'counter') {
    const data = scene.counters.get(row.track.id)
    return { type: 'counter', row, span: data ? counterAt(data, t) : { low: NaN, high: NaN, mean: NaN } }
  }
  const columns = scene.slices.get(row.track.id)
  const lane = Math.floor((y - s.rows - topOf(row, sticky, scene.scroll) - PAD) / SLICE)
  const index = columns ? sliceAt(columns, lane, t, (g.end - g.start) / g.plot) : -1
  if (!columns || index < 0) return { type: 'empty', row }
  return { type: 'slice', row, columns, index, mark: markOf(columns, index, lane, row.track.id) }
}

export function markOf(c: SliceColumns, index: number, lane: number, track: number): Mark {
  const [from, to] = drawnSpan(c, index)
  return { track, lane, start: from, duration: to - from }
}

/**
 * Index of what is drawn at time `t` in a lane, -1 for nothing. An instant near the pointer wins over the slice that it stands on; else the slice that
 * covers `t` as drawn (at least a pixel wide), else the nearest one within reach. `nsPerPx` is the scale of the screen.
 */
export function sliceAt(c: SliceColumns, lane: number, t: number, nsPerPx: number): number {
  if (lane < 0 || lane + 1 >= c.laneStart.length) return -1
  const hi = c.laneStart[lane + 1]
  const reach = Math.max(REACH * nsPerPx, columnNs(c) / 2)
  const far = Math.max(REACH_INSTANT * nsPerPx, reach)
  let instant = -1
  let instantGap = REACH_INSTANT * nsPerPx
  let best = -1
  let bestGap = reach
  for (let i = firstFrom(c, lane, t - far); i < hi && c.from[i] <= t + far; i++) {
    if (c.flags[i] === FLAG_INSTANT) {
      const gap = Math.abs(c.from[i] - t)
      if (gap <= instantGap) [instant, instantGap] = [i, gap]
      continue
    }
    const [from, to] = drawnSpan(c, i)
    const end = Math.max(to, from + nsPerPx)
    const gap = t < from ? from - t : t >= end ? t - end : -1
    if (gap < bestGap) [best, bestGap] = [i, gap]
  }
  return instant >= 0 ? instant : best
}

/** Direction of a step with the keyboard inside one track: by start, the outer slice before the inner one. */
export function neighbour(c: SliceColumns, index: number, forward: boolean): number {
  const key = (i: number): readonly [number, number] => [c.from[i], i]
  const after = ([a, i]: readonly [number, number], [b, j]: readonly [number, number]): boolean => a > b || (a === b && i > j)
  const here = key(index)
  let best = -1
  for (let lane = 0; lane + 1 < c.laneStart.length; lane++) {
    const lo = c.laneStart[lane]
    const hi = c.laneStart[lane + 1]
    let k = lowerBound(c.from, here[0], lo, hi)
    if (forward) {
      while (k < hi && !after(key(k), here)) k++
      if (k < hi && (best < 0 || after(key(best), key(k)))) best = k
    } else {
      while (k < hi && c.from[k] === here[0] && k < index) k++
      k--
      if (k >= lo && after(here, key(k)) && (best < 0 || after(key(k), key(best)))) best = k
    }
  }
  return best
}
