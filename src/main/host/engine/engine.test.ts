import { appendFile, cp, mkdtemp, readFile, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readArgsText } from '../../../formats/chrome-trace/args'
import { readTrace } from '../../../formats/chrome-trace/read'
import { readSnapshot } from '../../../formats/memory-snapshot/read'
import { fileSource } from '../../../formats/source'
import { writeSample } from '../../../session/sample/write'
import { RequestError, type SessionView, type TrackInfo } from '../../../shared/api'
import { stringAt } from '../../../shared/columns'
import { TILE_COLUMNS } from '../../../shared/tiles'
import type { ParsedTable, SnapshotTable, TraceTable } from '../../../shared/tables'
import { prepare } from '../prepared'
import type { EngineFile } from '../protocol'
import { stampOf } from '../stamp'
import { Engine } from './engine'

// A run of two ranks with its four files in one session, as a tool that collects files leaves them.
let dir = ''
const files: { file: EngineFile; read: () => Promise<ParsedTable> }[] = []

async function tableOf(path: string): Promise<ParsedTable> {
  const source = await fileSource(path, basename(path))
  try {
    const { table } = await (path.includes('trace') ? readTrace(source) : readSnapshot(source))
    if (!table) throw new Error(`${path} gave no table`)
    return table
  } finally {
    await source.close()
  }
}

async function fileOf(name: string, rank: number | null): Promise<EngineFile> {
  const abs = join(dir, name)
  const kind = name.includes('trace') ? 'chrome-trace' : 'memory-snapshot'
  return { id: `f-${name}`, path: name, abs, kind, rank, rankFromName: rank !== null, stamp: await stampOf(abs) }
}

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-engine-')))
  for (const f of await writeSample(join(dir, 'tree'), { ranks: 2, steps: 2, seed: 3 })) {
    // The runtime's files have tests of their own.
    if (!/trace\.json$|\.pickle$/.test(f.path)) continue
    const name = f.path.includes('snapshot') ? `snapshot_rank${f.rank}.pickle` : `trace_${f.rank}.json`
    await cp(join(dir, 'tree', f.path), join(dir, name))
    files.push({ file: await fileOf(name, f.path.includes('snapshot') ? f.rank : null), read: () => tableOf(join(dir, name)) })
  }
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const fresh = (version = 0, nextId = 0): Engine => new Engine({ session: 's', version, nextId }, { readArgs: readArgsText })

/** An engine with all files, in the given order, and the tables that it was given. */
async function full(
  order: readonly number[] = [0, 1, 2, 3],
): Promise<{ engine: Engine; tables: Map<string, ParsedTable>; view: SessionView }> {
  const engine = fresh()
  const tables = new Map<string, ParsedTable>()
  for (const i of order) {
    const { file, read } = files[i] as (typeof files)[number]
    const table = await read()
    tables.set(file.path, table)
    engine.setFile(file, prepare(table), [])
  }
  return { engine, tables, view: { ...engine.view, jobs: [], notice: null } }
}

const pathOf = (view: SessionView, source: number): string => view.sources[source]?.path ?? ''

