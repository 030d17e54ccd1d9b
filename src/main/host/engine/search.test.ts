import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTrace } from '../../../formats/chrome-trace/read'
import { streamBytes } from '../../../formats/chrome-trace/stream'
import { fileSource } from '../../../formats/source'
import type { Answers, RequestArgs } from '../../../shared/api'
import { systemTable } from '../../../testing/system'
import { samplesDir } from '../../../testing/samples'
import { prepare } from '../prepared'
import { stampOf } from '../stamp'
import { Engine } from './engine'
import { Lanes, Turn } from './lanes'
import type { ReadBytes } from './search-args'
import { searchMarks, searchPage, traceSearch } from './search'

let dir = ''
beforeAll(async () => (dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-search-')))))
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Cuts what is read into pieces of `chunk` bytes. */
const cutBy =
  (chunk: number): ReadBytes =>
  (path, ranges, at) =>
    streamBytes(path, ranges, at, chunk)

async function engineOf(path: string, readBytes?: ReadBytes): Promise<Engine> {
  const engine = new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.reject(new Error('one by one')), readBytes })
  const source = await fileSource(path, 't')
  const { table } = await readTrace(source)
  await source.close()
  if (!table) throw new Error('no table')
  engine.setFile(
    { id: 'f', path: 't.json', abs: path, kind: 'chrome-trace', rank: null, rankFromName: false, stamp: await stampOf(path) },
    prepare(table),
    [],
  )
  return engine
}

type Query = RequestArgs<'trace.search'>
const ask = (engine: Engine, query: string, more: Partial<Query> = {}, turn = new Turn()): Promise<Answers['trace.search']> =>
  traceSearch(
    engine.context,
    {
      session: 's',
      group: 0,
      query,
      regex: false,
      matchCase: false,
      fields: { names: true, args: true, stacks: true },
      tracks: null,
      limit: 5000,
      lane: 'l',
      ...more,
    },
    turn,
  )
const only = (field: 'names' | 'args' | 'stacks'): Query['fields'] => ({ names: false, args: false, stacks: false, [field]: true })

interface Event {
  readonly ph: string
  readonly name: string
  readonly cat?: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur: number
  readonly args?: Readonly<Record<string, unknown>>
}
let files = 0
async function write(events: readonly unknown[], packed = false): Promise<string> {
  const path = join(dir, `t${files++}.json`)
  const text = Buffer.from(JSON.stringify({ traceEvents: events }))
  await writeFile(path, packed ? gzipSync(text) : text)
  return path
}

const words = fc.constantFrom('größe', '日本', '😀', 'abc', 'Ab', '"', '\\', '\n', 'x')
const text = fc.array(words, { maxLength: 6 }).map(w => w.join(''))
const events = fc.array(
  fc.record(
    {
      ph: fc.constantFrom('X', 'X', 'X', 'i'),
      name: text,
      pid: fc.constant(1),
      tid: fc.nat(2),
      ts: fc.nat(500),
      dur: fc.nat(100),
      args: fc.record({ 'Input Dims': fc.array(fc.nat(9)), note: text, 'Call stack': text }, { requiredKeys: ['note'] }),
    },
    { requiredKeys: ['ph', 'name', 'pid', 'tid', 'ts', 'dur'] },
  ),
  { maxLength: 30 },
)

/** Escapes resolved, as a person would read them; what JSON.parse is for values. */
const plainArgs = (args: Readonly<Record<string, unknown>>): string =>
  `{${Object.entries(args)
    .map(([k, v]) => `"${k}":${typeof v === 'string' ? `"${v}"` : JSON.stringify(v)}`)
    .join(',')}}`

