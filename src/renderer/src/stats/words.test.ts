import { describe, expect, it } from 'vitest'
import { duration } from '../../../shared/format'
import { busyShare, changeOf, meanBusy, movedByDirection, percent, signed } from './words'

const core = (busyNs: number | null, knownNs: number) => ({ name: 'NC0', track: 1, busyNs, knownNs, slices: 0 })

describe('figures of a range', () => {
  it('writes signs and shares', () => {
    expect(signed(1_500_000, duration)).toBe('+1.500\u00a0ms')
    expect(signed(-20, duration)).toBe('−20\u00a0ns')
    expect(signed(0, duration)).toBe('0\u00a0ns')
    expect([percent(1, 3), percent(0, 5), percent(1, 1e9), percent(5, 0)]).toEqual(['33.3\u00a0%', '0\u00a0%', '<0.1\u00a0%', '—'])
  })

  it('takes a busy share of what is known, and none of a core that was not captured', () => {
    expect(busyShare(core(25, 50))).toBe(0.5)
    expect(busyShare(core(null, 50))).toBeNull()
    expect(busyShare(core(0, 0))).toBeNull()
    expect(meanBusy([core(25, 50), core(100, 100), core(null, 100)])).toBe(125 / 150)
    expect(meanBusy([core(null, 100)])).toBeNull()
  })

  it('adds transfers of a direction; sizes that no event carries are not 0', () => {
    const m = (direction: 'host_to_device' | 'device_to_host', bytes: number | null) => ({
      direction,
      place: 'NC0',
      transfers: 2,
      bytes,
      withoutSize: bytes === null ? 2 : 0,
    })
    expect(movedByDirection([m('device_to_host', null), m('host_to_device', 10), m('host_to_device', null)])).toEqual([
      { direction: 'host_to_device', transfers: 4, bytes: 10, withoutSize: 2 },
      { direction: 'device_to_host', transfers: 2, bytes: null, withoutSize: 2 },
    ])
    expect(movedByDirection([])).toEqual([])
  })

  it('tells a difference where both ends are known', () => {
    const ends = { label: 'a', meaning: 'reserved', startBytes: 5, endBytes: 3, peakBytes: 9 } as const
    expect(changeOf(ends)).toBe(-2)
    expect(changeOf({ ...ends, startBytes: null })).toBeNull()
  })
})
