import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { traceText, type FixtureEvent } from '../formats/chrome-trace/fixture'
import { writeSample } from '../session/sample/write'
import { csvText } from '../shared/csv'
import { STATS_COLUMNS, STATS_HEADS } from '../shared/trace-api'
import { samplesDir } from '../testing/samples'
import { run } from './run'
import type { StatsDocument } from './stats'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-stats-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(['stats', ...argv], { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}

async function stats(...argv: readonly string[]): Promise<StatsDocument> {
  const { code, out, err } = await call(...argv, '--json')
  expect([code, err]).toEqual([0, ''])
  return JSON.parse(out) as StatsDocument
}

// ── what a plain computation says ──

interface Slice {
  readonly track: string
  readonly name: string
  readonly category: string
  readonly start: number
  readonly end: number
}
type Figures = Pick<
  StatsDocument['rows'][number],
  'key' | 'count' | 'totalNs' | 'selfNs' | 'minNs' | 'maxNs' | 'meanNs' | 'medianNs' | 'p95Ns'
>

interface Event {
  readonly ph?: string
  readonly pid?: unknown
  readonly tid?: unknown
  readonly name?: string
  readonly cat?: string
  readonly ts?: bigint
  readonly dur?: bigint
}

/** Events by JSON.parse alone; times exact, from the text of the numbers. */
function parsed(text: string): readonly Event[] {
  const ns = (us: string): bigint => {
    const [whole, part = ''] = us.split('.') as [string, string?]
    const digits = BigInt(whole + part.padEnd(3, '0').slice(0, 3))
    return digits + (part.length > 3 && (part[3] as string) >= '5' ? 1n : 0n)
  }
  const reviver = function (this: unknown, key: string, value: unknown, context?: { readonly source?: string }): unknown {
    return (key === 'ts' || key === 'dur') && typeof value === 'number' && context?.source && /^\d+(\.\d+)?$/.test(context.source)
      ? ns(context.source)
      : value
  }
  return (JSON.parse(text, reviver) as { readonly traceEvents: readonly Event[] }).traceEvents
}

/** X and matched B/E by thread, relative to the first event of the file, which is answered too. */
function slicesOf(events: readonly Event[]): { readonly slices: readonly Slice[]; readonly first: bigint } {
  const timed = events.filter(e => e.ph !== 'M' && e.ts !== undefined)
  const first = timed.reduce((m, e) => ((e.ts as bigint) < m ? (e.ts as bigint) : m), timed[0]?.ts ?? 0n)
  const slices: Slice[] = []
  const open = new Map<string, Event[]>()
  const add = (e: Event, end: bigint): unknown =>
    slices.push({
      track: `${String(e.pid)}/${String(e.tid).replace(/^stream /, '')}`,
      name: e.name ?? '',
      category: e.cat ?? 'None',
      start: Number((e.ts as bigint) - first),
      end: Number(end - first),
    })
  for (const e of [...timed].sort((a, b) => Number((a.ts as bigint) - (b.ts as bigint)))) {
    if (e.ph === 'X') add(e, (e.ts as bigint) + (e.dur ?? 0n))
    const stack = open.get(`${String(e.pid)}/${String(e.tid)}`) ?? []
    open.set(`${String(e.pid)}/${String(e.tid)}`, stack)
    if (e.ph === 'B') stack.push(e)
    if (e.ph !== 'E') continue
    const at = stack.findLastIndex(b => e.name === undefined || b.name === e.name)
    if (at >= 0) add(stack[at] as Event, e.ts as bigint)
    if (at >= 0) stack.length = at
  }
  return { slices, first }
}

/** The definition, clipped to [from, to). */
function figures(all: readonly Slice[], by: 'name' | 'track' | 'category', from = -Infinity, to = Infinity): readonly Figures[] {
  const groups = new Map<string, { readonly ns: number[]; self: number }>()
  const tracks = new Map<string, Slice[]>()
  for (const s of all) {
    const list = tracks.get(s.track) ?? []
    tracks.set(s.track, list)
    list.push(s)
  }
  for (const list of tracks.values()) {
    const order = list.map((s, i) => ({ s, i })).sort((a, b) => a.s.start - b.s.start || b.s.end - a.s.end || a.i - b.i)
    const children = new Map<Slice, Slice[]>()
    let open: Slice[] = []
    for (const { s } of order) {
      open = open.filter(o => o.end > s.start)
      const parent = open.findLast(o => o.end >= s.end)
      if (parent) {
        const inner = children.get(parent)
        if (inner) inner.push(s)
        else children.set(parent, [s])
      }
      open.push(s)
    }
    for (const { s } of order) {
      if (!(s.start < to && s.end > from)) continue
      const [a, b] = [Math.max(from, s.start), Math.min(to, s.end)]
      let self = b - a
      let until = a
      for (const c of children.get(s) ?? []) {
        const [x, y] = [Math.max(until, c.start), Math.min(b, c.end)]
        if (y > x) {
          self -= y - x
          until = y
        }
      }
      const g = groups.get(s[by]) ?? { ns: [], self: 0 }
      groups.set(s[by], g)
      g.ns.push(b - a)
      g.self += self
    }
  }
  return [...groups].map(([key, { ns, self }]) => {
    const sorted = [...ns].sort((a, b) => a - b)
    const total = ns.reduce((a, b) => a + b, 0)
    const rank = (percent: number): number => sorted[Math.max(1, Math.ceil((percent * sorted.length) / 100)) - 1] as number
    return {
      key,
      count: ns.length,
      totalNs: total,
      selfNs: self,
      minNs: sorted[0] as number,
      maxNs: sorted.at(-1) as number,
      meanNs: total / ns.length,
      medianNs: rank(50),
      p95Ns: rank(95),
    }
  })
}

const KEYS = ['key', 'count', 'totalNs', 'selfNs', 'minNs', 'maxNs', 'meanNs', 'medianNs', 'p95Ns'] as const
const byKey = (rows: readonly Figures[]): readonly unknown[] =>
  rows
    .map(r => KEYS.map(k => (k === 'key' ? r.key.replace(/^PID:([^/]*)\/(TID|Stream):(stream )?/, '$1/') : r[k])))
    .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1))

