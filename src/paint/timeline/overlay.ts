/** What follows the pointer: axis with the cursor's flag, lit step, outlines, range, cursor line, values at the cursor. Cheap enough for every move. */
import { drawAxis, drawCursorLine, AXIS } from '../axis'
import type { Geometry } from '../geometry'
import { flag, FLAG } from '../text'
import type { Context2D, Theme } from '../theme'
import { drawArrows } from './arrows'
import { counterAt } from './columns'
import { counterSpanText } from './counter'
import { BAR, PAD, SLICE } from './metrics'
import { inSight } from './rows'
import { drawNoteLines, drawNotes } from './notes'
import { drawRange, rangeSpans } from './range'
import { drawSteps } from './steps'
import { rowTop, stickyOf, type Mark, type Sections, type TraceScene } from './scene'

/** Rectangle of a slice on the panel in CSS px, cut to the plot and at least 3 px wide; null where its track is folded away or it is out of sight. */
export function markRect(
  scene: TraceScene,
  g: Geometry,
  s: Sections,
  mark: Mark,
): { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | null {
  const row = scene.rows.byTrack.get(mark.track)
  if (!row) return null
  const y = rowTop(scene, s, row) + PAD + mark.lane * SLICE
  const sticky = stickyOf(scene, s)
  // What scrolls lies under the pinned rows.
  if (y + BAR <= s.rows + (row.y < sticky ? 0 : sticky) || y >= scene.height) return null
  const x1 = g.gutter + g.plot
  const a = g.x(mark.start)
  const b = Math.max(g.x(mark.start + mark.duration), a + 3)
  if (b < g.gutter || a > x1) return null
  const left = Math.max(a, g.gutter - 4)
  return { x: left, y, w: Math.min(b, x1 + 4) - left, h: BAR }
}

export function drawOverlay(ctx: Context2D, theme: Theme, scene: TraceScene, g: Geometry, s: Sections): void {
  drawBelow(ctx, theme, scene, g, s)
  // Over the cursor, which stands at the same place.
  if (scene.snap !== undefined && scene.snap !== null) drawSnap(ctx, theme, g.x(scene.snap), s.axis, scene.height)
}

function drawBelow(ctx: Context2D, theme: Theme, scene: TraceScene, g: Geometry, s: Sections): void {
  const t = theme.token
  const { cursor, range } = scene
  const x1 = g.gutter + g.plot
  const clip = (y: number, h: number): void => {
    ctx.beginPath()
    ctx.rect(g.gutter, y, g.plot, h)
    ctx.clip()
  }
  const flagged = range && scene.measuring ? null : cursor
  drawAxis(ctx, theme, g, s.axis, AXIS, {
    cursor: flagged,
    label: scene.axisLabel,
    keepClear: range ? rangeSpans(ctx, theme, g, range, flagged) : [],
  })
  const notes = scene.notes ?? []
  if (s.notes < s.steps) drawNotes(ctx, theme, g, s.notes, s.steps - s.notes, notes)
  if (s.steps < s.rows) drawSteps(ctx, theme, g, s.steps, s.rows - s.steps, scene.steps, cursor)
  else {
    ctx.fillStyle = t('--border-2')
    ctx.fillRect(0, s.rows - 1, scene.width, 1)
  }
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(x1, s.axis, g.right, s.rows - s.axis)

  drawNoteLines(ctx, theme, g, s.rows, scene.height - s.rows, notes)
  if (range) drawRange(ctx, theme, g, range, s.axis, scene.height, flagged)

  ctx.save()
  ctx.beginPath()
  ctx.rect(0, s.rows, scene.width, scene.height - s.rows)
  ctx.clip()
  if (scene.focus !== null) {
    const row = scene.rows.rows[scene.focus]
    if (row) {
      const y = rowTop(scene, s, row)
      ctx.fillStyle = t('--accent-faint')
      ctx.fillRect(0, y, g.gutter - 1, row.h - 1)
      ctx.fillStyle = t('--accent')
      ctx.fillRect(0, y, 2, row.h - 1)
    }
  }
  if (typeof scene.drop === 'number') {
    ctx.fillStyle = t('--accent')
    ctx.fillRect(0, Math.max(s.rows, Math.round(scene.drop) - 1), scene.width, 2)
  }
  clip(s.rows, scene.height - s.rows)
  if (scene.hover) outline(ctx, theme, markRect(scene, g, s, scene.hover), 1)
  if (scene.selected) outline(ctx, theme, markRect(scene, g, s, scene.selected), 2)
  ctx.restore()

  drawArrows(ctx, theme, scene, g, s)
  drawPins(ctx, theme, scene, g, s)
  if (cursor === null) return
  const x = g.x(cursor)
  if (x < g.gutter - 0.5 || x > x1 + 0.5) return
  const below = s.axis + 3 + FLAG
  drawCursorLine(ctx, theme, x, below, scene.height - below)
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, s.rows, g.plot, scene.height - s.rows)
  ctx.clip()
  const rows = inSight(scene.rows, scene.scroll, scene.height - s.rows)
  for (const r of [...rows.moving, ...rows.fixed]) {
    if (r.type !== 'track' || r.track.kind !== 'counter') continue
    const data = scene.counters.get(r.track.id)
    if (!data || (r.knownUntil !== null && cursor > r.knownUntil)) continue
    const text = counterSpanText(r.track, counterAt(data, cursor))
    const side = x + 120 < x1
    flag(ctx, theme, text, side ? x + 9 : x - 9, rowTop(scene, s, r) + (r.h - 1 - FLAG) / 2, {
      kind: 'soft',
      align: side ? 'left' : 'right',
      min: g.gutter,
      max: x1,
    })
  }
  ctx.restore()
}

