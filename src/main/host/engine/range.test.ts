import { describe, expect, it } from 'vitest'
import { snapshotBytes, type FixtureEvent, type FixtureSegment } from '../../../formats/memory-snapshot/fixture'
import { readSnapshot } from '../../../formats/memory-snapshot/read'
import { bufferSource } from '../../../formats/source'
import { RequestError } from '../../../shared/api'
import type { HostMemoryTable } from '../../../shared/system-tables'
import type { RangeAnswer } from '../../../shared/trace-api'
import { systemTable, TEST_EPOCH, type TestEvent } from '../../../testing/system'
import { systemTable as memoryTable, TestHbm } from '../../../testing/system-table'
import { prepare } from '../prepared'
import type { EngineFile } from '../protocol'
import { Engine } from './engine'
import { Lanes, Turn } from './lanes'
import { traceRange } from './range'

const file = (id: string, kind: EngineFile['kind'], more: Partial<EngineFile> = {}): EngineFile => ({
  ...{ id, path: `s/${id}`, abs: `/s/${id}`, kind, rank: null, rankFromName: false, pid: '77' },
  stamp: { bytes: 1, mtimeMs: 1 },
  ...more,
})
const fresh = (): Engine => new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.reject(new Error('none')) })
const ask = (e: Engine, start: number, end: number, turn = new Turn()): Promise<RangeAnswer> =>
  traceRange(e.context, { session: 's', group: 0, start, end, lane: 'r' }, turn)

const run = (at: number, dur: number, core = 4): TestEvent => ({
  ...{ name: 'nc_exec_running', source: 'neuron_hw', at, dur, nc: core - 4, core, device: 0 },
})
const copy = (name: string, at: number, dur: number | undefined, size?: number, nc = 0, device = 0): TestEvent => ({
  ...{ name, at, dur, nc, device, thread: 1 },
  ...(dur === undefined ? { state: 'open' as const } : {}),
  ...(size === undefined ? {} : { attrs: { size } }),
})

describe('busy share of cores', () => {
  it('is the time that slices cover, of what is known of each core', async () => {
    const e = fresh()
    const events = [run(0, 100), run(50, 30), run(150, 50), run(300, 100), run(120, 10, 5), run(180, 10, 5)]
    e.setFile(file('ntrace.pb', 'system'), prepare(systemTable(events)), [])
    const { cores, cancelled, start, end } = await ask(e, 60, 320)
    expect([cancelled, start, end]).toEqual([false, 60, 320])
    expect(cores.map(c => [c.name, c.busyNs, c.knownNs, c.slices])).toEqual([
      ['NC0:4', 40 + 50 + 20, 260, 4],
      ['NC1:5', 20, 70, 2],
    ])
    expect(cores.map(c => e.view.tracks.find(t => t.id === c.track)?.name)).toEqual(['NC0:4', 'NC1:5'])
    // Not captured there is not the same as idle.
    expect((await ask(e, 200, 300)).cores.map(c => [c.busyNs, c.knownNs])).toEqual([[0, 100], [null, 0]]) // prettier-ignore
  })

  it('leaves out what a ring buffer has lost', async () => {
    const e = fresh()
    const lost = {
      ...{ device: 0, nc: 0, messages: 2, firstNs: 40, lastNs: 100, stopsWithoutStart: 0, startsWithoutStop: 0 },
      ...{ headLost: true, droppedAtLeast: 5 },
    }
    e.setFile(file('ntrace.pb', 'system'), prepare(systemTable([{ ...run(0, 0), name: 'x', source: 'neuron_rt' }, run(40, 60)], { cores: [lost] })), []) // prettier-ignore
    expect((await ask(e, 0, 100)).cores.map(c => [c.busyNs, c.knownNs])).toEqual([[60, 60]])
  })

  it('is not told where the hardware tells nothing, and ends with a newer question', async () => {
    const e = fresh()
    e.setFile(file('ntrace.pb', 'system'), prepare(systemTable([{ name: 'nrt_execute', at: 0, dur: 9, nc: 0 }])), [])
    expect(await ask(e, 0, 9)).toMatchObject({ cores: [], moved: [], memory: [] })
    const lanes = new Lanes()
    const old = ask(e, 0, 9, lanes.begin('r'))
    lanes.begin('r')
    expect(await old).toMatchObject({ cancelled: true, cores: [] })
    await expect(traceRange(e.context, { session: 's', group: 4, start: 0, end: 1, lane: 'r' }, new Turn())).rejects.toThrow(RequestError)
  })
})

describe('bytes moved', () => {
  it('are those of copies that end in the range, so that ranges side by side add up', async () => {
    const e = fresh()
    const events = [
      { name: 'first', at: 0, dur: 1, nc: 0, device: 0 },
      copy('dmem_buf_copyin', 10, 10, 100),
      copy('dmem_buf_copyin', 20, 10, 200),
      copy('dmem_buf_copyin', 22, 10),
      copy('dmem_buf_copyin', 25, undefined, 5000),
      copy('dmem_buf_copyin', 30, 10, 1, 1),
      copy('dmem_buf_copyout', 12, 8, 7),
      copy('dmem_buf_copyout', 60, 8),
    ]
    e.setFile(file('ntrace.pb', 'system'), prepare(systemTable(events)), [])
    const moved = async (start: number, end: number): Promise<unknown> =>
      (await ask(e, start, end)).moved.map(m => [m.direction, m.place, m.transfers, m.bytes, m.withoutSize])
    expect(await moved(0, 100)).toEqual([
      ['host_to_device', 'NC:0', 3, 300, 1],
      ['host_to_device', 'NC:1', 1, 1, 0],
      ['device_to_host', 'NC:0', 2, 7, 1],
    ])
    expect(await moved(0, 20)).toEqual([['host_to_device', 'NC:0', 1, 100, 0], ['device_to_host', 'NC:0', 1, 7, 0]]) // prettier-ignore
    expect(await moved(20, 30)).toEqual([['host_to_device', 'NC:0', 1, 200, 0]])
    // None carries a size: not known, not 0.
    expect(await moved(50, 70)).toEqual([['device_to_host', 'NC:0', 1, null, 1]])
    expect(await moved(70, 90)).toEqual([])
  })

  it('name the device where there are several', async () => {
    const e = fresh()
    const events = [copy('dmem_buf_copyin', 0, 10, 1), copy('dmem_buf_copyin', 0, 10, 2, 0, 1)]
    e.setFile(file('ntrace.pb', 'system'), prepare(systemTable(events)), [])
    expect((await ask(e, 0, 10)).moved.map(m => [m.place, m.bytes])).toEqual([['ND:0/NC:0', 1], ['ND:1/NC:0', 2]]) // prettier-ignore
  })
})

