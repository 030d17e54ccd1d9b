import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareNames, instanceOfName, isHiddenName, placeOfNames, rankOfName } from './names'

describe('names', () => {
  it('instance folders in both spellings', () => {
    expect(instanceOfName('i-0b1ea78ca2865fd32_pid_1765325')).toEqual({ instanceId: 'i-0b1ea78ca2865fd32', pid: 1765325 })
    expect(instanceOfName('i-0b1-pid_7')).toEqual({ instanceId: 'i-0b1', pid: 7 })
    expect(instanceOfName('i-0b1-pid-7')).toEqual({ instanceId: 'i-0b1', pid: 7 })
    expect(instanceOfName('host_a_pid_7')).toEqual({ instanceId: 'host_a', pid: 7 })
    for (const no of ['pid_7', '_pid_7', 'i-0_pid_', 'i-0_pid_x', 'i-0_pid_7_old', 'stupid_7'])
      expect([no, instanceOfName(no)]).toEqual([no, null])
  })

  it('rank tokens', () => {
    const ranks: Record<string, number | null> = {
      'memory_snapshot_rank0.pickle': 0,
      'memory_snapshot_rank_12.pickle': 12,
      'rank007_trace.json.gz': 7,
      'RANK3.pickle': 3,
      'a/rank5/memory_snapshot.pickle': null,
      'crank3.pickle': null,
      'rank.pickle': null,
      'rank-3.pickle': null,
      'ranks_3.pickle': null,
      'rank1_of_rank8.pickle': 1,
      'rank1234567890.pickle': null,
    }
    for (const [name, rank] of Object.entries(ranks)) expect([name, rankOfName(name)]).toEqual([name, rank])
  })

  it('places', () => {
    const none = { instanceId: null, pid: null, timestamp: null }
    expect(placeOfNames([])).toEqual(none)
    expect(placeOfNames(['a', 'i-1_pid_2', '99', 'sub'])).toEqual({ instanceId: 'i-1', pid: 2, timestamp: '99' })
    expect(placeOfNames(['i-1_pid_2', 'neffs'])).toEqual({ instanceId: 'i-1', pid: 2, timestamp: null })
    expect(placeOfNames(['i-1_pid_2', 'i-3_pid_4'])).toEqual({ instanceId: 'i-3', pid: 4, timestamp: null })
    expect(placeOfNames(['run', '1729888371056597613'])).toEqual({ ...none, timestamp: '1729888371056597613' })
    expect(placeOfNames(['run', '20261026_101500'])).toEqual({ ...none, timestamp: '20261026_101500' })
    expect(placeOfNames(['run', 'iteration_3'])).toEqual(none)
    expect(placeOfNames(['run', '123456'])).toEqual(none)
  })

  it('the order of names is total', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '_', '0', '1', '9'), maxLength: 6 })
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNames(a, b))).toBe(-Math.sign(compareNames(b, a)) + 0)
        expect(compareNames(a, b) === 0).toBe(a === b)
        if (compareNames(a, b) <= 0 && compareNames(b, c) <= 0) expect(compareNames(a, c)).toBeLessThanOrEqual(0)
      }),
      { numRuns: 3000 },
    )
  })

  it('hidden names', () => {
    expect(['.x', 'x~', 'a.swp', '#a#'].every(isHiddenName)).toBe(true)
    expect(['x', 'a.tmp', 'swp', 'a#b'].some(isHiddenName)).toBe(false)
  })
})
