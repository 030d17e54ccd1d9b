/** Brings an event into sight that was selected elsewhere: its group is opened, the rows are scrolled. What is hidden or filtered out stays so, and that is said. */
import { change, indexOfRow, laneOf, type Rows } from '../../../paint/timeline'
import { PAD, SLICE } from '../../../paint/timeline/metrics'
import { stickyHeight } from '../../../paint/timeline/rows'
import { notify } from '../shell/ui'
import { useView } from '../state/view'
import type { TraceController } from './controller'
import { currentTrace } from './current'
import { changeLayout } from './layoutStore'

/** How long the row and the level are waited for, ms: a group that opens is laid out anew, slices have to be fetched. */
const PATIENCE = 3000

/** Scrolls to the selected slice. Ends when something else is selected. */
export function showSelected(): void {
  const s = useView.getState().selection
  const rows = currentTrace()?.input?.rows
  if (s?.type !== 'slice' || !rows) return
  if (!rows.byTrack.has(s.track) && !openGroupOf(rows, s.track)) {
    notify({
      icon: 'info',
      title: 'The track of this event is not shown',
      detail: 'It is hidden, filtered out, or this grouping has no row for it.',
    })
    return
  }
  const until = performance.now() + PATIENCE
  const look = (): void => {
    const c = currentTrace()
    if (useView.getState().selection !== s || performance.now() > until || !c) return
    if (!scrollTo(c, s.track, s.row)) requestAnimationFrame(look)
  }
  look()
}

/** Opens what the track's row is folded into; false where that would not show it. */
function openGroupOf(rows: Rows, track: number): boolean {
  for (const i of rows.grouped.instances)
    for (const s of i.sections)
      if (s.tracks.some(t => t.track.id === track)) {
        const closed = [i.key, s.key].filter(key => {
          const row = rows.byKey.get(key)
          return row?.type === 'group' && !row.open
        })
        // A group below a closed instance has no row: it may be closed too.
        for (const key of closed) changeLayout(l => change.toggle(l, rows.grouped, key, true))
        return closed.length > 0
      }
  return false
}

/** Scrolls as little as it takes; true once the very level of the slice is known. */
function scrollTo(c: TraceController, track: number, row: number): boolean {
  const rows = c.input?.rows
  const at = rows?.byTrack.get(track)
  if (!rows || !at) return false
  const columns = c.slicesOf(track)
  const index = columns ? indexOfRow(columns, row) : -1
  const lane = columns && index >= 0 ? laneOf(columns, index) : null
  const sticky = stickyHeight(rows, c.viewHeight)
  if (at.y >= sticky) {
    const top = at.y + (lane ?? 0) * SLICE
    const bottom = lane === null ? Math.min(at.y + at.h, top + c.viewHeight - sticky) : top + SLICE + 2 * PAD
    if (top < c.scroll + sticky) c.scrollBy(top - sticky - c.scroll)
    else if (bottom > c.scroll + c.viewHeight) c.scrollBy(bottom - c.viewHeight - c.scroll)
  }
  return lane !== null
}
