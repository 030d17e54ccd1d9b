/** What went wrong below a format (a cut or damaged gzip stream, a read error), as a finding. */
import type { ByteSource } from '../shared/reader'
import type { Finding } from './sniffed'
import type { CheckedSource } from './source'

/** null when all was well, or when the source does not check. To be asked once its chunks have ended. */
export function sourceProblem(source: ByteSource): Finding | null {
  const problem = 'problem' in source ? (source as CheckedSource).problem : null
  if (!problem) return null
  const { code, offset } = problem
  return {
    severity: 'warning',
    code,
    offset,
    message:
      code === 'read-error'
        ? `The file could not be read on: ${problem.message}.`
        : `The compressed stream is cut or damaged: ${problem.message}.`,
    meaning: 'What was decoded before that place is shown.',
    action: code === 'read-error' ? 'Check the disk and read it again.' : 'Copy the file again, or wait until it is written.',
  }
}