describe('memory at both ends', () => {
  const US = Number(TEST_EPOCH / 1000n)
  const entry = (action: string, addr: number, size: number, us: number): FixtureEvent => ({
    ...{ action, addr: BigInt(addr), size, stream: 0, time_us: US + us, frames: [] },
  })
  async function snapshot(e: Engine, before: readonly FixtureEvent[] = []): Promise<void> {
    const events = [
      entry('segment_alloc', 4096, 4096, 1),
      entry('alloc', 4096, 1000, 2),
      entry('alloc', 6144, 500, 4),
      entry('free_requested', 6144, 500, 6),
      entry('free_completed', 6144, 500, 6),
      entry('alloc', 6144, 200, 8),
    ]
    const segments: FixtureSegment[] = [
      {
        ...{ device: 0, address: 4096n, total_size: 4096 },
        blocks: [
          { address: 4096n, size: 2048, requested_size: 1000, state: 'active_allocated', frames: [] },
          { address: 6144n, size: 2048, requested_size: 200, state: 'active_allocated', frames: [] },
        ],
      },
    ]
    const { table } = await readSnapshot(bufferSource('s.pickle', snapshotBytes({ segments, device_traces: [[...before, ...events]] })))
    if (!table) throw new Error('no table')
    e.setFile(file('m.pickle', 'memory-snapshot', { rank: 3 }), prepare(table), [])
  }
  const memory = async (e: Engine, start: number, end: number): Promise<unknown> =>
    (await ask(e, start, end)).memory.map(m => [m.label, m.meaning, m.startBytes, m.endBytes, m.peakBytes])

  it('is that of the allocator: requested bytes that are active, and reserved ones', async () => {
    const e = fresh()
    await snapshot(e)
    // The group begins with the first event.
    expect(await memory(e, 2000, 6000)).toEqual([
      ['rank 3', 'active (requested)', 1000, 1000, 1500],
      ['rank 3', 'reserved', 4096, 4096, 4096],
    ])
    expect(await memory(e, 5000, 7000)).toEqual([
      ['rank 3', 'active (requested)', 1000, 1200, 1200],
      ['rank 3', 'reserved', 4096, 4096, 4096],
    ])
    // Outside of the recording nothing is known; its start state is in the range.
    expect(await memory(e, -5000, 500)).toEqual([
      ['rank 3', 'active (requested)', null, 0, 0],
      ['rank 3', 'reserved', null, 4096, 4096],
    ])
    expect(await memory(e, 8000, 9000)).toEqual([
      ['rank 3', 'active (requested)', null, null, null],
      ['rank 3', 'reserved', null, null, null],
    ])
  })

  it('has its peak in the start state where the recording begins in the range with a free', async () => {
    const e = fresh()
    await snapshot(e, [entry('free_completed', 8192, 9000, 0)])
    expect(await memory(e, -10, 8000)).toContainEqual(['rank 3', 'active (requested)', null, 1200, 9000])
    expect(await memory(e, 0, 8000)).toContainEqual(['rank 3', 'active (requested)', 0, 1200, 1500])
  })

  it("is the runtime's total of each HBM, and samples of the host", async () => {
    const e = fresh()
    const h = new TestHbm({ tensors: 1000 })
    h.alloc({ time: 100, bytes: 500, address: 1n }, { duration: 0 })
    h.alloc({ time: 200, bytes: 700, address: 2n }, { duration: 0 })
    h.free({ time: 300, bytes: 500, address: 1n }, { duration: 0 })
    e.setFile(file('ntrace.pb', 'system'), prepare(memoryTable(h.events, { epochNs: TEST_EPOCH, range: [0, 1000] })), [])
    const verdict = memoryTable([]).verdict
    const host: HostMemoryTable = {
      ...{ kind: 'host-memory', verdict, epochNs: TEST_EPOCH, count: 4, percent: null, range: [50, 900], complete: true, bytesRead: 0 },
      time: Float64Array.of(50, 150, 250, 900),
      usage: Float64Array.of(10, 40, NaN, 20),
    }
    e.setFile(file('host_mem.pb', 'host-memory'), prepare(host), [])
    expect(await memory(e, 150, 260)).toEqual([
      ['ND:0 HBM:0', 'HBM total', 1500, 2200, 2200],
      ['Host memory', 'host resident', 40, null, 40],
    ])
    expect(await memory(e, 20, 120)).toEqual([
      ['ND:0 HBM:0', 'HBM total', null, 1500, 1500],
      ['Host memory', 'host resident', null, 10, 10],
    ])
    expect(await memory(e, 250, 950)).toEqual([
      ['ND:0 HBM:0', 'HBM total', 2200, 1700, 2200],
      ['Host memory', 'host resident', null, null, 20],
    ])
  })
})
