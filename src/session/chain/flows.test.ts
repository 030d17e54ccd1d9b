import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildTraceModel } from '../../analysis/trace/tracks'
import type { FixtureEvent } from '../../formats/chrome-trace/fixture'
import { chainOf, NO_PAUSE, reached, traceSource, words } from '../../testing/chain'
import { buildChain } from './build'
import type { Breath, ChainSource } from './model'
import { STRIDE } from './nodes'
import { MOST_MEMBERS } from './sequence'
import { innermostAt, nextFrom } from './slices'
import { walk } from './walk'
import { why } from './why'

const op = (name: string, ts: number, dur: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph: 'X', cat: 'cpu_op', name, pid: 7, tid: 70, ts, dur },
  ...more,
})
const work = (name: string, ts: number, dur: number): FixtureEvent =>
  op(name, ts, dur, { cat: 'privateuse1_driver', pid: 0, tid: 'stream 3' })
const flow = (ph: 's' | 't' | 'f', id: number, ts: number, more: FixtureEvent = {}): FixtureEvent => ({
  ...{ ph, id, cat: 'ac2g', name: 'ac2g', ts },
  ...(ph === 'f' ? { pid: 0, tid: 'stream 3', bp: 'e' } : { pid: 7, tid: 70 }),
  ...more,
})
const many = (n: number, of: (i: number) => FixtureEvent): readonly FixtureEvent[] => Array.from({ length: n }, (_, i) => of(i))

/** Counts what is read of a column. */
function counted<T extends Uint8Array | Float64Array>(column: T, reads: { n: number }): T {
  return new Proxy(column, {
    get(of, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads.n++
      const value: unknown = Reflect.get(of, key, of)
      return typeof value === 'function' ? (value.bind(of) as unknown) : value
    },
  })
}

/** Reads of a trace's phases and times, and of its tracks' starts and kinds, while its graph is made. */
async function readsOf(events: readonly FixtureEvent[]): Promise<number> {
  const { table, tracks, pid } = await traceSource(events)
  if (table.kind !== 'chrome-trace') throw new Error('no trace')
  const reads = { n: 0 }
  const source: ChainSource = {
    ...{ table: { ...table, phase: counted(table.phase, reads), ts: counted(table.ts, reads) }, pid },
    tracks: tracks.map(t => ({ ...t, start: counted(t.start, reads), flags: counted(t.flags, reads) })),
  }
  await buildChain({ sources: [source], mappings: [] }, NO_PAUSE)
  return reads.n
}

describe('flows of many events', () => {
  // Each with n flow events, in the ways that one id can have them.
  const shapes: Readonly<Record<string, (n: number) => readonly FixtureEvent[]>> = {
    'starts of one slice, and one of another': n => [
      ...[op('a', 0, 1e6), op('b', 2e6, 10, { tid: 71 }), work('k', 3e6, 10)],
      ...many(n, i => flow('s', 1, 1 + i)),
      ...[flow('s', 1, 2e6, { tid: 71 }), flow('f', 1, 3e6)],
    ],
    'starts and ends in turn': n => [
      ...[op('a', 0, 1e6), op('b', 0, 1e6, { tid: 71 }), work('k', 0, 1e6)],
      ...many(n, i => (i % 2 === 0 ? flow('s', 1, 1 + i, { tid: i % 4 === 0 ? 70 : 71 }) : flow('f', 1, 1 + i))),
    ],
    steps: n => [
      op('a', 0, 1e6),
      op('b', 0, 1e6, { tid: 71 }),
      flow('s', 1, 0),
      ...many(n, i => flow('t', 1, 1 + i, { tid: 70 + (i % 2) })),
    ],
    'ends of one start': n => [op('a', 0, 1e6), work('k', 0, 1e6), flow('s', 1, 0), ...many(n, i => flow('f', 1, 1 + i))],
    'ends without a start': n => [work('k', 0, 1e6), ...many(n, i => flow('f', 1, 1 + i))],
    'an id each': n => [op('a', 0, 1e6), work('k', 0, 1e6), ...many(n, i => flow(i % 2 === 0 ? 's' : 'f', i >> 1, 1 + i))],
    'ends that are bound to what begins next, at one time with many slices': n => [
      ...[op('a', 0, 1e6), flow('s', 1, 0)],
      ...many(n, i => work(`k${i}`, 500, 0)),
      ...many(n, () => flow('f', 1, 500, { bp: undefined })),
    ],
    'starts and ends among instants': n => [
      ...[op('a', 0, 1), work('k', 0, 1), work('l', 1e6, 1)],
      ...many(n, i => ({ ph: 'i', s: 't', name: 'i', cat: 'c', pid: 7, tid: 70, ts: 10 + i })),
      ...many(n, i => ({ ph: 'i', s: 't', name: 'i', cat: 'c', pid: 0, tid: 'stream 3', ts: 10 + i })),
      ...many(n, i => flow('s', 1, 10 + n + i)),
      ...many(n, () => flow('f', 1, 5, { bp: undefined })),
    ],
  }
  for (const [name, shape] of Object.entries(shapes))
    it(`take about as many steps each, however many they are: ${name}`, async () => {
      const few = await readsOf(shape(1000))
      const more = await readsOf(shape(8000))
      expect(few).toBeGreaterThan(1000)
      // Eight times as many, and what sorting and bisecting add; their product would be 64.
      expect(more / few).toBeLessThan(16)
    })

  it('give the thread back within one id, not only between ids', async () => {
    const n = 3 * STRIDE
    const pausesOf = async (more: FixtureEvent): Promise<number> => {
      // Without a start there are no links, whose own pauses would count.
      const source = await traceSource([work('k', 0, 1e6), ...many(n, i => flow('f', 1, 1 + i, more))])
      let pauses = 0
      const breath: Breath = { due: true, pause: () => Promise.resolve(++pauses < 0) }
      await buildChain({ sources: [source], mappings: [] }, breath)
      return pauses
    }
    // What carries no work is passed over: the pauses of all other parts.
    const others = await pausesOf({ cat: 'fwdbwd' })
    expect((await pausesOf({})) - others).toBeGreaterThanOrEqual(n / STRIDE)
  })

  it('are left out where more carry one id than a flow has, and that is told; others of the trace stay', async () => {
    const events = (n: number): readonly FixtureEvent[] => [
      ...[op('a', 0, 10), op('b', 20, 10), op('c', 40, 10), work('k', 100, 10), work('l', 200, 10), work('m', 300, 10)],
      ...[flow('s', 1, 0), flow('s', 2, 20), flow('f', 2, 200)],
      ...many(n - 1, () => flow('f', 1, 100)),
    ]
    const most = await chainOf([await traceSource(events(MOST_MEMBERS))])
    expect([words(most), most.crowded]).toEqual([['a > k flow 1', 'b > l flow 2'], 0])
    const g = await chainOf([await traceSource(events(MOST_MEMBERS + 1))])
    expect([words(g), g.crowded]).toEqual([['b > l flow 2'], 1])
    const s = g.sources[0]
    const left = '; 1 flow id was left out: more than 100,000 events carry it'
    expect(why(g, s, 0).down).toBe(`no flow begins in this event or in a call inside of it${left}`)
    expect(why(g, s, 3).up).toBe(`no flow of the trace ends in this event${left}`)
    expect(why(most, most.sources[0], 2).down).toBe('no flow begins in this event or in a call inside of it: it started no device work')
  })
})

