/** Moves the time window in 220 ms (`--t-slow`), at once with reduced motion. Any other change of the window ends the move. */
import { clampWindow, useView, type TimeWindow } from '../state/view'

const MS = 220
let frame = 0
let silent = false

const ease = (k: number): number => 1 - (1 - k) ** 3

/** True while a change of the window is a step of a silent jump, for those who listen to the store. */
export const isSilent = (): boolean => silent

/** `quiet`: a step of the history itself, which is no new visit. */
export function jump(target: TimeWindow, quiet = false): void {
  cancelAnimationFrame(frame)
  const { window: from, extent } = useView.getState()
  const to = clampWindow(target, extent)
  const show = (window: TimeWindow): void => {
    silent = quiet
    useView.setState({ window })
    silent = false
  }
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    show(to)
    return
  }
  const begin = performance.now()
  let last = from
  const step = (now: number): void => {
    const { window: w } = useView.getState()
    if (w !== last) return // somebody else moved it: theirs counts
    const k = Math.min(1, Math.max(0, (now - begin) / MS))
    const e = ease(k)
    show(k === 1 ? to : { start: from.start + (to.start - from.start) * e, end: from.end + (to.end - from.end) * e })
    last = useView.getState().window
    if (k < 1) frame = requestAnimationFrame(step)
  }
  frame = requestAnimationFrame(step)
}
