import { describe, expect, it } from 'vitest'
import { fixtureTable, type FixtureEvent } from '../../../formats/chrome-trace/fixture'
import { RequestError, type RequestArgs } from '../../../shared/api'
import type { StatsAnswer } from '../../../shared/trace-api'
import type { TraceTable } from '../../../shared/tables'
import { systemTable, TEST_EPOCH, type TestEvent } from '../../../testing/system'
import { prepare } from '../prepared'
import type { EngineFile } from '../protocol'
import { traceChildren } from './children'
import { traceCompare } from './compare'
import { Engine } from './engine'
import { Lanes, Turn } from './lanes'
import { traceOccurrences } from './occurrences'
import { traceStats } from './stats'
import { traceStatsCsv } from './stats-csv'

const file = (id: string, kind: EngineFile['kind']): EngineFile => ({
  id,
  path: `s/${id}`,
  abs: `/s/${id}`,
  kind,
  rank: null,
  rankFromName: false,
  pid: '77',
  stamp: { bytes: 1, mtimeMs: 1 },
})
const fresh = (): Engine => new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.reject(new Error('none')) })
async function trace(events: readonly FixtureEvent[], epochNs = TEST_EPOCH): Promise<TraceTable> {
  return { ...(await fixtureTable(events)), epochNs, clock: 'kineto-base-time' }
}
const x = (name: string, ts: number, dur: number, tid = 7, cat = 'cpu_op'): FixtureEvent => ({ ph: 'X', cat, name, pid: 77, tid, ts, dur })
const RUNTIME: readonly TestEvent[] = [
  { name: 'nrt_execute', at: 10, dur: 60, nc: 0, thread: 5 },
  { name: 'nrt_execute', at: 40, dur: 20, nc: 1, thread: 6 },
  { name: 'dmem_buf_copyin', at: 20, dur: 10, nc: 0, thread: 5, attrs: { size: 64 } },
  { name: 'nc_exec_running', source: 'neuron_hw', at: 30, dur: 25, nc: 0, core: 4 },
  { name: 'nrt_load', at: 90, state: 'open', nc: 0, thread: 5 },
]

/** A framework trace and the runtime of the same process; the framework's clock began 1,000 ns later. */
async function both(): Promise<Engine> {
  const e = fresh()
  e.setFile(file('ntrace.pb', 'system'), prepare(systemTable(RUNTIME)), [])
  const events = [x('step', 0, 100), x('aten::mm', 10, 30), x('aten::add', 20, 5), x('nrt_execute', 50, 10), x('aten::mm', 0, 40, 8)]
  e.setFile(file('t.json', 'chrome-trace'), prepare(await trace(events, TEST_EPOCH + 20n)), [])
  return e
}

type Query = Partial<RequestArgs<'trace.stats'>>
const ask = (e: Engine, more: Query = {}, turn = new Turn()): Promise<StatsAnswer> =>
  traceStats(
    e.context,
    {
      ...{ session: 's', group: 0, by: 'name', start: null, end: null, tracks: null, filter: '', regex: false, limit: 100, lane: 's' },
      sort: { column: 'totalNs', descending: true },
      ...more,
    },
    turn,
  )

