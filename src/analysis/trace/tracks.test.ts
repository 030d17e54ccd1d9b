import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixtureTable, type FixtureEvent } from '../../formats/chrome-trace/fixture'
import { readTrace } from '../../formats/chrome-trace/read'
import { fileSource } from '../../formats/source'
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { arrange, MAX_LANES, mergeSort } from './lanes'
import type { TrackModel } from './model'
import { buildTraceModel } from './tracks'

/** `name@lane start+duration!flags<parent` of every slice of a track, times relative to the first event. */
function drawn(table: TraceTable, track: TrackModel): string[] {
  const out: string[] = []
  for (let lane = 0; lane < track.depth; lane++)
    for (let i = track.laneStart[lane]; i < track.laneStart[lane + 1]; i++) {
      const parent = track.parent[i] < 0 ? '' : `<${stringAt(table.strings, track.nameId[track.parent[i]])}`
      const flags = track.flags[i] ? `!${track.flags[i]}` : ''
      out.push(`${stringAt(table.strings, track.nameId[i])}@${lane} ${track.start[i]}+${track.duration[i]}${flags}${parent}`)
    }
  return out
}
/** Order of `drawn`: by lane, then start. */
const byLane = (a: string, b: string): number => {
  const [p, q] = [a, b].map(t => /@(\d+) (\d+)/.exec(t) ?? [])
  return Number(p[1]) - Number(q[1]) || Number(p[2]) - Number(q[2])
}
const on = { pid: 1, tid: 2 } as const
const x = (name: string, ts: number, dur?: number): FixtureEvent => ({ ph: 'X', name, ts, dur, ...on })
const e = (ph: string, name: string | undefined, ts: number): FixtureEvent => ({ ph, name, ts, ...on })
const one = async (events: readonly FixtureEvent[]): Promise<string[]> => {
  const table = await fixtureTable(events)
  const { tracks } = buildTraceModel(table)
  expect(tracks).toHaveLength(1)
  return drawn(table, tracks[0])
}

describe('slices of a thread', () => {
  it('nests by containment, whatever the order in the file', async () => {
    const events = [x('root', 0, 100), x('a', 10, 20), x('aa', 10, 20), x('b', 30, 70), x('bb', 99, 1), x('next', 100, 5)]
    const expected = ['root@0 0+100', 'next@0 100+5', 'a@1 10+20<root', 'b@1 30+70<root', 'aa@2 10+20<a', 'bb@2 99+1<b']
    expect(await one(events)).toEqual(expected)
    const shuffled = [events[5], events[3], events[1], events[4], events[2], events[0]]
    expect(await one(shuffled)).toEqual(expected)
  })
  it('gives overlapping slices a lane of their own and drops none', async () => {
    expect(await one([x('a', 0, 10), x('b', 5, 10), x('c', 12, 10), x('d', 20, 5)])).toEqual([
      'a@0 0+10',
      'c@0 12+10',
      'b@1 5+10',
      'd@1 20+5',
    ])
    expect(await one([x('p', 0, 100), x('a', 0, 10), x('b', 5, 10), x('c', 15, 200)])).toEqual([
      'p@0 0+100',
      'a@1 0+10<p',
      'c@1 15+200',
      'b@2 5+10<p',
    ])
  })
  it('takes the innermost for the parent where slices overlap, though an older one stands deeper', async () => {
    const events = [x('a', 0, 100), x('b', 10, 50), x('c', 20, 90), x('k', 61, 69), x('m', 70, 20), x('n', 112, 5)]
    expect(await one(events)).toEqual(['a@0 0+100', 'b@1 10+50<a', 'k@1 61+69', 'c@2 20+90', 'm@3 70+20<k', 'n@2 112+5<k'].sort(byLane))
  })
  it('keeps slices of length 0 and such without a duration', async () => {
    expect(await one([x('p', 0, 10), x('z', 5, 0), x('y', 5), x('end', 10, 0)])).toEqual([
      'p@0 0+10',
      'end@0 10+0',
      'z@1 5+0<p',
      'y@1 5+0<p',
    ])
  })
  it('puts an instant below the slices that begin with it', async () => {
    for (const ph of ['i', 'I', 'R'])
      expect(await one([e(ph, 'mark', 5), x('p', 0, 10), x('c', 5, 5), x('d', 5, 2)])).toEqual([
        'p@0 0+10',
        'c@1 5+5<p',
        'd@2 5+2<c',
        'mark@3 5+0!1<d',
      ])
  })
  it('a negative duration counts as 0', async () => {
    expect(await one([x('a', 0, 10), x('n', 5, -3)])).toEqual(['a@0 0+10', 'n@1 5+0<a'])
  })
})

