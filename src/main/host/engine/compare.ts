/** Two ranges compared by name. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceCompare(_context: EngineContext, _q: RequestArgs<'trace.compare'>, _turn: Turn): Promise<Answers['trace.compare']> {
  return Promise.reject(new RequestError('trace.compare is being built.'))
}
