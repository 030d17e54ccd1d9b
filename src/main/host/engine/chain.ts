/** What caused an event and what it caused. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceChain(_context: EngineContext, _q: RequestArgs<'trace.chain'>, _turn: Turn): Promise<Answers['trace.chain']> {
  return Promise.reject(new RequestError('trace.chain is being built.'))
}
