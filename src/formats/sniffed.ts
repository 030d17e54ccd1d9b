/** What a sniffer answers about one file. */
import type { FileKind, FileState } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'

export type Finding = Omit<Diagnostic, 'file' | 'count'>

export interface Sniffed {
  readonly kind: FileKind
  readonly state: FileState
  /** Small facts that the looked-at bytes tell, by stable names; {} where they tell none. */
  readonly facts: Readonly<Record<string, unknown>>
  readonly findings: readonly Finding[]
}

export const sniffed = (
  kind: FileKind,
  state: FileState = 'complete',
  facts: Readonly<Record<string, unknown>> = {},
  findings: readonly Finding[] = [],
): Sniffed => ({ kind, state, facts, findings })

/** The finding of a file that ends inside a record. */
export const cutFinding = (message: string, offset: number | null = null): Finding => ({
  severity: 'warning',
  code: 'file-truncated',
  offset,
  message,
  meaning: 'What comes before the cut can be used; what comes after it is missing.',
  action: 'Wait until the run has finished writing, or copy the file again.',
})
