import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Recents, type Recent } from './settings'

let dir = ''
beforeEach(async () => void (dir = await mkdtemp(join(tmpdir(), 'nw-settings-'))))
afterEach(() => rm(dir, { recursive: true, force: true }))
const entry = (path: string, openedMs = 1): Recent => ({ path, label: path, detail: '2 ranks, 4 sessions', openedMs })

describe('recent folders', () => {
  it('are kept between starts, newest first, each once, at most twelve', async () => {
    const a = new Recents(join(dir, 'deep/user'))
    for (let i = 0; i < 20; i++) await a.put(entry(`/p${i % 15}`, i))
    const list = await new Recents(join(dir, 'deep/user')).list()
    expect(list.map(r => r.path)).toEqual([4, 3, 2, 1, 0, 14, 13, 12, 11, 10, 9, 8].map(i => `/p${i}`))
    expect(list[0]?.openedMs).toBe(19)
    expect(await readdir(join(dir, 'deep/user'))).toEqual(['recent.json'])
    await a.remove('/p4')
    expect((await a.list())[0]?.path).toBe('/p3')
  })

  it('survive writes at the same time', async () => {
    const a = new Recents(dir)
    await Promise.all(Array.from({ length: 10 }, (_, i) => a.put(entry(`/p${i}`))))
    expect(await new Recents(dir).list()).toHaveLength(10)
  })

  it('a damaged file counts as empty or gives what is sound in it, and is replaced', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.array(fc.oneof(fc.anything(), fc.constant(entry('/good')))).map(l => JSON.stringify({ recents: l }) ?? ''),
        ),
        async text => {
          await writeFile(join(dir, 'recent.json'), text)
          const r = new Recents(dir)
          for (const e of await r.list()) expect(typeof e.path).toBe('string')
          await r.put(entry('/new'))
          expect((await new Recents(dir).list())[0]).toEqual(entry('/new'))
          JSON.parse(await readFile(join(dir, 'recent.json'), 'utf8'))
        },
      ),
      { numRuns: 60 },
    )
  })

  it('live as long as the program where nothing can be written', async () => {
    await writeFile(join(dir, 'file'), '')
    const r = new Recents(join(dir, 'file/not-a-folder'))
    await r.put(entry('/a'))
    await r.put(entry('/b'))
    expect((await r.list()).map(e => e.path)).toEqual(['/b', '/a'])
  })
})
