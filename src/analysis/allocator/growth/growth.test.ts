/** Growth and comparison against naive sums; normalisation of paths. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frame, snapshotBytes, type FixtureEvent, type FixtureSnapshot } from '../../../formats/memory-snapshot/fixture'
import { allocatorOptions, allocatorSteps, simulateSteps } from '../../../testing/allocator-steps'
import { plainAllocations, plainGroups, plainLive, type PlainSnapshot } from '../../../testing/naive-memory'
import { eachSampleModel } from '../../../testing/sample-models'
import { tableOf } from '../../../testing/snapshots'
import { GROUP_BY } from '../live/keys'
import type { AllocatorModel } from '../model'
import { replayAll } from '../replay'
import { compareLive } from './compare'
import { growthBetween } from './growth'
import { pathsOf } from './paths'

const named = (key: string): string => (key === '' ? '(no file)' : key)
/** Frames by the place of the event, in `root`. */
function withFrames(s: FixtureSnapshot, root: string, seed: number): FixtureSnapshot {
  const frames = (i: number) => (i % 5 === 0 ? [] : [frame('f', `${root}/m/${i % 3}.py`, i % 4), frame('main', `${root}/main.py`, 1)])
  s.device_traces[0] = (s.device_traces[0] as FixtureEvent[]).map((e, i) => ({ ...e, frames: frames(i + seed) }))
  return s
}

test('growth on random histories: the sums, the groups, and that the books balance', async () => {
  let grown = 0
  await fc.assert(
    fc.asyncProperty(allocatorSteps, allocatorOptions, fc.nat(1000), fc.nat(1000), async (steps, o, x, y) => {
      const sim = simulateSteps(steps, o, () => undefined)
      fc.pre(sim.events.length > 0)
      const s = withFrames(sim.snapshot(), '/p', x)
      const table = await tableOf(snapshotBytes(s))
      const model = replayAll(table)[0] as AllocatorModel
      const all = plainAllocations(s as unknown as PlainSnapshot, 0)
      const [from, to] = [x % (model.events + 1), y % (model.events + 1)].sort((a, b) => a - b).map(e => e - 1) as [number, number]
      for (const by of GROUP_BY) {
        const got = growthBetween(table, model, from, to, by)
        const want = plainGroups(
          plainLive(all, to).filter(a => a.alloc > from),
          by,
        )
        expect(got.groups).toEqual(want.map(g => ({ ...g, key: named(g.key) })))
        expect(got.toBytes).toBe((got.fromBytes ?? NaN) + (got.totalBytes ?? NaN) - (got.freedBytes ?? NaN))
        expect(got.toBytes).toBe(to < 0 ? 0 : model.active[to])
        grown += got.count
      }
    }),
    { numRuns: 40 },
  )
  expect(grown).toBeGreaterThan(200)
}, 60_000)

test('two random histories with their code in different folders', async () => {
  let same = 0
  await fc.assert(
    fc.asyncProperty(allocatorSteps, allocatorSteps, allocatorOptions, async (first, second, o) => {
      const sims = [first, second].map(steps => simulateSteps(steps, o, () => undefined))
      fc.pre(sims.every(s => s.events.length > 0))
      const [a, b] = sims.map((s, i) => withFrames(s.snapshot(), i === 0 ? '/home/u/run' : '/scratch/v', 0)) as [
        FixtureSnapshot,
        FixtureSnapshot,
      ]
      const side = async (s: FixtureSnapshot) => {
        const table = await tableOf(snapshotBytes(s))
        const model = replayAll(table)[0] as AllocatorModel
        return { table, model, event: model.events - 1 }
      }
      const got = compareLive(await side(a), await side(b), 'stack')
      // The same frames in one folder: naive sums by key.
      const plain = [a, b].map(s => {
        const moved = withFrames(structuredClone(s), '…', 0) as unknown as PlainSnapshot
        return new Map(plainGroups(plainLive(plainAllocations(moved, 0), 1e9), 'stack').map(g => [g.key, g]))
      })
      const total = (m: ReadonlyMap<string, { readonly bytes: number }>): number => [...m.values()].reduce((n, g) => n + g.bytes, 0)
      const sum = got.groups.reduce((n, g) => n + (g.diffBytes ?? NaN), 0)
      expect([got.diffBytes, sum]).toEqual([total(plain[1] as never) - total(plain[0] as never), got.diffBytes])
      for (const g of got.groups) {
        // Files that only one of them has keep their folder.
        const key = g.key.replaceAll(/\/home\/u\/run|\/scratch\/v/g, '…')
        if (g.key === key) expect([g.aBytes, g.bBytes]).toEqual(plain.map(p => p.get(key)?.bytes ?? 0))
        if (g.aCount > 0 && g.bCount > 0) same++
      }
    }),
    { numRuns: 30 },
  )
  expect(same).toBeGreaterThan(30)
}, 60_000)

