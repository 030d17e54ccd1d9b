/** `snapshot FILE`: what a PyTorch memory snapshot holds, in figures, and with `--verify` the same figures by a second reader. */
import { replayAll } from '../analysis/allocator/replay'
import { snapshotReport, type SnapshotReport } from '../analysis/allocator/report'
import { readSnapshot } from '../formats/memory-snapshot/read'
import { fileSource } from '../formats/source'
import { rankOfName } from '../session/names'
import type { ReadOptions } from '../shared/reader'
import type { Verification } from '../shared/verify'
import type { Outcome } from './output'

export interface VerifiedReport extends SnapshotReport {
  readonly verify: Verification['rows']
  readonly reader: string
  readonly limits: readonly string[]
  readonly verdict: Verification['verdict']
}

/**
 * Reads the file and answers the report; only the diagnostics when it is no snapshot. `verified` adds the comparison with the second reader, whose figures make the command fail where one
 * differs. Rejects with the system's error when the file cannot be opened.
 */
export async function snapshotCommand(file: string, opts: ReadOptions = {}, verified = false): Promise<Outcome> {
  const state = verified ? await (await import('../formats/second-reader/read')).stateOf(file) : ''
  const source = await fileSource(file, file)
  try {
    const { table, diagnostics } = await readSnapshot(source, opts)
    if (!table) return { document: { diagnostics }, read: false }
    const models = replayAll(table)
    const report = snapshotReport(table, models, rankOfName(file) ?? 0, diagnostics)
    if (!verified) return { document: report, read: true }
    const { secondReading, stateOf, wholeFile } = await import('../formats/second-reader/read')
    const { verify } = await import('../analysis/verify/verify')
    const bytes = async (limit: number) => ({ data: await wholeFile(file, limit), changed: (await stateOf(file)) !== state })
    const { rows, reader, limits, verdict } = await verify({ table, models, diagnostics, bytes, second: secondReading })
    const document: VerifiedReport = { ...report, verify: rows, reader, limits, verdict }
    return { document, read: true, failed: verdict === 'differs' }
  } finally {
    await source.close()
  }
}
