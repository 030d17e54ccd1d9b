import { mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CheckedFile } from '../shared/reader'
import { readArgsText } from './chrome-trace/args'
import { assertOpened, OtherFileError } from './opened'
import { wholeFile } from './second-reader/read'
import { fileSource, openRegular } from './source'

let dir = ''
/** Inside what is allowed, and what an attacker wants to have read. */
let inside = ''
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-opened-')))
  inside = join(dir, 'root/sub/trace.json')
  await mkdir(join(dir, 'root/sub'), { recursive: true })
  await mkdir(join(dir, 'outside'))
  await writeFile(inside, 'allowed')
  await writeFile(join(dir, 'outside/trace.json'), 'secret!')
})
afterEach(() => rm(dir, { recursive: true, force: true }))

async function checked(): Promise<CheckedFile> {
  const { dev, ino } = await stat(inside, { bigint: true })
  return { path: inside, dev: String(dev), ino: String(ino) }
}

/** Ways to put something else in the place of the file after it was checked. */
const SWAPS: readonly (readonly [string, () => Promise<void>])[] = [
  [
    'a link to a file outside',
    async () => {
      await rm(inside)
      await symlink(join(dir, 'outside/trace.json'), inside)
    },
  ],
  [
    'a folder on the way that became a link',
    async () => {
      await rename(join(dir, 'root/sub'), join(dir, 'root/was'))
      await symlink(join(dir, 'outside'), join(dir, 'root/sub'))
    },
  ],
  [
    'the root itself that became a link',
    async () => {
      await rename(join(dir, 'root'), join(dir, 'was'))
      await mkdir(join(dir, 'other/sub'), { recursive: true })
      await writeFile(join(dir, 'other/sub/trace.json'), 'secret!')
      await symlink(join(dir, 'other'), join(dir, 'root'))
    },
  ],
]

describe.each(SWAPS)('%s', (_, swap) => {
  it('is not opened', async () => {
    const at = await checked()
    await swap()
    await expect(openRegular(inside, at)).rejects.toThrow(OtherFileError)
    await expect(fileSource(inside, 'x', undefined, at)).rejects.toMatchObject({ code: 'EMOVED' })
    await expect(readArgsText(inside, 0, 3, at)).rejects.toThrow(OtherFileError)
    await expect(wholeFile(inside, 100, at)).rejects.toThrow(OtherFileError)
    // Without the check it would have been read.
    expect(await readFile(inside, 'utf8')).toBe('secret!')
    expect(await readArgsText(inside, 0, 3)).toBe('sec')
  })
  it('is not opened where the system does not tell the place of an open file', async () => {
    const at = await checked()
    await swap()
    const { handle } = await openRegular(inside)
    await expect(assertOpened(handle, at, () => Promise.resolve(null))).rejects.toThrow(OtherFileError)
    await handle.close()
  })
})

it('the file itself is opened, by both ways', async () => {
  const at = await checked()
  const { handle } = await openRegular(inside, at)
  await assertOpened(handle, at, () => Promise.resolve(null))
  expect((await handle.readFile()).toString()).toBe('allowed')
  await handle.close()
  expect(await readArgsText(inside, 0, 7, at)).toBe('allowed')
})

it.runIf(process.platform === 'linux')('a file that a run wrote anew at the same place is opened', async () => {
  const at = await checked()
  await writeFile(join(dir, 'root/new'), 'newer')
  await rename(join(dir, 'root/new'), inside)
  const { handle } = await openRegular(inside, at)
  expect((await handle.readFile()).toString()).toBe('newer')
  await handle.close()
})