describe('the view', () => {
  it('has all sources on one calibrated axis, tracks and allocators in the order of paths and ranks', async () => {
    const { view, tables } = await full([3, 2, 1, 0])
    expect(view.version).toBe(4)
    expect(view.groups).toMatchObject([{ id: 0, calibrated: true, sources: [0, 1, 2, 3] }])
    expect(view.allocators.map(a => [a.rank, a.device, a.group])).toEqual([
      [0, 0, 0],
      [1, 0, 0],
    ])
    expect(new Set(view.tracks.map(t => t.id)).size).toBe(view.tracks.length)
    expect(view.tracks.map(t => pathOf(view, t.source)).filter((p, i, all) => p !== all[i - 1])).toEqual([
      'snapshot_rank0.pickle',
      'snapshot_rank1.pickle',
      'trace_0.json',
      'trace_1.json',
    ])
    // Of a snapshot there are the curves of its allocators, with the peaks that the allocators tell.
    for (const a of view.allocators)
      expect(view.tracks.filter(t => t.source === a.source).map(t => [t.origin, t.name, t.note, t.max])).toEqual([
        ['pytorch', 'active, requested', 'bytes', a.peakActiveBytes],
        ['pytorch', 'reserved', 'bytes', a.peakReservedBytes],
      ])
    // Origin: the first instant of any source.
    const group = view.groups[0]
    for (const s of view.sources) {
      const t = tables.get(s.path) as ParsedTable
      const range = s.range as readonly [number, number]
      expect(range[0]).toBeGreaterThanOrEqual(0)
      expect(range[1]).toBeLessThanOrEqual(group?.durationNs ?? 0)
      if (t.kind === 'memory-snapshot')
        expect((group?.originNs ?? 0n) + BigInt(range[0])).toBe(t.epochNs + BigInt((t.timeRange as readonly [number, number])[0]))
    }
    expect(view.sources.some(s => s.range?.[0] === 0)).toBe(true)
    expect(view.steps.length).toBe(2 * 2)
  })

  it('grows with each file; a file read again keeps its ids, a removed or failed one goes', async () => {
    const { engine } = await full()
    const before = engine.view
    const { file, read } = files[0] as (typeof files)[number]
    const again = engine.setFile(file, prepare(await read()), [])
    expect(again.view.version).toBe(before.version + 1)
    expect(again.view.tracks.map(t => t.id)).toEqual(before.tracks.map(t => t.id))
    expect(again.view.allocators).toEqual(before.allocators)
    const d = { severity: 'error', code: 'x', file: file.path, offset: null, message: 'm', meaning: '', action: '', count: 1 } as const
    const failed = engine.fail(file.id, [d])
    expect(failed.view.sources).toHaveLength(3)
    expect(failed.view.diagnostics).toContain(d)
    for (const f of files) engine.drop(f.file.id)
    expect(engine.view).toMatchObject({ sources: [], tracks: [], groups: [], allocators: [], diagnostics: [] })
    expect(engine.view.version).toBe(before.version + 6)
  })

  it('starts where the engine before it ended', async () => {
    const engine = fresh(17, 1000)
    const { file, read } = files[0] as (typeof files)[number]
    const { view, nextId } = engine.setFile(file, prepare(await read()), [])
    expect(view.version).toBe(18)
    for (const t of [...view.tracks, ...view.allocators]) expect(t.id).toBeGreaterThanOrEqual(1000)
    expect(nextId).toBe(1000 + view.tracks.length + view.allocators.length)
  })
})

