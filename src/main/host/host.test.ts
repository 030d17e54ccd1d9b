import { appendFile, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  REQUESTS,
  RequestError,
  type Answers,
  type HostEvent,
  type RequestArgs,
  type RequestName,
  type RootState,
  type SessionView,
} from '../../shared/api'
import type { CatalogFile } from '../../shared/catalog'
import type { ReadResult } from '../../shared/reader'
import type { ParsedTable } from '../../shared/tables'
import { neffFixture } from '../../formats/neff/fixture'
import { ntffFixture } from '../../formats/ntff/fixture'
import { emptyTrace } from './fake-table'
import { fakeWorker, until, type FakeWorker } from './fake-worker'
import { createHost, type Host, type HostDeps } from './host'
import { serveParse } from './parse'
import type { EngineCall, EngineFile, EngineInit, EngineReply, ParseRequest, PortLike } from './protocol'

/** An engine that only keeps the books: which files it was given, at which version. */
function bookkeeper(port: PortLike, started: (init: EngineInit) => void, onQuery: (c: EngineCall) => void): void {
  let init: EngineInit = { session: '', version: 0, nextId: 0 }
  let version = 0
  const files = new Map<string, { file: EngineFile; count: number }>()
  port.on('message', message => {
    const c = message as EngineCall
    const answer = (r: Omit<EngineReply, 'call'>): void => port.postMessage({ call: c.call, ...r })
    const args = c.args as { file: EngineFile & string; prepared: { table: { count: number } } }
    switch (c.method) {
      case 'init':
        init = c.args as EngineInit
        version = init.version
        started(init)
        return
      case 'table':
        files.set(args.file.id, { file: args.file, count: args.prepared.table.count })
        break
      case 'failed':
      case 'drop':
        files.delete(args.file)
        break
      default:
        onQuery(c)
        answer({ ok: true, result: { version, method: c.method } } as never)
        return
    }
    version++
    const view = {
      session: init.session,
      version,
      groups: [],
      sources: [...files.values()].map(f => ({ path: f.file.path, events: f.count })),
      tracks: [],
      steps: [],
      allocators: [],
      diagnostics: [],
    }
    answer({ ok: true, result: { view, nextId: init.nextId + 10 } } as never)
  })
}

let dir = ''
let out = ''
let hosts: Host[] = []
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'nw-host-')))
  out = await realpath(await mkdtemp(join(tmpdir(), 'nw-host-out-')))
  hosts = []
})
afterEach(async () => {
  await Promise.all(hosts.map(h => h.close()))
  await rm(dir, { recursive: true, force: true })
  await rm(out, { recursive: true, force: true })
})

interface Setup {
  readonly deps?: Partial<HostDeps>
  readonly read?: (r: ParseRequest) => Promise<ReadResult<ParsedTable>>
  readonly onQuery?: (c: EngineCall) => void
}

async function setup({ deps = {}, read, onQuery = () => undefined }: Setup = {}) {
  const events: HostEvent[] = []
  const parsers: FakeWorker[] = []
  const engines: FakeWorker[] = []
  const inits: EngineInit[] = []
  const reads: string[] = []
  const host = createHost({
    version: '1.2.3',
    shell: 'desktop',
    notice: null,
    spawnParse: () => {
      const w = fakeWorker(port =>
        serveParse(port, async r => {
          reads.push(r.name)
          // A reading counts the file's bytes.
          return read ? read(r) : { table: emptyTrace((await import('node:fs')).statSync(r.path).size), diagnostics: [] }
        }),
      )
      parsers.push(w)
      return w
    },
    spawnEngine: () => {
      const w = fakeWorker(port => bookkeeper(port, i => inits.push(i), onQuery))
      engines.push(w)
      return w
    },
    roots: null,
    userDir: join(out, 'user'),
    makeSample: async () => {
      await mkdir(join(out, 'sample'), { recursive: true })
      await writeFile(join(out, 'sample/trace.json'), TRACE)
      return join(out, 'sample')
    },
    ...deps,
    tuning: { quietMs: 20, watch: { batchMs: 10, pollMs: 50 }, ...deps.tuning },
  })
  hosts.push(host)
  host.onEvent(e => events.push(e))
  const ask = <N extends RequestName>(name: N, args: RequestArgs<N>): Promise<Answers[N]> => host.handle(name, args) as Promise<Answers[N]>
  const root = async (): Promise<RootState> => {
    const r = await ask('root.get', {})
    if (!r) throw new Error('nothing is open')
    return r
  }
  const files = async (): Promise<readonly CatalogFile[]> => (await root()).catalog.sessions.flatMap(s => s.files)
  const scanned = (): Promise<void> => until(async () => !(await root()).scanning)
  /** Opens the root and its first session. */
  const openSession = async (path = dir): Promise<string> => {
    expect(await host.openPath(path)).toEqual({ opened: true, reason: null })
    await scanned()
    const session = (await root()).catalog.sessions[0]?.id ?? ''
    await ask('session.open', { session })
    return session
  }
  const view = (session: string): Promise<SessionView> => ask('session.view', { session })
  const sources = async (session: string): Promise<readonly string[]> => (await view(session)).sources.map(s => `${s.path}:${s.events}`)
  return { host, ask, root, files, scanned, openSession, view, sources, events, parsers, engines, inits, reads }
}

