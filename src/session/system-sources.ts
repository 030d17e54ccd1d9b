/**
 * Several files may tell of the same run: the runtime's own trace, and exports that Neuron Explorer made of it. Drawn together everything would stand there twice, so one is
 * shown and the others can be chosen. The runtime's own comes first, then the export that keeps most.
 */
import type { Diagnostic } from '../shared/diagnostics'
import { num } from '../shared/format'
import { SYSTEM_SOURCES, type SystemSource } from '../shared/system-tables'

export interface SystemCandidate {
  readonly file: string
  readonly path: string
  readonly source: SystemSource
  /** Messages of a runtime trace (a slice has two), rows of an export. */
  readonly messages: number
  /** Slices, instants and halves: what both can be compared by. */
  readonly events: number
}

const WORDS: Readonly<Record<SystemSource, string>> = {
  ntrace: 'runtime trace',
  'explorer-parquet': 'Parquet export',
  'explorer-json': 'JSON export',
  perfetto: 'Perfetto export',
}
export const sourceWords = (s: SystemSource): string => WORDS[s]

/**
 * Files that are shown: all of the chosen kind (a session may have several traces of one kind), none of the others. `chosen` is the file that the user took; null or a file that
 * is gone: the preferred kind that has events, or the first there is.
 */
export function shownSources(all: readonly SystemCandidate[], chosen: string | null): ReadonlySet<string> {
  const taken = all.find(c => c.file === chosen)
  const kind =
    taken?.source ??
    SYSTEM_SOURCES.find(k => all.some(c => c.source === k && c.messages > 0)) ??
    SYSTEM_SOURCES.find(k => all.some(c => c.source === k))
  return new Set(all.filter(c => c.source === kind).map(c => c.file))
}

/** Said where more than one kind is there: which one is shown, and how the numbers of events differ. */
export function severalSources(all: readonly SystemCandidate[], shown: ReadonlySet<string>): readonly Diagnostic[] {
  const kinds = [...new Set(all.map(c => c.source))]
  if (kinds.length < 2) return []
  const count = (k: SystemSource): number => all.filter(c => c.source === k).reduce((n, c) => n + c.events, 0)
  const counts = kinds.map(k => `${WORDS[k]} ${num(count(k))}`)
  const differ = new Set(kinds.map(count)).size > 1
  const first = all.find(c => shown.has(c.file))
  return [
    {
      severity: differ ? 'warning' : 'info',
      code: 'system-several-sources',
      file: first?.path ?? '.',
      offset: null,
      message: `Several files tell of the runtime: ${counts.join(', ')} events.`,
      meaning: `The ${first ? WORDS[first.source] : 'first'} is shown${differ ? '; the numbers differ, so that some of them lack events' : ''}.`,
      action: 'Choose another one in the head of the System Trace.',
      count: kinds.length,
    },
  ]
}
