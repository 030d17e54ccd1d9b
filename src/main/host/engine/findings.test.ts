import { describe, expect, it } from 'vitest'
import type { AllocatorModel } from '../../../analysis/allocator/model'
import { buildTraceModel } from '../../../analysis/trace/tracks'
import { emptyTrace } from '../fake-table'
import { MAX_STEPS, replayFindings, traceFindings } from './findings'

const clean = { ...buildTraceModel(emptyTrace(3)), skipped: {}, unmatched: { begins: 0, ends: 0 }, steps: [] }

describe('findings of the models', () => {
  it('say nothing of what adds up', () => {
    expect(traceFindings('f', clean)).toEqual([])
    expect(replayFindings('f', replayed({}))).toEqual([])
  })
  it('count what stands on no track, what has no partner and the steps beyond the limit', () => {
    expect(traceFindings('f', { ...clean, skipped: { 'no time': 2, 'phase Q': 1 } })).toMatchObject([
      { code: 'trace-events-not-shown', count: 3, message: expect.stringContaining('no time (2), phase Q (1)') },
    ])
    expect(traceFindings('f', { ...clean, unmatched: { begins: 1, ends: 2 } })).toMatchObject([{ code: 'trace-unmatched', count: 3 }])
    const step = { name: 'ProfilerStep#1', start: 0, duration: 1, row: 0 }
    expect(traceFindings('f', { ...clean, steps: new Array(MAX_STEPS).fill(step) })).toEqual([])
    expect(traceFindings('f', { ...clean, steps: new Array(MAX_STEPS + 2).fill(step) })).toMatchObject([
      { code: 'trace-steps-cut', count: 2 },
    ])
  })
  it('say where the replay does not end as the segment table does, and what came from before the recording', () => {
    expect(replayFindings('f', replayed({ selfCheck: { ok: false, replayBytes: 5, tableBytes: 9 } }))).toMatchObject([
      { code: 'replay-differs-from-table', severity: 'warning', message: expect.stringMatching(/5\u00a0B active.*9\u00a0B/) },
    ])
    const [whole] = replayFindings('f', replayed({ selfCheck: { ok: false, replayBytes: 5, tableBytes: 9 } }))
    const [cut] = replayFindings('f', replayed({ selfCheck: { ok: false, replayBytes: 5, tableBytes: 9 } }), false)
    expect([whole?.action.includes('max_entries'), cut?.action.includes('max_entries')]).toEqual([true, false])
    expect(cut?.action).toContain('copy it again')
    expect(replayFindings('f', replayed({ retired: 4 }))).toMatchObject([{ code: 'replay-address-reused', count: 4 }])
    expect(replayFindings('f', replayed({ unknownFrees: 2, unknownFreeBytes: 64 }))).toMatchObject([
      { code: 'replay-unknown-frees', count: 2 },
    ])
  })
})

function replayed(figures: Partial<AllocatorModel['figures']>): AllocatorModel {
  const base = { selfCheck: { ok: true, replayBytes: 1, tableBytes: 1 }, retired: 0, unknownFrees: 0, unknownFreeBytes: 0 }
  return { device: 0, figures: { ...base, ...figures } } as AllocatorModel
}
