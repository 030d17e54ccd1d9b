import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Shifts } from './shifts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-shifts-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

describe('shifts by hand', () => {
  it('are there after a new start, exactly, and gone once taken away', async () => {
    const first = new Shifts(dir)
    await first.load()
    await first.set('/a/trace.json', -9_007_199_254_740_993n)
    await first.set('/b', 5n)
    await first.set('/b', 0n)
    const second = new Shifts(dir)
    await second.load()
    expect([second.of('/a/trace.json'), second.of('/b'), second.of('/c')]).toEqual([-9_007_199_254_740_993n, 0n, 0n])
  })

  it('take nothing from a damaged or foreign file, and write over it', async () => {
    for (const text of ['{', '[]', '{"shifts":[{"path":"/a","shiftNs":"1e9"},{"path":3},null,{"path":"/ok","shiftNs":"7"}]}']) {
      await writeFile(join(dir, 'alignment.json'), text)
      const shifts = new Shifts(dir)
      await shifts.load()
      expect(shifts.of('/a')).toBe(0n)
      expect(shifts.of('/ok')).toBe(text.includes('/ok') ? 7n : 0n)
      await shifts.set('/a', 1n)
      expect(JSON.parse(await readFile(join(dir, 'alignment.json'), 'utf8'))).toMatchObject({ version: 1 })
    }
  })

  it('live on where nothing can be written', async () => {
    await writeFile(join(dir, 'file'), '')
    const shifts = new Shifts(join(dir, 'file'))
    await shifts.set('/a', 3n)
    expect(shifts.of('/a')).toBe(3n)
  })
})
