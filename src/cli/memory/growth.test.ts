import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { MIB, snapshotBytes, type FixtureFrame } from '../../formats/memory-snapshot/fixture'
import { guideSnapshot } from '../../testing/guide-snapshot'
import { run } from '../run'

const folder = mkdtempSync(join(tmpdir(), 'growth-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'a.pickle'), snapshotBytes(guideSnapshot()))
const moved = guideSnapshot()
for (const e of moved.device_traces[0] ?? []) for (const f of e['frames'] as FixtureFrame[]) f.filename = '/scratch/job/example.py'
writeFileSync(join(folder, 'b.pickle'), snapshotBytes(moved))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = ''
  const code = await run(argv, { cwd: folder, out: t => (out += t), err: () => undefined, progress: false })
  return { code, out }
}

test('growth between two events', async () => {
  const { code, out } = await call('growth', 'a.pickle', '--from', '1', '--to', 'end', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(out)).toEqual({
    ...{
      device: 0,
      by: 'stack',
      from: 1,
      to: 4,
      fromBytes: 4 * MIB,
      toBytes: 76 * MIB,
      totalBytes: 72 * MIB,
      count: 2,
      freedBytes: 0,
      freedCount: 0,
    },
    groups: [
      { key: '/home/user/example.py:14:<module>', bytes: 64 * MIB, count: 1 },
      { key: '/home/user/example.py:6:<module>', bytes: 8 * MIB, count: 1 },
    ],
    diagnostics: [],
  })
  expect((await call('growth', 'a.pickle', '--from', '-1', '--to', '1')).out).toContain(
    'allocated and still live: 4.0\u00a0MiB in 1 allocation;',
  )
  for (const range of [[], ['--from', '2'], ['--from', '2', '--to', '1']]) expect((await call('growth', 'a.pickle', ...range)).code).toBe(2)
})

test('two snapshots, the code in different folders', async () => {
  const { code, out } = await call('compare', 'a.pickle', 'b.pickle', '--json')
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    {
      ...{ by: 'stack', diffBytes: 0, diffCount: 0, roots: [{ a: '/home/user', b: '/scratch/job', files: 1 }] },
      a: { device: 0, event: 4, totalBytes: 76 * MIB, count: 3 },
      groups: [{ key: '…/example.py:14:<module>', aBytes: 64 * MIB, bBytes: 64 * MIB, diffBytes: 0 }, {}, {}],
    },
  ])
  const text = (await call('compare', 'a.pickle', 'b.pickle')).out
  expect(text).toContain('B − A: 0\u00a0B, 0 allocations\n…/ is /home/user in A, /scratch/job in B (1 file)\n')
  expect((await call('compare', 'a.pickle')).code).toBe(2)
  expect((await call('compare', 'a.pickle', 'b.pickle', 'a.pickle')).code).toBe(2)
  expect((await call('compare', 'a.pickle', 'none.pickle', '--json')).code).toBe(1)
})
