import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringAt } from '../../shared/columns'
import { MEMBER_TYPES } from '../../shared/device-tables'
import type { NeffTable } from '../../shared/tables'
import { samplesDir } from '../../testing/samples'
import { probeBytes } from '../probe'
import { bufferSource } from '../source'
import { leaves } from './archive'
import { FIXTURE_MEMBERS, NEFF_UUID, neffFixture, tarFixture, type NeffFixture, type TarMember } from './fixture'
import { HEADER_BYTES } from './header'
import { readNeff, type NeffLimits } from './read'
import { sniffNeff } from './sniff'

const read = (data: Uint8Array, chunk?: number, limits?: Partial<NeffLimits>) => readNeff(bufferSource('a.neff', data, chunk), { limits })
const readFixture = async (f: NeffFixture = {}, limits?: Partial<NeffLimits>) => {
  const { table, diagnostics } = await read(neffFixture(f), undefined, limits)
  return { table: table as NeffTable, codes: diagnostics.map(d => d.code), diagnostics }
}
const members = (t: NeffTable) =>
  Array.from({ length: t.members.count }, (_, i) => [
    stringAt(t.strings, t.members.name[i]),
    t.members.size[i],
    MEMBER_TYPES[t.members.type[i] as number],
    t.members.target[i] < 0 ? null : stringAt(t.strings, t.members.target[i]),
    t.members.unsafe[i],
  ])
const withMembers = (more: readonly TarMember[]) => readFixture({ members: [...FIXTURE_MEMBERS, ...more] })

describe('what a NEFF says', () => {
  it('header, hash, members and graph', async () => {
    const { table: t, codes } = await readFixture()
    expect(codes).toEqual([])
    expect(t.facts).toEqual({
      uuid: NEFF_UUID,
      hash: t.computedHash,
      hashValid: true,
      name: 'model.neff',
      versionMajor: 2,
      lncSize: 2,
      payloadBytes: 10240,
      packageVersion: 2,
      version: '2.0',
      members: 7,
      uncompressedBytes: tarFixture(FIXTURE_MEMBERS).length,
      toolVersion: '2.23.1',
      target: 'cayman',
      subgraphs: 2,
      nodes: 3,
    })
    expect(t).toMatchObject({ complete: true, build: 'build-1', featureBits: 0xc00n, numTpb: 1, payloadBytesRead: 10240, bytesRead: 11264 })
    expect(members(t).map(m => m.slice(0, 3))).toEqual([
      ['info.json', FIXTURE_MEMBERS[0]?.data?.length, 'file'],
      ['kelf-0.json', FIXTURE_MEMBERS[1]?.data?.length, 'file'],
      ['sg00/', 0, 'folder'],
      ['sg00/PE.bin', 700, 'file'],
      ['sg00/tensor_map.json', FIXTURE_MEMBERS[4]?.data?.length, 'file'],
      ['sg01/PE.bin', 3, 'file'],
      ['neff.json', FIXTURE_MEMBERS[6]?.data?.length, 'file'],
    ])
    expect(t.graph).toMatchObject({
      inputs: 2,
      tensors: [
        { name: 'q', dtype: 'float32', kind: 'input', constant: false, shape: [128, 512] },
        { name: 'w', dtype: 'bfloat16', kind: '', constant: true, shape: [8, 1] },
      ],
    })
  })

  it('the hash stands plain in major 1 and word by word reversed in major 2', async () => {
    const one = await readFixture({ major: 1 })
    const two = await readFixture({ major: 2 })
    expect([one.table.hashValid, two.table.hashValid]).toEqual([true, true])
    expect(one.table.hash).not.toBe(two.table.hash)
    expect(Buffer.from(one.table.hash, 'hex').swap32().toString('hex')).toBe(two.table.hash)
    // The other order proves the payload, but is told.
    const swapped = await readFixture({ major: 2, hash: one.table.hash })
    expect([swapped.table.hashValid, swapped.codes]).toEqual([false, ['neff-hash-mismatch']])
    expect(swapped.diagnostics[0]?.meaning).toContain('payload is intact')
    // Of an unknown major version either order proves it, and neither says nothing.
    expect((await readFixture({ major: 3, hash: one.table.hash })).table.hashValid).toBe(true)
    expect((await readFixture({ major: 3 })).table.hashValid).toBe(true)
    const unknown = await readFixture({ major: 3, hash: '00'.repeat(16) })
    expect([unknown.table.hashValid, unknown.codes]).toEqual([null, ['neff-hash-unchecked']])
  })

  it('package version 1: a plain tar and SHA-256', async () => {
    const { table: t, codes } = await readFixture({ packageVersion: 1, major: 1 })
    expect(codes).toEqual([])
    expect(t.hash).toHaveLength(64)
    expect(t).toMatchObject({ hashValid: true, complete: true, members: { count: 7, complete: true } })
  })

  it('one changed byte anywhere in the payload breaks the hash', async () => {
    const data = neffFixture()
    for (const at of [HEADER_BYTES + 200, data.length - 1]) {
      const changed = data.slice()
      changed[at] ^= 1
      const { table, diagnostics } = await read(changed)
      expect(table?.hashValid).toBe(false)
      expect(diagnostics.map(d => d.code)).toContain('neff-hash-mismatch')
    }
  })

  it('members that are no JSON, or other JSON, say nothing', async () => {
    for (const data of ['{', '[1]', '"x"', '[[[['.repeat(1000), '{"nodes":3,"graphs":{},"tool_version":7,"target":""}']) {
      const { table: t, codes } = await readFixture({
        members: ['info.json', 'kelf-0.json', 'neff.json', 'sg00/tensor_map.json'].map(name => ({ name, data })),
      })
      expect(codes).toEqual([])
      expect(t.graph).toMatchObject({ toolVersion: null, target: null, nodes: null, inputs: null, subgraphs: 1 })
    }
  })
})

