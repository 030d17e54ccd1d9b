import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { exampleSnapshot, snapshotBytes, type FixtureSnapshot } from '../formats/memory-snapshot/fixture'
import { samplesDir } from '../testing/samples'
import { run } from './run'
import { snapshotCommand } from './snapshot'
import { toText } from './text'

const folder = mkdtempSync(join(tmpdir(), 'snapshot-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
const file = (name: string, data: Uint8Array | string): string => {
  const path = join(folder, name)
  writeFileSync(path, data)
  return path
}

test('a whole file, its rank from the name', async () => {
  const path = file('memory_snapshot_rank3.pickle', snapshotBytes(exampleSnapshot()))
  const { document, read } = await snapshotCommand(path)
  expect(read).toBe(true)
  expect(document).toMatchObject({
    format: 'pickle',
    rank: 3,
    segments: 2,
    devices: [{ device: 1, peakActiveBytes: 10_000_000 }],
    diagnostics: [],
  })
  expect(await snapshotCommand(file('memory_snapshot.pickle', snapshotBytes(exampleSnapshot())))).toMatchObject({ document: { rank: 0 } })
})

test('compressed', async () => {
  expect((await snapshotCommand(file('a.pickle.gz', gzipSync(snapshotBytes(exampleSnapshot()))))).document).toMatchObject({
    segments: 2,
    diagnostics: [],
  })
})

test('a file that ends early is read; what is not known is null', async () => {
  const data = snapshotBytes(exampleSnapshot())
  const { document, read } = await snapshotCommand(file('cut.pickle', data.subarray(0, Buffer.from(data).indexOf('segment_free'))))
  expect(read).toBe(true)
  expect(JSON.parse(JSON.stringify(document))).toMatchObject({
    devices: [{ device: 1, events: 10, startReservedBytes: null, liveAtStart: null, unknownFrees: 2, selfCheck: { ok: false } }],
    diagnostics: [{ code: 'pickle-truncated' }],
  })
})

test('nothing to read: only the diagnostics', async () => {
  const { document, read } = await snapshotCommand(file('x.pickle', '{"a": 1}'))
  expect(read).toBe(false)
  expect(Object.keys(document)).toEqual(['diagnostics'])
  expect(document).toMatchObject({ diagnostics: [{ code: 'not-a-snapshot' }] })
  await expect(snapshotCommand(join(folder, 'none.pickle'))).rejects.toThrow(/ENOENT/)
})

const dir = samplesDir()
describe.runIf(dir !== null)('opcode cases are no snapshots', () => {
  const folderOfCases = join(dir ?? '', 'synthetic-snapshots/edge_opcodes')
  test('the reason and any global asked for are named', async () => {
    for (const [name, code, text] of [
      ['o_global_os_system', 'pickle-global', 'posix.system'],
      ['r_ordered', 'pickle-global', 'collections.OrderedDict'],
      ['t_truncated', 'pickle-truncated', 'ends inside'],
      ['x_surrogate', 'not-a-snapshot', 'a text'],
      ['n_appends_1M', 'not-a-snapshot', 'a list'],
    ] as const) {
      const { document, read } = await snapshotCommand(join(folderOfCases, name))
      expect([name, read]).toEqual([name, false])
      const found = (document as { diagnostics: readonly { code: string; message: string }[] }).diagnostics
      expect(found.find(d => d.code === code)?.message).toContain(text)
      expect(found.some(d => d.code === 'not-a-snapshot' || d.code === 'pickle-truncated')).toBe(true)
    }
  })
})

describe('--verify', () => {
  test('adds the comparison to the report', async () => {
    const { document, read, failed } = await snapshotCommand(file('v.pickle', snapshotBytes(exampleSnapshot())), {}, true)
    expect([read, failed]).toEqual([true, false])
    expect(document).toMatchObject({ segments: 2, devices: [{ device: 1 }], verdict: 'equal', reader: 'pickleparser 0.2.1', limits: [] })
    const { verify } = document as { readonly verify: readonly object[] }
    expect(verify).toContainEqual({
      device: 1,
      figure: 'peakActiveBytes',
      ours: 10_000_000,
      second: 10_000_000,
      verdict: 'equal',
      reason: null,
    })
    expect(toText('snapshot', document)).toMatch(/device 1 +peakActiveBytes +10,000,000 +10,000,000 +equal/)
  })
  test('a compressed file, a large one, one that is no snapshot', async () => {
    const small = file('v.pickle.gz', gzipSync(snapshotBytes(exampleSnapshot())))
    expect((await snapshotCommand(small, {}, true)).document).toMatchObject({ verdict: 'equal' })
    // 70 MB once it is uncompressed: bytes after the end of a pickle are not read.
    const large = Buffer.concat([snapshotBytes(exampleSnapshot()), Buffer.alloc(70e6)])
    const { document, read, failed } = await snapshotCommand(file('large.pickle.gz', gzipSync(large)), {}, true)
    expect([read, failed]).toEqual([true, false])
    expect(document).toMatchObject({ verdict: 'not-tried', limits: [expect.stringContaining('64.0') as unknown] })
    expect(toText('snapshot', document)).toContain('it was not started')
    expect(await snapshotCommand(file('y.pickle', '{"a": 1}'), {}, true)).toMatchObject({ read: false })
  })
  test('a figure that differs makes the command fail', async () => {
    const differs = { device: 0, figure: 'events', ours: 1, second: 2, verdict: 'differs', reason: null } as const
    vi.spyOn(await import('../analysis/verify/verify'), 'verify').mockResolvedValue({
      verdict: 'differs',
      reader: 'another',
      rows: [differs],
      limits: [],
    })
    const path = file('d.pickle', snapshotBytes(exampleSnapshot()))
    expect(await snapshotCommand(path, {}, true)).toMatchObject({ read: true, failed: true, document: { verify: [differs] } })
    const io = { cwd: folder, out: vi.fn(), err: vi.fn(), progress: false }
    expect(await run(['snapshot', 'd.pickle', '--verify', '--json'], io)).toBe(1)
    expect(await run(['snapshot', 'd.pickle', '--json'], io)).toBe(0)
    vi.restoreAllMocks()
  })
})

test('block-rounded figures in the text, with what they were checked on or why they are not there', async () => {
  const text = async (s: FixtureSnapshot): Promise<string> =>
    toText('snapshot', (await snapshotCommand(file('r.pickle', snapshotBytes(s)))).document)
  expect(await text(exampleSnapshot())).toMatch(/peak allocated \(block-rounded\) +8\.6\u00a0MiB/)
  expect(await text(exampleSnapshot())).toContain('device 1, block-rounded: checked on 1 block')
  const wrong = exampleSnapshot()
  ;((wrong.segments[0] as FixtureSnapshot['segments'][number]).blocks[1] as { size: number }).size += 512
  expect(await text(wrong)).toMatch(/peak allocated \(block-rounded\) +—/)
  expect(await text(wrong)).toMatch(/cached, free at the end +—/)
  expect(await text(wrong)).toContain('block-rounded: not shown: the rounding of the CUDA allocator')
})
