/** Direct children of a slice. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceChildren(_context: EngineContext, _q: RequestArgs<'trace.children'>, _turn: Turn): Promise<Answers['trace.children']> {
  return Promise.reject(new RequestError('trace.children is being built.'))
}
