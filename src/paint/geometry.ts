/** The horizontal layout that all timeline panels share: equal gutters and margins are what makes their axes line up. */

/** Left column with labels and axis, CSS px (`--w-gutter`). */
export const GUTTER = 160
/** Right margin, CSS px: the scroll bar of the tracks; other panels keep it empty so that x stays equal. */
export const RIGHT_MARGIN = 12

/** A window of time (ns relative to a time group's origin) or of event indices, laid over a plot area. */
export interface Geometry {
  /** Full width of the panel in CSS px. */
  readonly width: number
  readonly gutter: number
  readonly right: number
  /** Width of the plot in CSS px. */
  readonly plot: number
  readonly start: number
  readonly end: number
  /** Plot x of a time, CSS px from the panel's left edge. */
  readonly x: (t: number) => number
  /** Time at an x. */
  readonly t: (x: number) => number
}

export function geometry(width: number, start: number, end: number, gutter = GUTTER, right = RIGHT_MARGIN): Geometry {
  const plot = Math.max(1, width - gutter - right)
  const span = end > start ? end - start : 1
  return {
    width,
    gutter,
    right,
    plot,
    start,
    end,
    x: t => gutter + ((t - start) / span) * plot,
    t: x => start + ((x - gutter) / plot) * span,
  }
}

/** Most positions that an axis is given: more would be closer than a pixel, and far from 0 a step may be lost in a double. */
const MOST_STEPS = 2000

/** Multiples of `step` in [start, end], each once, at most MOST_STEPS. Counted, so that it ends where a double no longer tells neighbours apart. */
export function steps(start: number, end: number, step: number): readonly number[] {
  const out: number[] = []
  if (!(step > 0) || !Number.isFinite(start) || !Number.isFinite(end)) return out
  const first = Math.ceil(start / step) * step
  for (let i = 0; i < MOST_STEPS; i++) {
    const v = first + i * step
    if (v > end) break
    if (i === 0 || v > out[out.length - 1]) out.push(v === 0 ? 0 : v) // never -0
  }
  return out
}

/** Round tick positions (1-2-5 series) about `target` px apart. `step` is in the unit of the window. */
export function ticks(g: Geometry, target = 84): { readonly step: number; readonly at: readonly number[] } {
  const raw = ((g.end - g.start) / g.plot) * target
  const p = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)))
  const step = [1, 2, 5, 10].map(m => m * p).find(s => s >= raw) ?? 10 * p
  return { step, at: steps(g.start, g.end, step) }
}
