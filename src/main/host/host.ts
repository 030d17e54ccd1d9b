/**
 * The host: opens folders, follows them, reads their sessions and answers the requests of the API contract. Both shells make one and carry requests and
 * events to it; it knows of neither. Requests name things by ids that were handed out here; whatever is unknown, stale or forbidden is a RequestError.
 */
import { access, constants, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { checkRequest, RequestError, type AppInfo, type HostEvent } from '../../shared/api'
import type { CheckedFile } from '../../shared/reader'
import { Browse } from './browse'
import { accessReason, Confinement, identify, isBelow } from './confine'
import { discovery, knownName } from './discovery'
import { makeHandlers, type Handlers } from './handlers'
import { PathIds } from './ids'
import { NeffFolders } from './neff-folders'
import { ParsePool } from './pool'
import type { WorkerLike } from './protocol'
import { OpenRoot } from './root'
import { Sessions } from './sessions'
import { Schemas } from './schemas'
import { Recents } from './settings'
import { Kept } from './kept'
import { Shifts } from './shifts'
import { Verifier } from './verifier'
import type { WatcherOptions } from './watcher'

export interface HostDeps {
  readonly version: string
  readonly shell: 'desktop' | 'browser'
  /** Why a browser and not a window, for the user; null where there is nothing to say. */
  readonly notice: string | null
  readonly spawnParse: () => WorkerLike
  readonly spawnEngine: () => WorkerLike
  /** Absent: snapshots cannot be verified. */
  readonly spawnVerify?: () => WorkerLike
  /** Native open dialog: the chosen path, null when it was cancelled. Absent where there is none. */
  readonly pick?: (what: 'folder' | 'file' | 'schema') => Promise<string | null>
  /** Native save dialog, then writes: the written path, null when it was cancelled. */
  readonly save?: (name: string, data: Uint8Array) => Promise<string | null>
  /** Browser: the served folders or files, the only places that are read. Desktop: null, whatever the user picked. */
  readonly roots: readonly string[] | null
  /** Folder of settings and recents. */
  readonly userDir: string
  /** Writes the bundled sample where it is not there yet and returns its folder. */
  readonly makeSample: () => Promise<string>
  /** For tests. */
  readonly tuning?: {
    readonly poolSize?: number
    readonly keepSessions?: number
    readonly quietMs?: number
    readonly watch?: Pick<WatcherOptions, 'batchMs' | 'pollMs' | 'watch'>
  }
}

export interface Opened {
  readonly opened: boolean
  /** Why not, a sentence for the user; null when opened. */
  readonly reason: string | null
}

export interface Host {
  /** Checks one request of the outside world and answers it. Rejects with RequestError, whose text is for the user; any other error is a bug. */
  handle(name: unknown, args: unknown): Promise<unknown>
  /** Opens a folder or file by path: command line, drop, dialog. Never for a path that a renderer sent. */
  openPath(path: string): Promise<Opened>
  onEvent(listener: (event: HostEvent) => void): () => void
  close(): Promise<void>
}

export function createHost(deps: HostDeps): Host {
  const listeners = new Set<(event: HostEvent) => void>()
  const emit = (event: HostEvent): void => {
    for (const l of listeners) l(event)
  }
  const confine = new Confinement(deps.roots)
  const recents = new Recents(deps.userDir)
  const neffFolders = new NeffFolders(deps.userDir, confine)
  const schemas = new Schemas(deps.userDir, confine)
  const shifts = new Shifts(deps.userDir)
  const kept = new Kept(deps.userDir)
  const shiftsLoaded = shifts.load()
  const recentIds = new PathIds('recent folder', 1000)
  const browse = new Browse({ confine, known: knownName })
  const pool = new ParsePool({ spawn: deps.spawnParse, size: deps.tuning?.poolSize, onJob: job => emit({ type: 'job', job }) })

  const verifier = new Verifier(deps.spawnVerify)

  let root: OpenRoot | null = null
  let sessions: Sessions | null = null
  let version = 0
  let closed = false
  /** Roots are opened and closed one after the other. */
  let turn: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = turn.then(work)
    turn = done.catch(() => undefined)
    return done
  }

  let stopWalk = (): void => undefined
  const closeRoot = async (): Promise<void> => {
    const [r, s] = [root, sessions]
    root = sessions = null
    stopWalk()
    verifier.close()
    if (r) version = r.version + 1
    await Promise.all([r?.close(), s?.closeAll()])
  }

  const open = async (given: string): Promise<Opened> => {
    if (closed) return { opened: false, reason: 'The program is closing.' }
    let path: string
    let isFile: boolean
    try {
      path = await confine.check(given)
      const s = await stat(path)
      isFile = s.isFile()
      if (!isFile && !s.isDirectory()) return { opened: false, reason: `${basename(path)} is neither a folder nor a file.` }
      await access(path, isFile ? constants.R_OK : constants.R_OK | constants.X_OK)
    } catch (e) {
      return { opened: false, reason: `${basename(given)}: ${e instanceof RequestError ? e.message : accessReason(e)}` }
    }
    await shiftsLoaded
    await closeRoot()
    const found = discovery(path, isFile, () => neffFolders.neffs())
    stopWalk = found.stop
    const name = basename(path) || path
    const remember = (detail: string): void => void recents.put({ path, label: name, detail, openedMs: Date.now() })
    const opened: OpenRoot = new OpenRoot({
      path,
      name,
      discover: async () => {
        // The served folder may have been replaced by a link in the meantime.
        if (confine.confined && (await confine.check(path)) !== path) throw new RequestError('it now leads outside the served folders')
        return found.discover()
      },
      watch: { ...deps.tuning?.watch, depth: found.depth, ignored: found.ignored },
      version: version + 1,
      onChange: first => {
        if (root !== opened) return
        const { catalog } = opened.state
        sessions?.update(catalog.sessions)
        if (first) remember(summary(catalog.sessions))
        emit({ type: 'root', version: opened.version })
      },
    })
    root = opened
    sessions = new Sessions({
      pool,
      spawnEngine: deps.spawnEngine,
      emit,
      resolve: async file => {
        const one = async (path: string): Promise<CheckedFile> => {
          const real = await confine.check(found.absolute(path))
          if (!isBelow(found.base, real)) throw new RequestError('This is a link that leads out of the opened folder; it is not read.')
          return identify(real)
        }
        const at = await one(file.path)
        return file.parts ? { ...at, parts: await Promise.all(file.parts.map(async path => ({ name: path, at: await one(path) }))) } : at
      },
      onFacts: (file, facts) => opened.learn(file, facts),
      shifts: {
        of: file => shifts.of(found.absolute(file.path)),
        set: (file, ns) => void shifts.set(found.absolute(file.path), ns),
      },
      place: c => [c.dir === '.' ? path : found.absolute(c.dir), c.instanceId ?? '', c.pid ?? '', c.timestamp ?? ''].join('#'),
      keep: deps.tuning?.keepSessions,
      quietMs: deps.tuning?.quietMs,
    })
    emit({ type: 'root', version: opened.version })
    remember('')
    void opened.start()
    return { opened: true, reason: null }
  }
  const openPath = (path: string): Promise<Opened> => inTurn(() => open(resolve(path)))

  const info: AppInfo = {
    name: 'Neuron Workbench',
    version: deps.version,
    shell: deps.shell,
    notice: deps.notice,
    dialogs: deps.pick !== undefined,
  }
  const handlers: Handlers = makeHandlers({
    info,
    recents,
    recentIds,
    neffFolders,
    schemas,
    kept,
    browse,
    confine,
    pool,
    verifier,
    pick: deps.pick,
    save: deps.save,
    openPath,
    openSample: async () => {
      const path = await deps.makeSample()
      confine.allow(path)
      return openPath(path)
    },
    closeRoot: () =>
      inTurn(async () => {
        if (!root) return
        await closeRoot()
        emit({ type: 'root', version: ++version })
      }),
    root: () => root,
    sessions: () => sessions,
  })

  return {
    async handle(name, args) {
      if (closed) throw new RequestError('The program is closing.')
      const checked = checkRequest(name, args)
      return handlers[checked.name](checked.args)
    },
    openPath,
    onEvent(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      await inTurn(closeRoot)
      await pool.close()
      await Promise.all([recents.list(), shifts.settled(), kept.settled()]) // what was put is on disk
      listeners.clear()
    },
  }
}

/** `2 ranks, 4 sessions`, for the list of recent folders. */
function summary(sessions: readonly { readonly ranks: readonly number[] }[]): string {
  const ranks = new Set(sessions.flatMap(s => s.ranks)).size
  const count = (n: number, one: string): string => `${n.toLocaleString('en-US')} ${one}${n === 1 ? '' : 's'}`
  if (sessions.length === 0) return 'no sessions yet'
  return [ranks > 0 ? count(ranks, 'rank') : '', count(sessions.length, 'session')].filter(Boolean).join(', ')
}
