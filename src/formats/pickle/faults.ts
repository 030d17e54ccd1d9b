/** What a fault of the interpreter or of the JSON scanner means, in the words of a diagnostic. */
import type { Diagnostic } from '../../shared/diagnostics'
import type { Fault } from './builder'

const ACTIONS: Readonly<Record<string, string>> = {
  'pickle-truncated': 'Copy the file again, or wait until the run has finished writing it.',
  'json-truncated': 'Copy the file again, or wait until the run has finished writing it.',
  'json-limit': 'No snapshot comes near this bound. Check where the file comes from.',
  'json-syntax': 'The file is damaged or was changed by hand. Write or copy it again.',
  'pickle-limit': 'No snapshot that PyTorch writes comes near this bound. Check where the file comes from.',
  'pickle-buffer': 'Write the file with pickle.dump and without buffer_callback.',
  'pickle-protocol': 'Write the file with pickle protocol 5 or lower.',
}

/** Diagnostic of a fault. `meaning` says what was read before it. */
export const faultDiagnostic = (fault: Fault, meaning: string): Omit<Diagnostic, 'file' | 'count'> => ({
  severity: fault.code.endsWith('-truncated') ? 'warning' : 'error',
  code: fault.code,
  offset: fault.offset,
  message: `At byte ${fault.offset}: ${fault.message}.`,
  meaning,
  action: ACTIONS[fault.code] ?? 'The file is damaged or is no pickle. Copy it again, or check where it comes from.',
})
