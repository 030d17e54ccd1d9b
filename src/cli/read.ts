/** Reads the traces and snapshots of a catalog one after the other, for the commands that look at a whole tree. */
import { join } from 'node:path'
import { extentOf } from '../analysis/trace/report'
import { fileSource } from '../formats/source'
import { systemReason } from '../formats/system-error'
import type { RankFacts } from '../session/ranks'
import type { CatalogFile } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import type { ReadOptions } from '../shared/reader'
import type { ParsedTable, SnapshotTable, TraceTable } from '../shared/tables'

export const isReadable = (f: CatalogFile): boolean =>
  (f.kind === 'chrome-trace' || f.kind === 'memory-snapshot') && f.state !== 'empty' && f.state !== 'unreadable'

/** Reads one file of the catalog; a file that cannot be opened any more is a diagnostic. */
export async function readFile(
  root: string,
  file: CatalogFile,
  options: ReadOptions,
): Promise<{ readonly table: ParsedTable | null; readonly diagnostics: readonly Diagnostic[] }> {
  // The readers are loaded when needed: `--help` stays fast.
  const read =
    file.kind === 'chrome-trace'
      ? (await import('../formats/chrome-trace/read')).readTrace
      : (await import('../formats/memory-snapshot/read')).readSnapshot
  let source: Awaited<ReturnType<typeof fileSource>>
  try {
    source = await fileSource(join(root, file.path), file.path)
  } catch (e) {
    const d: Diagnostic = {
      severity: 'error',
      code: 'file-unreadable',
      file: file.path,
      offset: null,
      message: `The file cannot be opened: ${systemReason(e)}.`,
      meaning: 'Nothing of it is shown.',
      action: 'Check that it is still there and its permissions.',
      count: 1,
    }
    return { table: null, diagnostics: [d] }
  }
  try {
    return await read(source, options)
  } finally {
    await source.close()
  }
}

/** Whether the times of a table are Unix times. */
export const hasUnixTime = (t: ParsedTable): boolean => t.clock === 'kineto-base-time' || t.clock === 'unix-microseconds'

/** What rank checks need of a table. */
export function rankFactsOf(t: TraceTable | SnapshotTable): RankFacts {
  const timeNs =
    t.kind === 'chrome-trace'
      ? extentOf(t)
      : t.timeRange && ([t.epochNs + BigInt(Math.floor(t.timeRange[0])), t.epochNs + BigInt(Math.ceil(t.timeRange[1]))] as const)
  return { traceRank: t.kind === 'chrome-trace' ? t.rank : null, timeNs: hasUnixTime(t) ? timeNs : null }
}
