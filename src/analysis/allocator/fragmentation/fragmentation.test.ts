/** Figures against brute force on the simulated allocator's own blocks, and on every sample; requests against the simulated allocator. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MIB, snapshotBytes, type FixtureSegment, type FixtureSnapshot } from '../../../formats/memory-snapshot/fixture'
import { allocatorOptions, allocatorSteps, simulateSteps } from '../../../testing/allocator-steps'
import { guideSnapshot } from '../../../testing/guide-snapshot'
import { plainOf, type PlainSegment } from '../../../testing/naive-memory'
import { snapshotFiles, tableOf } from '../../../testing/snapshots'
import type { AllocatorModel } from '../model'
import { replayAll } from '../replay'
import { stateAt } from '../state/stateAt'
import { fragmentation, type Fragmentation } from './figures'
import { wouldFit } from './request'

const open = async (s: FixtureSnapshot) => {
  const table = await tableOf(snapshotBytes(s))
  return { table, model: replayAll(table)[0] as AllocatorModel }
}
const figuresOf = (
  table: Awaited<ReturnType<typeof open>>['table'],
  model: AllocatorModel,
  event: number,
  capacity: number | null,
): Fragmentation => {
  const state = stateAt(table, model, event)
  if ('reason' in state) throw new Error(state.reason)
  return fragmentation(table, model, state, capacity)
}

/** The figures from the blocks as they are listed, by sums over lists. */
function brute(list: readonly PlainSegment[], capacity: number) {
  const segments = list
    .map(s => ({ from: BigInt(s.address), to: BigInt(s.address) + BigInt(s.total_size), ...s }))
    .sort((a, b) => (a.from < b.from ? -1 : 1))
  const blocks = segments.flatMap(s => s.blocks)
  const sum = (l: readonly number[]): number => l.reduce((a, b) => a + b, 0)
  const free = blocks.filter(b => b.state === 'inactive').map(b => b.size)
  const allocated = blocks.filter(b => b.state === 'active_allocated')
  const reserved = sum(segments.map(s => s.total_size))
  const span = segments.length > 0 ? Number((segments.at(-1)?.to ?? 0n) - (segments[0]?.from ?? 0n)) : 0
  const gaps = segments.slice(1).map((s, i) => Number(s.from - (segments[i]?.to ?? 0n)))
  const region = span > capacity ? null : Math.max(capacity - span, ...gaps)
  const internal = sum(allocated.map(b => b.size - (b.requested_size ?? 0)))
  const totalFree = capacity - reserved + sum(free)
  const external = region === null ? null : capacity - reserved - region
  return {
    reservedBytes: reserved,
    allocatedBytes: sum(allocated.map(b => b.size)),
    cachedBytes: sum(free),
    internalBytes: internal,
    largestFreeChunk: Math.max(0, ...free),
    density: segments.length > 0 ? reserved / span : null,
    emptyCacheBytes: sum(segments.filter(s => s.blocks.every(b => b.state === 'inactive')).map(s => s.total_size)),
    totalFreeBytes: totalFree,
    externalBytes: external,
    index: external === null ? null : (internal + external) / totalFree,
  }
}
type Brute = ReturnType<typeof brute>
const some = (f: Fragmentation | Fragmentation['pools']['small'], keys: readonly string[]): object =>
  Object.fromEntries(keys.map(k => [k, (f as unknown as Record<string, unknown>)[k]]))
const POOL_KEYS = ['reservedBytes', 'allocatedBytes', 'cachedBytes', 'internalBytes', 'largestFreeChunk', 'density', 'emptyCacheBytes']
const only = (b: Brute, keys: readonly string[]): object => Object.fromEntries(Object.entries(b).filter(([k]) => keys.includes(k)))