describe('statistics of a session', () => {
  it('count the slices of all sources once, by text and in the time of the group', async () => {
    const e = await both()
    const origin = e.view.groups[0]?.originNs
    expect(origin).toBe(TEST_EPOCH + 10n)
    const a = await ask(e)
    // Lanes of transfers and rows by thread repeat slices of the runtime: derived.
    expect(e.view.tracks.some(t => t.derived)).toBe(true)
    expect(a.rows.map(r => [r.key, r.count, r.totalNs, r.selfNs, r.wallNs, r.overlapNs])).toEqual([
      ['step', 1, 100, 60, 100, 0],
      ['nrt_execute', 3, 90, 80, 70, 20],
      ['aten::mm', 2, 70, 65, 40, 30],
      ['nc_exec_running', 1, 25, 25, 25, 0],
      ['dmem_buf_copyin', 1, 10, 10, 10, 0],
      ['aten::add', 1, 5, 5, 5, 0],
    ])
    expect(a).toMatchObject({ slices: 9, unmatched: 1, matching: 6, wallNs: 110, cancelled: false, filterError: null, start: 0, end: 110 })
    // 20 + 0 of the trace, 10 ns after the origin; the one on thread 8 is longer.
    expect(a.rows[2]?.longest).toMatchObject({ name: 'aten::mm', start: 10, duration: 40 })
    const clipped = await ask(e, { start: 30, end: 50 })
    expect(clipped.rows.find(r => r.key === 'aten::mm')).toMatchObject({ count: 2, totalNs: 40, selfNs: 35, wallNs: 20, overlapNs: 20 })
    expect([clipped.start, clipped.end, clipped.unmatched]).toEqual([30, 50, 0])
  })

  it('by track are called as in the terminal, and with their file where two are called the same', async () => {
    const e = await both()
    expect((await ask(e, { by: 'track', sort: { column: 'key', descending: false } })).rows.map(r => [r.key, r.count])).toEqual([
      ['PID:77/TID:7', 4],
      ['PID:77/TID:8', 1],
      ['PID:77/neuron_hw/NC0:4', 1],
      ['PID:77/neuron_rt/NC:0', 2],
      ['PID:77/neuron_rt/NC:1', 1],
    ])
    e.setFile(file('u.json', 'chrome-trace'), prepare(await trace([x('step', 0, 9)], TEST_EPOCH + 20n)), [])
    const keys = (await ask(e, { by: 'track' })).rows.map(r => r.key)
    expect(keys).toContain('PID:77/TID:7 (s/t.json)')
    expect(keys).toContain('PID:77/TID:7 (s/u.json)')
    expect(keys).toContain('PID:77/TID:8')
  })

  it('by category take the source of events where a file has no categories', async () => {
    const rows = (await ask(await both(), { by: 'category', sort: { column: 'count', descending: true } })).rows
    expect(rows.map(r => [r.key, r.count])).toEqual([
      ['cpu_op', 5],
      ['neuron_rt', 3],
      ['neuron_hw', 1],
    ])
  })

  it('of chosen tracks: rows that repeat slices of others stand for these slices', async () => {
    const e = await both()
    const named = (name: string): number => e.view.tracks.find(t => t.name === name && t.kind === 'slices')?.id as number
    const keys = async (...tracks: readonly number[]): Promise<unknown> =>
      (await ask(e, { tracks: [...tracks] })).rows.map(r => [r.key, r.count])
    expect(await keys(named('NC:1'))).toEqual([['nrt_execute', 1]])
    const copies = e.view.tracks.find(t => t.derived && t.origin === 'transfer')?.id as number
    expect(await keys(copies)).toEqual([['dmem_buf_copyin', 1]])
    expect(await keys(copies, named('NC:0'))).toEqual([
      ['nrt_execute', 1],
      ['dmem_buf_copyin', 1],
    ])
    expect(await keys()).toEqual([])
    await expect(keys(12_345)).rejects.toThrow(RequestError)
    await expect(ask(e, { group: 9 })).rejects.toThrow(RequestError)
  })

  it('filter by all words or by a regular expression, which may be none', async () => {
    const e = await both()
    const keys = async (filter: string, regex = false): Promise<readonly string[]> => (await ask(e, { filter, regex })).rows.map(r => r.key)
    expect(await keys('MM aten')).toEqual(['aten::mm'])
    expect(await keys('^ATEN::(mm|add)$', true)).toEqual(['aten::mm', 'aten::add'])
    expect(await keys('^mm', true)).toEqual([])
    const bad = await ask(e, { filter: '(', regex: true })
    expect(bad).toMatchObject({ rows: [], matching: 0, slices: 9 })
    expect(bad.filterError).toMatch(/regular expression/)
    // As text it is a bracket.
    expect((await ask(e, { filter: '(' })).filterError).toBeNull()
    // One that would keep a backtracking engine busy for years.
    const hard = fresh()
    hard.setFile(file('t.json', 'chrome-trace'), prepare(await trace([x('a'.repeat(40) + '!', 0, 1)])), [])
    expect((await ask(hard, { filter: '(a+)+$', regex: true })).rows).toEqual([])
  })

  it('filter by the beginning of very long names where an expression is large, and say so', async () => {
    const e = fresh()
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace([x(`${'a'.repeat(30_000)}b`, 0, 1), x('aab', 5, 1)])), [])
    const large = await ask(e, { filter: 'a{1,400}b', regex: true })
    expect(large.rows.map(r => r.key)).toEqual(['aab'])
    expect(large.filterNote).toMatch(/^of 1 long name only the first [\d,]+ characters were filtered$/)
    const small = await ask(e, { filter: 'a{1,4}b', regex: true })
    expect([small.matching, small.filterNote]).toEqual([2, null])
    expect((await ask(e, { filter: '(a{0,1000})(a{0,1000})b', regex: true })).filterError).toMatch(/too large/)
  })

  it('limit rows after the order; CSV has all of them, in the same order', async () => {
    const e = await both()
    const sort = { column: 'count', descending: true } as const
    const a = await ask(e, { limit: 2, sort })
    expect([a.matching, a.rows.map(r => r.key)]).toEqual([6, ['nrt_execute', 'aten::mm']])
    const q = { session: 's', group: 0, by: 'name', start: null, end: null, tracks: null, filter: '', regex: false, sort } as const
    const { csv } = await traceStatsCsv(e.context, q, new Turn())
    const lines = csv.split('\r\n')
    expect(lines[0]).toBe('key,count,total_ns,self_ns,wall_ns,overlap_ns,min_ns,max_ns,mean_ns,median_ns,p95_ns')
    expect(lines[1]).toBe('nrt_execute,3,90,80,70,20,10,60,30,20,60')
    expect(lines).toHaveLength(1 + 6 + 1)
    await expect(traceStatsCsv(e.context, { ...q, filter: '[', regex: true }, new Turn())).rejects.toThrow(RequestError)
  })

  it('of very many names pause while they are picked, put in order and written, and end wherever they are told to', async () => {
    const n = 20_000
    const e = fresh()
    e.setFile(
      file('t.json', 'chrome-trace'),
      prepare(await trace(Array.from({ length: n }, (_, i) => x(`op${i}`, i * 4, 1 + (i % 3))))),
      [],
    )
    const sort = { column: 'totalNs', descending: true } as const
    const q = { session: 's', group: 0, by: 'name', start: null, end: null, tracks: null, filter: '', regex: false, sort } as const
    let pauses = 0
    const counting = { due: true, pause: () => Promise.resolve(++pauses < 0) } as unknown as Turn
    const { csv } = await traceStatsCsv(e.context, { ...q }, counting)
    const writing = pauses
    // Once for each name that is looked at, each run and each thousand steps of the order, and each 512 lines.
    expect(writing).toBeGreaterThan(n + n / 1024 + n / 512)
    expect(
      csv
        .split('\r\n')
        .slice(1, -1)
        .map(l => Number(l.split(',')[2])),
    ).toEqual(Array.from({ length: n }, (_, i) => 1 + (i % 3)).sort((a, b) => b - a))
    pauses = 0
    await ask(e, { limit: n, sort }, counting)
    const all = pauses
    for (const allowed of [0, 1, n / 2, n + 1, all - 5, all - 1]) {
      let left = allowed
      const refusing = { due: true, pause: () => Promise.resolve(left-- <= 0) } as unknown as Turn
      expect((await ask(e, { limit: n, sort }, refusing)).cancelled).toBe(true)
    }
  })

  it('end when a newer question of the same lane has come, and those of other lanes go on', async () => {
    const e = fresh()
    const events = Array.from({ length: 40_000 }, (_, i) => x(`op${i % 9}`, i * 4, 3))
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace(events)), [])
    const lanes = new Lanes()
    const old = ask(e, {}, lanes.begin('a'))
    const other = ask(e, {}, lanes.begin('b'))
    const next = ask(e, { start: 0, end: 4 }, lanes.begin('a'))
    expect(await old).toMatchObject({ cancelled: true, rows: [], slices: 0 })
    expect(await other).toMatchObject({ cancelled: false, slices: 40_000 })
    expect(await next).toMatchObject({ cancelled: false, slices: 1 })
  })
})

