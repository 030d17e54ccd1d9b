import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FixtureEvent } from '../../formats/chrome-trace/fixture'
import { chainOf, linkWords, NO_PAUSE, reached, systemSource, traceSource } from '../../testing/chain'
import type { TestEvent } from '../../testing/system'
import { Groups } from './groups'
import type { ChainGraph } from './model'
import { sourceOf } from './nodes'
import { union, walk } from './walk'

const id = fc.integer({ min: 0, max: 6 })
const frameworkEvent = fc.record({
  kind: fc.constantFrom('op', 'work', 's', 't', 'f'),
  at: fc.integer({ min: 0, max: 400 }),
  dur: fc.integer({ min: 0, max: 120 }),
  tid: fc.integer({ min: 1, max: 2 }),
  pid: fc.integer({ min: 7, max: 8 }),
  id,
  seq: id,
})
const runtimeEvent = fc.record({
  name: fc.constantFrom('nrt_execute', 'kbl_exec_pre', 'nc_exec_running', 'cc_running'),
  at: fc.integer({ min: 0, max: 400 }),
  dur: fc.integer({ min: 0, max: 120 }),
  process: fc.integer({ min: 7, max: 8 }),
  core: fc.integer({ min: 4, max: 5 }),
  thread: fc.integer({ min: 1, max: 2 }),
  seq: fc.option(id, { nil: null }),
  exec: id,
})

type Framework = typeof frameworkEvent extends fc.Arbitrary<infer T> ? T : never
type Runtime = typeof runtimeEvent extends fc.Arbitrary<infer T> ? T : never
const HOST: Runtime = { name: 'nrt_execute', at: 0, dur: 40, process: 7, core: 4, thread: 1, seq: 3, exec: 1 }

async function graphOf(f: readonly Framework[], r: readonly Runtime[]): Promise<ChainGraph> {
  const events = f.map((e): FixtureEvent => {
    if (e.kind === 'op')
      return { ph: 'X', cat: 'cpu_op', name: 'op', pid: e.pid, tid: e.tid, ts: e.at, dur: e.dur, args: { 'External id': e.id } }
    if (e.kind === 'work')
      return {
        ...{ ph: 'X', cat: 'privateuse1_driver', name: 'work', pid: 0, tid: `stream ${e.tid}`, ts: e.at, dur: e.dur },
        args: { nrt_sequence_id: e.seq, 'External id': e.id },
      }
    const end = e.kind === 'f'
    return {
      ...{ ph: e.kind, id: e.id, cat: 'ac2g', name: 'ac2g', ts: e.at, pid: end ? 0 : e.pid, tid: end ? `stream ${e.tid}` : e.tid },
      ...(end ? { bp: 'e' } : {}),
    }
  })
  const runtime = r.map((e): TestEvent => {
    const hardware = e.name === 'nc_exec_running' || e.name === 'cc_running'
    return {
      ...{ name: e.name, at: e.at, dur: e.dur, process: e.process, thread: e.thread, nc: 0, exec: BigInt(e.exec) },
      ...(hardware ? { source: 'neuron_hw', core: e.core } : {}),
      ...(e.seq === null ? {} : { sequence: BigInt(e.seq) }),
    }
  })
  return chainOf([await traceSource(events), systemSource(runtime)])
}

/** ns of a runtime event of these graphs. */
function startOf(g: ChainGraph, node: number): number {
  const s = sourceOf(g.sources, node)
  return s.table.kind === 'system' ? s.table.start[node - s.base] : NaN
}

/** The event itself and the hardware events that lead to it. */
function rootsOf(g: ChainGraph, node: number): readonly number[] {
  const out = [node]
  for (const at of out)
    for (let k = g.upStart[at]; k < g.upStart[at + 1]; k++) {
      const from = g.from[g.upLink[k]]
      if (g.layer[from] === 4 && !out.includes(from)) out.push(from)
    }
  return out
}

