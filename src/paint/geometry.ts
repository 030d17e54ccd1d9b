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

/** Round tick positions (1-2-5 series) about `target` px apart. `step` is in the unit of the window. */
export function ticks(g: Geometry, target = 84): { readonly step: number; readonly at: readonly number[] } {
  const raw = ((g.end - g.start) / g.plot) * target
  const p = 10 ** Math.floor(Math.log10(Math.max(raw, 1e-9)))
  const step = [1, 2, 5, 10].map(m => m * p).find(s => s >= raw) ?? 10 * p
  const at: number[] = []
  const first = Math.ceil(g.start / step)
  const last = Math.floor(g.end / step)
  for (let i = first; i <= last && at.length < 1000; i++) at.push(i * step)
  return { step, at }
}
