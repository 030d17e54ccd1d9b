import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { systemTable, TestHbm } from '../../testing/system-table'
import type { HbmGrouping, HbmSort } from '../../shared/hbm-api'
import { GIB } from '../../shared/units'
import { crossCheck, hbmAt } from './at'
import { buildHbm } from './build'
import { hbmCapacity } from './capacity'
import { stateAt } from './curve'
import { liveAllocations } from './index-of'
import { hbmCsv, hbmLive, type RowFacts } from './live'
import type { HbmModel } from './model'
import { eventsAround, parentRows } from './parents'
import { groupsOf, hbmPicture } from './picture'

const USAGES = ['tensors', 'io', 'weights', 'dma_rings_io', 'XT CC', 'something new']

/** A random history with a start state of 1000 bytes in each category but the last, which has no event at all in many of them. */
const history = fc
  .array(
    fc.record({
      alloc: fc.boolean(),
      address: fc.integer({ min: 1, max: 9 }),
      bytes: fc.integer({ min: 1, max: 100 }),
      usage: fc.constantFrom(...USAGES),
      wait: fc.integer({ min: 0, max: 4 }),
    }),
    { minLength: 1, maxLength: 400 },
  )
  .map(ops => {
    const h = new TestHbm(Object.fromEntries(USAGES.map(u => [u, 100_000])))
    const live = new Map<number, { bytes: number; usage: string }>()
    let now = 50
    for (const o of ops) {
      now += o.wait
      const there = live.get(o.address)
      if (o.alloc && !there) {
        h.alloc({ time: now, bytes: o.bytes, address: BigInt(o.address), usage: o.usage }, { duration: 0 })
        live.set(o.address, o)
      } else if (!o.alloc) {
        h.free({ time: now, bytes: there?.bytes ?? o.bytes, address: BigInt(o.address), usage: there?.usage ?? o.usage }, { duration: 0 })
        live.delete(o.address)
      }
    }
    if (h.events.length === 0) h.alloc({ time: now, bytes: 1, address: 1n }, { duration: 0 })
    return buildHbm(systemTable(h.events), 'n').models[0]
  })

/** Bytes of each category after an event, by walking from the beginning. */
function slowCategories(m: HbmModel, state: number): number[] {
  const now = m.categories.map(c => c.startBytes)
  for (let i = 0; i <= state; i++) if (m.events) now[m.events.category[i]] = m.events.categoryTotal[i]
  return now
}

