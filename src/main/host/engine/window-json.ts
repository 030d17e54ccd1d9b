/** The events of a window as Chrome trace JSON. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceJson(_context: EngineContext, _q: RequestArgs<'trace.json'>, _turn: Turn): Promise<Answers['trace.json']> {
  return Promise.reject(new RequestError('trace.json is being built.'))
}
