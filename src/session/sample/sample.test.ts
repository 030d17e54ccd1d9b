import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bufferSource } from '../../formats/source'
import { readTrace } from '../../formats/chrome-trace/read'
import { readSnapshot } from '../../formats/memory-snapshot/read'
import { replayAll } from '../../analysis/allocator/replay'
import { buildTraceModel } from '../../analysis/trace/tracks'
import { stringAt } from '../../shared/columns'
import { simulate } from './loop'
import { writeSample } from './write'

const dirs: string[] = []
const made = async (o: { ranks: number; steps: number; seed: number }): Promise<{ dir: string; files: Map<string, Buffer> }> => {
  const dir = await mkdtemp(join(tmpdir(), 'nw-sample-'))
  dirs.push(dir)
  const files = new Map<string, Buffer>()
  for (const f of await writeSample(dir, o)) files.set(f.path, await readFile(join(dir, f.path)))
  return { dir, files }
}
afterAll(() => Promise.all(dirs.map(d => rm(d, { recursive: true, force: true }))))

const kineto = (text: string): { traceEvents: { ph: string; name: string; ts: number; dur?: number; args?: Record<string, number> }[] } =>
  JSON.parse(text) as never

describe('sample profile', () => {
  it('is the same for a seed and another for another', async () => {
    const a = await made({ ranks: 2, steps: 2, seed: 5 })
    const b = await made({ ranks: 2, steps: 2, seed: 5 })
    const c = await made({ ranks: 2, steps: 2, seed: 6 })
    expect([...a.files.keys()].sort()).toEqual([...b.files.keys()].sort())
    for (const [path, data] of a.files) expect(data.equals(b.files.get(path) as Buffer)).toBe(true)
    expect([...a.files.values()].some((d, i) => !d.equals([...c.files.values()][i]))).toBe(true)
  })

  it('has one folder per rank in the documented tree', async () => {
    const { files } = await made({ ranks: 3, steps: 1, seed: 1 })
    const paths = [...files.keys()]
    expect(paths).toHaveLength(30)
    const names =
      /^i-[0-9a-f]{17}_pid_\d+\/\d{19}\/(trace\.json|memory_snapshot_rank[0-2]\.pickle|ntrace\.pb|trace_info\.pb|cpu_util\.pb|host_mem\.pb|neff_\d+_vnc_[01]\.neff|profile_nc_0_session_\d{19}\.ntff|framework_mapping_\d{8}_\d{6}_\d{3}\.json)$/
    for (const p of paths) expect(p).toMatch(names)
    expect(new Set(paths.map(p => p.split('/')[0])).size).toBe(3)
  })

  it('is read without a diagnostic, and the replay checks out against the segment table', async () => {
    const { files } = await made({ ranks: 1, steps: 3, seed: 2 })
    for (const [path, data] of files) {
      if (path.endsWith('trace.json')) {
        const { table, diagnostics } = await readTrace(bufferSource(path, data), {})
        expect(diagnostics).toEqual([])
        const model = buildTraceModel(table as NonNullable<typeof table>)
        expect(model.steps.map(s => s.name)).toEqual(['ProfilerStep#3', 'ProfilerStep#4', 'ProfilerStep#5'])
        expect(Object.values(model.skipped).reduce((s, n) => s + n, 0)).toBe(0)
      } else if (path.endsWith('.pickle')) {
        const { table, diagnostics } = await readSnapshot(bufferSource(path, data), {})
        // The trace id is no key of PyTorch's own format.
        expect(diagnostics.map(d => [d.severity, d.code])).toEqual(Array(2).fill(['info', 'snapshot-unknown-key']))
        expect(diagnostics.every(d => d.message.includes("'trace_id'"))).toBe(true)
        const [m] = replayAll(table as NonNullable<typeof table>)
        const f = m.figures
        expect(f.selfCheck).toMatchObject({ ok: true })
        expect(f.selfCheck.replayBytes).toBe(f.endActiveBytes)
        expect(f.startActiveBytes).toBeGreaterThan(4 * 2 ** 30)
        expect(f.unknownFrees).toBe(6)
        expect(f.peakActiveBytes).toBeGreaterThan(f.startActiveBytes)
        // Collectives keep blocks active after the program let them go.
        expect(m.active.some((v, i) => v > m.allocated[i])).toBe(true)
        // The reserved curve begins with what warm-up took and follows the segments of the recording.
        expect(f.startReservedBytes).toBeGreaterThan(0)
        expect(f.endReservedBytes).toBeGreaterThan(f.startReservedBytes)
      }
    }
  })

  it('agrees in time and bytes: every alloc stands inside an operator, every [memory] event tells the allocator total', async () => {
    const run = simulate({ rank: 0, ranks: 1, steps: 2, seed: 3 })
    const { files } = await made({ ranks: 1, steps: 2, seed: 3 })
    const text = [...files].find(([p]) => p.endsWith('trace.json'))?.[1].toString() as string
    const base = BigInt((/"baseTimeNanoseconds": (\d+)/.exec(text) as RegExpExecArray)[1])
    const events = kineto(text).traceEvents
    const ops = events.filter(e => e.ph === 'X' && (e as { cat?: string }).cat === 'cpu_op')
    const toUs = (ts: number): number => Number(base / 1000n) + ts
    const allocs = run.allocator.entries.filter(e => e.action === 'alloc')
    expect(allocs.length).toBeGreaterThan(100)
    for (const a of allocs) {
      // Snapshot times are whole microseconds, rounded down.
      expect(ops.some(o => toUs(o.ts) - 1 <= a.timeUs && a.timeUs <= toUs(o.ts + (o.dur ?? 0)))).toBe(true)
    }
    const totals = events.filter(e => e.name === '[memory]')
    expect(totals.length).toBeGreaterThan(allocs.length)
    let last: number | null = null
    for (const e of totals) {
      const args = e.args as Record<string, number>
      if (last !== null) expect(args['Total Allocated']).toBe(last + args['Bytes'])
      last = args['Total Allocated']
    }
  })

  it('is read by Python', async () => {
    const { dir, files } = await made({ ranks: 1, steps: 1, seed: 4 })
    const path = [...files.keys()].find(p => p.endsWith('.pickle')) as string
    try {
      execFileSync('python3', ['--version'], { stdio: 'ignore' })
    } catch {
      console.warn('Skipped: python3 is not installed, so the sample was not read by Python.')
      return
    }
    const out = execFileSync('python3', [
      '-c',
      'import pickle,sys;s=pickle.load(open(sys.argv[1],"rb"));t=s["device_traces"][0];print(len(s["segments"]),len(t),sum(e["size"] for e in t if e["action"]=="alloc"),s["segments"][0]["segment_pool_id"])',
      join(dir, path),
    ])
    const { table } = await readSnapshot(bufferSource(path, files.get(path) as Buffer), {})
    const t = (table as NonNullable<typeof table>).devices[0]
    let size = 0
    for (let i = 0; i < t.count; i++) if (t.action[i] === 0) size += t.size[i]
    expect(out.toString().trim()).toBe(`${table?.segments.count} ${t.count} ${size} (0, 0)`)
    expect(stringAt((table as NonNullable<typeof table>).strings, table?.segments.segmentType[0] as number)).toMatch(/large|small/)
  })
})
