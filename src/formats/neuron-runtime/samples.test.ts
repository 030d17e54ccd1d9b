import protobuf from 'protobufjs'
import { describe, expect, it } from 'vitest'
import { bufferSource } from '../source'
import { parseProto } from './description'
import { frame, type FixtureFraming } from './fixture'
import { readCpuUtil, readHostMemory } from './samples'

const T0 = 1_790_000_000_000_000_000n
const long = (v: bigint): object => ({ low: Number(v & 0xffffffffn) | 0, high: Number(v >> 32n) | 0, unsigned: true })
const encoder = (text: string) => {
  const type = protobuf
    .parse(`syntax = "proto3"; package ntff; ${text}`, { keepCase: true })
    .root.lookupType(/message (\w+)/.exec(text)?.[1] ?? '')
  return (o: Readonly<Record<string, unknown>>): Uint8Array =>
    type.encode(Object.fromEntries(Object.entries(o).map(([k, v]) => [k, typeof v === 'bigint' ? long(v) : v]))).finish()
}
const cpu = (bytes: Uint8Array, o = {}) => readCpuUtil(bufferSource('cpu_util.pb', bytes), o)
const host = (bytes: Uint8Array, o = {}) => readHostMemory(bufferSource('host_mem.pb', bytes), o)
const FRAMINGS: readonly FixtureFraming[] = ['varint', 'u32', 'u64', 'wrapper']

describe('cpu_util.pb', () => {
  const message = 'message cpu_util { float util = 1; uint64 timestamp = 2; uint32 cpu_id = 3; }'
  const CORES = 4
  const samples = Array.from({ length: 20 }, (_, i) => ({
    timestamp: T0 + BigInt(Math.floor(i / CORES)) * 1_000_000_000n,
    cpu_id: i % CORES,
    util: (i * 7) % 100,
  }))
  for (const framing of FRAMINGS)
    it(`per core, ${framing}`, async () => {
      const r = await cpu(frame(samples.map(encoder(message)), framing))
      expect([r.verdict.origin, r.verdict.framing]).toEqual(['inferred', framing])
      expect(r.table).toMatchObject({ count: 20, epochNs: T0, range: [0, 4e9], complete: true })
      expect([...(r.table?.cores ?? [])]).toEqual([0, 1, 2, 3])
      expect([...(r.table?.util ?? [])]).toEqual(samples.map(s => s.util))
      expect([...(r.table?.cpu ?? [])]).toEqual(samples.map(s => s.cpu_id))
    })

  it('other numbers, a fixed time, no core: one sample of all', async () => {
    const other = encoder('message cpu_util { fixed64 timestamp = 9; float util = 4; }')
    const r = await cpu(frame(samples.filter(s => s.cpu_id === 1).map(other), 'varint'))
    expect([...(r.table?.cpu ?? [])]).toEqual([-1, -1, -1, -1, -1])
    expect(r.table?.cores.length).toBe(0)
  })

  it('samples of several cores without a field that tells them are of no core in particular', async () => {
    const other = encoder('message cpu_util { float util = 1; uint64 timestamp = 2; }')
    const r = await cpu(frame(samples.map(other), 'varint'))
    expect([r.table?.count, new Set(r.table?.cpu)]).toEqual([20, new Set([-1])])
  })

  it('the same samples twice are told: the cores cannot be known then', async () => {
    const bytes = frame([...samples, ...samples].map(encoder(message)), 'varint')
    const r = await cpu(bytes)
    expect(r.diagnostics.find(d => d.code === 'system-samples-repeated')?.severity).toBe('warning')
    // A repetition beyond what is looked at first, too.
    const long = Array.from({ length: 3000 }, (_, i) => ({
      ...samples[i % CORES],
      timestamp: T0 + BigInt(Math.floor(i / CORES)) * 10n ** 9n,
    }))
    const late = await cpu(frame([...long, ...long.slice(-8)].map(encoder(message)), 'varint'))
    expect(late.table?.cores.length).toBe(CORES)
    expect(late.diagnostics.map(d => [d.code, d.count])).toEqual([['system-samples-repeated', 8]])
    expect((await cpu(frame(samples.map(encoder(message)), 'varint'))).diagnostics).toEqual([])
  })

  it('a count that grows from sample to sample is no core', async () => {
    const other = encoder('message cpu_util { float util = 1; uint64 timestamp = 2; uint32 n = 3; }')
    const one = samples.filter(s => s.cpu_id === 1)
    const r = await cpu(
      frame(
        one.map((s, n) => other({ ...s, n })),
        'varint',
      ),
    )
    expect(new Set(r.table?.cpu)).toEqual(new Set([-1]))
  })

  it('an imported schema decides by its names where the values leave it open', async () => {
    const text = 'message cpu_util { float util = 1; uint64 timestamp = 2; float frequency = 3; uint32 cpu_id = 4; }'
    const bytes = frame(
      samples.map(s => encoder(text)({ ...s, frequency: 2.5 })),
      'varint',
    )
    const plain = await cpu(bytes)
    expect([plain.table, plain.verdict.origin]).toEqual([null, null])
    expect(plain.diagnostics.find(d => d.code === 'system-schema-unknown')?.message).toContain('fields 1 and 3 hold percentages')
    const schema = { origin: 'imported' as const, title: 'mine', ...parseProto(`syntax = "proto3"; ${text}`) }
    const r = await cpu(bytes, { schemas: [schema] })
    expect([r.verdict.origin, [...(r.table?.util ?? [])]]).toEqual(['imported', samples.map(s => s.util)])
  })

  it('empty is normal, cut is told, values beyond 100 % are none', async () => {
    const empty = await cpu(new Uint8Array(0))
    expect([empty.table?.count, empty.diagnostics]).toEqual([0, []])
    const bytes = frame(samples.map(encoder(message)), 'varint')
    const cut = await cpu(bytes.subarray(0, bytes.length - 3))
    expect([cut.table?.count, cut.table?.complete, cut.diagnostics.map(d => d.code)]).toEqual([19, false, ['system-cut']])
    const wild = await cpu(
      frame(
        samples.map(s => encoder(message)({ ...s, util: s.util * 1000 })),
        'varint',
      ),
    )
    expect([wild.table, wild.verdict.origin]).toEqual([null, null])
  })
})

