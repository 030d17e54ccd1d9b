import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemTable, TestHbm } from '../../testing/system-table'
import type { SystemCore } from '../../shared/system-tables'
import { hbmAt } from './at'
import { buildHbm } from './build'
import { USAGE_TYPES } from './categories'
import { MAX_HBMS } from './collect'
import { hbmReport } from './report'

const MIB = 2 ** 20
const codes = (d: readonly { readonly code: string }[]): readonly string[] => d.map(x => x.code)

describe('device memory from allocation events', () => {
  it('has the runtime totals at the time of the stop, categories, peak and live allocations', () => {
    const h = new TestHbm()
    h.alloc({ time: 100, bytes: 4 * MIB, address: 0x1000n, usage: 'weights' })
    h.alloc({ time: 200, bytes: 10 * MIB, address: 0xff00_0000_0000_1000n, usage: 'tensors' })
    h.free({ time: 300, bytes: 4 * MIB, address: 0x1000n, usage: 'weights' })
    h.alloc({ time: 400, bytes: 2 * MIB, address: 0x1000n, usage: 'io' })
    const table = systemTable(h.events)
    const { models, diagnostics } = buildHbm(table, 'ntrace.pb')
    expect(diagnostics).toEqual([])
    expect(hbmReport(models, table.epochNs)).toEqual([
      {
        device: 0,
        hbm: 0,
        peakBytes: 14 * MIB,
        peakNs: String(table.epochNs + 200n),
        categories: { weights: 4 * MIB, tensors: 10 * MIB, io: 2 * MIB },
        allocations: 3,
        frees: 1,
        liveAtEnd: 2,
      },
    ])
    const m = models[0]
    expect([...m.time]).toEqual([100, 200, 300, 400])
    expect(m.allocations?.address[1]).toBe(0xff00_0000_0000_1000n)
    expect(hbmAt(m, 99, null)).toMatchObject({ known: 0, totalBytes: null, categories: [null, null, null] })
    expect(hbmAt(m, 299, 24 * MIB)).toMatchObject({ totalBytes: 14 * MIB, freeBytes: 10 * MIB, liveAllocations: 2, tensorBytes: 10 * MIB })
    expect(hbmAt(m, 401, null)).toMatchObject({ known: 0, totalBytes: null })
  })

  it('infers what was there before the recording, and says how much of it is left', () => {
    const h = new TestHbm({ tensors: 100 * MIB, weights: 50 * MIB, collectives: 7 * MIB })
    h.alloc({ time: 10, bytes: MIB, address: 0x10n, usage: 'tensors' })
    h.free({ time: 20, bytes: 30 * MIB, address: 0x900n, usage: 'tensors' })
    h.alloc({ time: 30, bytes: 2 * MIB, address: 0x20n, usage: 'weights' })
    const { models, diagnostics } = buildHbm(systemTable(h.events), 'ntrace.pb')
    expect(codes(diagnostics)).toEqual([])
    const m = models[0]
    expect(m.startBytes).toBe(157 * MIB)
    expect(m.categories.map(c => [c.name, c.startBytes, c.peakBytes, c.peakTime])).toEqual([
      ['weights', 50 * MIB, 52 * MIB, 30],
      ['tensors', 100 * MIB, 101 * MIB, 10],
    ])
    // Collectives have no event: the runtime's total knows them, no category does.
    expect(m.unattributed).toBe(true)
    expect(hbmAt(m, 25, null)).toMatchObject({
      totalBytes: 128 * MIB,
      categories: [50 * MIB, 71 * MIB],
      startBytes: [50 * MIB, 70 * MIB],
      unattributedBytes: 7 * MIB,
      liveAllocations: 1,
      liveBytes: MIB,
    })
    // What is freed at 20 is known to have lived before.
    expect(hbmAt(m, 15, null)).toMatchObject({ liveAllocations: 2, liveBytes: 31 * MIB })
  })

  it('keeps the total of the runtime and counts where the sum parts from it', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 10, address: 0x10n })
    h.alloc({ time: 20, bytes: 10, address: 0x20n })
    h.alloc({ time: 30, bytes: 10, address: 0x30n })
    h.alloc({ time: 40, bytes: 10, address: 0x40n })
    const lost = h.events.filter((_, i) => i !== 1)
    const { models, diagnostics } = buildHbm(systemTable(lost), 'ntrace.pb')
    expect([...models[0].total]).toEqual([10, 30, 40])
    expect(diagnostics.filter(d => d.code === 'hbm-totals-disagree')).toMatchObject([{ count: 1, severity: 'warning', file: 'ntrace.pb' }])
    expect(diagnostics.find(d => d.code === 'hbm-totals-disagree')?.message).toMatch(/row 1, 20\sns after.*10\sB/)
  })

  it('says lost events are lost where a head of a ring is lost', () => {
    const h = new TestHbm()
    for (let i = 1; i <= 6; i++) h.alloc({ time: i * 10, bytes: 10, address: BigInt(i * 16) })
    const core: SystemCore = {
      device: 0,
      nc: 3,
      messages: 8,
      firstNs: 35,
      lastNs: 60,
      stopsWithoutStart: 0,
      startsWithoutStop: 0,
      headLost: true,
      droppedAtLeast: null,
    }
    const events = h.events.filter((_, i) => i !== 1)
    const { models, diagnostics } = buildHbm(systemTable(events, { cores: [core] }), 'n')
    expect(codes(diagnostics)).toEqual(['hbm-events-lost'])
    expect(models[0].gaps).toMatchObject([{ start: 5, end: 35 }])
    expect(hbmAt(models[0], 31, null).known).toBe(2)
    expect(hbmAt(models[0], 36, null).known).toBe(1)
    // A core of another device says nothing of this one.
    expect(buildHbm(systemTable(events, { cores: [{ ...core, device: 1 }] }), 'n').models[0].gaps).toEqual([])
  })

  it('marks failed allocations and counts them nowhere; the size is of the event around where the allocation has none', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 10, address: 0x10n })
    h.fail({ time: 20, bytes: 0, address: 0n, usage: 'dma rings spill' }, 4, { parentId: 77n })
    h.fail({ time: 30, bytes: 640, address: 0n }, 'NRT_RESOURCE')
    h.events.push({ name: 'nrt_tensor_allocate', start: 12, duration: 20, id: 77n, attributes: { size: 5000, tensor_id: 9 } })
    const { models, diagnostics } = buildHbm(systemTable(h.events), 'n')
    const m = models[0]
    expect([m.allocs, m.peakBytes, m.liveAtEnd, m.failureCount]).toEqual([1, 10, 1, 2])
    expect(m.failures.map(f => [f.time, f.bytes, f.returnCode, f.total])).toEqual([
      [20, 5000, '4', 10],
      [30, 640, 'NRT_RESOURCE', 10],
    ])
    expect(codes(diagnostics)).toEqual(['hbm-out-of-memory'])
  })

  it('ends an allocation whose address is given out again, and tells a lost free from a late one', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 10, address: 0x10n })
    h.alloc({ time: 20, bytes: 20, address: 0x10n })
    h.free({ time: 30, bytes: 20, address: 0x10n })
    const lost = buildHbm(systemTable(h.events), 'n')
    expect(codes(lost.diagnostics)).toEqual(['hbm-address-reused'])
    expect([...(lost.models[0].allocations?.to ?? [])]).toEqual([1, 2])
    expect(lost.models[0].liveAtEnd).toBe(0)

    // The free of the first began before the second one stopped, and stopped after it.
    const late = new TestHbm()
    late.alloc({ time: 10, bytes: 10, address: 0x10n })
    late.alloc({ time: 20, bytes: 20, address: 0x10n })
    late.free({ time: 25, bytes: 10, address: 0x10n }, { duration: 8, thread: 2 })
    const two = buildHbm(systemTable(late.events), 'n')
    expect(two.diagnostics).toEqual([])
    expect(two.models[0].liveAtEnd).toBe(1)
    expect([...(two.models[0].allocations?.freeRow ?? [])].map(r => r >= 0)).toEqual([true, false])
  })

  it('knows usage types by number and in every spelling', () => {
    const h = new TestHbm()
    const spelled = [12, '12', 'Tensors', 'TENSORS_DEVICE', 'DMA_MEM_USAGE_TYPE_TENSORS', 'tensors_bytes']
    spelled.forEach((usage, i) =>
      h.alloc({ time: 10 * (i + 1), bytes: 1, address: BigInt(i + 1), usage }, { attributes: { usage_type_total_bytes: i + 1 } }),
    )
    const m = buildHbm(systemTable(h.events), 'n').models[0]
    expect(m.categories.map(c => c.name)).toEqual(['tensors'])
    expect(m.categories[0].peakBytes).toBe(spelled.length)
  })

  it('tells HBMs and devices apart, the device by mla_idx', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 1, address: 1n, hbm: 1, mla: 0 })
    h.alloc({ time: 20, bytes: 2, address: 1n, hbm: 0, mla: 3 }, { device: 0 })
    const { models, diagnostics } = buildHbm(systemTable(h.events), 'n')
    expect(models.map(m => [m.device, m.hbm, m.allocs])).toEqual([
      [0, 1, 1],
      [3, 0, 1],
    ])
    expect(codes(diagnostics)).toEqual(['hbm-other-device'])
  })

  it('reports starts without an end and stops without a start', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 1, address: 1n })
    h.events.push({ name: 'nrt_dma_mem_alloc', start: 30, state: 'open', attributes: { hbm_idx: 0 } })
    h.events.push({ name: 'nrt_dma_mem_alloc', start: 40, state: 'tail', attributes: { allocated_bytes: 5, total_bytes: 6 } })
    const { models, diagnostics } = buildHbm(systemTable(h.events), 'n')
    expect(codes(diagnostics)).toEqual(['hbm-open-allocations', 'hbm-unplaced'])
    expect(models[0].count).toBe(1)
  })

  it('reports totals and addresses that are there but are no whole numbers', () => {
    const alloc = (time: number, attributes: Record<string, string | number>) => ({
      ...{ name: 'nrt_dma_mem_alloc', start: time, duration: 1 },
      attributes: { hbm_idx: 0, usage_type: 'tensors', allocated_bytes: 5, total_bytes: 5, usage_type_total_bytes: 5, ...attributes },
    })
    for (const key of ['total_bytes', 'usage_type_total_bytes', 'physical_address'])
      for (const bad of ['-5', '1.5', 'NaN', '1e9', '99999999999999999999999', 'zzz', '0x', '0xg']) {
        const { diagnostics } = buildHbm(systemTable([alloc(1, {}), alloc(2, { [key]: bad, return_code: 0 })]), 'n')
        expect(diagnostics.find(d => d.code === 'hbm-unreadable-numbers')?.count, `${key} ${bad}`).toBe(1)
      }
    for (const good of [0, '0x10', '0X1f', '007', ' 7 ', ''])
      expect(codes(buildHbm(systemTable([alloc(1, { physical_address: good, total_bytes: good })]), 'n').diagnostics)).not.toContain(
        'hbm-unreadable-numbers',
      )
  })

  it('keeps a bounded number of HBMs and tells how many events are left out', () => {
    const events = Array.from({ length: MAX_HBMS + 50 }, (_, i) => ({
      ...{ name: 'nrt_dma_mem_alloc', start: i, duration: 1 },
      attributes: { hbm_idx: i, allocated_bytes: 1, total_bytes: 1 },
    }))
    const { models, diagnostics } = buildHbm(systemTable(events), 'n')
    expect(models.length).toBe(MAX_HBMS)
    expect(diagnostics.find(d => d.code === 'hbm-too-many')).toMatchObject({ severity: 'warning', count: 50 })
  })

  it('counts from the beginning of the recording where the events have no totals', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 10, address: 0x10n })
    h.free({ time: 20, bytes: 7, address: 0x99n })
    const bare = h.events.map(e => ({
      ...e,
      attributes: Object.fromEntries(Object.entries(e.attributes ?? {}).filter(([k]) => !k.includes('total_bytes'))),
    }))
    const { models, diagnostics } = buildHbm(systemTable(bare), 'n')
    expect(codes(diagnostics)).toEqual(['hbm-no-totals'])
    expect(models[0]).toMatchObject({ totals: 'running-sum', startBytes: NaN })
    expect([...models[0].total]).toEqual([17, 10])
    expect(hbmAt(models[0], 20, null)).toMatchObject({ startBytes: [null] })
  })

  it('replays random histories like a book-keeper does', () => {
    const op = fc.record({
      alloc: fc.boolean(),
      address: fc.integer({ min: 1, max: 6 }),
      bytes: fc.integer({ min: 1, max: 50 }),
      usage: fc.constantFrom(...USAGE_TYPES.slice(0, 5)),
      wait: fc.integer({ min: 0, max: 3 }),
    })
    fc.assert(
      fc.property(fc.array(op, { maxLength: 60 }), fc.record({ io: fc.nat(1000), weights: fc.nat(1000) }), (ops, start) => {
        // Enough of everything, so that no book goes below zero.
        const books: Record<string, number> = {
          generic: 0,
          tensor_instructions: 0,
          scalar_instructions: 0,
          gpsimd_instructions: 0,
          ...start,
        }
        for (const k of Object.keys(books)) books[k] += 10_000
        const h = new TestHbm(books)
        const live = new Map<number, { bytes: number; usage: string }>()
        let now = 100
        const expected: { time: number; total: number; live: number }[] = []
        for (const o of ops) {
          now += o.wait
          const there = live.get(o.address)
          if (o.alloc && !there) {
            h.alloc({ time: now, bytes: o.bytes, address: BigInt(o.address), usage: o.usage }, { duration: 0 })
            live.set(o.address, o)
          } else if (!o.alloc) {
            h.free(
              { time: now, bytes: there?.bytes ?? o.bytes, address: BigInt(o.address), usage: there?.usage ?? o.usage },
              { duration: 0 },
            )
            live.delete(o.address)
          } else continue
          expected.push({ time: now, total: h.totals.get('0') ?? NaN, live: live.size })
        }
        const { models, diagnostics } = buildHbm(systemTable(h.events), 'n')
        expect(diagnostics).toEqual([])
        if (expected.length === 0) return void expect(models).toEqual([])
        const m = models[0]
        expect([...m.total]).toEqual(expected.map(e => e.total))
        expect(m.liveAtEnd).toBe(live.size)
        const last = new Map(expected.map(e => [e.time, e]))
        for (const [time, e] of last) {
          const at = hbmAt(m, time, null)
          expect(at.totalBytes).toBe(e.total)
          const known = at.categories.reduce<number>((n, v) => n + (v ?? 0), 0)
          expect(known + (at.unattributedBytes ?? 0)).toBe(e.total)
        }
        // Starts of the categories that had an event are those of the books.
        for (const c of m.categories) expect(c.startBytes).toBe(books[c.name])
      }),
      { numRuns: 150 },
    )
  })
})