const TRACE = '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}'
const SESSION = 'i-0abc_pid_42/1700000000000000000'

async function writeSession(name = SESSION, root = dir): Promise<string> {
  await mkdir(join(root, name), { recursive: true })
  await writeFile(join(root, name, 'trace.json'), TRACE)
  return join(root, name, 'trace.json')
}

describe('NEFF and NTFF', () => {
  it('are read after what is drawn', async () => {
    const at = join(await writeSession(), '..')
    await writeFile(join(at, 'a.neff'), neffFixture())
    await writeFile(join(at, 'b.ntff'), ntffFixture())
    const { openSession, reads } = await setup({ deps: { tuning: { poolSize: 1 } } })
    await openSession()
    await until(() => reads.length === 3)
    expect(reads.map(r => r.slice(SESSION.length + 1))).toEqual(['trace.json', 'a.neff', 'b.ntff'])
  })

  it('are paired anew when a NEFF folder is added or taken away', async () => {
    const at = join(await writeSession(), '..')
    await writeFile(join(at, 'b.ntff'), ntffFixture({ nodes: ['ab'.repeat(16)] }))
    const cache = join(out, 'cache')
    await mkdir(cache)
    await writeFile(join(cache, 'm.neff'), neffFixture({ uuid: 'ab'.repeat(16) }))
    let picked: string | null = null
    const { host, ask, root, scanned } = await setup({ deps: { pick: async () => picked } })
    await host.openPath(dir)
    await scanned()
    const pair = async () => (await root()).catalog.sessions[0]?.pairs[0]
    expect(await pair()).toMatchObject({ verdict: 'missing-neff', neff: [] })
    expect(await ask('neff.pick', {})).toEqual({ kind: 'cancelled' })
    picked = join(cache, 'm.neff')
    await expect(ask('neff.pick', {})).rejects.toThrow(RequestError)
    picked = cache
    expect(await ask('neff.pick', {})).toEqual({ kind: 'added' })
    await until(async () => (await pair())?.verdict === 'paired')
    expect((await pair())?.neff).toEqual([join(cache, 'm.neff')])
    const [folder] = await ask('neff.folders', {})
    expect(folder).toMatchObject({ path: cache, there: true })
    await ask('neff.remove', { id: folder?.id ?? '' })
    await until(async () => (await pair())?.verdict === 'missing-neff')
    await expect(ask('neff.remove', { id: 'made-up' })).rejects.toThrow(RequestError)
  })

  it('in the browser a folder is added by the id of the picker', async () => {
    await writeSession()
    await mkdir(join(dir, 'cache'))
    const { ask } = await setup({ deps: { shell: 'browser', roots: [dir] } })
    expect(await ask('neff.pick', {})).toEqual({ kind: 'browse' })
    const roots = await ask('browse.list', { id: null })
    const inside = await ask('browse.list', { id: roots.entries[0]?.id ?? '' })
    await ask('neff.add', { id: inside.entries.find(e => e.name === 'cache')?.id ?? '' })
    expect((await ask('neff.folders', {})).map(f => f.path)).toEqual([join(dir, 'cache')])
    await expect(ask('neff.add', { id: 'made-up' })).rejects.toThrow(RequestError)
  })
})

