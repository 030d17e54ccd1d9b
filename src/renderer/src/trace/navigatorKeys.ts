/** The keys of the navigator. */
import type { TimeWindow } from '../state/view'

/** The window after a key on the navigator; null for another key. Arrows move it by a tenth, with Shift they move its end; Page keys by its length. */
export function navigatorKey(key: string, shift: boolean, w: TimeWindow, extent: TimeWindow): TimeWindow | null {
  const span = w.end - w.start
  const by = { ArrowLeft: -0.1, ArrowDown: -0.1, ArrowRight: 0.1, ArrowUp: 0.1, PageUp: -1, PageDown: 1 }[key]
  if (by !== undefined) {
    const d = by * span
    return shift ? { start: w.start, end: w.end + d } : { start: w.start + d, end: w.end + d }
  }
  switch (key) {
    case 'Home':
      return { start: extent.start, end: extent.start + span }
    case 'End':
      return { start: extent.end - span, end: extent.end }
    case 'Enter':
      return extent
    default:
      return null
  }
}