describe('occurrences', () => {
  const of = (e: Engine, source: number, row: number): ReturnType<typeof traceOccurrences> =>
    traceOccurrences(e.context, { session: 's', source, row }, new Turn())
  const source = (e: Engine, path: string): number => e.view.sources.find(s => s.path === `s/${path}`)?.index as number

  it('are all slices of the name in the group, whatever their source', async () => {
    const e = await both()
    const rt = source(e, 'ntrace.pb')
    const a = await of(e, rt, 1)
    expect(a).toMatchObject({
      name: 'nrt_execute',
      count: 3,
      totalNs: 90,
      minNs: 10,
      maxNs: 60,
      meanNs: 30,
      medianNs: 20,
      p95Ns: 60,
      others: 0,
    })
    expect([a.index, a.first?.start, a.previous?.start, a.next?.start, a.last?.start]).toEqual([1, 0, 0, 60, 60])
    expect([a.shortest?.duration, a.longest?.duration, a.shortest?.source]).toEqual([10, 60, source(e, 't.json')])
    const first = await of(e, rt, 0)
    expect([first.index, first.previous, first.next?.row]).toEqual([0, null, 1])
    // The statistics say the same.
    const row = (await ask(e)).rows.find(r => r.key === 'nrt_execute')
    expect(row).toMatchObject({ count: a.count, totalNs: a.totalNs, medianNs: a.medianNs, p95Ns: a.p95Ns, minNs: a.minNs, maxNs: a.maxNs })
    await expect(of(e, rt, 999)).rejects.toThrow(RequestError)
    await expect(of(e, 99, 0)).rejects.toThrow(RequestError)
  })

  it('stand in order of their start, each next to its neighbours', async () => {
    const e = fresh()
    const events = [x('k', 5, 50), x('k', 5, 3), x('k', 0, 2), x('other', 1, 1), x('k', 5, 9, 8), x('k', 60, 1)]
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace([...events, { ...x('k', 70, 0), ph: 'i' }])), [])
    const rows = [0, 1, 2, 4, 5]
    const all = await Promise.all(rows.map(r => of(e, 0, r)))
    const byIndex = rows.map((row, i) => ({ row, a: all[i] as NonNullable<(typeof all)[number]> })).sort((p, q) => p.a.index - q.a.index)
    expect(byIndex.map(o => o.a.index)).toEqual([0, 1, 2, 3, 4])
    byIndex.forEach(({ a }, i) => {
      expect(a.previous?.row).toBe(byIndex[i - 1]?.row)
      expect(a.next?.row).toBe(byIndex[i + 1]?.row)
      expect([a.first?.row, a.last?.row]).toEqual([byIndex[0]?.row, byIndex[4]?.row])
      expect([a.count, a.others]).toEqual([5, 1])
    })
    // An instant is none of them, and has neighbours.
    const instant = await of(e, 0, 6)
    expect([instant.index, instant.previous?.row, instant.next, instant.count]).toEqual([-1, 5, null, 5])
  })

  it('of an asynchronous operation are asynchronous', async () => {
    const e = fresh()
    const events: FixtureEvent[] = [
      { ph: 'b', name: 'k', cat: 'c', id: 1, pid: 77, tid: 7, ts: 0 },
      { ph: 'e', name: 'k', cat: 'c', id: 1, pid: 77, tid: 7, ts: 9 },
      x('k', 1, 2),
    ]
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace(events)), [])
    expect(await of(e, 0, 0)).toMatchObject({ count: 1, totalNs: 9 })
    expect(await of(e, 0, 2)).toMatchObject({ count: 1, totalNs: 2 })
  })

  it('without a complete slice have no figures', async () => {
    const e = fresh()
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace([{ ph: 'i', name: 'k', pid: 77, tid: 7, ts: 0 }, x('x', 0, 1)])), [])
    const a = await of(e, 0, 0)
    expect(a).toMatchObject({ count: 0, others: 1, index: -1, first: null, minNs: NaN, medianNs: NaN })
    expect(a.histogram.counts).toHaveLength(0)
  })
})

