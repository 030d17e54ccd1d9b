/** `trace FILE`: what a Chrome trace holds, in figures. */
import { traceReport } from '../analysis/trace/report'
import { unmatchedFindings, unmatchedOf } from '../analysis/trace/unmatched'
import { readTrace } from '../formats/chrome-trace/read'
import { fileSource } from '../formats/source'
import type { ReadOptions } from '../shared/reader'
import type { Outcome } from './output'

/** Reads the file and answers the report; only the diagnostics when it is no trace. Rejects with the system's error when it cannot be opened. */
export async function traceCommand(file: string, opts: ReadOptions = {}): Promise<Outcome> {
  const source = await fileSource(file, file)
  try {
    const { table, diagnostics } = await readTrace(source, opts)
    if (!table) return { document: { diagnostics }, read: false }
    return { document: traceReport(table, [...diagnostics, ...unmatchedFindings(file, unmatchedOf(table), table)]), read: true }
  } finally {
    await source.close()
  }
}
