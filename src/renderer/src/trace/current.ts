/** The controller of the panel that is on the screen, for commands that ask what lies under the pointer. */
import { fullName } from '../../../paint/timeline'
import type { TraceController } from './controller'

let current: TraceController | null = null

export const setCurrent = (c: TraceController | null): void => {
  current = c
}

export const currentTrace = (): TraceController | null => current

/** The edge near the pointer if the cursor stands where the pointer is, else the time itself. */
export const snapToEdge = (t: number): number => current?.snapCursor(t) ?? t

/** Full name of a track of the shown time group, as Neuron Explorer writes it; null for one that is not there. */
export function trackName(id: number): string | null {
  const input = current?.input
  const track = input?.tracks.find(t => t.id === id)
  return input && track ? fullName(track, 'default', input.rows.grouped.names) : null
}
