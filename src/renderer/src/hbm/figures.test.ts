import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HbmAt, HbmCategoryInfo, HbmInfo } from '../../../shared/hbm-api'
import { GIB, MIB } from '../../../shared/units'
import { ageMs, csvName, freeOf, groupRows, inMib, mib, percent } from './figures'
import { yOf } from './settings'

const category = (name: string, color: string, family: number, runtimeRow: number): HbmCategoryInfo => ({
  ...{ name, color, family, runtimeRow, inferredName: false, startBytes: 0, peakBytes: 0, peakTime: null },
})
const info = {
  categories: [
    category('weights', 'weights', 0, 0),
    category('dma_rings_io', 'dma-rings-io', 1, 1),
    category('dma_rings_runtime', 'x', 1, 2),
  ],
  families: ['Weights', 'DMA rings', 'Tensors'].map(label => ({ label, color: label, unattributed: false })),
  runtimeRows: ['Model Constants', 'DMA Rings IO', 'DMA Rings Runtime'].map(label => ({ label, color: label, unattributed: false })),
} as unknown as HbmInfo
const at = (categories: readonly (number | null)[], unattributedBytes: number | null = null): HbmAt =>
  ({ categories, unattributedBytes }) as HbmAt

describe('groupRows', () => {
  it('adds categories up by family, top of the stack first, without families that have none', () => {
    expect(groupRows(info, 'family', at([5, 2, 3])).map(r => [r.label, r.bytes])).toEqual([
      ['DMA rings', 5],
      ['Weights', 5],
    ])
    expect(groupRows(info, 'category', at([5, 2, 3])).map(r => [r.label, r.bytes])).toEqual([
      ['dma_rings_runtime', 3],
      ['dma_rings_io', 2],
      ['weights', 5],
    ])
    expect(groupRows(info, 'runtime', at([5, 2, 3])).map(r => r.label)).toEqual(['DMA Rings Runtime', 'DMA Rings IO', 'Model Constants'])
  })
  it('what is not told is not 0, and what no event names stands last', () => {
    expect(groupRows(info, 'family', at([null, null, 3])).map(r => r.bytes)).toEqual([3, null])
    expect(groupRows(info, 'family', null).map(r => r.bytes)).toEqual([null, null])
    expect(groupRows(info, 'family', at([1, 1, 1], 7)).at(-1)).toMatchObject({ unattributed: true, bytes: 7, categories: [] })
    expect(groupRows(info, 'family', at([1, 1, 1], 0)).some(r => r.unattributed)).toBe(false)
  })
})

describe('figures', () => {
  it('of a column in MiB never read as 0 where they are not', () => {
    expect(mib(0)).toBe('0')
    expect(mib(16420 * MIB)).toBe('16,420')
    expect(mib(63 * MIB)).toBe('63.0')
    fc.assert(fc.property(fc.integer({ min: 1, max: 2 ** 40 }), b => void expect(['0', '0.0']).not.toContain(mib(b))))
    expect(inMib(0)).toBe('0\u00a0MiB')
    expect(inMib(1)).toBe('<0.1\u00a0MiB')
    expect(inMib(16419.8 * MIB)).toBe('16,419.8\u00a0MiB')
  })
  it('shares, ages, what is free, names of files', () => {
    expect(percent(1, 4)).toBe('25.0\u00a0%')
    expect(percent(1, null)).toBe('')
    expect(percent(0, 0)).toBe('')
    expect(ageMs(null)).toBe('—')
    expect(ageMs(95_240_000)).toBe('95.2')
    expect(ageMs(5_000)).toBe('0.005')
    expect(freeOf(0.46 * GIB, 24 * GIB)).toBe('0.46 of 24\u00a0GiB')
    expect(csvName({ device: 0, hbm: 1 }, 1_129_418_000)).toBe('hbm_nd0_hbm1_1129.418ms.csv')
    expect(csvName({ device: null, hbm: 1 }, 0)).toBe('hbm_hbm1_0.000ms.csv')
  })
})

it('the axis reaches to the capacity where the peak fills a quarter of it, unless chosen otherwise', () => {
  const of = (peakBytes: number, bytes: number | null): HbmInfo => ({ peakBytes, capacity: { bytes } }) as HbmInfo
  expect(yOf(of(6 * GIB, 24 * GIB), null)).toBe('capacity')
  expect(yOf(of(5 * GIB, 24 * GIB), null)).toBe('fit')
  expect(yOf(of(5 * GIB, 24 * GIB), 'capacity')).toBe('capacity')
  expect(yOf(of(6 * GIB, null), 'capacity')).toBe('fit')
})
