/** Stats against a naive replay and a simulated allocator; the table of the guide's example. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exampleSnapshot, MIB, snapshotBytes } from '../../../formats/memory-snapshot/fixture'
import { guideSnapshot, GUIDE_TABLE } from '../../../testing/guide-snapshot'
import { allocatorOptions, allocatorSteps, simulateSteps } from '../../../testing/allocator-steps'
import { plainAllocations, type PlainAllocation, type PlainSnapshot } from '../../../testing/naive-memory'
import { eachSampleModel } from '../../../testing/sample-models'
import { tableOf } from '../../../testing/snapshots'
import type { AllocatorModel } from '../model'
import { replayAll } from '../replay'
import { memoryStats } from './stats'
import { bytesText, summaryTable } from './table'

const open = async (data: Uint8Array) => {
  const table = await tableOf(data)
  return { table, model: replayAll(table)[0] as AllocatorModel }
}

describe("the guide's example", () => {
  test('prints its table, then a peak of 79691776 since that moment', async () => {
    const { table, model } = await open(snapshotBytes(guideSnapshot()))
    const first = memoryStats(table, model, -1, 2)
    expect(summaryTable(first)).toBe(GUIDE_TABLE)
    const { stats } = memoryStats(table, model, 2, model.events - 1)
    expect(stats['allocated_bytes.all.peak']).toBe(79_691_776)
    expect([stats['allocated_bytes.all.allocated'], stats['reserved_bytes.all.current']]).toEqual([64 * MIB, 128 * MIB])
    expect(first.notes).toEqual([])
  })
})

/** The states of a naive replay from `from` to `to`, summed one by one. */
function naive(all: readonly PlainAllocation[], from: number, to: number) {
  const allocated = (a: PlainAllocation, e: number): boolean => a.alloc <= e && Math.min(a.requested, a.freed) > e
  const active = (a: PlainAllocation, e: number): boolean => a.alloc <= e && a.freed > e
  const sum = (e: number, on: typeof active, v: (a: PlainAllocation) => number): number =>
    all.reduce((n, a) => n + (on(a, e) ? v(a) : 0), 0)
  const figures = (name: string, on: typeof active, v: (a: PlainAllocation) => number): [string, number][] => {
    const states = Array.from({ length: to - from + 1 }, (_, k) => sum(from + k, on, v))
    const within = (e: number): boolean => e > from && e <= to
    const end = (a: PlainAllocation): number => (on === active ? a.freed : Math.min(a.requested, a.freed))
    return [
      [`${name}.current`, states.at(-1) as number],
      [`${name}.peak`, Math.max(...states)],
      [`${name}.allocated`, all.reduce((n, a) => n + (within(a.alloc) ? v(a) : 0), 0)],
      [`${name}.freed`, all.reduce((n, a) => n + (within(end(a)) && end(a) >= 0 ? v(a) : 0), 0)],
    ]
  }
  // Between 1 MB and 1 MiB a request does not tell its pool.
  const told = all.every(a => a.size < 1_000_000 || a.size > MIB)
  return Object.fromEntries([
    ...figures('allocation.all', allocated, () => 1),
    ...figures('requested_bytes.all', allocated, a => a.size),
    ...figures('active.all', active, () => 1),
    ...(told ? figures('requested_bytes.large_pool', allocated, a => (a.size > MIB ? a.size : 0)) : []),
  ])
}

