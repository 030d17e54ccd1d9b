/** Random histories against a naive replay written from the rules alone, with maps and no shortcuts. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { snapshotBytes, type FixtureBlock, type FixtureEvent, type FixtureSnapshot } from '../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { Float, pickleDumps, Tuple, type PickleValue } from '../../formats/pickle/write'
import { bufferSource } from '../../formats/source'
import type { SnapshotTable } from '../../shared/tables'
import { AddressIds } from './addresses'
import type { AllocatorModel } from './model'
import { RankSet } from './rankset'
import { allocationDetails, owners } from './owners'
import { replay, replayAll } from './replay'
import { snapshotReport } from './report'

async function tableOf(s: FixtureSnapshot, cut = 0): Promise<SnapshotTable> {
  const data = snapshotBytes(s)
  const { table } = await readSnapshot(bufferSource('f.pickle', data.subarray(0, data.length - cut)))
  return table as SnapshotTable
}

// ── the naive oracle ──

interface Totals {
  readonly active: readonly number[]
  readonly allocated: readonly number[]
  readonly reserved: readonly number[]
  readonly start: { readonly active: number; readonly allocated: number; readonly reserved: number }
  readonly unknownFrees: number
  readonly unknownFreeBytes: number
  readonly liveAtStart: number
  readonly liveAtStartBytes: number
  readonly endActive: number
}

function naive(s: FixtureSnapshot, device: number): Totals {
  const events = s.device_traces[device] ?? []
  const addr = (e: FixtureEvent | FixtureBlock): number => (e['addr'] ?? e['address']) as number
  const live = new Map<number, { size: number; requested: boolean }>()
  const asked = new Set<number>() // addresses with a free_requested that had no alloc
  let unknownFrees = 0
  let unknownFreeBytes = 0
  let askedBytes = 0
  for (const e of events) {
    const here = live.get(addr(e))
    if (e.action === 'alloc') {
      live.set(addr(e), { size: e.size, requested: false })
      asked.delete(addr(e))
    } else if (e.action === 'free_requested') {
      if (here) here.requested = true
      else if (!asked.has(addr(e))) {
        askedBytes += e.size
        asked.add(addr(e))
      }
    } else if (e.action === 'free_completed' || e.action === 'free') {
      if (!here) {
        unknownFrees++
        unknownFreeBytes += e.size
        if (e.action === 'free' && !asked.has(addr(e))) askedBytes += e.size
      }
      live.delete(addr(e))
      asked.delete(addr(e))
    }
  }
  const table = s.segments.filter(g => g.device === device).flatMap(g => g.blocks)
  const there = table.filter(b => (b.state === 'active_allocated' || b.state === 'active_pending_free') && !live.has(addr(b)))
  const bytes = (list: readonly FixtureBlock[]): number => list.reduce((n, b) => n + (b['requested_size'] as number), 0)
  const allocatedThere = there.filter(b => b.state === 'active_allocated')
  const liveAtStartBytes = bytes(allocatedThere)
  const start = {
    active: bytes(there) + unknownFreeBytes,
    allocated: liveAtStartBytes + askedBytes,
    reserved: 0,
  }
  // Reserved: from the end backwards.
  const change = (e: FixtureEvent): number =>
    e.action === 'segment_alloc' || e.action === 'segment_map'
      ? e.size
      : e.action === 'segment_free' || e.action === 'segment_unmap'
        ? -e.size
        : 0
  const reserved: number[] = []
  let r = s.segments.filter(g => g.device === device).reduce((n, g) => n + g.total_size, 0)
  for (let i = events.length - 1; i >= 0; i--) {
    reserved[i] = r
    r -= change(events[i] as FixtureEvent)
  }
  start.reserved = r
  // Second pass with the totals.
  let a = start.active
  let b = start.allocated
  const active: number[] = []
  const allocated: number[] = []
  live.clear()
  asked.clear()
  for (const e of events) {
    const here = live.get(addr(e))
    if (e.action === 'alloc') {
      if (here) {
        a -= here.size
        if (!here.requested) b -= here.size
      }
      live.set(addr(e), { size: e.size, requested: false })
      asked.delete(addr(e))
      a += e.size
      b += e.size
    } else if (e.action === 'free_requested') {
      if (here && !here.requested) {
        here.requested = true
        b -= here.size
      } else if (!here && !asked.has(addr(e))) {
        b -= e.size
        asked.add(addr(e))
      }
    } else if (e.action === 'free_completed' || e.action === 'free') {
      if (here) {
        a -= here.size
        if (!here.requested) b -= here.size
      } else {
        a -= e.size
        if (e.action === 'free' && !asked.has(addr(e))) b -= e.size
      }
      live.delete(addr(e))
      asked.delete(addr(e))
    }
    active.push(a)
    allocated.push(b)
  }
  return {
    active,
    allocated,
    reserved,
    start,
    unknownFrees,
    unknownFreeBytes,
    liveAtStart: allocatedThere.length,
    liveAtStartBytes,
    endActive: a,
  }
}

function firstMax(start: number, curve: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [start, -1]
  curve.forEach((v, i) => {
    if (v > best[0]) best = [v, i]
  })
  return best
}

// ── random histories ──

const address = fc.integer({ min: 1, max: 6 }).map(n => n * 4096)
const event = fc.record({
  action: fc.constantFrom(
    'alloc',
    'alloc',
    'alloc',
    'free_requested',
    'free_completed',
    'free_completed',
    'free',
    'segment_alloc',
    'segment_free',
    'segment_map',
    'segment_unmap',
    'oom',
    'annotate',
  ),
  addr: address,
  size: fc.integer({ min: 0, max: 5000 }),
})
const segment = fc.record({
  device: fc.constantFrom(0, 0, 1),
  address: address,
  total_size: fc.integer({ min: 0, max: 1 << 20 }),
  blocks: fc.uniqueArray(
    fc.record({
      address,
      size: fc.integer({ min: 1, max: 8 }).map(n => n * 512),
      requested_size: fc.integer({ min: 0, max: 4096 }),
      state: fc.constantFrom('active_allocated', 'active_pending_free', 'active_awaiting_free', 'inactive'),
    }),
    { selector: b => b.address, maxLength: 6 },
  ),
})
const history = fc.record({
  segments: fc.array(segment, { maxLength: 1 }),
  device_traces: fc.array(fc.array(event, { maxLength: 60 }), { minLength: 1, maxLength: 2 }),
})

/** The rows of the model must add up to its curves. */
function sumOfRows(m: AllocatorModel, e: number): number {
  let n = 0
  for (let i = 0; i < m.count; i++) {
    const freed = m.freeEvent[i] as number
    if ((m.allocEvent[i] as number) <= e && (freed < 0 || freed > e)) n += m.size[i] as number
  }
  return n
}

