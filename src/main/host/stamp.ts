/** What tells whether a file is still the one that was read. */
import { stat } from 'node:fs/promises'
import type { FileStamp } from './protocol'

/** Size and time of the last change, the latter to the microsecond as the catalog has it. Rejects with the system's error. */
export async function stampOf(path: string): Promise<FileStamp> {
  const s = await stat(path, { bigint: true })
  return { bytes: Number(s.size), mtimeMs: Number(s.mtimeNs / 1000n) / 1000 }
}
