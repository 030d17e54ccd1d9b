/** Dependency arrows of the selected event, over the tracks. An end that has no place in sight lies at the edge, or on the row of the group that it is folded into. */
import type { Geometry } from '../geometry'
import type { Context2D, Theme } from '../theme'
import { BAR, PAD, SLICE } from './metrics'
import type { Grouped, Row } from './rows'
import { rowTop, stickyOf, type Mark, type Sections, type TraceScene } from './scene'

export interface Arrow {
  readonly from: Mark
  readonly to: Mark
  /** One of its ends is the selected event. */
  readonly direct: boolean
  readonly inferred: boolean
}

/** More would be a tangle; the nearest come first. */
export const MOST_ARROWS = 200

interface End {
  readonly x: number
  readonly y: number
  /** The event itself is there, not only the way to it. */
  readonly there: boolean
  /** Side on which it is out of sight: -1 above or before, 1 below or behind. */
  readonly outX: number
  readonly outY: number
}

/** Draws them nearest last, so that direct ones lie on top. */
export function drawArrows(ctx: Context2D, theme: Theme, scene: TraceScene, g: Geometry, s: Sections): void {
  const list = (scene.arrows ?? []).slice(0, MOST_ARROWS)
  if (list.length === 0) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, s.rows, g.plot, scene.height - s.rows)
  ctx.clip()
  ctx.lineCap = 'round'
  for (let i = list.length - 1; i >= 0; i--) {
    const arrow = list[i] as Arrow
    const ends = endsOf(scene, g, s, arrow)
    if (ends) draw(ctx, theme, ends[0], ends[1], arrow)
  }
  ctx.restore()
}

/** Both ends on the panel in CSS px; null where nothing of the way between them is in sight. */
export function endsOf(scene: TraceScene, g: Geometry, s: Sections, { from, to }: Arrow): readonly [End, End] | null {
  // It leaves where the other one begins if that is within, else at the nearer end.
  const leave = Math.min(from.start + Math.max(0, from.duration), Math.max(from.start, to.start))
  const a = endOf(scene, g, s, from, leave)
  const b = endOf(scene, g, s, to, to.start)
  if (!a || !b) return null
  if (a.outX !== 0 && a.outX === b.outX) return null
  if (a.outY !== 0 && a.outY === b.outY) return null
  return [a, b]
}

function endOf(scene: TraceScene, g: Geometry, s: Sections, mark: Mark, time: number): End | null {
  const row = scene.rows.byTrack.get(mark.track)
  const place = row ?? groupRow(scene, mark.track)
  if (!place) return null
  const middle = row ? PAD + mark.lane * SLICE + BAR / 2 : place.h / 2
  const sticky = stickyOf(scene, s)
  const top = s.rows + (place.y < sticky ? 0 : sticky)
  const y = rowTop(scene, s, place) + middle
  const x = g.x(time)
  const x1 = g.gutter + g.plot
  const outX = x < g.gutter ? -1 : x > x1 ? 1 : 0
  const outY = y < top ? -1 : y > scene.height ? 1 : 0
  return {
    x: Math.min(x1, Math.max(g.gutter, x)),
    y: Math.min(scene.height, Math.max(top, y)),
    there: row !== undefined && outX === 0 && outY === 0,
    outX,
    outY,
  }
}

const homes = new WeakMap<Grouped, ReadonlyMap<number, readonly [section: string, instance: string]>>()

/** Row of the closed group that a track is folded into. */
function groupRow(scene: TraceScene, track: number): Row | null {
  const { grouped, byKey } = scene.rows
  let home = homes.get(grouped)
  if (!home)
    homes.set(
      grouped,
      (home = new Map(grouped.instances.flatMap(i => i.sections.flatMap(c => c.tracks.map(t => [t.track.id, [c.key, i.key]] as const))))),
    )
  const keys = home.get(track)
  return keys ? (byKey.get(keys[0]) ?? byKey.get(keys[1]) ?? null) : null
}

function draw(ctx: Context2D, theme: Theme, a: End, b: End, arrow: Arrow): void {
  const bend = Math.max(14, Math.min(70, Math.abs(b.x - a.x) / 2))
  const line = (color: string, width: number): void => {
    ctx.strokeStyle = color
    ctx.lineWidth = width
    ctx.beginPath()
    ctx.moveTo(a.x, a.y)
    ctx.bezierCurveTo(a.x + bend, a.y, b.x - bend, b.y, b.x, b.y)
    ctx.stroke()
  }
  const color = theme.token('--flow')
  line(theme.token('--pin-halo'), arrow.direct ? 4.5 : 3.5)
  if (arrow.inferred) ctx.setLineDash([5, 4])
  line(color, arrow.direct ? 2.25 : 1.25)
  ctx.setLineDash([])
  ctx.fillStyle = color
  if (a.there) {
    ctx.beginPath()
    ctx.arc(a.x, a.y, 2, 0, 2 * Math.PI)
    ctx.fill()
  }
  // Folded away or out of sight: the line ends there without a head.
  if (b.there) {
    ctx.beginPath()
    ctx.moveTo(b.x + 1, b.y)
    ctx.lineTo(b.x - 7, b.y - 4)
    ctx.lineTo(b.x - 7, b.y + 4)
    ctx.closePath()
    ctx.strokeStyle = theme.token('--pin-halo')
    ctx.lineWidth = 1.5
    ctx.stroke()
    ctx.fill()
  }
}
