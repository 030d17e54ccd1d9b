import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readTable } from '../../../formats/readers'
import { fileSource } from '../../../formats/source'
import { simulate } from '../../../session/sample/loop'
import { writeSample } from '../../../session/sample/write'
import { RequestError } from '../../../shared/api'
import type { ReadableKind } from '../../../shared/catalog'
import { stringAt } from '../../../shared/columns'
import type { ChainAnswer } from '../../../shared/trace-api'
import { prepare } from '../prepared'
import { traceChain } from './chain'
import { Engine } from './engine'
import { Turn } from './lanes'

// The sample as a user opens it.
const OPTIONS = { ranks: 1, steps: 1, seed: 5 } as const
let dir = ''
let engine: Engine

const KINDS: readonly (readonly [RegExp, ReadableKind])[] = [
  [/trace\.json$/, 'chrome-trace'],
  [/ntrace\.pb$/, 'ntrace'],
  [/trace_info\.pb$/, 'trace-info'],
  [/\.neff$/, 'neff'],
  [/\.ntff$/, 'ntff'],
  [/framework_mapping_.*\.json$/, 'framework-mapping'],
]

async function load(e: Engine, only = /./, pid = String(simulate({ ...OPTIONS, rank: 0 }).pid)): Promise<void> {
  for (const f of files) {
    const kind = KINDS.find(k => k[0].test(f))?.[1]
    if (!kind || !only.test(f)) continue
    const path = join(dir, f)
    const source = await fileSource(path, f)
    const { table } = await readTable(kind, source)
    await source.close()
    if (!table) throw new Error(`${f} gave no table`)
    const about = { id: `id of ${f.slice(f.lastIndexOf('/') + 1)}`, path: f, abs: path, kind: table.kind, rank: 0, rankFromName: true, pid }
    e.setFile({ ...about, stamp: { bytes: 1, mtimeMs: 1 } }, prepare(table, f, pid), [])
  }
}
let files: readonly string[] = []
const fresh = (): Engine => new Engine({ session: 's', version: 0, nextId: 0 }, { readArgs: () => Promise.resolve('{}') })

beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-chain-')))
  files = (await writeSample(dir, OPTIONS)).map(f => f.path)
  engine = fresh()
  await load(engine)
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const partNamed = (e: Engine, name: string) => {
  const part = e.context.parts.find(p => p.source.file.path.endsWith(name))
  if (!part || (part.source.kind !== 'chrome-trace' && part.source.kind !== 'system')) throw new Error(`no ${name}`)
  return { part, source: part.source }
}
/** Rows of a name, in the order of the file. */
function rowsOf(e: Engine, file: string, name: string): readonly number[] {
  const { source } = partNamed(e, file)
  const t = source.table
  const named = (row: number): string =>
    t.kind === 'system' ? stringAt(t.strings, t.types.name[t.type[row]]) : stringAt(t.strings, t.name[row])
  return Array.from({ length: t.count }, (_, i) => i).filter(i => named(i) === name)
}
const ask = (e: Engine, file: string, row: number): Promise<ChainAnswer> =>
  traceChain(e.context, { session: 's', source: partNamed(e, file).part.index, row }, new Turn())

