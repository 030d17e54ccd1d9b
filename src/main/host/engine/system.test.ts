import { describe, expect, it } from 'vitest'
import { RequestError } from '../../../shared/api'
import type { TraceInfoTable } from '../../../shared/system-tables'
import { systemTable, TEST_EPOCH, type TestEvent } from '../../../testing/system'
import { prepare } from '../prepared'
import type { EngineFile } from '../protocol'
import { Engine } from './engine'

const file = (id: string, kind: EngineFile['kind'] = 'system'): EngineFile => ({
  id,
  path: `s/${id}`,
  abs: `/s/${id}`,
  at: { path: `/s/${id}`, dev: '0', ino: '0' },
  kind,
  rank: null,
  rankFromName: false,
  pid: '77',
  stamp: { bytes: 1, mtimeMs: 1 },
})
const EVENTS: readonly TestEvent[] = [
  { name: 'nrt_execute', at: 0, dur: 100, nc: 0, model: 5n },
  { name: 'nc_exec_running', source: 'neuron_hw', at: 20, dur: 50, nc: 0, core: 4, model: 5n },
]
const fresh = (more = {}): Engine =>
  new Engine({ session: 's', version: 0, nextId: 0, ...more }, { readArgs: () => Promise.reject(new Error('no args')) })
const slices = (e: Engine): readonly string[] => {
  const tracks = e.view.tracks.map(t => t.id)
  const a = e.slices({ session: 's', tracks, start: 0, end: 1000, width: 100 })
  return Array.from(a.name, n => a.names[n] as string)
}

