/** The state at a moment against what a simulated allocator held then, and at the end against the segment table. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  exampleSnapshot,
  snapshotBytes,
  type FixtureEvent,
  type FixtureSegment,
  type FixtureSnapshot,
} from '../../../formats/memory-snapshot/fixture'
import { BLOCK_STATES, type SnapshotTable } from '../../../shared/tables'
import { allocatorOptions, allocatorSteps, simulateSteps } from '../../../testing/allocator-steps'
import { snapshotFiles, tableOf } from '../../../testing/snapshots'
import type { AllocatorModel } from '../model'
import { replayAll } from '../replay'
import { roundingSettings, roundSize } from '../rounding'
import { SIZE_POOLS } from './segments'
import { stateAt, type AllocatorState } from './stateAt'

/** Segments and blocks as plain values; the simulated ones and the table's take the same form. */
type Plain = readonly [address: bigint, size: number, type: string, blocks: readonly (readonly [bigint, number, string, number | null])[]][]

function plainState({ segments: s, blocks: b }: AllocatorState): Plain {
  return Array.from({ length: s.count }, (_, i) => [
    s.address[i] as bigint,
    s.size[i] as number,
    SIZE_POOLS[s.type[i] as number] as string,
    Array.from({ length: (s.blockStart[i + 1] as number) - (s.blockStart[i] as number) }, (_, n) => {
      const k = (s.blockStart[i] as number) + n
      const requested = b.requested[k] as number
      return [
        b.address[k] as bigint,
        b.size[k] as number,
        BLOCK_STATES[b.state[k] as number] as string,
        Number.isNaN(requested) ? null : requested,
      ]
    }),
  ])
}
const byAddress = (a: Plain[number], b: Plain[number]): number => (a[0] < b[0] ? -1 : 1)
const plainSegments = (list: readonly FixtureSegment[]): Plain =>
  list
    .map((s): Plain[number] => [
      BigInt(s.address),
      s.total_size,
      s['segment_type'] as string,
      s.blocks.map(b => [BigInt(b['address'] as number), b.size, b.state, b.state === 'inactive' ? null : (b['requested_size'] as number)]),
    ])
    .sort(byAddress)
function plainTable({ segments: s, blocks: b, strings }: SnapshotTable, device: number): Plain {
  const text = (id: number): string => new TextDecoder().decode(strings.bytes.subarray(strings.offsets[id], strings.offsets[id + 1]))
  const out: Plain[number][] = []
  for (let i = 0; i < s.count; i++)
    if (s.device[i] === device)
      out.push([
        s.address[i] as bigint,
        s.totalSize[i] as number,
        text(s.segmentType[i] as number) || 'unknown',
        Array.from({ length: (s.blockStart[i + 1] as number) - (s.blockStart[i] as number) }, (_, n) => {
          const k = (s.blockStart[i] as number) + n
          const state = BLOCK_STATES[b.state[k] as number] as string
          const requested = b.requestedSize[k] as number
          return [
            b.address[k] as bigint,
            b.size[k] as number,
            state,
            state === 'inactive' ? null : Number.isNaN(requested) ? (b.size[k] as number) : requested,
          ]
        }),
      ])
  return out.sort(byAddress)
}
/** Types of segments that are gone by the end are inferred: unknown where nothing lived in them in the recording. */
const sameButUnknown = (got: Plain, want: Plain): Plain =>
  got.map((g, i) => (g[2] === 'unknown' && want[i] ? [g[0], g[1], want[i][2], g[3]] : g))

const state = (table: SnapshotTable, model: AllocatorModel, event: number): AllocatorState => {
  const s = stateAt(table, model, event)
  if ('reason' in s) throw new Error(s.reason)
  return s
}

