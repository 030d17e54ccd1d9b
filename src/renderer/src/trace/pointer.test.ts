import { describe, expect, it } from 'vitest'
import { navigatorKey } from './navigatorKeys'
import { dragNote, dragWindow, wheelFactor } from './pointer'

describe('pointer', () => {
  it('drags the parts of the navigator, an edge never past the other', () => {
    const w = { start: 100, end: 200 }
    expect(dragWindow(w, 'inside', 30, 1)).toEqual({ start: 130, end: 230 })
    expect(dragWindow(w, 'start', 30, 1)).toEqual({ start: 130, end: 200 })
    expect(dragWindow(w, 'start', 300, 5)).toEqual({ start: 195, end: 200 })
    expect(dragWindow(w, 'end', -300, 5)).toEqual({ start: 100, end: 105 })
  })

  it('drags a mark, a range as a whole, and its ends past each other', () => {
    expect(dragNote({ start: 100, end: null }, 'whole', 30)).toEqual({ start: 130, end: null })
    expect(dragNote({ start: 100, end: 200 }, 'whole', -30)).toEqual({ start: 70, end: 170 })
    expect(dragNote({ start: 100, end: 200 }, 'end', 30)).toEqual({ start: 100, end: 230 })
    expect(dragNote({ start: 100, end: 200 }, 'start', 150)).toEqual({ start: 200, end: 250 })
    expect(dragNote({ start: 100, end: 200 }, 'end', -150)).toEqual({ start: 50, end: 100 })
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

describe('keys of the navigator', () => {
  const w = { start: 100, end: 200 }
  const extent = { start: 0, end: 1000 }
  it('move the window by a tenth or by its length, and its end with Shift', () => {
    expect(navigatorKey('ArrowRight', false, w, extent)).toEqual({ start: 110, end: 210 })
    expect(navigatorKey('ArrowLeft', false, w, extent)).toEqual({ start: 90, end: 190 })
    expect(navigatorKey('PageDown', false, w, extent)).toEqual({ start: 200, end: 300 })
    expect(navigatorKey('ArrowRight', true, w, extent)).toEqual({ start: 100, end: 210 })
  })
  it('go to both ends and to the whole', () => {
    expect(navigatorKey('Home', false, w, extent)).toEqual({ start: 0, end: 100 })
    expect(navigatorKey('End', false, w, extent)).toEqual({ start: 900, end: 1000 })
    expect(navigatorKey('Enter', false, w, extent)).toEqual(extent)
    expect(navigatorKey('x', false, w, extent)).toBeNull()
  })
})
