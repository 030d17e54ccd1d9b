import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Browse } from './browse'
import { Confinement } from './confine'
import { Schemas } from './schemas'

const PROTO = 'syntax = "proto3";\npackage ntff;\nmessage ntrace_event {\n  uint64 timestamp = 5;\n  int32 type = 9;\n}\n'

let dir = ''
let user = ''
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-schemas-')))
  user = await realpath(await mkdtemp(join(tmpdir(), 'nw-schemas-user-')))
})
afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
  await rm(user, { recursive: true, force: true })
})

describe('schemas of the window', () => {
  it('imports, lists and removes', async () => {
    const schemas = new Schemas(user, new Confinement(null))
    await writeFile(join(dir, 'a.proto'), PROTO)
    const added = await schemas.add(join(dir, 'a.proto'))
    expect(added).toMatchObject({ file: 'a.proto', from: 'proto', version: null, messages: 1, fields: 2, used: ['ntrace_event'] })
    expect(added.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(await schemas.list()).toEqual([added])
    // Another start sees it too.
    expect(await new Schemas(user, new Confinement(null)).list()).toEqual([added])
    await schemas.remove(added.id)
    expect(await schemas.list()).toEqual([])
    await expect(schemas.remove(added.id)).rejects.toThrow('not there')
  })

  it('says why a file gives none, and keeps nothing of it', async () => {
    const schemas = new Schemas(user, new Confinement(null))
    await writeFile(join(dir, 'notes.md'), 'no schema here')
    await writeFile(join(dir, 'empty'), '')
    await expect(schemas.add(join(dir, 'notes.md'))).rejects.toThrow('No trace schema could be taken from notes.md')
    await expect(schemas.add(join(dir, 'empty'))).rejects.toThrow('No trace schema')
    await expect(schemas.add(dir)).rejects.toThrow('folder')
    await expect(schemas.add(join(dir, 'gone'))).rejects.toThrow('no longer there')
    expect(await schemas.list()).toEqual([])
  })

  it('reads nothing outside the served folders, by no link either', async () => {
    const served = join(dir, 'served')
    await mkdir(served)
    await writeFile(join(dir, 'out.proto'), PROTO)
    await symlink(join(dir, 'out.proto'), join(served, 'link.proto'))
    const schemas = new Schemas(user, new Confinement([served]))
    for (const path of [join(dir, 'out.proto'), join(served, 'link.proto')])
      await expect(schemas.add(path)).rejects.toThrow('outside the served folders')
  })
})

it('the picker lists files of every kind only where it is asked to', async () => {
  await writeFile(join(dir, 'runtime.proto'), PROTO)
  await writeFile(join(dir, 'trace.json'), '{}')
  const browse = new Browse({ confine: new Confinement([dir]), known: name => name === 'trace.json' })
  const root = (await browse.list(null)).entries[0]?.id ?? ''
  const names = async (any?: boolean): Promise<readonly string[]> => (await browse.list(root, any)).entries.map(e => e.name).sort()
  expect(await names()).toEqual(['trace.json'])
  expect(await names(true)).toEqual(['runtime.proto', 'trace.json'])
})
