import { describe, expect, it } from 'vitest'
import { owners } from '../../../analysis/allocator/owners'
import { replayAll } from '../../../analysis/allocator/replay'
import { buildHbm } from '../../../analysis/hbm/build'
import { frame, snapshotBytes, type FixtureEvent, type FixtureSegment } from '../../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../../formats/memory-snapshot/read'
import { bufferSource } from '../../../formats/source'
import { RequestError } from '../../../shared/api'
import { GIB, MIB } from '../../../shared/units'
import { systemTable, TestHbm } from '../../../testing/system-table'
import type { EngineFile } from '../protocol'
import { HbmQueries, type HbmInput } from './hbm'
import type { SnapshotSource } from './sources'

const EPOCH_US = 1_760_000_000_000_000
const BASE = 0x10_4000_0000n
const file = (id: string, kind: EngineFile['kind']): EngineFile => ({
  id,
  path: `${id}.bin`,
  abs: `/nowhere/${id}`,
  kind,
  rank: 0,
  rankFromName: true,
  stamp: { bytes: 1, mtimeMs: 1 },
})
const trace = (i: number): string => String(281_474_976_710_656n + BigInt(i))
const code = [frame('linear', '/site-packages/torch/nn/functional.py', 1), frame('Block.forward', '/home/u/model/block.py', 74)]

/**
 * Two segments of the allocator with a block each, stamped on the segments, and weights of the runtime beside them. Origin of the group: 1 ms before the epoch of the runtime's
 * table. Times in µs after the epoch.
 */
async function input(stamp = true, more: Partial<HbmInput> = {}): Promise<HbmInput> {
  const entry = (action: string, addr: bigint, size: number, us: number, extra = {}): FixtureEvent => ({
    action,
    addr,
    size,
    stream: 0,
    time_us: EPOCH_US + us,
    frames: code,
    ...extra,
  })
  const id = (i: number): object => (stamp ? { trace_id: trace(i) } : {})
  const events = [
    entry('segment_alloc', BASE, 20 * MIB, 1000, id(1)),
    entry('alloc', BASE, 15 * MIB, 1001),
    entry('segment_alloc', BASE + 0x1_0000_0000n, 2 * MIB, 2000, id(2)),
    entry('alloc', BASE + 0x1_0000_0000n, MIB, 2001),
    entry('free_requested', BASE + 0x1_0000_0000n, MIB, 3000),
    entry('free_completed', BASE + 0x1_0000_0000n, MIB, 3000),
    entry('segment_free', BASE + 0x1_0000_0000n, 2 * MIB, 3001),
    entry('segment_alloc', BASE + 0x2_0000_0000n, 4 * MIB, 4000, id(3)),
  ]
  const segments: FixtureSegment[] = [
    {
      device: 0,
      address: BASE,
      total_size: 20 * MIB,
      blocks: [
        { address: BASE, size: 15 * MIB, requested_size: 15 * MIB, state: 'active_allocated', frames: code },
        { address: BASE + BigInt(15 * MIB), size: 5 * MIB, requested_size: 0, state: 'inactive', frames: [] },
      ],
    },
    {
      device: 0,
      address: BASE + 0x2_0000_0000n,
      total_size: 4 * MIB,
      blocks: [{ address: BASE + 0x2_0000_0000n, size: 4 * MIB, requested_size: 0, state: 'inactive', frames: [] }],
    },
  ]
  const { table } = await readSnapshot(bufferSource('s.pickle', snapshotBytes({ segments, device_traces: [events] })))
  if (!table) throw new Error('no table')
  const snapshot: SnapshotSource = {
    kind: 'memory-snapshot',
    file: file('snapshot', 'memory-snapshot'),
    table,
    allocators: replayAll(table).map(model => ({ model, owners: owners(model, table) })),
    tracks: [],
    diagnostics: [],
  }
  const h = new TestHbm({ profiler_buffers: 100 * MIB })
  const at = (us: number): number => us * 1000
  const attributes = (i: number): object => (stamp ? { attributes: { trace_id: trace(i) } } : {})
  h.alloc({ time: at(100), bytes: 50 * MIB, address: 0x99n, usage: 'weights' }, { model: 7n, modelName: 'bwd', thread: 4 })
  h.alloc({ time: at(999), bytes: 20 * MIB, address: BASE }, attributes(1))
  h.alloc({ time: at(1999), bytes: 2 * MIB, address: BASE + 0x1_0000_0000n }, attributes(2))
  h.free({ time: at(3002), bytes: 2 * MIB, address: BASE + 0x1_0000_0000n })
  h.alloc({ time: at(3999), bytes: 4 * MIB, address: BASE + 0x2_0000_0000n }, attributes(3))
  h.fail({ time: at(4500), bytes: 30 * GIB, address: 0n }, 4)
  h.events.push({ name: 'nrt_load', start: at(90), duration: at(20), thread: 4, model: 7n })
  const system = systemTable(h.events, { epochNs: BigInt(EPOCH_US) * 1000n, range: [0, at(6000)] })
  const ids = new Map<string, number>()
  return {
    sources: [
      {
        file: file('ntrace', 'memory-snapshot'),
        table: system,
        models: buildHbm(system, 'ntrace.pb').models,
        place: { index: 1, group: 0, offset: 1e6, stamp: 0 },
      },
    ],
    snapshots: [
      { source: snapshot, place: { index: 0, group: 0, offset: Number(table.epochNs - system.epochNs) + 1e6, stamp: 0 }, ids: [40] },
    ],
    facts: { instanceType: 'trn2.48xlarge', lnc: 1 },
    idOf: key => ids.get(key) ?? ids.set(key, ids.size + 10).size + 9,
    ...more,
  }
}

