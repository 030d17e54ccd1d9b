/** A row that is dragged by its name: where it would go, and that it goes there. */
import { change, type Row } from '../../../paint/timeline'
import type { TraceController } from './controller'
import { dropRow } from './rowActions'

/** The row at `y` of the panel, if it can be moved; null otherwise. */
export function rowToDrag(c: TraceController, x: number, y: number): Row | null {
  const hit = c.hit(x, y)
  const row = hit?.type === 'group' || hit?.type === 'label' ? hit.row : null
  const { input } = c
  return row && input && change.movable(input.rows, row).length > 1 ? row : null
}

interface Place {
  readonly row: Row
  readonly after: boolean
  /** Of the line between the two rows, on the panel. */
  readonly y: number
}

/** Where the row would stand with the pointer at `y`: beside the row of its group that is nearest. */
export function dropPlace(c: TraceController, row: Row, y: number): Place | null {
  const { input } = c
  if (!input) return null
  let best: Place | null = null
  for (const r of change.movable(input.rows, row))
    for (const place of [
      { row: r, after: false, y: c.topOf(r) },
      { row: r, after: true, y: bottomOf(c, input.rows.rows, r) },
    ])
      if (!best || Math.abs(y - place.y) < Math.abs(y - best.y)) best = place
  return best
}

/** Lower edge of a row, of a group with all that stands in it. */
function bottomOf(c: TraceController, rows: readonly Row[], r: Row): number {
  let last = r
  if (r.type === 'group')
    for (let i = rows.indexOf(r) + 1; i < rows.length; i++) {
      const next = rows[i]
      if (next.type === 'note' || (next.type === 'group' && next.level <= r.level)) break
      last = next
    }
  return c.topOf(last) + last.h
}

export function endRowDrag(c: TraceController, row: Row, y: number): void {
  const place = dropPlace(c, row, y)
  if (place && c.input) dropRow(row, c.input.rows, place.row, place.after)
}