describe('opening', () => {
  it('opens a folder, lists its sessions and remembers it', async () => {
    await writeSession()
    const { host, root, scanned, ask, events } = await setup()
    expect(await host.openPath(dir)).toEqual({ opened: true, reason: null })
    await scanned()
    const r = await root()
    expect(r.catalog.sessions).toMatchObject([{ instanceId: 'i-0abc', pid: 42, dir: SESSION, modes: ['framework'] }])
    expect(events.some(e => e.type === 'root')).toBe(true)
    await until(async () => (await ask('recent.list', {}))[0]?.detail === '1 session')
    const [recent] = await ask('recent.list', {})
    expect(recent).toMatchObject({ path: dir })
    await ask('root.close', {})
    expect(await ask('root.get', {})).toBeNull()
    expect(await ask('recent.open', { id: recent?.id ?? '' })).toEqual({ opened: true, reason: null })
    await rm(dir, { recursive: true })
    expect((await ask('recent.list', {}))[0]?.detail).toBe('not there at the moment')
    expect(await ask('recent.open', { id: recent?.id ?? '' })).toMatchObject({
      opened: false,
      reason: expect.stringMatching(/no longer there/),
    })
  })

  it('opens a single file', async () => {
    const file = await writeSession()
    const { openSession, sources, files } = await setup()
    const session = await openSession(file)
    expect(await files()).toHaveLength(1)
    await until(async () => (await sources(session)).length === 1)
    await appendFile(file, ' ')
    await until(async () => (await sources(session))[0] === `trace.json:${TRACE.length + 1}`)
  })

  it('refuses what is not there and keeps what is open', async () => {
    const { host, root } = await setup()
    await host.openPath(dir)
    expect(await host.openPath(join(dir, 'gone'))).toMatchObject({ opened: false, reason: expect.stringMatching(/no longer there/) })
    expect((await root()).catalog.root).toBe(dir)
  })

  it('opens the sample, and a picked folder; a cancelled dialog changes nothing', async () => {
    let picked: string | null = null
    const { ask, root, scanned } = await setup({ deps: { pick: async () => picked } })
    expect(await ask('sample.open', {})).toEqual({ opened: true, reason: null })
    await scanned()
    expect((await root()).catalog.sessions).toHaveLength(1)
    expect(await ask('folder.pick', { what: 'folder' })).toEqual({ kind: 'cancelled' })
    expect((await root()).catalog.root).toBe(join(out, 'sample'))
    picked = dir
    expect(await ask('folder.pick', { what: 'folder' })).toEqual({ kind: 'opened' })
    expect((await root()).catalog.root).toBe(dir)
    picked = join(dir, 'gone')
    await expect(ask('folder.pick', { what: 'folder' })).rejects.toThrow(RequestError)
  })

  it('says where it runs', async () => {
    const { ask } = await setup()
    expect(await ask('app.info', {})).toEqual({
      name: 'Neuron Workbench',
      version: '1.2.3',
      shell: 'desktop',
      notice: null,
      dialogs: false,
    })
    expect(await ask('folder.pick', { what: 'file' })).toEqual({ kind: 'browse' })
    await expect(ask('export.save', { name: 'a', data: new Uint8Array(1) })).rejects.toThrow(RequestError)
  })

  it('saves under a name without a path', async () => {
    const saved: string[] = []
    const { ask } = await setup({ deps: { save: async name => (saved.push(name), name) } })
    for (const name of ['a.png', '../../etc/x', 'C:\\a', '...', ''])
      expect(await ask('export.save', { name, data: new Uint8Array(1) })).toEqual({ saved: saved.at(-1) })
    expect(saved).toEqual(['a.png', '-..-etc-x', 'C-a', 'neuron-workbench.png', 'neuron-workbench.png'])
  })
})

