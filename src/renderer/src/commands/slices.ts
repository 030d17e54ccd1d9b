/** The way from a named event to the event itself. */
import type { SliceRef } from '../../../shared/trace-api'
import { useView } from '../state/view'
import { reveal } from './focus'
import { jump } from './jump'

/** Selects an event and brings its start into the window; the window keeps its length. */
export function goToSlice(r: Pick<SliceRef, 'source' | 'row' | 'track' | 'start' | 'duration'>): void {
  const v = useView.getState()
  v.select({ type: 'slice', source: r.source, row: r.row, track: r.track, start: r.start, duration: r.duration ?? 0 })
  const target = reveal(v.window, r.start, v.extent)
  if (target !== v.window) jump(target)
}
