import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fixtureRun, parquetFolder, profileJson } from '../formats/explorer/fixture'
import { perfettoFile } from '../formats/perfetto/fixture'
import type { InspectDocument } from './inspect'
import { run } from './run'
import type { SystemDocument } from './system'

// One run of the runtime as all three exports of Neuron Explorer tell it, in one session.
let dir = ''
const made = fixtureRun(40)

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-exports-'))
  for (const folder of ['all', 'parquet']) {
    await mkdir(join(dir, folder), { recursive: true })
    for (const [name, data] of parquetFolder(made)) await writeFile(join(dir, folder, name), data)
  }
  await writeFile(join(dir, 'all', 'system_profile.json'), profileJson(made))
  await writeFile(join(dir, 'all', 'system_profile.pftrace'), perfettoFile(made))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const call = async <T>(...argv: readonly string[]): Promise<T> => {
  let out = ''
  await run([...argv, '--json'], { cwd: dir, out: t => (out += t), err: () => undefined, progress: false })
  return JSON.parse(out) as T
}

it('the tables of a folder are one source: one of them stands for all, the others are read with it', async () => {
  const doc = await call<InspectDocument>('inspect', 'parquet')
  const files = doc.sessions.flatMap(s => s.files)
  expect(files.length).toBe(parquetFolder(made).size)
  expect(files.every(f => f.kind === 'explorer-parquet')).toBe(true)
  const read = files.filter(f => typeof f.facts['events'] === 'number')
  expect(read.map(f => f.path)).toEqual(['SystemProfileEvents.parquet'])
  const { facts } = read[0] as (typeof read)[number]
  expect(facts).toMatchObject({
    source: 'explorer-parquet',
    schemaText: 'Parquet tables, written by neuron-workbench fixture',
    events: made.events.length,
    cores: 2,
    startNs: String(made.events[0].start),
    cpuSamples: made.cpu.length,
    hostMemorySamples: made.memory.length,
    hbmSamples: made.hbm.length,
    deviceProfiles: made.profiles.length,
    dropped: 1001,
  })
  const system = await call<SystemDocument>('system', 'parquet')
  expect(system).toMatchObject({ source: 'explorer-parquet', schema: { origin: 'explorer-parquet' } })
  expect(system.hbm.length).toBeGreaterThan(0)
  expect(system.cpu?.samples).toBeGreaterThan(0)
  expect(system.hostMemory?.samples).toBeGreaterThan(0)
})

it('the three exports of one run give the same events; which is shown is told and can be chosen', async () => {
  const first = await call<SystemDocument>('system', 'all')
  expect(first.source).toBe('explorer-parquet')
  // The numbers of events agree: told, but no warning.
  expect(first.diagnostics.filter(d => d.code === 'system-several-sources')).toMatchObject([{ severity: 'info' }])
  for (const source of ['explorer-json', 'perfetto']) {
    const other = await call<SystemDocument>('system', 'all', '--source', source)
    expect(other.source).toBe(source)
    expect([other.startNs, other.spanNs, other.slices, Object.keys(other.byName)]).toEqual([
      first.startNs,
      first.spanNs,
      first.slices,
      Object.keys(first.byName),
    ])
    // Perfetto has a message for the begin and one for the end of a slice.
    const twice = source === 'perfetto' ? first.slices : 0
    expect(other.events).toBe(first.events + twice)
  }
})