describe('following the disk', () => {
  it('a session that is written into an empty folder appears, grows, settles and goes', async () => {
    const { host, root, scanned, files, events } = await setup()
    await host.openPath(dir)
    await scanned()
    expect((await root()).catalog.sessions).toEqual([])
    const before = (await root()).version
    const file = await writeSession()
    await until(async () => (await files()).length === 1)
    expect((await root()).version).toBeGreaterThan(before)
    expect((await files())[0]).toMatchObject({ state: 'growing' })
    await until(async () => (await files())[0]?.state === 'complete')
    const count = events.length
    await appendFile(file, '\n')
    await until(async () => (await files())[0]?.bytes === TRACE.length + 1)
    expect(events.length).toBeGreaterThan(count)
    await rm(join(dir, 'i-0abc_pid_42'), { recursive: true })
    await until(async () => (await root()).catalog.sessions.length === 0)
  })

  it('a changed or replaced file is read again, a new one too, and a removed one takes its table along', async () => {
    const file = await writeSession()
    const { openSession, sources, view } = await setup()
    const session = await openSession()
    const name = `${SESSION}/trace.json`
    await until(async () => (await sources(session))[0] === `${name}:${TRACE.length}`)
    const { version } = await view(session)
    await appendFile(file, '   ')
    await until(async () => (await sources(session))[0] === `${name}:${TRACE.length + 3}`)
    expect((await view(session)).version).toBeGreaterThan(version)
    await writeFile(`${file}.part`, TRACE + ' '.repeat(9))
    await rename(`${file}.part`, file)
    await until(async () => (await sources(session))[0] === `${name}:${TRACE.length + 9}`)
    await writeFile(join(dir, SESSION, 'b.pt.trace.json'), TRACE)
    await until(async () => (await sources(session)).length === 2)
    await rm(file)
    await until(async () => (await sources(session)).join() === `${SESSION}/b.pt.trace.json:${TRACE.length}`)
  })

  it('a file that is written all the time is read in between', async () => {
    const file = await writeSession()
    const { openSession, sources } = await setup({ deps: { tuning: { quietMs: 10 } } })
    const session = await openSession()
    let on = true
    const writer = (async () => {
      while (on) {
        await appendFile(file, ' ')
        await new Promise(r => setTimeout(r, 5))
      }
    })()
    const events = async (): Promise<number> => Number((await sources(session))[0]?.split(':')[1] ?? 0)
    await until(async () => (await events()) > TRACE.length + 1)
    on = false
    await writer
    const { size } = (await import('node:fs')).statSync(file)
    await until(async () => (await events()) === size)
  })

  it('the opened root may go and come back', async () => {
    const root = join(dir, 'root')
    await writeSession(SESSION, root)
    const { host, root: state, scanned, files } = await setup()
    await host.openPath(root)
    await scanned()
    expect(await files()).toHaveLength(1)
    await rm(root, { recursive: true })
    await until(async () => (await state()).catalog.diagnostics[0]?.code === 'root-unreadable')
    expect(await files()).toEqual([])
    await writeSession(SESSION, root)
    await until(async () => (await files()).length === 1)
  })

  it('opening another root drops the first one, its sessions and its ids', async () => {
    await writeSession()
    await mkdir(join(out, 'other'))
    const { host, openSession, ask, engines, scanned } = await setup()
    const session = await openSession()
    await host.openPath(join(out, 'other'))
    await scanned()
    await expect(ask('session.view', { session })).rejects.toThrow(RequestError)
    await expect(ask('session.open', { session })).rejects.toThrow(RequestError)
    expect(engines.every(e => e.ended)).toBe(true)
  })
})

