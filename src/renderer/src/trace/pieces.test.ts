import { expect, it } from 'vitest'
import { pieces } from './pieces'

it('cuts a text at its hits, whatever their case, and takes the query as it is written', () => {
  expect(pieces('Input Dims: [1, 2]', 'dims')).toEqual(['Input ', 'Dims', ': [1, 2]'])
  expect(pieces('a.b a*b', '.')).toEqual(['a', '.', 'b a*b'])
  expect(pieces('İx x', 'x')).toEqual(['İ', 'x', ' ', 'x', ''])
  expect(pieces('abc', '')).toEqual(['abc'])
  expect(pieces('abc', 'z')).toEqual(['abc'])
})
