/**
 * The exported picture: title, range, System Trace, Memory Viewer, legend and sources on one sheet, so that it makes sense alone.
 * The panels are painted by the code that paints the screen; text is drawn, nothing is copied from the page.
 */
import { AXIS_MIRROR } from './axis'
import { paintMemory } from './memory/paint'
import type { MemoryScene } from './memory/scene'
import { fit, textWidth } from './text'
import { font, type Context2D, type Theme } from './theme'
import { paintTrace, type TraceScene } from './timeline'

export interface LegendEntry {
  readonly label: string
  /** Colour token; `start` for the hatched start state. */
  readonly token: string | 'start'
}

export interface ExportSheet {
  /** Width in CSS px; the height follows from the content (`sheetHeight`). */
  readonly width: number
  readonly title: string
  /** Session, range, device, peak. */
  readonly subtitle: string
  readonly trace: TraceScene | null
  /** Its scale begins at 0: the sheet moves it to its place. */
  readonly memory: MemoryScene | null
  /** Colours of the owner groups; empty for none. */
  readonly legend: readonly LegendEntry[]
  /** Names of the source files with sizes; null for none. */
  readonly sources: readonly string[] | null
  readonly program: string
}

const PAD = 16
const HEAD = 58
const GAP = 6
const ROW = 20
const FOOT = 34

interface Placed {
  readonly entry: LegendEntry
  readonly x: number
  readonly row: number
  readonly width: number
}

/** Places the legend's entries in rows. `measure` gives the width of a label in the legend's font. */
export function placeLegend(legend: readonly LegendEntry[], width: number, measure: (s: string) => number): readonly Placed[] {
  const out: Placed[] = []
  const inner = width - 2 * PAD
  let x = 0
  let row = 0
  for (const entry of legend) {
    const w = Math.min(Math.ceil(measure(entry.label)), Math.min(220, inner - 12))
    if (x > 0 && x + 12 + w > inner) {
      x = 0
      row++
    }
    out.push({ entry, x: PAD + x, row, width: w })
    x += 12 + w + 14
  }
  return out
}

const legendRows = (placed: readonly Placed[]): number => (placed.length ? placed[placed.length - 1].row + 1 : 0)

const memoryHeight = (m: MemoryScene): number => m.scale.height + AXIS_MIRROR

/** Height of the sheet in CSS px. The context is needed to measure the legend. */
export function sheetHeight(ctx: Context2D, theme: Theme, sheet: ExportSheet): number {
  ctx.save()
  ctx.font = font(theme)
  const rows = legendRows(placeLegend(sheet.legend, sheet.width, s => textWidth(ctx, s)))
  ctx.restore()
  const panels = (sheet.trace ? sheet.trace.height : 0) + (sheet.memory ? memoryHeight(sheet.memory) : 0)
  const gap = sheet.trace && sheet.memory ? GAP : 0
  return Math.ceil(HEAD + panels + gap + (rows ? rows * ROW + 12 : 0) + FOOT)
}

/** Paints the sheet over [0, width) x [0, sheetHeight). The context is scaled to CSS px. */
export function paintSheet(ctx: Context2D, theme: Theme, sheet: ExportSheet): void {
  const t = theme.token
  const height = sheetHeight(ctx, theme, sheet)
  const { width } = sheet
  const inner = width - 2 * PAD
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, 0, width, height)
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
  let y = HEAD
  const at = (dy: number, paint: () => void): void => {
    ctx.save()
    ctx.translate(0, dy)
    paint()
    ctx.restore()
  }
  const { trace, memory } = sheet
  if (trace) {
    at(y, () => paintTrace(ctx, theme, trace))
    y += trace.height + (memory ? GAP : 0)
  }
  if (memory) {
    at(y, () => paintMemory(ctx, theme, memory))
    text('Active memory', PAD, y + 14, 11, 600, '--text-1', memory.geometry.gutter - 60)
    text('requested bytes', PAD, y + 30, 11, 400, '--text-3', memory.geometry.gutter - 60)
    y += memoryHeight(memory)
  }
  ctx.fillStyle = t('--border-1')
  ctx.fillRect(0, y, width, 1)
  ctx.font = font(theme)
  const placed = placeLegend(sheet.legend, width, s => textWidth(ctx, s))
  if (placed.length) y += 12
  for (const p of placed) {
    const cy = y + p.row * ROW + ROW / 2
    swatch(ctx, theme, p.entry, p.x, cy)
    text(p.entry.label, p.x + 12, cy + 0.5, 11, 400, '--text-2', p.width)
  }
  y += legendRows(placed) * ROW
  const cy = y + FOOT / 2
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
