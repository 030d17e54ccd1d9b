import { describe, expect, it } from 'vitest'
import type { SessionView } from '../../../shared/api'
import type { ClockInfo } from '../../../shared/clock-api'
import { isoLocal, onUnixTime, statusTail } from './words'

const clock = (more: Partial<ClockInfo>): ClockInfo => ({
  ...{
    file: 'f',
    path: 'a/f',
    source: 0,
    part: '',
    method: 'host-clock',
    text: '',
    confidence: 'stated',
    offsetNs: null,
    residualNs: null,
  },
  ...{ shiftNs: '0', startNs: null, endNs: null, overlaps: [] },
  ...more,
})
const view = (clocks: readonly ClockInfo[], groups = 1): SessionView =>
  ({ clocks, groups: Array(groups).fill({}), sources: [{}, {}] }) as unknown as SessionView

describe('isoLocal', () => {
  it('keeps the nanoseconds and names the zone', () => {
    expect(isoLocal(1_790_000_000_123_456_789n, () => 0)).toBe('2026-09-21T14:13:20.123456789Z')
    expect(isoLocal(1_790_000_000_000_000_000n, () => -330)).toBe('2026-09-21T19:43:20.000000000+05:30')
    expect(isoLocal(1_790_000_000_000_000_000n, () => 210)).toBe('2026-09-21T10:43:20.000000000-03:30')
  })
  it('counts backwards before 1970', () => {
    expect(isoLocal(-1n, () => 0)).toBe('1969-12-31T23:59:59.999999999Z')
  })
})

describe('statusTail', () => {
  it('tells the largest residual and what was shifted', () => {
    expect(statusTail(view([clock({ residualNs: 1000 }), clock({ part: 'neuron_hw', residualNs: 12_000 })]))).toMatch(
      /^, known residual ≤ 12.*µs$/,
    )
    expect(statusTail(view([clock({ shiftNs: '1200000' })]))).toBe(', shifted by hand +1.2\u00a0ms')
    expect(statusTail(view([clock({ shiftNs: '1' }), clock({ shiftNs: '2' }), clock({ part: 'neuron_hw', shiftNs: '2' })]))).toBe(
      ', 2 files shifted by hand',
    )
    expect(statusTail(view([clock({ residualNs: 0 })]))).toBe('')
    expect(statusTail(view([clock({})]))).toBe('')
    expect(statusTail(view([clock({ residualNs: 1000 })], 2))).toBe('')
  })
})

it('a clock of its own is on Unix time once it was shifted', () => {
  expect(onUnixTime(clock({ method: 'own' }))).toBe(false)
  expect(onUnixTime(clock({ method: 'own', shiftNs: '5' }))).toBe(true)
  expect(onUnixTime(clock({ method: 'none', shiftNs: '5' }))).toBe(false)
})
