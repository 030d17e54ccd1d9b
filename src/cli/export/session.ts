/** One session of a catalog in an engine of this process: the same tables, view and answers as behind a window. */
import { traceBands } from '../../main/host/engine/bands'
import type { Engine } from '../../main/host/engine/engine'
import { RequestError, type SessionView } from '../../shared/api'
import type { Catalog, CatalogSession } from '../../shared/catalog'
import type { Diagnostic } from '../../shared/diagnostics'
import type { Ask } from '../../paint/sheet/ask'
import { openEngine } from '../engine'
import type { Io } from '../output'
import { isDrawn } from './choose'

export interface OpenedSession {
  readonly engine: Engine
  readonly view: SessionView
  readonly ask: Ask
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads all files of the session that something is drawn of. Never rejects for what is wrong with a file: that is a diagnostic, and the others are read. */
export async function openSession(catalog: Catalog, session: CatalogSession, io: Io): Promise<OpenedSession> {
  const kinds = new Set(session.files.filter(isDrawn).map(f => f.kind))
  const { engine, diagnostics } = await openEngine(catalog, session, kinds, io)
  return { engine, view: { ...engine.view, jobs: [], notice: null }, ask: askEngine(engine), diagnostics }
}

/** The requests that a picture makes, answered by an engine of this process. */
function askEngine(engine: Engine): Ask {
  return ((name: string, args: never): Promise<unknown> => {
    try {
      switch (name) {
        case 'trace.slices':
          return Promise.resolve(engine.slices(args))
        case 'trace.counter':
          return Promise.resolve(engine.counter(args))
        case 'memory.picture':
          return Promise.resolve(engine.picture(args))
        case 'trace.bands':
          return Promise.resolve(traceBands(engine.context, args))
        case 'hbm.picture':
          return Promise.resolve(engine.hbmPicture(args))
        case 'memory.allocation':
          return Promise.resolve(engine.allocation(args))
        default:
          throw new RequestError(`${name} is not asked for by a picture`)
      }
    } catch (e) {
      return Promise.reject(e as Error)
    }
  }) as Ask
}