describe('the chain of the sample', () => {
  it('leads from every operator to what the hardware ran for it, under the id that the simulation used, and back', async () => {
    const run = simulate({ ...OPTIONS, rank: 0 })
    const operators = rowsOf(engine, 'trace.json', 'aten::linear').slice(0, 6)
    const mapped = new Map(run.mapping.map(m => [String(m.operator), String(m.sequence)]))
    const { source } = partNamed(engine, 'trace.json')
    if (source.kind !== 'chrome-trace') throw new Error('no trace')
    for (const row of operators) {
      const { ids } = source.table
      const external = ids && String(ids.value[Array.from(ids.row).findIndex((r, i) => r === row && ids.key[i] === 0)])
      const a = await ask(engine, 'trace.json', row)
      expect(a.event).toMatchObject({ name: 'aten::linear', layer: 'framework', id: `${source.file.path}:${row}` })
      const layers = a.downstream.map(l => l.to.layer)
      expect(new Set(layers)).toEqual(new Set(['framework', 'stream', 'neuron_rt', 'neuron_hw']))
      const sequence = mapped.get(external ?? '')
      expect(a.downstream.filter(l => l.by === 'sequence').every(l => l.value === sequence)).toBe(true)
      const run = a.downstream.filter(l => l.to.name === 'nc_exec_running').map(l => l.to)
      const cores = new Map(run.map(r => [r.id, r]))
      expect(cores.size).toBe(2)
      const [one, two] = [...cores.values()]
      const [from, to] = [
        Math.min(one?.start ?? 0, two?.start ?? 0),
        Math.max(...[...cores.values()].map(r => r.start + (r.duration ?? 0))),
      ]
      // The cores run side by side: together no longer than from the first to the last.
      expect(a.deviceNs).toBe(to - from)
      const back = await ask(engine, 'ntrace.pb', Number(one?.id.split(':').pop()))
      expect(back.upstream.map(l => l.from.id)).toContain(a.event.id)
      // The host's wait for its end, which began after it, is no cause of it.
      expect(back.upstream.map(l => l.from.name)).not.toContain('kbl_exec_wait')
      expect(back.downstream.map(l => [l.from.id, l.to.name])).toEqual([[one?.id, 'kbl_exec_wait']])
      expect(back.deviceNs).toBeNull()
    }
  })

  it('names the model that ran, its cache key, NEFF and device profile by their ids in the catalog', async () => {
    const [row] = rowsOf(engine, 'ntrace.pb', 'nc_exec_running')
    const { model, models } = await ask(engine, 'ntrace.pb', row as number)
    const neff = files.find(f => f.endsWith('_vnc_0.neff')) as string
    const ntff = files.find(f => f.endsWith('.ntff')) as string
    expect(model).toMatchObject({
      modelName: 'decoder_train_fwd',
      cacheKey: 'decoder_train_fwd',
      neffs: [{ file: `id of ${neff.slice(neff.lastIndexOf('/') + 1)}`, path: neff }],
      ntffs: [{ file: `id of ${ntff.slice(ntff.lastIndexOf('/') + 1)}`, path: ntff }],
      reason: null,
    })
    expect(neff).toContain(model?.modelId)
    expect(models).toEqual([model])
  })

  it('of a step holds what its own thread started, is bounded, and counts what it cuts', async () => {
    const [row] = rowsOf(engine, 'trace.json', 'ProfilerStep#3')
    const a = await ask(engine, 'trace.json', row as number)
    expect(a.downstream.length).toBe(500)
    expect(a.cut).toBeGreaterThan(500)
    // Autograd has a thread of its own, and the trace has no id that says who woke it.
    expect(a.models.map(m => m.modelName)).toEqual(['decoder_train_fwd'])
    // Everything that the hardware did of it, whatever was listed.
    const system = partNamed(engine, 'ntrace.pb').source
    if (system.kind !== 'system') throw new Error('no system')
    const t = system.table
    const covered = rowsOf(engine, 'ntrace.pb', 'nc_exec_running')
      .filter(r => String(t.model[r]) === a.model?.modelId)
      .map((r): readonly [number, number] => [t.start[r] as number, (t.start[r] as number) + (t.duration[r] as number)])
    covered.sort((x, y) => x[0] - y[0])
    let total = 0
    let until = -Infinity
    for (const [s, e] of covered) {
      total += Math.max(0, e - Math.max(s, until))
      until = Math.max(until, e)
    }
    expect(a.deviceNs).toBe(total)
    expect(new Set(a.downstream.map(l => `${l.from.id} ${l.to.id}`)).size).toBe(500)
  })

  it('says what is missing without the runtime, and answers anew when its file arrives', async () => {
    const e = fresh()
    await load(e, /trace\.json$/)
    const [work] = rowsOf(e, 'trace.json', 'linear')
    const alone = await ask(e, 'trace.json', work as number)
    expect([alone.noDownstream, alone.downstream]).toEqual(['the session has no runtime trace', []])
    expect(alone.model).toMatchObject({ modelId: null, cacheKey: 'decoder_train_fwd', neffs: [], reason: 'the session has no NEFF' })
    // A file that arrives later makes a new answer.
    await load(e, /ntrace\.pb$/)
    expect((await ask(e, 'trace.json', work as number)).downstream.length).toBeGreaterThan(3)
  })

  it('does not meet the runtime of another process', async () => {
    const e = fresh()
    await load(e, /trace\.json$/)
    await load(e, /ntrace\.pb$/, '99')
    const [work] = rowsOf(e, 'trace.json', 'linear')
    const a = await ask(e, 'trace.json', work as number)
    expect(a.downstream).toEqual([])
    expect(a.noDownstream).toMatch(/^the runtime trace is of process 99, this event of process \d+$/)
  })

  it('moves with its source, and refuses events that are not drawn', async () => {
    const [row] = rowsOf(engine, 'trace.json', 'aten::linear')
    const [meta] = rowsOf(engine, 'trace.json', 'process_name')
    await expect(ask(engine, 'trace.json', meta as number)).rejects.toThrow(RequestError)
    await expect(ask(engine, 'trace.json', 1e9)).rejects.toThrow(RequestError)
    const before = await ask(engine, 'trace.json', row as number)
    engine.shift(new Map([['id of ntrace.pb', 1000n]]))
    const after = await ask(engine, 'trace.json', row as number)
    engine.shift(new Map())
    const start = (a: ChainAnswer): number => (a.downstream.find(l => l.to.name === 'nc_exec_running')?.to.start ?? NaN) - a.event.start
    expect(start(after) - start(before)).toBe(1000)
  })
})