describe("device memory of an export's totals", () => {
  it('is the same curve without allocations', () => {
    const nan = NaN
    const table = systemTable([], {
      epochNs: 1000n,
      hbmUsage: {
        epochNs: 900n,
        count: 4,
        time: Float64Array.from([100, 200, 300, 300]),
        device: Int32Array.from([0, 0, 0, 1]),
        hbm: Int32Array.from([0, 0, 0, 2]),
        total: Float64Array.from([10, 30, 20, nan]),
        categories: [
          { name: 'tensors', bytes: Float64Array.from([4, 20, 12, nan]) },
          { name: 'dma_rings_io', bytes: Float64Array.from([6, 8, 8, nan]) },
        ],
        capacityBytes: 100,
      },
    })
    const { models, diagnostics } = buildHbm(table, 'system_profile.json')
    expect(codes(diagnostics)).toEqual(['hbm-usage-rows'])
    expect(models).toHaveLength(1)
    expect(models[0]).toMatchObject({ kind: 'usage', peakBytes: 30, peakEvent: 1, allocations: null, unattributed: true })
    expect(hbmAt(models[0], 150, 100)).toMatchObject({
      totalBytes: 30,
      freeBytes: 70,
      categories: [8, 20],
      startBytes: [null, null],
      unattributedBytes: 2,
    })
    expect(hbmReport(models, table.epochNs)[0]).toMatchObject({ peakNs: '1100', categories: { tensors: 20, dma_rings_io: 8 } })
  })
})
