/** Mouse, pen and touch on the panel, as in Perfetto: hover, click, drag to measure, drag to move, wheel. */
import { jump } from '../commands/jump'
import { useView, type TimeWindow } from '../state/view'
import type { TraceController } from './controller'

/** Movement (CSS px) from which a press is a drag. */
const DRAG = 4
/** Reach within which the end of a range snaps to the edge of a slice, CSS px. */
const SNAP = 6
/** Wheel: zoom per px of movement. Pinches come as many small steps. */
const WHEEL = 0.0018
const PINCH = 0.01
const LINE = 16

export type Drag =
  | { readonly kind: 'press'; readonly x: number; readonly y: number }
  | { readonly kind: 'range'; readonly from: number }
  | { readonly kind: 'pan'; readonly x: number; readonly y: number; readonly window: TimeWindow; readonly scroll: number }
  | { readonly kind: 'navigator'; readonly part: 'start' | 'end' | 'inside'; readonly x: number; readonly window: TimeWindow }

/** The window while a part of the navigator is dragged by `dt` ns. An edge stops short of the other one. */
export function dragWindow(w: TimeWindow, part: 'start' | 'end' | 'inside', dt: number, least: number): TimeWindow {
  switch (part) {
    case 'start':
      return { start: Math.min(w.start + dt, w.end - least), end: w.end }
    case 'end':
      return { start: w.start, end: Math.max(w.end + dt, w.start + least) }
    case 'inside':
      return { start: w.start + dt, end: w.end + dt }
  }
}

/** `t`, or the edge of the slice under the pointer that lies within reach. */
export function snap(t: number, edges: readonly number[], reach: number): number {
  let best = t
  let gap = reach
  for (const e of edges) {
    const d = Math.abs(e - t)
    if (d <= gap) [best, gap] = [e, d]
  }
  return best
}

/** Zoom factor of a wheel event; below 1 zooms in. */
export function wheelFactor(deltaY: number, deltaMode: number): number {
  const px = deltaMode === 0 ? deltaY : deltaY * LINE * (deltaMode === 2 ? 20 : 2)
  const k = deltaMode === 0 && Math.abs(px) < 40 ? PINCH : WHEEL
  return Math.min(4, Math.max(0.25, Math.exp(px * k)))
}

