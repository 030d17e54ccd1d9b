import { mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Job } from '../../shared/api'
import type { CheckedFile, ReadOptions, ReadResult } from '../../shared/reader'
import type { ParsedTable, TraceTable } from '../../shared/tables'
import { fileSource } from '../../formats/source'
import { identify } from './confine'
import { emptyTrace as table } from './fake-table'
import { fakeWorker, until, type FakeWorker } from './fake-worker'
import { serveParse } from './parse'
import { ParsePool, type ParseOutcome } from './pool'
import type { ParseRequest } from './protocol'

let dir = ''
let file = ''
let at: CheckedFile = { path: '', dev: '', ino: '' }
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-pool-')))
  file = join(dir, 'trace.json')
  await writeFile(file, '[]')
  at = await identify(file)
})
afterEach(() => rm(dir, { recursive: true, force: true }))

type Read = (r: ParseRequest, o: ReadOptions) => Promise<ReadResult<ParsedTable>>

function setup(read: Read, size = 2) {
  const workers: FakeWorker[] = []
  const jobs: Job[] = []
  const pool = new ParsePool({
    spawn: () => {
      const w = fakeWorker(port => serveParse(port, read))
      workers.push(w)
      return w
    },
    size,
    onJob: j => jobs.push(j),
  })
  const add = (name: string, session = 's', resolve: () => Promise<CheckedFile> = async () => at) => {
    let done: (o: ParseOutcome) => void = () => undefined
    const outcome = new Promise<ParseOutcome>(r => (done = r))
    const job = pool.add({ session, file: name, path: name, kind: 'chrome-trace', bytes: 2, resolve, finished: done })
    return { id: job.id, outcome }
  }
  return { pool, workers, jobs, add, states: (id: string) => jobs.filter(j => j.id === id).map(j => j.state) }
}

/** A reader whose readings wait until they are let go. */
function gate() {
  const waiting = new Map<string, () => void>()
  const started: string[] = []
  const read: Read = r =>
    new Promise(ok => {
      started.push(r.name)
      waiting.set(r.name, () => ok({ table: table(1), diagnostics: [] }))
    })
  return { read, started, letGo: (name: string) => waiting.get(name)?.() }
}

