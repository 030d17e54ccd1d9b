/** `summary FILE`: the table of memory_summary and the flat keys of memory_stats, for any range of events. */
import { memoryStats, type MemoryStats } from '../../analysis/allocator/summary/stats'
import { summaryTable } from '../../analysis/allocator/summary/table'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions } from '../../shared/reader'
import { UsageError } from '../args'
import type { Outcome } from '../output'
import { momentOf, openDevice } from './open'
import type { MemoryOptions } from './options'

export interface SummaryDocument extends MemoryStats {
  readonly table: string
  readonly diagnostics: readonly Diagnostic[]
}

export async function summaryCommand(file: string, o: MemoryOptions, opts: ReadOptions = {}): Promise<Outcome> {
  const opened = await openDevice('summary', file, o.device, opts)
  if (!('model' in opened)) return { document: opened, read: false }
  const { table, model, diagnostics } = opened
  const from = momentOf('summary', model, o.from)
  const to = momentOf('summary', model, o.to)
  if (from > to) throw new UsageError('--from must not be after --to', 'summary')
  const stats = memoryStats(table, model, from, to)
  const document: SummaryDocument = { ...stats, table: summaryTable(stats), diagnostics }
  return { document, read: true }
}
