/** What the statistics are asked for. Kept while the tab is closed. */
import { create } from 'zustand'
import type { StatsBy } from '../../../shared/trace-api'
import { useSession } from '../state/session'
import { useView, type TimeWindow, type ViewState } from '../state/view'
import type { Sort } from '../table/types'

export type Scope = 'range' | 'window' | 'all'

/** A range that was selected. It stays the subject while an event of it is looked at, until the selection is cleared. */
export interface KeptRange extends TimeWindow {
  readonly session: string
  readonly group: number
  /** Origin that its times count from. */
  readonly originNs: bigint
}

export interface StatsState {
  readonly by: StatsBy
  /** What is counted where no range is, or where the range was declined. */
  readonly base: Exclude<Scope, 'range'>
  readonly range: KeptRange | null
  /** The range that the user chose not to look at. */
  readonly declined: KeptRange | null
  readonly filter: string
  readonly regex: boolean
  readonly sort: Sort
  /** Order of the rows that the host sent last, and whether it held some back: only then another order has to be asked for. */
  readonly askedSort: Sort
  readonly cut: boolean
}

const LARGEST: Sort = { column: 'totalNs', descending: true }

export const useStats = create<StatsState>()(() => ({
  by: 'name',
  base: 'all',
  range: null,
  declined: null,
  filter: '',
  regex: false,
  sort: LARGEST,
  askedSort: LARGEST,
  cut: false,
}))

const originOf = (group: number): bigint | null => useSession.getState().view?.groups.find(g => g.id === group)?.originNs ?? null

/** The range after a change of the selection. */
export function keepRange(kept: KeptRange | null, s: Pick<ViewState, 'selection' | 'group'>): KeptRange | null {
  if (s.selection === null) return null
  if (s.selection.type !== 'range') return kept
  const { session } = useSession.getState()
  const originNs = originOf(s.group)
  if (session === null || originNs === null) return null
  return { start: s.selection.start, end: s.selection.end, session, group: s.group, originNs }
}

useView.subscribe((s, before) => {
  if (s.selection !== before.selection) useStats.setState(t => ({ range: keepRange(t.range, s) }))
})

/** The kept range in the times of now; null where it belongs to another session or time group. An origin that has moved moves the numbers with it. */
export function rangeNow(kept: KeptRange | null, session: string | null, group: number, originNs: bigint | null): TimeWindow | null {
  if (kept === null || originNs === null || kept.session !== session || kept.group !== group) return null
  const shift = Number(kept.originNs - originNs)
  return { start: kept.start + shift, end: kept.end + shift }
}

export function setScope(scope: Scope): void {
  useStats.setState(s => (scope === 'range' ? { declined: null } : { base: scope, declined: s.range }))
}
