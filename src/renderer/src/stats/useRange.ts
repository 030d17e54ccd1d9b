/** What a range holds besides slices, from the host. */
import type { RangeAnswer } from '../../../shared/trace-api'
import { request } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { laneId, type LaneState } from './lane'
import { useLane } from './useLane'

export type RangeState = LaneState<TimeWindow, RangeAnswer> & { readonly retry: () => void }

/** @param lane name of the place that asks, so that two of them don't end each other's questions */
export function useRange(lane: string, range: TimeWindow | null): RangeState {
  const group = useView(s => s.group)
  return useLane<TimeWindow, RangeAnswer>(`${group}`, range ? `${range.start},${range.end}` : '', range, (session, q) =>
    request('trace.range', { session, group, start: q.start, end: q.end, lane: laneId(lane) }),
  )
}
