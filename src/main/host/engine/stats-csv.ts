/** Statistics of slices as CSV. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceStatsCsv(_context: EngineContext, _q: RequestArgs<'trace.statsCsv'>, _turn: Turn): Promise<Answers['trace.statsCsv']> {
  return Promise.reject(new RequestError('trace.statsCsv is being built.'))
}
