/**
 * Which paths the host may read. In the desktop the user picks; in the browser only what lies below the served roots is read, and this is checked
 * on the resolved path each time a file or folder is opened, so that a link that appears later leads nowhere either. Between this check and the opening
 * there is still a moment: who opens a file is given what was checked, and looks at what it has opened (src/formats/opened.ts).
 */
import { realpath, stat } from 'node:fs/promises'
import { resolve, sep } from 'node:path'
import { RequestError } from '../../shared/api'
import type { CheckedFile } from '../../shared/reader'

export class Confinement {
  readonly #roots: readonly string[] | null
  readonly #extra = new Set<string>()

  /** `roots`: absolute, null for no limit. */
  constructor(roots: readonly string[] | null) {
    this.#roots = roots === null ? null : roots.map(r => resolve(r))
  }

  /** True when reading is limited to the served roots. */
  get confined(): boolean {
    return this.#roots !== null
  }

  /** The served roots as they are named on the command line; empty when not confined. */
  get roots(): readonly string[] {
    return this.#roots ?? []
  }

  /** Lets a folder of the host's own making be read too (the bundled sample). */
  allow(path: string): void {
    this.#extra.add(resolve(path))
  }

  /** The real path of `path`. Throws RequestError where it is gone, not accessible, or outside the served roots; the text names no path outside. */
  async check(path: string): Promise<string> {
    const real = await resolved(path)
    if (this.#roots === null) return real
    for (const root of [...this.#roots, ...this.#extra]) {
      const base = await resolved(root).catch(() => null)
      if (base !== null && isBelow(base, real)) return real
    }
    throw new RequestError('This lies outside the served folders and is not read.')
  }
}

/** What is opened must be this file. Rejects with RequestError where it is gone. `path`: checked, without links. */
export async function identify(path: string): Promise<CheckedFile> {
  try {
    const { dev, ino } = await stat(path, { bigint: true })
    return { path, dev: String(dev), ino: String(ino) }
  } catch (e) {
    throw new RequestError(accessReason(e))
  }
}

/** Whether `path` is `root` or lies below it. Both absolute and resolved. */
export function isBelow(root: string, path: string): boolean {
  if (root === path) return true
  return path.startsWith(root.endsWith(sep) ? root : root + sep)
}

async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (e) {
    throw new RequestError(accessReason(e))
  }
}

/** Why a path cannot be opened, as a sentence for the user. */
export function accessReason(e: unknown): string {
  const code = e instanceof Error && 'code' in e ? e.code : null
  switch (code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return 'It is no longer there.'
    case 'EACCES':
    case 'EPERM':
      return 'Access is denied.'
    case 'ELOOP':
      return 'It is a link that leads back to itself.'
    case 'ENAMETOOLONG':
      return 'Its path is too long.'
    default:
      return `It cannot be opened${e instanceof Error ? `: ${e.message}` : ''}.`
  }
}
