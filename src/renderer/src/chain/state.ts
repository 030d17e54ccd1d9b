/** The chain of the selected event: asked once for details, tables, arrows and keys. */
import { create } from 'zustand'
import type { ChainAnswer, ChainEvent } from '../../../shared/trace-api'
import type { Arrow } from '../../../paint/timeline/arrows'
import { goToSlice } from '../commands/slices'
import { switchGroup } from '../shell/follow'
import { fail, request, useSession } from '../state/session'
import { useView, type Selection } from '../state/view'

export interface ChainState {
  /** What `answer` or `error` is about; '' for nothing. */
  readonly key: string
  readonly answer: ChainAnswer | null
  readonly error: string | null
}

const NOTHING: ChainState = { key: '', answer: null, error: null }
export const useChain = create<ChainState>()(() => NOTHING)

/** Key of the selected event; '' where none is selected. */
export function chainKey(selection: Selection | null, session: string | null, version: number): string {
  return selection?.type === 'slice' && session !== null ? `${session}/${version}/${selection.source}/${selection.row}` : ''
}

const keyNow = (): string => {
  const { session, view } = useSession.getState()
  return view ? chainKey(useView.getState().selection, session, view.version) : ''
}

/** Steps through many events do not ask for each, ms. */
const REST = 60
let asked = ''
let timer: ReturnType<typeof setTimeout> | undefined

function follow(): void {
  const key = keyNow()
  if (key === asked) return
  asked = key
  clearTimeout(timer)
  if (key === '') {
    useChain.setState(NOTHING)
    return
  }
  timer = setTimeout(() => void ask(key), REST)
}

async function ask(key: string): Promise<void> {
  const { session } = useSession.getState()
  const s = useView.getState().selection
  if (session === null || s?.type !== 'slice' || keyNow() !== key) return
  try {
    const answer = await request('trace.chain', { session, source: s.source, row: s.row })
    if (keyNow() === key) useChain.setState({ key, answer, error: null })
  } catch (e) {
    if (keyNow() === key) useChain.setState({ key, answer: null, error: e instanceof Error ? e.message : String(e) })
  }
}

/** Asks again for what is selected. */
export function askAgain(): void {
  const key = keyNow()
  if (key !== '') void ask(key)
}

/** Keeps the chain of the selection; answers what ends that. Called by the timeline, which draws the arrows. */
export function watchChain(): () => void {
  follow()
  const stop = [useView.subscribe(follow), useSession.subscribe(follow)]
  return () => {
    stop.forEach(f => f())
    clearTimeout(timer)
    asked = ''
  }
}

/** The answer about what is selected now; null while there is none. */
export const chainNow = (): ChainAnswer | null => {
  const { key, answer } = useChain.getState()
  return key !== '' && key === keyNow() ? answer : null
}

let drawn: { readonly of: ChainAnswer; readonly group: number; readonly arrows: readonly Arrow[] } | null = null
const NONE: readonly Arrow[] = []

/** Arrows of the selected event, nearest first. What only encloses what is seen by its place and has none. */
export function arrowsNow(): readonly Arrow[] {
  const answer = chainNow()
  const { group } = useView.getState()
  if (!answer) return NONE
  if (drawn?.of === answer && drawn.group === group) return drawn.arrows
  const tracks = useSession.getState().view?.tracks ?? []
  const here = new Set(tracks.filter(t => t.group === group).map(t => t.id))
  const mark = (e: ChainEvent): Arrow['from'] => ({ track: e.track, lane: e.lane, start: e.start, duration: e.duration ?? 0 })
  const { id } = answer.event
  const links = [...answer.downstream, ...answer.upstream].filter(
    l => !(l.by === 'parent' && l.value === '') && here.has(l.from.track) && here.has(l.to.track),
  )
  const arrows = links.map((l): Arrow => ({
    from: mark(l.from),
    to: mark(l.to),
    direct: l.from.id === id || l.to.id === id,
    inferred: l.inferred,
  }))
  drawn = { of: answer, group, arrows: [...arrows.filter(a => a.direct), ...arrows.filter(a => !a.direct)] }
  return drawn.arrows
}

/** Selects an event of a chain and brings it into the window, in its own time range. */
export function goToEvent(e: ChainEvent): void {
  const track = useSession.getState().view?.tracks.find(t => t.id === e.track)
  if (track && track.group !== null && track.group !== useView.getState().group) switchGroup(track.group)
  goToSlice(e)
}

/** Selects the nearest event up or down the chain. While its answer is on its way it is waited for. */
export async function followChain(down: boolean): Promise<void> {
  const s = useView.getState().selection
  const { session } = useSession.getState()
  if (s?.type !== 'slice' || session === null) return
  try {
    const answer = chainNow() ?? (await request('trace.chain', { session, source: s.source, row: s.row }))
    if (useView.getState().selection !== s) return
    const next = down ? answer.downstream[0]?.to : answer.upstream[0]?.from
    if (next) goToEvent(next)
  } catch (e) {
    fail(e)
  }
}
