/** Fingers on a plot over a time axis: one moves, two zoom about the place between them, a rest tells what is there and then measures, a tap is a click. */
import type { TimeWindow } from '../state/view'

interface Point {
  readonly x: number
  readonly y: number
}
interface Plot {
  readonly gutter: number
  readonly plot: number
}

/** Travel (CSS px) below which a touch is a tap. */
const TAP = 8
/** A finger that rests this long asks what is there, ms. */
export const HOLD_MS = 450
/** Fingers closer together than this are taken as this far apart, CSS px: the window must not jump. */
const NEAR = 24

/** The window while two fingers move from a0, b0 to a, b: the time between them stays between them. */
export function pinchWindow(from: TimeWindow, { gutter, plot }: Plot, a0: Point, b0: Point, a: Point, b: Point): TimeWindow {
  const apart = (p: Point, q: Point): number => Math.max(NEAR, Math.hypot(p.x - q.x, p.y - q.y))
  const span = from.end - from.start
  const next = (span * apart(a0, b0)) / apart(a, b)
  const middle = from.start + (((a0.x + b0.x) / 2 - gutter) / plot) * span
  const start = middle - (((a.x + b.x) / 2 - gutter) / plot) * next
  return { start, end: start + next }
}

export interface TouchTarget {
  readonly plot: () => Plot
  readonly window: () => TimeWindow
  readonly setWindow: (w: TimeWindow) => void
  /** The content moves up by `dy` px. */
  readonly scroll: (dy: number) => void
  readonly tap: (at: Point) => void
  /** A finger rests at a place; it may move on from there, which is told by `held`. */
  readonly hold: (at: Point) => void
  readonly held: (at: Point) => void
  /** A finger that rested is lifted. */
  readonly release: (at: Point) => void
}

export class TouchGestures {
  readonly #on: TouchTarget
  readonly #fingers = new Map<number, Point>()
  /** The window and the fingers when their number last changed. */
  #from: { readonly window: TimeWindow; readonly at: readonly Point[] } | null = null
  #state: 'none' | 'press' | 'moving' | 'held' = 'none'
  #last: Point = { x: 0, y: 0 }
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(on: TouchTarget) {
    this.#on = on
  }

  down(id: number, at: Point): void {
    if (this.#state === 'held') return // the first finger measures
    this.#fingers.set(id, at)
    clearTimeout(this.#timer)
    if (this.#fingers.size === 1) {
      this.#state = 'press'
      this.#timer = setTimeout(() => {
        this.#state = 'held'
        this.#on.hold(at)
      }, HOLD_MS)
    } else this.#state = 'moving'
    this.#begin()
  }

  move(id: number, at: Point): void {
    if (!this.#fingers.has(id) || !this.#from) return
    this.#fingers.set(id, at)
    if (this.#state === 'held') return this.#on.held(at)
    const [first] = this.#from.at
    if (this.#state === 'press') {
      if (Math.hypot(at.x - first.x, at.y - first.y) < TAP) return
      clearTimeout(this.#timer)
      this.#state = 'moving'
      this.#begin() // from here, so that nothing jumps by the travel of a tap
      return
    }
    const now = [...this.#fingers.values()]
    const { window: w } = this.#from
    if (now.length === 1) {
      const dt = ((first.x - at.x) / this.#on.plot().plot) * (w.end - w.start)
      this.#on.setWindow({ start: w.start + dt, end: w.end + dt })
      this.#on.scroll(this.#last.y - at.y)
      this.#last = at
    } else this.#on.setWindow(pinchWindow(w, this.#on.plot(), this.#from.at[0], this.#from.at[1], now[0], now[1]))
  }

  up(id: number): void {
    const at = this.#fingers.get(id)
    if (!at) return
    this.#fingers.delete(id)
    clearTimeout(this.#timer)
    const was = this.#state
    if (this.#fingers.size > 0 && was !== 'held') return this.#begin()
    this.#fingers.clear()
    this.#state = 'none'
    if (was === 'press') this.#on.tap(at)
    else if (was === 'held') this.#on.release(at)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    const [at] = this.#fingers.values()
    if (this.#state === 'held') this.#on.release(at)
    this.#fingers.clear()
    this.#state = 'none'
  }

  #begin(): void {
    const at = [...this.#fingers.values()]
    this.#last = at[0]
    this.#from = { window: this.#on.window(), at }
  }
}
