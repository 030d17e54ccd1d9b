import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeEvents, FIXTURE_EPOCH, frame, protoOf, SHUFFLED, workload, type Numbers } from '../formats/neuron-runtime/fixture'
import { run } from './run'
import type { SystemDocument } from './system'

let dir = ''
const before = process.env['NEURON_WORKBENCH_DIR']
const EVENTS = workload({ steps: 10 })
const session = (name: string): string => join(dir, name, 'i-0abc123456789def0_pid_42', String(FIXTURE_EPOCH))

async function profile(name: string, bytes: Uint8Array): Promise<void> {
  await mkdir(session(name), { recursive: true })
  await writeFile(join(session(name), 'ntrace.pb'), bytes)
  await writeFile(join(session(name), 'cpu_util.pb'), '')
  await writeFile(join(session(name), 'host_mem.pb'), '')
}
const bytes = (numbers?: Numbers): Uint8Array => frame(encodeEvents(EVENTS, numbers), 'u32')

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-system-'))
  process.env['NEURON_WORKBENCH_DIR'] = join(dir, 'user')
  await profile('plain', bytes())
  await profile('shuffled', bytes(SHUFFLED))
  // Two times that go forward under a numbering that no schema has.
  await profile(
    'unknown',
    frame(
      encodeEvents(
        EVENTS.map(e => ({ ...e, data: e.timestamp + 1n })),
        SHUFFLED,
      ),
      'varint',
    ),
  )
  await writeFile(join(dir, 'mine.proto'), protoOf(SHUFFLED))
})
afterAll(async () => {
  if (before === undefined) delete process.env['NEURON_WORKBENCH_DIR']
  else process.env['NEURON_WORKBENCH_DIR'] = before
  await rm(dir, { recursive: true, force: true })
})

const call = async (...argv: readonly string[]) => {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: dir, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}
const system = async (name: string, ...more: readonly string[]): Promise<{ readonly code: number; readonly doc: SystemDocument }> => {
  const { code, out } = await call('system', name, '--json', ...more)
  return { code, doc: JSON.parse(out) as SystemDocument }
}

describe('system', () => {
  it('the document as it is documented', async () => {
    const { code, doc } = await system('plain')
    expect(code).toBe(0)
    expect(Object.keys(doc)).toEqual([
      ...['source', 'schema', 'events', 'byName', 'bySource', 'slices', 'unmatched', 'dropped', 'cores', 'startNs', 'spanNs'],
      ...['hbm', 'cpu', 'hostMemory', 'join', 'clocks', 'diagnostics'],
    ])
    const slices = EVENTS.filter(e => e.phase === 1).length
    expect(doc).toMatchObject({
      ...{ source: 'ntrace', events: EVENTS.length, slices, unmatched: 0, dropped: 0, startNs: String(FIXTURE_EPOCH) },
      schema: { origin: 'built-in', framing: 'u32', unverified: [] },
      spanNs: Number((EVENTS.at(-1)?.timestamp ?? 0n) - FIXTURE_EPOCH),
      cpu: { samples: 0, cores: 0 },
      hostMemory: { samples: 0, peakBytes: null },
      join: null,
    })
    expect(doc.schema.checks.every(c => c.ok)).toBe(true)
    expect(Object.values(doc.byName).reduce((a, b) => a + b)).toBe(EVENTS.length)
    expect(Object.values(doc.bySource).reduce((a, b) => a + b)).toBe(EVENTS.length)
    expect(doc.byName['nrt_dma_mem_alloc']).toBe(EVENTS.filter(e => e.type === 34).length)
    expect(doc.cores.map(c => [c.nc, c.events, c.firstNs, c.headLost])).toEqual(
      [0, 1].map(nc => {
        const own = EVENTS.filter(e => e.nc_idx === nc)
        return [nc, own.length, String(own[0]?.timestamp), false]
      }),
    )
    expect(doc.hbm.map(h => [h.hbm, h.peakBytes, h.allocations, h.frees, h.liveAtEnd])).toEqual([
      [0, 3 * 2 ** 20, 10, 10, 0],
      [1, 3 * 2 ** 20, 10, 10, 0],
    ])
    const peak = EVENTS.find(e => e.phase === 2 && e.nc_idx === 0 && e.attributes?.['total_bytes'] === String(3 * 2 ** 20))
    expect(doc.hbm[0]?.peakNs).toBe(String(peak?.timestamp))
    expect(doc.clocks.map(c => c.method)).toEqual(['host-clock', 'sync-points'])
  })

  it('text for people', async () => {
    const { code, out } = await call('system', 'plain')
    expect(code).toBe(0)
    expect(out).toContain('built-in, u32')
    expect(out).toContain('nrt_dma_mem_alloc')
  })

  it('refused: no events, no origin, what was seen, exit code of what was read', async () => {
    const { doc } = await system('unknown')
    expect(doc).toMatchObject({
      events: 0,
      slices: 0,
      dropped: null,
      cores: [],
      startNs: null,
      spanNs: null,
      schema: { origin: null },
      hbm: [],
    })
    expect(doc.diagnostics.some(d => d.code === 'system-schema-unknown' && d.severity === 'error')).toBe(true)
    await writeFile(join(dir, 'alone.pb'), '')
    expect((await call('system', 'absent', '--json')).code).toBe(1)
  })

  it('an imported schema is used, shown and removed', async () => {
    expect((await system('shuffled')).doc.schema.origin).toBe('inferred')
    expect((await call('schema', 'list')).out).toContain('No schema')
    const { code, out } = await call('schema', 'import', 'mine.proto', '--json')
    expect(code).toBe(0)
    const { schema } = JSON.parse(out) as { readonly schema: { readonly id: string; readonly sha256: string } }
    expect(schema.sha256.startsWith(schema.id)).toBe(true)
    expect((await system('shuffled')).doc.schema.origin).toBe('imported')
    expect((await system('unknown')).doc).toMatchObject({ events: EVENTS.length, schema: { origin: 'imported' } })
    // Another release wrote this one: said, and the built-in one takes over.
    const plain = await system('plain')
    expect(plain.doc.schema.origin).toBe('built-in')
    expect(plain.doc.diagnostics.some(d => d.code === 'system-schema-failed')).toBe(true)
    expect((await call('schema', 'show', schema.id)).out).toContain('uint64 timestamp = 5')
    expect(JSON.parse((await call('schema', 'list', '--json')).out)).toMatchObject({
      schemas: [{ id: schema.id, from: 'proto', fields: 16 }],
    })
    expect((await call('schema', 'remove', schema.id)).out).toContain('Removed')
    expect((await call('schema', 'remove', schema.id)).code).toBe(1)
  })

  it('wrong use', async () => {
    for (const argv of [
      ['schema'],
      ['schema', 'eat', 'x'],
      ['schema', 'import'],
      ['schema', 'list', 'x'],
      ['system'],
      ['system', 'plain', '--source', 'x'],
    ])
      expect([argv, (await call(...argv)).code]).toEqual([argv, 2])
    expect((await call('schema', 'import', 'absent.proto')).code).toBe(1)
  })
})
