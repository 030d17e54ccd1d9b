import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fileSource } from '../source'
import { readArgsText } from './args'
import { traceBytes } from './fixture'
import { readTrace } from './read'

let dir = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-args-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const args = (i: number): object => ({ i, text: 'é'.repeat(i % 50), nested: [{ a: '}' }] })
const data = traceBytes(Array.from({ length: 30_000 }, (_, i) => ({ ph: 'X', name: 'n', pid: 1, tid: 1, ts: i, args: args(i) })))

it.each([false, true])('reads the args of any event (gzip: %s)', async zip => {
  const path = join(dir, zip ? 'a.gz' : 'a')
  await writeFile(path, zip ? gzipSync(data) : data)
  const source = await fileSource(path, path)
  const { table } = await readTrace(source, {})
  await source.close()
  const t = table as NonNullable<typeof table>
  expect(t.count).toBe(30_000)
  for (const i of [0, 29_999, 15_000, 15_001, 14_990, 7, 29_998, 0])
    expect(JSON.parse(await readArgsText(path, t.argsOffset[i], t.argsLength[i]))).toEqual(args(i))
})
it('notices that a file changed or is shorter', async () => {
  const path = join(dir, 'b')
  await writeFile(path, 'abcdef')
  expect(await readArgsText(path, 1, 3)).toBe('bcd')
  await writeFile(path, 'uvwxyz')
  await utimes(path, 1, 1)
  expect(await readArgsText(path, 1, 3)).toBe('vwx')
  await expect(readArgsText(path, 4, 3)).rejects.toThrow(RangeError)
  await expect(readArgsText(join(dir, 'none'), 0, 1)).rejects.toThrow('ENOENT')
})
