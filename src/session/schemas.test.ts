import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SchemaError } from '../formats/neuron-runtime/description'
import { protoOf, SHUFFLED } from '../formats/neuron-runtime/fixture'
import { descriptionOf, findSchema, importSchema, listSchemas, loadDescriptions, removeSchema, schemasFor } from './schemas'

let dir = ''
let store = ''
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-schemas-'))
  store = join(dir, 'user', 'schemas')
  await writeFile(join(dir, 'mine.proto'), protoOf(SHUFFLED))
  await writeFile(join(dir, 'other.proto'), 'syntax = "proto3"; message unrelated { int32 a = 1; }')
  await writeFile(join(dir, 'bad.proto'), 'syntax = "proto3"; message x { nonsense }')
  await writeFile(join(dir, 'empty'), '')
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe('imported schemas', () => {
  it('are kept, listed, found by the begin of their hash, and removed', async () => {
    expect(await listSchemas(store)).toEqual([])
    const s = await importSchema(store, join(dir, 'mine.proto'))
    expect(s).toMatchObject({ file: 'mine.proto', from: 'proto', version: null, bytes: protoOf(SHUFFLED).length })
    expect(s.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(await listSchemas(store)).toEqual([s])
    expect(await loadDescriptions(store)).toEqual([descriptionOf(s)])
    expect(descriptionOf(s)).toMatchObject({ origin: 'imported', title: `mine.proto (${s.id})` })
    // Once more is the same one.
    await importSchema(store, join(dir, 'mine.proto'))
    expect(await readdir(store)).toEqual([`${s.id}.json`])
    expect(findSchema([s], s.id.slice(0, 4))).toBe(s)
    expect(findSchema([s], s.id.slice(0, 3))).toBe(null)
    expect(await removeSchema(store, '../../etc')).toBe(null)
    expect(await removeSchema(store, s.id)).toMatchObject({ id: s.id })
    expect(await listSchemas(store)).toEqual([])
  })

  it('files without a schema of the runtime are refused with a reason, and nothing is kept', async () => {
    for (const [file, reason] of [
      ['other.proto', /none of ntrace_event/],
      ['bad.proto', /illegal|expected/],
      ['empty', /no \.proto text/],
    ] as const) {
      const e = await importSchema(store, join(dir, file)).catch((x: unknown) => x)
      expect(e).toBeInstanceOf(SchemaError)
      expect((e as Error).message).toMatch(reason)
    }
    await expect(importSchema(store, dir)).rejects.toMatchObject({ code: 'ENOTREG' })
    expect(await listSchemas(store)).toEqual([])
  })

  it('what does not belong into the folder is passed over', async () => {
    await mkdir(store, { recursive: true })
    await writeFile(join(store, '0123456789ab.json'), '{"id":"0123456789ab"}')
    await writeFile(join(store, 'aaaaaaaaaaaa.json'), 'no json')
    await writeFile(join(store, 'notes.txt'), 'x')
    await mkdir(join(store, 'bbbbbbbbbbbb.json'))
    expect(await listSchemas(store)).toEqual([])
  })

  it('are looked up for the files that are decoded by a schema only', async () => {
    expect(await schemasFor('chrome-trace', join(dir, 'user'))).toEqual({})
    expect(await schemasFor('ntrace', join(dir, 'user'))).toEqual({ schemas: [] })
  })
})