describe('trace queries', () => {
  it('answer the slices of several sources in group time, in the order of the request', async () => {
    const { engine, tables, view } = await full()
    const slices = view.tracks.filter(t => t.kind === 'slices')
    const tracks = [...slices].reverse()
    const end = view.groups[0]?.durationNs ?? 0
    const a = engine.slices({ session: 's', tracks: tracks.map(t => t.id), start: 0, end, width: 16384 })
    expect(a.version).toBe(view.version)
    expect(a.trackStart.length).toBe(tracks.length + 1)
    tracks.forEach((t, k) => {
      const table = tables.get(pathOf(view, t.source)) as TraceTable
      const [from, to] = [a.trackStart[k] as number, a.trackStart[k + 1] as number]
      expect(to).toBeGreaterThan(from)
      let count = 0
      for (let i = from; i < to; i++) {
        const row = a.row[i] as number
        count += a.merged[i] as number
        expect((view.groups[0]?.originNs ?? 0n) + BigInt(a.start[i] as number)).toBe(table.epochNs + BigInt(table.ts[row] as number))
        expect(a.names[a.name[i] as number]).toBe(stringAt(table.strings, table.name[row] as number))
        expect(a.categories[a.category[i] as number]).toBe(stringAt(table.strings, table.cat[row] as number))
      }
      expect(count).toBe(t.events)
    })
  })

  it('tiles say what windows of their span say, and name the stamps of their tracks', async () => {
    const { engine, view } = await full()
    const tracks = view.tracks.filter(t => t.kind === 'slices')
    const ids = tracks.map(t => t.id)
    const span = view.groups[0]?.durationNs ?? 0
    for (const column of [2 ** 10, 2 ** 14, 2 ** 18, 2 ** 24]) {
      const width = column * TILE_COLUMNS
      const first = Math.floor(span / 3 / width) - 1
      const a = engine.tiles({ session: 's', tracks: ids, column, first, count: 3 })
      expect([...a.stamps]).toEqual(tracks.map(t => t.stamp))
      expect(a.trackStart).toHaveLength(ids.length * 3 + 1)
      for (let k = 0; k < 3; k++) {
        const w = engine.slices({
          session: 's',
          tracks: ids,
          start: (first + k) * width,
          end: (first + k + 1) * width,
          width: TILE_COLUMNS,
        })
        ids.forEach((_, t) => {
          const [from, to] = [a.trackStart[t * 3 + k] as number, a.trackStart[t * 3 + k + 1] as number]
          const [at, end] = [w.trackStart[t] as number, w.trackStart[t + 1] as number]
          for (const c of ['start', 'duration', 'lane', 'row', 'merged', 'flags'] as const)
            expect(a[c].slice(from, to)).toEqual(w[c].slice(at, end))
          expect([...a.name.slice(from, to)].map(n => a.names[n])).toEqual([...w.name.slice(at, end)].map(n => w.names[n]))
        })
      }
    }
    expect(() => engine.tiles({ session: 's', tracks: Array<number>(256).fill(ids[0] as number), column: 1, first: 0, count: 64 })).toThrow(
      RequestError,
    )
  })

  it('the stamp of a track changes when its file is read again or moves in time, and only then', async () => {
    const { engine, view } = await full()
    const stamps = (): ReadonlyMap<number, number> =>
      new Map(engine.view.tracks.filter(t => t.role !== 'counter').map(t => [t.id, t.stamp ?? -1]))
    const sourceOf = new Map(view.tracks.map(t => [t.id, pathOf(view, t.source)]))
    const changed = (before: ReadonlyMap<number, number>): ReadonlySet<string> =>
      new Set([...stamps()].filter(([id, s]) => before.get(id) !== s).map(([id]) => sourceOf.get(id) ?? ''))
    let before = stamps()
    const again = files.find(f => f.file.path === 'trace_1.json') as (typeof files)[number]
    engine.setFile(again.file, prepare(await again.read()), [])
    expect(changed(before)).toEqual(new Set(['trace_1.json']))
    before = stamps()
    engine.shift(new Map([[again.file.id, 1_000_000n]]))
    expect(changed(before)).toEqual(new Set(['trace_1.json']))
  })

  it('are bounded by the screen and give the same for one source as for several', async () => {
    const { engine, view } = await full()
    const tracks = view.tracks.filter(t => t.kind === 'slices')
    const end = view.groups[0]?.durationNs ?? 0
    fc.assert(
      fc.property(fc.nat(end - 1), fc.integer({ min: 1, max: end }), fc.integer({ min: 1, max: 200 }), (start, span, width) => {
        const ask = (of: readonly TrackInfo[]) =>
          engine.slices({ session: 's', tracks: of.map(t => t.id), start, end: start + span, width })
        const all = ask(tracks)
        let n = 0
        for (const t of tracks) {
          const one = ask([t])
          expect(one.start.length).toBeLessThanOrEqual(t.depth * (2 * width + 4))
          expect([...one.start]).toEqual([...all.start.subarray(n, n + one.start.length)])
          expect([...one.name].map(i => one.names[i])).toEqual([...all.name.subarray(n, n + one.start.length)].map(i => all.names[i]))
          n += one.start.length
        }
        expect(all.start.length).toBe(n)
      }),
      { numRuns: 30 },
    )
  })

  it('counters and overview have one value per column', async () => {
    const { engine, view } = await full()
    const end = view.groups[0]?.durationNs ?? 0
    const counters = view.tracks.filter(t => t.kind === 'counter')
    const c = engine.counter({ session: 's', tracks: counters.map(t => t.id), start: 0, end, width: 50 })
    expect(c.min.length).toBe(counters.length)
    counters.forEach((t, i) => {
      expect(Math.max(...[...(c.max[i] as Float64Array)].filter(v => !Number.isNaN(v)))).toBe(t.max)
      expect(c.last[i]?.length).toBe(50)
    })
    const o = engine.overview({ session: 's', group: 0, width: 77 })
    expect(o.busy.length).toBe(77)
    expect(Math.max(...o.busy)).toBeGreaterThan(0)
    expect(Math.max(...o.busy)).toBeLessThanOrEqual(1)
    expect(o.active.length).toBe(77)
    expect(o.activeMax).toBe(view.allocators[0]?.peakActiveBytes)
  })

  it('details of a slice come with its args as they stand in the file', async () => {
    const { engine, tables, view } = await full()
    const source = view.sources.find(s => s.path === 'trace_1.json')
    const table = tables.get('trace_1.json') as TraceTable
    const events = (JSON.parse(await readFile(join(dir, 'trace_1.json'), 'utf8')) as { traceEvents: { name: string; args?: unknown }[] })
      .traceEvents
    const rows = [...table.phase.keys()].filter(r => table.phase[r] === 0x58 && (table.argsOffset[r] as number) >= 0)
    expect(rows.length).toBeGreaterThan(10)
    for (const row of rows.slice(0, 20)) {
      const d = await engine.slice({ session: 's', source: source?.index ?? -1, row })
      expect(d.name).toBe(events[row]?.name)
      expect(JSON.parse(d.args ?? 'null')).toEqual(events[row]?.args)
      expect(d.argsNotice).toBeNull()
      expect((view.groups[0]?.originNs ?? 0n) + BigInt(d.start)).toBe(BigInt(d.startUnixNs))
      for (const p of d.parents) expect(p.start).toBeLessThanOrEqual(d.start)
    }
  })

  it('args of a file that changed are not shown as if they belonged to the slice', async () => {
    const engine = fresh()
    await cp(join(dir, 'trace_0.json'), join(dir, 'trace_changed.json'))
    const file = await fileOf('trace_changed.json', null)
    const table = (await tableOf(file.abs)) as TraceTable
    engine.setFile(file, prepare(table), [])
    await appendFile(file.abs, ' ')
    const row = [...table.phase.keys()].find(r => table.phase[r] === 0x58 && (table.argsOffset[r] as number) >= 0) ?? -1
    expect(await engine.slice({ session: 's', source: 0, row })).toMatchObject({ args: null, argsNotice: expect.stringMatching(/changed/) })
    await rm(file.abs)
    expect(await engine.slice({ session: 's', source: 0, row })).toMatchObject({ args: null, argsNotice: expect.stringMatching(/cannot/) })
  })
})

