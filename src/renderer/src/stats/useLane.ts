/** A lane of long questions as a hook. */
import { useEffect, useState } from 'react'
import { useSession } from '../state/session'
import { Lane, type LaneState } from './lane'

/**
 * Keeps the answer to the latest `question` of the open session.
 *
 * @param scope what the answers are about besides the session; another one drops the answer at once
 * @param key identity of the question within the scope
 * @param question null: nothing to ask
 */
export function useLane<Q, A extends { readonly cancelled: boolean }>(
  scope: string,
  key: string,
  question: Q | null,
  ask: (session: string, q: Q) => Promise<A>,
): LaneState<Q, A> & { readonly retry: () => void } {
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const [state, setState] = useState<LaneState<Q, A>>({ scope: '', value: null, pending: true, error: null, cancelled: false })
  const [lane] = useState(() => new Lane<Q, A>(setState))
  const full = session === null ? '' : `${session}/${scope}`
  useEffect(() => {
    lane.want({ scope: full, key, version, question }, q => ask(session ?? '', q))
    // `question` and `ask` are identified by `key` and `scope`.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [lane, full, key, version])
  useEffect(() => () => lane.stop(), [lane])
  const now = state.scope === full ? state : { scope: full, value: null, pending: question !== null, error: null, cancelled: false }
  return { ...now, retry: () => lane.retry() }
}
