import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { traceCommand } from '../../cli/trace'
import { traceBytes, type FixtureEvent } from '../../formats/chrome-trace/fixture'
import { readTrace } from '../../formats/chrome-trace/read'
import { bufferSource } from '../../formats/source'
import { samplesDir } from '../../testing/samples'
import { traceReport, type TraceReport } from './report'

interface Expected {
  readonly n: number
  readonly ph: Readonly<Record<string, number>>
  readonly cats: Readonly<Record<string, number>>
  readonly n_memory: number
  readonly flows: number
  readonly span_ns: number
  readonly ts_min_ns: string
  readonly baseTimeNanoseconds?: string
}

const samples = samplesDir()
describe.skipIf(!samples)('real traces', async () => {
  const dir = join(samples ?? '', 'traces')
  const text = existsSync(join(dir, 'expected.json')) ? await readFile(join(dir, 'expected.json'), 'utf8') : '{}'
  // Base times do not fit a double: take their digits from the text.
  const exact = JSON.parse(text.replace(/"baseTimeNanoseconds": (\d+)/g, '"baseTimeNanoseconds": "$1"')) as Record<string, Expected>
  it('are all there', () => expect(Object.keys(exact)).toHaveLength(12))
  it.each(Object.keys(exact))('%s has the expected figures', async name => {
    const e = exact[name]
    const { document, read } = await traceCommand(join(dir, name))
    expect(read).toBe(true)
    const r = document as TraceReport
    expect(r.events).toBe(e.n)
    expect(r.byPhase).toEqual(e.ph)
    // The expected file holds the 20 most frequent categories.
    const categories = Object.entries(r.byCategory)
    if (Object.keys(e.cats).length < 20) expect(r.byCategory).toEqual(e.cats)
    else expect(Object.fromEntries(categories.slice(0, 20))).toEqual(e.cats)
    expect(r.memoryEvents).toBe(e.n_memory)
    expect(r.flows).toBe(e.flows)
    expect(r.spanNs).toBe(e.span_ns)
    expect(r.startNs).toBe(String(BigInt(e.baseTimeNanoseconds ?? 0) + BigInt(e.ts_min_ns)))
    expect(r.baseTimeNs).toBe(e.baseTimeNanoseconds ?? null)
    expect(r.diagnostics).toEqual([])
  })
  it.each([
    ['alexnet-a100.json.gz', 5],
    ['mtia-inference-rank0.json.gz', 60],
    ['two-ranks-rank-0.json.gz', 8],
    ['resnet50-memory-events.json.gz', 4],
  ])('%s has %i tracks', async (name, tracks) => {
    expect(((await traceCommand(join(dir, name))).document as TraceReport).tracks).toBe(tracks)
  })
})

const base = { ph: 'X', name: 'a', cat: 'cpu_op', pid: 1, tid: 2, ts: '1700000000000010.5', dur: '4.25' }
const report = async (events: readonly (FixtureEvent | string)[], after?: Readonly<Record<string, string>>): Promise<TraceReport> => {
  const { table, diagnostics } = await readTrace(bufferSource('t', traceBytes(events, { after })), {})
  return traceReport(table as NonNullable<typeof table>, diagnostics)
}

/** For each field: events that give it a value, and a twin in which only that field's source differs. */
const FIELDS: readonly [keyof TraceReport, readonly FixtureEvent[], readonly FixtureEvent[], unknown, unknown][] = [
  ['events', [base, base], [base], 2, 1],
  ['byPhase', [base, { ...base, ph: 'i' }, { ts: 1 }], [base, base, { ph: 'i', ts: 1 }], { X: 1, i: 1, None: 1 }, { X: 2, i: 1 }],
  [
    'byCategory',
    [base, { ...base, cat: undefined }, { ...base, ph: 'M', cat: 'meta' }, { ...base, cat: '__proto__' }],
    [base, base, { ...base, ph: 'M', cat: 'meta' }, { ...base, cat: 'constructor' }],
    Object.fromEntries([
      ['None', 1],
      ['__proto__', 1],
      ['cpu_op', 1],
    ]),
    Object.fromEntries([
      ['cpu_op', 2],
      ['constructor', 1],
    ]),
  ],
  [
    'spanNs',
    [base, { ...base, ts: '1700000000000020.001', dur: undefined }, { ...base, ph: 'M', ts: '5' }],
    [base, { ...base, ts: '1700000000000020.001', dur: '0.5' }, { ...base, ph: 'M', ts: '5' }],
    9501,
    10001,
  ],
  ['startNs', [base], [{ ...base, ts: '1700000000000010.501' }], '1700000000000010500', '1700000000000010501'],
  ['memoryEvents', [{ ...base, name: '[memory]', ph: 'i' }], [{ ...base, name: '[memory] ', ph: 'i' }], 1, 0],
  [
    'flows',
    [
      { ...base, ph: 's' },
      { ...base, ph: 'f' },
    ],
    [
      { ...base, ph: 's' },
      { ...base, ph: 't' },
    ],
    2,
    1,
  ],
  [
    'tracks',
    [base, { ...base, tid: 3 }, { ...base, ph: 'B', pid: 2 }, { ...base, ph: 'E', pid: 3 }, { ...base, ph: 'i', pid: 4 }],
    [base, base, { ...base, ph: 'B', pid: 2 }, { ...base, ph: 'E', pid: 2 }, { ...base, ph: 'i', pid: 4 }],
    4,
    2,
  ],
]

describe('trace report', () => {
  it.each(FIELDS)('%s', async (field, events, twin, value, other) => {
    expect((await report(events))[field]).toEqual(value)
    expect((await report(twin))[field]).toEqual(other)
  })
  it('baseTimeNs, and startNs with it', async () => {
    const relative = { ...base, ts: '0.5' }
    const with1 = await report([relative], { baseTimeNanoseconds: '1719853884000000000' })
    expect([with1.baseTimeNs, with1.startNs]).toEqual(['1719853884000000000', '1719853884000000500'])
    const with2 = await report([relative], { baseTimeNanoseconds: '1719853884000000001' })
    expect([with2.baseTimeNs, with2.startNs]).toEqual(['1719853884000000001', '1719853884000000501'])
    expect((await report([base])).baseTimeNs).toBeNull()
  })
  it('diagnostics are handed on', async () => {
    expect((await report([base])).diagnostics).toEqual([])
    expect((await report([base, '{"ph":"X","name":"a"b"}'])).diagnostics.map(d => d.code)).toEqual(['trace-bad-event'])
  })
  it('without any time the start is absent', async () => {
    const r = await report([{ ph: 'X', name: 'a' }])
    expect([r.startNs, r.spanNs]).toEqual([null, 0])
  })
  it('the extent of a table without one comes from its columns', async () => {
    const { table } = await readTrace(bufferSource('t', traceBytes([base, { ...base, ts: '1700000000000011', ph: 'M' }])), {})
    const t = table as NonNullable<typeof table>
    expect(traceReport({ ...t, extentNs: undefined }, [])).toEqual(traceReport(t, []))
  })
  it('has exactly the documented fields, of the documented types', async () => {
    const r = await report([base])
    expect(Object.entries(r).map(([k, v]) => `${k}:${Array.isArray(v) ? 'list' : v === null ? 'null' : typeof v}`)).toEqual([
      'events:number',
      'byPhase:object',
      'byCategory:object',
      'spanNs:number',
      'startNs:string',
      'baseTimeNs:null',
      'memoryEvents:number',
      'flows:number',
      'tracks:number',
      'diagnostics:list',
    ])
  })
})
