import { describe, expect, it } from 'vitest'
import { categoryOf, compareCategories, FAMILIES, familyIndex, rowIndex, RUNTIME_ROWS, USAGE_TYPES } from './categories'

describe('usage categories', () => {
  it('numbers follow the order of the usage types and are marked; others stay numbers', () => {
    USAGE_TYPES.forEach((name, i) => expect(categoryOf(String(i))).toMatchObject({ name, inferredName: true }))
    expect(categoryOf('22')).toMatchObject({ name: 'usage type 22', family: 'Generic', inferredName: false })
  })

  it('every known name is itself, with a family and a row', () => {
    for (const name of USAGE_TYPES) {
      const c = categoryOf(name)
      expect(c).toMatchObject({ name, inferredName: false })
      expect(familyIndex(c)).toBeGreaterThanOrEqual(0)
      expect(rowIndex(c)).toBeGreaterThanOrEqual(0)
      expect(categoryOf(`${name}_bytes`).name).toBe(name)
      expect(categoryOf(name.replaceAll('_', ' ').toUpperCase()).name).toBe(name)
    }
  })

  it.each([
    ['Model Constants', 'weights', 'Model Constants'],
    ['Model Code', 'model_code', 'Model Code'],
    ['Shared Scratchpad', 'shared_scratchpad', 'Shared Scratchpad'],
    ['Scratchpad (non-shared)', 'scratchpad', 'Scratchpad'],
    ['Collectives XT CC', 'xt_cc', 'Collectives XT CC'],
    ['XT CC (unused)', 'xt_cc', 'Collectives XT CC'],
    ['Profiler Buffers', 'profiler_buffers', 'Profiler Buffers'],
    ['DMA Rings Spill', 'dma_rings_spill', 'DMA Rings Spill'],
    ['Ucode lib', 'ucode_lib', 'Model Code'],
    ['GpSimd STDIO', 'gpsimd_stdio', 'Runtime'],
    ['NOTIFICATION_DEVICE', 'profiler_buffers', 'Profiler Buffers'],
    ['SCRATCHPAD_DEVICE', 'shared_scratchpad', 'Shared Scratchpad'],
    ['SCRATCHPAD_NONSHARED_DEVICE', 'scratchpad', 'Scratchpad'],
    ['DMA_MEM_USAGE_TYPE_SCRATCHPAD_NOT_SHARED', 'scratchpad', 'Scratchpad'],
    ['', 'unknown', 'no row of the table'],
  ])('%s is %s', (text, name, row) => {
    expect(categoryOf(text)).toMatchObject({ name, row })
  })

  it('keeps what nobody knows as it is', () => {
    expect(categoryOf(' Quantum Foam ')).toMatchObject({
      name: 'Quantum Foam',
      color: 'unknown',
      family: 'Generic',
      row: 'no row of the table',
    })
  })

  it('stacks family by family', () => {
    const order = USAGE_TYPES.map(n => categoryOf(n)).sort(compareCategories)
    const families = order.map(familyIndex)
    expect(families).toEqual([...families].sort((a, b) => a - b))
    expect(new Set(families).size).toBe(FAMILIES.length)
    expect(order.at(0)?.name).toBe('weights')
    expect(order.at(-1)?.name).toBe('io')
    expect(RUNTIME_ROWS.at(-1)?.label).toBe('no row of the table')
  })
})
