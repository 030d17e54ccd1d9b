import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hbmAt } from '../../analysis/hbm/at'
import { buildHbm } from '../../analysis/hbm/build'
import { replayAll } from '../../analysis/allocator/replay'
import { calibrateHardware } from '../../analysis/system/clocks'
import { readTrace } from '../../formats/chrome-trace/read'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { readTraceInfo } from '../../formats/neuron-runtime/info'
import { readNtrace } from '../../formats/neuron-runtime/ntrace'
import { readCpuUtil, readHostMemory } from '../../formats/neuron-runtime/samples'
import { fileSource } from '../../formats/source'
import { stringAt } from '../../shared/columns'
import { eventName, ROW_SLICE, type SystemTable } from '../../shared/system-tables'
import { discover } from '../discover'
import { simulate, type LoopResult } from './loop'
import { writeSample } from './write'

let dir: string
let folder: string
let run: LoopResult
const read = async <T>(
  name: string,
  reader: (s: Awaited<ReturnType<typeof fileSource>>) => Promise<{ table: T | null; diagnostics: readonly { severity: string }[] }>,
) => {
  const source = await fileSource(join(folder, name), name)
  try {
    const { table, diagnostics } = await reader(source)
    expect(diagnostics.filter(d => d.severity !== 'info')).toEqual([])
    return table as T
  } finally {
    await source.close()
  }
}

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-sample-'))
  const options = { ranks: 1, steps: 2, seed: 8 }
  const files = await writeSample(dir, options)
  folder = join(dir, (files[0] as { path: string }).path.replace(/\/[^/]+$/, ''))
  run = simulate({ ...options, rank: 0 })
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const rows = (t: SystemTable, name: string): readonly number[] =>
  Array.from({ length: t.count }, (_, i) => i).filter(i => eventName(t, i) === name)
const unix = (t: SystemTable, row: number): bigint => t.epochNs + BigInt(t.start[row] as number)

describe("the runtime's files of the sample", () => {
  it('pass all checks of the built-in schema, nothing unmatched, nothing unverified', async () => {
    const t = await read('ntrace.pb', readNtrace)
    expect(t.verdict).toMatchObject({ origin: 'built-in', framing: 'varint', unverified: [] })
    expect(t.verdict.checks.filter(c => !c.ok)).toEqual([])
    expect([...t.state].filter((s, i) => s !== ROW_SLICE && eventName(t, i) !== 'timestamp_sync_point')).toEqual([])
  })

  it('have the executions where the framework says that the device worked, under the same sequence id', async () => {
    const t = await read('ntrace.pb', readNtrace)
    const trace = await read('trace.json', s => readTrace(s, {}))
    const device = new Map<bigint, number>()
    let collectives = 0
    for (let i = 0; i < trace.count; i++)
      if (stringAt(trace.strings, trace.cat[i] as number) === 'privateuse1_driver')
        device.set(trace.epochNs + BigInt(trace.ts[i] as number), trace.dur[i] as number)
    const running = rows(t, 'nc_exec_running')
    for (const l of run.mapping) collectives += Number(l.stream === 1)
    expect(collectives).toBeGreaterThan(0)
    // Each graph on both cores, each collective once.
    expect(running).toHaveLength(2 * (device.size - collectives))
    expect(rows(t, 'cc_running')).toHaveLength(collectives)
    const sequences = new Set(run.mapping.map(l => l.sequence))
    for (const r of [...running, ...rows(t, 'cc_running')]) {
      expect(sequences.has(t.sequence[r] as bigint)).toBe(true)
      const inside = [...device].some(
        ([at, dur]) => at <= unix(t, r) && unix(t, r) + BigInt(t.duration[r] as number) <= at + BigInt(dur) + 1000n,
      )
      expect(inside).toBe(true)
    }
    // The hardware's clock is told by the sync points and agrees.
    const { clock } = calibrateHardware(t)
    expect(clock).toMatchObject({ method: 'stored', without: 0, nearest: 0 })
    expect(clock.residualNs).toBeGreaterThan(0)
  })

  it('have the memory of each new segment, with its id and size, just before the allocator has it', async () => {
    const t = await read('ntrace.pb', readNtrace)
    const { models, diagnostics } = buildHbm(t, 'ntrace.pb')
    expect(diagnostics).toEqual([])
    expect(models).toHaveLength(1)
    const [model] = models
    const table = await read('memory_snapshot_rank0.pickle', s => readSnapshot(s, {}))
    const [allocator] = replayAll(table)
    const segments = run.allocator.entries.filter(e => e.action === 'segment_alloc')
    expect(segments.length).toBeGreaterThan(20)
    const byId = new Map(rows(t, 'nrt_dma_mem_alloc').map(r => [t.trackingId[r] as bigint, r]))
    for (const s of segments) {
      const r = byId.get(s.traceId as bigint) as number
      const stop = unix(t, r) + BigInt(t.duration[r] as number)
      expect(Number(BigInt(s.timeUs) * 1000n - stop)).toBeGreaterThanOrEqual(-1000)
      expect(Number(BigInt(s.timeUs) * 1000n - stop)).toBeLessThan(1000)
    }
    // What PyTorch has reserved at the end is what the runtime counts as tensors.
    const tensors = model?.categories.findIndex(c => c.name === 'tensors') as number
    expect(hbmAt(model as NonNullable<typeof model>, (t.range as readonly [number, number])[1], null).categories[tensors]).toBe(
      run.allocator.reserved,
    )
    expect(allocator?.figures.endReservedBytes).toBe(run.allocator.reserved)
  })

  it('tell the session, its models and its profiles; the NTFF pairs by uuid', async () => {
    const info = await read('trace_info.pb', s => readTraceInfo(s, { expect: { pid: run.pid, sessionNs: run.startNs } }))
    expect(info).toMatchObject({ pid: { value: run.pid }, sessionNs: { value: run.startNs }, instanceType: { value: 'trn2.3xlarge' } })
    expect([...info.names].map(([id, name]) => `${id} ${name}`)).toEqual(run.runtime.models.map(m => `${m.id} ${m.name}`))
    expect(info.profiles.map(p => p.path)).toHaveLength(3)
    const [session] = (await discover(dir)).sessions
    expect(session?.pairs).toHaveLength(1)
    expect(session?.pairs[0]).toMatchObject({ by: 'uuid', verdict: 'paired' })
    expect(session?.modes).toEqual(['DEVICE', 'RUNTIME', 'CPU_UTIL', 'HOST_MEMORY', 'framework', 'snapshot'])
  })

  it('have samples of the host from the beginning to the end', async () => {
    const cpu = await read('cpu_util.pb', readCpuUtil)
    expect([...cpu.cores]).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    const memory = await read('host_mem.pb', readHostMemory)
    expect(memory.count * 8).toBe(cpu.count)
    const first = Number(memory.epochNs + BigInt((memory.range as readonly [number, number])[0]) - run.startNs)
    expect(first).toBeGreaterThan(0)
    expect(Number(memory.epochNs - run.startNs) + (memory.range as readonly [number, number])[1]).toBeLessThan(run.endNs)
  })
})
