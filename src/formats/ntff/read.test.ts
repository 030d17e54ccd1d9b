import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import type { NtffTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { probeBytes } from '../probe'
import { bufferSource } from '../source'
import { FIXTURE_UUID, ntffFixture, pbMessage, type NtffFixture } from './fixture'
import { readNtff } from './read'
import { HEADER_BYTES } from './schema'
import { sniffNtff } from './sniff'

const read = (data: Uint8Array, chunk?: number) => readNtff(bufferSource('a.ntff', data, chunk))
const table = async (f: NtffFixture = {}): Promise<NtffTable> => {
  const { table: t, diagnostics } = await read(ntffFixture(f))
  expect(diagnostics).toEqual([])
  return t as NtffTable
}

describe('what an NTFF says', () => {
  it('version 6', async () => {
    const t = await table()
    expect(t.facts).toEqual({
      version: 6,
      neffName: 'model.neff',
      neffUuid: FIXTURE_UUID,
      archCode: 2,
      instanceType: 'trn2.3xlarge',
      instanceId: 'i-0abc',
      pid: 4321,
      engines: ['PE', 'ACT', 'POOL', 'DVE', 'SP'],
      executionDurationPs: 7_000_000,
      runtimeVersion: '2.30.1 (abc123)',
      executions: 1,
      subgraphs: 1,
      traceRecords: 6,
    })
    expect(t).toMatchObject({ complete: true, version: 6, modelId: 10001n, startSeconds: null, blobBytes: 5 * 64 + 2 * 48 })
    expect([...t.engines.code]).toEqual([0, 1, 2, 3, 4])
    expect([...t.engines.address].map(a => a - 0x7fff00000000n)).toEqual([0n, 1n, 2n, 3n, 4n])
    expect([...t.engines.offset]).toEqual([0n, 64n, 128n, 192n, 256n])
    expect([...t.engines.inBlob]).toEqual([1, 1, 1, 1, 1])
    expect([...t.subgraphs.core]).toEqual([4])
    expect(stringAt(t.strings, t.subgraphs.name[0])).toBe('sg00')
    expect([...t.sections.subgraph]).toEqual([-1, -1])
    expect([...t.sections.traceType]).toEqual([0, 4])
    expect([...t.sections.core]).toEqual([4, 9])
    expect([...t.sections.offset]).toEqual([320n, 368n])
    expect([...t.sections.records]).toEqual([3n, 3n])
    expect([...t.sections.whole]).toEqual([1, 1])
    expect(t.queues).toMatchObject({ count: 1, traceEvent: new BigInt64Array([-1n]), engine: new Uint32Array([64]) })
    expect(stringAt(t.strings, t.memory.usage[0])).toBe('generic')
    expect([...t.buffers.bytes]).toEqual([1_048_576n])
    expect([...t.executions.startPs, ...t.executions.endPs]).toEqual([1_000_000_000_000n, 1_000_007_000_000n])
  })

  it('versions 4 and 5: sections and instructions in the subgraphs, no uuid in the nodes', async () => {
    for (const version of [4, 5]) {
      const t = await table({ version, engines: [4, 1] })
      expect(t.facts).toMatchObject({
        version,
        neffUuid: FIXTURE_UUID,
        neffUuidPrefix: FIXTURE_UUID,
        engines: ['ACT', 'SP'],
        archCode: version === 4 ? 1 : 2,
        executionDurationPs: 5_000_000,
        executions: 0,
      })
      expect(t.facts['startSeconds']).toBe(version === 4 ? '1734000000' : undefined)
      expect([...t.sections.subgraph]).toEqual([0, 0])
      expect([...t.engines.inBlob]).toEqual([0, 0])
      expect([...t.engines.size]).toEqual([64n, 64n])
    }
  })

  it('several NEFFs: the uuid of each node, once', async () => {
    const other = 'ff'.repeat(16)
    const t = await table({ nodes: [FIXTURE_UUID, other, FIXTURE_UUID] })
    expect(t.neffUuids).toEqual([FIXTURE_UUID, other])
    expect(t.facts).toMatchObject({ neffUuid: FIXTURE_UUID, neffUuids: [FIXTURE_UUID, other], subgraphs: 3 })
    expect([...t.subgraphs.node]).toEqual([0, 1, 2])
    expect([...t.subgraphs.core]).toEqual([4, 5, 6])
  })

  it('a uuid that was cut at 0x00 is a prefix, not a uuid', async () => {
    const uuid = '0102030405060708090a00aabbccddee'
    const t = await table({ version: 5, nodes: [uuid] })
    expect(t.facts).toMatchObject({ neffUuid: null, neffUuidPrefix: '0102030405060708090a' })
  })

  it('durations: the longest execution, else the longest subgraph, else none; exact beyond 2^53', async () => {
    const ps = async (f: NtffFixture) => (await table(f)).facts['executionDurationPs']
    const big = 2n ** 63n
    expect(
      await ps({
        executions: [
          [big, big + 5n],
          [big + 9n, big + 16n],
        ],
      }),
    ).toBe(7)
    expect(await ps({ executions: [[0n, 2n ** 60n + 1n]] })).toBe('1152921504606846977')
    // An execution that ends before it starts says nothing.
    expect(await ps({ executions: [[9n, 3n]] })).toBe(5_000_000)
    expect(await ps({ executions: [] })).toBe(5_000_000)
    expect(await ps({ executions: [], subgraphPs: 0n })).toBe(0)
    expect(await ps({ executions: [], subgraphPs: null })).toBeNull()
  })

  it('u64 at their limits are exact', async () => {
    const max = 2n ** 64n - 1n
    const t = await table({
      more: [
        [
          15,
          [
            [2, max - 1n],
            [3, max],
          ],
        ],
      ],
    })
    expect([...t.executions.endPs]).toEqual([1_000_007_000_000n, max])
  })
})

describe('what is not whole', () => {
  it('an empty file is normal', async () => {
    expect(await read(new Uint8Array(0))).toMatchObject({ table: null, diagnostics: [{ code: 'ntff-empty', severity: 'info' }] })
  })

  it('a message that claims 2 GiB takes no memory', async () => {
    const data = ntffFixture().slice()
    new DataView(data.buffer).setBigUint64(1, 2n ** 31n - 1n, true)
    const { table: t, diagnostics } = await readNtff(bufferSource('a.ntff', data))
    expect(t?.complete).toBe(false)
    expect(diagnostics.map(d => d.code)).toContain('file-truncated')
    // The header can claim anything beyond that.
    new DataView(data.buffer).setBigUint64(1, 2n ** 63n, true)
    expect(await readNtff(bufferSource('a.ntff', data))).toMatchObject({ table: null, diagnostics: [{ code: 'not-an-ntff' }] })
  })

  it('a message beyond the limit is told', async () => {
    const { table: t, diagnostics } = await readNtff(bufferSource('a.ntff', ntffFixture()), { messageLimit: 100 })
    expect(diagnostics.map(d => d.code)).toEqual(['ntff-message-limit'])
    expect(t).toMatchObject({ complete: false, neffName: 'model.neff' })
    expect(t?.facts).toMatchObject({ engines: null, executionDurationPs: null })
  })

  it('sections that reach beyond the file are told, whatever their sizes claim', async () => {
    const max = 2n ** 64n - 1n
    const data = ntffFixture({
      more: [
        [
          16,
          [
            [5, max],
            [6, max],
          ],
        ],
        [
          16,
          [
            [5, 0],
            [6, 17],
          ],
        ],
      ],
    })
    const { table: t, diagnostics } = await read(data)
    expect(diagnostics.map(d => d.code)).toEqual(['file-truncated', 'ntff-odd-section'])
    expect(t?.complete).toBe(false)
    expect([...(t?.sections.whole ?? [])]).toEqual([1, 1, 0, 1])
    expect(t?.sections.records[3]).toBe(1n)
  })

  it('fields of another type are left out and counted', async () => {
    const data = ntffFixture({
      more: [
        [
          15,
          [
            [2, 'text'],
            [3, 4],
          ],
        ],
        [4, 7],
      ],
    })
    const { table: t, diagnostics } = await read(data)
    expect(t?.executions.count).toBe(1)
    expect(diagnostics).toMatchObject([{ code: 'ntff-field-misfit', count: 2 }])
  })

  it('a part that is no protobuf is left out and counted', async () => {
    const { table: t, diagnostics } = await read(
      ntffFixture({
        more: [
          [16, new Uint8Array([0xff, 0xff])],
          [8, new Uint8Array([0x08])],
        ],
      }),
    )
    expect(diagnostics).toMatchObject([{ code: 'ntff-message-damaged', count: 2 }])
    expect(t?.sections.count).toBe(2)
  })

  it('cancelled', async () => {
    expect(await readNtff(bufferSource('a', ntffFixture()), { signal: AbortSignal.abort() })).toMatchObject({
      table: null,
      diagnostics: [{ code: 'cancelled' }],
    })
  })

  const whole = ntffFixture({ nodes: [FIXTURE_UUID, 'ee'.repeat(16)], version: 6 })
  it('every cut gives a prefix and a diagnostic', async () => {
    const all = (await read(whole)).table as NtffTable
    for (let n = 1; n < whole.length; n++) {
      const { table: t, diagnostics } = await read(whole.subarray(0, n))
      expect([n, diagnostics.map(d => d.code)]).toEqual([n, ['file-truncated']])
      expect([n, sniffNtff(probeBytes(whole.subarray(0, n), 'a.ntff'), true)?.state]).toEqual([n, 'truncated'])
      if (n < HEADER_BYTES) {
        expect(t).toBeNull()
        continue
      }
      expect(t?.complete).toBe(false)
      for (const name of ['engines', 'queues', 'memory', 'sections', 'executions', 'buffers'] as const) {
        const [part, full] = [t?.[name], all[name]] as unknown as readonly Record<string, { slice(a: number, b: number): unknown }>[]
        for (const column in part) {
          if (column === 'count' || column === 'whole') continue
          const count = part['count'] as unknown as number
          expect([n, name, column, part[column]]).toEqual([n, name, column, full[column].slice(0, count)])
        }
      }
      for (const fact of ['neffName', 'instanceType', 'instanceId', 'pid', 'archCode'])
        expect([null, all.facts[fact]]).toContain(t?.facts[fact])
      for (const fact of ['engines', 'executionDurationPs']) expect([null, all.facts[fact]]).toContainEqual(t?.facts[fact])
    }
  })

  it('the size of the chunks changes nothing, gzip neither', async () => {
    const plain = await read(whole)
    for (const chunk of [1, 7, 127, 128, 129, 1000]) expect(await read(whole, chunk)).toEqual(plain)
    expect((await read(gzipSync(whole), 50)).table).toEqual(plain.table)
  })

  it('random bytes and damaged files never throw', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
        fc.option(fc.uint8Array({ maxLength: 300 })),
        fc.integer({ min: 1, max: 300 }),
        async (changes, random, chunk) => {
          const data = whole.slice()
          if (random) data.set(random.subarray(0, data.length - HEADER_BYTES), HEADER_BYTES)
          for (const [at, byte] of changes) data[at % data.length] = byte
          const { table: t, diagnostics } = await read(data, chunk)
          if (t === null) expect(diagnostics.length).toBeGreaterThan(0)
          else for (const uuid of t.neffUuids) expect(uuid).toMatch(/^[0-9a-f]{32}$/)
          expect(() => sniffNtff(probeBytes(data, 'a.ntff'), true)).not.toThrow()
        },
      ),
      { numRuns: 1500 },
    )
  })
})

