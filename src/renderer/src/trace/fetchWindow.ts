/**
 * Which stretch of time is asked for. One screen ahead on both sides, on a grid that depends on the zoom alone: small pans need no request, and the pixel
 * columns of the answers stay where they are, so that dense stretches don't shimmer while they move.
 */
import type { Fetched } from '../../../paint/timeline'

export interface Span {
  readonly start: number
  readonly end: number
}

/** Limit of `width` in the contract. */
const MAX_COLUMNS = 16_384
/** Stretches begin and end at multiples of this many columns. */
const BLOCK = 256

/** Width of a column in ns: the largest of 2^n and 1.5 * 2^n that is not longer than `ns`. Exact in a double, so that columns of neighbouring answers meet. */
export function columnGrid(ns: number): number {
  const p = 2 ** Math.floor(Math.log2(ns))
  return 1.5 * p <= ns ? 1.5 * p : p
}

/** The stretch to ask for when `window` is visible on `plot` CSS px; kept inside the extent of the data (rounded up to the grid). */
export function planFetch(window: Span, extent: Span, plot: number): Fetched {
  const span = window.end - window.start
  const column = columnGrid(span / Math.max(1, plot))
  const block = column * BLOCK
  for (let margin = span; ; margin = margin < span / 8 ? 0 : margin / 2) {
    const start = Math.floor(Math.max(extent.start, window.start - margin) / block) * block
    const end = Math.max(start + block, Math.ceil(Math.min(extent.end, window.end + margin) / block) * block)
    const columns = Math.round((end - start) / column)
    if (columns <= MAX_COLUMNS) return { start, end, columns }
    if (margin === 0) return { start, end, columns: MAX_COLUMNS }
  }
}

/** Whether what is there does for the window: as fine as the grid wants it, and with half a screen to spare on both sides. */
export function satisfies(have: Fetched | undefined, window: Span, extent: Span, plot: number): boolean {
  if (!have) return false
  const plan = planFetch(window, extent, plot)
  const fine = (plan.end - plan.start) / plan.columns
  const is = (have.end - have.start) / have.columns
  if (Math.abs(is - fine) > fine * 1e-6) return false
  const half = (window.end - window.start) / 2
  return have.start <= Math.max(plan.start, window.start - half) + fine && have.end >= Math.min(plan.end, window.end + half) - fine
}

/** Whether the whole visible part of the extent is in the stretch, sharp or not. */
export const covers = (have: Fetched | undefined, window: Span, extent: Span): boolean =>
  have !== undefined && have.start <= Math.max(window.start, extent.start) && have.end >= Math.min(window.end, extent.end)
