import fc from 'fast-check'
import { expect, it } from 'vitest'
import { sortPausing } from './sorted'

const counting = (over = Infinity): { due: boolean; pauses: number; pause: () => Promise<boolean> } => {
  const p = { due: true, pauses: 0, pause: () => Promise.resolve(++p.pauses > over) }
  return p
}

it('sorts as `sort` does, equal ones in their order, and pauses on the way', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 50_000 }), fc.integer({ min: 1, max: 60_000 }), fc.nat(), async (n, values, seed) => {
      const value = Float64Array.from({ length: n }, (_, i) => (Math.imul(i + seed, 2654435761) >>> 0) % values)
      const order = (a: number, b: number): number => value[a] - value[b]
      const all = Uint32Array.from({ length: n }, (_, i) => i)
      const wanted = all.slice().sort(order)
      const pausing = counting()
      const got = await sortPausing(all, order, pausing)
      expect(got?.length).toBe(n)
      expect(got?.every((v, i) => v === wanted[i])).toBe(true)
      // No stretch without a look at the clock is longer than one run.
      expect(pausing.pauses).toBeGreaterThanOrEqual(Math.floor(n / 8192))
    }),
    { numRuns: 40 },
  )
})

it('ends at the first pause that is refused', async () => {
  const pausing = counting(3)
  expect(await sortPausing(new Uint32Array(200_000), (a, b) => a - b, pausing)).toBeNull()
  expect(pausing.pauses).toBe(4)
})
