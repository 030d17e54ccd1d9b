import { describe, expect, it } from 'vitest'
import { alignmentOf, type AlignedSource, type HardwareFacts } from './alignment'

const HOUR = 3_600_000_000_000n
const source = (index: number, more: Partial<AlignedSource> = {}): AlignedSource => ({
  file: `f${index}`,
  path: `s/file${index}`,
  source: index,
  clock: 'unix-nanoseconds',
  spanNs: [1000n, 2000n],
  shiftNs: 0n,
  hardware: null,
  ...more,
})
const HARDWARE: HardwareFacts = {
  method: 'stored',
  events: 10,
  syncPoints: 4,
  offsetNs: 0,
  residualNs: 12,
  own: 10,
  nearest: 0,
  without: 0,
  outliers: 0,
}

describe('alignment', () => {
  it('says how each source came to its times, and with which it overlaps', () => {
    const all = alignmentOf([
      source(0, { clock: 'kineto-base-time' }),
      source(1, { spanNs: [1500n, 9000n] }),
      source(2, { clock: 'unix-microseconds', spanNs: [9000n, 9001n] }),
    ])
    expect(all.map(c => [c.method, c.confidence, c.residualNs, c.overlaps])).toEqual([
      ['kineto-base-time', 'stated', null, ['s/file1']],
      ['host-clock', 'stated', null, ['s/file0', 's/file2']],
      ['unix-microseconds', 'stated', 1000, ['s/file1']],
    ])
    expect(all[1]).toMatchObject({ startNs: '1500', endNs: '9000', shiftNs: '0', offsetNs: null })
  })

  it('doubts a source that overlaps with nothing, and says how far away the next one is', () => {
    const [a, b] = alignmentOf([source(0), source(1, { spanNs: [2000n + 9n * HOUR, 2001n + 9n * HOUR] })])
    expect(a?.confidence).toBe('doubtful')
    expect(a?.text).toContain('9.0\u00a0h from file1')
    expect(b?.text).toContain('9.0\u00a0h from file0')
    // Alone in the session there is nothing to overlap with.
    expect(alignmentOf([source(0)])[0]?.confidence).toBe('stated')
  })

  it('leaves an own clock alone until somebody shifts it', () => {
    const own = source(1, { clock: 'unknown', spanNs: [1000n, 1500n] })
    expect(alignmentOf([source(0), own])[1]).toMatchObject({ method: 'own', confidence: 'unknown', overlaps: [] })
    expect(alignmentOf([source(0), { ...own, shiftNs: 5n }])[1]).toMatchObject({ shiftNs: '5', overlaps: ['s/file0'] })
  })

  it('tells of the hardware apart', () => {
    const part = (h: Partial<HardwareFacts>) => alignmentOf([source(0, { hardware: { ...HARDWARE, ...h } })])[1]
    expect(part({})).toMatchObject({ part: 'neuron_hw', method: 'sync-points', confidence: 'checked', offsetNs: '0', residualNs: 12 })
    expect(part({ method: 'corrected', offsetNs: -7_000_000 })).toMatchObject({ confidence: 'checked', offsetNs: '-7000000' })
    expect(part({ method: 'corrected', offsetNs: -7_000_000 })?.text).toContain('7,000\u00a0µs')
    expect(part({ nearest: 2, without: 1 })).toMatchObject({ confidence: 'doubtful' })
    expect(part({ nearest: 2, without: 1 })?.text).toContain('Of 10 hardware events 2 use another sync point of their core, 1 have none')
    expect(part({ method: 'unchecked', offsetNs: null, residualNs: null })).toMatchObject({
      method: 'host-clock',
      confidence: 'doubtful',
      offsetNs: null,
    })
    expect(part({ method: 'none' })).toBeUndefined()
  })
})
