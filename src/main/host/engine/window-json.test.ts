import { readdirSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTrace } from '../../../formats/chrome-trace/read'
import { streamBytes } from '../../../formats/chrome-trace/stream'
import { traceText, type FixtureEvent } from '../../../formats/chrome-trace/fixture'
import { bufferSource, fileSource } from '../../../formats/source'
import type { Answers } from '../../../shared/api'
import { stringAt } from '../../../shared/columns'
import { samplesDir } from '../../../testing/samples'
import { systemTable } from '../../../testing/system'
import { prepare } from '../prepared'
import { stampOf } from '../stamp'
import { Engine } from './engine'
import { Turn } from './lanes'
import { traceJson } from './window-json'

let dir = ''
beforeAll(async () => (dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-json-')))))
afterAll(() => rm(dir, { recursive: true, force: true }))

const empty = (): Engine =>
  new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.reject(new Error('one by one')), readBytes: streamBytes })

async function add(engine: Engine, path: string): Promise<void> {
  const source = await fileSource(path, path)
  const { table } = await readTrace(source)
  await source.close()
  if (!table) throw new Error('no table')
  const name = path.slice(dir.length + 1)
  engine.setFile(
    { id: name, path: name, abs: path, kind: 'chrome-trace', rank: null, rankFromName: false, stamp: await stampOf(path) },
    prepare(table),
    [],
  )
}

let files = 0
async function engineOf(...texts: readonly string[]): Promise<Engine> {
  const engine = empty()
  for (const text of texts) {
    const path = join(dir, `t${files++}.json`)
    await writeFile(path, text)
    await add(engine, path)
  }
  return engine
}

async function exported(
  engine: Engine,
  range: readonly [number, number] | null = null,
  tracks: readonly number[] | null = null,
  limits?: { readonly bytes: number },
): Promise<Answers['trace.json'] & { readonly text: string; readonly json: Json }> {
  const group = engine.view.groups[0]!
  const [start, end] = range ?? [0, group.durationNs + 1]
  const a = await traceJson(engine.context, { session: 's', group: 0, start, end, tracks: tracks && [...tracks] }, new Turn(), limits)
  const text = new TextDecoder('utf-8', { fatal: true }).decode(a.data)
  return { ...a, text, json: JSON.parse(text) as Json }
}

interface Json {
  readonly baseTimeNanoseconds?: number
  readonly neuronWorkbench: { readonly cut: number; readonly events: number; readonly notes: readonly string[] }
  readonly traceEvents: readonly {
    readonly ph: string
    readonly name?: string
    readonly cat?: string
    readonly pid?: number | string
    readonly tid?: number | string
    readonly ts: number
    readonly dur?: number
    readonly id?: number | string
    readonly bp?: string
    readonly args?: Readonly<Record<string, unknown>>
  }[]
}

/** Slices and samples of an engine that touch a window of absolute times, one text each; an open slice has no end. */
function contents(engine: Engine, from: bigint, to: bigint): readonly string[] {
  const out: string[] = []
  const { parts, groups } = engine.context
  for (const part of parts) {
    const origin = groups[part.group]!.originNs
    const abs = (t: number): bigint => origin + BigInt(Math.round(t + part.offset))
    for (const { model: m } of part.tracks) {
      const where = `${m.pid}|${m.role === 'async' ? 'async' : m.tid}`
      for (let i = 0; i < m.row.length; i++) {
        const a = abs(m.start[i]!)
        const b = m.flags[i] === 0 || m.flags[i] === 2 ? abs(m.start[i]! + m.duration[i]!) : a
        if (!(a < to && (b > from || a >= from))) continue
        const name = stringAt(part.strings, m.nameId[i]!)
        const cat = stringAt(part.strings, m.categoryId[i]!)
        out.push([where, name, cat, a, m.flags[i] === 0 ? b - a : '', m.flags[i]].join('|'))
      }
      for (let i = 0; i < m.time.length; i++) {
        const t = abs(m.time[i]!)
        if (t >= from && t < to) out.push([m.pid, 'C', m.name, m.note, t, m.value[i]].join('|'))
      }
    }
  }
  return out.sort()
}

