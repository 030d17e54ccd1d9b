import { beforeEach, describe, expect, it } from 'vitest'
import type { SessionView } from '../../../shared/api'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { rangeOf, ranges } from './choices'

const view = { groups: [{ id: 0, originNs: 1_700_000_000_000_000_000n, durationNs: 100e6, calibrated: true }] } as unknown as SessionView

beforeEach(() => {
  useSession.setState({ view })
  useView.setState({
    group: 0,
    extent: { start: 0, end: 100e6 },
    window: { start: 10e6, end: 20e6 },
    selection: null,
    cursor: 5e6,
    eventWindow: { start: 3, end: 9 },
    eventExtent: { start: -1, end: 50 },
  })
})
const spans = (range: 'window' | 'range' | 'all' | 'typed', typed = '', events = false): readonly [number, number] | string => {
  const r = rangeOf({ range, typed }, events)
  return r.ok ? [r.window.start, r.window.end] : r.error
}

describe('the range of an export', () => {
  it('is the window, the selected range, everything, or what is typed', () => {
    expect(spans('window')).toEqual([10e6, 20e6])
    expect(spans('all')).toEqual([0, 100e6])
    useView.setState({ selection: { type: 'range', start: 12e6, end: 13e6 } })
    expect(spans('range')).toEqual([12e6, 13e6])
    expect(spans('typed', '30 ms .. 40 ms')).toEqual([30e6, 40e6])
    expect(spans('typed', '1700000000050000000 .. +1 ms')).toEqual([50e6, 51e6])
  })
  it('says what is wrong with what is typed', () => {
    expect(spans('typed')).toMatch(/^Type two times/)
    expect(spans('typed', '30 ms')).toMatch(/Two times are needed/)
    expect(spans('typed', 'then .. now')).toMatch(/Not a time/)
    expect(spans('typed', '3 s .. 4 s')).toMatch(/after the end/)
  })
  it('offers the selected range only where there is one, and over events neither that nor times', () => {
    const kinds = (events: boolean): readonly string[] => ranges(events).map(r => r.kind)
    expect(kinds(false)).toEqual(['window', 'all', 'typed'])
    useView.setState({ selection: { type: 'range', start: 1, end: 2 } })
    expect(kinds(false)).toEqual(['window', 'range', 'all', 'typed'])
    expect(kinds(true)).toEqual(['window', 'all'])
    expect([spans('range', '', true), spans('typed', 'x', true), spans('all', '', true)]).toEqual([
      [3, 9],
      [3, 9],
      [-1, 50],
    ])
  })
  it('of a selection that is gone is the window', () => {
    expect(spans('range')).toEqual([10e6, 20e6])
  })
})
