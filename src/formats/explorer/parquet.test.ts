import fc from 'fast-check'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { attribute, EVENT_SOURCES, ROW_OPEN } from '../../shared/system-tables'
import { bufferSource, fileSource } from '../source'
import { eventCells, fixtureRun, parquetFile, parquetFolder, total } from './fixture'
import { expectEvents } from './expect-events'
import { zstdByLibrary } from './parquet/codecs'
import { readExplorerFolder, readExplorerParquet, type ExplorerReadResult } from './parquet'

const run = fixtureRun()
const read = (files: ReadonlyMap<string, Uint8Array>): Promise<ExplorerReadResult> =>
  readExplorerFolder([...files].map(([name, data]) => ({ name, source: bufferSource(name, data) })))
const codes = (r: ExplorerReadResult): readonly string[] => r.diagnostics.map(d => d.code)

describe('a folder of Parquet tables', () => {
  it('fills the table: events, CPU, host memory, device memory, info', async () => {
    const r = await read(parquetFolder(run))
    const t = r.table
    expectEvents(t, run)
    expect(t.source).toBe('explorer-parquet')
    expect(r.verdict.checks.map(c => [c.name, c.ok])).toEqual([
      ['columns', true],
      ['times', true],
      ['durations', true],
    ])
    expect(new Set(codes(r))).toEqual(new Set(['system-dropped', 'explorer-columns']))
    expect(t.dropped).toBe(1001)
    expect(t.complete).toBe(true)
    expect(t.range).toEqual([0, Number(run.events.reduce((m, e) => (e.end > m ? e.end : m), 0n) - run.events[0].start)])
    expect(t.cpu && [...t.cpu.cpu]).toEqual(run.cpu.map(c => (c.cpu === 'average' ? -1 : Number(c.cpu))))
    expect(t.cpu && [...t.cpu.util]).toEqual(run.cpu.map(c => c.util))
    expect(t.cpu && [...t.cpu.cores]).toEqual([0, 47])
    expect(t.hostMemory && [...t.hostMemory.usage]).toEqual(run.memory.map(m => m.used))
    expect(t.hostMemory?.percent && [...t.hostMemory.percent]).toEqual(run.memory.map(m => m.percent))
    expect(t.hbmUsage && [...t.hbmUsage.total]).toEqual(run.hbm.map(h => total(h.categories)))
    expect(t.hbmUsage && [...t.hbmUsage.time].map(x => t.hbmUsage!.epochNs + BigInt(x))).toEqual(run.hbm.map(h => h.time))
    for (const c of t.hbmUsage?.categories ?? []) expect([...c.bytes]).toEqual(run.hbm.map(h => h.categories[c.name]))
    expect(t.hbmUsage?.categories.map(c => c.name)).toEqual(['tensors', 'weights', 'scratchpad', 'unknown'])
    expect(t.hbmUsage?.capacityBytes).toBe(run.capacity)
    expect(t.info?.instanceId?.value).toBe(run.instance)
    expect(t.info?.pid?.value).toBe(1765325)
    expect(t.info?.versions).toEqual([{ of: 'ntff_version', text: '6', how: 'schema' }])
    expect(t.info?.profiles.map(p => p.path)).toEqual(run.profiles)
    expect(t.cores.map(c => [c.nc, c.messages])).toEqual([
      [0, 30],
      [1, 30],
    ])
    expect(r.files.find(f => f.table === 'SystemProfileEvents')).toMatchObject({
      rows: 100,
      rowGroups: 4,
      used: true,
      createdBy: 'neuron-workbench fixture',
    })
    expect(r.files.find(f => f.table === 'NeffHeader')).toMatchObject({ used: false, rows: 1 })
  })

  const zstd = 'zstdCompressSync' in zlib
  it.each(['UNCOMPRESSED', 'SNAPPY', 'GZIP', 'BROTLI', ...(zstd ? ['ZSTD' as const] : [])] as const)(
    'reads pages compressed by %s',
    async codec => {
      expectEvents((await read(parquetFolder(run, { codec }))).table, run)
    },
  )
  it.runIf(zstd)('reads zstd without the help of Node the same', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 3000 }), fc.integer({ min: 1, max: 300 }), (part, times) => {
        const data = Buffer.concat(Array<Uint8Array>(times).fill(part))
        const packed = new Uint8Array(zlib.zstdCompressSync(data))
        expect(Buffer.compare(zstdByLibrary(packed, data.length), data)).toBe(0)
        expect(() => zstdByLibrary(packed, data.length + 1)).toThrow('where its header says')
      }),
      { numRuns: 50 },
    )
  })
  it.each([
    ['start_ts', 'DELTA_BINARY_PACKED'],
    ['start_ts', 'BYTE_STREAM_SPLIT'],
    ['extra_attributes_json', 'DELTA_LENGTH_BYTE_ARRAY'],
    ['extra_attributes_json', 'DELTA_BYTE_ARRAY'],
    ['name', 'DELTA_BYTE_ARRAY'],
    ['name', 'PLAIN'],
  ] as const)('reads %s encoded as %s', async (name, encoding) => {
    expectEvents((await read(parquetFolder(run, { encoding: { [name]: encoding } }))).table, run)
  })
  it('is the same however the rows are cut into files, row groups and pages', async () => {
    const events = fixtureRun(60)
    for (const options of [
      { parts: 4 },
      { rowGroupSize: 7 },
      { pageSize: 64 },
      { rowGroupSize: 1000, pageSize: 200, parts: 3 },
      { parts: 11, rowGroupSize: 1 },
    ])
      expectEvents((await read(parquetFolder(events, options))).table, events)
  })
  it('reads files on disk', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'nw-explorer-'))
    const sources = []
    for (const [name, data] of parquetFolder(run)) {
      await writeFile(join(dir, name), data)
      sources.push({ name, source: await fileSource(join(dir, name), name) })
    }
    expectEvents((await readExplorerFolder(sources)).table, run)
    for (const s of sources) await s.source.close()
    await rm(dir, { recursive: true })
  })
})