describe('the picture', () => {
  it('shows in each column the first instant of its highest total, and a stack that ends there', () => {
    fc.assert(
      fc.property(
        history,
        fc.constantFrom<HbmGrouping>('category', 'family', 'runtime'),
        fc.integer({ min: -50, max: 1500 }),
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 40 }),
        (m, grouping, start, span, width) => {
          const p = hbmPicture(m, { start, end: start + span, width, grouping })
          const { of } = groupsOf(m, grouping)
          for (let c = 0; c < width; c++) {
            const a = start + (span * c) / width
            const b = c === width - 1 ? start + span : start + (span * (c + 1)) / width
            // Every state of the column with its first instant in it.
            const states: { state: number; at: number }[] = []
            if (m.time[0] <= a && a <= m.until) states.push({ state: stateAt(m, a), at: a })
            for (let i = 0; i < m.count; i++)
              if (m.time[i] > a && (c === width - 1 ? m.time[i] <= b : m.time[i] < b)) states.push({ state: i, at: m.time[i] })
            if (states.length === 0) {
              expect([p.known[c], p.max[c], p.min[c], p.time[c], ...p.bytes.map(g => g[c])].slice(0, 4)).toEqual([0, NaN, NaN, NaN])
              expect(p.bytes.every(g => Number.isNaN(g[c]))).toBe(true)
              continue
            }
            const best = states.reduce((x, y) => (m.total[y.state] > m.total[x.state] ? y : x))
            expect(p.known[c]).toBe(1)
            expect(p.max[c]).toBe(m.total[best.state])
            expect(p.min[c]).toBe(Math.min(...states.map(s => m.total[s.state])))
            expect(p.time[c]).toBe(best.at)
            const expected = p.groups.map(() => 0)
            slowCategories(m, best.state).forEach((v, k) => (expected[of[k]] += v))
            const rest = m.total[best.state] - expected.reduce((x, y) => x + y, 0)
            p.groups.forEach((g, i) => {
              if (g.unattributed) expected[i] = rest
            })
            expect(p.bytes.map(g => g[c])).toEqual(expected)
            expect(p.bytes.reduce((n, g) => n + g[c], 0)).toBe(p.max[c])
          }
        },
      ),
      { numRuns: 120 },
    )
  })

  it('agrees with the figures at its instants, over checkpoints and back', () => {
    fc.assert(
      fc.property(history, fc.nat(1000), (m, seed) => {
        const i = seed % m.count
        const last = stateAt(m, m.time[i])
        const at = hbmAt(m, m.time[i], null)
        expect(at.categories).toEqual(slowCategories(m, last))
        expect(at.totalBytes).toBe(m.total[last])
        // The start state only shrinks, and by what the recording frees of it.
        const freed = m.categories.map(() => 0)
        const a = m.allocations
        for (let k = 0; a && k < a.startCount; k++) if (a.to[k] <= last) freed[a.category[k]] += a.size[k]
        expect(at.startBytes).toEqual(m.categories.map((c, k) => c.startBytes - freed[k]))
      }),
      { numRuns: 100 },
    )
  })

  it('groups by family and by the runtime table, and copies columns of one state', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 4, address: 1n, usage: 'tensors' })
    h.alloc({ time: 10, bytes: 2, address: 2n, usage: 'tensor_instructions' })
    h.alloc({ time: 10, bytes: 1, address: 3n, usage: 'ucode_lib' })
    const m = buildHbm(systemTable(h.events, { range: [5, 100] }), 'n').models[0]
    const p = hbmPicture(m, { start: 0, end: 120, width: 12, grouping: 'family' })
    expect(p.groups.map(g => g.label)).toEqual(['Instructions', 'Tensors'])
    // The source ends at 100: later columns are not known, and nothing is before 10.
    expect([...p.bytes[0]]).toEqual([NaN, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, NaN])
    expect([...p.known]).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0])
    expect(hbmPicture(m, { start: 0, end: 120, width: 2, grouping: 'runtime' }).groups.map(g => g.label)).toEqual(['Model Code', 'Tensors'])
  })
})

