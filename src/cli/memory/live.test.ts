import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { exampleSnapshot, snapshotBytes } from '../../formats/memory-snapshot/fixture'
import { plainAllocations, plainGroups, plainLive, plainOf } from '../../testing/naive-memory'
import { snapshotFiles } from '../../testing/snapshots'
import { run } from '../run'
import type { LiveDocument } from './live'

const folder = mkdtempSync(join(tmpdir(), 'memory-commands-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'a.pickle'), snapshotBytes(exampleSnapshot()))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  let out = ''
  let err = ''
  const code = await run(argv, { cwd: folder, out: t => (out += t), err: t => (err += t), progress: false })
  return { code, out, err }
}

test('the peak by stack, as JSON and for people', async () => {
  const { code, out } = await call('live', 'a.pickle', '--json')
  expect(code).toBe(0)
  const doc = JSON.parse(out) as LiveDocument
  expect(doc).toMatchObject({ device: 1, by: 'stack', totalBytes: 10_000_000, diagnostics: [] })
  expect(doc.groups.reduce((n, g) => n + (g.bytes ?? NaN), 0)).toBe(10_000_000)
  expect(doc.groups[0]?.key).toContain('/home/u/train.py:12:train_step')
  const text = (await call('live', 'a.pickle', '--by', 'size', '--limit', '1')).out
  expect(text).toMatch(/^device 1, event \d+: 9\.5\u00a0MiB active \(requested\) in \d allocations\n\n +bytes +share +count +size\n/)
  expect(text).toMatch(/\d more are not listed/)
})

test('the start is event -1', async () => {
  const start = (await call('live', 'a.pickle', '--at', '-1', '--json')).out
  expect(JSON.parse(start)).toMatchObject({ event: -1, totalBytes: 5_800_000 })
  expect((await call('live', 'a.pickle', '--at=start', '--json')).out).toBe(start)
})

test('what cannot be asked', async () => {
  for (const [argv, message] of [
    [['live', 'a.pickle', '--device', '7'], 'no device 7; it has 1'],
    [['live', 'a.pickle', '--at', '999'], 'event 999 is outside'],
    [['live', 'a.pickle', '--at', 'noon'], '--at takes'],
    [['live', 'a.pickle', '--by', 'colour'], '--by takes'],
    [['live', 'a.pickle', '--capacity', '1'], 'capacity'],
    [['live'], 'live needs FILE'],
  ] as const) {
    const { code, err } = await call(...argv)
    expect([code, err.includes(message)]).toEqual([2, true])
  }
  expect((await call('live', 'none.pickle', '--json')).code).toBe(1)
  writeFileSync(join(folder, 'x.pickle'), '{"a": 1}')
  expect(JSON.parse((await call('live', 'x.pickle', '--json')).out)).toMatchObject({ diagnostics: [{ code: 'not-a-snapshot' }] })
})

describe('samples, as a naive replay has them', () => {
  for (const [name, read, path] of snapshotFiles())
    test(name, async () => {
      const plain = plainOf(name, path, await read())
      for (const by of ['stack', 'frame', 'file', 'size'])
        for (const at of ['start', 'peak']) {
          const doc = JSON.parse((await call('live', path, '--at', at, '--by', by, '--json')).out) as LiveDocument
          expect(doc.groups).toEqual(plainGroups(plainLive(plainAllocations(plain, doc.device), doc.event), by))
        }
    })
})