describe('the state equals the simulated allocator after every step', () => {
  test('recorded from the start', async () => {
    let states = 0
    await fc.assert(
      fc.asyncProperty(allocatorSteps, allocatorOptions, async (steps, o) => {
        const seen: [number, Plain][] = []
        const sim = simulateSteps(steps, o, (events, segments) => seen.push([events - 1, plainSegments(segments)]))
        fc.pre(seen.length > 0)
        const table = await tableOf(snapshotBytes(sim.snapshot()))
        const model = replayAll(table)[0] as AllocatorModel
        for (const [event, want] of seen) {
          const got = state(table, model, event)
          expect([got.outside, got.overlaps]).toEqual([0, 0])
          expect(sameButUnknown(plainState(got), want)).toEqual(want)
          states++
        }
        expect(state(table, model, -1).segments.count).toBe(0)
      }),
      { numRuns: 60 },
    )
    expect(states).toBeGreaterThan(1000)
  }, 60_000)

  test('recorded late: the start state and what follows', async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(allocatorSteps, allocatorOptions, fc.double({ min: 0, max: 1, noNaN: true }), async (steps, o, share) => {
        const seen: [number, Plain][] = []
        const sim = simulateSteps(steps, o, (events, segments) => seen.push([events, plainSegments(segments)]))
        fc.pre(seen.length > 1)
        const from = (seen[Math.min(seen.length - 2, Math.floor(share * seen.length))] as [number, Plain])[0]
        // Of a block from before that is freed in the recording only the rounding can be known.
        const settings = roundingSettings(JSON.stringify(sim.snapshot()['allocator_settings']))
        const allocs = new Set<unknown>()
        for (let e = from; e < sim.events.length; e++) {
          const { action, addr } = sim.events[e] as FixtureEvent & { addr: number }
          const block = sim.blockOfEvent.get(e)
          if (action === 'alloc') allocs.add(addr)
          else if (block && settings && !allocs.has(addr)) fc.pre(roundSize(block.requested, settings) === block.size)
        }
        const table = await tableOf(snapshotBytes(sim.snapshot(from)))
        const model = replayAll(table)[0] as AllocatorModel
        for (const [events, want] of seen)
          if (events >= from) {
            expect(sameButUnknown(plainState(state(table, model, events - from - 1)), want)).toEqual(want)
            compared++
          }
      }),
      { numRuns: 60 },
    )
    expect(compared).toBeGreaterThan(500)
  }, 60_000)
})

describe('at the end it is the segment table', () => {
  test('of the example, with a pool of another size', async () => {
    const table = await tableOf(snapshotBytes(exampleSnapshot()))
    const model = replayAll(table)[0] as AllocatorModel
    expect(plainState(state(table, model, model.events - 1))).toEqual(plainTable(table, 1))
  })
  for (const [name, read] of snapshotFiles())
    test(name, async () => {
      const table = await read()
      const models = replayAll(table)
      expect(models.length).toBeGreaterThan(0)
      for (const model of models) {
        const got = state(table, model, model.events - 1)
        // Its author removed the blocks: what the history says is live has no size, and no free space is known.
        if (name === 'trimmed-by-author.pickle') {
          expect(got.blocks.sizeSource.every(s => s === 3)).toBe(true)
          continue
        }
        expect(plainState(got)).toEqual(plainTable(table, model.device))
        expect([got.outside, got.overlaps]).toEqual([0, 0])
        // Before: whatever is live lies in a segment, and segments are as large as the reserved bytes.
        for (let e = -1; e < model.events; e += Math.max(1, Math.floor(model.events / 40))) {
          const s = stateAt(table, model, e)
          if ('reason' in s) throw new Error(s.reason)
          expect([e, s.overlaps]).toEqual([e, 0])
          expect(s.segments.size.reduce((a, b) => a + b, 0)).toBe(e < 0 ? model.figures.startReservedBytes : model.reserved[e])
          const live = s.blocks.requested.reduce((a, b) => a + (Number.isNaN(b) ? 0 : b), 0)
          if (s.outside === 0) expect(live).toBe(e < 0 ? model.figures.startActiveBytes : model.active[e])
        }
      }
    })
})

describe('no state, with the reason', () => {
  const change = async (edit: (s: FixtureSnapshot) => void, cut?: string) => {
    const s = exampleSnapshot()
    edit(s)
    const data = snapshotBytes(s)
    const table = await tableOf(cut ? data.subarray(0, Buffer.from(data).indexOf(cut)) : data)
    return stateAt(table, replayAll(table)[0] as AllocatorModel, 0)
  }
  test('a file that ends early; a segment that is freed and still there; one that is allocated and is not', async () => {
    expect(await change(() => undefined, 'segment_free')).toMatchObject({ reason: expect.stringContaining('ends early') as unknown })
    const first = exampleSnapshot().segments[0] as FixtureSegment
    const add = (action: string) => (s: FixtureSnapshot) =>
      (s.device_traces[1] as FixtureEvent[]).push({ action, addr: first.address, size: first.total_size, stream: 0, frames: [] })
    expect(await change(add('segment_free'))).toEqual({ reason: '1 segment event contradicts the segment table' })
    expect(
      await change(
        s => void (s.device_traces[1] as FixtureEvent[]).push({ action: 'segment_alloc', addr: 1024, size: 2048, stream: 0, frames: [] }),
      ),
    ).toEqual({ reason: '1 segment event contradicts the segment table' })
  })
})
