/** Statistics of slices as CSV. */
import { csvText } from '../../../shared/csv'
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import { STATS_COLUMNS } from '../../../shared/trace-api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'
import { traceStats } from './stats'

/** All rows that pass the filter, in the order of the table; head: the names of STATS_COLUMNS (times in ns). RequestError for a filter that is no regular expression. */
export async function traceStatsCsv(
  context: EngineContext,
  q: RequestArgs<'trace.statsCsv'>,
  turn: Turn,
): Promise<Answers['trace.statsCsv']> {
  const { rows, filterError } = await traceStats(context, { ...q, limit: Infinity }, turn)
  if (filterError !== null) throw new RequestError(filterError)
  return { csv: csvText(STATS_COLUMNS, statsCells(rows)) }
}

export const statsCells = (rows: Answers['trace.stats']['rows']): readonly (readonly (string | number)[])[] =>
  rows.map(r => STATS_COLUMNS.map(c => r[c]))
