import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { AllocatorInfo } from '../../../shared/api'
import { GIB, KIB, MIB } from '../../../shared/units'
import { byteTicks, chartWindow, points } from './chart'
import { factRows } from './facts'
import { inUnit, unitFor } from './unit'

describe('a column of bytes in one unit', () => {
  it('takes the unit of the largest', () => {
    expect(unitFor(15.63 * GIB).name).toBe('GiB')
    expect(unitFor(GIB - 1).name).toBe('MiB')
    expect(unitFor(12).name).toBe('B')
    expect(inUnit(15.63 * GIB, unitFor(16 * GIB))).toBe('15.63')
    expect(inUnit(402_653_184, unitFor(402_653_184))).toBe('384.0')
  })
  it('never shows as 0 what is not, and shows 0 as 0', () => {
    const u = unitFor(16 * GIB)
    expect(inUnit(0, u)).toBe('0')
    expect(inUnit(KIB, u)).toBe('< 0.01')
    fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 40 }), v => void expect(Number(inUnit(v, u).replaceAll(',', ''))).not.toBe(0)))
  })
})

describe('the chart', () => {
  const a = (timeRange: readonly [number, number] | null, events: number): AllocatorInfo => ({ timeRange, events }) as AllocatorInfo
  it('covers the recording, by events where there are no times', () => {
    expect(chartWindow(a([5, 90], 7))).toEqual({ axis: 'time', start: 5, end: 90 })
    expect(chartWindow(a(null, 7))).toEqual({ axis: 'event', start: -1, end: 7 })
    // one instant is no range
    expect(chartWindow(a([5, 5], 1))).toEqual({ axis: 'event', start: -1, end: 1 })
    expect(chartWindow(a(null, 0))).toEqual({ axis: 'event', start: -1, end: 1 })
  })
  it('breaks the line where nothing is known', () => {
    expect(points(new Float64Array([4, NaN, 0]), 0, 30)).toEqual([
      [5, 4],
      [15, null],
      [25, 0],
    ])
  })
  it('has round ticks that reach over the peak', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 2 ** 45, noNaN: true }), max => {
        const t = byteTicks(max)
        expect(t.max).toBeGreaterThanOrEqual(max)
        expect(t.max / t.interval).toBeLessThanOrEqual(4)
        expect(Number.isInteger(t.max / t.interval)).toBe(true)
      }),
    )
    expect(byteTicks(15.63 * GIB)).toEqual({ interval: 8 * GIB, max: 16 * GIB })
    expect(byteTicks(100 * MIB).interval % MIB).toBe(0)
  })
})

it('writes facts in words, whatever a reader put there', () => {
  expect(
    factRows({
      events: 1204,
      distinctStacks: 3,
      complete: true,
      byPhase: { X: 2, M: 1 },
      time_us: [1, 2],
      none: null,
      empty: '',
      nested: { a: { b: 1 } },
    }),
  ).toEqual([
    ['events', 'Events', '1,204'],
    ['distinctStacks', 'Distinct stacks', '3'],
    ['complete', 'Complete', 'yes'],
    ['byPhase', 'By phase', 'X 2, M 1'],
    ['time_us', 'Time us', '1, 2'],
    ['nested', 'Nested', 'a b 1'],
  ])
})