describe('jobs', () => {
  it('a failed file says why, in the view and in the tree, and is read again on request', async () => {
    await writeSession()
    let good = false
    const d = { severity: 'error', code: 'x', file: 'f', offset: 7, message: 'bad byte', meaning: '', action: '', count: 1 } as const
    const { openSession, view, files, ask } = await setup({
      read: async () => (good ? { table: emptyTrace(4), diagnostics: [] } : { table: null, diagnostics: [d] }),
    })
    const session = await openSession()
    await until(async () => (await view(session)).jobs[0]?.state === 'failed')
    expect((await view(session)).jobs[0]?.note).toBe('bad byte')
    await until(async () => (await files())[0]?.state !== 'growing')
    expect((await files())[0]?.state).toBe('unreadable')
    good = true
    await ask('file.retry', { session, file: (await files())[0]?.id ?? '' })
    await until(async () => (await view(session)).sources.length === 1)
    expect((await files())[0]).toMatchObject({ state: 'complete', facts: { events: 4 } })
    await expect(ask('file.retry', { session, file: 'nope' })).rejects.toThrow(RequestError)
  })

  it('a cancelled file stays unread until it is asked for; job events tell', async () => {
    const file = await writeSession()
    let go: () => void = () => undefined
    const { openSession, view, files, ask, events, reads } = await setup({
      read: () => new Promise(r => (go = () => r({ table: emptyTrace(1), diagnostics: [] }))),
    })
    const session = await openSession()
    await until(() => reads.length === 1)
    const job = (await view(session)).jobs[0]?.id ?? ''
    await ask('job.cancel', { job })
    await ask('job.cancel', { job }) // over already: not an error
    expect((await view(session)).jobs[0]?.state).toBe('cancelled')
    expect(events.some(e => e.type === 'job' && e.job.id === job && e.job.state === 'cancelled')).toBe(true)
    await expect(ask('job.cancel', { job: 'job-999' })).rejects.toThrow(RequestError)
    const version = (await files())[0]?.bytes
    await appendFile(file, ' ')
    await until(async () => (await files())[0]?.bytes !== version)
    expect(reads).toHaveLength(1)
    await ask('file.retry', { session, file: (await files())[0]?.id ?? '' })
    await until(() => reads.length === 2)
    go()
    await until(async () => (await view(session)).sources.length === 1)
  })
})

describe('the engine', () => {
  it('is rebuilt from the files when it dies: notice, new version, no old ids, requests in flight refused', async () => {
    await writeSession()
    let hold = false
    const { openSession, view, ask, engines, inits, sources } = await setup({
      onQuery: () => {
        if (hold) engines[0]?.crash(new Error('boom'))
      },
    })
    const session = await openSession()
    await until(async () => (await sources(session)).length === 1)
    const { version } = await view(session)
    hold = true
    const query = ask('trace.overview', { session, group: 0, width: 10 })
    await expect(query).rejects.toThrow(/ended unexpectedly/)
    hold = false
    const after = await view(session)
    expect(after.notice).toMatch(/boom/)
    expect(after.sources).toEqual([])
    expect(after.version).toBeGreaterThan(version)
    await until(async () => (await view(session)).notice === null)
    expect(await sources(session)).toHaveLength(1)
    expect(inits[1]).toMatchObject({ session, version: after.version, nextId: 10 })
    expect(await ask('trace.overview', { session, group: 0, width: 10 })).toMatchObject({ version: (await view(session)).version })
  })

  it('is not rebuilt for ever: it stops, says so, and starts again when the session is opened again', async () => {
    await writeSession()
    const { openSession, view, ask, engines, sources } = await setup()
    const session = await openSession()
    for (let i = 0; i < 4; i++) {
      await until(async () => (await sources(session)).length === 1)
      engines.at(-1)?.crash(new Error(`boom ${i}`))
    }
    expect((await view(session)).notice).toMatch(/again and again.*boom 3/)
    expect(engines).toHaveLength(4)
    await expect(ask('trace.overview', { session, group: 0, width: 10 })).rejects.toThrow(RequestError)
    await ask('session.open', { session })
    await until(async () => (await sources(session)).length === 1 && (await view(session)).notice === null)
  })

  it('blames the file of whose table it died and shows the others', async () => {
    await writeSession()
    await writeFile(join(dir, SESSION, 'bad.pt.trace.json'), TRACE)
    const engines: FakeWorker[] = []
    const { openSession, view, sources } = await setup({
      deps: {
        spawnEngine: () => {
          const w: FakeWorker = fakeWorker(port =>
            bookkeeper(
              {
                postMessage: (m, t) => port.postMessage(m, t),
                on: (e, l) =>
                  port.on(e, message => {
                    const c = message as EngineCall
                    if (c.method === 'table' && (c.args as { file: EngineFile }).file.path.includes('bad')) w.crash(new Error('boom'))
                    else l(c)
                  }),
              },
              () => undefined,
              () => undefined,
            ),
          )
          engines.push(w)
          return w
        },
      },
    })
    const session = await openSession()
    await until(async () => engines.length === 2 && (await view(session)).notice === null && (await sources(session)).length === 1)
    expect(await sources(session)).toEqual([`${SESSION}/trace.json:${TRACE.length}`])
    expect(engines).toHaveLength(2)
  })

  it('keeps the sessions used last; one that was put away is opened again with higher versions', async () => {
    for (let i = 0; i < 3; i++) await writeSession(`i-0_pid_${i}/1700000000000000000`)
    const { host, scanned, root, ask, engines, inits, sources, view } = await setup({ deps: { tuning: { keepSessions: 2, quietMs: 10 } } })
    await host.openPath(dir)
    await scanned()
    const [a, b, c] = (await root()).catalog.sessions.map(s => s.id) as [string, string, string]
    await ask('session.open', { session: a })
    await until(async () => (await sources(a)).length === 1)
    const { version } = await view(a)
    await ask('session.open', { session: b })
    await ask('session.open', { session: c })
    await until(() => engines[0]?.ended === true)
    await expect(ask('session.view', { session: a })).rejects.toThrow(RequestError)
    await ask('session.open', { session: a })
    await until(async () => (await sources(a)).length === 1)
    expect(inits.at(-1)?.version).toBeGreaterThan(version)
    await expect(ask('session.view', { session: b })).rejects.toThrow(RequestError)
    await ask('session.view', { session: c })
  })
})

