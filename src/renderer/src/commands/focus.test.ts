import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { AllocatorInfo } from '../../../shared/api'
import { clampWindow } from '../state/view'
import { focusWindow, peakTime, reveal } from './focus'

const extent = { start: 0, end: 1000 }

describe('F', () => {
  it('centres first, then fits with a tenth on each side', () => {
    const now = { start: 0, end: 200 }
    const target = { start: 500, end: 520 }
    const first = focusWindow(now, target, extent)
    expect(first).toEqual({ start: 410, end: 610 })
    const second = focusWindow(first, target, extent)
    expect(second.start).toBeCloseTo(498)
    expect(second.end).toBeCloseTo(522)
  })
  it('centres again after a pan', () => {
    const moved = { start: 450, end: 650 }
    expect(focusWindow(moved, { start: 500, end: 520 }, extent)).toEqual({ start: 410, end: 610 })
  })
  it('fits at the second press also where the edge does not let it centre', () => {
    const target = { start: 0, end: 10 }
    const first = focusWindow({ start: 500, end: 700 }, target, extent)
    expect(first).toEqual(clampWindow({ start: -95, end: 105 }, extent))
    const second = focusWindow(first, target, extent)
    expect(second.end - second.start).toBeLessThan(30)
  })
  it('always ends with the target in sight, whatever the window was', () => {
    const t = fc.double({ min: 0, max: 1000, noNaN: true })
    fc.assert(
      fc.property(t, t, t, t, (a, b, c, d) => {
        const now = clampWindow({ start: Math.min(a, b), end: Math.max(a, b) + 21 }, extent)
        const target = { start: Math.min(c, d), end: Math.max(c, d) }
        let w = now
        for (let i = 0; i < 3; i++) w = focusWindow(w, target, extent)
        expect(w.start).toBeLessThanOrEqual(target.start + 1e-6)
        expect(w.end).toBeGreaterThanOrEqual(target.end - 1e-6)
      }),
    )
  })
})

describe('going to an instant', () => {
  it('leaves the window where the instant is visible', () => {
    const now = { start: 10, end: 90 }
    expect(reveal(now, 90, extent)).toBe(now)
    expect(reveal(now, 500, extent)).toEqual({ start: 460, end: 540 })
  })
  it('finds the peak, also where it is the start state, and nothing without times', () => {
    const a = (peak: number | null, event: number, range: readonly [number, number] | null): AllocatorInfo =>
      ({ peakTime: peak, peakActiveEvent: event, timeRange: range }) as AllocatorInfo
    expect(peakTime(a(42, 7, [5, 99]))).toBe(42)
    expect(peakTime(a(null, -1, [5, 99]))).toBe(5)
    expect(peakTime(a(null, 7, [5, 99]))).toBeNull()
    expect(peakTime(a(null, -1, null))).toBeNull()
  })
})
