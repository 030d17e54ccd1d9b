/** Marks on the allocator timeline: peak, out of memory, pinned and hovered outlines, lifetime. None depends on colour alone. */
import type { MemoryPicture } from '../../shared/api'
import { memory } from '../../shared/format'
import type { Taken } from '../bands'
import type { Geometry } from '../geometry'
import { flag, textWidth } from '../text'
import { font, type Context2D, type Theme } from '../theme'
import { stretches, type Stretch } from './hit'
import type { ByteScale } from './scale'
import { oomLabel, PEAK } from './words'

/** Where the peak's mark and label stand, CSS px; null when the peak is out of sight. */
export interface PeakPlace {
  /** Tip of the triangle. */
  readonly x: number
  readonly tip: number
  /** Label box. */
  readonly left: number
  readonly top: number
  readonly width: number
  readonly value: string
  readonly valueWidth: number
  /** What the value is called. */
  readonly name: string
}

/** Places the mark. `avoid`: x of the cursor, whose flag the label keeps clear of. */
export function placePeak(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  s: ByteScale,
  at: number,
  bytes: number,
  avoid: number | null,
  name = PEAK,
): PeakPlace | null {
  const x = Math.round(g.x(at))
  const right = g.gutter + g.plot
  const y = s.y(bytes)
  if (x < g.gutter || x > right || y < s.top - 0.5) return null
  const value = memory(bytes)
  ctx.save()
  ctx.font = font(theme, 11, 600)
  const valueWidth = textWidth(ctx, value)
  ctx.font = font(theme)
  const width = valueWidth + textWidth(ctx, name) + 20
  ctx.restore()
  const tip = Math.max(y - 2, s.top + 10)
  const clash = avoid !== null && avoid > x - 8 && avoid < x + 12 + width
  const fitsRight = x + 12 + width < right
  const fitsLeft = x - 12 - width > g.gutter
  const left = (fitsRight && !clash) || !fitsLeft ? Math.min(x + 12, right - width - 4) : x - 12 - width
  return { x, tip, left, top: Math.max(s.top + 2, tip - 22), width, value, valueWidth, name }
}

/** What the mark of the peak takes of the plot, for words that keep clear of it. */
export const peakSpan = (p: PeakPlace | null): readonly Taken[] =>
  p
    ? [
        {
          left: Math.min(p.left, p.x - 6) - 4,
          right: Math.max(p.left + p.width, p.x + 6) + 4,
          top: Math.min(p.top, p.tip - 9),
          bottom: Math.max(p.top + 18, p.tip),
        },
      ]
    : []

/** Triangle at the instant of the peak with its value beside it. */
export function drawPeak(ctx: Context2D, theme: Theme, p: PeakPlace): void {
  ctx.save()
  ctx.fillStyle = theme.token('--peak')
  ctx.strokeStyle = theme.token('--pin-halo')
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(p.x, p.tip)
  ctx.lineTo(p.x - 5, p.tip - 8)
  ctx.lineTo(p.x + 5, p.tip - 8)
  ctx.closePath()
  ctx.fill()
  ctx.stroke()
  ctx.fillStyle = theme.token('--surface-0')
  ctx.globalAlpha = 0.86
  ctx.beginPath()
  ctx.roundRect(p.left, p.top, p.width, 18, 3)
  ctx.fill()
  ctx.globalAlpha = 1
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.fillStyle = theme.token('--text-1')
  ctx.font = font(theme, 11, 600)
  ctx.fillText(p.value, p.left + 6, p.top + 9.5)
  ctx.fillStyle = theme.token('--text-3')
  ctx.font = font(theme)
  ctx.fillText(p.name, p.left + 12 + p.valueWidth, p.top + 9.5)
  ctx.restore()
}

/** Crossed octagon on a dashed line, with what was asked for: its bytes, or words. */
export function drawOom(ctx: Context2D, theme: Theme, g: Geometry, s: ByteScale, at: number, asked: number | string): void {
  const x = Math.round(g.x(at))
  const right = g.gutter + g.plot
  if (x < g.gutter || x > right) return
  const y = s.top + s.height - 40
  // At the edge of the plot the line stands where it is, the sign beside it.
  const cx = Math.min(Math.max(x, g.gutter + 9), right - 9)
  ctx.save()
  ctx.strokeStyle = theme.token('--oom')
  ctx.lineWidth = 1
  ctx.setLineDash([3, 3])
  ctx.beginPath()
  ctx.moveTo(x + 0.5, s.top)
  ctx.lineTo(x + 0.5, s.top + s.height)
  ctx.stroke()
  ctx.setLineDash([])
  ctx.fillStyle = theme.token('--surface-0')
  ctx.lineWidth = 1.4
  ctx.beginPath()
  for (let i = 0; i < 8; i++) {
    const a = (Math.PI / 4) * (i + 0.5)
    const px = cx + 0.5 + 7 * Math.cos(a)
    const py = y + 7 * Math.sin(a)
    if (i) ctx.lineTo(px, py)
    else ctx.moveTo(px, py)
  }
  ctx.closePath()
  ctx.fill()
  ctx.stroke()
  ctx.beginPath()
  ctx.moveTo(cx - 2, y - 2.5)
  ctx.lineTo(cx + 3, y + 2.5)
  ctx.moveTo(cx + 3, y - 2.5)
  ctx.lineTo(cx - 2, y + 2.5)
  ctx.stroke()
  const label = typeof asked === 'string' ? asked : oomLabel(asked)
  ctx.font = font(theme)
  const w = textWidth(ctx, label) + 10
  const lx = cx + 12 + w < right ? cx + 12 : cx - 12 - w
  if (lx > g.gutter) {
    ctx.fillStyle = theme.token('--surface-0')
    ctx.globalAlpha = 0.9
    ctx.beginPath()
    ctx.roundRect(lx, y - 8, w, 16, 3)
    ctx.fill()
    ctx.globalAlpha = 1
    ctx.fillStyle = theme.token('--oom')
    ctx.textAlign = 'left'
    ctx.textBaseline = 'middle'
    ctx.fillText(label, lx + 5, y + 0.5)
  }
  ctx.restore()
}