test("the guide's example, by hand", async () => {
  const { table, model } = await open(guideSnapshot())
  const gib = 1024 * MIB
  expect(figuresOf(table, model, 2, 12 * gib)).toMatchObject({
    ...{
      reservedBytes: 64 * MIB,
      allocatedBytes: 12 * MIB,
      cachedBytes: 52 * MIB,
      internalBytes: 0,
      largestFreeChunk: 52 * MIB,
      density: 1,
    },
    ...{ emptyCacheBytes: 0, totalFreeBytes: 12 * gib - 12 * MIB, externalBytes: 0, index: 0, reasons: {} },
  })
  expect(figuresOf(table, model, 2, null)).toMatchObject({
    ...{ totalFreeBytes: null, externalBytes: null, index: null, capacityBytes: null },
    reasons: { externalBytes: "a snapshot does not hold the device's capacity" },
  })
})

test('gaps between segments are external fragmentation, rounding is internal', async () => {
  const s = guideSnapshot()
  const second = s.segments[1] as FixtureSegment
  second.address = (second.address as number) + 32 * MIB
  for (const b of second.blocks) Object.assign(b, { address: second.address, requested_size: 64 * MIB - 100 })
  for (const e of s.device_traces[0]?.slice(3) ?? [])
    Object.assign(e, { addr: second.address }, e.action === 'alloc' ? { size: 64 * MIB - 100 } : {})
  const { table, model } = await open(s)
  const f = figuresOf(table, model, model.events - 1, 1024 * MIB)
  expect(f).toMatchObject({ internalBytes: 100, externalBytes: 32 * MIB, density: 128 / 160, largestFreeRegion: 864 * MIB })
  expect(f.index).toBe((100 + 32 * MIB) / (1024 * MIB - 76 * MIB))
  expect(figuresOf(table, model, model.events - 1, 159 * MIB)).toMatchObject({
    externalBytes: null,
    index: null,
    totalFreeBytes: (159 - 76) * MIB,
  })
  expect(figuresOf(table, model, model.events - 1, 100 * MIB).reasons['index']).toContain('less than what is reserved')
})

test('random histories: after every step, pools apart, and what empty_cache gives back', async () => {
  let states = 0
  const capacity = 2 ** 45
  await fc.assert(
    fc.asyncProperty(allocatorSteps, allocatorOptions, async (steps, o) => {
      const seen: [number, readonly FixtureSegment[]][] = []
      const sim = simulateSteps(steps, o, (events, segments) => seen.push([events - 1, segments]))
      fc.pre(seen.length > 0)
      const before = sim.snapshot().segments
      sim.emptyCache()
      const returned = [before, sim.snapshot().segments].map(l => l.reduce((n, s) => n + s.total_size, 0)).reduce((a, b) => a - b)
      const { table, model } = await open(sim.snapshot())
      for (const [event, segments] of seen) {
        const f = figuresOf(table, model, event, capacity)
        const want = brute(segments as unknown as PlainSegment[], capacity)
        expect(some(f, Object.keys(want))).toEqual(want)
        if (!f.pools.unknown)
          for (const pool of ['small', 'large'] as const) {
            const part = segments.filter(s => s['segment_type'] === pool) as unknown as PlainSegment[]
            expect(some(f.pools[pool], POOL_KEYS)).toEqual(only(brute(part, capacity), POOL_KEYS))
          }
        states++
      }
      const last = figuresOf(table, model, (seen.at(-1) as [number, unknown])[0], null)
      if (!last.pools.unknown) expect(last.emptyCacheBytes + (last.emptyCachePageBytes ?? NaN)).toBe(returned)
    }),
    { numRuns: 40 },
  )
  expect(states).toBeGreaterThan(500)
}, 60_000)

describe('at the end of every sample, from its table', () => {
  for (const [name, read, path] of snapshotFiles())
    test(name, async () => {
      const table = await read()
      const plain = plainOf(name, path, table)
      for (const model of replayAll(table)) {
        for (const capacity of [2 ** 36, 2 ** 47]) {
          const f = figuresOf(table, model, model.events - 1, capacity)
          const own = plain.segments.filter(s => (s.device ?? 0) === model.device)
          if (name.startsWith('trimmed')) {
            expect(f).toMatchObject({ internalBytes: null, cachedBytes: null, largestFreeChunk: null, index: null })
            expect(f.reasons['internalBytes']).toContain('not known')
            continue
          }
          const { emptyCacheBytes, ...want } = brute(own, capacity)
          expect(some(f, Object.keys(want))).toEqual(want)
          expect(f.emptyCacheBytes + f.privateFreeBytes).toBe(emptyCacheBytes)
        }
      }
    })
})

