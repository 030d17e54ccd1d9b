/** The panel by keyboard: up and down between rows, left and right between the slices of a track, Enter selects or folds. */
import { neighbour, rowTop } from '../../../paint/timeline'
import { useView } from '../state/view'
import { reveal } from '../commands/focus'
import type { TraceController } from './controller'

/** Share of the window that a step of the range is. */
const STEP = 0.02

/**
 * Shift with an arrow selects a range from the cursor on, or moves the end of the range that the cursor stands at. It stops at edges of the focused track. Answers whether it was
 * one of these keys.
 */
export function onRangeKey(c: TraceController, key: string): boolean {
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false
  const v = useView.getState()
  const { window: w, selection: s, extent } = v
  const now = v.cursor !== null && v.cursor >= w.start && v.cursor <= w.end ? v.cursor : (w.start + w.end) / 2
  const anchor = s?.type === 'range' ? (now === s.start ? s.end : now === s.end ? s.start : now) : now
  const step = (w.end - w.start) * STEP * (key === 'ArrowRight' ? 1 : -1)
  const plain = Math.min(extent.end, Math.max(extent.start, now + step))
  const row = c.focusRow
  const scene = row ? c.scene() : null
  const edge = row && scene ? c.edgeAt(c.geometry.x(plain), rowTop(scene, c.sections, row) + row.h / 2) : null
  // An edge behind would hold the range where it is.
  const next = edge && (edge.time - now) * step > 0 ? edge.time : plain
  if (next !== anchor) v.select({ type: 'range', start: Math.min(anchor, next), end: Math.max(anchor, next) })
  v.setCursor(next)
  v.setWindow(reveal(w, next, extent))
  return true
}

/** Handles a key; answers whether it was one of the panel's own. */
export function onKey(c: TraceController, key: string, toggle: (group: string) => void): boolean {
  const rows = c.input?.rows.rows ?? []
  const row = c.focusRow
  if (!row) return false
  const i = rows.indexOf(row)
  switch (key) {
    case 'ArrowDown':
    case 'ArrowUp': {
      const next = rows[i + (key === 'ArrowDown' ? 1 : -1)]
      if (next) c.focusTo(next, null)
      return true
    }
    case 'Home':
    case 'End': {
      const next = key === 'Home' ? rows[0] : rows[rows.length - 1]
      if (next) c.focusTo(next, null)
      return true
    }
    case 'ArrowLeft':
    case 'ArrowRight':
      if (row.type === 'group') {
        if (row.open !== (key === 'ArrowRight')) toggle(row.key)
      } else moveSlice(c, key === 'ArrowRight')
      return true
    case 'Enter':
    case ' ': {
      if (row.type === 'group') toggle(row.key)
      const hit = c.focusHit
      if (hit) c.selectSlice(hit, hit.columns.from[hit.index])
      return true
    }
  }
  return false
}

function moveSlice(c: TraceController, forward: boolean): void {
  const row = c.focusRow
  if (row?.type !== 'track') return
  const columns = c.slicesOf(row.track.id)
  if (!columns || columns.count === 0) return
  const v = useView.getState()
  const now = c.focusHit
  let next: number
  if (now) next = neighbour(columns, now.index, forward)
  else {
    // The first slice in sight, from the left or from the right.
    next = -1
    for (let k = 0; k < columns.count; k++) {
      const t = columns.from[k]
      if (t < v.window.start || t > v.window.end) continue
      if (next < 0 || (forward ? t < columns.from[next] : t > columns.from[next])) next = k
    }
  }
  if (next < 0) {
    // Nothing more in what was fetched: move on, so that the next stretch is.
    v.pan(forward ? 0.5 : -0.5)
    return
  }
  const start = columns.from[next]
  c.focusTo(row, { row: columns.row[next], start })
  v.setWindow(reveal(v.window, start, v.extent))
  v.setCursor(start)
}