test('random histories, random ranges', async () => {
  let ranges = 0
  await fc.assert(
    fc.asyncProperty(
      allocatorSteps,
      allocatorOptions,
      fc.array(fc.tuple(fc.nat(1000), fc.nat(1000)), { minLength: 3, maxLength: 3 }),
      async (steps, o, picks) => {
        const seen: [number, number, number][] = []
        const sim = simulateSteps(steps, o, (events, segments) => {
          const bytes = (state: string): number =>
            segments
              .flatMap(s => s.blocks)
              .reduce((n, b) => n + (b.state !== 'inactive' && (state === '' || b.state === state) ? b.size : 0), 0)
          seen.push([events - 1, bytes(''), segments.reduce((n, s) => n + s.total_size, 0)])
        })
        fc.pre(seen.length > 0)
        const s = sim.snapshot()
        const { table, model } = await open(snapshotBytes(s))
        const all = plainAllocations(s as unknown as PlainSnapshot, 0)
        for (const [a, b] of picks) {
          const [from, to] = [a % (model.events + 1), b % (model.events + 1)].sort((x, y) => x - y).map(e => e - 1) as [number, number]
          const { stats } = memoryStats(table, model, from, to)
          const want = naive(all, from, to)
          expect(Object.fromEntries(Object.keys(want).map(k => [k, stats[k]]))).toEqual(want)
          const blocks = sim.allocated.slice(Math.max(0, from), to + 1)
          if (from < 0) blocks.unshift(0)
          expect([stats['allocated_bytes.all.current'], stats['allocated_bytes.all.peak']]).toEqual([blocks.at(-1), Math.max(...blocks)])
          ranges++
        }
        for (const [event, active, reserved] of seen) {
          const { stats } = memoryStats(table, model, -1, event)
          expect([stats['active_bytes.all.current'], stats['reserved_bytes.all.current']]).toEqual([active, reserved])
          const [large, small] = [stats['reserved_bytes.large_pool.current'], stats['reserved_bytes.small_pool.current']]
          if (large !== null && large !== undefined && small !== null && small !== undefined) expect(large + small).toBe(reserved)
        }
      },
    ),
    { numRuns: 25 },
  )
  expect(ranges).toBeGreaterThan(60)
}, 60_000)

eachSampleModel(({ table, model, all }) => {
  const n = model.events
  // One entry beside what was there before is what a recording of the state alone leaves.
  const state = n === 0 || (n === 1 && all.some(a => a.alloc < 0))
  for (const [from, to] of [
    [-1, Math.min(n - 1, 150)],
    [Math.max(-1, (n >> 1) - 80), Math.max(-1, Math.min(n - 1, (n >> 1) + 40))],
  ] as const) {
    const { stats, allocations } = memoryStats(table, model, from, to)
    for (const [k, v] of Object.entries(naive(all, from, to)))
      if (state && /allocated$|freed$/.test(k)) expect([k, stats[k]]).toEqual([k, null])
      else expect([k, stats[k]]).toEqual([k, v])
    expect(allocations === null).toBe(state)
  }
  const whole = memoryStats(table, model, -1, n - 1)
  expect(whole.stats['reserved_bytes.all.current']).toBe(model.figures.endReservedBytes)
  expect(whole.stats['reserved_bytes.all.peak']).toBe(model.figures.peakReservedBytes)
  expect(whole.stats['requested_bytes.all.peak']).toBe(model.figures.peakAllocatedBytes)
  const { peakBytes } = model.figures.blockRounded
  expect(whole.stats['allocated_bytes.all.peak']).toBe(Number.isNaN(peakBytes) ? null : peakBytes)
})

test('what the data cannot tell is null', async () => {
  const s = exampleSnapshot()
  const { table, model } = await open(snapshotBytes(s))
  // A segment came and went, and memory was refused.
  expect(memoryStats(table, model, -1, model.events - 1)).toMatchObject({ ooms: 1, retries: null })
  const one = s.segments[0]?.blocks[1]
  if (one) one.size += 512
  const refuted = await open(snapshotBytes(s))
  const { stats, notes } = memoryStats(refuted.table, refuted.model, -1, refuted.model.events - 1)
  expect(stats).toMatchObject({ 'allocated_bytes.all.peak': null, 'allocated_bytes.all.allocated': null, num_sync_all_streams: null })
  // At the end the table has every block.
  expect(stats['allocated_bytes.all.current']).toBe(refuted.model.figures.blockRounded.endBytes)
  expect(notes.join(' ')).toContain('Block sizes are not known')
  expect(summaryTable(memoryStats(refuted.table, refuted.model, -1, 3))).toContain('  Requested Memory   |')
})

test('units of the table', () => {
  expect([0, 1023, 1024, 1536, 12 * MIB, 76.5 * MIB, 1024 * MIB, null].map(bytesText)).toEqual(['0 B', '1023 B', '1 KiB', '1.5 KiB', '12 MiB', '76.5 MiB', '1 GiB', '—']) // prettier-ignore
})
