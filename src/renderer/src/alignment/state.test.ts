import { describe, expect, it } from 'vitest'
import type { ClockInfo } from '../../../shared/clock-api'
import { lineUp, type Picked } from './state'

const clock = (file: string, more: Partial<ClockInfo> = {}): ClockInfo => ({
  ...{
    file,
    path: `a/${file}`,
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
const event = (file: string, ownNs: bigint): Picked => ({ file, path: `a/${file}`, name: 'x', ownNs })
const EPOCH = 1_790_000_000_000_000_000n

describe('lineUp', () => {
  it('brings the first event to the start of the second, exactly', () => {
    const view = { clocks: [clock('t'), clock('r')] }
    expect(lineUp(view, event('t', EPOCH + 10_000_000_001n), event('r', EPOCH))).toMatchObject({
      shiftNs: -10_000_000_001n,
      byNs: -10_000_000_001n,
    })
  })

  it('counts in the shifts that both have', () => {
    const view = {
      clocks: [clock('t', { shiftNs: '-400' }), clock('t', { part: 'neuron_hw', shiftNs: '7' }), clock('r', { shiftNs: '1000' })],
    }
    // The second stands at EPOCH + 1000, the first at EPOCH + 5 - 400 now.
    expect(lineUp(view, event('t', EPOCH + 5n), event('r', EPOCH))).toMatchObject({ shiftNs: 995n, byNs: 1395n })
  })

  it('places a clock of its own among the others, never the others in its', () => {
    const view = { clocks: [clock('own', { method: 'own' }), clock('r')] }
    expect(lineUp(view, event('own', 250n), event('r', EPOCH))).toMatchObject({ shiftNs: EPOCH - 250n })
    expect(lineUp(view, event('r', EPOCH), event('own', 250n))).toMatch(/clock of its own/)
  })

  it('refuses two events of one file, a file that went, and what is too far', () => {
    const view = { clocks: [clock('t'), clock('r')] }
    expect(lineUp(view, event('t', 1n), event('t', 5n))).toMatch(/same file/)
    expect(lineUp(view, event('t', 1n), event('gone', 5n))).toMatch(/not there/)
    expect(lineUp(view, event('t', 1n), event('r', 5_000_000_000_000_000_000n))).toMatch(/century/)
  })
})
