/** Where the parts of a sheet stand. CSS px; the tops are whole numbers, so that they are whole device pixels at any whole scale. */
import { AXIS_MIRROR } from '../axis'
import { GUTTER, RIGHT_MARGIN } from '../geometry'
import { sections, type TraceScene } from '../timeline'
import type { ByteScale } from '../memory/scale'

export interface LegendEntry {
  readonly label: string
  /** Colour token; `start` for the hatched start state. */
  readonly token: string | 'start'
}

export const PAD = 16
/** Title and range. */
export const HEAD = 58
/** Between the two panels. */
export const GAP = 6
export const ROW = 20
/** Above the legend's rows. */
const LEGEND_PAD = 12
export const FOOT = 34

export interface PlacedEntry {
  readonly entry: LegendEntry
  readonly x: number
  readonly row: number
  readonly width: number
}

/** Places the legend's entries in rows. `measure` gives the width of a label in the legend's font. */
export function placeLegend(legend: readonly LegendEntry[], width: number, measure: (s: string) => number): readonly PlacedEntry[] {
  const out: PlacedEntry[] = []
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

export const legendRows = (placed: readonly PlacedEntry[]): number => (placed.length ? placed[placed.length - 1].row + 1 : 0)

export const legendHeight = (rows: number): number => (rows ? rows * ROW + LEGEND_PAD : 0)

/** Height of everything but the plots: what a sheet of a given height cannot give to them. */
export const frameHeight = (o: { readonly trace: boolean; readonly memory: boolean; readonly legendRows: number }): number =>
  HEAD + (o.trace && o.memory ? GAP : 0) + (o.memory ? AXIS_MIRROR : 0) + legendHeight(o.legendRows) + FOOT

export interface SheetLayout {
  /** Top of the System Trace, null without one. */
  readonly trace: number | null
  /** Top of the lower panel's plot (allocator or HBM), null without one. */
  readonly memory: number | null
  /** The line above legend and foot. */
  readonly line: number
  readonly legend: number
  readonly foot: number
  readonly height: number
}

export interface LaidOut {
  readonly trace: Pick<TraceScene, 'height'> | null
  readonly memory: { readonly scale: ByteScale } | null
  readonly legendRows: number
  /** Height of the whole sheet; null for what the content needs. Where it is larger, legend and foot stand at the bottom. */
  readonly height: number | null
}

export function layoutSheet(s: LaidOut): SheetLayout {
  const below = HEAD + (s.trace?.height ?? 0) + (s.trace && s.memory ? GAP : 0)
  const end = below + (s.memory ? s.memory.scale.height + AXIS_MIRROR : 0)
  const bottom = legendHeight(s.legendRows) + FOOT
  const height = s.height ?? Math.ceil(end + bottom)
  const line = Math.max(end, height - bottom)
  return {
    trace: s.trace ? HEAD : null,
    memory: s.memory ? below : null,
    line,
    legend: line + (s.legendRows ? LEGEND_PAD : 0),
    foot: line + legendHeight(s.legendRows),
    height,
  }
}

/** A rectangle of device pixels; x1 and y1 are the first ones outside. */
export interface PixelBox {
  readonly x0: number
  readonly x1: number
  readonly y0: number
  readonly y1: number
}

/** The plot of the lower panel (0 bytes at y1, the top of its axis at y0), else that of the trace's rows, in device pixels of the picture. */
export function plotBox(
  s: { readonly width: number; readonly trace: TraceScene | null; readonly memory: { readonly scale: ByteScale } | null },
  layout: SheetLayout,
  scale: number,
): PixelBox {
  const px = (css: number): number => Math.round(css * scale)
  const x = { x0: px(GUTTER), x1: px(s.width - RIGHT_MARGIN) }
  if (s.memory && layout.memory !== null) return { ...x, y0: px(layout.memory), y1: px(layout.memory + s.memory.scale.height) }
  if (s.trace && layout.trace !== null)
    return { ...x, y0: px(layout.trace + sections(s.trace).rows), y1: px(layout.trace + s.trace.height) }
  return { ...x, y0: px(HEAD), y1: px(HEAD) }
}
