/** Annotations of the program around the visible window, one answer for all panels. */
import { create } from 'zustand'
import type { Band } from '../../../paint/bands'
import { fail, request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { useBands } from './state'

interface Asked {
  readonly session: string
  readonly version: number
  readonly group: number
  /** What was asked for: the window with its own length on both sides. */
  readonly start: number
  readonly end: number
}

export const NO_ANNOTATIONS: readonly Band[] = []

export const useAnnotations = create<{ readonly bands: readonly Band[] }>()(() => ({ bands: NO_ANNOTATIONS }))

const WAIT_MS = 80
const WIDTH = 1600

/** Whether what was asked still serves a window: it lies inside, and is not so much shorter that narrower bands have come into sight. */
export const serves = (asked: { readonly start: number; readonly end: number }, w: TimeWindow): boolean =>
  w.start >= asked.start && w.end <= asked.end && (asked.end - asked.start) / (w.end - w.start) < 6

/** Keeps the annotations in step with the window. Answers a function that stops it. */
export function followAnnotations(): () => void {
  let asked: Asked | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const ask = (): void => {
    const { window: w, group } = useView.getState()
    const { view } = useSession.getState()
    if (!view || !useBands.getState().on || !view.groups.some(g => g.id === group)) return
    const now: Asked = {
      session: view.session,
      version: view.version,
      group,
      start: w.start - (w.end - w.start),
      end: w.end + (w.end - w.start),
    }
    asked = now
    request('trace.bands', { session: now.session, group, start: now.start, end: now.end, width: WIDTH * 3 })
      .then(a => asked === now && useAnnotations.setState({ bands: a.bands }))
      .catch(fail)
  }
  const check = (): void => {
    const { window: w, group } = useView.getState()
    const { view } = useSession.getState()
    if (!view || !useBands.getState().on) {
      asked = null
      if (useAnnotations.getState().bands.length > 0) useAnnotations.setState({ bands: NO_ANNOTATIONS })
      return
    }
    const same = asked?.session === view.session && asked.group === group
    if (asked && !same) useAnnotations.setState({ bands: NO_ANNOTATIONS })
    if (asked && same && asked.version === view.version && serves(asked, w)) return
    clearTimeout(timer)
    timer = setTimeout(ask, WAIT_MS)
  }
  const off = [
    useView.subscribe((s, was) => {
      if (s.window !== was.window || s.group !== was.group) check()
    }),
    useSession.subscribe((s, was) => {
      if (s.view !== was.view) check()
    }),
    useBands.subscribe(check),
  ]
  return () => {
    clearTimeout(timer)
    off.forEach(f => f())
  }
}
