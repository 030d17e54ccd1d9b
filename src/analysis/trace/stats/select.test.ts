import fc from 'fast-check'
import { expect, it } from 'vitest'
import { nearestRank, select } from './select'

it('gives the value at a place of the sorted values, with the smaller ones before it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.nat({ max: 5 }), fc.double({ noNaN: true })), { minLength: 1, maxLength: 400 }),
      fc.nat(),
      (list, seed) => {
        const values = Float64Array.from([99, ...list, -99])
        const k = 1 + (seed % list.length)
        const sorted = Float64Array.from(list).sort()
        expect(select(values, 1, list.length + 1, k) + 0).toBe(sorted[k - 1] + 0)
        expect(values[0]).toBe(99)
        expect(values[list.length + 1]).toBe(-99)
        expect(values.subarray(1, k).every(v => v <= values[k])).toBe(true)
        expect(values.subarray(k, list.length + 1).every(v => v >= values[k])).toBe(true)
      },
    ),
    { numRuns: 500 },
  )
})

it('does not depend on the order: sorted, reversed, equal and sawtooth values', () => {
  const n = 20_000
  for (const f of [(i: number) => i, (i: number) => n - i, () => 3, (i: number) => i % 100, (i: number) => (i & 1 ? i : -i)]) {
    const values = Float64Array.from({ length: n }, (_, i) => f(i))
    const sorted = values.slice().sort()
    for (const k of [0, n >> 1, n - 1]) expect(select(values, 0, n, k)).toBe(sorted[k])
  }
})

it('nearest rank is a place, without roundings', () => {
  expect([1, 2, 3, 4, 5].map(n => nearestRank(n, 50))).toEqual([0, 0, 1, 1, 2])
  expect([1, 19, 20, 21, 40, 100].map(n => nearestRank(n, 95))).toEqual([0, 18, 18, 19, 37, 94])
  for (let n = 1; n < 5000; n++) expect(nearestRank(n, 95)).toBe(Number((BigInt(n) * 95n + 99n) / 100n) - 1)
})