describe('begin and end', () => {
  it('pairs them per thread, beside X events', async () => {
    expect(await one([e('B', 'a', 0), x('x', 1, 2), e('B', 'b', 4), e('E', undefined, 6), e('E', 'a', 10)])).toEqual([
      'a@0 0+10',
      'x@1 1+2<a',
      'b@1 4+2<a',
    ])
  })
  it('pairs by time, not by place in the file', async () => {
    expect(await one([e('E', 'a', 10), e('B', 'a', 0)])).toEqual(['a@0 0+10'])
  })
  it('keeps and counts what has no partner', async () => {
    const table = await fixtureTable([
      e('E', 'lost', 3),
      e('B', 'open', 5),
      x('x', 6, 30),
      e('B', 'inner', 7),
      e('B', 'mid', 8),
      e('E', 'inner', 9),
    ])
    const model = buildTraceModel(table)
    expect(drawn(table, model.tracks[0])).toEqual(['lost@0 0+0!3', 'open@0 2+31!2', 'x@1 3+30<open', 'inner@2 4+2<x', 'mid@3 5+1!2<inner'])
    expect(model.unmatched).toEqual({ begins: 2, ends: 1 })
    expect(model.skipped).toEqual({})
  })
  it('an end with another name closes nothing', async () => {
    expect(await one([e('B', 'a', 0), e('E', 'zzz', 5), e('E', 'a', 10)])).toEqual(['a@0 0+10', 'zzz@1 5+0!3<a'])
  })
})

describe('tracks', () => {
  it('tells streams from threads and sorts by process, sort index, threads first', async () => {
    const meta = (name: string, pid: number | string, args: object, tid: number | string = 0): FixtureEvent => ({
      ph: 'M',
      name,
      pid,
      tid,
      args,
    })
    const table = await fixtureTable([
      { ph: 'X', name: 's', cat: 'kernel', pid: 0, tid: 7, ts: 0, dur: 1 },
      { ph: 'X', name: 'span', cat: 'Trace', pid: 'Spans', tid: 'PyTorch Profiler', ts: 0, dur: 9 },
      { ph: 'X', name: 'op', cat: 'cpu_op', pid: 77, tid: 20, ts: 0, dur: 1 },
      { ph: 'X', name: 'op', cat: 'cpu_op', pid: 77, tid: 3, ts: 0, dur: 1 },
      { ph: 'X', name: 'n', cat: 'privateuse1_driver', pid: 77, tid: 4, ts: 0, dur: 1 },
      { ph: 'X', name: 'o', cat: 'Kernel', pid: 5, tid: 'stream 9', ts: 0, dur: 1 },
      { ph: 'C', name: 'mem', pid: 77, ts: 1, args: { v: 1 } },
      { ph: 'b', name: 'req', cat: 'q', id: 1, pid: 77, tid: 3, ts: 1 },
      { ph: 'i', name: 'end', pid: '', tid: '', ts: 2 },
      meta('process_labels', 0, { labels: 'GPU 0' }),
      meta('process_name', 77, { name: 'python' }),
      meta('process_labels', 77, { labels: 'CPU' }),
      meta('process_sort_index', 77, { sort_index: 77 }),
      meta('process_sort_index', 0, { sort_index: 16777216 }),
      meta('process_sort_index', 'Spans', { sort_index: 536870912 }),
      meta('thread_name', 0, { name: 'stream 7 ' }, 7),
      meta('thread_name', 77, { name: 'idle' }, 99),
      meta('thread_sort_index', 77, { sort_index: 20 }, 20),
      meta('thread_sort_index', 77, { sort_index: 3 }, 3),
    ])
    const { tracks } = buildTraceModel(table)
    expect(tracks.map(t => `${t.index} ${t.pid}/${t.name} ${t.role} ${t.events}`)).toEqual([
      '0 77/TID:3 thread 1',
      '1 77/TID:20 thread 1',
      '2 77/Stream:4 stream 1',
      '3 77/req async 1',
      '4 77/mem counter 1',
      '5 0/Stream:7 stream 1',
      '6 Spans/TID:PyTorch Profiler thread 1',
      '7 5/Stream:9 stream 1',
      '8 /Global thread 1',
    ])
    expect(tracks[0]).toMatchObject({ processName: 'python', processLabels: 'CPU' })
    expect(tracks[5].note).toBe('stream 7 ')
  })
  it('counts what no track shows; metadata and flows are no events of a track', async () => {
    const table = await fixtureTable([
      x('a', 0, 1),
      { ph: 'X', name: 'no time', ...on },
      { ph: 'P', ts: 1 },
      { ph: 'P', ts: 2 },
      { ts: 3 },
      { ph: 's', ts: 1 },
      { ph: 'M', name: 'q' },
    ])
    expect(buildTraceModel(table).skipped).toEqual({ 'no time': 1, 'phase P': 2, 'no phase': 1 })
  })
  it('the range is that of all events but metadata', async () => {
    const table = await fixtureTable([x('a', 5, 10), { ph: 's', ts: 1 }, { ph: 'M', ts: 0 }, { ph: 'i', ts: 40, ...on }])
    expect(buildTraceModel(table).range).toEqual([0, 39])
    expect(buildTraceModel(await fixtureTable([])).range).toBeNull()
  })
  it('steps are those of the host, once', async () => {
    const step = (n: number, ts: number, cat: string, pid: number): FixtureEvent => ({
      ph: 'X',
      name: `ProfilerStep#${n}`,
      cat,
      pid,
      tid: 1,
      ts,
      dur: 5,
    })
    const table = await fixtureTable([
      step(2, 10, 'user_annotation', 1),
      step(1, 0, 'user_annotation', 1),
      step(1, 3, 'gpu_user_annotation', 0),
      { ...step(3, 20, 'Operator', 1), name: 'ProfilerStep#x' },
    ])
    expect(buildTraceModel(table).steps).toEqual([
      { name: 'ProfilerStep#1', start: 0, duration: 5, row: 1 },
      { name: 'ProfilerStep#2', start: 10, duration: 5, row: 0 },
    ])
  })
})