const samples = samplesDir()
describe.skipIf(samples === null)('real profiles', () => {
  it('equal what is expected of them', async () => {
    const dir = join(samples as string, 'neff-ntff')
    const expected = JSON.parse(readFileSync(join(dir, 'expected.json'), 'utf8')) as Record<string, { ntff: Record<string, unknown> }>
    for (const [folder, { ntff }] of Object.entries(expected)) {
      const data = readFileSync(join(dir, folder, ntff['file'] as string))
      const { table: t, diagnostics } = await readNtff(bufferSource(folder, data))
      expect(diagnostics).toEqual([])
      const { engineCodes, ...facts } = ntff
      expect({ ...t?.facts, file: ntff['file'] }).toMatchObject(facts)
      expect(t?.facts['engines']).toEqual((engineCodes as number[]).map(c => ['PE', 'ACT', 'POOL', 'DVE', 'SP'][c]))
      expect(t?.complete).toBe(true)
      // Instructions and records fill the blob between them.
      const used = [...(t?.sections.size ?? []), ...(t?.engines.size ?? [])].reduce((n, v) => n + v, 0n)
      expect(used).toBe(BigInt(t?.blobBytes ?? -1))
      expect(sniffNtff(probeBytes(data, folder), true)?.facts).toEqual(t?.facts)
    }
  })
})

it('the writer of fixtures writes what protobuf reads', () => {
  expect([
    ...pbMessage([
      [1, 300],
      [2, 'a'],
      [3, [[1, -1n]]],
    ]),
  ]).toEqual([8, 0xac, 2, 0x12, 1, 97, 0x1a, 11, 8, ...Array<number>(9).fill(255), 1])
})