describe('random histories', () => {
  test('equal a naive replay in every total', async () => {
    await fc.assert(
      fc.asyncProperty(history, async h => {
        const s = JSON.parse(JSON.stringify(h).replaceAll('active_awaiting_free', 'active_pending_free')) as FixtureSnapshot
        const table = await tableOf(h as unknown as FixtureSnapshot)
        for (let d = 0; d < s.device_traces.length; d++) {
          const m = replay(table, d)
          const want = naive(s, d)
          const f = m.figures
          expect([...m.active]).toEqual(want.active)
          expect([...m.allocated]).toEqual(want.allocated)
          expect([...m.reserved]).toEqual(want.reserved)
          expect([f.startActiveBytes, f.startAllocatedBytes, f.startReservedBytes]).toEqual([
            want.start.active,
            want.start.allocated,
            want.start.reserved,
          ])
          expect([f.peakActiveBytes, f.peakActiveEvent]).toEqual(firstMax(want.start.active, want.active))
          expect(f.peakAllocatedBytes).toBe(firstMax(want.start.allocated, want.allocated)[0])
          expect(f.peakReservedBytes).toBe(firstMax(want.start.reserved, want.reserved)[0])
          expect([f.unknownFrees, f.unknownFreeBytes, f.liveAtStart, f.liveAtStartBytes]).toEqual([
            want.unknownFrees,
            want.unknownFreeBytes,
            want.liveAtStart,
            want.liveAtStartBytes,
          ])
          expect(f.endActiveBytes).toBe(want.endActive)
          for (let e = -1; e < m.events; e++) expect(sumOfRows(m, e)).toBe(e < 0 ? want.start.active : want.active[e])
          expect(Object.values(f.eventsByAction).reduce((a, b) => a + b, 0)).toBe(m.events)
        }
      }),
      { numRuns: 400 },
    )
  })

  test('a history whose oldest events were dropped ends with the same totals', async () => {
    // A real allocator: the table is what the whole history leaves behind.
    const step = fc.record({ at: fc.integer({ min: 1, max: 8 }), size: fc.integer({ min: 1, max: 9000 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 60 }), fc.nat(60), async (steps, dropped) => {
        const live = new Map<number, number>()
        const all: FixtureEvent[] = []
        for (const { at, size } of steps) {
          const had = live.get(at)
          if (had === undefined) {
            all.push({ action: 'alloc', addr: at << 20, size })
            live.set(at, size)
          } else {
            all.push({ action: 'free_requested', addr: at << 20, size: had }, { action: 'free_completed', addr: at << 20, size: had })
            live.delete(at)
          }
        }
        const blocks = [...live].map(([at, size]) => ({
          address: at << 20,
          size: Math.ceil(size / 512) * 512,
          requested_size: size,
          state: 'active_allocated',
        }))
        const segments = [{ device: 0, address: 0, total_size: 16 << 20, blocks }]
        const whole = replay(await tableOf({ segments, device_traces: [all] }), 0)
        const kept = all.slice(Math.min(dropped, all.length))
        const part = replay(await tableOf({ segments, device_traces: [kept] }), 0)
        const tail = <T>(a: ArrayLike<T>): T[] => Array.from(a).slice(all.length - kept.length)
        expect([...part.active]).toEqual(tail(whole.active))
        expect([...part.allocated]).toEqual(tail(whole.allocated))
        expect(part.figures.selfCheck.ok).toBe(true)
        expect(whole.figures.startActiveBytes).toBe(0)
      }),
      { numRuns: 200 },
    )
  })
})

