/** What the text of "go to time" means, and whether there is anything to see there. Pure. */
import { timeMs } from '../../../shared/format'
import type { TimeWindow } from '../state/view'
import { parseTime, type TimeContext } from '../time/parse'

export interface Target {
  readonly start: number
  /** null: a moment. */
  readonly end: number | null
}

export type ReadTarget = ({ readonly ok: true } & Target) | { readonly ok: false; readonly error: string }

/** A time, or two with `..` between them (in any order). The second may be relative: `10 ms .. +5 ms` is 5 ms long. */
export function readTarget(text: string, context: TimeContext, extent: TimeWindow): ReadTarget {
  const parts = text.split('..')
  if (parts.length > 2) return { ok: false, error: 'One time, or two with .. between them.' }
  const first = parseTime(parts[0], context)
  if (!first.ok) return first
  const second = parts.length === 2 ? parseTime(parts[1], { ...context, from: first.at }) : null
  if (second && !second.ok) return second
  const [start, end] = second ? [Math.min(first.at, second.at), Math.max(first.at, second.at)] : [first.at, null]
  if (end !== null && end === start) return { ok: false, error: 'Both times are the same: there is no range between them.' }
  if (start > extent.end || (end ?? start) < extent.start)
    return { ok: false, error: `${timeMs(start)} lies ${start > extent.end ? 'after the end' : 'before the begin'} of the data.` }
  return { ok: true, start, end }
}