async function reread(text: string): Promise<Engine> {
  const { table } = await readTrace(bufferSource('again', new TextEncoder().encode(text)))
  const engine = empty()
  engine.setFile(
    { id: 'again', path: 'again', abs: '', kind: 'chrome-trace', rank: null, rankFromName: false, stamp: { bytes: 0, mtimeMs: 0 } },
    prepare(table!),
    [],
  )
  return engine
}

const BASE = 1_753_000_000_123_456_789n
const doc = (events: readonly FixtureEvent[]): string => traceText(events, { before: { baseTimeNanoseconds: String(BASE) } })
const us = (ns: number): string => (ns / 1000).toFixed(3)

describe('the window as Chrome trace JSON', () => {
  it('is read back as the same slices, instants, async slices, counters and halves, exact to the nanosecond', async () => {
    const t = (pid: unknown, tid: unknown, ph: string, name: string, ts: number, more: object = {}): FixtureEvent => ({
      ph,
      name,
      pid,
      tid,
      ts: us(ts),
      ...more,
    })
    const engine = await engineOf(
      doc([
        t(1, 2, 'X', 'a "quoted" \u0001 name </script>', 1001, { dur: us(5003), cat: 'cpu_op', args: { 'External id': 7, s: 'é \ud800' } }),
        t(1, 2, 'X', 'in', 1001, { dur: us(1) }),
        t(1, 2, 'i', 'now', 1500, { s: 't' }),
        t(1, 3, 'B', 'outer', 1000),
        t(1, 3, 'B', 'lost', 1100),
        t(1, 3, 'B', 'inner', 1200, { cat: 'c' }),
        t(1, 3, 'E', 'inner', 1300),
        t(1, 3, 'E', 'outer', 1400),
        t(1, 3, 'B', 'next', 1400),
        t(1, 3, 'E', 'next', 1400),
        t(1, 3, 'E', 'nobody', 1450),
        t(1, 3, 'B', 'open', 1500),
        t('Spans', 'x y', 'X', 'text ids', 2000, { dur: us(10) }),
        t(1, 2, 'b', 'request', 1000, { id: 5, cat: 'net' }),
        t(1, 2, 'b', 'part', 1200, { id: 5, cat: 'net' }),
        t(1, 2, 'b', 'request', 1100, { id: '0x6', cat: 'net' }),
        t(1, 2, 'e', 'part', 1300, { id: 5, cat: 'net' }),
        t(1, 2, 'n', 'mark', 1250, { id: 5, cat: 'net' }),
        t(1, 2, 'e', 'request', 1300, { id: 5, cat: 'net' }),
        t(1, 2, 'C', 'mem', 1000, { args: { bytes: 5 } }),
        t(1, 2, 'C', 'mem', 1600, { args: { bytes: 7.5 } }),
        t(1, 2, 'M', 'process_name', 0, { args: { name: 'python "3"' } }),
        t(1, 2, 'M', 'thread_name', 0, { args: { name: 'main' } }),
      ]),
    )
    const { text, json, events, cut, notes } = await exported(engine)
    const all = (e: Engine): readonly string[] => contents(e, 0n, 2n ** 62n)
    expect(all(await reread(text))).toEqual(all(engine))
    expect([cut, notes]).toEqual([0, []])
    expect(json.traceEvents.filter(e => e.ph !== 'M')).toHaveLength(events)
    expect(text).toContain(`"baseTimeNanoseconds":${BASE + 1000n}`)
    const a = json.traceEvents.find(e => e.cat === 'cpu_op')!
    expect(a).toMatchObject({ ts: 0.001, dur: 5.003, pid: 1, tid: 2, args: { 'External id': 7, s: 'é \ud800' } })
    expect(json.traceEvents.filter(e => e.ph === 'M').map(e => [e.name, e.pid, e.args])).toContainEqual([
      'process_name',
      1,
      { name: 'python "3"' },
    ])
    // A begin without an end stays one.
    expect(json.traceEvents.filter(e => e.name === 'open').map(e => e.ph)).toEqual(['B'])
  })

  it('has whole slices that touch the window and nothing else, in order of time', async () => {
    const slice = (name: string, ts: number, dur: number): FixtureEvent => ({ ph: 'X', name, pid: 1, tid: 1, ts: us(ts), dur: us(dur) })
    const engine = await engineOf(
      doc([
        slice('before', 0, 100),
        slice('over the edge', 50, 100),
        slice('in', 120, 10),
        slice('at its end', 200, 5),
        slice('after', 300, 5),
      ]),
    )
    const { json } = await exported(engine, [100, 200])
    expect(json.traceEvents.filter(e => e.ph === 'X').map(e => [e.name, e.ts, e.dur])).toEqual([
      ['over the edge', 0.05, 0.1],
      ['in', 0.12, 0.01],
    ])
    await expect(exported(engine, [400, 500])).rejects.toThrow('no events')
  })

  it('takes only the chosen tracks', async () => {
    const on = (tid: number): FixtureEvent => ({ ph: 'X', name: `on ${tid}`, pid: 1, tid, ts: us(0), dur: us(10) })
    const engine = await engineOf(doc([on(1), on(2), on(3)]))
    const track = engine.view.tracks.find(t => t.tid === '2')!
    const { json } = await exported(engine, null, [track.id])
    expect(json.traceEvents.filter(e => e.ph === 'X').map(e => e.name)).toEqual(['on 2'])
    await expect(exported(engine, null, [999])).rejects.toThrow('not there')
  })

  it('keeps flows of which both ends are exported, and how they bind', async () => {
    const flow = (ph: string, id: number, tid: number, ts: number, more: object = {}): FixtureEvent => ({
      ...{ ph, id, tid, pid: 1, ts: us(ts), name: 'ac2g', cat: 'ac2g' },
      ...more,
    })
    const on = (tid: number): FixtureEvent => ({ ph: 'X', name: 'x', pid: 1, tid, ts: us(0), dur: us(1000) })
    const engine = await engineOf(
      doc([
        on(1),
        on(2),
        flow('s', 1, 1, 10),
        flow('f', 1, 2, 20, { bp: 'e' }),
        flow('s', 2, 1, 30),
        flow('f', 3, 2, 40),
        flow('s', 4, 1, 10),
        flow('f', 4, 2, 900),
      ]),
    )
    const { json } = await exported(engine, [0, 500])
    expect(json.traceEvents.filter(e => 'sft'.includes(e.ph)).map(e => [e.ph, e.id, e.tid, e.ts, e.bp])).toEqual([
      ['s', 1, 1, 0.01, undefined],
      ['f', 1, 2, 0.02, 'e'],
    ])
  })

  it('keeps two traces of the same pid apart and says which is which', async () => {
    const one = doc([{ ph: 'X', name: 'a', pid: 7, tid: 1, ts: '0', dur: '1' }])
    const engine = await engineOf(one, one.replace('"a"', '"b"'))
    const { json } = await exported(engine)
    const [a, b] = json.traceEvents.filter(e => e.ph === 'X')
    expect(a?.pid).toBe(7)
    expect(b?.pid).not.toBe(7)
    expect(json.traceEvents.filter(e => e.pid === b?.pid && e.name === 'process_labels').map(e => e.args?.['labels'])).toEqual([
      expect.stringMatching(/^t\d+\.json$/),
    ])
  })

  it('counts what does not fit and leaves nothing half: what is begun is ended, and the text stays JSON', async () => {
    const events = Array.from({ length: 400 }, (_, i): FixtureEvent[] => [
      { ph: 'B', name: `b${i}`, pid: 1, tid: 1, ts: us(i * 10) },
      { ph: 'E', name: `b${i}`, pid: 1, tid: 1, ts: us(i * 10 + 5) },
      { ph: 'b', name: 'r', id: i, cat: 'q', pid: 1, tid: 1, ts: us(i * 10) },
      { ph: 'e', name: 'r', id: i, cat: 'q', pid: 1, tid: 1, ts: us(9000 - i) },
    ]).flat()
    const engine = await engineOf(doc(events))
    const whole = await exported(engine)
    expect([whole.events, whole.cut]).toEqual([1600, 0])
    for (const bytes of [2_000, 20_000, 60_000]) {
      const { json, data, events: n, cut, notes } = await exported(engine, null, null, { bytes })
      expect(data.length).toBeLessThanOrEqual(bytes)
      expect(n + cut).toBe(1600)
      expect(cut).toBeGreaterThan(0)
      expect(notes.join()).toMatch(/are left out: the file would be larger/)
      expect(json.neuronWorkbench).toMatchObject({ events: n, cut })
      const count = (ph: string): number => json.traceEvents.filter(e => e.ph === ph).length
      expect([count('E'), count('e')]).toEqual([count('B'), count('b')])
    }
  })

  it('says when args are left out, because the file has changed or they are no JSON', async () => {
    const engine = await engineOf(doc([{ ph: 'X', name: 'a', pid: 1, tid: 1, ts: '0', dur: '1', args: { a: 1 } }]))
    await writeFile(join(dir, `t${files - 1}.json`), 'something else')
    const { json, notes } = await exported(engine)
    expect(json.traceEvents.find(e => e.name === 'a')?.args).toBeUndefined()
    expect(notes.join()).toMatch(/args of t\d+\.json are left out: it has changed/)
    const bad = await engineOf(
      doc([{ ph: 'X', name: 'a', pid: 1, tid: 1, ts: '0', dur: '1', args: { a: 1 } }]).replace('{"a":1}', '{"a":NaN}'),
    )
    expect((await exported(bad)).notes.join()).toMatch(/1 args of .* no valid JSON/)
  })

  it('any trace is read back as it was, whatever the nesting of its events', async () => {
    const event = fc.record({
      ph: fc.constantFrom('X', 'X', 'B', 'E', 'i', 'b', 'e', 'n', 'C'),
      name: fc.constantFrom('a', 'b', 'c'),
      tid: fc.integer({ min: 1, max: 2 }),
      id: fc.integer({ min: 1, max: 2 }),
      ts: fc.integer({ min: 0, max: 12 }),
      dur: fc.integer({ min: 0, max: 6 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 25 }), async list => {
        const engine = await engineOf(
          doc(
            list.map(({ ph, name, tid, id, ts, dur }) => ({
              ...{ ph, name, pid: 1, tid, ts: us(ts) },
              ...(ph === 'X' ? { dur: us(dur) } : 'ben'.includes(ph) ? { id, cat: 'q' } : ph === 'C' ? { args: { v: dur } } : {}),
            })),
          ),
        )
        const { text, cut } = await exported(engine)
        expect(cut).toBe(0)
        const all = (e: Engine): readonly string[] => contents(e, 0n, 2n ** 62n)
        expect(all(await reread(text))).toEqual(all(engine))
      }),
      {
        numRuns: 200,
        // Ends that end nothing beside begins of other ids at one time.
        examples: [
          [
            [
              { ph: 'b', name: 'c', tid: 1, id: 2, ts: 3, dur: 0 },
              { ph: 'e', name: 'c', tid: 1, id: 1, ts: 3, dur: 0 },
              { ph: 'b', name: 'a', tid: 1, id: 1, ts: 3, dur: 0 },
              { ph: 'X', name: 'a', tid: 1, id: 1, ts: 0, dur: 0 },
            ],
          ],
        ],
      },
    )
  })
})

