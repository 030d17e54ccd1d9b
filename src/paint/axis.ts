/** The time axis and what all panels share behind and above their plots: ticks, step bands, grid lines, the cursor. Times are ns. */
import { num } from '../shared/format'
import { drawBands, drawEdges, type Band } from './bands'
import { flag, FLAG, textWidth } from './text'
import { steps, ticks, type Geometry } from './geometry'
import { font, type Context2D, type Theme } from './theme'

const NBSP = '\u00a0'

/** Heights in CSS px (`--h-axis`, `--h-axis-mirror`). */
export const AXIS = 22
export const AXIS_MIRROR = 18

/** Decimals of milliseconds that tell times `stepNs` apart: at most six (nanoseconds). */
export const msDigits = (stepNs: number): number => Math.min(6, Math.max(0, Math.ceil(-Math.log10(Math.max(stepNs, 1) / 1e6) - 1e-9)))

/** Tick label, e.g. `700 ms`, `1,129.418 ms`, `12 s` where ticks are whole seconds and the times long. */
export function tickLabel(t: number, stepNs: number): string {
  if (stepNs >= 1e9) return num(t / 1e9) + NBSP + 's'
  return num(t / 1e6, msDigits(stepNs)) + NBSP + 'ms'
}

/** Time at the cursor: three decimals of a millisecond, more once a pixel is shorter than that. */
export const cursorLabel = (t: number, g: Geometry): string => num(t / 1e6, Math.max(3, msDigits((g.end - g.start) / g.plot))) + NBSP + 'ms'

export interface AxisOptions {
  /** Lower axis of a panel: ticks hang from the top. */
  readonly mirror?: boolean
  /** Time of the cursor, null without one: its flag is drawn and labels that it would cover are left out. */
  readonly cursor?: number | null
  /** Words in the gutter. */
  readonly label?: string
  /** How a tick is written; default time. For an axis of event indices pass a plain number format. */
  readonly format?: (value: number, step: number) => string
  readonly formatCursor?: (value: number, g: Geometry) => string
  /** Further spans (CSS px) that labels keep clear of. */
  readonly keepClear?: readonly (readonly [number, number])[]
}

/** Left and right edge of the cursor's flag on the axis; null where the cursor is out of sight. `widthOf` measures in the flag's font. */
export function cursorSpan(
  g: Geometry,
  cursor: number,
  widthOf: (text: string) => number,
  format: (value: number, g: Geometry) => string = cursorLabel,
): readonly [number, number] | null {
  const x1 = g.gutter + g.plot
  const x = g.x(cursor)
  if (x < g.gutter - 0.5 || x > x1 + 0.5) return null
  const w = Math.ceil(widthOf(format(cursor, g))) + 10
  const left = Math.max(g.gutter, Math.min(x - w / 2, x1 - w))
  return [left, left + w]
}

/** Axis with labelled ticks, minor ticks and the cursor's flag, on `--surface-0` over the whole width. */
export function drawAxis(ctx: Context2D, theme: Theme, g: Geometry, y: number, h: number, options: AxisOptions = {}): void {
  const { mirror = false, cursor = null, label = '', format = tickLabel, formatCursor = cursorLabel } = options
  const t = theme.token
  const x1 = g.gutter + g.plot
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, y, g.width, h)
  ctx.font = font(theme)
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  const clear = [...(options.keepClear ?? [])]
  const cx = cursor === null ? NaN : g.x(cursor)
  const shown = cx >= g.gutter - 0.5 && cx <= x1 + 0.5
  if (shown && cursor !== null) {
    ctx.font = font(theme, 11, 500)
    const span = cursorSpan(g, cursor, s => textWidth(ctx, s), formatCursor)
    if (span) clear.push([span[0] - 4, span[1] + 4])
    ctx.font = font(theme)
  }
  const { step, at } = ticks(g)
  ctx.fillStyle = t('--grid')
  const minor = step / 5
  for (const v of steps(g.start, g.end, minor)) ctx.fillRect(Math.round(g.x(v)), mirror ? y : y + h - 3, 1, 3)
  for (const v of at) {
    const x = Math.round(g.x(v))
    ctx.fillStyle = t('--grid-major')
    ctx.fillRect(x, mirror ? y : y + h - 6, 1, 6)
    const s = format(v, step)
    const a = x + 5
    const b = a + textWidth(ctx, s)
    if (b > x1 || clear.some(([c, d]) => a < d && b > c)) continue
    ctx.fillStyle = t('--text-3')
    ctx.fillText(s, a, y + h / 2 + 0.5)
  }
  if (label) {
    ctx.fillStyle = t('--text-3')
    ctx.fillText(label, 12, y + h / 2 + 0.5)
  }
  if (shown && cursor !== null) flag(ctx, theme, formatCursor(cursor, g), cx, y + (h - FLAG) / 2, { min: g.gutter, max: x1 })
  ctx.restore()
}

/** What a step looks like to the furniture: ns relative to the group's origin. */
export type StepSpan = Band

/** Bands behind every second step, grid lines at the ticks, edges where steps and annotations begin: the same behind every plotted area. */
export function drawFurniture(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  y: number,
  h: number,
  steps: readonly StepSpan[],
  annotations: readonly Band[] = [],
): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, h)
  ctx.clip()
  drawBands(ctx, theme, g, y, h, steps)
  ctx.fillStyle = theme.token('--grid')
  for (const v of ticks(g).at) ctx.fillRect(Math.round(g.x(v)), y, 1, h)
  drawEdges(ctx, theme, g, y, h, steps, annotations)
  ctx.restore()
}

/** The cursor: one line with a halo that keeps it visible on any fill. */
export function drawCursorLine(ctx: Context2D, theme: Theme, x: number, y: number, h: number): void {
  const at = Math.round(x)
  ctx.save()
  ctx.fillStyle = theme.token('--cursor-halo')
  ctx.fillRect(at - 1, y, 3, h)
  ctx.fillStyle = theme.token('--cursor')
  ctx.fillRect(at, y, 1, h)
  ctx.restore()
}
