import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'
import { exampleSnapshot, snapshotBytes } from '../formats/memory-snapshot/fixture'
import { samplesDir } from '../testing/samples'
import { snapshotCommand } from './snapshot'

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
  expect(document).toMatchObject({ diagnostics: [{ code: 'not-a-pickle' }] })
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
