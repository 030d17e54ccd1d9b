import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import fc from 'fast-check'
import type { TimeWindow } from '../state/view'
import { HOLD_MS, pinchWindow, TouchGestures } from './touch'

const plot = { gutter: 160, plot: 1000 }
const timeAt = (w: TimeWindow, x: number): number => w.start + ((x - plot.gutter) / plot.plot) * (w.end - w.start)

describe('two fingers', () => {
  it('keep the time that lies between them', () => {
    const x = fc.integer({ min: 160, max: 1160 })
    fc.assert(
      fc.property(x, x, x, x, (a0, b0, a, b) => {
        const from = { start: 1000, end: 2000 }
        const p = (v: number) => ({ x: v, y: 0 })
        const to = pinchWindow(from, plot, p(a0), p(b0), p(a), p(b))
        expect(timeAt(to, (a + b) / 2)).toBeCloseTo(timeAt(from, (a0 + b0) / 2), 3)
        expect(to.end).toBeGreaterThan(to.start)
        if (Math.abs(a0 - b0) > 24 && Math.abs(a - b) > 24)
          expect(to.end - to.start).toBeCloseTo((1000 * Math.abs(a0 - b0)) / Math.abs(a - b), 3)
      }),
    )
  })
})

describe('fingers on a plot', () => {
  let window: TimeWindow
  let said: string[]
  const gestures = (): TouchGestures =>
    new TouchGestures({
      plot: () => plot,
      window: () => window,
      setWindow: w => (window = w),
      scroll: dy => said.push(`scroll ${dy}`),
      tap: p => said.push(`tap ${p.x}`),
      hold: p => said.push(`hold ${p.x}`),
      held: p => said.push(`held ${p.x}`),
      release: p => said.push(`release ${p.x}`),
    })
  beforeEach(() => {
    vi.useFakeTimers()
    window = { start: 0, end: 1000 }
    said = []
  })
  afterEach(() => void vi.useRealTimers())

  it('click with a tap', () => {
    const g = gestures()
    g.down(1, { x: 300, y: 50 })
    g.move(1, { x: 303, y: 52 })
    g.up(1)
    vi.advanceTimersByTime(2 * HOLD_MS)
    expect(said).toEqual(['tap 303'])
    expect(window).toEqual({ start: 0, end: 1000 })
  })
  it('move with one finger, in time and over the rows', () => {
    const g = gestures()
    g.down(1, { x: 300, y: 50 })
    g.move(1, { x: 310, y: 50 })
    g.move(1, { x: 410, y: 30 })
    expect(window).toEqual({ start: -100, end: 900 })
    g.up(1)
    expect(said).toEqual(['scroll 20'])
  })
  it('zoom with two, and go on with the one that stays', () => {
    const g = gestures()
    g.down(1, { x: 560, y: 0 })
    g.down(2, { x: 760, y: 0 })
    g.move(1, { x: 460, y: 0 })
    g.move(2, { x: 860, y: 0 })
    expect(window).toEqual({ start: 250, end: 750 })
    g.up(2)
    g.move(1, { x: 660, y: 0 })
    expect(window).toEqual({ start: 150, end: 650 })
    g.up(1)
    expect(said.filter(s => s !== 'scroll 0')).toEqual([])
  })
  it('ask with a rest, then measure', () => {
    const g = gestures()
    g.down(1, { x: 300, y: 50 })
    vi.advanceTimersByTime(HOLD_MS + 1)
    g.move(1, { x: 400, y: 50 })
    g.down(2, { x: 500, y: 50 })
    g.up(1)
    expect(said).toEqual(['hold 300', 'held 400', 'release 400'])
    expect(window).toEqual({ start: 0, end: 1000 })
  })
  it('let go of everything when the system takes the fingers', () => {
    const g = gestures()
    g.down(1, { x: 300, y: 50 })
    g.cancel()
    vi.advanceTimersByTime(2 * HOLD_MS)
    g.move(1, { x: 600, y: 50 })
    g.up(1)
    expect(said).toEqual([])
    expect(window).toEqual({ start: 0, end: 1000 })
  })
})
