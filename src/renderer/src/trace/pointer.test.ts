import { describe, expect, it } from 'vitest'
import { dragWindow, snap, wheelFactor } from './pointer'

describe('pointer', () => {
  it('drags the parts of the navigator, an edge never past the other', () => {
    const w = { start: 100, end: 200 }
    expect(dragWindow(w, 'inside', 30, 1)).toEqual({ start: 130, end: 230 })
    expect(dragWindow(w, 'start', 30, 1)).toEqual({ start: 130, end: 200 })
    expect(dragWindow(w, 'start', 300, 5)).toEqual({ start: 195, end: 200 })
    expect(dragWindow(w, 'end', -300, 5)).toEqual({ start: 100, end: 105 })
  })

  it('snaps to the nearest edge within reach', () => {
    expect(snap(100, [96, 103], 5)).toBe(103)
    expect(snap(100, [90, 110], 5)).toBe(100)
    expect(snap(100, [], 5)).toBe(100)
  })

  it('zooms in upwards and out downwards, by wheel and by pinch, in any unit of the wheel', () => {
    for (const [dy, mode] of [
      [100, 0],
      [3, 0],
      [3, 1],
      [1, 2],
    ]) {
      expect(wheelFactor(-dy, mode)).toBeLessThan(1)
      expect(wheelFactor(dy, mode)).toBeCloseTo(1 / wheelFactor(-dy, mode), 10)
      expect(wheelFactor(dy, mode)).toBeLessThanOrEqual(4)
    }
    expect(wheelFactor(120, 0)).toBeGreaterThan(1.15)
    expect(wheelFactor(120, 0)).toBeLessThan(1.4)
  })
})
