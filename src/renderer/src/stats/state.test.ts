import { beforeEach, describe, expect, it } from 'vitest'
import type { SessionView } from '../../../shared/api'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { rangeNow, setScope, useStats } from './state'

const view = (originNs: bigint): SessionView =>
  ({ session: 's', version: 1, groups: [{ id: 0, originNs, durationNs: 1000 }] }) as unknown as SessionView

beforeEach(() => {
  useSession.setState({ session: 's', view: view(100n) })
  useView.getState().reset()
  useStats.setState({ range: null, declined: null, base: 'all' })
})

const select = (start: number, end: number): void => useView.getState().select({ type: 'range', start, end })

describe('range of the statistics', () => {
  it('is the selected one, stays while an event is looked at, and goes when the selection is cleared', () => {
    select(10, 20)
    expect(useStats.getState().range).toMatchObject({ start: 10, end: 20, group: 0 })
    useView.getState().select({ type: 'slice', source: 0, row: 1, track: 2, start: 11, duration: 2 })
    expect(useStats.getState().range).toMatchObject({ start: 10, end: 20 })
    useView.getState().select(null)
    expect(useStats.getState().range).toBeNull()
  })

  it('stands where it stood when an earlier source moves the origin, and belongs to its session and group', () => {
    select(10, 20)
    const { range } = useStats.getState()
    expect(rangeNow(range, 's', 0, 100n)).toEqual({ start: 10, end: 20 })
    expect(rangeNow(range, 's', 0, 70n)).toEqual({ start: 40, end: 50 })
    expect(rangeNow(range, 't', 0, 100n)).toBeNull()
    expect(rangeNow(range, 's', 1, 100n)).toBeNull()
    expect(rangeNow(null, 's', 0, 100n)).toBeNull()
  })

  it('can be declined; the next one counts again', () => {
    select(10, 20)
    setScope('window')
    const declined = useStats.getState()
    expect(declined.base).toBe('window')
    expect(declined.declined).toBe(declined.range)
    select(30, 40)
    expect(useStats.getState().declined).not.toBe(useStats.getState().range)
    setScope('all')
    setScope('range')
    expect(useStats.getState().declined).toBeNull()
  })
})
