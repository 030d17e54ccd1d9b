import fc from 'fast-check'
import { expect, it } from 'vitest'
import { histogramOf } from './histogram'

it('counts every duration in the bin that holds it', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.nat({ max: 20 }), fc.nat({ max: 1e9 })), { minLength: 1, maxLength: 200 }), list => {
      const { edges, counts, logarithmic } = histogramOf(Float64Array.from(list))
      expect(edges).toHaveLength(counts.length + 1)
      expect([edges[0], edges[counts.length]]).toEqual([Math.min(...list), Math.max(...list)])
      for (let i = 0; i < counts.length && counts.length > 1; i++) expect(edges[i + 1]).toBeGreaterThan(edges[i])
      const last = counts.length - 1
      counts.forEach((n, i) => expect(n).toBe(list.filter(d => d >= edges[i] && (d < edges[i + 1] || i === last)).length))
      const least = Math.min(...list.filter(d => d > 0))
      expect(logarithmic).toBe(Math.max(...list) > Math.min(...list) && Math.max(...list) >= 50 * least)
    }),
    { numRuns: 300 },
  )
})

it('has one bin where all are equal and none without durations', () => {
  expect(histogramOf(Float64Array.of(7, 7, 7))).toEqual({ edges: Float64Array.of(7, 7), counts: Uint32Array.of(3), logarithmic: false })
  expect(histogramOf(new Float64Array(0)).counts).toHaveLength(0)
})
