/** Groups of what is live against a naive replay, on random histories and on every sample. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { exampleSnapshot, frame, snapshotBytes, type FixtureEvent, type FixtureSnapshot } from '../../../formats/memory-snapshot/fixture'
import { allocatorOptions, allocatorSteps, simulateSteps } from '../../../testing/allocator-steps'
import { plainAllocations, plainGroups, plainLive, type PlainSnapshot } from '../../../testing/naive-memory'
import { eachSampleModel } from '../../../testing/sample-models'
import { tableOf } from '../../../testing/snapshots'
import type { AllocatorModel } from '../model'
import { replayAll } from '../replay'
import { GROUP_BY } from './keys'
import { liveAt } from './live'
import { eventOf } from './moments'

const STACKS = [
  undefined,
  [],
  [frame('a', '/p/x.py', 1)],
  [frame('a', '/p/x.py', 1), frame('main', '/p/main.py', 9)],
  [frame('b', '/p/x.py', 2), frame('main', '/p/main.py', 9)],
  [frame('b', '', 0)],
]

test('random histories, at every event and by every key', async () => {
  let groups = 0
  await fc.assert(
    fc.asyncProperty(
      allocatorSteps,
      allocatorOptions,
      fc.nat(1000),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (steps, o, seed, share) => {
        const sim = simulateSteps(steps, o, () => undefined)
        fc.pre(sim.events.length > 0)
        const s = sim.snapshot(Math.floor(share * sim.events.length))
        const some = (i: number) => STACKS[(i * 7 + seed) % STACKS.length]
        const events = s.device_traces[0] as FixtureEvent[]
        const withFrames = <T extends object>(v: T, i: number): T => {
          const copy: T & { frames?: unknown } = { ...v, frames: some(i) }
          if (copy.frames === undefined) delete copy.frames
          return copy
        }
        s.device_traces[0] = events.map(withFrames)
        s.segments.forEach(g => (g.blocks = g.blocks.map(withFrames)))
        const table = await tableOf(snapshotBytes(s))
        const model = replayAll(table)[0] as AllocatorModel
        const all = plainAllocations(s as unknown as PlainSnapshot, 0)
        for (let e = -1; e < model.events; e += 3)
          for (const by of GROUP_BY) {
            const got = liveAt(table, model, e, by)
            const want = plainGroups(plainLive(all, e), by).map(g => (g.key === '' ? { ...g, key: '(no file)' } : g))
            expect(got.groups).toEqual(want)
            expect(got.totalBytes).toBe(e < 0 ? model.figures.startActiveBytes : model.active[e])
            groups += want.length
          }
      },
    ),
    { numRuns: 40 },
  )
  expect(groups).toBeGreaterThan(1000)
}, 60_000)

eachSampleModel(({ table, model, all }) => {
  const events = new Set(
    [-1, eventOf(model, 'peak'), model.events - 1, model.events >> 1, model.events >> 2].map(e => Math.min(e, model.events - 1)),
  )
  for (const e of events)
    for (const by of GROUP_BY) {
      const got = liveAt(table, model, e, by)
      expect(got.groups).toEqual(plainGroups(plainLive(all, e), by))
      expect(got.groups.reduce((n, g) => n + (g.bytes ?? NaN), 0)).toBe(e < 0 ? model.figures.startActiveBytes : model.active[e])
    }
  expect(liveAt(table, model, eventOf(model, 'peak'), 'stack').totalBytes).toBe(model.figures.peakActiveBytes)
})

test('a size that the file does not hold makes its group and the total null', async () => {
  const s: FixtureSnapshot = exampleSnapshot()
  ;(s.device_traces[1] as FixtureEvent[]).push({ action: 'alloc', addr: 64, size: null as unknown as number, stream: 0, frames: [] })
  const table = await tableOf(snapshotBytes(s))
  const model = replayAll(table)[0] as AllocatorModel
  const { totalBytes, groups } = liveAt(table, model, eventOf(model, 'end'), 'stack')
  expect(totalBytes).toBeNull()
  expect(groups[0]).toEqual({ key: '(no stack)', bytes: null, count: 1 })
  expect(groups.slice(1).every(g => g.bytes !== null)).toBe(true)
})

test('moments', async () => {
  const model = replayAll(await tableOf(snapshotBytes(exampleSnapshot())))[0] as AllocatorModel
  expect([eventOf(model, 'start'), eventOf(model, 'end'), eventOf(model, 3)]).toEqual([-1, model.events - 1, 3])
  for (const bad of [-2, model.events, 0.5, NaN]) expect(() => eventOf(model, bad)).toThrow(RangeError)
})
