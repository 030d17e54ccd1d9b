import { describe, expect, it } from 'vitest'
import { geometry, steps, ticks } from './geometry'
import { byteTicks } from './memory/scale'

describe('axes', () => {
  it('have round ticks inside the window', () => {
    const { step, at } = ticks(geometry(1000, 0, 100e6))
    expect(at[0]).toBe(0)
    expect(at.every((v, i) => v % step === 0 && (i === 0 || v - at[i - 1] === step))).toBe(true)
    expect(at.at(-1)).toBeLessThanOrEqual(100e6)
    expect(at.length).toBeGreaterThan(5)
  })
  it.each([
    ['where neighbouring doubles are further apart than a step', 4e18, 4e18 + 20_000, 7],
    ['before 0', -5, 5, 1],
    ['for a step of nothing', 0, 10, 0],
    ['for ends that are no numbers', NaN, Infinity, 1],
    ['for a million steps', 0, 1e9, 1],
  ])('end %s, each position once', (_, start, end, step) => {
    const at = steps(start, end, step)
    expect(at.length).toBeLessThanOrEqual(2000)
    expect(new Set(at).size).toBe(at.length)
    expect(at.every(v => v >= start && v <= end)).toBe(true)
    expect(at.some(v => Object.is(v, -0))).toBe(false)
  })
  it('have no byte scale without a finite top', () => {
    expect(byteTicks(Infinity, 300).at).toEqual([])
    expect(byteTicks(NaN, 300).at).toEqual([])
    expect(byteTicks(12 * 2 ** 30, 300).at.map(t => t.label)).toContain('8')
  })
})
