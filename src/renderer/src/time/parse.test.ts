import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { timeMs } from '../../../shared/format'
import { isoText, parseTime, unixNs, type TimeContext } from './parse'

const ORIGIN = 1_793_628_127_100_000_000n
const c: TimeContext = { originNs: ORIGIN, calibrated: true, from: 5_000_000 }
const at = (text: string, context = c): number | string => {
  const p = parseTime(text, context)
  return p.ok ? p.at : p.error
}

describe('times as on the axis', () => {
  it.each([
    ['12.5 ms', 12_500_000],
    ['12.5ms', 12_500_000],
    ['12.5', 12_500_000],
    ['1.2s', 1_200_000_000],
    ['1.2 S', 1_200_000_000],
    ['800 us', 800_000],
    ['800 µs', 800_000],
    ['800 μs', 800_000],
    ['7 ns', 7],
    ['0', 0],
    ['.5 ms', 500_000],
    ['5. ms', 5_000_000],
    ['2 min', 120_000_000_000],
    ['1,129.418 ms', 1_129_418_000],
    ['1,129.418\u00a0ms', 1_129_418_000],
    ['1_000 ns', 1000],
    ['0.0000004 ms', 0],
    ['0.0000005 ms', 1],
  ])('%s', (text, ns) => expect(at(text)).toBe(ns))
})

describe('relative to the cursor', () => {
  it('adds and takes away', () => {
    expect(at('+5 ms')).toBe(10_000_000)
    expect(at('-5ms')).toBe(0)
    expect(at('−1 ms')).toBe(4_000_000)
    expect(at('+ 1')).toBe(6_000_000)
  })
  it('needs a cursor', () => expect(at('+5 ms', { ...c, from: null })).toMatch(/no cursor/))
})

describe('Unix times', () => {
  it('keeps every ns', () => {
    expect(at(String(ORIGIN))).toBe(0)
    expect(at(String(ORIGIN + 123_456_789n))).toBe(123_456_789)
    expect(at(`@${ORIGIN + 1n}`)).toBe(1)
    expect(at('1793628127.100000001 s')).toBe(1)
    expect(at('1793628127100.000002 ms')).toBe(2)
  })
  it('has none on a clock of its own', () => {
    expect(at(String(ORIGIN), { ...c, calibrated: false })).toMatch(/clock of its own/)
    expect(at('2026-05-12', { ...c, calibrated: false })).toMatch(/clock of its own/)
    expect(at('12.5 ms', { ...c, calibrated: false })).toBe(12_500_000)
  })
  it('does not take parts of a ns', () => expect(at('@1793628127100000000.5')).toMatch(/whole ns/))
})

describe('dates', () => {
  const iso = isoText(ORIGIN) ?? ''
  it('reads what it writes', () => expect(at(iso)).toBe(0))
  it('takes a zone, a space, and fewer digits', () => {
    const origin = BigInt(Date.UTC(2026, 4, 12, 14, 3, 22)) * 1_000_000n
    const here = { ...c, originNs: origin }
    expect(at('2026-05-12T14:03:22Z', here)).toBe(0)
    expect(at('2026-05-12 14:03:22.000000007z', here)).toBe(7)
    expect(at('2026-05-12T16:03:22+02:00', here)).toBe(0)
    expect(at('2026-05-12T16:03:22.5+0200', here)).toBe(500_000_000)
    expect(at('2026-05-12T12:33:22-01:30', here)).toBe(0)
    expect(at('2026-05-12T14:03Z', here)).toBe(-22e9)
  })
  it('is one of the reader without a zone', () => {
    const origin = BigInt(new Date(2026, 4, 12, 14, 3, 22).getTime()) * 1_000_000n
    expect(at('2026-05-12T14:03:22', { ...c, originNs: origin })).toBe(0)
  })
  it('knows which dates there are', () => {
    for (const text of ['2026-02-30', '2026-13-01', '2026-05-12T24:00Z', '2026-05-12T10:60Z', '2026-05-12T10:00+25:00'])
      expect(at(text), text).toMatch(/no such date/)
    expect(typeof at('2028-02-29T00:00Z')).toBe('number')
  })
  it('tells times of before 1970 too', () => {
    expect(isoText(-1n)).toBe('1969-12-31T23:59:59.999999999Z')
    expect(isoText(10n ** 30n)).toBeNull()
  })
})

it('says what it does not understand', () => {
  for (const text of ['', 'x', '1 fortnight', '1.2.3 ms', '--5', 'ms', '1e3', '0x10', '+', '.', '5 ms ago'])
    expect(typeof at(text), text).toBe('string')
})

it('never throws, whatever is typed', () => {
  fc.assert(fc.property(fc.string(), text => void parseTime(text, c)))
})

it('comes back from what the axis shows and from Unix ns', () => {
  const ns = fc.integer({ min: 0, max: 100 * 86_400e9 })
  fc.assert(
    fc.property(ns, t => {
      if (t < 10 * 86_400e9) expect(at(timeMs(t, 6))).toBe(t) // beyond, ms with six decimals are more digits than a double has
      expect(at(String(unixNs(t, ORIGIN)))).toBe(t)
      expect(at(isoText(unixNs(t, ORIGIN)) ?? '')).toBe(t)
    }),
  )
})