describe('rules one by one', () => {
  const run = async (events: FixtureEvent[], segments: FixtureSnapshot['segments'] = []): Promise<AllocatorModel> =>
    replay(await tableOf({ segments, device_traces: [events] }), 0)
  const e = (action: string, addr: number, size: number): FixtureEvent => ({ action, addr, size })

  test('an alloc on a live address retires the old one', async () => {
    const m = await run([e('alloc', 4096, 100), e('alloc', 4096, 70), e('free_completed', 4096, 70)])
    expect([...m.active]).toEqual([100, 70, 0])
    expect([...m.freeEvent]).toEqual([1, 2])
    expect(m.figures.retired).toBe(1)
    expect(m.freeStack[0]).toBe(-1)
  })
  test('a free_completed ends an allocation that was never requested to be freed', async () => {
    const m = await run([e('alloc', 4096, 100), e('free_completed', 4096, 100)])
    expect([...m.allocated]).toEqual([100, 0])
    expect(m.freeRequestedEvent[0]).toBe(-1)
  })
  test('addresses beyond 2^53 stay apart', async () => {
    const base = 18446720620317114368n
    const events = Array.from({ length: 8 }, (_, i) => ({ action: 'alloc', addr: base + BigInt(512 * i), size: 500 + i }))
    const m = await run(events as unknown as FixtureEvent[])
    expect(m.figures.retired).toBe(0)
    expect(m.figures.endActiveBytes).toBe(8 * 500 + 28)
    expect(m.address[7]).toBe(base + 3584n)
  })
  test('a device with segments only', async () => {
    const table = await tableOf({
      segments: [
        { device: 2, address: 0, total_size: 4096, blocks: [{ size: 512, requested_size: 500, state: 'active_allocated', address: 0 }] },
      ],
      device_traces: [],
    })
    const m = replay(table, 2)
    expect(m).toMatchObject({ traceIndex: -1, events: 0, count: 1, startCount: 1 })
    expect(m.figures).toMatchObject({
      startActiveBytes: 500,
      peakActiveBytes: 500,
      peakActiveEvent: -1,
      endActiveBytes: 500,
      endReservedBytes: 4096,
      selfCheck: { ok: true, replayBytes: 500, tableBytes: 500 },
    })
  })
  test('a cut history counts what its events prove and says what is not known', async () => {
    const s: FixtureSnapshot = {
      segments: [
        { device: 0, address: 0, total_size: 1 << 20, blocks: [{ address: 0, size: 512, requested_size: 300, state: 'active_allocated' }] },
      ],
      device_traces: [Array.from({ length: 50 }, (_, i) => e(i % 2 === 0 ? 'alloc' : 'free_completed', 8192, 100))],
    }
    const m = replay(await tableOf(s, 60), 0)
    expect(m.events).toBeGreaterThan(20)
    expect(m.events).toBeLessThan(50)
    expect(m.figures).toMatchObject({
      startActiveBytes: 0,
      peakActiveBytes: 100,
      liveAtStart: NaN,
      startReservedBytes: NaN,
      endReservedBytes: NaN,
    })
    expect(m.figures.selfCheck.ok).toBe(false)
    expect(m.reserved.every(v => Number.isNaN(v))).toBe(true)
    expect(replay(await tableOf(s), 0).figures).toMatchObject({ startActiveBytes: 300, liveAtStart: 1, startReservedBytes: 1 << 20 })
  })
  test('events of all kinds in any number', async () => {
    const n = 200_000
    const events: FixtureEvent[] = Array.from({ length: n }, (_, i) =>
      e(i % 2 === 0 ? 'alloc' : 'free_completed', ((i >> 1) % 5000) * 512 + 512, 10),
    )
    const m = await run(events)
    expect([m.count, m.figures.peakActiveBytes, m.figures.endActiveBytes]).toEqual([n / 2, 10, 0])
  })
})