const samples = samplesDir()
const files = samples === null ? [] : (await readdir(join(samples, 'traces'))).filter(f => f.endsWith('.json.gz'))

describe.skipIf(samples === null)('statistics of real traces', () => {
  it('there are traces to compare with', () => {
    expect(files.length).toBeGreaterThan(8)
  })

  it.each(files)('%s: as computed with JSON.parse, whole and in windows', { timeout: 120_000 }, async file => {
    const path = join(samples as string, 'traces', file)
    const text = gunzipSync(await readFile(path)).toString('utf8')
    const { slices, first } = slicesOf(parsed(text))
    const base = BigInt(/"baseTimeNanoseconds": *(\d+)/.exec(text)?.[1] ?? '0')
    expect(slices.length).toBeGreaterThan(10)
    for (const by of ['name', 'track', 'category'] as const) {
      const d = await stats(path, '--by', by)
      expect(byKey(d.rows)).toEqual(byKey(figures(slices, by)))
      expect(d).toMatchObject({ by, fromNs: String(base + first), slices: slices.length, matching: d.rows.length })
    }
    // From inside one slice to exactly where another ends, so that slices are cut, touch and end at the bounds.
    const end = Math.max(...slices.map(s => s.end))
    const middle = slices[Math.floor(slices.length / 2)] as Slice
    const windows = [
      [Math.floor(end / 3), Math.ceil((2 * end) / 3)],
      [middle.start, Math.max(middle.end, middle.start + 1)],
    ] as const
    for (const [from, to] of windows) {
      const at = (t: number): string => String(base + first + BigInt(t))
      const d = await stats(path, '--from', at(from), '--to', at(to))
      expect([d.fromNs, d.toNs]).toEqual([at(from), at(to)])
      expect(byKey(d.rows)).toEqual(byKey(figures(slices, 'name', from, to)))
    }
  })
})

