import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnGrid, covers, planFetch, satisfies } from './fetchWindow'

const extent = { start: 0, end: 1.64e9 }

describe('fetch window', () => {
  it('asks for one screen ahead on both sides, with columns no wider than a pixel', () => {
    const plan = planFetch({ start: 6e8, end: 7e8 }, extent, 1000)
    expect(plan.start).toBeLessThanOrEqual(5e8)
    expect(plan.end).toBeGreaterThanOrEqual(8e8)
    const column = (plan.end - plan.start) / plan.columns
    expect(column).toBeLessThanOrEqual(1e5)
    expect(column).toBeGreaterThan(1e5 / 1.5)
  })

  it('stays within the data and within the limit of the contract', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 1.4, max: 9.2, noNaN: true }),
        fc.integer({ min: 100, max: 5000 }),
        (at, log, plot) => {
          const span = 10 ** log
          const start = at * (extent.end - span)
          const window = { start, end: start + span }
          const plan = planFetch(window, extent, plot)
          const column = (plan.end - plan.start) / plan.columns
          expect(plan.columns).toBeGreaterThan(0)
          expect(plan.columns).toBeLessThanOrEqual(16_384)
          expect(Number.isInteger(plan.columns)).toBe(true)
          expect(plan.start).toBeLessThanOrEqual(Math.max(start, extent.start))
          expect(plan.end).toBeGreaterThanOrEqual(Math.min(start + span, extent.end))
          expect(plan.start).toBeGreaterThanOrEqual(extent.start - 256 * column)
          expect(plan.end).toBeLessThanOrEqual(extent.end + 256 * column)
          expect(satisfies(plan, window, extent, plot)).toBe(true)
          expect(covers(plan, window, extent)).toBe(true)
        },
      ),
    )
  })

  it('needs nothing new for small pans, and something for long ones and for zooms', () => {
    const window = { start: 6e8, end: 7e8 }
    const plan = planFetch(window, extent, 1000)
    const moved = (d: number): { start: number; end: number } => ({ start: window.start + d, end: window.end + d })
    expect([-4e7, -1e6, 1e6, 4e7].map(d => satisfies(plan, moved(d), extent, 1000))).toEqual([true, true, true, true])
    expect([-9e7, 9e7].map(d => satisfies(plan, moved(d), extent, 1000))).toEqual([false, false])
    expect(satisfies(plan, { start: 6.4e8, end: 6.6e8 }, extent, 1000)).toBe(false)
    expect(satisfies(undefined, window, extent, 1000)).toBe(false)
  })

  it('keeps the columns where they are while the window moves', () => {
    const a = planFetch({ start: 6e8, end: 7e8 }, extent, 1000)
    const b = planFetch({ start: 7.7e8, end: 8.7e8 }, extent, 1000)
    const column = (a.end - a.start) / a.columns
    expect((b.end - b.start) / b.columns).toBe(column)
    expect((b.start - a.start) / column).toBe(Math.round((b.start - a.start) / column))
  })

  it('has a grid of powers of two and one and a half times those', () => {
    expect([1, 1.4, 1.5, 1.9, 2, 3, 0.3].map(columnGrid)).toEqual([1, 1, 1.5, 1.5, 2, 3, 0.25])
  })

  it('does not count what lies outside of the data as missing', () => {
    const have = { start: 0, end: 1.7e9, columns: 10 }
    expect(covers(have, { start: -1e8, end: 1.7e9 }, extent)).toBe(true)
    expect(covers({ ...have, start: 1 }, { start: -1e8, end: 1.7e9 }, extent)).toBe(false)
  })
})
