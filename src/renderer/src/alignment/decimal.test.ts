import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseShift, shiftNumber, shiftText, UNITS, unitOf } from './decimal'

const ns = (text: string, unit: (typeof UNITS)[number]): bigint | string => {
  const p = parseShift(text, unit)
  return 'ns' in p ? p.ns : p.error
}

describe('parseShift', () => {
  it('reads decimals exactly', () => {
    expect(ns('1.25', 'ms')).toBe(1_250_000n)
    expect(ns('-0.000001', 's')).toBe(-1000n)
    expect(ns('+.5', 'µs')).toBe(500n)
    expect(ns('\u22123', 'ns')).toBe(-3n)
    expect(ns(' 7. ', 's')).toBe(7_000_000_000n)
    expect(ns('0', 'ms')).toBe(0n)
    expect(ns('-0', 'ms')).toBe(0n)
    expect(ns('1.2000000000', 'ns')).toBe('Finer than a nanosecond.')
    expect(ns('1.000000000000', 'ns')).toBe(1n)
  })

  it('keeps every digit where a double would not', () => {
    expect(ns('1790000000.123456789', 's')).toBe(1_790_000_000_123_456_789n)
    expect(ns('9007199254740993', 'ns')).toBe(9_007_199_254_740_993n)
    expect(ns('0.1', 's')).toBe(100_000_000n)
  })

  it('refuses what is no number, what is finer than a nanosecond and what is too long', () => {
    for (const t of ['', '.', '-', '1e3', '0x10', '1 000', 'NaN', '--1', '1.2.3', '1,5', '1,234.5'])
      expect(ns(t, 'ms'), t).toBeTypeOf('string')
    expect(ns('0.0000001', 'ms')).toBe('Finer than a nanosecond.')
    expect(ns('4000000000.000000001', 's')).toBe('Longer than a century.')
    expect(ns('-4000000000', 's')).toBe(-4_000_000_000_000_000_000n)
  })

  it('reads back what is written, in every unit', () => {
    const shift = fc.bigInt({ min: -4_000_000_000_000_000_000n, max: 4_000_000_000_000_000_000n })
    fc.assert(
      fc.property(shift, fc.constantFrom(...UNITS), (v, unit) => {
        expect(parseShift(shiftNumber(v, unit), unit)).toEqual({ ns: v })
      }),
    )
  })
})

describe('words', () => {
  it('take the unit in which the number is at least 1', () => {
    expect(shiftText(1_200_000n)).toBe('+1.2\u00a0ms')
    expect(shiftText(-10_000_000_000n)).toBe('\u221210\u00a0s')
    expect(shiftText(999n)).toBe('+999\u00a0ns')
    expect(shiftText(1_790_000_000_000_000_001n)).toBe('+1,790,000,000.000000001\u00a0s')
    expect(shiftText(0n)).toBe('0')
    expect(unitOf(0n)).toBe('ms')
    expect(unitOf(-1000n)).toBe('µs')
  })
})
