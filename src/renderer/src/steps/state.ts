/** What the steps tab shows. Kept while it is closed. */
import { create } from 'zustand'
import type { StatsBy } from '../../../shared/trace-api'
import type { Sort } from '../table/types'

export interface StepsState {
  readonly view: 'list' | 'compare'
  /** Keys of the steps that are compared. */
  readonly a: string | null
  readonly b: string | null
  /** Whether annotations of the program stand between the steps. */
  readonly annotations: boolean
  readonly by: StatsBy
  readonly filter: string
  readonly sort: Sort
  readonly compareSort: Sort
}

export const useSteps = create<StepsState>()(() => ({
  view: 'list',
  a: null,
  b: null,
  annotations: true,
  by: 'name',
  filter: '',
  sort: { column: 'start', descending: false },
  compareSort: { column: 'delta', descending: true },
}))