test('values of any kind never throw, from the file to the report', async () => {
  const odd = fc.oneof(
    fc.constantFrom<PickleValue>(
      null,
      true,
      'x',
      '',
      -1,
      0.5,
      new Float(Infinity),
      new Float(NaN),
      new Float(1e300),
      2n ** 64n,
      2n ** 63n,
      -(2n ** 70n),
      [],
      {},
    ),
    fc.maxSafeInteger(),
    fc.nat(5000),
  )
  const keys = ['action', 'addr', 'size', 'stream', 'time_us', 'frames', 'device_free', 'pool_id', 'category', 'user_metadata', 'trace_id', 'device', 'address', 'total_size', 'requested_size', 'segment_type', 'is_expandable', 'state', 'name', 'stage'] // prettier-ignore
  const record = (base: Record<string, PickleValue>) =>
    fc.array(fc.tuple(fc.constantFrom(...keys), odd), { maxLength: 4 }).map(over => ({ ...base, ...Object.fromEntries(over) }))
  const events = fc.array(
    fc.oneof(
      ...['alloc', 'free_requested', 'free_completed', 'snapshot', 'oom', 'segment_alloc', 'segment_unmap', 'annotate', 'user_defined'].map(
        action => record({ action, addr: 512, size: 8 }),
      ),
    ),
    { maxLength: 12 },
  )
  const segments = fc.array(
    fc
      .tuple(
        record({ device: 0, address: 0, total_size: 4096 }),
        fc.array(record({ address: 512, size: 512, requested_size: 8, state: 'active_allocated' }), { maxLength: 3 }),
      )
      .map(([s, blocks]) => ({ ...s, blocks })),
    { maxLength: 2 },
  )
  await fc.assert(
    fc.asyncProperty(
      segments,
      events,
      fc.array(record({ name: 'n', stage: 'START' }), { maxLength: 2 }),
      async (segmentList, eventList, notes) => {
        const data = pickleDumps({ segments: segmentList, device_traces: [eventList], external_annotations: notes } as PickleValue)
        const { table, diagnostics } = await readSnapshot(bufferSource('odd.pickle', data))
        if (!table) throw new Error('a snapshot was refused')
        const models = replayAll(table)
        for (const m of models) {
          const own = owners(m, table)
          for (let i = 0; i < m.count; i++) allocationDetails(m, table, own, i)
          expect([...m.active, ...m.allocated].every(Number.isFinite)).toBe(true)
        }
        expect(() => JSON.stringify(snapshotReport(table, models, 0, diagnostics))).not.toThrow()
      },
    ),
    { numRuns: 1500 },
  )
})

