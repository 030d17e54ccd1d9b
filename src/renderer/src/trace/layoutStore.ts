/** How the tracks of the open session are laid out: read from the host when it opens, written back a moment after each change. What names no track (any more) is kept. */
import { create } from 'zustand'
import type { TrackLayout } from '../../../shared/trace-api'
import { DEFAULT_LAYOUT } from '../../../paint/timeline'
import { fail, request, useSession } from '../state/session'

export type Change = (l: TrackLayout) => TrackLayout

export interface LayoutState {
  readonly session: string | null
  /** Whether the host has told how they were left; until then changes are remembered and made again on what it tells. */
  readonly known: boolean
  readonly layout: TrackLayout
}

export const useLayout = create<LayoutState>()(() => ({ session: null, known: false, layout: DEFAULT_LAYOUT }))

const SAVE_MS = 400
let timer: ReturnType<typeof setTimeout> | undefined
/** What is to be written; null when the host has the last state. */
let unsaved: { readonly session: string; readonly layout: TrackLayout } | null = null
let early: Change[] = []

/** Writes at once what was changed. */
export function saveLayout(): void {
  clearTimeout(timer)
  const now = unsaved
  unsaved = null
  if (now) request('layout.set', { session: now.session, layout: now.layout }).catch(fail)
}

/** Changes the layout of the open session. Answers false where nothing changed. */
export function changeLayout(change: Change): boolean {
  const { session, known, layout } = useLayout.getState()
  const next = change(layout)
  if (session === null || next === layout) return false
  useLayout.setState({ layout: next })
  if (known) keep(session, next)
  else early.push(change)
  return true
}

function keep(session: string, layout: TrackLayout): void {
  unsaved = { session, layout }
  clearTimeout(timer)
  timer = setTimeout(saveLayout, SAVE_MS)
}

async function load(session: string | null): Promise<void> {
  // What was changed in the session before is written to that one.
  saveLayout()
  early = []
  useLayout.setState({ session, known: false, layout: DEFAULT_LAYOUT })
  if (session === null) return
  const { layout: kept } = await request('layout.get', { session })
  const s = useLayout.getState()
  if (s.session !== session || s.known) return // another one was opened meanwhile
  const changes = early
  early = []
  const layout = changes.reduce((l, change) => change(l), kept ?? DEFAULT_LAYOUT)
  useLayout.setState({ known: true, layout })
  if (changes.length > 0) keep(session, layout)
}

/** Follows the open session. Answers a function that stops it. */
export function followLayout(): () => void {
  const to = (session: string | null): void => void load(session).catch(fail)
  // The host knows of a session once it has answered with a view of it.
  const shown = (s: { readonly view: { readonly session: string } | null }): string | null => s.view?.session ?? null
  to(shown(useSession.getState()))
  const stop = useSession.subscribe((s, was) => shown(s) !== shown(was) && to(shown(s)))
  // Closing the window does not wait for the timer.
  const leave = (): void => saveLayout()
  addEventListener('pagehide', leave)
  return () => {
    stop()
    removeEventListener('pagehide', leave)
    saveLayout()
  }
}
