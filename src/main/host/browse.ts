/**
 * The picker of the browser shell: folders and files below the served roots, by ids. Links that lead out of the roots are not listed, and each id
 * is checked again when it is used.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { BrowseAnswer, BrowseEntry } from '../../shared/api'
import { RequestError } from '../../shared/api'
import { accessReason, type Confinement } from './confine'
import { PathIds } from './ids'

const MAX_ENTRIES = 1000
/** Stats at a time; a slow file system is not flooded. */
const AT_ONCE = 32

export interface BrowserOptions {
  readonly confine: Confinement
  /** Whether a file of this name may be one of a known kind. */
  readonly known: (name: string) => boolean
}

export class Browse {
  readonly #o: BrowserOptions
  readonly #ids = new PathIds('folder or file')

  constructor(options: BrowserOptions) {
    this.#o = options
  }

  /** The path of an entry that was listed. Throws RequestError for an unknown id. */
  path(id: string): string {
    return this.#ids.take(id)
  }

  /** Entries of a folder, folders first, newest first; null lists the served roots. `any`: files of every kind, not only known ones. Throws RequestError. */
  async list(id: string | null, any = false): Promise<BrowseAnswer> {
    const { confine } = this.#o
    if (id === null) {
      const entries = await Promise.all(confine.roots.map(r => this.#entry(r, r)))
      return { folder: null, entries: entries.filter(e => e !== null), cut: null }
    }
    const path = this.#ids.take(id)
    const real = await confine.check(path)
    let names: readonly string[]
    try {
      const all = await readdir(real, { withFileTypes: true })
      names = all.filter(e => !e.name.startsWith('.') && (!e.isFile() || any || this.#o.known(e.name))).map(e => e.name)
    } catch (e) {
      throw new RequestError(accessReason(e))
    }
    const entries: BrowseEntry[] = []
    const shown = [...names].sort((a, b) => b.localeCompare(a, 'en', { numeric: true })).slice(0, MAX_ENTRIES)
    let out = 0
    for (let i = 0; i < shown.length; i += AT_ONCE)
      for (const e of await Promise.all(shown.slice(i, i + AT_ONCE).map(n => this.#entry(join(path, n), n, any)))) {
        if (e) entries.push(e)
        else out++
      }
    entries.sort((a, b) => (a.type === b.type ? b.mtimeMs - a.mtimeMs || a.name.localeCompare(b.name) : a.type === 'folder' ? -1 : 1))
    const cut = [
      names.length > shown.length ? `Only ${MAX_ENTRIES} of ${names.length.toLocaleString('en-US')} entries are listed.` : '',
      out > 0 ? `${out} ${out === 1 ? 'entry is' : 'entries are'} not listed: outside the served folders, or not accessible.` : '',
    ].filter(Boolean)
    const isRoot = confine.roots.includes(path)
    return {
      folder: { id, name: isRoot ? path : basename(path), parent: isRoot ? null : this.#ids.give(dirname(path)) },
      entries,
      cut: cut.length ? cut.join(' ') : null,
    }
  }

  async #entry(path: string, name: string, any = false): Promise<BrowseEntry | null> {
    try {
      const s = await stat(await this.#o.confine.check(path))
      if (!s.isDirectory() && !s.isFile()) return null
      const type = s.isDirectory() ? 'folder' : 'file'
      // A link to a file of another name: judged by the name that is listed.
      if (type === 'file' && path !== name && !any && !this.#o.known(name)) return null
      return { id: this.#ids.give(path), name, type, bytes: s.isFile() ? s.size : null, mtimeMs: s.mtimeMs }
    } catch {
      return null
    }
  }
}
