/**
 * One handler for each request of the API contract. The arguments have passed their schema; what they name may still be unknown or stale,
 * which is a RequestError.
 */
import type { Answers, AppInfo, RecentEntry, RequestArgs, RequestName } from '../../shared/api'
import { RequestError } from '../../shared/api'
import type { SchemaAdded } from '../../shared/schema-api'
import type { Browse } from './browse'
import type { Confinement } from './confine'
import type { Opened } from './host'
import type { PathIds } from './ids'
import type { Kept } from './kept'
import type { NeffFolders } from './neff-folders'
import type { ParsePool } from './pool'
import type { OpenRoot } from './root'
import type { Schemas } from './schemas'
import type { Sessions } from './sessions'
import type { Recents } from './settings'
import type { Verifier } from './verifier'

export interface HandlerDeps {
  readonly info: AppInfo
  readonly recents: Recents
  readonly recentIds: PathIds
  readonly neffFolders: NeffFolders
  readonly schemas: Schemas
  readonly kept: Kept
  readonly browse: Browse
  readonly confine: Confinement
  readonly pool: ParsePool
  readonly verifier: Verifier
  readonly pick?: (what: 'folder' | 'file' | 'schema') => Promise<string | null>
  readonly save?: (name: string, data: Uint8Array) => Promise<string | null>
  readonly openPath: (path: string) => Promise<Opened>
  readonly openSample: () => Promise<Opened>
  readonly closeRoot: () => Promise<void>
  readonly root: () => OpenRoot | null
  readonly sessions: () => Sessions | null
}

/** Requests that the engine of a session answers. */
const ENGINE = [
  'trace.slices',
  'trace.tiles',
  'trace.counter',
  'trace.overview',
  'trace.slice',
  'trace.stats',
  'trace.statsCsv',
  'trace.range',
  'trace.occurrences',
  'trace.children',
  'trace.chain',
  'trace.search',
  'trace.searchPage',
  'trace.searchMarks',
  'trace.gaps',
  'trace.compare',
  'trace.json',
  'trace.bands',
  'memory.picture',
  'memory.at',
  'memory.smaller',
  'memory.allocation',
  'hbm.picture',
  'hbm.at',
  'hbm.live',
  'hbm.allocation',
  'hbm.csv',
] as const satisfies readonly RequestName[]
type EngineRequest = (typeof ENGINE)[number]

type Typed = { readonly [N in RequestName]: (args: RequestArgs<N>) => Promise<Answers[N]> | Answers[N] }
export type Handlers = Readonly<Record<RequestName, (args: never) => unknown>>

