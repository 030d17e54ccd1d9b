/** Where the selection lies in time. */
import type { TimeWindow } from '../state/view'
import { request, useSession } from '../state/session'
import { useView } from '../state/view'

/** Whether what is selected may lie somewhere in time. */
export const hasPlace = (): boolean => {
  const s = useView.getState().selection
  return s !== null && s.type !== 'file'
}

/**
 * Start and end of the selection, ns of the group's frame; null where it has none (an allocation without times, or the selection has changed while the host was asked).
 * Of an allocation that was live before or after the recording the ends of the data stand for what is not known.
 */
export async function selectedRange(): Promise<TimeWindow | null> {
  const { selection: s, extent } = useView.getState()
  const { session, view } = useSession.getState()
  if (!s || !session) return null
  switch (s.type) {
    case 'slice':
      return { start: s.start, end: s.start + s.duration }
    case 'range':
      return { start: s.start, end: s.end }
    case 'allocation': {
      const info = view?.allocators.find(a => a.id === s.allocator)
      if (!info || info.group !== useView.getState().group) return null
      const a = await request('memory.allocation', { session, allocator: s.allocator, allocation: s.allocation })
      return whole(s, a.allocTime, a.freeCompletedTime, extent)
    }
    case 'runtime': {
      const info = view?.hbm?.find(h => h.id === s.hbm)
      if (!info || info.group !== useView.getState().group) return null
      const a = await request('hbm.allocation', { session, hbm: s.hbm, allocation: s.allocation })
      return whole(s, a.allocTime, a.freeTime, extent)
    }
    case 'file':
      return null
  }
}

const whole = (asked: unknown, start: number | null, end: number | null, extent: TimeWindow): TimeWindow | null =>
  useView.getState().selection === asked ? { start: start ?? extent.start, end: end ?? extent.end } : null