const BASE = 1_700_000_000_000_000_000n
const TRACE: readonly FixtureEvent[] = [
  { ph: 'B', name: 'step', cat: 'k', pid: 1, tid: 1, ts: '0' },
  { ph: 'X', name: 'op', cat: 'k', pid: 1, tid: 1, ts: '10', dur: '30' },
  { ph: 'X', name: 'op', cat: 'k', pid: 1, tid: 1, ts: '50', dur: '20.5' },
  { ph: 'E', name: 'step', pid: 1, tid: 1, ts: '100' },
  { ph: 'X', name: 'op', pid: 1, tid: 2, ts: '15', dur: '10' },
  { ph: 'i', name: 'op', pid: 1, tid: 2, ts: '30' },
  { ph: 'B', name: 'lost', pid: 1, tid: 2, ts: '60' },
  { ph: 'b', name: 'op', id: '1', pid: 1, tid: 1, ts: '0' },
  { ph: 'e', name: 'op', id: '1', pid: 1, tid: 1, ts: '90' },
]

describe('stats', () => {
  beforeAll(async () => {
    await writeFile(join(dir, 'a.json'), traceText(TRACE, { after: { baseTimeNanoseconds: String(BASE) } }))
    await writeFile(join(dir, 'own.json'), traceText([{ ph: 'X', name: 'x', pid: 1, tid: 1, ts: '5', dur: '2' }]))
    await mkdir(join(dir, 'empty'))
    await writeFile(join(dir, 'none.json'), traceText([]))
  })

  it('gives the document as documented', async () => {
    const d = await stats('a.json')
    expect(Object.keys(d).slice(0, 4)).toEqual(['by', 'fromNs', 'toNs', 'rows'])
    expect(Object.keys(d.rows[0] as object).slice(0, 9)).toEqual([...KEYS])
    expect(d).toMatchObject({
      by: 'name',
      fromNs: String(BASE),
      toNs: String(BASE + 100_000n),
      matching: 2,
      slices: 4,
      unmatched: 1,
      wallNs: 100_000,
      session: '.',
      files: ['a.json'],
    })
    expect(d.rows).toEqual([
      {
        ...{ key: 'step', count: 1, totalNs: 100_000, selfNs: 49_500, minNs: 100_000, maxNs: 100_000, meanNs: 100_000 },
        ...{ medianNs: 100_000, p95Ns: 100_000, wallNs: 100_000, overlapNs: 0 },
        longest: { id: 'a.json:0', startNs: String(BASE), durNs: 100_000 },
      },
      {
        ...{ key: 'op', count: 3, totalNs: 60_500, selfNs: 60_500, minNs: 10_000, maxNs: 30_000, meanNs: 60_500 / 3 },
        ...{ medianNs: 20_500, p95Ns: 30_000, wallNs: 50_500, overlapNs: 10_000 },
        longest: { id: 'a.json:1', startNs: String(BASE + 10_000n), durNs: 30_000 },
      },
    ])
    expect(d.diagnostics.map(x => x.code)).toContain('trace-unmatched')
  })

  it('clips to a range that may be open at one side', async () => {
    const at = (ns: number): string => String(BASE + BigInt(ns))
    const both = await stats('a.json', '--from', at(20_000), '--to', at(60_000))
    expect(both.rows.map(r => [r.key, r.count, r.totalNs, r.selfNs])).toEqual([
      ['step', 1, 40_000, 10_000],
      ['op', 3, 35_000, 35_000],
    ])
    const first = await stats('a.json', '--to', at(10_000))
    expect([first.fromNs, first.toNs, first.rows.map(r => r.key)]).toEqual([at(0), at(10_000), ['step']])
    const last = await stats('a.json', '--from', at(70_500), '--sort', 'count')
    expect([last.fromNs, last.toNs, last.rows.map(r => [r.key, r.totalNs])]).toEqual([at(70_500), at(100_000), [['step', 29_500]]])
    expect((await stats('a.json', '--from', at(10 ** 12))).rows).toEqual([])
  })

  it('groups by track and category, sorts and limits', async () => {
    expect((await stats('a.json', '--by', 'track')).rows.map(r => [r.key, r.count, r.wallNs])).toEqual([
      ['PID:1/TID:1', 3, 100_000],
      ['PID:1/TID:2', 1, 10_000],
    ])
    expect((await stats('a.json', '--by', 'category', '--sort', 'key')).rows.map(r => [r.key, r.count])).toEqual([
      ['None', 1],
      ['k', 3],
    ])
    const one = await stats('a.json', '--sort', 'count', '--limit', '1')
    expect([one.matching, one.rows.map(r => r.key)]).toEqual([2, ['op']])
  })

  it('is in the own time of a trace whose zero is not known', async () => {
    expect(await stats('own.json', '--from', '6000')).toMatchObject({ fromNs: '6000', toNs: '7000', rows: [{ key: 'x', totalNs: 1000 }] })
    expect(await stats('none.json')).toMatchObject({ fromNs: null, toNs: null, rows: [], slices: 0 })
  })

  it('writes a table with units for people and CSV', async () => {
    const { out } = await call('a.json')
    expect(out).toMatch(/name +count +total +self +wall +overlap +min +max +mean +median +p95\n/)
    expect(out).toMatch(/op +3 +60\.500\u00a0µs +60\.500\u00a0µs +50\.500\u00a0µs +10\.000\u00a0µs/)
    expect((await call('a.json', '--limit', '1')).out).toContain('1 more rows are not listed')
    const csv = (await call('a.json', '--csv')).out.split('\r\n')
    expect(csv).toEqual([
      'key,count,total_ns,self_ns,wall_ns,overlap_ns,min_ns,max_ns,mean_ns,median_ns,p95_ns',
      'step,1,100000,49500,100000,0,100000,100000,100000,100000,100000',
      `op,3,60500,60500,50500,10000,10000,30000,${60_500 / 3},20500,30000`,
      '',
    ])
  })

  it('spells names in CSV as the window saves them; people get control characters made visible', async () => {
    const names = ['\u001b[31mred', 'two\nlines', 'a,"b"', '=1+1', '\u202eabc']
    await writeFile(join(dir, 'odd.json'), traceText(names.map((name, k) => ({ ph: 'X', name, pid: 1, tid: 1, ts: k * 10, dur: 5 }))))
    const { out } = await call('odd.json', '--csv', '--sort', 'key')
    const rows = names.map(key => STATS_COLUMNS.map(c => (c === 'key' ? key : c === 'count' ? 1 : c === 'overlapNs' ? 0 : 5000)))
    expect(new Set(out.split('\r\n'))).toEqual(new Set(csvText(STATS_HEADS, rows).split('\r\n')))
    expect(out).toContain('\u001b[31mred,1,')
    expect((await call('odd.json')).out).not.toContain('\u001b')
  })

  it('counts a session with all its sources, and names the others', async () => {
    await writeSample(join(dir, 'tree'), { ranks: 2, steps: 1, seed: 3 })
    const d = await stats('tree', '--by', 'track')
    expect(d.files.length).toBeGreaterThan(1)
    const other = d.diagnostics.find(x => x.code === 'stats-other-sessions')
    expect(other?.message).toMatch(/^1 more session/)
    for (const origin of ['neuron_rt', 'neuron_hw']) expect(d.rows.some(r => r.key.includes(`/${origin}/`))).toBe(true)
    expect(d.rows.some(r => /^PID:\d+\/TID:/.test(r.key))).toBe(true)
    const alone = await stats(join('tree', d.session))
    expect(alone.diagnostics.map(x => x.code)).not.toContain('stats-other-sessions')
    expect(alone.slices).toBe(d.slices)
    expect(d.rows.reduce((n, r) => n + r.count, 0)).toBe(d.slices)
  })

  it('refuses what it does not understand, and says when nothing was read', async () => {
    for (const [argv, words] of [
      [['--by', 'pid'], '--by takes one of name, track, category'],
      [['--from', '1.5'], '--from takes nanoseconds'],
      [['--from', '9', '--to', '9'], '--from must be before --to'],
      [['--sort', 'size'], '--sort takes one of key, count, total'],
      [['--limit', '0'], '--limit takes a whole number'],
      [['--csv', '--json'], 'take one of them'],
    ] as const) {
      const { code, out, err } = await call('a.json', ...argv)
      expect([argv, code, out]).toEqual([argv, 2, ''])
      expect(err).toContain(words)
    }
    for (const path of ['absent.json', 'empty']) {
      const { code, out } = await call(path, '--json')
      expect([path, code]).toEqual([path, 1])
      expect((JSON.parse(out) as { diagnostics: unknown[] }).diagnostics.length).toBeGreaterThan(0)
    }
  })
})