describe('the table of live allocations', () => {
  const facts: RowFacts = {
    model: a => (a % 3 === 0 ? null : `graph ${a % 3}`),
    traceId: a => (a % 2 ? String(1000 - a) : null),
    link: a =>
      a % 5 === 1
        ? { how: a % 2 ? 'id' : 'inferred', allocator: 0, kind: 'segment', allocation: null, event: 1, address: '0x1', bytes: 1 }
        : null,
    how: a => (a % 5 === 1 ? (a % 2 ? 'id' : 'inferred') : null),
    label: a => (a % 4 === 0 ? `forward block.py:${a}` : null),
  }

  it('lists what a walk through the events finds', () => {
    fc.assert(
      fc.property(history, fc.nat(2000), (m, t) => {
        const state = stateAt(m, t)
        const live = new Map<string, number>()
        const a = m.allocations
        if (!a || !m.events) throw new Error('no allocations')
        for (let k = 0; k < a.startCount; k++) if (a.to[k] > state) live.set(`start ${a.address[k]} ${k}`, a.size[k])
        for (let i = 0; i <= state; i++) {
          const k = m.events.allocation[i]
          if (k < a.startCount) continue
          if (m.events.kind[i] === 0) live.set(String(a.address[k]), m.events.bytes[i])
          else live.delete(String(a.address[k]))
        }
        if (t < m.time[0] || t > m.until) live.clear()
        const page = hbmLive(m, facts, { at: t, sort: 'size', descending: true, filter: '', offset: 0, limit: 500 })
        expect(page.rows.map(r => r.size).sort((x, y) => x - y)).toEqual([...live.values()].sort((x, y) => x - y))
        expect(page.total).toBe(live.size)
        expect(page.passedBytes).toBe([...live.values()].reduce((x, y) => x + y, 0))
        if (live.size > 0) expect(page.missingBytes).toBe(Math.max(0, m.total[state] - page.passedBytes))
      }),
      { numRuns: 100 },
    )
  })

  it('sorts by every column both ways with what has no value last, and pages fit together', () => {
    fc.assert(
      fc.property(
        history,
        fc.constantFrom<HbmSort>('size', 'category', 'address', 'age', 'model', 'traceId', 'label'),
        fc.boolean(),
        (m, sort, descending) => {
          const at = m.time[m.count - 1]
          const q = { at, sort, descending, filter: '' }
          const all = hbmLive(m, facts, { ...q, offset: 0, limit: 500 }).rows
          const value = (r: (typeof all)[number]): number | string | bigint | null => {
            if (sort === 'category') return r.category === null ? null : m.categories[r.category].name
            if (sort === 'address') return r.address === null ? null : BigInt(r.address)
            if (sort === 'traceId') return r.traceId === null ? null : BigInt(r.traceId)
            return r[sort]
          }
          for (let i = 1; i < all.length; i++) {
            const x = value(all[i - 1])
            const y = value(all[i])
            if (x === null) expect(y).toBeNull()
            else if (y !== null) expect(descending ? x >= y : x <= y).toBe(true)
          }
          const pages = [0, 3, 6, 9, 12].flatMap(offset => hbmLive(m, facts, { ...q, offset, limit: 3 }).rows)
          expect(pages.map(r => r.allocation)).toEqual(all.slice(0, 15).map(r => r.allocation))
        },
      ),
      { numRuns: 100 },
    )
  })

  it('filters by all words in any column, counts links, and writes the same rows as CSV', () => {
    const h = new TestHbm()
    for (let i = 0; i < 10; i++)
      h.alloc({ time: 10 + i, bytes: 100 + i, address: 0xfff_0000_0000_0000n + BigInt(i), usage: i < 5 ? 'tensors' : 'weights' })
    const m = buildHbm(systemTable(h.events), 'n').models[0]
    const strange: RowFacts = { ...facts, label: a => (a === 7 ? '=SUM(A1), "x"\nsecond' : facts.label(a)) }
    const q = { at: 19, sort: 'size', descending: true, filter: 'WEIGHTS 0xfff' } as const
    const page = hbmLive(m, strange, { ...q, offset: 0, limit: 2 })
    expect(page).toMatchObject({ total: 10, passed: 5, linked: 1, inferred: 1, missingBytes: 0 })
    expect(page.rows.map(r => [r.size, r.age])).toEqual([
      [109, 0],
      [108, 1],
    ])
    const csv = hbmCsv(m, strange, q)
    expect(csv).toMatchObject({ rows: 5, notice: null })
    expect(csv.text.startsWith('category,size_bytes,address,age_ns,model,trace_id,link,python_frame\r\n')).toBe(true)
    expect(csv.text).toContain('weights,107,0xfff000000000007,2,graph 1,993,,"\'=SUM(A1), ""x""\nsecond"\r\n')
    expect(hbmLive(m, strange, { ...q, filter: 'block.py:4', offset: 0, limit: 9 }).rows.map(r => r.allocation)).toEqual([4])
  })

  it('is empty where nothing is known', () => {
    const h = new TestHbm()
    h.alloc({ time: 10, bytes: 1, address: 1n })
    const m = buildHbm(systemTable(h.events), 'n').models[0]
    expect(liveAllocations(m, -1)).toHaveLength(0)
    expect(hbmLive(m, facts, { at: 9, sort: 'size', descending: true, filter: '', offset: 0, limit: 5 })).toMatchObject({
      total: 0,
      missingBytes: null,
    })
  })
})