describe('hostile archives', () => {
  it('members with .. and absolute names, links and devices are listed and flagged', async () => {
    const {
      table: t,
      codes,
      diagnostics,
    } = await withMembers([
      { name: '../../etc/passwd', data: 'x' },
      { name: '/etc/shadow', data: 'x' },
      { name: 'sg00/../../x', data: 'x' },
      { name: 'sg00/../ok', data: 'x' },
      { name: 'in', type: '2', link: 'sg00/PE.bin' },
      { name: 'sg00/out', type: '2', link: '../../secret' },
      { name: 'hard', type: '1', link: '/etc/passwd' },
      { name: 'dev', type: '3' },
      { name: 'pipe', type: '6' },
    ])
    expect(codes).toEqual(['neff-unsafe-member', 'neff-special-member'])
    expect(diagnostics.map(d => d.count)).toEqual([5, 5])
    expect(members(t).slice(7)).toEqual([
      ['../../etc/passwd', 1, 'file', null, 1],
      ['/etc/shadow', 1, 'file', null, 1],
      ['sg00/../../x', 1, 'file', null, 1],
      ['sg00/../ok', 1, 'file', null, 0],
      ['in', 0, 'symlink', 'sg00/PE.bin', 0],
      ['sg00/out', 0, 'symlink', '../../secret', 1],
      ['hard', 0, 'link', '/etc/passwd', 1],
      ['dev', 0, 'device', null, 0],
      ['pipe', 0, 'fifo', null, 0],
    ])
    expect(t).toMatchObject({ complete: true, hashValid: true, members: { complete: true } })
  })

  it('knows names that leave their folder', () => {
    for (const n of ['..', '../a', 'a/../../b', '/a', '\\a', 'C:\\a', 'a\\..\\..\\b', './../x']) expect([n, leaves(n)]).toEqual([n, true])
    for (const n of ['a', 'a/..', '..a', 'a..', './a/../b', 'a/b/../..']) expect([n, leaves(n)]).toEqual([n, false])
    expect([leaves('../x', 'a/b'), leaves('../x', 'b'), leaves('x', '')]).toEqual([false, true, false])
  })

  it('a gzip bomb stops early, and the hash is still checked', async () => {
    const zeros = new Uint8Array(8 * 1024 * 1024)
    const bomb = gzipSync(Buffer.concat([tarFixture([{ name: 'zeros.npy', data: zeros }], true), Buffer.alloc(64 * 1024 * 1024)]), {
      level: 9,
    })
    const { table: t, codes, diagnostics } = await readFixture({ payload: bomb }, { ratioFrom: 1024 * 1024 })
    expect(codes).toEqual(['neff-ratio-limit'])
    expect(diagnostics[0]?.message).toContain('gzip bomb')
    expect(t.uncompressedBytes).toBeLessThan(30 * 1024 * 1024)
    expect(t).toMatchObject({ hashValid: true, complete: true, members: { count: 1, complete: false } })
    expect(t.facts).not.toHaveProperty('members')
    expect(t.facts).not.toHaveProperty('uncompressedBytes')
    // By the default limits as well.
    expect((await readFixture({ payload: gzipSync(new Uint8Array(128 * 1024 * 1024)) })).codes).toContain('neff-ratio-limit')
  })

  it('limits on bytes and members', async () => {
    const bytes = await readFixture({}, { uncompressedBytes: 2000 })
    expect(bytes.codes).toEqual(['neff-size-limit'])
    const many = await readFixture({ members: Array.from({ length: 300 }, (_, i) => ({ name: `m${i}`, data: 'x' })) }, { members: 100 })
    expect(many.codes).toEqual(['neff-members-limit'])
    expect(many.table).toMatchObject({ complete: true, hashValid: true, members: { count: 100, complete: false } })
  })

  it('sizes that lie: larger than the archive, and not a number', async () => {
    for (const size of [10_000_000, 0o77777777777]) {
      const { table: t, codes } = await withMembers([{ name: 'liar', data: 'x', size }])
      expect(codes).toEqual(['neff-archive-damaged'])
      expect(members(t).at(-1)).toEqual(['liar', size, 'file', null, 0])
      expect(t.members.complete).toBe(false)
      expect(t.hashValid).toBe(true)
    }
    // Base-256 with a negative number, and beyond 2^53.
    const tar = Buffer.from(tarFixture([{ name: 'a', data: 'x' }]))
    for (const first of [0xff, 0x80]) {
      tar.fill(0xff, 124, 136)
      tar[124] = first
      tar.fill(0x20, 148, 156)
      tar.write(
        tar
          .subarray(0, 512)
          .reduce((n, b) => n + b, 0)
          .toString(8)
          .padStart(6, '0') + '\0 ',
        148,
      )
      const { table: t } = await readFixture({ payload: gzipSync(tar) })
      expect(t.hashValid).toBe(true)
      expect(t.members.complete).toBe(false)
    }
  })

  it('a payload of another kind is no archive, and reading stays bounded', async () => {
    for (const inside of [Buffer.from('hello'), Buffer.alloc(100_000, 0x61), gzipSync(tarFixture(FIXTURE_MEMBERS)), Buffer.alloc(0)]) {
      const { table: t, codes } = await readFixture({ payload: gzipSync(inside) })
      expect(codes.filter(c => c !== 'neff-archive-damaged')).toEqual([])
      expect(t.members.count).toBe(0)
      expect(t.hashValid).toBe(true)
    }
  })

  it('a declared size that lies', async () => {
    const long = await readFixture({ payloadBytes: 2n ** 39n })
    expect(long.codes).toEqual(['file-truncated'])
    expect(long.table).toMatchObject({ complete: false, hashValid: null, computedHash: null, payloadBytesRead: 10240 })
    const short = await readFixture({ payloadBytes: 5n })
    expect(short.codes).toContain('neff-trailing-bytes')
    expect(short.table).toMatchObject({ hashValid: false, payloadBytesRead: 5 })
    expect((await read(neffFixture({ payloadBytes: 2n ** 63n }))).diagnostics.map(d => d.code)).toEqual(['not-a-neff'])
  })

  it('a damaged gzip stream keeps what came before it', async () => {
    const data = neffFixture({ members: Array.from({ length: 2000 }, (_, i) => ({ name: `m${i}`, data: String(i * 7919) })) })
    const damaged = data.slice()
    damaged.fill(0xff, HEADER_BYTES + 9000, HEADER_BYTES + 9100)
    const { table: t, diagnostics } = await read(damaged)
    expect(diagnostics.map(d => d.code)).toContain('gzip-damaged')
    expect(t).toMatchObject({ complete: false, hashValid: false, members: { complete: false } })
    expect(t?.members.count).toBeGreaterThan(10)
  })

  it('extended headers of 2 MiB are passed over', async () => {
    const { table: t, codes } = await readFixture({
      members: [
        { name: 'long', type: 'L', data: new Uint8Array(2 * 1024 * 1024).fill(0x61) },
        { name: 'a', data: 'x' },
      ],
    })
    expect(codes).toEqual(['neff-member-header-large'])
    expect(members(t).map(m => m[0])).toEqual(['a'])
  })
})

