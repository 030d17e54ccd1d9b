import { expect, it } from 'vitest'
import { DEFAULT_LAYOUT, readLayout } from './layout'

it('takes a kept layout within its bounds and nothing else', () => {
  expect(readLayout(null)).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('not json')).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('[1]')).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('null')).toEqual(DEFAULT_LAYOUT)
  expect(readLayout('{"side":300,"details":9999,"split":"x"}')).toEqual({ ...DEFAULT_LAYOUT, side: 300 })
})
