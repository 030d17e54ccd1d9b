/** The navigator by keyboard and for screen readers: it is drawn on the canvas, this lies over it and takes the focus. The pointer goes through it. */
import type { KeyboardEvent, ReactElement } from 'react'
import { duration, timeMs } from '../../../shared/format'
import { jump } from '../commands/jump'
import { useView } from '../state/view'
import { navigatorKey } from './navigatorKeys'

export function NavigatorSlider(): ReactElement {
  const w = useView(s => s.window)
  const extent = useView(s => s.extent)
  const onKeyDown = (e: KeyboardEvent): void => {
    if (e.ctrlKey || e.metaKey || e.altKey) return
    const next = navigatorKey(e.key, e.shiftKey, w, extent)
    if (!next) return
    if (e.key === 'Enter') jump(next)
    else useView.getState().setWindow(next)
    e.preventDefault()
    e.stopPropagation()
  }
  const ms = (t: number): number => Math.round(t / 1000) / 1000
  return (
    <div
      className="trace-navigator"
      role="slider"
      tabIndex={0}
      aria-label="Visible window in the whole session"
      aria-valuemin={ms(extent.start)}
      aria-valuemax={ms(extent.end)}
      aria-valuenow={ms(Math.min(Math.max(w.start, extent.start), extent.end))}
      aria-valuetext={`${timeMs(w.start, 1)} to ${timeMs(w.end, 1)}, ${duration(w.end - w.start)} of ${duration(extent.end - extent.start)}`}
      onKeyDown={onKeyDown}
    />
  )
}
