/** Statistics of slices as CSV. */
import { csvRows, csvText, type TextCell } from '../../../shared/csv'
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import { STATS_COLUMNS, STATS_HEADS } from '../../../shared/trace-api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'
import { traceStats } from './stats'

/** All rows that pass the filter, in the order of the table; head: STATS_HEADS. RequestError for a filter that is no regular expression. */
export async function traceStatsCsv(
  context: EngineContext,
  q: RequestArgs<'trace.statsCsv'>,
  turn: Turn,
): Promise<Answers['trace.statsCsv']> {
  const { rows, filterError } = await traceStats(context, { ...q, limit: Infinity }, turn)
  if (filterError !== null) throw new RequestError(filterError)
  return { csv: await csvPausing(STATS_HEADS, rows, r => STATS_COLUMNS.map(c => r[c]), turn), rows: rows.length }
}

/** Rows between two looks at the clock. */
const STRIDE = 512

/** `csvText` of all rows, piece by piece. */
async function csvPausing<T>(
  head: readonly string[],
  rows: readonly T[],
  cells: (row: T) => readonly TextCell[],
  turn: Turn,
): Promise<string> {
  const pieces = [csvText(head, [])]
  for (let k = 0; k < rows.length; k += STRIDE) {
    pieces.push(csvRows(rows.slice(k, k + STRIDE).map(cells)))
    if (turn.due) await turn.pause()
  }
  return pieces.join('')
}