describe('the runtime', () => {
  const system = (...rows: Parameters<typeof systemTable>[0]): Engine => {
    const engine = empty()
    const file = { id: 'n', path: 'ntrace.pb', abs: '', kind: 'system', rank: null, rankFromName: false, pid: '41872' } as const
    engine.setFile({ ...file, stamp: { bytes: 0, mtimeMs: 0 } }, prepare(systemTable(rows), 'ntrace.pb', '41872'), [])
    return engine
  }
  const hw = { source: 'neuron_hw', nc: 0, core: 4, device: 0 } as const
  const rt = { source: 'neuron_rt', nc: 0, device: 0 } as const

  it('has a process for its own events and one for those of the hardware, each event with its attributes', async () => {
    const engine = system(
      { name: 'nrt_execute', at: 1_000, dur: 5_000, ...rt, sequence: 2n ** 60n + 1n, attrs: { size: 12, note: '<a>' } },
      { name: 'nc_exec_running', at: 2_000, dur: 3_001, ...hw, exec: 3n },
      { name: 'mark', at: 2_500, state: 'instant', ...hw },
    )
    const { json, notes } = await exported(engine)
    const named = new Map(json.traceEvents.filter(e => e.name === 'process_name').map(e => [e.pid, e.args?.['name']]))
    const seen = json.traceEvents.filter(e => 'Xi'.includes(e.ph)).map(e => [named.get(e.pid), e.ph, e.cat, e.name, e.ts, e.dur])
    expect(seen).toEqual([
      ['neuron_rt (PID:41872)', 'X', 'neuron_rt', 'nrt_execute', 0, 5],
      ['neuron_hw (PID:41872)', 'X', 'neuron_hw', 'nc_exec_running', 1, 3.001],
      ['neuron_hw (PID:41872)', 'i', 'neuron_hw', 'mark', 1.5, undefined],
    ])
    // An id beyond 2^53 stays exact as text.
    expect(json.traceEvents.find(e => e.name === 'nrt_execute')?.args).toMatchObject({
      nrta_seq_id: String(2n ** 60n + 1n),
      size: '12',
      note: '<a>',
    })
    expect(json.traceEvents.filter(e => e.name === 'thread_name').map(e => e.args?.['name'])).toEqual(['NC:0', 'NC0:4'])
    expect(notes).toEqual([])
  })

  it('spreads slices that overlap without nesting over threads, as a reader drops them on one', async () => {
    const engine = system(
      { name: 'a', at: 0, dur: 100, ...hw },
      { name: 'in a', at: 10, dur: 20, ...hw },
      { name: 'over a', at: 50, dur: 100, ...hw },
      { name: 'after a', at: 100, dur: 10, ...hw },
    )
    const { json } = await exported(engine)
    const slices = json.traceEvents.filter(e => e.ph === 'X')
    expect(slices.map(e => e.name)).toEqual(['a', 'in a', 'over a', 'after a'])
    const [a, inA, over, after] = slices.map(e => e.tid)
    expect([inA, after]).toEqual([a, a])
    expect(over).not.toBe(a)
    expect(json.traceEvents.filter(e => e.name === 'thread_name').map(e => e.args?.['name'])).toEqual(['NC0:4', 'NC0:4 (2)'])
  })

  it('keeps a start without its end open; an end without its start ends nothing', async () => {
    const engine = system(
      { name: 'x', at: 0, state: 'open', ...rt },
      { name: 'x', at: 50, state: 'tail', ...rt },
      { name: 'y', at: 60, dur: 5, ...rt },
    )
    const { json, notes } = await exported(engine)
    expect(json.traceEvents.filter(e => e.ph !== 'M').map(e => [e.ph, e.name])).toEqual([
      ['B', 'x'],
      ['i', 'x'],
      ['X', 'y'],
    ])
    expect(notes).toEqual(['1 ends without a start are written as instants, so that they end nothing else.'])
  })
})

const real = samplesDir()
describe.skipIf(!real)('real traces', () => {
  const names = real ? readdirSync(join(real, 'traces')).filter(n => n.endsWith('.json.gz')) : []
  it.each(names)('%s is read back with the same slices and samples', async name => {
    const path = join(real as string, 'traces', name)
    const engine = empty()
    await add(engine, path)
    const group = engine.view.groups[0]!
    // A stretch in the middle, so that edges are among it.
    const range = [group.durationNs * 0.4, group.durationNs * 0.5] as const
    const { text, json, cut, events } = await exported(engine, range)
    expect(cut).toBe(0)
    expect(json.traceEvents.filter(e => e.ph !== 'M')).toHaveLength(events)
    const [from, to] = [group.originNs + BigInt(Math.ceil(range[0])), group.originNs + BigInt(Math.floor(range[1]))]
    const before = contents(engine, from, to)
    const after = contents(await reread(text), from, to)
    expect(after.length).toBeGreaterThan(0)
    expect(after).toEqual(before)
  })
})
