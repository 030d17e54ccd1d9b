/** The reason of a failed file operation in words for the user. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is nothing of that name',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  EACCES: 'access is denied',
  EPERM: 'access is denied',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  ENOSPC: 'the disk is full',
  EROFS: 'the file system is read-only',
  EIO: 'the disk reports an error',
  EEXIST: 'there is already something of that name',
}

/** The code of a system error (`ENOENT`), '' for anything else. */
export function systemCode(e: unknown): string {
  const code = e instanceof Error && 'code' in e && typeof e.code === 'string' ? e.code : ''
  return /^E[A-Z0-9]+$/.test(code) ? code : ''
}

/** In words; the system's own text where there are none. */
export const systemReason = (e: unknown): string => REASONS[systemCode(e)] ?? (e instanceof Error ? e.message : String(e))
