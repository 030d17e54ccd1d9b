/** One session of a catalog in an engine of this process: the same tables, view and answers as behind a window. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Engine } from '../../main/host/engine/engine'
import { prepare } from '../../main/host/prepared'
import { RequestError, type SessionView } from '../../shared/api'
import type { Catalog, CatalogSession } from '../../shared/catalog'
import type { Diagnostic } from '../../shared/diagnostics'
import type { Ask } from '../../paint/sheet/ask'
import { endProgress, progressLine, type Io } from '../output'
import { readerFailed, readFile } from '../read'
import { isDrawn } from './choose'

export interface OpenedSession {
  readonly view: SessionView
  readonly ask: Ask
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads all files of the session that something is drawn of. Never rejects for what is wrong with a file: that is a diagnostic, and the others are read. */
export async function openSession(catalog: Catalog, session: CatalogSession, io: Io): Promise<OpenedSession> {
  const engine = new Engine(
    { session: session.id, version: 1, nextId: 0 },
    { readArgs: () => Promise.reject(new Error('arguments are not drawn')) },
  )
  const diagnostics: Diagnostic[] = []
  for (const file of session.files) {
    if (!isDrawn(file)) continue
    const { table, diagnostics: found } = await readFile(catalog.root, file, { onProgress: progressLine(io, file.path) })
    endProgress(io)
    diagnostics.push(...found)
    if (!table) continue
    try {
      const abs = join(catalog.root, file.path)
      const { size, mtimeMs } = await stat(abs)
      const about = { id: file.id, path: file.path, abs, kind: table.kind, rank: file.rank, rankFromName: file.rankFromName }
      engine.setFile(
        { ...about, stamp: { bytes: size, mtimeMs } },
        prepare(table, file.path, session.pid === null ? '' : String(session.pid)),
        found,
      )
    } catch (e) {
      diagnostics.push(...readerFailed(file, e).diagnostics)
    }
  }
  return { view: { ...engine.view, jobs: [], notice: null }, ask: askEngine(engine), diagnostics }
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
