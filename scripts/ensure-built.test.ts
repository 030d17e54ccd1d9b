import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { sourceStamp } from './ensure-built.mjs'

const dirs: string[] = []
afterAll(() => Promise.all(dirs.map(d => rm(d, { recursive: true, force: true }))))

it('the build is stale when a source changed, appeared or went, and not when a test did', async () => {
  const root = await mkdtemp(join(tmpdir(), 'nw-stamp-'))
  dirs.push(root)
  await mkdir(join(root, 'src/a'), { recursive: true })
  const put = async (path: string, text: string, time: number): Promise<void> => {
    await writeFile(join(root, path), text)
    await utimes(join(root, path), time, time)
  }
  await put('src/a/x.ts', 'one', 1000)
  await put('package.json', '{}', 1000)
  const stamps = [await sourceStamp(root)]
  const changed = async (): Promise<boolean> => {
    stamps.push(await sourceStamp(root))
    return stamps.at(-1) !== stamps.at(-2)
  }
  expect(await changed()).toBe(false)
  await put('src/a/x.test.ts', 'test', 2000)
  await put('README.md', 'text', 2000)
  expect(await changed()).toBe(false)
  await put('src/a/x.ts', 'two', 1001)
  expect(await changed()).toBe(true)
  await put('src/a/y.ts', '', 1000)
  expect(await changed()).toBe(true)
  await rm(join(root, 'src/a/y.ts'))
  expect(await changed()).toBe(true)
  await put('package.json', '{ }', 1000)
  expect(await changed()).toBe(true)
})
