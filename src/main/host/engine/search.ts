/** Finds names, args and stacks. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceSearch(_context: EngineContext, _q: RequestArgs<'trace.search'>, _turn: Turn): Promise<Answers['trace.search']> {
  return Promise.reject(new RequestError('trace.search is being built.'))
}