describe('allocator queries', () => {
  it('agree with each other on both axes', async () => {
    const { engine, view } = await full()
    for (const info of view.allocators) {
      const base = { session: 's', allocator: info.id, width: 200, height: 100, yMax: null, withReserved: true } as const
      const [t0, t1] = info.timeRange as readonly [number, number]
      const byTime = engine.picture({ ...base, axis: 'time', start: t0, end: t1 })
      const byEvent = engine.picture({ ...base, axis: 'event', start: 0, end: info.events })
      expect(Math.max(...byTime.max)).toBe(info.peakActiveBytes)
      expect(Math.max(...byEvent.max)).toBe(info.peakActiveBytes)
      expect(byTime.version).toBe(view.version)
      const peak = engine.at({ session: 's', allocator: info.id, axis: 'event', at: info.peakActiveEvent })
      expect(peak.activeBytes).toBe(info.peakActiveBytes)
      expect(peak.groups.reduce((a, b) => a + b, 0)).toBe(info.peakActiveBytes)
      expect(peak.groups.length).toBe(info.groups.length)
      expect(engine.at({ session: 's', allocator: info.id, axis: 'time', at: info.peakTime ?? NaN }).time).toBe(info.peakTime)
      const all = engine.smaller({
        session: 's',
        allocator: info.id,
        axis: 'event',
        event: info.peakActiveEvent,
        from: 0,
        to: 2 ** 50,
        limit: 7,
      })
      expect(all.totalBytes).toBe(info.peakActiveBytes)
      expect(all.total).toBe(peak.liveAllocations)
      expect(all.list).toHaveLength(7)
    }
  })

  it('an allocation tells its stack, its life and the call around it', async () => {
    const { engine, tables, view } = await full()
    const info = view.allocators[1]
    const table = tables.get('snapshot_rank1.pickle') as SnapshotTable
    let found = 0
    for (let allocation = 0; allocation < (info?.allocations ?? 0); allocation++) {
      const d = engine.allocation({ session: 's', allocator: info?.id ?? -1, allocation })
      expect(d.allocation).toBe(allocation)
      if (d.origin !== 'recorded') continue
      const trace = table.devices[0]
      expect((view.groups[0]?.originNs ?? 0n) + BigInt(d.allocTime ?? 0)).toBe(table.epochNs + BigInt(trace?.time[d.allocEvent] ?? 0))
      expect(d.address).toBe(`0x${trace?.address[d.allocEvent]?.toString(16)}`)
      expect(d.frames.length).toBeGreaterThan(0)
      if (!d.inside || ++found > 100) continue
      // In the trace of the same rank, and it covers the time.
      expect(pathOf(view, d.inside.source)).toBe('trace_1.json')
      const slice = await engine.slice({ session: 's', source: d.inside.source, row: d.inside.row })
      expect(slice.name).toBe(d.inside.name)
      expect(slice.start).toBeLessThanOrEqual(d.allocTime ?? NaN)
      expect(slice.start + (slice.duration ?? 0)).toBeGreaterThan(d.allocTime ?? NaN)
    }
    expect(found).toBeGreaterThan(10)
  })

  it('no call is named when several traces could be meant', async () => {
    const engine = fresh()
    for (const { file, read } of files) {
      const table = await read()
      engine.setFile(
        { ...file, rank: file.kind === 'chrome-trace' ? null : file.rank },
        prepare(table.kind === 'chrome-trace' ? { ...table, rank: null } : table),
        [],
      )
    }
    const info = engine.view.allocators[0]
    for (let allocation = info?.startBlocks ?? 0, n = 0; n < 100; allocation++, n++)
      expect(engine.allocation({ session: 's', allocator: info?.id ?? -1, allocation }).inside).toBeNull()
  })

  it('a snapshot without times has the event axis only', async () => {
    const engine = fresh()
    const { file, read } = files.find(f => f.file.kind === 'memory-snapshot') as (typeof files)[number]
    const table = (await read()) as SnapshotTable
    const devices = table.devices.map(d => ({ ...d, time: d.time.map(() => NaN) }))
    const { view } = engine.setFile(file, prepare({ ...table, clock: 'none', timeRange: null, timeUs: null, devices }), [])
    const info = view.allocators[0]
    expect(info).toMatchObject({ group: null, peakTime: null, timeRange: null })
    expect(view.groups).toEqual([])
    const q = {
      session: 's',
      allocator: info?.id ?? -1,
      start: 0,
      end: 10,
      width: 10,
      height: 10,
      yMax: null,
      withReserved: false,
    } as const
    expect(() => engine.picture({ ...q, axis: 'time' })).toThrow(RequestError)
    expect(() => engine.at({ session: 's', allocator: info?.id ?? -1, axis: 'time', at: 0 })).toThrow(RequestError)
    expect(engine.picture({ ...q, axis: 'event' }).width).toBe(10)
    expect(engine.allocation({ session: 's', allocator: info?.id ?? -1, allocation: 0 })).toMatchObject({ inside: null })
  })
})