describe('the graph', () => {
  it('says the same both ways: a is upstream of b exactly if b is downstream of a; every link once, downwards or level or to what of the host began later, within one process', () =>
    fc.assert(
      fc.asyncProperty(fc.array(frameworkEvent, { maxLength: 30 }), fc.array(runtimeEvent, { maxLength: 20 }), async (f, r) => {
        const g = await graphOf(f, r)
        const down = await Promise.all(Array.from({ length: g.count }, (_, n) => reached(g, n, true)))
        const up = await Promise.all(Array.from({ length: g.count }, (_, n) => reached(g, n, false)))
        for (let a = 0; a < g.count; a++)
          for (let b = 0; b < g.count; b++) if (a !== b) expect(up[b].has(a), `${a} ${b}`).toBe(down[a].has(b))
        const pairs = new Set<string>()
        for (let i = 0; i < g.to.length; i++) {
          pairs.add(`${g.from[i]} ${g.to[i]}`)
          const back = g.layer[g.from[i]] === 4 && g.layer[g.to[i]] === 3
          if (back) expect(startOf(g, g.from[i])).toBeLessThan(startOf(g, g.to[i]))
          else expect(g.layer[g.from[i]]).toBeLessThanOrEqual(g.layer[g.to[i]])
          if (g.layer[g.from[i]] === 3 && g.layer[g.to[i]] === 4) expect(startOf(g, g.from[i])).toBeLessThanOrEqual(startOf(g, g.to[i]))
          if (g.layer[g.to[i]] > 2) expect(g.process[g.from[i]], linkWords(g, i)).toBe(g.process[g.to[i]])
        }
        expect(pairs.size).toBe(g.to.length)
      }),
      { numRuns: 150 },
    ))

  it('reaches by sequence ids exactly what carries the same one in the same process and did not begin before', () =>
    fc.assert(
      fc.asyncProperty(fc.array(runtimeEvent, { maxLength: 24 }), async r => {
        const g = await graphOf([], r)
        const seq = (n: number): string | null => {
          const t = g.sources[1]?.table
          const row = n - (g.sources[1]?.base ?? 0)
          if (t?.kind !== 'system' || t.hasSequence[row] === 0 || t.sequence[row] === 0n) return null
          return `${g.processes[g.process[n]]} ${t.sequence[row]}`
        }
        for (let a = 0; a < g.count; a++) {
          if (g.layer[a] !== 3 || seq(a) === null) continue
          const below = await reached(g, a, true)
          for (let b = 0; b < g.count; b++)
            if (g.layer[b] === 4 && seq(b) !== null) {
              if (seq(a) !== seq(b) || startOf(g, a) > startOf(g, b)) expect(below.has(b), `${a} ${b}`).toBe(false)
              // What runs within another event of its core is led to by that one.
              else if (startOf(g, a) <= Math.min(...rootsOf(g, b).map(r => startOf(g, r)))) expect(below.has(b), `${a} ${b}`).toBe(true)
            }
        }
      }),
      { numRuns: 150 },
    ))

  it('is walked nearest first, each link once; what is over the limit is counted', async () => {
    const core = (n: number): Runtime => ({ ...HOST, name: 'nc_exec_running', at: 50, dur: 10, core: n })
    const g = await graphOf([], [core(4), core(5), HOST, { ...HOST, name: 'kbl_exec_pre', at: 5, dur: 10 }])
    const all = await walk(g, 2, true, 100, NO_PAUSE)
    expect(all?.links.map(l => linkWords(g, l))).toEqual([
      'nrt_execute > kbl_exec_pre parent',
      'kbl_exec_pre > nc_exec_running sequence 3',
      'kbl_exec_pre > nc_exec_running sequence 3',
    ])
    const some = await walk(g, 2, true, 1, NO_PAUSE)
    expect([some?.links.length, some?.cut, some?.nodes.length]).toEqual([1, 2, 3])
  })

  it('is given up when a newer question has come', async () => {
    const g = await graphOf(
      [
        { kind: 'work', at: 10, dur: 10, tid: 1, pid: 7, id: 1, seq: 3 },
        { kind: 'op', at: 0, dur: 10, tid: 1, pid: 7, id: 1, seq: 1 },
      ],
      Array.from({ length: 160 }, (_, i): Runtime => ({
        ...HOST,
        name: i % 2 ? 'nc_exec_running' : 'nrt_execute',
        at: 20 + i,
        dur: 1,
        thread: i,
      })),
    )
    let pauses = 0
    const over = { due: true, pause: () => Promise.resolve(++pauses > 0) }
    // A pause comes after some thousand links.
    expect(await walk(g, 1, true, 10, over)).toBeNull()
    expect(pauses).toBe(1)
    expect(await walk(g, 1, true, 10, NO_PAUSE)).not.toBeNull()
  })
})

describe('parts', () => {
  it('nesting of many events of one execution is that of few: by brute force', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 4, max: 5 })), {
          minLength: 2,
          maxLength: 60,
        }),
        async list => {
          const g = await chainOf([
            systemSource(list.map(([at, dur, core]) => ({ name: 'cc_running', source: 'neuron_hw', nc: 0, core, at, dur, sequence: 1n }))),
          ])
          const { table } = g.sources[0] as (typeof g.sources)[number]
          if (table.kind !== 'system') throw new Error('no system table')
          const end = (i: number): number => table.start[i] + table.duration[i]
          const before = (a: number, b: number): boolean =>
            table.start[a] !== table.start[b] ? table.start[a] < table.start[b] : end(a) !== end(b) ? end(a) > end(b) : a < b
          const expected: string[] = []
          for (let i = 0; i < table.count; i++) {
            const around = Array.from({ length: table.count }, (_, k) => k).filter(
              k => k !== i && table.places.core[table.place[k]] === table.places.core[table.place[i]] && before(k, i) && end(k) >= end(i),
            )
            const inner = around.find(k => around.every(o => o === k || before(o, k)))
            if (inner !== undefined) expected.push(`${inner} ${i}`)
          }
          expect(Array.from(g.to, (to, i) => `${g.from[i]} ${to}`).sort()).toEqual(expected.sort())
        },
      ),
      { numRuns: 200 },
    ))

  it('groups hold what was added under an id, by brute force', () =>
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.integer({ min: 0, max: 2 }),
            fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(v => (v % 7n === 0n ? v : v % 5n)),
          ),
          { maxLength: 2000 },
        ),
        list => {
          const g = new Groups()
          const plain = new Map<string, number[]>()
          list.forEach(([space, v], node) => {
            g.add(space, Number(v & 0xffffffffn), Number(v >> 32n), node)
            const key = `${space} ${v}`
            plain.set(key, [...(plain.get(key) ?? []), node])
          })
          expect(g.count).toBe(plain.size)
          for (const [key, nodes] of plain) {
            const [space, v] = key.split(' ')
            const at = g.of(Number(space), Number(BigInt(v) & 0xffffffffn), Number(BigInt(v) >> 32n))
            expect(Array.from(g.members(at))).toEqual(nodes)
          }
          expect(g.of(3, 1, 1)).toBe(-1)
        },
      ),
    ))

  it('the union of intervals is counted by brute force', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 20 })), { maxLength: 20 }), list => {
        const covered = new Set(list.flatMap(([s, d]) => Array.from({ length: d }, (_, i) => s + i)))
        expect(
          union(
            Float64Array.from(list, l => l[0]),
            Float64Array.from(list, l => l[0] + l[1]),
          ),
        ).toBe(covered.size)
      }),
    ))
})
