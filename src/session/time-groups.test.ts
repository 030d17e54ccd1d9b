import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ClockDomain } from '../shared/tables'
import { buildTimeGroups, type TimeSource } from './time-groups'

const source = (
  index: number,
  epochNs: bigint,
  range: readonly [number, number] | null,
  clock: ClockDomain = 'unix-microseconds',
): TimeSource => ({
  index,
  epochNs,
  clock,
  range,
  label: `s${index}`,
})
const BASE = 1_729_888_371_056_597_613n

describe('time groups', () => {
  it('a trace and a snapshot that overlap share an axis, with exact offsets', () => {
    const { groups, offsets, group } = buildTimeGroups([source(0, BASE, [5, 1000], 'kineto-base-time'), source(1, BASE + 400n, [0, 900])])
    expect(groups).toEqual([{ id: 0, originNs: BASE + 5n, durationNs: 1295, calibrated: true, sources: [0, 1], label: 's0 + s1' }])
    expect(offsets).toEqual([-5, 395])
    expect(group).toEqual([0, 0])
  })

  it('joins through others, and closed spans that touch', () => {
    const far = source(2, BASE, [200, 300])
    expect(buildTimeGroups([source(0, BASE, [0, 100]), far]).groups).toHaveLength(2)
    const joined = buildTimeGroups([source(0, BASE, [0, 100]), far, source(1, BASE, [100, 200])])
    expect(joined.groups.map(g => g.sources)).toEqual([[0, 2, 1]])
  })

  it('unknown clocks and lone sources have groups of their own, sources without times none', () => {
    const { groups, group, offsets } = buildTimeGroups([
      source(0, 0n, [10, 20], 'unknown'),
      source(1, BASE, [0, 10]),
      source(2, 0n, null, 'none'),
      source(3, 0n, [0, 15], 'unknown'),
      source(4, BASE - 1000n, [0, 10]),
      source(5, BASE, null),
    ])
    expect(group).toEqual([2, 1, null, 3, 0, null])
    expect(groups.map(g => [g.calibrated, g.sources, g.originNs, g.durationNs])).toEqual([
      [true, [4], BASE - 1000n, 10],
      [true, [1], BASE, 10],
      [false, [0], 10n, 10],
      [false, [3], 0n, 15],
    ])
    expect(offsets).toEqual([-10, 0, null, 0, 0, null])
  })

  it('a chain longer than doubles count exactly is split', () => {
    const day = 86_400_000_000_000
    const chain = Array.from({ length: 200 }, (_, i) => source(i, BASE + BigInt(i) * BigInt(day), [0, day]))
    const { groups, offsets } = buildTimeGroups(chain)
    expect(groups.length).toBe(2)
    expect(offsets.every(o => Number.isSafeInteger(o))).toBe(true)
  })

  const sources = fc.array(
    fc.record({
      at: fc.bigInt(0n, 2000n),
      from: fc.integer({ min: 0, max: 50 }),
      length: fc.integer({ min: 0, max: 200 }),
      clock: fc.constantFrom<ClockDomain>('kineto-base-time', 'unix-microseconds', 'unix-microseconds', 'unknown', 'none'),
      timed: fc.boolean(),
    }),
    { maxLength: 20 },
  )

  it('equals the transitive closure of "overlaps", computed plainly', () => {
    fc.assert(
      fc.property(sources, list => {
        const input = list.map((s, i) => source(i * 3, BASE + s.at, s.timed ? [s.from, s.from + s.length] : null, s.clock))
        const { groups, offsets, group } = buildTimeGroups(input)
        const span = (s: TimeSource): readonly [bigint, bigint] | null =>
          s.range && s.clock !== 'none' ? [s.epochNs + BigInt(s.range[0]), s.epochNs + BigInt(s.range[1])] : null
        const known = (s: TimeSource): boolean => span(s) !== null && s.clock !== 'unknown'
        // Plain closure.
        const near = input.map((a, i) =>
          input.map((b, j) => {
            if (i === j) return true
            const [x, y] = [span(a), span(b)]
            return known(a) && known(b) && x !== null && y !== null && x[0] <= y[1] && y[0] <= x[1]
          }),
        )
        for (let k = 0; k < input.length; k++)
          for (let i = 0; i < input.length; i++)
            for (let j = 0; j < input.length; j++) if (near[i]?.[k] && near[k]?.[j]) (near[i] as boolean[])[j] = true
        input.forEach((a, i) => {
          expect(group[i] === null).toBe(span(a) === null)
          expect(offsets[i] === null).toBe(span(a) === null)
          input.forEach((_, j) => {
            if (group[i] !== null && group[j] !== null) expect(group[i] === group[j]).toBe(near[i]?.[j])
          })
          if (group[i] === null) return
          const g = groups[group[i] as number] as (typeof groups)[number]
          const s = span(a) as readonly [bigint, bigint]
          // Nothing is shifted: origin + offset is the epoch, exactly, and the group spans the source.
          expect(g.originNs + BigInt(offsets[i] as number)).toBe(a.epochNs)
          expect(s[0] >= g.originNs && s[1] <= g.originNs + BigInt(g.durationNs)).toBe(true)
          expect(g.calibrated).toBe(a.clock !== 'unknown')
        })
        groups.forEach((g, id) => {
          expect(g.id).toBe(id)
          const members = input.filter((_, i) => group[i] === id)
          expect(g.sources).toEqual(members.map(s => s.index))
          expect(members.map(s => (span(s) as readonly [bigint, bigint])[0]).some(b => b === g.originNs)).toBe(true)
          expect(members.some(s => (span(s) as readonly [bigint, bigint])[1] === g.originNs + BigInt(g.durationNs))).toBe(true)
        })
      }),
      { numRuns: 500 },
    )
  })
})