describe('search', () => {
  it('of args finds what a plain look at them finds, wherever the file is cut', () =>
    fc.assert(
      fc.asyncProperty(
        events,
        words,
        fc.integer({ min: 1, max: 200 }),
        fc.boolean(),
        fc.boolean(),
        async (list, query, chunk, packed, matchCase) => {
          const engine = await engineOf(await write(list, packed), cutBy(chunk))
          const has = (s: string): boolean => (matchCase ? s.includes(query) : s.toLowerCase().includes(query.toLowerCase()))
          const counts = async (fields: Query['fields']): Promise<number> => {
            const a = await ask(engine, query, { fields, matchCase })
            expect(a.hits).toHaveLength(a.total)
            for (const h of a.hits) expect(has(query === '\n' ? '\n' : h.excerpt.slice(h.from, h.to))).toBe(true)
            expect(a.byTrack.reduce((n, [, k]) => n + k, 0)).toBe(a.total)
            return a.total
          }
          const args = (e: (typeof list)[number]): boolean => e.args !== undefined && has(plainArgs(e.args))
          const stack = (e: (typeof list)[number]): boolean => e.args?.['Call stack'] !== undefined && has(e.args['Call stack'])
          expect(await counts(only('names'))).toBe(list.filter(e => has(e.name)).length)
          expect(await counts(only('args'))).toBe(list.filter(args).length)
          expect(await counts(only('stacks'))).toBe(list.filter(stack).length)
          expect(await counts({ names: true, args: true, stacks: true })).toBe(list.filter(e => has(e.name) || args(e)).length)
        },
      ),
      { numRuns: 60 },
    ))

  const simple = (n: number): readonly Event[] =>
    Array.from({ length: n }, (_, i) => ({
      ph: 'X',
      name: `op${i % 7}`,
      pid: 1,
      tid: i % 3,
      ts: i * 10,
      dur: 5,
      args: { 'Ev Idx': i, 'Call stack': `model.py(${i}): f` },
    }))

  it('tells pages of hits and where they are in a window', async () => {
    const engine = await engineOf(await write(simple(700)), streamBytes)
    const a = await ask(engine, 'op3', { fields: only('names'), limit: 10 })
    expect([a.total, a.hits.length, a.incomplete, a.error]).toEqual([100, 10, null, null])
    expect(a.hits[0]).toMatchObject({
      name: 'op3',
      where: 'name',
      excerpt: 'op3',
      from: 0,
      to: 3,
      start: 30_000,
      duration: 5000,
      trackName: 'PID:1/TID:0',
    })
    const page = await searchPage(engine.context, { session: 's', search: a.search, offset: 95, from: null, limit: 10 })
    expect([page.known, page.offset, page.hits.map(h => h.start)]).toEqual([true, 95, [95, 96, 97, 98, 99].map(k => (k * 7 + 3) * 10_000)])
    const from = await searchPage(engine.context, { session: 's', search: a.search, offset: 0, from: 6_000_000, limit: 1 })
    expect([from.offset, from.hits[0]?.start]).toEqual([86, 6_050_000])
    const tracks = engine.view.tracks.map(t => t.id)
    const turn = new Turn()
    const marks = await searchMarks(engine.context, { session: 's', search: a.search, tracks, start: 0, end: 7_000_000, width: 7000 }, turn)
    expect([marks.known, marks.lane.length]).toEqual([true, 100])
    expect(
      (await searchMarks(engine.context, { session: 's', search: a.search, tracks, start: 0, end: 7_000_000, width: 10 }, turn)).lane
        .length,
    ).toBeLessThanOrEqual(30)
    // Another search of the lane takes its place.
    await ask(engine, 'op4')
    expect((await searchMarks(engine.context, { session: 's', search: a.search, tracks, start: 0, end: 1, width: 1 }, turn)).known).toBe(
      false,
    )
    expect((await searchPage(engine.context, { session: 's', search: a.search, offset: 0, from: null, limit: 1 })).known).toBe(false)
  })

  it('bounds the marks of an answer, whatever tracks are asked and however often', async () => {
    const engine = await engineOf(await write(simple(700)), streamBytes)
    const a = await ask(engine, 'op3', { fields: only('names') })
    const ids = engine.view.tracks.map(t => t.id)
    const marks = (tracks: readonly number[], most?: number): ReturnType<typeof searchMarks> =>
      searchMarks(
        engine.context,
        { session: 's', search: a.search, tracks: [...tracks], start: 0, end: 7_000_000, width: 7000 },
        { due: true, pause: () => Promise.resolve(false) } as Turn,
        most,
      )
    // Asked often, answered once.
    const once = await marks(ids)
    const often = await marks([...ids, ...Array.from({ length: 500 }, () => ids[0])])
    expect([often.lane.length, often.trackStart.length]).toEqual([once.lane.length, ids.length + 501])
    expect(once.lane.length).toBe(100)
    // Tracks behind the bound are left out whole, and come when they are asked again.
    const some = await marks(ids, 70)
    const told = some.trackStart.length - 1
    expect(told).toBeGreaterThan(0)
    expect(told).toBeLessThan(ids.length)
    const rest: number[] = [...some.from]
    for (let k = told; k < ids.length;) {
      const next = await marks(ids.slice(k), 70)
      expect(next.lane.length).toBeLessThanOrEqual(70)
      expect(next.trackStart.length).toBeGreaterThan(1)
      rest.push(...next.from)
      k += next.trackStart.length - 1
    }
    expect(rest).toEqual([...once.from])
    // A track that alone has more gets wider columns, in which all hits lie.
    const busy = ids.find((_, k) => once.trackStart[k + 1] - once.trackStart[k] > 10) as number
    const coarse = await marks([busy], 10)
    const fine = await marks([busy])
    expect(coarse.lane.length).toBeGreaterThan(0)
    expect(coarse.lane.length).toBeLessThanOrEqual(10)
    for (const t of fine.from) expect([...coarse.from].some((f, k) => f <= t && t <= coarse.to[k])).toBe(true)
  })

  it('tells the excerpt of args on later pages too', async () => {
    const path = await write(simple(30_000))
    const engine = await engineOf(path, streamBytes)
    const a = await ask(engine, '"Ev Idx":2', { fields: only('args'), limit: 1 })
    expect(a.total).toBe(11_111)
    const b = await ask(engine, 'Ev Idx', { fields: only('args'), limit: 1 })
    expect(b.total).toBe(30_000)
    const last = await searchPage(engine.context, { session: 's', search: b.search, offset: 29_998, from: null, limit: 5 })
    expect(last.hits.map(h => [h.where, h.excerpt, h.excerpt.slice(h.from, h.to)])).toEqual(
      [29_998, 29_999].map(i => ['args', `{"Ev Idx":${i},"Call stack":"model.py(${i}): f"}`, 'Ev Idx']),
    )
  })

  it('takes only the tracks that are asked', async () => {
    const engine = await engineOf(await write(simple(30)), streamBytes)
    const track = engine.view.tracks[1]?.id ?? -1
    const a = await ask(engine, 'op', { tracks: [track, 12_345] })
    expect([a.total, a.byTrack]).toEqual([10, [[track, 10]]])
    expect((await ask(engine, 'op', { tracks: [] })).total).toBe(0)
    expect((await ask(engine, 'op', { group: 5 })).total).toBe(0)
  })

  it('of attributes and stacks of the runtime, and says where no stack was recorded', async () => {
    const engine = new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.reject(new Error('none')) })
    const table = systemTable([
      { name: 'nrt_execute', at: 0, dur: 10, nc: 0, model: 77n, attrs: { size: 4096, path: 'größe' } },
      { name: 'nc_exec_running', source: 'neuron_hw', at: 5, dur: 3, nc: 0, core: 4, tracking: 18446744073709551615n },
    ])
    engine.setFile(
      { id: 'n', path: 'ntrace.pb', abs: '/n', kind: 'system', rank: null, rankFromName: false, stamp: { bytes: 1, mtimeMs: 1 } },
      prepare(table),
      [],
    )
    const where = async (q: string, more = {}): Promise<unknown> =>
      (await ask(engine, q, more)).hits.map(h => [h.name, h.where, h.excerpt.slice(h.from, h.to)])
    expect(await where('GRÖSSE')).toEqual([])
    expect(await where('GRÖßE')).toEqual([['nrt_execute', 'args', 'größe']])
    expect(await where('"size": "40\\d6"', { regex: true })).toEqual([['nrt_execute', 'args', '"size": "4096"']])
    expect(await where('18446744073709551615')).toEqual([['nc_exec_running', 'args', '18446744073709551615']])
    expect(await where('nrt_')).toEqual([['nrt_execute', 'name', 'nrt_']])
    expect(await ask(engine, 'x', { fields: only('stacks') })).toMatchObject({
      total: 0,
      incomplete: 'no event has a stack: none was recorded',
    })
  })

  it('says what it could not look through', async () => {
    const path = await write(simple(20))
    expect(await ask(await engineOf(path), 'Ev')).toMatchObject({
      total: 0,
      incomplete: 'args in t.json were not all searched: the file is not at hand',
    })
    const engine = await engineOf(path, streamBytes)
    expect(await ask(engine, 'Ev')).toMatchObject({ total: 20, incomplete: null })
    await writeFile(path, `${await readFile(path, 'utf8')} `)
    expect(await ask(engine, 'Ev')).toMatchObject({
      total: 0,
      incomplete: 'args in t.json were not all searched: it has changed since it was read',
    })
    expect((await ask(engine, 'op')).total).toBe(20)
    const long = await write([{ ph: 'X', name: 'a', pid: 1, tid: 1, ts: 1, dur: 1, args: { begin: 1, a: 'x'.repeat(300_000), end: 1 } }])
    const cut = await engineOf(long, cutBy(1000))
    const words = 'of the args of 1 event only the first 256 KiB were searched'
    expect(await ask(cut, 'begin')).toMatchObject({ total: 1, incomplete: words })
    expect(await ask(cut, '"end"')).toMatchObject({ total: 0, incomplete: words })
  })

  it('of a large expression looks at the beginning of long texts, says so, and pauses after each', async () => {
    const n = 50
    const long = 'a'.repeat(30_000)
    const engine = await engineOf(
      await write(
        Array.from({ length: n }, (_, i) => ({ ph: 'X', name: `${i}`, pid: 1, tid: 1, ts: i * 10, dur: 5, args: { s: `${long}b` } })),
      ),
      streamBytes,
    )
    let pauses = 0
    const counting = { due: true, pause: () => Promise.resolve(++pauses < 0) } as unknown as Turn
    const a = await ask(engine, 'a{1,400}b', { regex: true, fields: only('args') }, counting)
    expect(a.total).toBe(0)
    expect(a.incomplete).toMatch(/^of the args of 50 events only the first [\d,]+ characters were searched$/)
    expect(pauses).toBeGreaterThanOrEqual(n)
    expect(await ask(engine, 'a{1,4}b', { regex: true, fields: only('args') })).toMatchObject({ total: n, incomplete: null })
    const refused = await ask(engine, '(?:.?){1000}(?:.?){1000}x', { regex: true, fields: only('args') })
    expect([refused.total, refused.error]).toEqual([0, expect.stringContaining('too large')])
  })

  it('an expression that is none is told; one that would run forever ends', async () => {
    const engine = await engineOf(
      await write([{ ph: 'X', name: `${'a'.repeat(5000)}!`, pid: 1, tid: 1, ts: 1, dur: 1, args: { s: `${'a'.repeat(50_000)}!` } }]),
      streamBytes,
    )
    expect(await ask(engine, '(', { regex: true })).toMatchObject({
      total: 0,
      search: 0,
      error: expect.stringContaining('missing closing )') as string,
    })
    expect(await ask(engine, '(a+)+$', { regex: true })).toMatchObject({ total: 0, error: null })
    expect((await ask(engine, '(a+)+!', { regex: true, fields: only('args') })).total).toBe(1)
  })

  it('is given up when a newer one of its lane has come, and never holds the thread for long', async () => {
    const engine = await engineOf(await write(simple(60_000)), streamBytes)
    const lanes = new Lanes()
    let others = 0
    const timer = setInterval(() => others++, 1)
    const old = ask(engine, 'nothing like it', {}, lanes.begin('l'))
    await new Promise(resolve => setTimeout(resolve, 5))
    const next = ask(engine, 'op1', { fields: only('names') }, lanes.begin('l'))
    expect(await old).toMatchObject({ cancelled: true, total: 0, search: 0 })
    expect((await next).total).toBe(8572)
    clearInterval(timer)
    expect(others).toBeGreaterThan(0)
  })

  it('agrees with JSON.parse on real traces', async () => {
    const samples = samplesDir()
    if (!samples) return
    const stack = (e: Event): string => String(e.args?.['Call stack'] ?? '')
    const args = (e: Event): string => (e.args ? JSON.stringify(e.args) : '')
    for (const [name, asked] of [
      ['resnet50-memory-events', [['resnet.py', 'stacks', stack]]],
      [
        'two-ranks-rank-0',
        [
          ['float', 'args', args],
          ['aten::', 'names', (e: Event) => e.name ?? ''],
        ],
      ],
    ] as const) {
      // As the host does, which opens what a path leads to: samples may lie behind a link.
      const path = await realpath(join(samples, 'traces', `${name}.json.gz`)).catch(() => null)
      if (path === null) continue
      const engine = await engineOf(path, streamBytes)
      const parsed = JSON.parse(gunzipSync(await readFile(path)).toString()) as { readonly traceEvents: readonly Event[] }
      for (const [query, field, pick] of asked) {
        const wanted = parsed.traceEvents.filter(e => ['X', 'i', 'I', 'R'].includes(e.ph) && pick(e).toLowerCase().includes(query))
        let total = 0
        for (const { id: group } of engine.view.groups) total += (await ask(engine, query, { fields: only(field), group, limit: 3 })).total
        expect([name, query, total]).toEqual([name, query, wanted.length])
        expect(total).toBeGreaterThan(10)
      }
    }
  })
})
