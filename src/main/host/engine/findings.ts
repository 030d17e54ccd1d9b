/** What the models found out about a file, for the diagnostics panel: whatever is not drawn or does not add up is told with its count. */
import type { AllocatorModel } from '../../../analysis/allocator/model'
import type { TraceModel } from '../../../analysis/trace/model'
import { unmatchedFindings } from '../../../analysis/trace/unmatched'
import type { Diagnostic } from '../../../shared/diagnostics'
import { exactBytes, num } from '../../../shared/format'
import type { TraceTable } from '../../../shared/tables'

/** Steps of a trace that the view names; more would make each view long, and no screen can label them. */
export const MAX_STEPS = 5000

/** `table`: where events stand in the file; null where that is not known. */
export function traceFindings(file: string, model: TraceModel, table: TraceTable | null = null): readonly Diagnostic[] {
  const out: Diagnostic[] = []
  const skipped = Object.entries(model.skipped).filter(([, n]) => n > 0)
  const total = skipped.reduce((n, [, k]) => n + k, 0)
  if (total > 0)
    out.push({
      severity: 'warning',
      code: 'trace-events-not-shown',
      file,
      offset: null,
      message: `${num(total)} ${total === 1 ? 'event stands' : 'events stand'} on no track: ${skipped.map(([why, n]) => `${why} (${num(n)})`).join(', ')}.`,
      meaning: 'They are not drawn; all others are.',
      action: 'None needed, unless you look for these events.',
      count: total,
    })
  if (model.steps.length > MAX_STEPS)
    out.push({
      severity: 'info',
      code: 'trace-steps-cut',
      file,
      offset: null,
      message: `The trace has ${num(model.steps.length)} profiler steps; the first ${num(MAX_STEPS)} are marked.`,
      meaning: 'Later steps are slices on their tracks like any other.',
      action: 'None needed.',
      count: model.steps.length - MAX_STEPS,
    })
  out.push(...unmatchedFindings(file, model, table))
  return out
}

/** `complete`: the file was read to its end; where it was not, the missing events are in the file and not in a longer recording. */
export function replayFindings(file: string, model: AllocatorModel, complete = true): readonly Diagnostic[] {
  const out: Diagnostic[] = []
  const { selfCheck, retired, unknownFrees, unknownFreeBytes } = model.figures
  const device = `Device ${model.device}`
  if (!selfCheck.ok)
    out.push({
      severity: 'warning',
      code: 'replay-differs-from-table',
      file,
      offset: null,
      message: `${device}: the history ends with ${exactBytes(selfCheck.replayBytes)} active, the segment table has ${exactBytes(selfCheck.tableBytes)}.`,
      meaning: 'Events are missing from the history or the file; the curve may be off by the difference.',
      action: complete
        ? 'Record with a larger max_entries, or take the snapshot while nothing is allocated or freed.'
        : 'The file ends early: copy it again, or wait until the run has finished writing it.',
      count: 1,
    })
  if (retired > 0)
    out.push({
      severity: 'info',
      code: 'replay-address-reused',
      file,
      offset: null,
      message: `${device}: ${num(retired)} ${retired === 1 ? 'allocation was' : 'allocations were'} made at an address that was still live.`,
      meaning: 'The earlier one counts as freed at that event: its free is missing from the history.',
      action: 'None needed.',
      count: retired,
    })
  if (unknownFrees > 0)
    out.push({
      severity: 'info',
      code: 'replay-unknown-frees',
      file,
      offset: null,
      message: `${device}: ${num(unknownFrees)} ${unknownFrees === 1 ? 'free' : 'frees'} (${exactBytes(unknownFreeBytes)}) of memory that was allocated before the recording.`,
      meaning: 'These bytes belong to the start state; where they were allocated is not known.',
      action: 'Start recording earlier, or with a larger max_entries, to see them.',
      count: unknownFrees,
    })
  return out
}
