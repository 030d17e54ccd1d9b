import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { snapshotBytes } from '../../formats/memory-snapshot/fixture'
import { GUIDE_TABLE, guideSnapshot } from '../../testing/guide-snapshot'
import { run } from '../run'
import type { SummaryDocument } from './summary'

const folder = mkdtempSync(join(tmpdir(), 'summary-command-'))
afterAll(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'guide.pickle'), snapshotBytes(guideSnapshot()))

async function call(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string }> {
  let out = ''
  const code = await run(argv, { cwd: folder, out: t => (out += t), err: () => undefined, progress: false })
  return { code, out }
}

test("the guide's table, character for character, and the peak after the reset", async () => {
  expect(await call('summary', 'guide.pickle', '--to', '2')).toEqual({ code: 0, out: GUIDE_TABLE })
  const doc = JSON.parse((await call('summary', 'guide.pickle', '--from', '2', '--json')).out) as SummaryDocument
  expect(doc).toMatchObject({ device: 0, from: 2, to: 4, allocations: 1, frees: 0, ooms: 0, retries: 0, notes: [], diagnostics: [] })
  expect(doc.stats['allocated_bytes.all.peak']).toBe(79_691_776)
  expect(doc.table).toContain('|     76 MiB |     76 MiB |     64 MiB |        0 B')
})

test('a range that is none', async () => {
  expect((await call('summary', 'guide.pickle', '--from', '3', '--to', '2')).code).toBe(2)
  expect((await call('summary', 'guide.pickle', '--to', '5')).code).toBe(2)
})
