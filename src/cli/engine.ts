/** One session of a catalog in an engine of this process: the same tables and answers as behind a window, args of events included. */
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { readArgsText } from '../formats/chrome-trace/args'
import { streamBytes } from '../formats/chrome-trace/stream'
import { Engine } from '../main/host/engine/engine'
import { prepare } from '../main/host/prepared'
import { stampOf } from '../main/host/stamp'
import type { Catalog, CatalogSession, ReadableKind } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { endProgress, progressLine, type Io } from './output'
import { isReadable, readerFailed, readFile } from './read'

export interface OpenedEngine {
  readonly engine: Engine
  readonly diagnostics: readonly Diagnostic[]
  /** Whether any file could be read. */
  readonly read: boolean
}

/** Kinds that hold events. */
export const EVENT_KINDS: ReadonlySet<ReadableKind> = new Set<ReadableKind>([
  'chrome-trace',
  'ntrace',
  'trace-info',
  'explorer-parquet',
  'explorer-json',
  'perfetto-trace',
])

/** Reads the files of these kinds. Never rejects for what is wrong with a file: that is a diagnostic, and the others are read. */
export async function openEngine(
  catalog: Catalog,
  session: CatalogSession,
  kinds: ReadonlySet<ReadableKind>,
  io: Io,
): Promise<OpenedEngine> {
  const engine = new Engine({ session: session.id, version: 1, nextId: 0 }, { readArgs: readArgsText, readBytes: streamBytes })
  const diagnostics: Diagnostic[] = []
  let read = false
  for (const file of session.files) {
    if (!isReadable(file) || !kinds.has(file.kind)) continue
    try {
      // Before it is read: a file that changes meanwhile has other places for its args.
      const abs = await realpath(join(catalog.root, file.path))
      const stamp = await stampOf(abs)
      const { table, diagnostics: found } = await readFile(catalog.root, file, { onProgress: progressLine(io, file.path) })
      endProgress(io)
      diagnostics.push(...found)
      if (!table) continue
      const pid = session.pid === null ? '' : String(session.pid)
      const { id, path, rank, rankFromName } = file
      engine.setFile({ id, path, abs, kind: table.kind, rank, rankFromName, pid, stamp }, prepare(table, path, pid), found)
      read = true
    } catch (e) {
      diagnostics.push(...readerFailed(file, e).diagnostics)
    }
  }
  return { engine, diagnostics, read }
}