describe('served roots', () => {
  const served = () => setup({ deps: { shell: 'browser', roots: [join(dir, 'served')] } })
  beforeEach(() => writeSession(SESSION, join(dir, 'served')))

  it('lists and opens what lies below them, by ids only', async () => {
    const { ask, scanned, root } = await served()
    const roots = await ask('browse.list', { id: null })
    expect(roots).toMatchObject({ folder: null, entries: [{ name: join(dir, 'served'), type: 'folder' }] })
    const top = await ask('browse.list', { id: roots.entries[0]?.id ?? '' })
    expect(top).toMatchObject({ folder: { parent: null }, entries: [{ name: 'i-0abc_pid_42' }] })
    const inside = await ask('browse.list', { id: top.entries[0]?.id ?? '' })
    expect(inside.folder?.parent).toBe(roots.entries[0]?.id)
    const files = await ask('browse.list', { id: inside.entries[0]?.id ?? '' })
    expect(files.entries).toMatchObject([{ name: 'trace.json', type: 'file', bytes: TRACE.length }])
    expect(await ask('browse.open', { id: files.entries[0]?.id ?? '' })).toEqual({ opened: true, reason: null })
    await scanned()
    expect((await root()).catalog.sessions).toHaveLength(1)
    for (const id of [dir, '/', '..', '../..', 'x', `${inside.folder?.id}/..`]) {
      await expect(ask('browse.list', { id })).rejects.toThrow(RequestError)
      await expect(ask('browse.open', { id })).rejects.toThrow(RequestError)
    }
  })

  it('refuses paths outside, also with a common prefix, and links that lead out', async () => {
    const { host, ask } = await served()
    await mkdir(join(dir, 'served2'))
    await writeSession('secret', dir)
    await symlink(join(dir, 'secret'), join(dir, 'served/way-out'))
    await symlink(join(dir, 'secret/trace.json'), join(dir, 'served/trace.json'))
    for (const p of [
      dir,
      join(dir, 'served2'),
      join(dir, 'served/way-out'),
      join(dir, 'served/trace.json'),
      join(dir, 'served/../secret'),
      '/',
    ])
      expect(await host.openPath(p)).toMatchObject({ opened: false, reason: expect.stringMatching(/outside the served/) })
    const top = await ask('browse.list', { id: (await ask('browse.list', { id: null })).entries[0]?.id ?? '' })
    expect(top.entries.map(e => e.name)).toEqual(['i-0abc_pid_42'])
    expect(top.cut).toMatch(/2 entries are not listed/)
  })

  it('checks again at each opening: a listed folder or catalogued file that became a link is refused', async () => {
    await writeSession('secret', dir)
    const { host, ask, scanned, root, view } = await served()
    const top = await ask('browse.list', { id: (await ask('browse.list', { id: null })).entries[0]?.id ?? '' })
    await host.openPath(join(dir, 'served'))
    await scanned()
    const session = (await root()).catalog.sessions[0]?.id ?? ''
    // The walk saw a file; now its folder is a link. The reading starts before the watcher can tell.
    await rename(join(dir, 'served/i-0abc_pid_42'), join(dir, 'moved'))
    await symlink(join(dir, 'moved'), join(dir, 'served/i-0abc_pid_42'))
    const opened = await ask('session.open', { session }).catch(() => null)
    if (opened) {
      await until(async () => {
        const v = await view(session).catch(() => null)
        return v === null || v.jobs[0]?.state === 'failed'
      })
    }
    expect(await ask('browse.open', { id: top.entries[0]?.id ?? '' })).toMatchObject({ opened: false })
    await expect(ask('browse.list', { id: top.entries[0]?.id ?? '' })).rejects.toThrow(/outside the served/)
  })

  it('a served root that is replaced by a link shows nothing any more', async () => {
    const { host, root, scanned, files } = await served()
    await host.openPath(join(dir, 'served'))
    await scanned()
    expect(await files()).toHaveLength(1)
    await rename(join(dir, 'served'), join(dir, 'moved'))
    await mkdir(join(dir, 'served'))
    await rm(join(dir, 'served'), { recursive: true })
    await symlink(join(dir, 'moved'), join(dir, 'served'))
    await until(async () => (await files()).length === 0)
    await until(async () => (await root()).catalog.diagnostics[0]?.code === 'root-unreadable')
  })

  it('names only recents below them', async () => {
    const free = await setup()
    await writeSession('elsewhere', dir)
    await free.host.openPath(join(dir, 'elsewhere'))
    await free.scanned()
    await free.host.openPath(join(dir, 'served'))
    await free.scanned()
    await until(async () => (await free.ask('recent.list', {})).filter(r => r.detail !== '').length === 2)
    const { ask } = await served()
    expect((await ask('recent.list', {})).map(r => r.path)).toEqual([join(dir, 'served')])
  })
})

