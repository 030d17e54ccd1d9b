/** The selected range: its band, its handles on the axis, its length, and both ends. */
import { duration } from '../../shared/format'
import { AXIS, cursorLabel, cursorSpan } from '../axis'
import type { Geometry } from '../geometry'
import { flag, textWidth } from '../text'
import { font, type Context2D, type Theme } from '../theme'

export interface TimeRange {
  readonly start: number
  readonly end: number
}

/** How far (CSS px) the pointer may miss an end on the axis. */
const REACH = 5

/** The end of the range that lies at x on the axis. */
export function rangeEndAt(g: Geometry, range: TimeRange | null, x: number): 'start' | 'end' | null {
  if (!range) return null
  const [a, b] = [g.x(range.start), g.x(range.end)]
  // Of a narrow one each half belongs to its end.
  const near = Math.abs(x - a) <= Math.abs(x - b) ? 'start' : 'end'
  const at = near === 'start' ? a : b
  return Math.abs(x - at) <= REACH && at >= g.gutter - 1 && at <= g.gutter + g.plot + 1 ? near : null
}

/** A plate on the axis, CSS px. */
interface Plate {
  readonly text: string
  readonly left: number
  readonly width: number
}

export interface RangePlates {
  readonly length: Plate | null
  readonly start: Plate | null
  readonly end: Plate | null
}

const GAP = 3

/**
 * Where length and ends are written: side by side, never over each other; an end that is out of sight or has no room is left out. `taken`: from and to of the cursor's flag, which
 * wins: the length moves aside within the range or is left out, an end is left out.
 */
export function rangePlates(
  g: Geometry,
  range: TimeRange,
  widthOf: (text: string) => number,
  taken: readonly [number, number] | null = null,
): RangePlates {
  const x1 = g.gutter + g.plot
  const [a, b] = [g.x(range.start), g.x(range.end)]
  if (b < g.gutter || a > x1) return { length: null, start: null, end: null }
  const plate = (text: string): { readonly text: string; readonly width: number } => ({ text, width: Math.ceil(widthOf(text)) + 10 })
  const length = plate(`Δ ${duration(range.end - range.start)}`)
  const middle = (Math.max(a, g.gutter) + Math.min(b, x1)) / 2
  const free = (l: number, width: number): boolean => taken === null || l + width <= taken[0] || l >= taken[1]
  const inside = (l: number): boolean => l >= Math.max(a, g.gutter) && l + length.width <= Math.min(b, x1)
  const wanted = Math.max(g.gutter, Math.min(middle - length.width / 2, x1 - length.width))
  const aside = taken === null ? [] : [taken[0] - GAP - length.width, taken[1] + GAP].filter(inside)
  const near = aside.sort((p, q) => Math.abs(p - wanted) - Math.abs(q - wanted))[0]
  const left = free(wanted, length.width) ? wanted : near
  const start = plate(cursorLabel(range.start, g))
  const end = plate(cursorLabel(range.end, g))
  const startLeft = Math.min(a, (left ?? Infinity) - GAP) - start.width
  const endLeft = Math.max(b, (left ?? -Infinity) + length.width + GAP)
  return {
    length: left === undefined ? null : { ...length, left },
    start: a >= g.gutter && startLeft >= g.gutter && free(startLeft, start.width) ? { ...start, left: startLeft } : null,
    end: b <= x1 && endLeft + end.width <= x1 && free(endLeft, end.width) ? { ...end, left: endLeft } : null,
  }
}

/** Stretches of the axis that the plates take, for its labels to keep clear of. */
export function rangeSpans(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  range: TimeRange,
  cursor: number | null,
): readonly (readonly [number, number])[] {
  return Object.values(platesOf(ctx, theme, g, range, cursor)).flatMap(p => (p ? [[p.left - 4, p.left + p.width + 4] as const] : []))
}

function platesOf(ctx: Context2D, theme: Theme, g: Geometry, range: TimeRange, cursor: number | null): RangePlates {
  const taken = cursorTaken(ctx, theme, g, cursor)
  ctx.save()
  ctx.font = font(theme, 11, 500)
  const plates = rangePlates(g, range, text => textWidth(ctx, text), taken)
  ctx.restore()
  return plates
}

/** Where the flag of the cursor stands on the axis; null without one. */
function cursorTaken(ctx: Context2D, theme: Theme, g: Geometry, cursor: number | null): readonly [number, number] | null {
  if (cursor === null) return null
  ctx.save()
  ctx.font = font(theme, 11, 500)
  const span = cursorSpan(g, cursor, text => textWidth(ctx, text))
  ctx.restore()
  return span
}

/** Band from `y` to `bottom` and plates on the axis at `y`; `cursor`: where the axis has the flag of the cursor, null without one. */
export function drawRange(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  range: TimeRange,
  y: number,
  bottom: number,
  cursor: number | null = null,
): void {
  const t = theme.token
  const x1 = g.gutter + g.plot
  const [a, b] = [g.x(range.start), g.x(range.end)]
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, bottom - y)
  ctx.clip()
  ctx.fillStyle = t('--selection')
  ctx.fillRect(a, y, b - a, bottom - y)
  ctx.fillStyle = t('--selection-edge')
  const taken = cursorTaken(ctx, theme, g, cursor)
  for (const e of [a, b]) {
    ctx.fillRect(Math.round(e), y, 1, bottom - y)
    // Under the flag of the cursor, whose time would not be readable.
    if (taken && e >= taken[0] - 3 && e <= taken[1] + 3) continue
    ctx.beginPath()
    ctx.roundRect(Math.round(e) - 2, y + AXIS / 2 - 6, 5, 12, 2)
    ctx.fill()
  }
  ctx.restore()
  const plates = platesOf(ctx, theme, g, range, cursor)
  const at = { align: 'left', min: g.gutter, max: x1 } as const
  for (const p of [plates.start, plates.end]) if (p) flag(ctx, theme, p.text, p.left, y + 3, { ...at, kind: 'soft' })
  if (plates.length) flag(ctx, theme, plates.length.text, plates.length.left, y + 3, { ...at, kind: 'selection' })
}
