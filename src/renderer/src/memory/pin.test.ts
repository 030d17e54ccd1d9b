import { describe, expect, it } from 'vitest'
import type { AllocationSummary, Answers } from '../../../shared/api'
import type { Hit } from '../../../paint/memory/hit'
import { pinTarget } from './pin'

const row = { kind: 'smaller', column: 4, row: 7, rows: 1, group: 2, event: 31, from: 700, to: 800 } as const
const summary = (allocation: number, size: number): AllocationSummary =>
  ({ allocation, size, address: '0', label: '', start: false }) as unknown as AllocationSummary

describe('a click', () => {
  const never = (): Promise<Answers['memory.smaller']> => Promise.reject(new Error('asked'))

  it('pins the allocation that is drawn there without asking', async () => {
    expect(await pinTarget({ kind: 'allocation', allocation: 12, column: 4, row: 0, rows: 3 }, never)).toBe(12)
  })

  it('asks for the list of a row of smaller ones and pins the largest, whatever the tooltip knows', async () => {
    const asked: Hit[] = []
    const target = await pinTarget(row, async r => {
      asked.push(r)
      return { total: 2, totalBytes: 96, list: [summary(40, 64), summary(9, 32)] }
    })
    expect(target).toBe(40)
    expect(asked).toEqual([row])
  })

  it('pins nothing where nothing is drawn or listed', async () => {
    expect(await pinTarget(null, never)).toBeNull()
    expect(await pinTarget({ kind: 'empty' }, never)).toBeNull()
    expect(await pinTarget({ kind: 'nothing-known' }, never)).toBeNull()
    expect(await pinTarget(row, async () => ({ total: 0, totalBytes: 0, list: [] }))).toBeNull()
  })
})