eachSampleModel(({ table, model, all }) => {
  const n = model.events
  for (const [from, to] of [
    [-1, n - 1],
    [n >> 2, n >> 1],
    [n >> 1, model.figures.peakActiveEvent],
  ].map(r => r.map(e => Math.min(e, n - 1)).sort((x, y) => x - y)) as [number, number][])
    for (const by of GROUP_BY)
      expect(growthBetween(table, model, from, to, by).groups).toEqual(
        plainGroups(
          plainLive(all, to).filter(a => a.alloc > from),
          by,
        ),
      )
  // A snapshot and itself differ in nothing; its start and its end in what was allocated and freed.
  const end = { table, model, event: n - 1 }
  const nothing = compareLive(end, end, 'stack')
  expect(nothing.roots).toEqual([])
  expect(nothing.groups.every(g => g.diffBytes === 0 && g.diffCount === 0)).toBe(true)
  const both = compareLive({ ...end, event: -1 }, end, 'size')
  const [before, after] = [-1, n - 1].map(e => new Map(plainGroups(plainLive(all, e), 'size').map(g => [g.key, g.bytes])))
  expect(new Map(both.groups.map(g => [g.key, g.diffBytes]))).toEqual(
    new Map(
      [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].map(k => [k, (after?.get(k) ?? 0) - (before?.get(k) ?? 0)]),
    ),
  )
})

describe('paths', () => {
  const files = ['main.py', 'model/block.py', 'model/__init__.py', 'data/__init__.py']
  test('hosts, users and environments', () => {
    const p = pathsOf(
      [
        ...files.map(f => `/home/ann/job/${f}`),
        '/opt/venv/lib/python3.10/site-packages/torch/nn/linear.py',
        '/usr/lib/python3.10/abc.py',
        '/shared/x.py',
        '??',
        '',
      ],
      [
        ...files.map(f => `/mnt/bob/w/job2/${f}`),
        '/conda/lib/python3.11/site-packages/torch/nn/linear.py',
        '/conda/lib/python3.11/abc.py',
        '/shared/x.py',
        '??',
        '',
      ],
    )
    expect(p.roots).toEqual([{ a: '/home/ann/job', b: '/mnt/bob/w/job2', files: 4 }])
    for (const f of files) expect([p.a(`/home/ann/job/${f}`), p.b(`/mnt/bob/w/job2/${f}`)]).toEqual([`…/${f}`, `…/${f}`])
    expect(p.a('/opt/venv/lib/python3.10/site-packages/torch/nn/linear.py')).toBe('torch/nn/linear.py')
    expect([p.a('/usr/lib/python3.10/abc.py'), p.b('/conda/lib/python3.11/abc.py')]).toEqual(['python/abc.py', 'python/abc.py'])
    for (const f of ['/shared/x.py', '??', '']) expect([p.a(f), p.b(f)]).toEqual([f, f])
  })
  test('files of one name in other folders are not taken for one; Windows', () => {
    const p = pathsOf(['/a/x/__init__.py', '/a/y/__init__.py'], ['/b/y/__init__.py'])
    expect([p.a('/a/x/__init__.py'), p.a('/a/y/__init__.py'), p.b('/b/y/__init__.py')]).toEqual([
      '/a/x/__init__.py',
      '…/y/__init__.py',
      '…/y/__init__.py',
    ])
    const w = pathsOf(['C:\\u\\job\\m\\b.py'], ['/home/u/job/m/b.py'])
    expect([w.a('C:\\u\\job\\m\\b.py'), w.b('/home/u/job/m/b.py')]).toEqual(['…/u/job/m/b.py', '…/u/job/m/b.py'])
  })
  test('names stay apart that were apart', () => {
    const part = fc.constantFrom('a', 'b', 'c', 'x.py', 'y.py')
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map(p => '/' + p.join('/'))
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), fc.uniqueArray(path, { maxLength: 12 }), (a, b) => {
        const p = pathsOf(a, b)
        expect(new Set(a.map(p.a)).size).toBe(a.length)
        expect(new Set(b.map(p.b)).size).toBe(b.length)
      }),
    )
  })
})