describe('would it fit', () => {
  test('as the simulated allocator does: in a free chunk, or in a new segment of that size', async () => {
    const how: Record<string, number> = {}
    await fc.assert(
      fc.asyncProperty(allocatorSteps, allocatorOptions, fc.integer({ min: 1, max: 80 * MIB }), async (steps, o, size) => {
        const sim = simulateSteps(
          steps.map(s => (s.do === 'alloc' ? { ...s, stream: 0, pool: 0 } : s)),
          o,
          () => undefined,
        )
        fc.pre(sim.events.length > 0)
        const { table, model } = await open(sim.snapshot())
        const state = stateAt(table, model, model.events - 1)
        if ('reason' in state) throw new Error(state.reason)
        const answer = wouldFit(table, model, state, fragmentation(table, model, state, 2 ** 45), size)
        const before = sim.events.length
        sim.alloc(size, 0, 0)
        const grown = sim.events.slice(before).filter(e => e.action.startsWith('segment'))
        expect([answer.fits, answer.how]).toEqual([true, grown.length > 0 ? 'new-segment' : 'cached-chunk'])
        if (grown[0] && !o.expandable) expect(answer.segmentBytes).toBe(grown[0].size)
        how[answer.how ?? ''] = (how[answer.how ?? ''] ?? 0) + 1
      }),
      { numRuns: 80 },
    )
    expect(how['new-segment']).toBeGreaterThan(5)
    expect(how['cached-chunk']).toBeGreaterThan(5)
  }, 60_000)

  test('reasons, on the guide’s example', async () => {
    const { table, model } = await open(guideSnapshot())
    const ask = (request: number, capacity: number | null, event = 2) => {
      const state = stateAt(table, model, event)
      if ('reason' in state) throw new Error(state.reason)
      return wouldFit(table, model, state, fragmentation(table, model, state, capacity), request)
    }
    expect(ask(52 * MIB, null)).toMatchObject({ fits: true, how: 'cached-chunk', chunkBytes: 52 * MIB, pool: 'large', stream: '0' })
    expect(ask(60 * MIB, null)).toMatchObject({
      fits: null,
      segmentBytes: 60 * MIB,
      why: expect.stringContaining('without its capacity') as unknown,
    })
    expect(ask(60 * MIB, 128 * MIB)).toMatchObject({ fits: true, how: 'new-segment' })
    expect(ask(60 * MIB, 100 * MIB)).toMatchObject({ fits: false, how: null, largestFreeChunk: 52 * MIB })
    // 64 MiB are free of 192, but 32 of them lie between the segments.
    const split = guideSnapshot()
    const second = split.segments[1] as FixtureSegment
    second.address = (second.address as number) + 32 * MIB
    for (const b of second.blocks) Object.assign(b, { address: second.address })
    for (const e of split.device_traces[0]?.slice(3) ?? []) Object.assign(e, { addr: second.address })
    const apart = await open(split)
    const state = stateAt(apart.table, apart.model, 4)
    if ('reason' in state) throw new Error(state.reason)
    const answer = wouldFit(apart.table, apart.model, state, fragmentation(apart.table, apart.model, state, 192 * MIB), 60 * MIB)
    expect(answer).toMatchObject({ fits: null, segmentBytes: 60 * MIB, why: expect.stringContaining('largest piece') as unknown })
    // Before the first alloc the segment is wholly free.
    expect(ask(80 * MIB, 100 * MIB, 0)).toMatchObject({ fits: true, how: 'after-empty-cache' })
    expect(ask(100, 100 * MIB)).toMatchObject({ pool: 'small', blockBytes: 512, how: 'new-segment', segmentBytes: 2 * MIB })
  })
})