/** The edge that is snapped to: a dashed line with a diamond at its top, over the cursor's line. */
function drawSnap(ctx: Context2D, theme: Theme, x: number, y: number, bottom: number): void {
  const at = Math.round(x)
  const top = y + AXIS
  ctx.save()
  ctx.fillStyle = theme.token('--cursor-halo')
  ctx.fillRect(at - 1, top, 3, bottom - top)
  ctx.fillStyle = theme.token('--accent')
  for (let d = top; d < bottom; d += 6) ctx.fillRect(at - 0.5, d, 2, 4)
  ctx.beginPath()
  ctx.moveTo(at + 0.5, top - 5)
  ctx.lineTo(at + 5.5, top)
  ctx.lineTo(at + 0.5, top + 5)
  ctx.lineTo(at - 4.5, top)
  ctx.closePath()
  ctx.strokeStyle = theme.token('--surface-0')
  ctx.lineWidth = 3
  ctx.stroke()
  ctx.fill()
  ctx.restore()
}

/** Triangles that stand on the lower edge of the thread's row, or of the steps where the thread is not known or not in sight. */
function drawPins(ctx: Context2D, theme: Theme, scene: TraceScene, g: Geometry, s: Sections): void {
  for (const pin of scene.pins ?? []) {
    const x = g.x(pin.time)
    if (x < g.gutter || x > g.gutter + g.plot) continue
    const row = pin.track === null ? undefined : scene.rows.byTrack.get(pin.track)
    const bottom = row ? rowTop(scene, s, row) + row.h - 1 : s.rows - 1
    const y = bottom > s.rows + 7 && bottom <= scene.height ? bottom : s.rows - 1
    ctx.beginPath()
    ctx.moveTo(x, y - 7)
    ctx.lineTo(x + 4.5, y)
    ctx.lineTo(x - 4.5, y)
    ctx.closePath()
    ctx.strokeStyle = theme.token('--pin-halo')
    ctx.lineWidth = 3
    ctx.stroke()
    ctx.fillStyle = theme.token('--pin')
    ctx.fill()
  }
}

function outline(ctx: Context2D, theme: Theme, r: ReturnType<typeof markRect>, width: number): void {
  if (!r) return
  const draw = (grow: number, line: number, color: string): void => {
    ctx.strokeStyle = color
    ctx.lineWidth = line
    ctx.beginPath()
    ctx.roundRect(Math.round(r.x) - grow, Math.round(r.y) - grow, Math.round(r.w) + 2 * grow, r.h + 2 * grow, 2.5)
    ctx.stroke()
  }
  draw(width === 2 ? 1.5 : 1, width + 2, theme.token('--pin-halo'))
  draw(width === 2 ? 1 : 0.5, width, theme.token('--pin'))
}