describe('helpers', () => {
  test('AddressIds against a Map', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { maxLength: 300 }), list => {
        const ids = new AddressIds()
        const known = new Map<bigint, number>()
        for (const a of [...list, ...list]) {
          const [low, high] = [Number(a & 0xffffffffn), Number(a >> 32n)]
          expect(ids.find(low, high)).toBe(known.get(a) ?? -1)
          const id = ids.add(low, high)
          expect(id).toBe(known.get(a) ?? known.size)
          known.set(a, id)
        }
      }),
    )
  })
  test('AddressIds grows', () => {
    const ids = new AddressIds()
    for (let i = 0; i < 50_000; i++) expect(ids.add(i * 512, i % 3)).toBe(i)
    for (let i = 0; i < 50_000; i += 7) expect(ids.find(i * 512, i % 3)).toBe(i)
    expect(ids.find(1, 0)).toBe(-1)
  })
  test('RankSet against a sorted list', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5000 }), fc.array(fc.tuple(fc.boolean(), fc.nat(4999)), { maxLength: 200 }), (size, steps) => {
        const set = new RankSet(size)
        const known = new Set<number>()
        for (const [add, at] of steps) {
          const r = at % size
          if (add) {
            set.add(r)
            known.add(r)
          } else {
            set.delete(r)
            known.delete(r)
          }
          const q = (r * 7) % size
          expect(set.has(q)).toBe(known.has(q))
          expect(set.after(q)).toBe(
            Math.min(...[...known].filter(k => k > q), Infinity) === Infinity ? -1 : Math.min(...[...known].filter(k => k > q)),
          )
        }
      }),
    )
  })
})

test('each device is replayed with its own segments, in whatever order they stand, and a segment without a device with none', async () => {
  const device = fc.integer({ min: 0, max: 5 })
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(device, fc.integer({ min: 1, max: 1000 })), { maxLength: 30 }), async list => {
      const segments = list.map(([d, size], i) => ({
        device: d,
        address: 0x10000 * (i + 1),
        total_size: size,
        segment_pool_id: new Tuple([d % 2, 0]),
        blocks: [{ address: 0x10000 * (i + 1), size, requested_size: size, state: 'active_allocated' }],
      }))
      const table = await tableOf({ segments, device_traces: [] })
      // Device 5 stands for "none".
      for (let i = 0; i < list.length; i++) if (table.segments.device[i] === 5) table.segments.device[i] = -1
      const models = replayAll(table)
      expect(models.map(m => m.device)).toEqual([0, 1, 2, 3, 4].filter(d => list.some(([of]) => of === d)))
      for (const m of models) {
        const bytes = list.reduce((n, [d, size]) => n + (d === m.device ? size : 0), 0)
        expect([m.figures.endReservedBytes, m.figures.endActiveBytes, m.figures.pools]).toEqual([
          bytes,
          bytes,
          { [`${m.device % 2},0`]: bytes },
        ])
        expect(replay(table, m.device)).toEqual(m)
      }
    }),
    { numRuns: 50 },
  )
})