export function makeHandlers(d: HandlerDeps): Handlers {
  const opened = (): { root: OpenRoot; sessions: Sessions } => {
    const root = d.root()
    const sessions = d.sessions()
    if (!root || !sessions) throw new RequestError('No folder is open.')
    return { root, sessions }
  }
  const engine = Object.fromEntries(
    ENGINE.map(name => [
      name,
      (args: RequestArgs<EngineRequest>) => {
        if ('start' in args && args.start !== null && args.end !== null && !(args.end > args.start))
          throw new RequestError(`${name}: the window is empty.`)
        return opened().sessions.query(args.session, name, args)
      },
    ]),
  ) as unknown as Pick<Typed, EngineRequest>

  const typed: Typed = {
    'app.info': () => d.info,
    'recent.list': () => listRecents(d),
    'recent.open': ({ id }) => d.openPath(d.recentIds.take(id)),
    'folder.pick': async ({ what }) => {
      if (!d.pick) return { kind: 'browse' }
      const path = await d.pick(what)
      if (path === null) return { kind: 'cancelled' }
      const { opened, reason } = await d.openPath(path)
      if (!opened) throw new RequestError(reason ?? 'It cannot be opened.')
      return { kind: 'opened' }
    },
    'browse.list': ({ id, any }) => d.browse.list(id, any),
    'browse.open': ({ id }) => d.openPath(d.browse.path(id)),
    'sample.open': () => d.openSample(),
    'neff.folders': () => d.neffFolders.list(),
    'neff.pick': async () => {
      if (!d.pick) return { kind: 'browse' }
      const path = await d.pick('folder')
      if (path === null) return { kind: 'cancelled' }
      await d.neffFolders.add(path)
      d.root()?.lookAgain()
      return { kind: 'added' }
    },
    'neff.add': async ({ id }) => {
      await d.neffFolders.add(d.browse.path(id))
      d.root()?.lookAgain()
      return null
    },
    'neff.remove': async ({ id }) => {
      await d.neffFolders.remove(id)
      d.root()?.lookAgain()
      return null
    },
    'schema.list': () => d.schemas.list(),
    'schema.pick': async () => {
      if (!d.pick) return { kind: 'browse' }
      const path = await d.pick('schema')
      return path === null ? { kind: 'cancelled' } : addSchema(d, path)
    },
    'schema.add': ({ id }) => addSchema(d, d.browse.path(id)),
    'schema.remove': async ({ id }) => {
      await d.schemas.remove(id)
      return { again: d.sessions()?.retryRuntime() ?? 0 }
    },
    'root.get': () => d.root()?.state ?? null,
    'root.close': async () => {
      await d.closeRoot()
      return null
    },
    'session.open': ({ session }) => {
      const { root, sessions } = opened()
      const catalog = root.session(session)
      if (!catalog) throw new RequestError('This session is not there (any more).')
      return sessions.open(catalog)
    },
    'session.view': ({ session }) => opened().sessions.view(session),
    'job.cancel': ({ job }) => {
      if (!d.pool.cancel(job) && !d.pool.knows(job)) throw new RequestError('There is no such job.')
      return null
    },
    'file.retry': ({ session, file }) => {
      opened().sessions.retry(session, file)
      return null
    },
    'memory.verify': async ({ session, file }) => {
      const request = await opened().sessions.snapshotFile(session, file)
      return d.verifier.run(`${session}/${file}`, request)
    },
    'memory.verifyCancel': ({ session, file }) => {
      d.verifier.cancel(`${session}/${file}`)
      return null
    },
    ...engine,
    'alignment.shift': async ({ session, file, shiftNs }) => {
      await opened().sessions.shift(session, file, BigInt(shiftNs))
      return null
    },
    'system.choose': async ({ session, file }) => {
      await opened().sessions.choose(session, file)
      return null
    },
    'notes.get': async ({ session }) => ({ notes: await d.kept.notes(opened().sessions.folder(session)) }),
    'notes.set': async ({ session, notes }) => {
      await d.kept.setNotes(opened().sessions.folder(session), notes)
      return null
    },
    'layout.get': async ({ session }) => ({ layout: await d.kept.layout(opened().sessions.folder(session)) }),
    'layout.set': async ({ session, layout }) => {
      await d.kept.setLayout(opened().sessions.folder(session), layout)
      return null
    },
    'alignment.undo': async ({ session }) => ({ undone: await opened().sessions.undoShift(session) }),
    'export.save': async ({ name, data }) => {
      if (!d.save) throw new RequestError('This host does not write files; the page saves the picture itself.')
      return { saved: await d.save(safeName(name), data) }
    },
  }
  return typed as unknown as Handlers
}

/** What is open is read again at once: a file that was refused may be readable now, another one better. */
async function addSchema(d: HandlerDeps, path: string): Promise<SchemaAdded> {
  const schema = await d.schemas.add(path)
  return { kind: 'added', schema, again: d.sessions()?.retryRuntime() ?? 0 }
}

async function listRecents(d: HandlerDeps): Promise<readonly RecentEntry[]> {
  const all = await d.recents.list()
  const entries = await Promise.all(
    all.map(async (r): Promise<RecentEntry | null> => {
      const there = await d.confine.check(r.path).then(
        () => true,
        () => false,
      )
      // In the browser nothing outside the served folders is even named.
      if (!there && d.confine.confined) return null
      return {
        id: d.recentIds.give(r.path),
        label: r.label,
        path: r.path,
        detail: there ? r.detail : 'not there at the moment',
        openedMs: r.openedMs,
      }
    }),
  )
  return entries.filter(e => e !== null)
}

/** A proposal for the dialog: one file name, no path, nothing that a file system objects to. */
function safeName(name: string): string {
  // eslint-disable-next-line no-control-regex
  const clean = name.replace(/[\u0000-\u001f<>:"/\\|?*]+/g, '-').replace(/^[.\s]+|[.\s]+$/g, '')
  return clean || 'neuron-workbench.png'
}
