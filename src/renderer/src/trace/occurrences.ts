/** The other slices of the same name: kept for the last one that was asked, so that the keys and the details share one answer. */
import type { OccurrencesAnswer, SliceRef } from '../../../shared/trace-api'
import { goToSlice } from '../commands/slices'
import { fail, request, useSession } from '../state/session'
import { useView, type Selection } from '../state/view'

type SliceSelection = Extract<Selection, { type: 'slice' }>

let last: { readonly key: string; readonly answer: Promise<OccurrencesAnswer> } | null = null

/** All slices of the name of one. Rejects with the host's words. */
export function occurrencesOf(session: string, version: number, source: number, row: number): Promise<OccurrencesAnswer> {
  const key = `${session}/${version}/${source}/${row}`
  if (last?.key === key) return last.answer
  const answer = request('trace.occurrences', { session, source, row })
  last = { key, answer }
  // A failure is not kept: the next try asks again.
  answer.catch(() => {
    if (last?.answer === answer) last = null
  })
  return answer
}

export type Step = 'previous' | 'next' | 'first' | 'last' | 'shortest' | 'longest'
/** Which steps there are, in the order of their buttons. */
export const STEPS: readonly Step[] = ['first', 'previous', 'next', 'last', 'shortest', 'longest']

export const isThis = (r: SliceRef | null, s: Pick<SliceSelection, 'source' | 'row'>): boolean =>
  r !== null && r.source === s.source && r.row === s.row

let moving = false

/** Selects the previous or next slice of the same name. A held key moves one at a time: presses while an answer is on its way are dropped. */
export async function stepOccurrence(step: Step): Promise<void> {
  const s = useView.getState().selection
  const { session, view } = useSession.getState()
  if (moving || s?.type !== 'slice' || session === null || view === null) return
  moving = true
  try {
    const to = (await occurrencesOf(session, view.version, s.source, s.row))[step]
    if (to && useView.getState().selection === s) goToSlice(to)
  } catch (e) {
    fail(e)
  } finally {
    moving = false
  }
}