describe('schemas that moved', () => {
  it('says which columns are missing and takes what is there', async () => {
    const data = parquetFile(eventCells(run), { without: ['end_ts', 'trace_event_source', 'worker_gid'] })
    const r = await readExplorerParquet(bufferSource('SystemProfileEvents.parquet', data))
    const d = r.diagnostics.find(x => x.code === 'explorer-columns')
    expect(d?.message).toContain('no column end_ts, trace_event_source, worker_gid')
    expect(r.verdict.checks[0]).toMatchObject({ name: 'columns', ok: false })
    const t = r.table
    expect(t?.count).toBe(run.events.length)
    // The ends come from the durations, the sources of runtime events from their names.
    const at = run.events.findIndex(e => e.name === 'nc_exec_running')
    const row = t ? [...t.id].indexOf(run.events[at].id) : -1
    expect(t?.duration[row]).toBe(Number(run.events[at].end - run.events[at].start))
    expect(EVENT_SOURCES[t!.types.source[t!.type[row]]]).toBe('neuron_hw')
  })
  it('keeps unknown columns as attributes', async () => {
    const data = parquetFile({ ...eventCells(run), trace_id: ['INT64', run.events.map((_, i) => 2n ** 60n + BigInt(i))] })
    const r = await readExplorerParquet(bufferSource('SystemProfileEvents.parquet', data))
    expectEvents(r.table, run)
    const row = [...r.table.id].indexOf(run.events[3].id)
    expect(attribute(r.table, row, 'trace_id')).toBe(String(2n ** 60n + 3n))
  })
  it('refuses a table of events without names or starts, and says so', async () => {
    const r = await readExplorerParquet(
      bufferSource('SystemProfileEvents.parquet', parquetFile(eventCells(run), { without: ['start_ts'] })),
    )
    expect(r.diagnostics.find(d => d.severity === 'error')?.code).toBe('explorer-columns')
    expect(r.table?.count).toBe(0)
    expect(r.table?.complete).toBe(false)
  })
  it('tells a renamed table by its columns', async () => {
    const r = await readExplorerParquet(bufferSource('export.parquet', parquetFile(eventCells(run))))
    expectEvents(r.table, run)
    expect(codes(r)).toContain('explorer-table-by-columns')
  })
  it('leaves rows without a time out and calls ends that are not known open', async () => {
    const cells = eventCells(run)
    const nulls = (key: string, at: number): readonly unknown[] => cells[key][1].map((v, i) => (i === at ? null : v))
    const data = parquetFile({
      ...cells,
      start_ts: ['INT64', nulls('start_ts', 4)],
      end_ts: ['INT64', nulls('end_ts', 7)],
      duration_ns: ['INT64', nulls('duration_ns', 7)],
    })
    const r = await readExplorerParquet(bufferSource('SystemProfileEvents.parquet', data))
    expect(r.diagnostics.find(d => d.code === 'system-no-time')?.count).toBe(1)
    expect(r.table?.count).toBe(run.events.length - 1)
    const row = [...r.table!.id].indexOf(run.events[7].id)
    expect(r.table!.state[row]).toBe(ROW_OPEN)
    expect(r.table!.duration[row]).toBeNaN()
  })
  it('says where a part of a table is missing', async () => {
    const files = new Map(parquetFolder(run, { parts: 3 }))
    files.delete('SystemProfileEvents_1.parquet')
    const r = await read(files)
    expect(codes(r)).toContain('explorer-part-missing')
    expect(r.table?.complete).toBe(false)
  })
  it('answers no table where no file is one of a system profile', async () => {
    const r = await read(new Map([['NeffHeader.parquet', parquetFile({ uuid: ['STRING', ['x']] })]]))
    expect(r.table).toBeNull()
    expect(r.verdict.origin).toBeNull()
    expect(codes(r)).toEqual(['explorer-no-table'])
  })
})