describe('host_mem.pb', () => {
  const message = 'message host_mem_usage { int64 usage = 1; uint64 timestamp = 2; }'
  const samples = Array.from({ length: 12 }, (_, i) => ({
    timestamp: T0 + BigInt(i) * 1_000_000_000n,
    usage: 4096n * BigInt(1_000_000 + 37 * i),
  }))
  for (const framing of FRAMINGS)
    it(framing, async () => {
      const r = await host(frame(samples.map(encoder(message)), framing))
      expect([r.verdict.origin, r.verdict.framing, r.table?.epochNs]).toEqual(['inferred', framing, T0])
      expect([...(r.table?.usage ?? [])]).toEqual(samples.map(s => Number(s.usage)))
      expect(r.table?.percent).toBe(null)
    })

  it('two counts of bytes: refused rather than guessed', async () => {
    const other = encoder('message host_mem_usage { int64 usage = 1; uint64 timestamp = 2; int64 total = 3; }')
    const r = await host(
      frame(
        samples.map(s => other({ ...s, total: 4096n * 99_000_000n })),
        'varint',
      ),
    )
    expect([r.table, r.verdict.origin]).toEqual([null, null])
    expect(r.diagnostics[0]?.message).toContain('fields 1 and 3 could be the bytes')
  })

  it('the same samples twice are told', async () => {
    const r = await host(frame([...samples, ...samples].map(encoder(message)), 'varint'))
    expect(r.diagnostics.map(d => [d.code, d.count])).toEqual([['system-samples-repeated', samples.length]])
    expect((await host(frame(samples.map(encoder(message)), 'varint'))).diagnostics).toEqual([])
  })

  it('out of order and empty', async () => {
    const r = await host(frame([...samples].reverse().map(encoder(message)), 'varint'))
    expect(r.table === null || [...r.table.time].every((t, i, a) => i === 0 || t >= (a[i - 1] as number))).toBe(true)
    expect((await host(new Uint8Array(0))).table?.count).toBe(0)
  })
})
