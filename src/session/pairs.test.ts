import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { neffFixture, type NeffFixture } from '../formats/neff/fixture'
import { ntffFixture, pbMessage, type NtffFixture } from '../formats/ntff/fixture'
import type { SniffCache } from './look'
import { discover } from './discover'
import { findNeffs } from './neff-folders'

const A = '0102030405060708090a0b0c0d0e0f10'
const B = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const CUT = '0102030405060708090a00aabbccddee'

let base = ''
let root = ''
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'nw-pairs-')))
  root = join(base, 'profile_output')
  await mkdir(root)
})
afterEach(() => rm(base, { recursive: true, force: true }))

const plant = async (files: Readonly<Record<string, Uint8Array>>, below = root): Promise<void> => {
  for (const [path, data] of Object.entries(files)) {
    await mkdir(dirname(join(below, path)), { recursive: true })
    await writeFile(join(below, path), data)
  }
}
const neff = (f: NeffFixture = {}) => neffFixture(f)
const ntff = (f: NtffFixture = {}) => ntffFixture(f)
const pairs = async (folders: readonly string[] = []) => {
  const catalog = await discover(root, { added: folders.length > 0 ? await findNeffs(folders) : undefined })
  return catalog.sessions.flatMap(s => s.pairs.map(p => [p.ntff, p.verdict, p.by, ...p.neff]))
}

describe('pairs of a tree', () => {
  it('every version, in the session, the instance folder and elsewhere below the root', async () => {
    await plant({
      'i-1_pid_1/t1/six.ntff': ntff({ nodes: [A] }),
      'i-1_pid_1/t1/five.ntff': ntff({ version: 5, nodes: [B] }),
      'i-1_pid_1/t1/four.ntff': ntff({ version: 4, nodes: [CUT] }),
      'i-1_pid_1/t1/empty.ntff': new Uint8Array(0),
      'i-1_pid_1/t1/a.neff': neff({ uuid: A }),
      'i-1_pid_1/neffs/b.neff': neff({ uuid: B }),
      'i-2_pid_2/t1/c.neff': neff({ uuid: CUT, major: 1 }),
      'i-2_pid_2/t1/other.ntff': ntff({ nodes: ['ee'.repeat(16)] }),
    })
    expect(await pairs()).toEqual([
      ['i-1_pid_1/t1/empty.ntff', 'empty-ntff', 'none'],
      ['i-1_pid_1/t1/five.ntff', 'paired', 'uuid-prefix', 'i-1_pid_1/neffs/b.neff'],
      ['i-1_pid_1/t1/four.ntff', 'paired', 'uuid-prefix', 'i-2_pid_2/t1/c.neff'],
      ['i-1_pid_1/t1/six.ntff', 'paired', 'uuid', 'i-1_pid_1/t1/a.neff'],
      ['i-2_pid_2/t1/other.ntff', 'missing-neff', 'none'],
    ])
  })

  it('several NEFFs in one NTFF, copies, and the same hash with another UUID', async () => {
    const same = '00112233445566778899aabbccddeeff'
    await plant({
      's/two.ntff': ntff({ nodes: [A, B] }),
      's/a.neff': neff({ uuid: A, hash: same }),
      's/copy/a.neff': neff({ uuid: A, hash: same }),
      's/c.neff': neff({ uuid: 'cc'.repeat(16), hash: same }),
    })
    expect(await pairs()).toEqual([['s/two.ntff', 'partial', 'uuid', 's/a.neff', 's/copy/a.neff']])
    await plant({ 's/b.neff': neff({ uuid: B, hash: same }) })
    expect(await pairs()).toEqual([['s/two.ntff', 'paired', 'uuid', 's/a.neff', 's/b.neff', 's/copy/a.neff']])
  })

  it('a message far larger than the first look still names all its NEFFs', async () => {
    const filler = Array.from({ length: 3000 }, (_, i) => [19, `${i}`.padStart(60, 'x')] as const)
    const data = ntffFixture({
      nodes: [],
      uuidField: null,
      neffName: null,
      more: [...filler, [4, [[5, Uint8Array.from(Buffer.from(B, 'hex'))]]]],
    })
    expect(data.length).toBeGreaterThan(150_000)
    await plant({ 's/long.ntff': data, 's/b.neff': neff({ uuid: B }) })
    expect(await pairs()).toEqual([['s/long.ntff', 'paired', 'uuid', 's/b.neff']])
  })

  it('a cut NEFF pairs by its header, one without a header by its name alone', async () => {
    await plant({
      's/a.ntff': ntff({ nodes: [A], neffName: 'cut.neff' }),
      's/a.neff': neff({ uuid: A }).subarray(0, 3000),
      's/cut.neff': neff({ uuid: B }).subarray(0, 500),
    })
    expect(await pairs()).toEqual([['s/a.ntff', 'paired', 'uuid', 's/a.neff']])
  })
})