describe('flows in a circle', () => {
  const calls = many(4, i => op(`op${i}`, 100 * i, 50))
  const node = fc.integer({ min: 0, max: 3 })

  it('are walked to an end: every event once, every link once', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(node, node), { maxLength: 12 }), fc.array(node, { maxLength: 8 }), async (pairs, steps) => {
        const end = { pid: 7, tid: 70 }
        const g = await chainOf([
          await traceSource([
            ...calls,
            ...pairs.flatMap(([a, b], i) => [flow('s', i, 100 * a + 10), flow('f', i, 100 * b + 10, end)]),
            // Steps of one flow that come back to where they were.
            flow('s', 99, 10),
            ...steps.map(k => flow('t', 99, 100 * k + 20)),
          ]),
        ])
        for (let from = 0; from < calls.length; from++)
          for (const down of [true, false]) {
            const w = await walk(g, from, down, 1000, NO_PAUSE)
            expect(new Set(w?.links).size).toBe(w?.links.length)
            expect(new Set(w?.nodes).size).toBe(w?.nodes.length)
            expect(w?.nodes).not.toContain(from)
          }
      }),
      { numRuns: 100 },
    ))

  it('lead to everything in the circle, both ways', async () => {
    const end = { pid: 7, tid: 70 }
    const g = await chainOf([
      await traceSource([
        ...calls,
        ...[0, 1, 2, 3].flatMap(i => [flow('s', i, 100 * i + 10), flow('f', i, 100 * ((i + 1) % 4) + 10, end)]),
      ]),
    ])
    expect(words(g)).toEqual(['op0 > op1 flow 0', 'op1 > op2 flow 1', 'op2 > op3 flow 2', 'op3 > op0 flow 3'])
    for (const down of [true, false]) expect([...(await reached(g, 1, down))].sort()).toEqual([0, 2, 3])
    expect((await walk(g, 1, true, 1000, NO_PAUSE))?.links.length).toBe(4)
  })
})

describe('the slice of a time', () => {
  it('is found among instants as by looking at every slice', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom('X', 'X', 'i', 'B', 'E'), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 12 })), {
          minLength: 1,
          maxLength: 25,
        }),
        fc.integer({ min: -1, max: 45 }),
        async (list, at) => {
          const { table } = await traceSource(list.map(([ph, ts, dur], i) => ({ ph, name: `e${i}`, cat: 'c', pid: 7, tid: 70, ts, dur })))
          if (table.kind !== 'chrome-trace') throw new Error('no trace')
          for (const t of buildTraceModel(table).tracks) {
            if (t.kind !== 'slices') continue
            const time = 1000 * at - Number(table.epochNs ?? 0n)
            const isSlice = (i: number): boolean => t.flags[i] === 0 || t.flags[i] === 2
            const all = Array.from({ length: t.row.length }, (_, i) => i).filter(isSlice)
            const over = (i: number): boolean => t.start[i] + t.duration[i] > time || (t.start[i] === time && t.duration[i] === 0)
            const covering = all.filter(i => t.start[i] <= time && over(i)).map(i => t.start[i])
            const found = innermostAt(t, time)
            if (covering.length > 0) expect(t.start[found]).toBe(Math.max(...covering))
            else if (found >= 0) expect(t.start[found] + t.duration[found]).toBe(time)
            else expect(all.some(i => t.start[i] + t.duration[i] === time)).toBe(false)
            const later = all.filter(i => t.start[i] >= time).map(i => t.start[i])
            const next = nextFrom(t, time)
            if (later.length === 0) expect(next).toBe(-1)
            else expect([isSlice(next), t.start[next]]).toEqual([true, Math.min(...later)])
          }
        },
      ),
      { numRuns: 200 },
    ))
})
