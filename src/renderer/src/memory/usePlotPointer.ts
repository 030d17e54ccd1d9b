/** The pointer on a plot over an axis: moves the cursor, drags a range, pans and zooms the window, clicks. */
import { useEffect, useRef, type DOMAttributes, type PointerEvent, type RefObject } from 'react'
import type { Geometry } from '../../../paint/geometry'
import type { TimeWindow } from '../state/view'

/** Pointer travel below which a press is a click, CSS px. */
const CLICK = 4
const ZOOM_PER_PX = 1.0018

export interface PlotPointer {
  readonly setCursor: (t: number) => void
  readonly setWindow: (w: TimeWindow) => void
  /** The pointer stands over the plot's columns: x and y of the canvas, then of the page. */
  readonly onHover: (x: number, y: number, clientX: number, clientY: number) => void
  readonly onLeave: () => void
  /** A range while it is dragged; null when it ends. */
  readonly onDrag: (range: TimeWindow | null) => void
  readonly onRange: (range: TimeWindow) => void
  readonly onClick: (x: number, y: number) => void
}

type Handlers = Pick<
  DOMAttributes<HTMLCanvasElement>,
  'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel' | 'onPointerLeave' | 'onAuxClick'
>

/** Handlers for the canvas whose plot is laid out by `g` and shows `win`; the wheel is listened to here. */
export function usePlotPointer(canvas: RefObject<HTMLCanvasElement | null>, g: Geometry, win: TimeWindow, on: PlotPointer): Handlers {
  const press = useRef<{
    readonly x: number
    readonly y: number
    readonly pan: boolean
    readonly window: TimeWindow
    moved: boolean
    range: TimeWindow | null
  } | null>(null)
  const right = g.gutter + g.plot
  const local = (e: { readonly clientX: number; readonly clientY: number }): readonly [number, number] => {
    const r = canvas.current?.getBoundingClientRect()
    return r ? [e.clientX - r.left, e.clientY - r.top] : [0, 0]
  }

  // React listens to wheel events passively; the page must not zoom or scroll under the chart.
  useEffect(() => {
    const c = canvas.current
    if (!c) return
    const onWheel = (e: WheelEvent): void => {
      const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1
      const dx = e.deltaX * unit
      const dy = e.deltaY * unit
      const span = win.end - win.start
      if (e.ctrlKey || e.metaKey) {
        e.preventDefault()
        const [x] = local(e)
        const f = ZOOM_PER_PX ** Math.min(400, Math.max(-400, dy))
        const t = g.t(Math.min(Math.max(x, g.gutter), right))
        on.setWindow({ start: t - (t - win.start) * f, end: t + (win.end - t) * f })
      } else if (e.shiftKey || Math.abs(dx) > Math.abs(dy)) {
        e.preventDefault()
        const d = ((e.shiftKey && dx === 0 ? dy : dx) / g.plot) * span
        on.setWindow({ start: win.start + d, end: win.end + d })
      }
    }
    c.addEventListener('wheel', onWheel, { passive: false })
    return () => c.removeEventListener('wheel', onWheel)
  })

  return {
    onPointerDown: (e: PointerEvent<HTMLCanvasElement>) => {
      const [x, y] = local(e)
      if ((e.button !== 0 && e.button !== 1) || x < g.gutter) return
      if (e.button === 1) e.preventDefault()
      e.currentTarget.setPointerCapture(e.pointerId)
      press.current = { x, y, pan: e.button === 1 || e.shiftKey, window: win, moved: false, range: null }
    },
    onPointerMove: e => {
      const [x, y] = local(e)
      const p = press.current
      const clamped = Math.min(Math.max(x, g.gutter), right)
      if (p) {
        if (!p.moved && Math.hypot(x - p.x, y - p.y) < CLICK) return
        p.moved = true
        on.onLeave()
        if (p.pan) {
          const d = ((p.x - x) / g.plot) * (p.window.end - p.window.start)
          on.setWindow({ start: p.window.start + d, end: p.window.end + d })
          return
        }
        const [a, b] = [g.t(p.x), g.t(clamped)]
        p.range = { start: Math.min(a, b), end: Math.max(a, b) }
        on.onDrag(p.range)
        on.setCursor(b)
        return
      }
      if (x < g.gutter || x > right) {
        on.onLeave()
        return
      }
      on.setCursor(g.t(x))
      on.onHover(x, y, e.clientX, e.clientY)
    },
    onPointerUp: e => {
      const p = press.current
      press.current = null
      if (!p) return
      const [x, y] = local(e)
      if (p.moved) {
        if (p.range) on.onRange(p.range)
        on.onDrag(null)
      } else on.onClick(x, y)
    },
    onPointerCancel: () => {
      press.current = null
      on.onDrag(null)
    },
    onPointerLeave: on.onLeave,
    onAuxClick: e => e.preventDefault(),
  }
}