describe('what is not whole', () => {
  it('cancelled, empty and foreign files', async () => {
    expect((await readNeff(bufferSource('a', neffFixture()), { signal: AbortSignal.abort() })).diagnostics[0]?.code).toBe('cancelled')
    expect(await read(new Uint8Array(0))).toMatchObject({ table: null, diagnostics: [{ code: 'not-a-neff' }] })
    expect(await read(new Uint8Array(5000).fill(0x41))).toMatchObject({ table: null, diagnostics: [{ code: 'not-a-neff' }] })
  })

  const whole = neffFixture({
    members: [...FIXTURE_MEMBERS, ...Array.from({ length: 40 }, (_, i) => ({ name: `f${i}`, data: String(i) }))],
  })
  it('any cut gives a prefix and a diagnostic', async () => {
    const all = (await read(whole)).table as NeffTable
    const cuts = [
      ...Array.from({ length: 30 }, (_, i) => i * 40),
      ...Array.from({ length: 120 }, (_, i) => HEADER_BYTES + i * 23),
      whole.length - 1,
    ]
    for (const n of cuts) {
      const { table: t, diagnostics } = await read(whole.subarray(0, n), 1000)
      if (n < HEADER_BYTES) {
        expect([n, t, diagnostics.map(d => d.code)]).toEqual([n, null, [n < 0x18 ? 'not-a-neff' : 'file-truncated']])
        continue
      }
      expect([n, diagnostics.map(d => d.code)]).toEqual([n, ['file-truncated']])
      expect(t).toMatchObject({ complete: false, hashValid: null, uuid: NEFF_UUID, members: { complete: false } })
      expect(members(t as NeffTable)).toEqual(members(all).slice(0, t?.members.count))
    }
  })

  it('the size of the chunks changes nothing, gzip around the file neither', async () => {
    const plain = await read(whole)
    for (const chunk of [1, 511, 1023, 1024, 1025, 4096]) expect(await read(whole, chunk)).toEqual(plain)
    expect((await read(gzipSync(whole), 300)).table).toEqual(plain.table)
  })

  it('random and damaged files never throw or hang', async () => {
    const tar = neffFixture({ packageVersion: 1, major: 1 })
    await fc.assert(
      fc.asyncProperty(
        fc.boolean(),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 12 }),
        fc.option(fc.tuple(fc.nat({ max: 12_000 }), fc.uint8Array({ maxLength: 2000 }))),
        fc.constantFrom(97, 1024, 100_000),
        async (zip, changes, random, chunk) => {
          const data = (zip ? whole : tar).slice()
          if (random) data.set(random[1].subarray(0, Math.max(0, data.length - random[0])), Math.min(random[0], data.length))
          for (const [at, byte] of changes) data[at % data.length] = byte
          const { table: t, diagnostics } = await read(data, chunk)
          if (t === null) expect(diagnostics.length).toBeGreaterThan(0)
          else if (!t.hashValid) expect(diagnostics.length).toBeGreaterThan(0)
          expect(() => sniffNeff(probeBytes(data, 'a.neff'))).not.toThrow()
        },
      ),
      { numRuns: 600 },
    )
  })
})

