/** The life of an allocation in words. What was not recorded is said, never shown as 0. */
import type { Axis } from '../../../shared/api'
import { duration, num, timeMs } from '../../../shared/format'

export interface Life {
  /** Part of the start state. */
  readonly start: boolean
  /** Positions on the axis; NaN where outside the recording. */
  readonly from: number
  readonly to: number
}

/** Range and length, e.g. `686.305 – 760.125 ms` and `73.820 ms`; `since before the recording`; `still live at the end`. */
export function lifeWords(
  axis: Axis,
  life: Life,
  pendingFree: boolean | null = false,
): { readonly range: string; readonly lifetime: string } {
  const { start, from, to } = life
  const openEnd = Number.isNaN(to)
  const end = openEnd ? (pendingFree ? 'pending at end' : 'live at end') : ''
  if (axis === 'event') {
    const a = start ? 'before recording' : `event ${num(from)}`
    const b = openEnd ? end : start ? `event ${num(to)}` : num(to)
    return { range: `${a} – ${b}`, lifetime: start || openEnd ? '—' : `${num(to - from)} ${to - from === 1 ? 'event' : 'events'}` }
  }
  const a = start ? 'before recording' : Number.isNaN(from) ? '—' : openEnd ? timeMs(from) : num(from / 1e6, 3)
  const b = openEnd ? end : timeMs(to)
  return { range: `${a} – ${b}`, lifetime: Number.isNaN(from) || openEnd ? '—' : duration(to - from) }
}