describe('async events', () => {
  const a = (ph: string, id: number | string, name: string, ts: number, more: object = {}): FixtureEvent => ({
    ph,
    id,
    name,
    ts,
    cat: 'req',
    ...on,
    ...more,
  })
  it('match by process, category and id; ids that overlap get lanes, nesting is that of the id', async () => {
    const table = await fixtureTable([
      a('b', 1, 'get', 0),
      a('b', '2', 'get', 5),
      a('b', 1, 'part', 6),
      a('n', 1, 'note', 7),
      a('e', 1, 'part', 8),
      a('e', 1, 'get', 20),
      a('e', '2', 'get', 30),
      a('b', 1, 'get', 40),
      a('e', 1, 'get', 41, { pid: 9 }),
    ])
    const model = buildTraceModel(table)
    expect(model.tracks.map(t => [t.role, t.pid, t.tid, t.name, t.note])).toEqual([
      ['async', '1', '', 'get', 'req'],
      ['async', '9', '', 'get', 'req'],
    ])
    expect(drawn(table, model.tracks[0])).toEqual(
      ['get@0 0+20', 'get@0 40+1!2', 'get@1 5+25', 'part@2 6+2<get', 'note@3 7+0!1<part'].map(s => s),
    )
    expect(drawn(table, model.tracks[1])).toEqual(['get@0 41+0!3'])
    expect(model.unmatched).toEqual({ begins: 1, ends: 1 })
  })
  it('many names become one track per category', async () => {
    const table = await fixtureTable(Array.from({ length: 40 }, (_, i) => [a('b', i, `n${i}`, i), a('e', i, `n${i}`, i + 3)]).flat())
    const { tracks } = buildTraceModel(table)
    expect(tracks.map(t => [t.name, t.events, t.depth])).toEqual([['req', 40, 3]])
  })
})

describe('counters', () => {
  it('have a track per process, name, id and key', async () => {
    const c = (ts: number, args: object, more: object = {}): FixtureEvent => ({ ph: 'C', name: 'mem', pid: 1, ts, args, ...more })
    const { tracks } = buildTraceModel(
      await fixtureTable([
        c(10, { used: 5, free: 1 }),
        c(0, { used: 7 }),
        c(3, { v: 2 }, { id: 'x' }),
        c(4, { mem: -1 }, { name: 'mem', pid: 2 }),
      ]),
    )
    expect(tracks.map(t => [t.pid, t.name, t.note, [...t.time], [...t.value], t.min, t.max])).toEqual([
      ['1', 'mem [x]', 'v', [3], [2], 2, 2],
      ['1', 'mem free', '', [10], [1], 1, 1],
      ['1', 'mem used', '', [0, 10], [7, 5], 5, 7],
      ['2', 'mem', '', [4], [-1], -1, -1],
    ])
  })
})