describe('PyTorch against the runtime', () => {
  it('is a difference where that means something', () => {
    expect(crossCheck(100, 80, 60)).toEqual({ reservedBytes: 60, outsideBytes: 40, crossCheck: null })
    expect(crossCheck(100, 80, 90)).toMatchObject({ outsideBytes: 10, crossCheck: expect.stringContaining('tensors') as string })
    expect(crossCheck(100, 80, 130)).toMatchObject({
      reservedBytes: 130,
      outsideBytes: null,
      crossCheck: expect.stringContaining('more than') as string,
    })
    expect(crossCheck(null, null, 5)).toEqual({ reservedBytes: 5, outsideBytes: null, crossCheck: null })
    expect(crossCheck(100, 80, null)).toEqual({ reservedBytes: null, outsideBytes: null, crossCheck: null })
  })
})

describe('capacity', () => {
  it.each([
    ['trn2.48xlarge', 2, 24, null],
    ['trn2u.48xlarge', 1, 24, 12],
    ['Trn3', 1, 36, 18],
    ['trn3.48xlarge', 2, 36, null],
    ['trn2.48xlarge', null, 24, null],
    ['trn1.32xlarge', 1, null, null],
    ['inf2.24xlarge', 1, null, null],
    ['p5.48xlarge', 1, null, null],
    [null, null, null, null],
  ])('%s at LNC %s', (instanceType, lnc, bytes, perCore) => {
    const c = hbmCapacity({ instanceType, lnc, exported: null })
    expect(c.bytes).toBe(bytes === null ? null : bytes * GIB)
    expect(c.perCoreBytes).toBe(perCore === null ? null : perCore * GIB)
    expect(c.reason.length).toBeGreaterThan(10)
  })

  it('of an export stands, the share of a core by the rule of the instance', () => {
    expect(hbmCapacity({ instanceType: 'trn1.2xlarge', lnc: 1, exported: 16 * GIB })).toMatchObject({ bytes: 16 * GIB, perCoreBytes: null })
    expect(hbmCapacity({ instanceType: 'trn2.48xlarge', lnc: 1, exported: 25 * GIB })).toMatchObject({
      bytes: 25 * GIB,
      perCoreBytes: 12.5 * GIB,
    })
    expect(hbmCapacity({ instanceType: null, lnc: 1, exported: GIB })).toMatchObject({ bytes: GIB, perCoreBytes: null })
    expect(hbmCapacity({ instanceType: 'trn2.48xlarge', lnc: 7, exported: null })).toMatchObject({
      perCoreBytes: null,
      reason: expect.stringContaining('LNC 7') as string,
    })
  })
})

describe('events around an allocation', () => {
  const slice = (name: string, start: number, duration: number, more = {}) => ({ name, start, duration, ...more })

  it('are the enclosing slices of the same thread, or the parents that the file names', () => {
    const t = systemTable([
      slice('nrt_load', 0, 100),
      slice('nrt_tensor_allocate', 10, 50),
      slice('other', 12, 3),
      slice('nrt_dma_mem_alloc', 20, 10),
      slice('other thread', 15, 60, { thread: 9 }),
      slice('late', 80, 5, { id: 5n }),
      slice('nrt_dma_mem_alloc', 90, 4, { parentId: 5n }),
    ])
    const names = (rows: readonly number[]): string[] => rows.map(r => ['nrt_load', 'alloc', 'other', 'thread', 'dma', 'late', 'dma2'][r])
    expect(names(eventsAround(t, 4))).toEqual(['alloc', 'nrt_load'])
    expect(names(eventsAround(t, 6))).toEqual(['late'])
    expect([...parentRows(t, [4, 6, -1])]).toEqual([1, 5, -1])
  })
})