describe('added folders', () => {
  it('NEFFs of a compiler cache are listed by absolute paths, files of other names are passed over', async () => {
    const cache = join(base, 'cache')
    await plant({ 's/a.ntff': ntff({ nodes: [A] }) })
    await plant(
      { 'v2/MODULE_1/model.neff': neff({ uuid: A }), 'v2/MODULE_1/x.bin': neff({ uuid: A }), 'v2/fake.neff': pbMessage([[1, 'x']]) },
      cache,
    )
    expect(await pairs()).toEqual([['s/a.ntff', 'missing-neff', 'none']])
    expect(await pairs([cache])).toEqual([['s/a.ntff', 'paired', 'uuid', join(cache, 'v2/MODULE_1/model.neff')]])
  })

  it('a NEFF below the root is not listed twice when its folder is added too', async () => {
    await plant({ 's/a.ntff': ntff({ nodes: [A] }), 's/a.neff': neff({ uuid: A }) })
    await symlink(root, join(base, 'link'))
    expect(await pairs([root, join(root, 's'), join(base, 'link')])).toEqual([['s/a.ntff', 'paired', 'uuid', 's/a.neff']])
  })

  it('a folder that is not there, links that lead out or in circles, and limits', async () => {
    await plant({ 'a/b.neff': neff(), 'a/c.neff': neff() }, join(base, 'cache'))
    await plant({ 'secret.neff': neff() }, join(base, 'outside'))
    await symlink(join(base, 'outside', 'secret.neff'), join(base, 'cache', 'out.neff'))
    await symlink('..', join(base, 'cache', 'a', 'loop'))
    const found = await findNeffs([join(base, 'absent'), join(base, 'cache'), join(base, 'cache', 'a', 'b.neff')])
    expect(found.neffs.map(n => n.path)).toEqual([join(base, 'cache/a/b.neff'), join(base, 'cache/a/c.neff')])
    expect(found.diagnostics.map(d => [d.code, d.file])).toEqual([
      ['neff-folder-unreadable', join(base, 'absent')],
      ['neff-folder-unreadable', join(base, 'cache', 'a', 'b.neff')],
    ])
    const cut = await findNeffs([join(base, 'cache')], { maxEntries: 3 })
    expect(cut.diagnostics.map(d => d.code)).toEqual(['walk-entry-limit'])
  })

  it('looks again only into what changed', async () => {
    await plant({ 'b.neff': neff() }, join(base, 'cache'))
    const cache: SniffCache = new Map()
    await findNeffs([join(base, 'cache')], { cache })
    const path = join(base, 'cache/b.neff')
    const entry = cache.get(path) as NonNullable<ReturnType<typeof cache.get>>
    cache.set(path, { ...entry, result: { ...entry.result, facts: { cached: true } } })
    expect((await findNeffs([join(base, 'cache')], { cache })).neffs[0]?.facts).toEqual({ cached: true })
  })
})
