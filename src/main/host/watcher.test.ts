import { EventEmitter } from 'node:events'
import { appendFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FSWatcher, watch } from 'chokidar'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { until } from './fake-worker'
import { RootWatcher, type WatcherOptions } from './watcher'

let dir = ''
let open: RootWatcher[] = []
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'nw-watch-'))
  open = []
})
afterEach(async () => {
  await Promise.all(open.map(w => w.close()))
  await rm(dir, { recursive: true, force: true })
})

async function start(options: Partial<WatcherOptions> = {}) {
  const seen = { looks: 0, notices: [] as (string | null)[] }
  const watcher = new RootWatcher({
    root: dir,
    depth: 4,
    ignored: () => false,
    look: async () => void seen.looks++,
    onNotice: n => seen.notices.push(n),
    ...options,
  })
  open.push(watcher)
  await watcher.start()
  return {
    watcher,
    seen,
    next: async (work: () => Promise<unknown>) => {
      const before = seen.looks
      await work()
      await until(() => seen.looks > before)
    },
  }
}

describe('the watcher of a root', () => {
  it('looks again after files and folders appear, grow, move and go', async () => {
    const { next } = await start()
    await next(() => mkdir(join(dir, 'a/b'), { recursive: true }))
    await next(() => writeFile(join(dir, 'a/b/trace.json'), '['))
    await next(() => appendFile(join(dir, 'a/b/trace.json'), '{}'))
    await next(() => rename(join(dir, 'a/b/trace.json'), join(dir, 'a/b/t2.json')))
    await next(() => rm(join(dir, 'a'), { recursive: true }))
  })

  it('makes one look of a burst, and the next look waits for the one before', async () => {
    let running = 0
    let most = 0
    let looks = 0
    const { watcher } = await start({
      look: async () => {
        looks++
        most = Math.max(most, ++running)
        await new Promise(r => setTimeout(r, 30))
        running--
      },
    })
    for (let i = 0; i < 200; i++) watcher.nudge()
    await until(() => looks === 1)
    for (let i = 0; i < 200; i++) watcher.nudge()
    await until(() => looks === 2)
    await until(() => running === 0)
    expect(most).toBe(1)
    expect(looks).toBe(2)
  })

  it('a single file as root is followed, also when another one takes its place', async () => {
    const file = join(dir, 'trace.json')
    await writeFile(file, '[')
    const { next } = await start({ root: file })
    await next(() => appendFile(file, '{}'))
    await next(async () => {
      await writeFile(`${file}.new`, '[]')
      await rename(`${file}.new`, file)
    })
    await next(() => appendFile(file, ' '))
  })

  it('survives that the root goes, and sees what happens in it when it is back', async () => {
    const root = join(dir, 'root')
    await mkdir(root)
    const { next } = await start({ root, pollMs: 20 })
    await next(() => rm(root, { recursive: true }))
    await next(() => mkdir(root))
    // Set up anew at some look after that; a file that is written all the time is seen at last by the system's watch, not by the clock.
    await next(() => writeFile(join(root, 'x'), '1'))
    await next(() => appendFile(join(root, 'x'), '2'))
  })

  it.each(['ENOSPC', 'EMFILE', 'ENOSYS'])(
    'falls back to looking by the clock and says so when the system has no watches (%s)',
    async code => {
      const fake = () => {
        const w = Object.assign(new EventEmitter(), { close: async () => undefined })
        queueMicrotask(() => w.emit('error', Object.assign(new Error(code), { code })))
        return w as unknown as FSWatcher
      }
      const { seen } = await start({ watch: fake as unknown as typeof watch, pollMs: 10 })
      expect(seen.notices.at(-1)).toMatch(/looked at every second/)
      await until(() => seen.looks > 3)
    },
  )

  it('says nothing when all is well, and is silent once closed', async () => {
    const { watcher, seen, next } = await start()
    expect(seen.notices.filter(n => n !== null)).toEqual([])
    await next(() => writeFile(join(dir, 'x'), '1'))
    await watcher.close()
    const { looks } = seen
    watcher.nudge()
    await writeFile(join(dir, 'y'), '1')
    await new Promise(r => setTimeout(r, 300))
    expect(seen.looks).toBe(looks)
  })
})
