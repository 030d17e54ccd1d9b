import { expect, it } from 'vitest'
import { layout, rowsOf, track } from '../testing'
import { filterOf } from './filter'
import type { Grouped } from './model'

const groupedOf = (names: readonly string[]): Grouped =>
  rowsOf(
    names.map((name, i) => track(i + 1, { name })),
    { layout: layout(), instance: 'i' },
  ).grouped
const left = (g: Grouped, text: string): number => {
  const { matches } = filterOf(text, true, g)
  return g.instances.flatMap(i => i.sections.flatMap(s => s.tracks)).filter(p => matches?.(p)).length
}

it('refuses an expression that is too large', () => {
  const g = groupedOf(['a'])
  expect(filterOf('(?:.?){1000}(?:.?){1000}x', true, g)).toMatchObject({
    matches: null,
    error: expect.stringContaining('too large') as string,
  })
  expect(filterOf('(?:.?){90}', true, g).error).toBeNull()
})

it('tries an expression on the beginning of long names, whose cut is no end', () => {
  const g = groupedOf([`${'q'.repeat(1000)}z`, 'qqz'])
  expect(left(g, 'qz$')).toBe(1)
  expect(left(g, 'q$')).toBe(0)
  expect(left(g, 'qqq')).toBe(1)
})

it('gives up an expression that takes too long over many tracks, leaves nothing out and does not try again', () => {
  const g = groupedOf(Array.from({ length: 100 }, (_, i) => `t${i}`))
  let looks = 0
  const slow = (): number => 100 * looks++
  expect(filterOf('t1', true, g, slow)).toMatchObject({ matches: null, error: expect.stringContaining('too long') as string })
  expect(looks).toBeLessThan(6)
  const before = looks
  expect(filterOf('t1', true, g, slow).matches).toBeNull()
  expect(looks).toBe(before)
  // Another one is tried.
  expect(left(g, 't1')).toBe(0)
  expect(left(g, 't2')).toBeGreaterThan(0)
})
