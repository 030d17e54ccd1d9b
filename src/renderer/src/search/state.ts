/** What is searched for and what was found. Kept while the tab is closed; hits are lit in the timeline while it is open. */
import { create } from 'zustand'
import type { SearchAnswer, SearchHit } from '../../../shared/trace-api'
import { goToSlice } from '../commands/slices'
import { openDrawer, useDrawer } from '../drawer/state'
import { fail, request, useSession } from '../state/session'
import { useView } from '../state/view'
import { showSelected } from '../trace/reveal'
import { allPages } from '../table/pages'
import type { Sort } from '../table/types'

export interface Fields {
  readonly names: boolean
  readonly args: boolean
  readonly stacks: boolean
}

/** The answer that is shown, with what it is about. */
export interface Found {
  readonly session: string
  readonly group: number
  readonly answer: SearchAnswer
  /** Number of the first listed hit, and the listed ones. */
  readonly offset: number
  readonly hits: readonly SearchHit[]
}

export interface SearchState {
  readonly query: string
  readonly regex: boolean
  readonly matchCase: boolean
  readonly fields: Fields
  /** Only tracks that have a row now. */
  readonly shownOnly: boolean
  readonly found: Found | null
  /** The question is on its way. */
  readonly pending: boolean
  /** Number of the hit that was gone to; -1 before. */
  readonly current: number
  /** A step that was asked for before the hits were there. */
  readonly wish: 1 | -1 | null
  readonly sort: Sort
  /** Grows when the field is to have the focus. */
  readonly focus: number
}

/** Hits that are listed at once. */
export const LISTED = 1000
/** Hits of one request, where all are wanted. */
const PAGE = 5000

export const useSearch = create<SearchState>()(() => ({
  query: '',
  regex: false,
  matchCase: false,
  fields: { names: true, args: true, stacks: false },
  shownOnly: false,
  found: null,
  pending: false,
  current: -1,
  wish: null,
  sort: { column: 'start', descending: false },
  focus: 0,
}))

const set = useSearch.setState

/** Opens the tab with the field ready for typing. */
export function focusSearch(): void {
  openDrawer('search')
  set(s => ({ focus: s.focus + 1 }))
}

/** Takes over an answer; the hit that was gone to stays the current one where it is still among the listed. */
export function accept(session: string, group: number, answer: SearchAnswer): void {
  const { wish, found, current } = useSearch.getState()
  const was = found?.hits[current - found.offset]
  const again = was ? answer.hits.findIndex(h => sameHit(h, was)) : -1
  set({ found: { session, group, answer, offset: 0, hits: answer.hits }, current: again, wish: null })
  if (wish !== null) step(wish)
}

export const sameHit = (a: SearchHit, b: Pick<SearchHit, 'source' | 'row' | 'track'>): boolean =>
  a.source === b.source && a.row === b.row && a.track === b.track

/** What is found is about what is on the screen. */
export function current(): Found | null {
  const { found } = useSearch.getState()
  return found && found.session === useSession.getState().session && found.group === useView.getState().group ? found : null
}

/** Goes to the next hit, or to the one before. The first step goes to the hit at or behind the beginning of the window (before its end). Behind the last comes the first. */
export function step(by: 1 | -1): void {
  const { pending, query } = useSearch.getState()
  if (query === '') return focusSearch()
  if (pending) return set({ wish: by })
  const found = current()
  if (useDrawer.getState().tab !== 'search') openDrawer('search')
  if (!found || found.answer.total === 0) return
  void walk(found, by).catch(fail)
}

async function walk(found: Found, by: 1 | -1): Promise<void> {
  const { current: at } = useSearch.getState()
  const { total } = found.answer
  if (at >= 0) return goTo(found, (at + by + total) % total)
  const { window: w } = useView.getState()
  const from = by > 0 ? w.start : w.end
  const here = found.hits.findIndex(h => h.start >= from)
  if (here >= 0 && (here > 0 || found.offset === 0)) return goTo(found, (found.offset + here + (by > 0 ? 0 : total - 1)) % total)
  if (found.hits.length === total) return goTo(found, by > 0 ? 0 : total - 1)
  // What lies there is not listed.
  const page = await request('trace.searchPage', { session: found.session, search: found.answer.search, offset: 0, from, limit: 1 })
  if (!page.known || useSearch.getState().found !== found) return
  const none = (page.hits[0]?.start ?? -Infinity) < from
  const target = by > 0 ? (none ? 0 : page.offset) : none ? page.offset : (page.offset + total - 1) % total
  return goTo(found, target)
}

/** Goes to a hit by its number; lists those around it where it is not listed. */
export async function goTo(found: Found, target: number): Promise<void> {
  let { offset, hits } = found
  if (target < offset || target >= offset + hits.length) {
    const around = Math.max(0, Math.min(target - LISTED / 2, found.answer.total - LISTED))
    const page = await request('trace.searchPage', {
      session: found.session,
      search: found.answer.search,
      offset: around,
      from: null,
      limit: LISTED,
    })
    if (!page.known || useSearch.getState().found !== found) return
    ;({ offset, hits } = page)
  }
  const hit = hits[target - offset]
  if (!hit) return
  set({ found: { ...found, offset, hits }, current: target })
  goToSlice(hit)
  showSelected()
}

/** All hits by time, up to the most of a CSV. Rejects where the host does not know the search any more. */
export function allHits({ session, answer: { search, total } }: Found): Promise<readonly SearchHit[]> {
  return allPages(total, PAGE, async (offset, limit) => {
    const page = await request('trace.searchPage', { session, search, offset, from: null, limit })
    if (!page.known) throw new Error('The search is not known any more: search again, then save.')
    return page.hits
  })
}

/** Ends a search that is on its way: the host gives up what nobody waits for. */
export function endSearch(lane: string): void {
  const { session } = useSession.getState()
  if (!useSearch.getState().pending || session === null) return
  set({ pending: false, wish: null })
  const nothing = { query: ' ', regex: false, matchCase: true, fields: { names: false, args: false, stacks: false }, tracks: [], limit: 1 }
  request('trace.search', { session, group: useView.getState().group, ...nothing, lane }).catch(fail)
}