describe('children', () => {
  it('are the direct ones by start, as many as asked for', async () => {
    const e = fresh()
    const events = [x('p', 0, 100), x('b', 50, 10), x('a', 10, 30), x('aa', 12, 5), { ...x('i', 45, 0), ph: 'i' }]
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace(events)), [])
    const { children, total } = traceChildren(e.context, { session: 's', source: 0, row: 0, limit: 10 })
    expect([total, children.map(c => [c.name, c.start, c.duration])]).toEqual([3, [['a', 10, 30], ['i', 45, null], ['b', 50, 10]]]) // prettier-ignore
    expect((await e.slice({ session: 's', source: 0, row: 0 })).children).toBe(total)
    const cut = traceChildren(e.context, { session: 's', source: 0, row: 0, limit: 1 })
    expect([cut.total, cut.children.map(c => c.name)]).toEqual([3, ['a']])
    expect(() => traceChildren(e.context, { session: 's', source: 0, row: 77, limit: 1 })).toThrow(RequestError)
  })
})

describe('comparisons', () => {
  it('set two ranges side by side, largest difference first, what only one has with nothing for the other', async () => {
    const e = fresh()
    const events = [x('a', 0, 10), x('b', 20, 20), x('a', 100, 30), x('c', 140, 5), x('b', 150, 20), x('a', 105, 5)]
    e.setFile(file('t.json', 'chrome-trace'), prepare(await trace(events)), [])
    const q = { session: 's', group: 0, by: 'name', tracks: null, filter: '', limit: 10, lane: 'c' } as const
    const a = await traceCompare(e.context, { ...q, a: { start: 0, end: 100 }, b: { start: 100, end: 165 } }, new Turn())
    expect(a.rows).toEqual([
      { key: 'a', a: { count: 1, totalNs: 10, selfNs: 10 }, b: { count: 2, totalNs: 35, selfNs: 30 }, deltaNs: 25 },
      { key: 'b', a: { count: 1, totalNs: 20, selfNs: 20 }, b: { count: 1, totalNs: 15, selfNs: 15 }, deltaNs: -5 },
      { key: 'c', a: null, b: { count: 1, totalNs: 5, selfNs: 5 }, deltaNs: 5 },
    ])
    expect([a.matching, a.wallA, a.wallB, a.cancelled]).toEqual([3, 30, 50, false])
    const some = await traceCompare(
      e.context,
      { ...q, filter: 'b', limit: 1, a: { start: 0, end: 100 }, b: { start: 100, end: 165 } },
      new Turn(),
    )
    expect([some.matching, some.rows.map(r => r.key)]).toEqual([1, ['b']])
    const lanes = new Lanes()
    const old = traceCompare(e.context, { ...q, a: { start: 0, end: 1 }, b: { start: 1, end: 2 } }, lanes.begin('c'))
    lanes.begin('c')
    expect(await old).toMatchObject({ cancelled: true, rows: [] })
  })
})
