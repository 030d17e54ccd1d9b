/** What a range holds besides slices. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceRange(_context: EngineContext, _q: RequestArgs<'trace.range'>, _turn: Turn): Promise<Answers['trace.range']> {
  return Promise.reject(new RequestError('trace.range is being built.'))
}