/** x of a picture's column edge and y of a row edge, in CSS px of the panel. */
export interface PicturePlace {
  readonly x: (column: number) => number
  readonly y: (row: number) => number
}

/** Outline of an allocation wherever it is drawn, filled unmixed: the pinned one stronger than the hovered one. */
export function drawLifted(
  ctx: Context2D,
  theme: Theme,
  picture: MemoryPicture,
  place: PicturePlace,
  allocation: number,
  fill: string,
  width: number,
): void {
  ctx.save()
  ctx.lineJoin = 'round'
  for (const s of stretches(picture, allocation)) {
    outline(ctx, s, place)
    ctx.strokeStyle = theme.token('--pin-halo')
    ctx.lineWidth = width + 2.5
    ctx.stroke()
    ctx.fillStyle = fill
    ctx.fill()
    ctx.strokeStyle = theme.token('--pin')
    ctx.lineWidth = width
    ctx.stroke()
  }
  ctx.restore()
}

function outline(ctx: Context2D, s: Stretch, p: PicturePlace): void {
  const n = s.top.length
  ctx.beginPath()
  for (let i = 0; i < n; i++) {
    if (i > 0 && s.top[i] === s.top[i - 1] && i + 1 < n) continue
    if (i > 0) ctx.lineTo(p.x(s.first + i), p.y(s.top[i - 1]))
    if (i === 0) ctx.moveTo(p.x(s.first), p.y(s.top[0]))
    else ctx.lineTo(p.x(s.first + i), p.y(s.top[i]))
  }
  ctx.lineTo(p.x(s.first + n), p.y(s.top[n - 1]))
  ctx.lineTo(p.x(s.first + n), p.y(s.bottom[n - 1]))
  for (let i = n - 1; i >= 0; i--) {
    if (i < n - 1 && i > 0 && s.bottom[i] === s.bottom[i + 1]) continue
    if (i < n - 1) ctx.lineTo(p.x(s.first + i + 1), p.y(s.bottom[i]))
    ctx.lineTo(p.x(s.first + i), p.y(s.bottom[i]))
  }
  ctx.closePath()
}

/** The pinned life on the lower axis: a bracket from alloc to free. An end that was not recorded stays open. */
export function drawLifetime(ctx: Context2D, theme: Theme, g: Geometry, y: number, from: number | null, to: number | null): void {
  const right = g.gutter + g.plot
  const a = from === null ? -Infinity : g.x(from)
  const b = to === null ? Infinity : g.x(to)
  if (b < g.gutter || a > right) return
  const x0 = Math.max(g.gutter, Math.round(a))
  const x1 = Math.max(x0 + 1, Math.min(right, Math.round(b)))
  ctx.fillStyle = theme.token('--pin')
  ctx.fillRect(x0, y + 1, x1 - x0, 2)
  if (a >= g.gutter) ctx.fillRect(x0, y + 1, 1, 6)
  if (b <= right) ctx.fillRect(x1 - 1, y + 1, 1, 6)
}

/** Dot where the cursor meets the curve, and the value there in words ('' for none). */
export function drawCursorValue(ctx: Context2D, theme: Theme, g: Geometry, s: ByteScale, x: number, bytes: number, words: string): void {
  const y = Math.max(s.top, s.y(bytes))
  ctx.save()
  ctx.fillStyle = theme.token('--cursor-halo')
  ctx.beginPath()
  ctx.arc(x + 0.5, y, 5, 0, Math.PI * 2)
  ctx.fill()
  ctx.fillStyle = theme.token('--cursor')
  ctx.beginPath()
  ctx.arc(x + 0.5, y, 3.5, 0, Math.PI * 2)
  ctx.fill()
  ctx.restore()
  if (!words) return
  const right = g.gutter + g.plot
  ctx.save()
  ctx.font = font(theme)
  const w = textWidth(ctx, words) + 12
  ctx.restore()
  const left = x + 10 + w > right
  const fy = Math.min(Math.max(s.top + 24, y + 12), s.top + s.height - 20)
  flag(ctx, theme, words, left ? x - 10 : x + 10, Math.round(fy), {
    kind: 'soft',
    align: left ? 'right' : 'left',
    min: g.gutter,
    max: right,
  })
}
