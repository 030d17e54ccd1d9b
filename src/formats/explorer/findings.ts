/** Words of what the readers of exports find. */
import type { Diagnostic, DiagnosticSink } from '../../shared/diagnostics'
import type { SchemaCheck, SchemaVerdict, SystemTable } from '../../shared/system-tables'
import type { Built } from './build'

export const NO_VERDICT: SchemaVerdict = { origin: null, framing: null, schema: null, checks: [], unverified: [] }

export const cancelled = (sink: DiagnosticSink): void =>
  sink.add({
    severity: 'info',
    code: 'cancelled',
    message: 'Reading was cancelled.',
    meaning: 'Nothing of this file is shown.',
    action: 'Read it again.',
  })

/** Damage below the format (gzip, disk); true where there is some. */
export function sourceProblem(source: object, sink: DiagnosticSink): boolean {
  const problem = (source as { readonly problem?: { readonly code: string; readonly message: string; readonly offset: number } | null })
    .problem
  if (!problem) return false
  sink.add({
    severity: 'warning',
    code: problem.code,
    offset: problem.offset,
    message: `The file could not be read to its end: ${problem.message}.`,
    meaning: 'What was read before that place is shown.',
    action: 'Copy the file again.',
  })
  return true
}

/** What the builder left out or changed. */
export function tellBuilt(b: Built, sink: DiagnosticSink): void {
  const add = (n: number, severity: Diagnostic['severity'], code: string, message: string, meaning: string): void => {
    if (n > 0)
      sink.add({ severity, code, message, meaning, action: 'None needed; compare with Neuron Explorer where it matters.', count: n })
  }
  add(b.withoutTime, 'warning', 'system-no-time', `${b.withoutTime} events have no readable time.`, 'They are left out.')
  add(
    b.backwards,
    'warning',
    'system-backwards',
    `${b.backwards} events end before they start.`,
    'They are shown as instants at their start.',
  )
  add(
    b.attributesLeft,
    'info',
    'system-attributes-left',
    `${b.attributesLeft} attributes are beyond what is kept.`,
    'They are missing in the details of their events; no time is affected.',
  )
  add(
    b.textsCut,
    'info',
    'system-texts-cut',
    `${b.textsCut} attributes are longer than 65,536 characters.`,
    'They are shown up to that length.',
  )
  add(
    b.blurred ? 1 : 0,
    'warning',
    'system-span',
    'The events lie more than 104 days apart.',
    'Times far from the first are rounded to a few ns.',
  )
}

/** How the times of the table look. */
export function timeCheck(t: Pick<SystemTable, 'count' | 'clock' | 'epochNs'>): SchemaCheck {
  if (t.count === 0) return { name: 'times', ok: true, detail: 'no events' }
  const unix = t.clock === 'unix-nanoseconds'
  return {
    name: 'times',
    ok: unix,
    detail: unix
      ? 'all times are Unix times between 2000 and 2100'
      : `the first time is ${t.epochNs} ns, which is no Unix time of a profile`,
  }
}

export function tellClock(t: SystemTable, sink: DiagnosticSink): void {
  if (t.count === 0 || t.clock === 'unix-nanoseconds') return
  sink.add({
    severity: 'warning',
    code: 'system-not-unix',
    message: `The times are not Unix times: the first is ${t.epochNs} ns.`,
    meaning: 'The events are drawn in their own range and do not line up with other files.',
    action: 'Shift the source by hand, or use an export with Unix times.',
  })
}

/** "N trace events were dropped", as the warnings of Neuron Explorer say it; null where they don't. */
export function droppedOf(message: string): number | null {
  const m = /(\d[\d,]{0,20}) trace events were dropped/.exec(message)
  const n = m ? Number(m[1].replaceAll(',', '')) : NaN
  return Number.isSafeInteger(n) ? n : null
}

export function tellWarning(message: string, sink: DiagnosticSink): void {
  const dropped = droppedOf(message) !== null
  sink.add({
    severity: dropped ? 'warning' : 'info',
    code: dropped ? 'system-dropped' : 'explorer-warning',
    message: `Neuron Explorer warned: ${message.slice(0, 400)}`,
    meaning: dropped
      ? 'The oldest events of some NeuronCores are missing.'
      : 'It stands in the export; what it means for the figures is not known here.',
    action: dropped ? 'Raise max_events_per_nc, filter events, or record for a shorter time.' : 'See the documentation of Neuron Explorer.',
  })
}

/** What an export says about where it was recorded, found row by row. */
export class Origin {
  readonly instances = new Set<string>()
  readonly processes = new Set<number>()

  instance(text: string | null): void {
    if (text !== null && this.instances.size < 10_000) this.instances.add(text)
  }
  process(pid: number): void {
    if (!Number.isNaN(pid) && this.processes.size < 100_000) this.processes.add(pid)
  }
  /** The value where there is one only: a table of several has no place for them. */
  one<T>(set: ReadonlySet<T>): { readonly value: T; readonly how: 'schema' } | null {
    const [value] = set
    return set.size === 1 && value !== undefined ? { value, how: 'schema' } : null
  }
}
