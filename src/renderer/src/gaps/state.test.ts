import { expect, it } from 'vitest'
import { parseLength, rangeNow } from './state'

it('lengths as people type them', () => {
  expect(['', ' ', '250', '250ns', '1.5 ms', '2s', '10 µs', '10 μs', '10US', '0.0004 us'].map(parseLength)).toEqual([
    0, 0, 250, 250, 1_500_000, 2_000_000_000, 10_000, 10_000, 10_000, 0,
  ])
  expect(['x', '-1', '1e3', '1.2.3', '5 m', 'ms'].map(parseLength)).toEqual([null, null, null, null, null, null])
})

it('a kept range moves with the origin and belongs to its session and time group', () => {
  const kept = { start: 10, end: 20, session: 's', group: 1, originNs: 100n }
  expect(rangeNow(kept, 's', 1, 100n)).toEqual({ start: 10, end: 20 })
  expect(rangeNow(kept, 's', 1, 90n)).toEqual({ start: 20, end: 30 })
  expect([rangeNow(kept, 't', 1, 100n), rangeNow(kept, 's', 2, 100n), rangeNow(kept, 's', 1, null), rangeNow(null, 's', 1, 1n)]).toEqual([
    null,
    null,
    null,
    null,
  ])
})