describe('unknown and stale ids', () => {
  it('are refused', async () => {
    const { engine, view } = await full()
    const track = view.tracks[0]?.id ?? -1
    const allocator = view.allocators[0]?.id ?? -1
    const w = { session: 's', start: 0, end: 1, width: 1 }
    const m = { ...w, axis: 'event', height: 1, yMax: null, withReserved: false } as const
    const none = 4_000_000
    const refused: (() => unknown)[] = [
      () => engine.slices({ ...w, tracks: [track, none] }),
      () => engine.slices({ ...w, tracks: [allocator] }),
      () => engine.counter({ ...w, tracks: [none] }),
      () => engine.overview({ session: 's', group: none, width: 1 }),
      () => engine.picture({ ...m, allocator: none }),
      () => engine.picture({ ...m, allocator: track }),
      () => engine.picture({ ...m, allocator, width: 16384, height: 16384 }),
      () => engine.at({ session: 's', allocator: none, axis: 'time', at: 0 }),
      () => engine.smaller({ session: 's', allocator, axis: 'event', event: none, from: 0, to: 1, limit: 1 }),
      () => engine.allocation({ session: 's', allocator, allocation: none }),
    ]
    for (const f of refused) expect(f, String(f)).toThrow(RequestError)
    await expect(engine.slice({ session: 's', source: none, row: 0 })).rejects.toThrow(RequestError)
    await expect(engine.slice({ session: 's', source: 0, row: none })).rejects.toThrow(RequestError)
    engine.drop(`f-${pathOf(view, view.tracks[0]?.source ?? -1)}`)
    expect(() => engine.slices({ ...w, tracks: [track] })).toThrow(RequestError)
  })
})
