import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemTable, type TestEvent } from '../../testing/system'
import { bandwidth, transfersOf, transferTracks } from './transfers'

const copy = (at: number, dur: number, size: number, more: Partial<TestEvent> = {}): TestEvent => ({
  name: 'dmem_buf_copyin',
  at,
  dur,
  nc: 0,
  thread: 7,
  attrs: { mem_type: 'device', size },
  ...more,
})

describe('transfers between host and device', () => {
  const t = systemTable([
    copy(100, 50, 1000),
    copy(120, 10, 500, { name: 'dmem_buf_copyout' }),
    copy(130, 40, 800),
    copy(400, 10, 64, { nc: 1 }),
    copy(500, 20, 7, { attrs: {} }),
    copy(510, 0, 7, { state: 'open' }),
    { name: 'dmem_buf_copyin_batch', at: 600, dur: 10, nc: 0, attrs: { total_size: 9 } },
    { name: 'nrt_execute', at: 20, dur: 10, nc: 0, thread: 7 },
  ])

  it('make two tracks for each direction and core', () => {
    const { tracks } = transferTracks(t, 'f', '12')
    expect(tracks.map(k => [k.kind, k.origin, k.name, k.place?.nc, k.pid, k.events, k.derived ?? false, k.note])).toEqual([
      ['slices', 'transfer', 'host_to_device_transfers', 0, '12', 4, true, ''],
      ['counter', 'transfer', 'host_to_device/transfer_bandwidth', 0, '12', 5, false, 'B/s'],
      ['slices', 'transfer', 'host_to_device_transfers', 1, '12', 1, true, ''],
      ['counter', 'transfer', 'host_to_device/transfer_bandwidth', 1, '12', 3, false, 'B/s'],
      ['slices', 'transfer', 'device_to_host_transfers', 0, '12', 1, true, ''],
      ['counter', 'transfer', 'device_to_host/transfer_bandwidth', 0, '12', 3, false, 'B/s'],
    ])
    expect(tracks.every(k => k.place?.thread === '7')).toBe(true)
    expect([...(tracks[0]?.row ?? [])].sort((a, b) => a - b)).toEqual([0, 2, 4, 5])
  })

  it('have the bandwidth of the copies under way, 0 between them', () => {
    const [b] = transferTracks(t, 'f').tracks.filter(k => k.kind === 'counter')
    expect([...(b?.time ?? [])]).toEqual([20, 100, 130, 150, 170])
    expect([...(b?.value ?? [])]).toEqual([0, 20e9, 40e9, 20e9, 0])
    expect([b?.min, b?.max]).toEqual([0, 40e9])
  })

  it('say what has no size, no duration, or is a batch', () => {
    expect(transferTracks(t, 'f').findings.map(d => [d.code, d.count])).toEqual([
      ['transfer-without-size', 1],
      ['transfer-without-duration', 1],
      ['transfer-batches', 2],
    ])
    const none = transferTracks(systemTable([copy(1, 2, 0, { attrs: {} })]), 'f')
    // Nothing is known of the bandwidth: there is no lane, rather than one of zeros.
    expect(none.tracks.map(k => k.kind)).toEqual(['slices'])
    expect(none.findings[0]?.meaning).toBe('Their bandwidth is not known.')
    expect(transferTracks(systemTable([]), 'f')).toEqual({ tracks: [], findings: [] })
  })

  it('begin where the events of a core are known', () => {
    const core = {
      device: -1,
      nc: 0,
      messages: 3,
      firstNs: 90,
      lastNs: 900,
      stopsWithoutStart: 1,
      startsWithoutStop: 0,
      droppedAtLeast: null,
    }
    const lost = systemTable([copy(100, 50, 1000), { name: 'nrt_load', at: 5, dur: 1 }], { cores: [{ ...core, headLost: true }] })
    const [events, lane] = transferTracks(lost, 'f').tracks
    expect([events?.knownFrom, lane?.knownFrom, lane?.time[0]]).toEqual([90, 90, 90])
  })

  it('group by nothing that no check has confirmed', () => {
    const unsure = { ...t, verdict: { ...t.verdict, unverified: ['nc_idx', 'thread_id'] } }
    expect(transferTracks(unsure, 'f').tracks.map(k => [k.name, k.place])).toEqual([
      ['host_to_device_transfers', {}],
      ['host_to_device/transfer_bandwidth', {}],
      ['device_to_host_transfers', {}],
      ['device_to_host/transfer_bandwidth', {}],
    ])
  })

  it('have the bandwidth that adding up all copies at each moment gives', () => {
    const copies = fc.array(
      fc.record({ at: fc.integer({ min: 0, max: 60 }), dur: fc.integer({ min: 0, max: 20 }), size: fc.integer({ min: 0, max: 1e9 }) }),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(copies, list => {
        const table = systemTable(list.map(c => copy(c.at, c.dur, c.size)))
        const [set] = transfersOf(table)
        const b = set ? bandwidth(table, set, -5) : null
        const real = list.filter(c => c.dur > 0)
        if (!b) {
          expect(real).toEqual([])
          return
        }
        for (let i = 1; i < b.time.length; i++) expect(b.time[i]).toBeGreaterThan(b.time[i - 1] as number)
        for (let at = -5.5; at < 90; at++) {
          let k = -1
          while (k + 1 < b.time.length && (b.time[k + 1] as number) <= at) k++
          const want = real.filter(c => c.at <= at && c.at + c.dur > at).reduce((s, c) => s + (c.size / c.dur) * 1e9, 0)
          if (k < 0) expect(at).toBeLessThan(-5)
          else if (want === 0) expect(b.value[k]).toBe(0)
          else expect(Math.abs((b.value[k] as number) - want)).toBeLessThanOrEqual(want * 1e-12)
        }
      }),
    )
  })
})
