/** `snapshot FILE`: what a PyTorch memory snapshot holds, in figures. */
import { replayAll } from '../analysis/allocator/replay'
import { snapshotReport } from '../analysis/allocator/report'
import { readSnapshot } from '../formats/memory-snapshot/read'
import { fileSource } from '../formats/source'
import { rankOfName } from '../session/names'
import type { ReadOptions } from '../shared/reader'
import type { Outcome } from './output'

/** Reads the file and answers the report; only the diagnostics when it is no snapshot. Rejects with the system's error when it cannot be opened. */
export async function snapshotCommand(file: string, opts: ReadOptions = {}): Promise<Outcome> {
  const source = await fileSource(file, file)
  try {
    const { table, diagnostics } = await readSnapshot(source, opts)
    if (!table) return { document: { diagnostics }, read: false }
    return { document: snapshotReport(table, replayAll(table), rankOfName(file) ?? 0, diagnostics), read: true }
  } finally {
    await source.close()
  }
}