describe('device memory in the engine', () => {
  it('lists each HBM with times of the group, capacity, failed allocations and the join', async () => {
    const [info] = new HbmQueries(await input()).infos
    expect(info).toMatchObject({
      id: 10,
      source: 1,
      device: 0,
      hbm: 0,
      label: 'ND:0 HBM:0',
      group: 0,
      from: 'events',
      totals: 'runtime',
      allocations: 4,
      frees: 1,
      liveAtEnd: 3,
      peakBytes: 174 * MIB,
      peakTime: 1e6 + 3999e3,
      timeRange: [1e6 + 100e3, 1e6 + 6000e3],
      capacity: { bytes: 24 * GIB, perCoreBytes: 12 * GIB },
      startBytes: 100 * MIB,
      oomCount: 1,
      join: {
        key: { pytorch: 'trace_id of segment entries', runtime: 'trace_id' },
        matched: 3,
        inferred: 0,
        pytorchOnly: 0,
        runtimeOnly: 1,
      },
      pytorch: { allocators: [40] },
    })
    expect(info.ooms).toMatchObject([{ time: 1e6 + 4500e3, bytes: 30 * GIB, returnCode: '4', totalBytes: 174 * MIB }])
  })

  it('shows stacks of linked allocations, and both ways of the link lead to each other', async () => {
    const i = await input()
    const q = new HbmQueries(i)
    const live = q.live({ session: 's', hbm: 10, at: 1e6 + 2500e3, sort: 'size', descending: true, filter: '', offset: 0, limit: 10 })
    expect(live).toMatchObject({ total: 3, linked: 2, inferred: 0, missingBytes: 100 * MIB })
    expect(live.rows.map(r => [r.size / MIB, r.model, r.traceId, r.label, r.link?.kind ?? null])).toEqual([
      [50, 'bwd', null, null, null],
      [20, null, trace(1), 'Block.forward model/block.py:74', 'segment'],
      [2, null, trace(2), 'Block.forward model/block.py:74', 'segment'],
    ])
    const segment = q.allocation({ session: 's', hbm: 10, allocation: live.rows[1].allocation })
    expect(segment).toMatchObject({
      categoryName: 'tensors',
      allocTime: 1e6 + 999e3,
      freeTime: null,
      freeLost: false,
      framesFrom: 'segment',
      blocks: 1,
      link: { how: 'id', allocator: 40, kind: 'segment', event: 0, bytes: 20 * MIB, address: '0x1040000000' },
      allocEvent: { source: 1, name: 'nrt_dma_mem_alloc' },
    })
    expect(segment.frames.map(f => [f.name, f.library])).toEqual([
      ['linear', true],
      ['Block.forward', false],
    ])
    expect(segment.attributes).toContainEqual({ key: 'trace_id', value: trace(1), of: 'alloc' })
    const weights = q.allocation({ session: 's', hbm: 10, allocation: live.rows[0].allocation })
    expect(weights).toMatchObject({ link: null, framesFrom: 'none', modelId: '7', parents: [{ name: 'nrt_load' }], thread: 4 })
    const gone = q.allocation({ session: 's', hbm: 10, allocation: live.rows[2].allocation })
    expect(gone).toMatchObject({ freeTime: 1e6 + 3002e3, freeEvent: { name: 'nrt_dma_mem_dealloc' }, blocks: 1 })

    const { source } = i.snapshots[0]
    const [allocator] = source.allocators
    // The two allocations, each inside its segment.
    expect([0, 1].map(a => q.runtimeOf(source, allocator, a))).toEqual([
      [{ how: 'id', hbm: 10, allocation: live.rows[1].allocation, category: 'tensors', address: '0x1040000000', bytes: 20 * MIB }],
      [{ how: 'id', hbm: 10, allocation: live.rows[2].allocation, category: 'tensors', address: '0x1140000000', bytes: 2 * MIB }],
    ])
  })

  it("compares PyTorch's reserved bytes where they are known", async () => {
    const q = new HbmQueries(await input())
    expect(q.at({ session: 's', hbm: 10, at: 1e6 + 2500e3 })).toMatchObject({
      totalBytes: 172 * MIB,
      freeBytes: 24 * GIB - 172 * MIB,
      tensorBytes: 22 * MIB,
      reservedBytes: 22 * MIB,
      outsideBytes: 150 * MIB,
      crossCheck: null,
      unattributedBytes: 100 * MIB,
    })
    // The snapshot's history begins at 1000 µs: before that nothing is known of PyTorch.
    expect(q.at({ session: 's', hbm: 10, at: 1e6 + 500e3 })).toMatchObject({
      totalBytes: 150 * MIB,
      reservedBytes: null,
      outsideBytes: null,
    })
    expect(q.at({ session: 's', hbm: 10, at: 0 })).toMatchObject({ known: 0, totalBytes: null })
    const p = q.picture({ session: 's', hbm: 10, start: 0, end: 7e6, width: 7, grouping: 'family' })
    // Columns of 1 ms; each at its highest total, which the fifth has a moment before PyTorch writes its segment down.
    expect([...p.max].map(v => v / MIB)).toEqual([NaN, 170, 172, 172, 174, 174, 174])
    expect([...p.reserved].map(v => v / MIB)).toEqual([NaN, NaN, 20, 22, 20, 24, NaN])
    expect(p.groups.map(g => g.label)).toEqual(['not named by any event', 'Weights', 'Tensors'])
  })

  it('links by address where there is no id, and says so', async () => {
    const q = new HbmQueries(await input(false))
    expect(q.infos[0].join).toMatchObject({ key: null, matched: 0, inferred: 3 })
    const live = q.live({
      session: 's',
      hbm: 10,
      at: 1e6 + 2500e3,
      sort: 'size',
      descending: true,
      filter: 'block.py',
      offset: 0,
      limit: 10,
    })
    expect(live.rows.map(r => r.link?.how)).toEqual(['inferred', 'inferred'])
    expect(q.csv({ session: 's', hbm: 10, at: 1e6 + 2500e3, sort: 'size', descending: true, filter: 'block.py' }).text).toContain(
      ',inferred,Block.forward',
    )
  })

  it('does without snapshots, and refuses what is not there', async () => {
    const q = new HbmQueries(await input(true, { snapshots: [] }))
    expect(q.infos[0]).toMatchObject({ join: null, pytorch: { allocators: [] } })
    expect(q.at({ session: 's', hbm: 10, at: 2e6 })).toMatchObject({ reservedBytes: null })
    expect(() => q.at({ session: 's', hbm: 99, at: 0 })).toThrow(RequestError)
    expect(() => q.allocation({ session: 's', hbm: 10, allocation: 1000 })).toThrow(RequestError)
    const empty = new HbmQueries(await input(true, { sources: [] }))
    const { source } = (await input()).snapshots[0]
    expect(empty.runtimeOf(source, source.allocators[0], 0)).toBeUndefined()
  })
})
