/** The pointer on a plot over an axis: moves the cursor, drags a range or an end of one, pans and zooms the window, clicks; fingers as in the System Trace. */
import { useEffect, useRef, type DOMAttributes, type PointerEvent, type RefObject } from 'react'
import type { Geometry } from '../../../paint/geometry'
import { TouchGestures } from '../input/touch'
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
  /** The range that is shown: its ends can be dragged where the plot begins. */
  readonly range?: TimeWindow | null
}

/** How far (CSS px) the pointer may miss an end of the range. */
const END = 4

/** The end of a range that stays when the one at x is dragged, null where none is at x. */
export function otherEnd(range: TimeWindow | null | undefined, x: number, toX: (t: number) => number): number | null {
  if (!range) return null
  const [a, b] = [Math.abs(toX(range.start) - x), Math.abs(toX(range.end) - x)]
  return Math.min(a, b) > END ? null : a <= b ? range.end : range.start
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
    /** Position that the range is dragged from. */
    readonly from: number
    moved: boolean
    range: TimeWindow | null
  } | null>(null)
  const right = g.gutter + g.plot
  const local = (e: { readonly clientX: number; readonly clientY: number }): readonly [number, number] => {
    const r = canvas.current?.getBoundingClientRect()
    return r ? [e.clientX - r.left, e.clientY - r.top] : [0, 0]
  }

  const dragTo = (x: number): void => {
    const p = press.current
    if (!p) return
    p.moved = true
    on.onLeave()
    const to = g.t(Math.min(Math.max(x, g.gutter), right))
    p.range = { start: Math.min(p.from, to), end: Math.max(p.from, to) }
    on.onDrag(p.range)
    on.setCursor(to)
  }
  const drop = (): void => {
    const p = press.current
    press.current = null
    if (p?.range && p.range.end > p.range.start) on.onRange(p.range)
    on.onDrag(null)
  }
  // Gestures outlive a render, what they act on changes with each.
  const act = useRef({ g, win, on, dragTo, drop, canvas })
  useEffect(() => {
    act.current = { g, win, on, dragTo, drop, canvas }
  })
  const gestures = useRef<TouchGestures | null>(null)
  const touch = (): TouchGestures =>
    (gestures.current ??= new TouchGestures({
      plot: () => act.current.g,
      window: () => act.current.win,
      setWindow: w => act.current.on.setWindow(w),
      scroll: () => undefined,
      tap: p => act.current.on.onClick(p.x, p.y),
      hold: p => {
        const { g, win, on, canvas } = act.current
        const r = canvas.current?.getBoundingClientRect()
        on.setCursor(g.t(p.x))
        on.onHover(p.x, p.y, p.x + (r?.left ?? 0), p.y + (r?.top ?? 0))
        press.current = { x: p.x, y: p.y, pan: false, window: win, from: g.t(p.x), moved: false, range: null }
      },
      held: p => act.current.dragTo(p.x),
      release: () => act.current.drop(),
    }))
  useEffect(() => () => gestures.current?.cancel(), [])
  const fingers = useRef(new Set<number>())

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
      if (e.pointerType === 'touch') {
        fingers.current.add(e.pointerId)
        touch().down(e.pointerId, { x, y })
        return
      }
      const from = otherEnd(on.range, x, g.x) ?? g.t(x)
      press.current = { x, y, pan: e.button === 1 || e.shiftKey, window: win, from, moved: false, range: null }
    },
    onPointerMove: e => {
      const [x, y] = local(e)
      if (fingers.current.has(e.pointerId)) return touch().move(e.pointerId, { x, y })
      const p = press.current
      if (p) {
        if (!p.moved && Math.hypot(x - p.x, y - p.y) < CLICK) return
        p.moved = true
        on.onLeave()
        if (p.pan) {
          const d = ((p.x - x) / g.plot) * (p.window.end - p.window.start)
          on.setWindow({ start: p.window.start + d, end: p.window.end + d })
          return
        }
        dragTo(x)
        return
      }
      e.currentTarget.style.cursor = x >= g.gutter && x <= right && otherEnd(on.range, x, g.x) !== null ? 'ew-resize' : ''
      if (x < g.gutter || x > right) {
        on.onLeave()
        return
      }
      on.setCursor(g.t(x))
      on.onHover(x, y, e.clientX, e.clientY)
    },
    onPointerUp: e => {
      if (fingers.current.delete(e.pointerId)) return touch().up(e.pointerId)
      const p = press.current
      if (!p) return
      const [x, y] = local(e)
      if (p.moved) return drop()
      press.current = null
      on.onClick(x, y)
    },
    onPointerCancel: () => {
      touch().cancel()
      fingers.current.clear()
      press.current = null
      on.onDrag(null)
    },
    onPointerLeave: on.onLeave,
    onAuxClick: e => e.preventDefault(),
  }
}
