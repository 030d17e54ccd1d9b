/** Statistics of slices. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceStats(_context: EngineContext, _q: RequestArgs<'trace.stats'>, _turn: Turn): Promise<Answers['trace.stats']> {
  return Promise.reject(new RequestError('trace.stats is being built.'))
}
