/** Words of the rows: labels in the gutter, heads of groups, rows that only say something. */
import type { Geometry } from '../geometry'
import { fit, fitMiddle, textWidth } from '../text'
import { font, type Context2D, type Theme } from '../theme'
import { COUNTER } from './metrics'
import type { GroupRow, NoteRow, TrackRow } from './rows'

/** Left edge of track labels. */
const LABEL_X = 28

export function drawChevron(ctx: Context2D, theme: Theme, x: number, cy: number, open: boolean): void {
  ctx.save()
  ctx.strokeStyle = theme.token('--text-3')
  ctx.lineWidth = 1.4
  ctx.lineCap = 'round'
  ctx.lineJoin = 'round'
  ctx.beginPath()
  if (open) {
    ctx.moveTo(x, cy - 1.5)
    ctx.lineTo(x + 3.5, cy + 2)
    ctx.lineTo(x + 7, cy - 1.5)
  } else {
    ctx.moveTo(x + 2, cy - 3.5)
    ctx.lineTo(x + 5.5, cy)
    ctx.lineTo(x + 2, cy + 3.5)
  }
  ctx.stroke()
  ctx.restore()
}

/** Title, what it is, and at the right where it comes from or how much is folded away. */
export function drawGroupText(ctx: Context2D, theme: Theme, g: Geometry, r: GroupRow, y: number): void {
  const cy = y + r.h / 2 + 0.5
  const x = 23 + r.level * 12
  // Bars of a closed group begin at the gutter: its words end there.
  const limit = r.preview ? g.gutter - 6 : g.gutter + g.plot * 0.7
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.font = font(theme, 11, 600)
  ctx.fillStyle = theme.token('--text-1')
  const title = fitMiddle(ctx, r.title, limit - x)
  const w = textWidth(ctx, title)
  ctx.fillText(title, x, cy)
  ctx.font = font(theme)
  ctx.fillStyle = theme.token('--text-3')
  if (r.sub) ctx.fillText(fit(ctx, r.sub, limit - x - w - 8), x + w + 8, cy)
  if (!r.side) return
  const side = fitMiddle(ctx, r.side, g.plot * 0.28)
  const right = g.gutter + g.plot - 4
  if (r.preview) {
    const sw = textWidth(ctx, side)
    ctx.fillStyle = theme.token('--track-group-bg')
    ctx.fillRect(right - sw - 8, y, sw + 12, r.h - 1)
    ctx.fillStyle = theme.token('--text-3')
  }
  ctx.textAlign = 'right'
  ctx.fillText(side, right, cy)
  ctx.textAlign = 'left'
}

/** Where the events come from, the track's name in its group, and its note: below the name where there is room, else beside it. */
export function drawTrackLabel(ctx: Context2D, theme: Theme, g: Geometry, r: TrackRow, y: number): void {
  const room = g.gutter - LABEL_X - 8
  const { label: name, note } = r
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.font = font(theme, 11, 500)
  const nameWidth = textWidth(ctx, name)
  ctx.font = font(theme)
  const prefixWidth = r.prefix ? textWidth(ctx, r.prefix) + 6 : 0
  // Two lines have room in a row of two levels, and in a lane where they stand close.
  const tall = r.h > 30 || (r.h >= COUNTER && note !== '' && nameWidth + 6 + textWidth(ctx, note) > room)
  const cy = y + (r.h > 30 ? 11 : tall ? 9 : Math.min(r.h / 2, 10.5) + 0.5)
  const beside = tall || !note ? 0 : textWidth(ctx, note) + 6
  const withPrefix = prefixWidth > 0 && prefixWidth + nameWidth <= room && (beside === 0 || beside + prefixWidth + nameWidth <= room)
  let x = LABEL_X
  ctx.fillStyle = theme.token('--text-3')
  if (withPrefix) {
    ctx.fillText(r.prefix, x, cy)
    x += prefixWidth
  }
  ctx.font = font(theme, 11, 500)
  ctx.fillStyle = theme.token('--text-1')
  ctx.fillText(fitMiddle(ctx, name, LABEL_X + room - x), x, cy)
  x += nameWidth + 6
  ctx.font = font(theme)
  ctx.fillStyle = theme.token('--text-3')
  if (!note) return
  if (tall) ctx.fillText(fit(ctx, note, room), LABEL_X, cy + (r.h > 30 ? 15 : 11))
  else if (x + 20 < LABEL_X + room) ctx.fillText(fit(ctx, note, LABEL_X + room - x), x, cy)
}

/** A row that only says something: label in the gutter, words on a plate, progress as a bar along the lower edge. */
export function drawNote(ctx: Context2D, theme: Theme, g: Geometry, r: NoteRow, y: number): void {
  const cy = y + r.h / 2 + 0.5
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.font = font(theme)
  ctx.fillStyle = theme.token('--text-3')
  ctx.fillText(fitMiddle(ctx, r.label, g.gutter - LABEL_X - 8), LABEL_X, cy)
  const words = fit(ctx, r.words, g.plot - 30)
  ctx.fillStyle = theme.token('--surface-0')
  ctx.beginPath()
  ctx.roundRect(g.gutter + 6, y + r.h / 2 - 8, textWidth(ctx, words) + 14, 16, 3)
  ctx.fill()
  ctx.fillStyle = theme.token(r.tone === 'warn' ? '--warn' : '--text-3')
  ctx.fillText(words, g.gutter + 13, cy)
  if (r.progress === null) return
  ctx.fillStyle = theme.token('--accent')
  ctx.fillRect(g.gutter, y + r.h - 3, g.plot * Math.min(1, Math.max(0, r.progress)), 2)
}
