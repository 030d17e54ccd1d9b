import { mkdtemp, realpath, rm, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { exampleSnapshot, snapshotBytes } from '../../formats/memory-snapshot/fixture'
import { RequestError, type Answers, type RequestArgs, type RequestName } from '../../shared/api'
import type { Verification, VerifyRow } from '../../shared/verify'
import { fakeWorker, until, type FakeWorker } from './fake-worker'
import { createHost, type HostDeps } from './host'
import { serveParse } from './parse'
import type { VerifyRequest } from './protocol'
import { Verifier } from './verifier'
import { NotVerifiable, serveVerify } from './verify'

const row = (verdict: VerifyRow['verdict']): VerifyRow => ({ device: 0, figure: 'events', ours: 1, second: 1, verdict, reason: null })
const answer = (rows: readonly VerifyRow[] = [row('equal')]): Verification => ({ verdict: 'equal', reader: 'x', rows, limits: [] })

function verifier(work: (r: VerifyRequest) => Promise<Verification>) {
  const workers: FakeWorker[] = []
  const v = new Verifier(() => {
    const w = fakeWorker(port => serveVerify(port, work))
    workers.push(w)
    return w
  })
  return { v, workers }
}
const request = { path: '/a', at: { path: '/a', dev: '1', ino: '1' }, name: 'a' }
const never = () => new Promise<Verification>(() => undefined)

describe('a verification', () => {
  it('answers, ends its thread, and can be asked again', async () => {
    const { v, workers } = verifier(() => Promise.resolve(answer()))
    expect(await v.run('k', request)).toEqual(answer())
    expect(workers.map(w => w.ended)).toEqual([true])
    expect(await v.run('k', request)).toEqual(answer())
  })

  it('is one: the same file joins it, another one is refused, cancel ends the thread', async () => {
    const { v, workers } = verifier(never)
    const a = v.run('k', request)
    const b = v.run('k', request)
    expect(() => v.run('other', request)).toThrow(RequestError)
    v.cancel('other')
    expect(workers[0]?.ended).toBe(false)
    v.cancel('k')
    expect(await Promise.all([a, b])).toEqual([null, null])
    expect([workers.length, workers[0]?.ended]).toEqual([1, true])
    v.cancel('k')
    void v.run('other', request)
    v.close()
    expect(workers[1]?.ended).toBe(true)
  })

  it('tells why there is no answer: a file that cannot be verified, a thread that dies, no memory', async () => {
    await expect(verifier(() => Promise.reject(new NotVerifiable('Because.'))).v.run('k', request)).rejects.toThrow(/^Because\.$/)
    await expect(verifier(() => Promise.reject(new Error('oops'))).v.run('k', request)).rejects.toThrow(/^The verification failed: oops$/)
    for (const [error, text] of [
      [new Error('boom'), /ended unexpectedly: boom/],
      [Object.assign(new Error('x'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }), /ran out of memory/],
    ] as const) {
      const { v, workers } = verifier(never)
      const run = v.run('k', request)
      workers[0]?.crash(error)
      await expect(run).rejects.toThrow(text)
      await expect(run).rejects.toThrow(RequestError)
    }
    expect(() => new Verifier(undefined).run('k', request)).toThrow(/cannot verify/)
  })

  it('bounds its answer; what differs is in it', async () => {
    const many = [...new Array<VerifyRow>(3000).fill(row('equal')), row('differs')]
    const { v } = verifier(() => Promise.resolve(answer(many)))
    const a = await v.run('k', request)
    expect(a?.rows.length).toBe(2000)
    expect(a?.rows[0]).toEqual(row('differs'))
    expect(a?.limits[0]).toContain('1,001 rows')
  })
})

describe('over the contract', () => {
  let dir = ''
  beforeEach(async () => {
    dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-verify-')))
  })
  afterEach(async () => rm(dir, { recursive: true, force: true }))

  it('names the file by its ids; anything else is refused', async () => {
    const folder = join(dir, 'root/i-0abc_pid_42/1700000000000000000')
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, 'memory_snapshot.pickle'), snapshotBytes(exampleSnapshot()))
    await writeFile(join(folder, 'trace.json'), '{"traceEvents":[]}')
    const asked: VerifyRequest[] = []
    const deps: HostDeps = {
      version: '1',
      shell: 'desktop',
      notice: null,
      spawnParse: () => fakeWorker(port => serveParse(port, () => Promise.resolve({ table: null, diagnostics: [] }))),
      spawnEngine: () => fakeWorker(() => undefined),
      spawnVerify: () =>
        fakeWorker(port =>
          serveVerify(port, r => {
            asked.push(r)
            return Promise.resolve(answer())
          }),
        ),
      roots: null,
      userDir: join(dir, 'user'),
      makeSample: () => Promise.reject(new Error('none')),
    }
    const host = createHost(deps)
    const ask = <N extends RequestName>(name: N, args: RequestArgs<N>): Promise<Answers[N]> =>
      host.handle(name, args) as Promise<Answers[N]>
    await host.openPath(join(dir, 'root'))
    await until(async () => (await ask('root.get', {}))?.scanning === false)
    const [session] = (await ask('root.get', {}))?.catalog.sessions ?? []
    if (!session) throw new Error('no session')
    const id = (kind: string): string => session.files.find(f => f.kind === kind)?.id ?? ''
    const args = { session: session.id, file: id('memory-snapshot') }
    await expect(ask('memory.verify', args)).rejects.toThrow(/not open/)
    await ask('session.open', { session: session.id })
    expect(await ask('memory.verify', args)).toEqual(answer())
    const path = join(folder, 'memory_snapshot.pickle')
    expect(asked).toMatchObject([{ path, at: { path }, name: expect.stringContaining('memory_snapshot.pickle') as unknown }])
    expect(await ask('memory.verifyCancel', args)).toBeNull()
    for (const bad of [
      { ...args, file: id('chrome-trace') },
      { ...args, file: 'x' },
      { ...args, session: 'x' },
    ])
      await expect(ask('memory.verify', bad)).rejects.toThrow(RequestError)
    expect(asked.length).toBe(1)
    await host.close()
  })
})
