import { describe, expect, it } from 'vitest'
import { systemTable, TestHbm } from '../../testing/system-table'
import { counterInWindow } from '../trace/counter-window'
import { buildHbm } from './build'
import { hbmTracks } from './lanes'

describe('device memory lanes', () => {
  const h = new TestHbm({ tensors: 100 })
  h.alloc({ time: 10, bytes: 50, address: 1n, usage: 'tensors' })
  h.alloc({ time: 20, bytes: 500, address: 2n, usage: 'tensors' })
  h.free({ time: 21, bytes: 500, address: 2n, usage: 'tensors' })
  const { models } = buildHbm(systemTable(h.events), 'n')

  it('are named by device and HBM, have the totals of the runtime and its peak at every width', () => {
    const lanes = hbmTracks(models, '12')
    expect(lanes).toMatchObject([{ origin: 'hbm', kind: 'counter', note: 'bytes', pid: '12' }])
    expect(lanes[0]?.name).toMatch(/^(ND:\d+\/)?HBM:0$/)
    expect([...(lanes[0]?.value ?? [])]).toEqual([...(models[0]?.total ?? [])])
    for (const width of [1, 2, 3, 50, 1000]) {
      const { max } = counterInWindow(lanes, 0, 1000, width)
      expect(Math.max(...[...(max[0] ?? [])].filter(v => !Number.isNaN(v)))).toBe(models[0]?.peakBytes)
    }
  })
})
