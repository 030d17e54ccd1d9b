/** Names of moments of a replay: the state after an event, by its index or by a word. */
import type { AllocatorModel } from '../model'

export const MOMENT_WORDS = ['start', 'peak', 'end'] as const
/** An event index (-1 is the start state), or a word for one. */
export type Moment = number | (typeof MOMENT_WORDS)[number]

/**
 * Event of a moment: `start` is -1, `peak` the first event with the highest active total (-1 where that is the start state), `end` the last event. Throws RangeError on an index outside
 * the history.
 */
export function eventOf(model: AllocatorModel, moment: Moment): number {
  if (moment === 'start') return -1
  if (moment === 'peak') return model.figures.peakActiveEvent
  if (moment === 'end') return model.events - 1
  if (!Number.isInteger(moment) || moment < -1 || moment >= model.events)
    throw new RangeError(`event ${moment} is outside the history of device ${model.device}: -1 (the start) to ${model.events - 1}`)
  return moment
}

/** Whether an allocation is active in the state after `event`. */
export function isLiveAt(model: Pick<AllocatorModel, 'allocEvent' | 'freeEvent'>, i: number, event: number): boolean {
  const freed = model.freeEvent[i] as number
  return (model.allocEvent[i] as number) <= event && (freed < 0 || freed > event)
}