describe('damaged and hostile files', () => {
  const small = parquetFile(eventCells(fixtureRun(1)), { rowGroupSize: 2, codec: 'UNCOMPRESSED' })
  const name = 'SystemProfileEvents.parquet'

  it('never throws on a cut file and says so', async () => {
    for (let n = 0; n < small.length; n += n < small.length - 400 ? 37 : 1) {
      const r = await readExplorerParquet(bufferSource(name, small.subarray(0, n)))
      expect(r.diagnostics.some(d => d.severity === 'error')).toBe(true)
    }
  })
  it('never throws on changed bytes; what is wrong is told or the times are as written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(small.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }), async changes => {
        const data = small.slice()
        for (const [at, v] of changes) data[at] = v
        const r = await readExplorerParquet(bufferSource(name, data))
        if (r.table) expect(r.table.count).toBeLessThanOrEqual(5)
      }),
      { numRuns: 300 },
    )
  }, 120_000)
  it('never throws on random bytes between the marks', async () => {
    const mark = new TextEncoder().encode('PAR1')
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async bytes => {
        const length = new Uint8Array(new Uint32Array([bytes.length]).buffer)
        const r = await readExplorerParquet(bufferSource(name, Buffer.concat([mark, bytes, length, mark])))
        expect(r.table === null || r.diagnostics.length > 0).toBe(true)
      }),
    )
  })
  it('does not believe a length of the footer', async () => {
    for (const claim of [0xffffffff, small.length, 0x7fffffff]) {
      const data = small.slice()
      new DataView(data.buffer).setUint32(data.length - 8, claim, true)
      const r = await readExplorerParquet(bufferSource(name, data))
      expect(r.table).toBeNull()
      expect(r.diagnostics[0].code).toBe('parquet-footer')
    }
  })
  it('says that a file which is compressed as a whole must be unpacked', async () => {
    const { gzipSync } = await import('node:zlib')
    const r = await readExplorerParquet(bufferSource(name, gzipSync(small)))
    expect(r.diagnostics[0].code).toBe('parquet-no-range')
  })
  it('can be cancelled', async () => {
    const stop = new AbortController()
    stop.abort()
    const r = await readExplorerFolder([{ name, source: bufferSource(name, small) }], { signal: stop.signal })
    expect(r.table).toBeNull()
    expect(codes(r)).toContain('cancelled')
  })
})
