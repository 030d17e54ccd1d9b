/** Mouse, pen and touch on the panel, as in Perfetto: hover, click, drag to measure, drag to move, wheel. What is dragged is drawn to edges; Alt lets it go free. */
import { jump } from '../commands/jump'
import { TouchGestures } from '../input/touch'
import { addNote, moveNote, openNote, selectNote } from '../notes/state'
import { useView, type TimeWindow } from '../state/view'
import type { Row } from '../../../paint/timeline'
import type { TraceController } from './controller'
import { dropPlace, endRowDrag, rowToDrag } from './rowDrag'

/** Movement (CSS px) from which a press is a drag. */
const DRAG = 4
/** Wheel: zoom per px of movement. Pinches come as many small steps. */
const WHEEL = 0.0018
const PINCH = 0.01
const LINE = 16

export type Drag =
  | { readonly kind: 'press'; readonly x: number; readonly y: number }
  | { readonly kind: 'range'; readonly from: number }
  /** A row by its name. */
  | { readonly kind: 'row'; readonly row: Row }
  | {
      readonly kind: 'note'
      readonly id: string
      readonly part: 'whole' | 'start' | 'end'
      readonly x: number
      readonly start: number
      readonly end: number | null
      moved: boolean
    }
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

/** Start and end of a note while a part of it is dragged by `dt`; its ends may pass each other. */
export function dragNote(
  { start, end }: { readonly start: number; readonly end: number | null },
  part: 'whole' | 'start' | 'end',
  dt: number,
): { readonly start: number; readonly end: number | null } {
  if (end === null || part === 'whole') return { start: start + dt, end: end === null ? null : end + dt }
  const [a, b] = part === 'start' ? [start + dt, end] : [start, end + dt]
  return { start: Math.min(a, b), end: Math.max(a, b) }
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
  /** Time at x, drawn to an edge near the pointer; the edge is shown while something is dragged. */
  const snapped = (x: number, y: number, free: boolean, except: string | null = null): number => {
    const edge = free || !inPlot(x) ? null : c.edgeAt(x, y, except)
    c.snap = edge?.time ?? null
    return edge?.time ?? clampTime(x)
  }
  const cursorStyle = (x: number, y: number): string => {
    const hit = c.hit(x, y)
    if (hit?.type === 'navigator') return hit.part === 'inside' ? 'grab' : hit.part === 'outside' ? 'pointer' : 'ew-resize'
    if (hit?.type === 'group' || hit?.type === 'slice' || hit?.type === 'notes') return 'pointer'
    if (hit?.type === 'range') return 'ew-resize'
    if (hit?.type === 'note') return hit.part === 'whole' ? 'grab' : 'ew-resize'
    return hit?.type === 'axis' && inPlot(x) ? 'text' : 'default'
  }

  const touch = new TouchGestures({
    plot: () => c.geometry,
    window: () => useView.getState().window,
    setWindow: w => useView.getState().setWindow(w),
    scroll: dy => c.scrollBy(dy),
    tap: p => click(p.x, p.y),
    hold: p => {
      const r = root.getBoundingClientRect()
      if (inPlot(p.x)) useView.getState().setCursor(c.geometry.t(p.x))
      c.hoverAt(p.x, p.y, { x: p.x + r.left, y: p.y + r.top })
      drag = { kind: 'press', ...p }
    },
    held: p => dragTo(p.x, p.y, false),
    release: () => endDrag(),
  })
  /** Fingers that drag nothing of the panel's own move and zoom. */
  const fingers = new Set<number>()

  const onDown = (e: PointerEvent): void => {
    if (e.target instanceof Element && e.target.closest('[data-own-pointer]')) return // buttons over the canvas
    const { x, y } = at(e)
    const v = useView.getState()
    const g = c.geometry
    if (x > g.gutter + g.plot && y >= c.sections.rows) return // the scroll bar
    if (e.button !== 0 && e.button !== 1) return
    c.leave()
    const hit = c.hit(x, y)
    const own = hit?.type === 'navigator' || hit?.type === 'range' || hit?.type === 'note'
    if (e.pointerType === 'touch' && (!own || fingers.size > 0)) {
      fingers.add(e.pointerId)
      root.setPointerCapture(e.pointerId)
      touch.down(e.pointerId, { x, y })
      return
    }
    if (hit?.type === 'range' && e.button === 0 && v.selection?.type === 'range') {
      drag = { kind: 'range', from: hit.end === 'start' ? v.selection.end : v.selection.start }
      c.measuring = true
    } else if (hit?.type === 'note' && e.button === 0) {
      const { id, start, end } = hit.note
      drag = { kind: 'note', id, part: hit.part, x, start, end, moved: false }
      selectNote(id)
    } else if (hit?.type === 'navigator') {
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
    if (drag === null && e.target instanceof Element && e.target.closest('.menu')) return c.leave()
    const { x, y } = at(e)
    if (fingers.has(e.pointerId)) return touch.move(e.pointerId, { x, y })
    const v = useView.getState()
    const g = c.geometry
    if (!drag) {
      if (inPlot(x) && y >= c.sections.axis) v.setCursor(g.t(x))
      c.hoverAt(x, y, { x: e.clientX, y: e.clientY })
      root.style.cursor = cursorStyle(x, y)
      return
    }
    dragTo(x, y, e.altKey)
  }

  const dragTo = (x: number, y: number, free: boolean): void => {
    if (!drag) return
    const v = useView.getState()
    const g = c.geometry
    if (drag.kind === 'press' && Math.hypot(x - drag.x, y - drag.y) >= DRAG && inPlot(drag.x) && y >= 0) {
      drag = { kind: 'range', from: snapped(drag.x, drag.y, free) }
      c.measuring = true
      c.setTip(null)
    }
    if (drag.kind === 'press' && drag.x < g.gutter && Math.abs(y - drag.y) >= DRAG) {
      const row = rowToDrag(c, drag.x, drag.y)
      if (row) drag = { kind: 'row', row }
    }
    switch (drag.kind) {
      case 'press':
        return
      case 'row':
        c.leave()
        c.setDrop(dropPlace(c, drag.row, y)?.y ?? null)
        return
      case 'range': {
        const to = snapped(x, y, free)
        v.setCursor(to)
        if (to !== drag.from) v.select({ type: 'range', start: Math.min(drag.from, to), end: Math.max(drag.from, to) })
        c.invalidate(false)
        return
      }
      case 'note': {
        if (!drag.moved && Math.abs(x - drag.x) < DRAG) return
        drag.moved = true
        // What is drawn to an edge is the end that moves; of the whole it is the start.
        const of = drag.part === 'end' && drag.end !== null ? drag.end : drag.start
        const edge = g.x(of) + x - drag.x
        const to = dragNote(drag, drag.part, snapped(edge, y, free, drag.id) - of)
        moveNote(drag.id, to.start, to.end)
        v.setCursor(drag.part === 'end' ? (to.end ?? to.start) : to.start)
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

  const endDrag = (): Drag | null => {
    const was = drag
    drag = null
    c.measuring = false
    c.snap = null
    c.setDrop(null)
    c.invalidate(false)
    return was
  }

  const onUp = (e: PointerEvent): void => {
    const { x, y } = at(e)
    if (fingers.delete(e.pointerId)) return touch.up(e.pointerId)
    const was = endDrag()
    root.style.cursor = cursorStyle(x, y)
    if (was?.kind === 'row') endRowDrag(c, was.row, y)
    if (was?.kind === 'press') click(x, y, e.altKey)
  }

  const click = (x: number, y: number, free = false): void => {
    const hit = c.hit(x, y)
    const v = useView.getState()
    const t = inPlot(x) ? c.geometry.t(x) : null
    if (hit?.type === 'group') toggle(hit.row.key)
    else if (hit?.type === 'slice') {
      c.focusTo(hit.row, { row: hit.columns.row[hit.index], start: hit.columns.from[hit.index] })
      c.selectSlice(hit, t)
    } else if (hit?.type === 'label') c.focusTo(hit.row, null)
    else if (hit?.type === 'note') selectNote(hit.note.id)
    else if (hit?.type === 'notes') {
      if (t !== null) addNote(snapped(x, y, free), null)
      c.snap = null
    } else if (t !== null && hit?.type !== 'navigator') {
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
    else if (hit?.type === 'note') openNote(hit.note.id)
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
  const onCancel = (): void => {
    touch.cancel()
    fingers.clear()
    endDrag()
  }
  root.addEventListener('pointercancel', onCancel, listen)
  // A long press is a question of this panel, not the menu of the browser.
  root.addEventListener('contextmenu', e => (e as globalThis.PointerEvent).pointerType === 'touch' && e.preventDefault(), listen)
  root.addEventListener('pointerleave', () => drag === null && c.leave(), listen)
  root.addEventListener('dblclick', onDouble, listen)
  root.addEventListener('wheel', onWheel, { ...listen, passive: false })
  return () => {
    touch.cancel()
    off.abort()
  }
}
