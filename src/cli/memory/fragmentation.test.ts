import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { exampleSnapshot, MIB, snapshotBytes } from '../../formats/memory-snapshot/fixture'
import { guideSnapshot } from '../../testing/guide-snapshot'
import { run } from '../run'

const folder = mkdtempSync(join(tmpdir(), 'fragmentation-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'guide.pickle'), snapshotBytes(guideSnapshot()))
const cut = snapshotBytes(exampleSnapshot())
writeFileSync(join(folder, 'cut.pickle'), cut.subarray(0, Buffer.from(cut).indexOf('segment_free')))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = ''
  const code = await run(argv, { cwd: folder, out: t => (out += t), err: () => undefined, progress: false })
  return { code, out }
}

test('at an event, with and without the capacity', async () => {
  const { code, out } = await call(
    'fragmentation',
    'guide.pickle',
    '--at',
    '2',
    '--capacity',
    String(128 * MIB),
    '--request',
    '1000',
    '--json',
  )
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    {
      ...{ device: 0, event: 2, reservedBytes: 64 * MIB, totalFreeBytes: 116 * MIB, externalBytes: 0, index: 0, density: 1, reasons: {} },
      pools: { small: { segments: 0, density: null }, large: { cachedBytes: 52 * MIB } },
      request: { fits: true, how: 'new-segment', blockBytes: 1024 },
      diagnostics: [],
    },
  ])
  const text = (await call('fragmentation', 'guide.pickle', '--request', String(52 * MIB))).out
  expect(text).toMatch(/external fragmentation +—\n/)
  expect(text).toContain("externalBytes: not known, a snapshot does not hold the device's capacity\n")
  expect(text).toMatch(/54,525,952 B: fits\. A free chunk/)
})

test('a file that ends early has no state, and why', async () => {
  const doc = JSON.parse((await call('fragmentation', 'cut.pickle', '--json')).out) as object
  expect(doc).toMatchObject({ device: 1, reasons: { state: expect.stringContaining('ends early') as unknown } })
  expect(doc).not.toHaveProperty('reservedBytes')
  expect((await call('fragmentation', 'cut.pickle')).out).toContain('no figures: the file ends early')
})

test('wrong numbers', async () => {
  for (const [name, value] of [
    ['--capacity', '0'],
    ['--request', 'much'],
    ['--by', 'stack'],
  ] as const)
    expect((await call('fragmentation', 'guide.pickle', name, value)).code).toBe(2)
})
