/** Edges that the pointer is drawn to: begins and ends of slices, steps, marks. Pure: the scene that was painted is asked. */
import type { Geometry } from '../geometry'
import { endOf, firstFrom, FLAG_INSTANT, FLAG_OPEN_END, FLAG_OPEN_START, type SliceColumns } from './columns'
import { PAD, SLICE } from './metrics'
import { contentY, rowAt, topOf } from './rows'
import { sceneGeometry, sections, stickyOf, type TraceScene } from './scene'

/** How near (CSS px) the pointer must come to an edge. */
export const SNAP = 6

/** An edge: its time, and the level that it belongs to where it is one of a slice. */
export interface Edge {
  readonly time: number
  readonly track: number | null
  readonly lane: number | null
}

/**
 * The edge nearest to the pointer at (x, y), null where none is within reach. Over a track its slices count, those of the level under the pointer before those of others that
 * are as near; everywhere the steps and the marks do. `except`: a note that is being moved, which is not drawn to itself.
 */
export function edgeNear(scene: TraceScene, x: number, y: number, except: string | null = null): Edge | null {
  const g = sceneGeometry(scene)
  const s = sections(scene)
  const t = g.t(x)
  const reach = (SNAP * (g.end - g.start)) / g.plot
  let best: Edge | null = null
  let gap = reach
  const offer = (time: number, track: number | null = null, lane: number | null = null, handicap = 0): void => {
    const d = Math.abs(time - t) + handicap
    if (d > gap || !inSight(g, time)) return
    if (best !== null && d === gap) return
    best = { time, track, lane }
    gap = d
  }
  for (const step of scene.steps) {
    offer(step.start)
    offer(step.start + step.duration)
  }
  for (const n of scene.notes ?? []) {
    if (n.id === except) continue
    offer(n.start)
    if (n.end !== null) offer(n.end)
  }
  const sticky = stickyOf(scene, s)
  const at = y < s.rows ? -1 : rowAt(scene.rows.rows, contentY(y - s.rows, sticky, scene.scroll))
  const row = at < 0 ? null : scene.rows.rows[at]
  if (row?.type !== 'track' || row.track.kind !== 'slices') return best
  const columns = scene.slices.get(row.track.id)
  if (!columns) return best
  const under = Math.floor((y - s.rows - topOf(row, sticky, scene.scroll) - PAD) / SLICE)
  for (let lane = 0; lane + 1 < columns.laneStart.length; lane++)
    // A pixel of handicap: the level under the pointer is what is meant.
    laneEdges(columns, lane, t - reach, t + reach, time => offer(time, row.track.id, lane, lane === under ? 0 : reach / SNAP))
  return best
}

const inSight = (g: Geometry, t: number): boolean => t >= g.start && t <= g.end

/** Edges of one level in [from, to] that are known exactly: what stands for several slices has none. */
function laneEdges(c: SliceColumns, lane: number, from: number, to: number, tell: (time: number) => void): void {
  const hi = c.laneStart[lane + 1]
  for (let i = firstFrom(c, lane, from); i < hi && c.from[i] <= to; i++) {
    if (c.merged[i] > 1) continue
    const flag = c.flags[i]
    if (flag !== FLAG_OPEN_START && c.from[i] >= from) tell(c.from[i])
    if (flag === FLAG_INSTANT || flag === FLAG_OPEN_END) continue
    const end = endOf(c, i)
    if (end >= from && end <= to) tell(end)
  }
}
