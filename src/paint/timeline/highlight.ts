/**
 * Hits of a search on the tracks: what does not match is veiled, and each hit has a line of full contrast along its lower edge. Brightness and the line tell, not the hue, so
 * that it reads in both themes and without colour vision.
 */
import type { SearchMarksAnswer } from '../../shared/trace-api'
import type { Geometry } from '../geometry'
import type { Context2D, Theme } from '../theme'
import type { Fetched } from './columns'
import { BAR, PAD, SLICE } from './metrics'
import type { Row } from './rows'

/** Hits of one track in a stretch of time: disjoint within a lane, by start. ns relative to the group's origin. */
export interface MatchColumns extends Fetched {
  /** `laneStart[l] .. laneStart[l + 1]` are those of lane l; lanes above the last have none. */
  readonly laneStart: Uint32Array
  readonly from: Float64Array
  readonly to: Float64Array
}

/** Takes a `trace.searchMarks` answer apart; one entry per requested track. */
export const splitMarks = (a: SearchMarksAnswer, fetched: Fetched): readonly MatchColumns[] =>
  Array.from({ length: a.trackStart.length - 1 }, (_, t) => {
    const [first, end] = [a.trackStart[t], a.trackStart[t + 1]]
    const lanes: number[] = [0]
    for (let i = first; i < end; i++) while (lanes.length <= a.lane[i]) lanes.push(i - first)
    lanes.push(end - first)
    return {
      start: fetched.start,
      end: fetched.end,
      columns: fetched.columns,
      laneStart: Uint32Array.from(lanes),
      from: a.from.slice(first, end),
      to: a.to.slice(first, end),
    }
  })

/** Opacity of the veil over what does not match. */
const VEIL = 0.72
const LINE = 2

/** A stretch of one lane, CSS px. */
interface Span {
  readonly x: number
  readonly w: number
}

/** Where the hits of a lane stand on the plot, cut to it, at least LINE px wide; those that touch are one. */
export function matchSpans(m: MatchColumns, lane: number, g: Geometry): readonly Span[] {
  const lo = m.laneStart[lane] ?? 0
  const hi = m.laneStart[lane + 1] ?? 0
  const x1 = g.gutter + g.plot
  const out: { x: number; w: number }[] = []
  // Starts and ends ascend: the first that reaches into the window is found by halving.
  let a = lo
  let b = hi
  while (a < b) {
    const k = (a + b) >> 1
    if (m.to[k] >= g.start) b = k
    else a = k + 1
  }
  for (let k = a; k < hi && m.from[k] <= g.end; k++) {
    const left = Math.max(g.gutter, Math.round(g.x(m.from[k])))
    const right = Math.min(x1, Math.max(Math.round(g.x(m.to[k])), left + LINE))
    if (right <= left) continue
    const last = out[out.length - 1]
    if (last && left <= last.x + last.w) last.w = Math.max(last.w, right - last.x)
    else out.push({ x: left, w: right - left })
  }
  return out
}

interface MatchScene {
  readonly matches?: ReadonlyMap<number, MatchColumns> | null
}

/** Draws over the bars of rows that stand between `top` and `end`. Tracks of which nothing is known yet stay as they are. */
export function drawMatches(
  ctx: Context2D,
  theme: Theme,
  { matches }: MatchScene,
  g: Geometry,
  rows: readonly Row[],
  place: (r: Row) => number,
  top: number,
  end: number,
): void {
  if (!matches) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, top, g.plot, end - top)
  ctx.clip()
  for (const r of rows) {
    const track = r.type === 'track' ? r.track : r.type === 'group' ? r.preview : null
    const m = track?.kind === 'slices' ? matches.get(track.id) : undefined
    if (!track || !m) continue
    const y = place(r)
    if (r.type === 'group') {
      drawLane(ctx, theme, g, matchSpans(m, 0, g), y + 6, 10, '--track-group-bg')
      continue
    }
    const first = Math.max(0, Math.floor((top - y - PAD) / SLICE))
    const last = Math.min(Math.max(1, track.depth), Math.ceil((end - y - PAD) / SLICE))
    for (let lane = first; lane < last; lane++) drawLane(ctx, theme, g, matchSpans(m, lane, g), y + PAD + lane * SLICE, BAR, '--surface-0')
  }
  ctx.restore()
}

function drawLane(ctx: Context2D, theme: Theme, g: Geometry, spans: readonly Span[], y: number, h: number, ground: string): void {
  ctx.globalAlpha = VEIL
  ctx.fillStyle = theme.token(ground)
  let x = g.gutter
  for (const s of spans) {
    if (s.x > x) ctx.fillRect(x, y, s.x - x, h)
    x = s.x + s.w
  }
  if (x < g.gutter + g.plot) ctx.fillRect(x, y, g.gutter + g.plot - x, h)
  ctx.globalAlpha = 1
  ctx.fillStyle = theme.token('--pin-halo')
  for (const s of spans) ctx.fillRect(s.x, y + h - LINE - 1, s.w, 1)
  ctx.fillStyle = theme.token('--pin')
  for (const s of spans) ctx.fillRect(s.x, y + h - LINE, s.w, LINE)
}
