/** Idle stretches of NeuronCores. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceGaps(_context: EngineContext, _q: RequestArgs<'trace.gaps'>, _turn: Turn): Promise<Answers['trace.gaps']> {
  return Promise.reject(new RequestError('trace.gaps is being built.'))
}
