/** Where rows stand on the screen: pinned ones stay at the top, the others scroll below them. */
import type { Row, Rows } from './model'

/** Pinned rows keep at least this share of the height for the others; those that don't fit scroll as the others do. */
const SHARE = 0.6

type Placing = Pick<Rows, 'rows' | 'pinned'>

/** Height of the pinned rows that stay at the top, CSS px, of a panel whose rows have `height`. */
export function stickyHeight({ rows, pinned }: Placing, height: number): number {
  let h = 0
  for (let i = 0; i < pinned; i++) {
    const row = rows[i] as Row
    if (row.y + row.h > height * SHARE) break
    h = row.y + row.h
  }
  return h
}

/** Top of a row below the upper edge of the rows, CSS px. */
export const topOf = (r: Row, sticky: number, scroll: number): number => (r.y < sticky ? r.y : r.y - scroll)

/** Place among all rows of what stands `y` below the upper edge of the rows. */
export const contentY = (y: number, sticky: number, scroll: number): number => (y < sticky ? y : y + scroll)

/** Rows in sight: the pinned ones that stay, and those that scroll. */
export const inSight = (
  rows: Placing,
  scroll: number,
  height: number,
): { readonly sticky: number; readonly fixed: readonly Row[]; readonly moving: readonly Row[] } => {
  const sticky = stickyHeight(rows, height)
  return {
    sticky,
    fixed: rows.rows.filter((r, i) => i < rows.pinned && r.y < sticky),
    moving: rowsBetween(rows.rows, scroll + sticky, height - sticky),
  }
}

/** Index of the row at `y` (from the top of the rows), -1 above, below or between them. */
export function rowAt(rows: readonly Row[], y: number): number {
  let lo = 0
  let hi = rows.length
  while (lo < hi) {
    const m = (lo + hi) >> 1
    const row = rows[m] as Row
    if (row.y + row.h <= y) lo = m + 1
    else hi = m
  }
  return lo < rows.length && y >= (rows[lo] as Row).y ? lo : -1
}

/** Rows that touch [top, top + height). */
export function rowsBetween(rows: readonly Row[], top: number, height: number): readonly Row[] {
  let first = rowAt(rows, Math.max(0, top))
  if (first < 0) first = top <= 0 ? 0 : rows.length
  let last = first
  while (last < rows.length && (rows[last] as Row).y < top + height) last++
  return rows.slice(first, last)
}
