import { expect, it } from 'vitest'
import { allPages } from './pages'

const asked: (readonly [number, number])[] = []
const numbers =
  (there: number) =>
  (offset: number, limit: number): Promise<readonly number[]> => {
    asked.push([offset, limit])
    return Promise.resolve(Array.from({ length: Math.max(0, Math.min(limit, there - offset)) }, (_, i) => offset + i))
  }

it('takes every row once, in order, and no more than there may be', async () => {
  expect(await allPages(4040, 1000, numbers(4040))).toEqual(Array.from({ length: 4040 }, (_, i) => i))
  expect(asked.splice(0).at(-1)).toEqual([4000, 40])
  expect((await allPages(4040, 1000, numbers(4040), 2500)).length).toBe(2500)
  expect(asked.splice(0)).toEqual([
    [0, 1000],
    [1000, 1000],
    [2000, 500],
  ])
})

it('ends where there is less than was told, and with the error of a page', async () => {
  expect(await allPages(10, 4, numbers(6))).toEqual([0, 1, 2, 3, 4, 5])
  expect(await allPages(0, 4, numbers(6))).toEqual([])
  await expect(allPages(10, 4, () => Promise.reject(new Error('gone')))).rejects.toThrow('gone')
})