describe('requests of the outside world', () => {
  it('whatever is sent is answered or refused with a RequestError', async () => {
    await writeSession()
    const { host, openSession, view, files, sources } = await setup()
    const session = await openSession()
    await until(async () => (await sources(session)).length === 1)
    const ids = [session, (await files())[0]?.id ?? '', (await view(session)).jobs[0]?.id ?? '', 'x', '../..', '__proto__']
    const id = fc.constantFrom(...ids)
    const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, -1, 2 ** 32, 2 ** 53, NaN, Infinity))
    const value = fc.oneof(
      id,
      number,
      fc.boolean(),
      fc.constant(null),
      fc.array(number, { maxLength: 4 }),
      fc.constantFrom('time', 'event'),
    )
    const keys = [
      'session',
      'id',
      'job',
      'file',
      'tracks',
      'start',
      'end',
      'width',
      'group',
      'source',
      'row',
      'allocator',
      'axis',
      'at',
      'what',
    ]
    const args = fc.oneof(
      fc.anything(),
      fc.dictionary(fc.constantFrom(...keys), value),
      // Arguments with the right keys, so that some come through.
      fc.record({ session: id, tracks: fc.array(fc.nat(9)), start: number, end: number, width: fc.integer({ min: 1, max: 99 }) }),
      fc.record({ session: id }),
      fc.record({ id }),
      fc.constant({}),
    )
    // The dialogs and the sample would change what is open; they have tests of their own.
    const names = Object.keys(REQUESTS).filter(n => n !== 'sample.open' && n !== 'root.close')
    const name = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: fc.anything() })
    let answered = 0
    await fc.assert(
      fc.asyncProperty(name, args, async (n, a) => {
        try {
          await host.handle(n, a)
          answered++
        } catch (e) {
          expect(e).toBeInstanceOf(RequestError)
        }
      }),
      { numRuns: 2000 },
    )
    expect(answered).toBeGreaterThan(20)
    expect(await view(session)).toMatchObject({ session })
  })

  it('windows without extent are refused before the engine sees them', async () => {
    await writeSession()
    const { openSession, ask } = await setup()
    const session = await openSession()
    await expect(ask('trace.slices', { session, tracks: [], start: 5, end: 5, width: 10 })).rejects.toThrow(/window is empty/)
    await expect(ask('trace.slices', { session, tracks: [], start: 5, end: 4, width: 10 })).rejects.toThrow(/window is empty/)
  })

  it('refuses everything once closed', async () => {
    const { host, ask } = await setup()
    await host.openPath(dir)
    await host.close()
    await expect(ask('root.get', {})).rejects.toThrow(RequestError)
    expect(await host.openPath(dir)).toMatchObject({ opened: false })
    await host.close()
  })
})
