/** Begin events without an end and end events without a begin, as a finding: the window and the terminal say the same. */
import type { Diagnostic } from '../../shared/diagnostics'
import { num } from '../../shared/format'
import type { TraceTable } from '../../shared/tables'
import type { TraceModel } from './model'
import { buildTraceModel } from './tracks'

type Unmatched = Pick<TraceModel, 'unmatched' | 'firstUnmatched'>

/** Phases that come in pairs: B, E and b, e. */
const PAIRED = new Set([0x42, 0x45, 0x62, 0x65])

/** The same as the model's, for those who need nothing else of it: a trace without paired phases, which most are, costs one look at each event. */
export function unmatchedOf(table: TraceTable): Unmatched {
  return table.phase.some(p => PAIRED.has(p)) ? buildTraceModel(table) : { unmatched: { begins: 0, ends: 0 } }
}

/** One finding where any event has no partner, else none. Its offset is that of the first such event: of its args where it has any, else of the event itself. */
export function unmatchedFindings(file: string, found: Unmatched, table: TraceTable | null): readonly Diagnostic[] {
  const { begins, ends } = found.unmatched
  if (begins + ends === 0) return []
  const begin = offsetOfRow(table, found.firstUnmatched?.begin ?? -1)
  const end = offsetOfRow(table, found.firstUnmatched?.end ?? -1)
  const first = [begin, end].filter(o => o !== null)
  const at = (offset: number | null): string => (offset === null ? '' : ` (first at byte ${offset})`)
  return [
    {
      severity: 'info',
      code: 'trace-unmatched',
      file,
      offset: first.length > 0 ? Math.min(...first) : null,
      message: `${num(begins)} begin ${begins === 1 ? 'event has' : 'events have'} no end${at(begin)}, ${num(ends)} end ${ends === 1 ? 'event has' : 'events have'} no begin${at(end)}.`,
      meaning: 'A slice without an end is drawn to the end of its track and marked; one without a begin is marked where it ends.',
      action: 'Expected where recording began or stopped inside a call.',
      count: begins + ends,
    },
  ]
}

/** Where an event stands in the uncompressed stream; null where that is not known. */
function offsetOfRow(table: TraceTable | null, row: number): number | null {
  const offset = table?.argsOffset[row]
  if (offset === undefined) return null
  return offset < 0 ? -1 - offset : offset
}
