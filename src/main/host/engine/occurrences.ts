/** Slices of the same name. */
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'

export function traceOccurrences(
  _context: EngineContext,
  _q: RequestArgs<'trace.occurrences'>,
  _turn: Turn,
): Promise<Answers['trace.occurrences']> {
  return Promise.reject(new RequestError('trace.occurrences is being built.'))
}