describe('lanes', () => {
  const slice = fc.record({ start: fc.nat({ max: 60 }), duration: fc.nat({ max: 30 }), flags: fc.constantFrom(0, 0, 0, 1) })
  const arranged = (list: readonly { start: number; duration: number; flags: number }[]): ReturnType<typeof arrange> =>
    arrange({
      count: list.length,
      start: Float64Array.from(list, s => s.start),
      duration: Float64Array.from(list, s => (s.flags ? 0 : s.duration)),
      row: Uint32Array.from(list, (_, i) => i),
      flags: Uint8Array.from(list, s => s.flags),
      within: null,
    })
  it('hold every slice once; within a lane none overlap; parents contain their children', () => {
    fc.assert(
      fc.property(fc.array(slice, { maxLength: 40 }), list => {
        const l = arranged(list)
        expect([...l.row].sort((a, b) => a - b)).toEqual(list.map((_, i) => i))
        const laneOf = (i: number): number => l.laneStart.findIndex((s, k) => i >= s && i < (l.laneStart[k + 1] ?? Infinity))
        for (let lane = 0; lane < l.depth; lane++) {
          expect(l.laneStart[lane + 1]).toBeGreaterThan(l.laneStart[lane])
          for (let i = l.laneStart[lane] + 1; i < l.laneStart[lane + 1]; i++)
            expect(l.start[i]).toBeGreaterThanOrEqual(l.start[i - 1] + l.duration[i - 1])
        }
        for (let i = 0; i < list.length; i++) {
          const p = l.parent[i]
          expect(list[l.row[i]].start).toBe(l.start[i])
          if (p < 0) continue
          expect(laneOf(p)).toBeLessThan(laneOf(i))
          expect(l.start[p] <= l.start[i] && l.start[p] + l.duration[p] >= l.start[i] + l.duration[i]).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })
  it('well nested slices stand at their depth', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 3 }), { maxLength: 40 }), ups => {
        // A random walk over a tree: each slice is opened inside the one before, after closing some.
        const open: { start: number; duration: number; flags: number; depth: number }[] = []
        const all: typeof open = []
        let t = 0
        for (const up of ups) {
          for (let k = 0; k < up && open.length; k++) (open.pop() as (typeof all)[0]).duration = ++t
          open.push({ start: ++t, duration: 0, flags: 0, depth: open.length })
          all.push(open[open.length - 1])
        }
        while (open.length) (open.pop() as (typeof all)[0]).duration = ++t
        for (const s of all) s.duration -= s.start
        const l = arranged(all)
        for (let lane = 0; lane < l.depth; lane++)
          for (let i = l.laneStart[lane]; i < l.laneStart[lane + 1]; i++) expect(all[l.row[i]].depth).toBe(lane)
      }),
    )
  })
  it('what finds no lane is counted', () => {
    const l = arranged(Array.from({ length: MAX_LANES + 5 }, (_, i) => ({ start: i, duration: 5000, flags: 0 })))
    expect([l.depth, l.dropped, l.row.length]).toEqual([MAX_LANES, 5, MAX_LANES])
  })
  it('mergeSort is a stable sort', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 })), v => {
        const expected = v.map((_, i) => i).sort((a, b) => v[a] - v[b])
        expect([...mergeSort(v.length, (a, b) => v[a] - v[b])]).toEqual(expected)
      }),
      { numRuns: 500 },
    )
  })
  it.each<[string, (i: number) => FixtureEvent]>([
    ['begins only', i => e('B', `n${i}`, i)],
    ['ends only', i => e('E', `n${i}`, i)],
    ['begins, then ends of a name that is not open', i => e(i < 20_000 ? 'B' : 'E', i < 20_000 ? 'a' : 'zzz', i)],
    ['stairs', i => x('s', i * 2, 3)],
    ['all at once', i => x('s', 0, 100_000 - i)],
    ['counters of one sample', i => ({ ph: 'C', name: `c${i}`, pid: i, ts: i, args: { v: 1 } })],
    ['async ids that never end', i => ({ ph: 'b', name: 'a', cat: 'c', id: i, ts: i, ...on })],
  ])('hostile events: %s (a quadratic build would not end)', async (_, make) => {
    const model = buildTraceModel(await fixtureTable(Array.from({ length: 40_000 }, (_, i) => make(i))))
    const shown = model.tracks.reduce((s, t) => s + t.events, 0) + Object.values(model.skipped).reduce((s, n) => s + n, 0)
    expect(shown).toBe(40_000)
  })
})

