/**
 * Hatches say "not measured here" and nothing else. They are drawn as lines rather than with a pattern image, so that they need no second canvas
 * (the exported picture is painted where there is none), stay sharp at every pixel ratio and join seamlessly between neighbouring areas.
 */
import type { Context2D, Theme } from './theme'
import { font } from './theme'

export interface HatchStyle {
  /** Fill under the lines; null leaves what is there. */
  readonly background: string | null
  readonly line: string
  /** Distance between lines, measured across them, CSS px. */
  readonly pitch: number
  /** 45 rises to the right, 135 falls to the right. */
  readonly angle: 45 | 135
}

/**
 * The kinds of tokens.css: `start` allocated before recording began, `lost` events overwritten or cut off, `nodata` nothing was measured here.
 */
export function hatchStyle(theme: Theme, kind: 'start' | 'lost' | 'nodata'): HatchStyle {
  const t = theme.token
  switch (kind) {
    case 'start':
      return { background: t('--hatch-start-bg'), line: t('--hatch-start-line'), pitch: parseFloat(t('--hatch-start-pitch')), angle: 45 }
    case 'lost':
      return { background: t('--hatch-lost-bg'), line: t('--hatch-lost-line'), pitch: parseFloat(t('--hatch-lost-pitch')), angle: 135 }
    case 'nodata':
      return { background: t('--hatch-nodata-bg'), line: t('--hatch-nodata-line'), pitch: parseFloat(t('--hatch-lost-pitch')), angle: 135 }
  }
}

/** Hatches a rectangle (CSS px). The lines are anchored to the origin of the context: areas that touch show one hatch. */
export function hatch(ctx: Context2D, x: number, y: number, w: number, h: number, style: HatchStyle): void {
  if (w <= 0 || h <= 0) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(x, y, w, h)
  ctx.clip()
  if (style.background) {
    ctx.fillStyle = style.background
    ctx.fillRect(x, y, w, h)
  }
  const step = style.pitch * Math.SQRT2
  // A falling line is x - y = k * step, a rising one x + y = k * step; every k whose line crosses the rectangle is drawn.
  const falling = style.angle === 135
  const first = Math.floor((falling ? x - (y + h) : x + y) / step)
  const last = Math.ceil((falling ? x + w - y : x + w + y + h) / step)
  ctx.beginPath()
  for (let k = first; k <= last; k++) {
    const c = k * step
    if (falling) {
      ctx.moveTo(c + y, y)
      ctx.lineTo(c + y + h, y + h)
    } else {
      ctx.moveTo(c - y, y)
      ctx.lineTo(c - y - h, y + h)
    }
  }
  ctx.strokeStyle = style.line
  ctx.lineWidth = 1
  ctx.lineCap = 'butt'
  ctx.stroke()
  ctx.restore()
}

/** Dots for "not written yet" (live runs). Same anchoring as `hatch`. */
export function dots(ctx: Context2D, x: number, y: number, w: number, h: number, color: string, pitch: number): void {
  if (w <= 0 || h <= 0) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(x, y, w, h)
  ctx.clip()
  ctx.fillStyle = color
  for (let j = Math.floor(y / pitch); j * pitch < y + h; j++)
    for (let i = Math.floor(x / pitch) - 1; i * pitch < x + w; i++) if ((i + j) % 2 === 0) ctx.fillRect(i * pitch + 1, j * pitch + 1, 1, 1)
  ctx.restore()
}

/**
 * A hatched area with its reason in words on a plate at the left (centred vertically): no data is not zero, and it says why.
 * The words are left out where they don't fit; `lost` uses the warning colour.
 */
export function noData(
  ctx: Context2D,
  theme: Theme,
  x: number,
  y: number,
  w: number,
  h: number,
  words: string,
  kind: 'nodata' | 'lost' = 'nodata',
): void {
  hatch(ctx, x, y, w, h, hatchStyle(theme, kind))
  if (!words || h < 14) return
  ctx.save()
  ctx.font = font(theme)
  const width = ctx.measureText(words).width
  if (width + 14 <= w - 8) {
    ctx.fillStyle = theme.token('--surface-0')
    ctx.beginPath()
    ctx.roundRect(x + 6, y + h / 2 - 8, width + 14, 16, 3)
    ctx.fill()
    ctx.fillStyle = theme.token(kind === 'lost' ? '--warn' : '--text-3')
    ctx.textAlign = 'left'
    ctx.textBaseline = 'middle'
    ctx.fillText(words, x + 13, y + h / 2 + 0.5)
  }
  ctx.restore()
}
