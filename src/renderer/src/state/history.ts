/**
 * The windows that were looked at, one after the other: back and forth as in a browser. Movements that follow each other at once are one step, and so are small moves to the
 * side. Times are kept with the origin that they count from, so that they stay right when an earlier source moves it.
 */
import { create } from 'zustand'
import { isSilent, jump } from '../commands/jump'
import { useSession } from './session'
import { useView, type Selection, type TimeWindow } from './view'

export interface Visit {
  readonly window: TimeWindow
  /** Unix ns that the window's times count from. */
  readonly origin: bigint
  /** What was selected, where a link moved selection and window together; absent: going there leaves the selection alone. */
  readonly selection?: Selection | null
}

export interface History {
  readonly past: readonly Visit[]
  /** null before anything was shown. */
  readonly present: Visit | null
  readonly future: readonly Visit[]
  /** When the present was last moved, ms; -Infinity for one that was arrived at. */
  readonly movedAt: number
}

/** Movements closer together than this are one, ms. */
const QUIET = 500
const MOST = 200

export const NO_HISTORY: History = { past: [], present: null, future: [], movedAt: -Infinity }

const near = (a: TimeWindow, b: TimeWindow): boolean => {
  const slack = (b.end - b.start) * 1e-6
  return Math.abs(a.start - b.start) <= slack && Math.abs(a.end - b.end) <= slack
}
const isPan = (a: TimeWindow, b: TimeWindow): boolean => Math.abs(a.end - a.start - (b.end - b.start)) <= (b.end - b.start) * 1e-6

/** The window of a visit in the times of today's origin. */
export function windowAt(v: Visit, origin: bigint): TimeWindow {
  const shift = Number(v.origin - origin)
  return { start: v.window.start + shift, end: v.window.end + shift }
}

/** The history after the user moved to a window at `now` (ms). `before`: what was selected until a moment ago, where that changed along with the window. */
export function visit(h: History, next: Visit, now: number, before?: Selection | null): History {
  if (!h.present) return { ...h, present: next }
  if (near(next.window, windowAt(h.present, next.origin))) return h
  const last = h.past[h.past.length - 1]
  const here = windowAt(h.present, next.origin)
  const from = last && windowAt(last, next.origin)
  // Steps to the side count as one until they have led a whole window away.
  const aside =
    from !== undefined && isPan(from, here) && isPan(here, next.window) && Math.abs(next.window.start - from.start) < here.end - here.start
  if (now - h.movedAt < QUIET || aside) return { ...h, present: next, future: [], movedAt: now }
  const left: Visit = before === undefined ? h.present : { ...h.present, selection: before }
  return { past: [...h.past, left].slice(-MOST), present: next, future: [], movedAt: now }
}

/** One step back; null where there is none. `selection`: what is selected now, kept for the way forth where the step takes the selection along. */
export function back(h: History, selection: Selection | null): History | null {
  const last = h.past[h.past.length - 1]
  if (!last || !h.present) return null
  const here = last.selection === undefined ? h.present : { ...h.present, selection }
  return { past: h.past.slice(0, -1), present: last, future: [here, ...h.future], movedAt: -Infinity }
}

/** One step forth; null where there is none. */
export function forth(h: History, selection: Selection | null): History | null {
  const [next, ...future] = h.future
  if (!next || !h.present) return null
  const here = next.selection === undefined ? h.present : { ...h.present, selection }
  return { past: [...h.past, here], present: next, future, movedAt: -Infinity }
}

export const useHistory = create<History>()(() => NO_HISTORY)

const originNow = (): bigint => {
  const { group } = useView.getState()
  return useSession.getState().view?.groups.find(g => g.id === group)?.originNs ?? 0n
}

function go(next: History | null): void {
  if (!next?.present) return
  useHistory.setState(next)
  if (next.present.selection !== undefined) useView.getState().select(next.present.selection)
  jump(windowAt(next.present, originNow()), true)
}

export const goBack = (): void => go(back(useHistory.getState(), useView.getState().selection))
export const goForth = (): void => go(forth(useHistory.getState(), useView.getState().selection))
export const canGoBack = (): boolean => useHistory.getState().past.length > 0
export const canGoForth = (): boolean => useHistory.getState().future.length > 0

/** Starts to remember the windows. Answers a function that stops it. */
export function followHistory(): () => void {
  /** The selection of before its last change, and when that was. */
  let selected: { readonly before: Selection | null; readonly at: number } = { before: null, at: -Infinity }
  const offSession = useSession.subscribe((s, was) => {
    if (s.session !== was.session) useHistory.setState(NO_HISTORY)
  })
  const offView = useView.subscribe((s, was) => {
    const now = performance.now()
    if (s.selection !== was.selection) selected = { before: was.selection, at: now }
    if (s.window === was.window) return
    const here: Visit = { window: s.window, origin: originNow() }
    const h = useHistory.getState()
    if (s.group !== was.group) useHistory.setState({ ...NO_HISTORY, present: here })
    else if (s.extent !== was.extent) {
      // The data grew: the window stands where it stood, what was selected may have another number.
      const plain = (v: Visit): Visit => ({ window: v.window, origin: v.origin })
      useHistory.setState({ past: h.past.map(plain), present: here, future: h.future.map(plain), movedAt: -Infinity })
    } else if (!isSilent()) useHistory.setState(visit(h, here, now, now - selected.at < 50 ? selected.before : undefined))
  })
  return () => {
    offSession()
    offView()
  }
}
