/**
 * The exported picture: title, range, System Trace, Memory Viewer, legend and sources on one sheet, so that it makes sense alone.
 * The panels are painted by the code that paints the screen; text is drawn, nothing is copied from the page.
 */
import { paintHbm } from '../hbm/paint'
import type { HbmScene } from '../hbm/scene'
import { totalName } from '../hbm/words'
import { paintMemory } from '../memory/paint'
import type { MemoryScene } from '../memory/scene'
import { fit, textWidth } from '../text'
import { font, type Context2D, type Theme } from '../theme'
import { paintTrace, type TraceScene } from '../timeline'
import { FOOT, layoutSheet, legendRows, PAD, placeLegend, ROW, type LegendEntry, type PlacedEntry, type SheetLayout } from './layout'

export interface ExportSheet {
  /** Width in CSS px. */
  readonly width: number
  /** Height in CSS px; null for what the content needs (see `layoutSheet`). */
  readonly height: number | null
  readonly title: string
  /** Session, range, device, peak. */
  readonly subtitle: string
  readonly trace: TraceScene | null
  /** Its scale begins at 0: the sheet moves it to its place. */
  readonly memory: MemoryScene | null
  /** In place of the allocator; its scale begins at 0 too. */
  readonly hbm?: HbmScene | null
  /** Colours of the owner groups; empty for none. */
  readonly legend: readonly LegendEntry[]
  /** Names of the source files with sizes; null for none. */
  readonly sources: readonly string[] | null
  readonly program: string
}

/** The legend in the sheet's own font. */
export function placedLegend(ctx: Context2D, theme: Theme, legend: readonly LegendEntry[], width: number): readonly PlacedEntry[] {
  ctx.save()
  ctx.font = font(theme)
  const placed = placeLegend(legend, width, s => textWidth(ctx, s))
  ctx.restore()
  return placed
}

const lowerOf = (sheet: ExportSheet): MemoryScene | HbmScene | null => sheet.memory ?? sheet.hbm ?? null

/** Where the parts of a sheet stand. The context is needed to measure the legend. */
export const sheetLayout = (ctx: Context2D, theme: Theme, sheet: ExportSheet): SheetLayout =>
  layoutSheet({ ...sheet, memory: lowerOf(sheet), legendRows: legendRows(placedLegend(ctx, theme, sheet.legend, sheet.width)) })

/** Paints the sheet over [0, width) x [0, height of its layout). The context is scaled to CSS px. */
export function paintSheet(ctx: Context2D, theme: Theme, sheet: ExportSheet): void {
  const t = theme.token
  const placed = placedLegend(ctx, theme, sheet.legend, sheet.width)
  const layout = layoutSheet({ ...sheet, memory: lowerOf(sheet), legendRows: legendRows(placed) })
  const { width } = sheet
  const inner = width - 2 * PAD
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, 0, width, layout.height)
  const text = (
    s: string,
    x: number,
    y: number,
    size: number,
    weight: number,
    color: string,
    max: number,
    align: CanvasTextAlign = 'left',
  ) => {
    ctx.font = font(theme, size, weight)
    ctx.fillStyle = t(color)
    ctx.textAlign = align
    ctx.textBaseline = 'middle'
    ctx.fillText(fit(ctx, s, max), x, y)
    ctx.textAlign = 'left'
  }
  text(sheet.title, PAD, 20, 15, 600, '--text-1', inner)
  text(sheet.subtitle, PAD, 40, 11, 400, '--text-3', inner)
  const at = (dy: number, paint: () => void): void => {
    ctx.save()
    ctx.translate(0, dy)
    paint()
    ctx.restore()
  }
  const { trace, memory } = sheet
  if (trace && layout.trace !== null) at(layout.trace, () => paintTrace(ctx, theme, trace))
  if (memory && layout.memory !== null) {
    const y = layout.memory
    at(y, () => paintMemory(ctx, theme, memory))
    text('Active memory', PAD, y + 14, 11, 600, '--text-1', memory.geometry.gutter - 60)
    text('requested bytes', PAD, y + 30, 11, 400, '--text-3', memory.geometry.gutter - 60)
  }
  if (!memory && sheet.hbm && layout.memory !== null) {
    const { hbm } = sheet
    const y = layout.memory
    at(y, () => paintHbm(ctx, theme, hbm))
    text(hbm.info.label, PAD, y + 14, 11, 600, '--text-1', hbm.geometry.gutter - 60)
    text(totalName(hbm.info), PAD, y + 30, 11, 400, '--text-3', hbm.geometry.gutter - 60)
  }
  ctx.fillStyle = t('--border-1')
  ctx.fillRect(0, layout.line, width, 1)
  for (const p of placed) {
    const cy = layout.legend + p.row * ROW + ROW / 2
    swatch(ctx, theme, p.entry, p.x, cy)
    text(p.entry.label, p.x + 12, cy + 0.5, 11, 400, '--text-2', p.width)
  }
  const cy = layout.foot + FOOT / 2
  ctx.font = font(theme)
  const programWidth = textWidth(ctx, sheet.program)
  text(sheet.program, width - PAD, cy, 11, 400, '--text-3', inner, 'right')
  if (sheet.sources) text(`Sources: ${sheet.sources.join(', ') || 'none'}`, PAD, cy, 11, 400, '--text-3', inner - programWidth - 24)
  ctx.restore()
}

function swatch(ctx: Context2D, theme: Theme, entry: LegendEntry, x: number, cy: number): void {
  ctx.save()
  ctx.beginPath()
  ctx.roundRect(x, cy - 4, 8, 8, 2)
  ctx.fillStyle = theme.token(entry.token === 'start' ? '--hatch-start-bg' : entry.token)
  ctx.fill()
  if (entry.token === 'start') {
    ctx.clip()
    ctx.strokeStyle = theme.token('--hatch-start-line')
    ctx.lineWidth = 1
    ctx.beginPath()
    for (let k = -8; k < 16; k += 3) {
      ctx.moveTo(x + k, cy + 4)
      ctx.lineTo(x + k + 8, cy - 4)
    }
    ctx.stroke()
  }
  ctx.restore()
}
