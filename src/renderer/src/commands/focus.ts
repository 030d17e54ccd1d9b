/**
 * F and P: where the selection or the peak lies, and the window that shows it. The first press centres, the next one fits;
 * no state is kept, so that a press after a pan centres again.
 */
import type { AllocatorInfo } from '../../../shared/api'
import { clampWindow, type TimeWindow } from '../state/view'

/** Share of the fitted window that is left free on each side. */
const MARGIN = 0.1

const near = (a: TimeWindow, b: TimeWindow): boolean => {
  const slack = (b.end - b.start) * 0.002
  return Math.abs(a.start - b.start) <= slack && Math.abs(a.end - b.end) <= slack
}

/** The window after one press of F: `target` in the middle of a window as long as now, or, if it stands there already, filling the window. */
export function focusWindow(now: TimeWindow, target: TimeWindow, extent: TimeWindow, minSpan?: number): TimeWindow {
  const span = now.end - now.start
  const middle = (target.start + target.end) / 2
  const centred = clampWindow({ start: middle - span / 2, end: middle + span / 2 }, extent, minSpan)
  if (!near(now, centred)) return centred
  const length = Math.max(target.end - target.start, span / 1e6)
  const pad = length * MARGIN
  return clampWindow({ start: target.start - pad, end: target.end + pad }, extent, minSpan)
}

/** The window that shows `at`: the same one if `at` is visible, else one as long with `at` in the middle. */
export function reveal(now: TimeWindow, at: number, extent: TimeWindow, minSpan?: number): TimeWindow {
  if (at >= now.start && at <= now.end) return now
  const half = (now.end - now.start) / 2
  return clampWindow({ start: at - half, end: at + half }, extent, minSpan)
}

/** Where the peak of an allocator lies in time: its own time, or the begin of the recording when the start state is the peak; null without times. */
export const peakTime = (a: AllocatorInfo): number | null => a.peakTime ?? (a.timeRange && a.peakActiveEvent < 0 ? a.timeRange[0] : null)
