import { expect, it } from 'vitest'
import { otherEnd } from './usePlotPointer'

it('takes the nearer end of a range, within reach', () => {
  const x = (t: number): number => 160 + t
  const range = { start: 100, end: 200 }
  expect(otherEnd(range, 262, x)).toBe(200)
  expect(otherEnd(range, 357, x)).toBe(100)
  expect(otherEnd(range, 300, x)).toBeNull()
  expect(otherEnd({ start: 100, end: 102 }, 262, x)).toBe(100)
  expect(otherEnd(null, 262, x)).toBeNull()
})
