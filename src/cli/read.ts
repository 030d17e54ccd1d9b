/** Reads the traces and snapshots of a catalog one after the other, for the commands that look at a whole tree. */
import { join } from 'node:path'
import { extentOf } from '../analysis/trace/report'
import { readParts, readTable } from '../formats/readers'
import { fileSource } from '../formats/source'
import { systemReason } from '../formats/system-error'
import { userDir } from '../main/user-dir'
import type { RankFacts } from '../session/ranks'
import { schemasFor } from '../session/schemas'
import { isReadable as readable, type CatalogFile, type ReadableKind } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import type { ReadOptions } from '../shared/reader'
import { clockOfTable, type ParsedTable, type TimedTable } from '../shared/tables'

export const isReadable = (f: CatalogFile): f is CatalogFile & { readonly kind: ReadableKind } => readable(f) && f.state !== 'unreadable'

/** Reads one file of the catalog. Never rejects: a file that cannot be opened any more, or whose reader fails, is a diagnostic, and the other files go on. */
export async function readFile(
  root: string,
  file: CatalogFile & { readonly kind: ReadableKind },
  options: ReadOptions,
): Promise<{ readonly table: ParsedTable | null; readonly diagnostics: readonly Diagnostic[] }> {
  const sources: Awaited<ReturnType<typeof fileSource>>[] = []
  try {
    for (const path of file.parts ?? [file.path]) sources.push(await fileSource(join(root, path), path))
  } catch (e) {
    await Promise.all(sources.map(s => s.close()))
    return nothing(
      file,
      'file-unreadable',
      `The file cannot be opened: ${systemReason(e)}.`,
      'Check that it is still there and its permissions.',
    )
  }
  try {
    const [source] = sources as [(typeof sources)[number]]
    if (file.parts) return await readParts(sources, options)
    return await readTable(file.kind, source, { ...options, ...(await schemasFor(file.kind, userDir())) })
  } catch (e) {
    return readerFailed(file, e)
  } finally {
    await Promise.all(sources.map(s => s.close()))
  }
}

/** A file on which a reader, or what makes figures of its table, failed. Readers tell bad data in diagnostics, so this is a defect of the program. */
export const readerFailed = (file: CatalogFile, e: unknown): ReturnType<typeof nothing> =>
  nothing(
    file,
    'reader-failed',
    `The reader failed on this file (${e instanceof Error ? e.message : String(e)}).`,
    'This is a bug of the program, not of the file: please report it with the file.',
  )

const nothing = (file: CatalogFile, code: string, message: string, action: string) => {
  const meaning = 'Nothing of it is shown; the other files are.'
  const d: Diagnostic = { severity: 'error', code, file: file.path, offset: null, message, meaning, action, count: 1 }
  return { table: null, diagnostics: [d] } as const
}

/** Whether the times of a table are Unix times. */
export const hasUnixTime = (t: TimedTable): boolean => clockOfTable(t) !== 'unknown' && clockOfTable(t) !== 'none'

/** What rank checks need of a table. */
export function rankFactsOf(t: TimedTable): RankFacts {
  const timeNs =
    t.kind === 'chrome-trace'
      ? extentOf(t)
      : t.kind === 'memory-snapshot' && t.timeRange
        ? ([t.epochNs + BigInt(Math.floor(t.timeRange[0])), t.epochNs + BigInt(Math.ceil(t.timeRange[1]))] as const)
        : null
  return { traceRank: t.kind === 'chrome-trace' ? t.rank : null, timeNs: hasUnixTime(t) ? timeNs : null }
}