describe('runtime traces in the engine', () => {
  it("stand in the session's process, answer slices and details, and count the hardware as busy", async () => {
    const e = fresh()
    e.setFile(file('ntrace.pb'), prepare(systemTable(EVENTS)), [])
    expect(e.view.tracks.map(t => [t.origin, t.pid, t.name])).toEqual([
      ['neuron_rt', '77', 'NC:0'],
      ['neuron_hw', '77', 'NC0:4'],
    ])
    expect(slices(e)).toEqual(['nrt_execute', 'nc_exec_running'])
    expect(await e.slice({ session: 's', source: 0, row: 1 })).toMatchObject({
      name: 'nc_exec_running',
      start: 20,
      duration: 50,
      category: 'neuron_hw',
    })
    await expect(e.slice({ session: 's', source: 0, row: 9 })).rejects.toThrow(RequestError)
    const { busy } = e.overview({ session: 's', group: 0, width: 10 })
    expect(Array.from(busy, b => Math.round(b * 10))).toEqual([0, 0, 10, 10, 10, 10, 10, 0, 0, 0])
  })

  it('repeat events by thread and as transfers; questions about events see each of them once, lanes stand in group time', () => {
    const e = fresh()
    const events: readonly TestEvent[] = [
      { name: 'nrt_execute', at: 0, dur: 100, nc: 0, thread: 1 },
      { name: 'dmem_buf_copyin', at: 10, dur: 20, nc: 0, thread: 2, attrs: { size: 40 } },
      { name: 'nc_exec_running', source: 'neuron_hw', at: 20, dur: 50, nc: 0, core: 4 },
    ]
    const late = 1_000_000n
    e.setFile(file('ntrace.pb'), prepare(systemTable(events, { epochNs: TEST_EPOCH + late })), [])
    e.setFile(file('early.pftrace'), prepare(systemTable([{ name: 'nrt_load', at: 0, dur: 2_000_000 }], { epochNs: TEST_EPOCH })), [])
    const mine = e.view.tracks.filter(t => t.source === 0)
    expect(mine.map(t => [t.origin, t.name, t.arranged ?? '', t.derived ?? false, t.nc, t.thread ?? ''])).toEqual([
      ['neuron_rt', 'NC:0', 'by-core', false, 0, ''],
      ['neuron_hw', 'NC0:4', '', false, 0, ''],
      ['neuron_rt', 'NC:0', 'by-thread', true, 0, '1'],
      ['neuron_rt', 'NC:0', 'by-thread', true, 0, '2'],
      ['transfer', 'host_to_device_transfers', '', true, 0, '2'],
      ['transfer', 'host_to_device/transfer_bandwidth', '', false, 0, '2'],
    ])
    expect(new Set(mine.map(t => t.id)).size).toBe(mine.length)
    const { context } = e
    const rows = context.partOf(0)?.tracks.flatMap(t => [...t.model.row])
    expect([...(rows ?? [])].sort()).toEqual([0, 1, 2])
    for (const t of mine) expect(context.trackOf(t.id)?.track.info).toEqual(t)
    // 40 bytes in 20 ns; 1 ms after the other file, with which the group begins.
    const lane = mine[5]
    const { min, max, mean } = e.counter({ session: 's', tracks: [lane?.id ?? -1], start: 1_000_000, end: 1_000_100, width: 10 })
    expect([...(max[0] ?? [])]).toEqual([0, 2e9, 2e9, 0, 0, 0, 0, 0, 0, 0])
    expect([...(min[0] ?? [])]).toEqual([0, 2e9, 2e9, 0, 0, 0, 0, 0, 0, 0])
    expect([...(mean?.[0] ?? [])]).toEqual([0, 2e9, 2e9, 0, 0, 0, 0, 0, 0, 0])
  })

  it('take the names of models from trace_info, whichever is read first', async () => {
    const info = { kind: 'trace-info', names: new Map([[5n, 'fwd']]), complete: true, bytesRead: 1 } as unknown as TraceInfoTable
    for (const first of [0, 1]) {
      const e = fresh()
      const give = [
        () => e.setFile(file('ntrace.pb'), prepare(systemTable(EVENTS)), []),
        () => e.setFile(file('trace_info.pb', 'trace-info'), { kind: 'side', table: info }, []),
      ]
      ;(give[first] as () => void)()
      ;(give[1 - first] as () => void)()
      expect(JSON.parse((await e.slice({ session: 's', source: 0, row: 1 })).args ?? '')).toMatchObject({
        model_id: '5',
        model_name: 'fwd',
      })
    }
  })

  it('are shown once where an export tells of the same run; the user may take the other, also for a new engine', () => {
    const e = fresh()
    e.setFile(file('p.pftrace'), prepare(systemTable(EVENTS.slice(1), { source: 'perfetto' })), [])
    expect(slices(e)).toEqual(['nc_exec_running'])
    expect(e.view.systems).toEqual([])
    e.setFile(file('ntrace.pb'), prepare(systemTable(EVENTS)), [])
    expect(e.view.sources.map(s => s.path)).toEqual(['s/ntrace.pb'])
    expect(e.view.systems?.map(s => [s.file, s.events, s.shown])).toEqual([
      ['p.pftrace', 1, false],
      ['ntrace.pb', 2, true],
    ])
    expect(e.view.diagnostics.map(d => d.code)).toContain('system-several-sources')
    e.choose('p.pftrace')
    expect(slices(e)).toEqual(['nc_exec_running'])
    expect(() => e.choose('gone')).toThrow(RequestError)
    const again = fresh({ chosen: 'p.pftrace' })
    again.setFile(file('ntrace.pb'), prepare(systemTable(EVENTS)), [])
    expect(again.view.sources.map(s => s.path)).toEqual(['s/ntrace.pb'])
    again.setFile(file('p.pftrace'), prepare(systemTable(EVENTS.slice(1), { source: 'perfetto' })), [])
    expect(again.view.sources.map(s => s.path)).toEqual(['s/p.pftrace'])
  })

  it('move with a shift by hand: a source of its own range joins the others, and says so', async () => {
    const e = fresh()
    e.setFile(file('a'), prepare(systemTable(EVENTS)), [])
    e.setFile(file('b'), prepare(systemTable(EVENTS, { epochNs: systemTable([]).epochNs + 5_000_000_000n })), [])
    expect(e.view.groups).toHaveLength(2)
    expect(e.view.clocks?.every(c => c.part !== '' || c.confidence === 'doubtful')).toBe(true)
    e.shift(new Map([['b', -5_000_000_000n + 7n]]))
    expect(e.view.groups).toHaveLength(1)
    const b = e.view.clocks?.find(c => c.file === 'b' && c.part === '')
    expect(b).toMatchObject({ shiftNs: '-4999999993', overlaps: ['s/a'] })
    const source = e.view.sources.find(s => s.path === 's/b')?.index as number
    const details = await e.slice({ session: 's', source, row: 0 })
    expect(details.start).toBe(7)
    expect(BigInt(details.startUnixNs) - systemTable([]).epochNs).toBe(7n)
    e.shift(new Map())
    expect(e.view.groups).toHaveLength(2)
  })
})
