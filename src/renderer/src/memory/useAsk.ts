/** Asking the host for what the screen needs now: one question at a time, the latest one next, late answers of another scope dropped. */
import { useEffect, useRef, useState } from 'react'

export interface Answered<Q, A> {
  readonly question: Q
  readonly answer: A
}

/**
 * Keeps the answer to the latest `question` (compared by `key`). While an answer is on its way no second question is sent; the newest one follows it.
 * The previous answer stays until the next one arrives, unless `scope` changed: then it is about something else and is dropped at once.
 *
 * @param scope what the answers are about (session, allocator); '' for nothing to ask
 * @param key identity of the question within the scope
 */
export function useAsk<Q, A>(
  scope: string,
  key: string,
  question: Q | null,
  ask: (q: Q) => Promise<A>,
): { readonly value: Answered<Q, A> | null; readonly error: string | null } {
  const [state, setState] = useState<{ scope: string; value: Answered<Q, A> | null; error: string | null }>({
    scope,
    value: null,
    error: null,
  })
  const pending = useRef<{ readonly scope: string; readonly key: string; readonly question: Q; readonly ask: (q: Q) => Promise<A> } | null>(
    null,
  )
  const running = useRef(false)
  const alive = useRef(true)

  useEffect(() => {
    alive.current = true
    return () => {
      alive.current = false
    }
  }, [])

  useEffect(() => {
    if (question === null || scope === '') {
      pending.current = null
      return
    }
    pending.current = { scope, key, question, ask }
    const run = async (): Promise<void> => {
      running.current = true
      try {
        while (pending.current && alive.current) {
          const p = pending.current
          let next: typeof state
          try {
            const answer = await p.ask(p.question)
            next = { scope: p.scope, value: { question: p.question, answer }, error: null }
          } catch (e) {
            next = { scope: p.scope, value: null, error: e instanceof Error ? e.message : String(e) }
          }
          if (pending.current === p) pending.current = null
          if (alive.current) setState(next)
        }
      } finally {
        running.current = false
      }
    }
    if (!running.current) void run()
    // `question` and `ask` are identified by `key` and `scope`.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [scope, key])

  return state.scope === scope ? state : { value: null, error: null }
}
