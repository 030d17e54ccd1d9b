import { expect, it } from 'vitest'
import { binOf, bins } from './histogram'

it('draws the fullest bar whole, an empty one not at all and any other at least 1 high', () => {
  expect(bins([0, 1, 1000, 500], 40)).toEqual([0, 1, 40, 20])
  expect(bins([], 40)).toEqual([])
})

it('finds the bar of a value; the upper edge belongs to the last', () => {
  const edges = [1, 10, 100]
  expect([1, 9.9, 10, 100, 0.5, 101, NaN].map(v => binOf(edges, v))).toEqual([0, 0, 1, 1, -1, -1, -1])
  expect(binOf([], 1)).toBe(-1)
})