describe('the writer of fixtures', () => {
  it.skipIf(process.platform === 'win32')('writes archives that tar reads', () => {
    const dir = mkdtempSync(join(tmpdir(), 'nw-neff-'))
    try {
      writeFileSync(join(dir, 'a.tar'), tarFixture(FIXTURE_MEMBERS))
      const names = execFileSync('tar', ['-tf', join(dir, 'a.tar')], { encoding: 'utf8' })
        .trim()
        .split('\n')
      expect(names).toEqual(FIXTURE_MEMBERS.map(m => m.name))
    } finally {
      rmSync(dir, { recursive: true })
    }
  })
})

const samples = samplesDir()
describe.skipIf(samples === null)('real NEFFs', () => {
  it('equal what is expected of them', async () => {
    const dir = join(samples as string, 'neff-ntff')
    const expected = JSON.parse(readFileSync(join(dir, 'expected.json'), 'utf8')) as Record<string, { neff: Record<string, unknown> }>
    for (const [folder, { neff }] of Object.entries(expected)) {
      const data = readFileSync(join(dir, folder, neff['file'] as string))
      const { table: t, diagnostics } = await read(data)
      expect(diagnostics).toEqual([])
      expect({ ...t?.facts, file: neff['file'] }).toMatchObject(neff)
      expect(t).toMatchObject({
        complete: true,
        members: { complete: true },
        graph: { target: 'cayman', nodes: expect.any(Number) as number },
      })
      expect(t?.members.count).toBeGreaterThan(20)
    }
  })
})
