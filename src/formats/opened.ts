/**
 * Whether what was opened is what was checked. A path that was resolved and found to be allowed may lead elsewhere a moment later, when somebody puts a link
 * in the place of the file or of a folder on the way. An open handle cannot be exchanged any more, so the handle is what is looked at.
 */
import { readlink, realpath } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import type { CheckedFile } from '../shared/reader'

/** Something else lies at the path than when it was checked. Its code is shaped like those of the system. */
export class OtherFileError extends Error {
  override readonly name = 'OtherFileError'
  readonly code = 'EMOVED'

  constructor() {
    super('something else took its place while it was opened')
  }
}

/**
 * Rejects with OtherFileError unless the handle is that of the checked file. Where the system tells the place of an open file (Linux), it must be the
 * checked one; a file that was replaced there by a new one of the same place is fine. Elsewhere it must be the same file on the same device, and its path
 * must still be without links.
 */
export async function assertOpened(
  handle: FileHandle,
  at: CheckedFile,
  placeOf: (fd: number) => Promise<string | null> = placeOfOpen,
): Promise<void> {
  const place = await placeOf(handle.fd)
  if (place !== null) {
    if (place !== at.path) throw new OtherFileError()
    return
  }
  const s = await handle.stat({ bigint: true })
  if (String(s.dev) !== at.dev || String(s.ino) !== at.ino) throw new OtherFileError()
  const now = await realpath(at.path).catch(() => null)
  if (now !== at.path) throw new OtherFileError()
}

/** The path of an open file as the system knows it; null where it does not tell. */
async function placeOfOpen(fd: number): Promise<string | null> {
  if (process.platform !== 'linux') return null
  return readlink(`/proc/self/fd/${fd}`).catch(() => null)
}
