import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { neffFixture } from '../../formats/neff/fixture'
import { RequestError } from '../../shared/api'
import { Confinement } from './confine'
import { MAX_FOLDERS, NeffFolders } from './neff-folders'

let base = ''
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'nw-neff-folders-')))
  for (const name of ['user', 'cache', 'served', 'served/cache', 'outside']) await mkdir(join(base, name))
  await writeFile(join(base, 'cache', 'm.neff'), neffFixture())
  await writeFile(join(base, 'served/cache', 'm.neff'), neffFixture())
})
afterEach(() => rm(base, { recursive: true, force: true }))
const open = (roots: readonly string[] | null = null) => new NeffFolders(join(base, 'user'), new Confinement(roots))
const paths = async (f: NeffFolders) => (await f.list()).map(x => x.path)

describe('the list of NEFF folders', () => {
  it('is kept between starts, each folder once', async () => {
    const f = open()
    expect([await paths(f), await f.neffs()]).toEqual([[], undefined])
    await f.add(join(base, 'cache'))
    await f.add(join(base, 'cache', '..', 'cache'))
    await symlink(join(base, 'cache'), join(base, 'link'))
    await f.add(join(base, 'link'))
    expect(await paths(open())).toEqual([join(base, 'cache')])
    expect((await open().neffs())?.neffs.map(n => n.path)).toEqual([join(base, 'cache', 'm.neff')])
    const [entry] = await f.list()
    await f.remove(entry?.id ?? '')
    expect(await paths(open())).toEqual([])
    expect(await f.neffs()).toBeUndefined()
    expect(() => f.remove('made-up')).toThrow(RequestError)
  })

  it('refuses files, what is not there, and too many', async () => {
    const f = open()
    await expect(f.add(join(base, 'cache', 'm.neff'))).rejects.toThrow('This is a file')
    await expect(f.add(join(base, 'absent'))).rejects.toThrow(RequestError)
    for (let i = 0; i < MAX_FOLDERS; i++) {
      await mkdir(join(base, `c${i}`))
      await f.add(join(base, `c${i}`))
    }
    await expect(f.add(join(base, 'cache'))).rejects.toThrow('remove one first')
  })

  it('a folder that is gone stays in the list and is said not to be there', async () => {
    const f = open()
    await f.add(join(base, 'cache'))
    await rm(join(base, 'cache'), { recursive: true })
    expect(await f.list()).toMatchObject([{ path: join(base, 'cache'), there: false }])
    expect((await f.neffs())?.diagnostics.map(d => d.code)).toEqual(['neff-folder-unreadable'])
  })

  it('a damaged file counts as empty', async () => {
    for (const text of ['', '{', '{"folders":"x"}', '{"folders":[1]}', 'x'.repeat(300_000)]) {
      await writeFile(join(base, 'user', 'neff-folders.json'), text)
      expect(await paths(open())).toEqual([])
    }
    await open().add(join(base, 'cache'))
    expect(JSON.parse(await readFile(join(base, 'user', 'neff-folders.json'), 'utf8'))).toEqual({
      version: 1,
      folders: [join(base, 'cache')],
    })
  })
})

describe('in the browser', () => {
  it('only folders below the served ones are added, named or read', async () => {
    await open().add(join(base, 'cache'))
    const f = open([join(base, 'served')])
    await expect(f.add(join(base, 'outside'))).rejects.toThrow('outside the served folders')
    await symlink(join(base, 'outside'), join(base, 'served', 'way-out'))
    await expect(f.add(join(base, 'served', 'way-out'))).rejects.toThrow('outside the served folders')
    expect([await paths(f), await f.neffs()]).toEqual([[], undefined])
    await f.add(join(base, 'served', 'cache'))
    expect(await paths(f)).toEqual([join(base, 'served', 'cache')])
    expect((await f.neffs())?.neffs).toHaveLength(1)
  })

  it('a link in the place of an added folder leads nowhere', async () => {
    const f = open([join(base, 'served')])
    await f.add(join(base, 'served', 'cache'))
    await rm(join(base, 'served', 'cache'), { recursive: true })
    await symlink(join(base, 'cache'), join(base, 'served', 'cache'))
    expect([await paths(f), await f.neffs()]).toEqual([[], undefined])
  })
})