/** Listens on `root`, the element over the whole panel. Answers a function that stops it. */
export function bindPointer(root: HTMLElement, c: TraceController, toggle: (group: string) => void): () => void {
  let drag: Drag | null = null
  const off = new AbortController()
  const at = (e: MouseEvent): { readonly x: number; readonly y: number } => {
    const r = root.getBoundingClientRect()
    return { x: e.clientX - r.left, y: e.clientY - r.top }
  }
  const inPlot = (x: number): boolean => x >= c.geometry.gutter && x <= c.geometry.gutter + c.geometry.plot
  const clampTime = (x: number): number => {
    const g = c.geometry
    return g.t(Math.min(g.gutter + g.plot, Math.max(g.gutter, x)))
  }
  const snapped = (x: number, y: number): number => {
    const g = c.geometry
    const t = clampTime(x)
    const hit = c.hit(x, y)
    const { steps } = c.input ?? { steps: [] }
    const edges =
      hit?.type === 'slice'
        ? [hit.mark.start, hit.mark.start + hit.mark.duration]
        : hit?.type === 'step'
          ? [steps[hit.index].start, steps[hit.index].start + steps[hit.index].duration]
          : []
    return snap(t, edges, (SNAP * (g.end - g.start)) / g.plot)
  }
  const cursorStyle = (x: number, y: number): string => {
    const hit = c.hit(x, y)
    if (hit?.type === 'navigator') return hit.part === 'inside' ? 'grab' : hit.part === 'outside' ? 'pointer' : 'ew-resize'
    if (hit?.type === 'group' || hit?.type === 'slice') return 'pointer'
    return hit?.type === 'axis' && inPlot(x) ? 'text' : 'default'
  }

  const onDown = (e: PointerEvent): void => {
    const { x, y } = at(e)
    const v = useView.getState()
    const g = c.geometry
    if (x > g.gutter + g.plot && y >= c.sections.rows) return // the scroll bar
    if (e.button !== 0 && e.button !== 1) return
    c.leave()
    const hit = c.hit(x, y)
    if (hit?.type === 'navigator') {
      if (!inPlot(x) && hit.part === 'outside') return
      if (hit.part === 'outside') {
        const span = v.window.end - v.window.start
        const t = v.extent.start + ((x - g.gutter) / g.plot) * (v.extent.end - v.extent.start)
        v.setWindow({ start: t - span / 2, end: t + span / 2 })
      }
      drag = { kind: 'navigator', part: hit.part === 'outside' ? 'inside' : hit.part, x, window: useView.getState().window }
    } else if (e.button === 1 || e.shiftKey) drag = { kind: 'pan', x, y, window: v.window, scroll: c.scroll }
    else drag = { kind: 'press', x, y }
    if (e.button === 1) e.preventDefault() // no autoscroll
    root.setPointerCapture(e.pointerId)
    root.style.cursor = drag.kind === 'pan' || (drag.kind === 'navigator' && drag.part === 'inside') ? 'grabbing' : cursorStyle(x, y)
  }

  const onMove = (e: PointerEvent): void => {
    const { x, y } = at(e)
    const v = useView.getState()
    const g = c.geometry
    if (!drag) {
      if (inPlot(x) && y >= c.sections.axis) v.setCursor(g.t(x))
      c.hoverAt(x, y, { x: e.clientX, y: e.clientY })
      root.style.cursor = cursorStyle(x, y)
      return
    }
    if (drag.kind === 'press' && Math.hypot(x - drag.x, y - drag.y) >= DRAG && inPlot(drag.x) && y >= 0) {
      drag = { kind: 'range', from: snapped(drag.x, drag.y) }
      c.measuring = true
    }
    switch (drag.kind) {
      case 'press':
        return
      case 'range': {
        const to = snapped(x, y)
        v.setCursor(to)
        v.select({ type: 'range', start: Math.min(drag.from, to), end: Math.max(drag.from, to) })
        return
      }
      case 'pan': {
        const dt = ((drag.x - x) * (drag.window.end - drag.window.start)) / g.plot
        v.setWindow({ start: drag.window.start + dt, end: drag.window.end + dt })
        c.scrollBy(drag.scroll + drag.y - y - c.scroll)
        return
      }
      case 'navigator': {
        const span = v.extent.end - v.extent.start
        v.setWindow(dragWindow(drag.window, drag.part, ((x - drag.x) / g.plot) * span, span / g.plot / 1000))
      }
    }
  }

  const onUp = (e: PointerEvent): void => {
    const { x, y } = at(e)
    const was = drag
    drag = null
    c.measuring = false
    c.invalidate(false)
    root.style.cursor = cursorStyle(x, y)
    if (was?.kind === 'press') click(x, y)
  }

  const click = (x: number, y: number): void => {
    const hit = c.hit(x, y)
    const v = useView.getState()
    const t = inPlot(x) ? c.geometry.t(x) : null
    if (hit?.type === 'group') toggle(hit.row.key)
    else if (hit?.type === 'slice') {
      c.focusTo(hit.row, { row: hit.columns.row[hit.index], start: hit.columns.from[hit.index] })
      c.selectSlice(hit, t)
    } else if (hit?.type === 'label') c.focusTo(hit.row, null)
    else if (t !== null && hit?.type !== 'navigator') {
      v.select(null)
      v.setCursor(t)
    }
  }

  const onDouble = (e: MouseEvent): void => {
    const { x, y } = at(e)
    const hit = c.hit(x, y)
    const v = useView.getState()
    const to = (start: number, length: number, margin: number): void => {
      const pad = Math.max(length * margin, 10)
      jump({ start: start - pad, end: start + length + pad })
    }
    if (hit?.type === 'slice') to(hit.mark.start, hit.mark.duration, 0.1)
    else if (hit?.type === 'step' && c.input) to(c.input.steps[hit.index].start, c.input.steps[hit.index].duration, 0.02)
    else if (hit?.type === 'navigator') jump(v.extent)
  }

  const onWheel = (e: WheelEvent): void => {
    const { x, y } = at(e)
    const v = useView.getState()
    const g = c.geometry
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault()
      c.setTip(null)
      v.zoom(wheelFactor(e.deltaY, e.deltaMode), clampTime(x))
      return
    }
    const unit = e.deltaMode === 0 ? 1 : e.deltaMode === 1 ? LINE : g.plot
    const sideways = e.shiftKey ? e.deltaX || e.deltaY : Math.abs(e.deltaX) > Math.abs(e.deltaY) ? e.deltaX : 0
    if (sideways !== 0) {
      e.preventDefault()
      c.setTip(null)
      v.pan((sideways * unit) / g.plot)
      return
    }
    if (y < c.sections.rows) c.scrollBy(e.deltaY * unit) // over the rows the scroller does it
  }

  const listen = { signal: off.signal }
  root.addEventListener('pointerdown', onDown, listen)
  root.addEventListener('pointermove', onMove, listen)
  root.addEventListener('pointerup', onUp, listen)
  root.addEventListener(
    'pointercancel',
    () => {
      drag = null
      c.measuring = false
      c.invalidate(false)
    },
    listen,
  )
  root.addEventListener('pointerleave', () => drag === null && c.leave(), listen)
  root.addEventListener('dblclick', onDouble, listen)
  root.addEventListener('wheel', onWheel, { ...listen, passive: false })
  return () => off.abort()
}
