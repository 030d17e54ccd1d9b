/** The controller of the panel that is on the screen, for commands that ask what lies under the pointer. */
import type { TraceController } from './controller'

let current: TraceController | null = null

export const setCurrent = (c: TraceController | null): void => {
  current = c
}

export const currentTrace = (): TraceController | null => current

/** The edge near the pointer if the cursor stands where the pointer is, else the time itself. */
export const snapToEdge = (t: number): number => current?.snapCursor(t) ?? t