const samples = samplesDir()
describe.skipIf(!samples)('real traces', () => {
  const model = async (name: string): Promise<{ table: TraceTable; tracks: readonly TrackModel[]; steps: string[] }> => {
    const path = join(samples ?? '', 'traces', name)
    expect(existsSync(path)).toBe(true)
    const source = await fileSource(path, name)
    const { table } = await readTrace(source, {})
    await source.close()
    const m = buildTraceModel(table as TraceTable)
    expect(m.skipped).toEqual({})
    expect(m.unmatched).toEqual({ begins: 0, ends: 0 })
    return { table: table as TraceTable, tracks: m.tracks, steps: m.steps.map(s => s.name) }
  }
  it('resnet50: old Kineto names streams in the tid', async () => {
    const { tracks, steps } = await model('resnet50-memory-events.json.gz')
    expect(tracks.map(t => `${t.pid}/${t.name} ${t.role}`)).toEqual([
      '5555/TID:5555 thread',
      '5555/TID:5786 thread',
      '0/Stream:7 stream',
      'Traces/TID:PyTorch Profiler thread',
      'Traces/TID:Trace PyTorch Profiler thread',
      '/Global thread',
    ])
    expect(steps.slice(0, 3)).toEqual(['ProfilerStep#5', 'ProfilerStep#6', 'ProfilerStep#7'])
  })
  it('h100: the step of the host only, every event of a thread on its track', async () => {
    const { table, tracks, steps } = await model('h100-memory-events.json.gz')
    expect(steps).toEqual(['ProfilerStep#6'])
    const onThreads = table.phase.reduce((s, p) => s + (p === 0x58 || p === 0x69 ? 1 : 0), 0)
    expect(tracks.reduce((s, t) => s + t.events, 0)).toBe(onThreads)
    expect(tracks.filter(t => t.role === 'stream').map(t => t.name)).toEqual(['Stream:0', 'Stream:7'])
    expect(Math.max(...tracks.map(t => t.depth))).toBeLessThan(100)
  })
})

describe('more tracks than a timeline can hold', () => {
  const n = 100_000
  const small = Array.from({ length: n }, (_, i) => i)
  const rest = (kept: number): Record<string, number> => ({ 'on tracks beyond the first 5,000': kept })

  it('keeps the threads with most events, of equal ones the first, and counts the events of the others', async () => {
    const events = [...small.map(i => ({ ...x('s', i, 1), tid: i })), { ...x('late', n, 1), tid: n - 1 }]
    const { tracks, skipped, range } = buildTraceModel(await fixtureTable(events))
    expect(tracks.map(t => Number(t.tid))).toEqual([...small.slice(0, 4999), n - 1])
    expect(tracks.map(t => t.index)).toEqual(small.slice(0, 5000))
    expect(tracks.at(-1)?.events).toBe(2)
    expect(skipped).toEqual(rest(n - 5000))
    expect(range).toEqual([0, n + 1])
  }, 60_000)

  it('async categories and counters alike, each without a track of its own before', async () => {
    const few = small.slice(0, 25_000)
    const spans = few.flatMap(i => ['b', 'e'].map(ph => ({ ...e(ph, 's', i), cat: `c${i}`, id: 1 })))
    const open = few.map(i => ({ ...e('b', 'open', i), cat: `o${i}`, id: 1 }))
    // Two series each: one event on two tracks.
    const one = few.map(i => ({ ...e('C', `v${i}`, i), args: { v: i, w: i } }))
    const main = [1, 2, 3].map(i => x('main', i, 1))
    const { tracks, skipped, unmatched } = buildTraceModel(await fixtureTable([...one, ...open, ...spans, ...main]))
    expect(tracks).toHaveLength(5000)
    expect(tracks.filter(t => t.role === 'thread').map(t => t.events)).toEqual([3])
    // A span is two events, so spans go before counters and begins alone.
    expect(tracks.filter(t => t.role === 'async').every(t => t.name === 's')).toBe(true)
    expect(skipped).toEqual(rest(4 * few.length - 2 * 4999))
    expect(unmatched).toEqual({ begins: 0, ends: 0 })
  }, 60_000)

  it('5,000 tracks are all there', async () => {
    const { tracks, skipped } = buildTraceModel(await fixtureTable(small.slice(0, 5000).map(i => ({ ...x('s', i, 1), tid: i }))))
    expect(tracks).toHaveLength(5000)
    expect(skipped).toEqual({})
  })
})