describe('the pool of parse workers', () => {
  it('hands over the table of a file and tells each state once', async () => {
    const { pool, add, states } = setup(async () => ({ table: table(3), diagnostics: [] }))
    const { id, outcome } = add('a')
    const o = await outcome
    expect(o).toMatchObject({ state: 'done', stamp: { bytes: 2 }, at: { path: file } })
    expect(o.state === 'done' && o.prepared.kind === 'chrome-trace' && o.prepared.table.phase).toEqual(new Uint8Array([88, 88, 88]))
    expect([...new Set(states(id))]).toEqual(['queued', 'reading', 'done'])
    await pool.close()
  })

  it('moves the buffers instead of copying them', async () => {
    const given: TraceTable[] = []
    const { pool, add } = setup(async () => {
      const t = table(1000)
      given.push(t)
      return { table: t, diagnostics: [] }
    })
    await add('a').outcome
    expect(given[0]?.ts.byteLength).toBe(0)
    await pool.close()
  })

  it('reads at most so many files at a time, those of the preferred session first', async () => {
    const g = gate()
    const { pool, add, workers } = setup(g.read, 2)
    pool.prefer('b')
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map(n => ({ n, ...add(n, n[0]) }))
    await until(() => g.started.length === 2)
    expect([...g.started].sort()).toEqual(['b1', 'b2']) // two threads: which of them says so first is theirs
    for (const n of ['b1', 'b2', 'b3', 'a1', 'a2', 'a3']) {
      await until(() => g.started.includes(n))
      g.letGo(n)
      await all.find(a => a.n === n)?.outcome
    }
    expect(g.started).toEqual(['b1', 'b2', 'b3', 'a1', 'a2', 'a3'])
    expect(workers).toHaveLength(2)
    await pool.close()
  })

  it('cancels a reading job by ending its thread, and the next one runs', async () => {
    const g = gate()
    const { pool, add, workers, states } = setup(g.read, 1)
    const a = add('a')
    const b = add('b')
    await until(() => g.started.includes('a'))
    expect(pool.cancel(a.id)).toBe(true)
    expect(await a.outcome).toEqual({ state: 'cancelled' })
    expect(workers[0]?.ended).toBe(true)
    await until(() => g.started.includes('b'))
    g.letGo('b')
    expect((await b.outcome).state).toBe('done')
    expect(states(a.id).at(-1)).toBe('cancelled')
    expect(pool.cancel(a.id)).toBe(false)
    expect(pool.knows(a.id)).toBe(true)
    expect(pool.knows('job-99')).toBe(false)
    await pool.close()
  })

  it('cancels a queued job without starting it', async () => {
    const g = gate()
    const { pool, add } = setup(g.read, 1)
    add('a')
    const b = add('b')
    await until(() => g.started.includes('a'))
    pool.cancel(b.id)
    expect((await b.outcome).state).toBe('cancelled')
    g.letGo('a')
    await pool.close()
    expect(g.started).toEqual(['a'])
  })

  it.each([
    [Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }), 'reader-out-of-memory'],
    [new Error('boom'), 'reader-crashed'],
  ])('makes a diagnostic of a thread that dies (%s), and the rest goes on', async (error, code) => {
    const g = gate()
    const { pool, add, workers } = setup(g.read, 1)
    const a = add('a')
    const b = add('b')
    await until(() => g.started.includes('a'))
    workers[0]?.crash(error)
    const o = await a.outcome
    expect(o).toMatchObject({ state: 'failed', diagnostics: [{ code, file: 'a', severity: 'error' }] })
    await until(() => g.started.includes('b'))
    g.letGo('b')
    expect((await b.outcome).state).toBe('done')
    await pool.close()
  })

  it('makes diagnostics of readers that throw, files that are gone and paths that are refused', async () => {
    const { pool, add } = setup(async () => {
      throw new Error('a bug')
    })
    expect(await add('a').outcome).toMatchObject({ state: 'failed', diagnostics: [{ code: 'reader-failed' }] })
    expect(await add('b', 's', async () => ({ ...at, path: join(dir, 'gone') })).outcome).toMatchObject({
      state: 'failed',
      diagnostics: [{ code: 'file-unreadable' }],
    })
    expect(await add('c', 's', () => Promise.reject(new Error('outside'))).outcome).toMatchObject({
      state: 'failed',
      diagnostics: [{ code: 'file-unreadable', message: 'outside' }],
    })
    await pool.close()
  })

  it('a reader without a table fails the job with the words of its first error', async () => {
    const d = { severity: 'error', code: 'x', file: 'a', offset: 3, message: 'not a trace', meaning: '', action: '', count: 1 } as const
    const { pool, add, jobs } = setup(async () => ({ table: null, diagnostics: [d] }))
    expect(await add('a').outcome).toMatchObject({ state: 'failed', diagnostics: [d], stamp: { bytes: 2 } })
    expect(jobs.at(-1)).toMatchObject({ state: 'failed', note: 'not a trace' })
    await pool.close()
  })

  it('tells progress no more often than the window can use', async () => {
    const { pool, add, jobs } = setup(async (_r, o) => {
      for (let i = 0; i < 1000; i++) o.onProgress?.(i, 1000, 'events')
      return { table: table(1), diagnostics: [] }
    })
    await add('a').outcome
    const told = jobs.filter(j => j.state === 'reading' && j.note === 'events')
    expect(told.length).toBeGreaterThan(0)
    expect(told.length).toBeLessThan(1000)
    await pool.close()
  })

  it('closing cancels everything and ends all threads', async () => {
    const g = gate()
    const { pool, add, workers } = setup(g.read, 2)
    const all = ['a', 'b', 'c'].map(n => add(n))
    await until(() => g.started.length === 2)
    await pool.close()
    expect((await Promise.all(all.map(a => a.outcome))).map(o => o.state)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(workers.every(w => w.ended)).toBe(true)
  })

  it('opens nothing that took the place of a file after it was checked', async () => {
    const secret = join(dir, 'secret')
    await writeFile(secret, 'secret')
    // As the thread reads: the request says which file it has to be.
    const { pool, add } = setup(async r => {
      const source = await fileSource(r.path, r.name, undefined, r.at)
      await source.close()
      return { table: table(1), diagnostics: [] }
    })
    expect((await add('whole').outcome).state).toBe('done')
    const swapped = await add('swapped', 's', async () => {
      const found = await identify(file)
      await rm(file)
      await symlink(secret, file)
      return found
    }).outcome
    expect(swapped.state === 'failed' && swapped.diagnostics[0]).toMatchObject({
      code: 'file-unreadable',
      message: 'The file cannot be read: something else took its place while it was opened.',
    })
    await pool.close()
  })
})
