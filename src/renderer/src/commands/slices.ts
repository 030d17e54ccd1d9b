/** The way from a named event to the event itself. */
import type { SliceRef } from '../../../shared/trace-api'
import { useView } from '../state/view'
import { currentTrace } from '../trace/current'
import { reveal } from './focus'
import { jump } from './jump'

/** Selects an event, brings its start into the window and its row into sight; the window keeps its length. `lane`: its level, where it is known. */
export function goToSlice(r: Pick<SliceRef, 'source' | 'row' | 'track' | 'start' | 'duration'> & { readonly lane?: number }): void {
  const v = useView.getState()
  v.select({ type: 'slice', source: r.source, row: r.row, track: r.track, start: r.start, duration: r.duration ?? 0 })
  const target = reveal(v.window, r.start, v.extent)
  if (target !== v.window) jump(target)
  currentTrace()?.reveal(r.track, r.lane ?? 0)
}
