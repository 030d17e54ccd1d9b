/**
 * Folders that the user added so that NEFFs are found in them, kept in `neff-folders.json` of the user's folder, and what is in them. A damaged or foreign file counts as empty. Each folder is checked against the
 * served roots every time it is walked; in the browser those outside are neither read nor named.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as v from 'valibot'
import type { SniffCache } from '../../session/look'
import { findNeffs, type AddedNeffs } from '../../session/neff-folders'
import { RequestError } from '../../shared/api'
import type { NeffFolder } from '../../shared/neff-api'
import type { Confinement } from './confine'
import { PathIds } from './ids'
import { writeSettings } from './settings'

export const MAX_FOLDERS = 20
const MAX_BYTES = 256 * 1024
/** A cache may be large and lie on a slow disk: it is not walked at every change of a run that is being written. */
const FRESH_MS = 15_000

const Stored = v.object({ folders: v.array(v.pipe(v.string(), v.minLength(1), v.maxLength(4096))) })

export class NeffFolders {
  readonly #dir: string
  readonly #file: string
  readonly #confine: Confinement
  readonly #ids = new PathIds('folder', 100)
  readonly #cache: SniffCache = new Map()
  /** Set while the file cannot be written: then the list lives as long as the program. */
  #memory: readonly string[] | null = null
  #found: { readonly at: number; readonly folders: string; readonly neffs: Promise<AddedNeffs> } | null = null
  #work: Promise<unknown> = Promise.resolve()

  constructor(userDir: string, confine: Confinement) {
    this.#dir = userDir
    this.#file = join(userDir, 'neff-folders.json')
    this.#confine = confine
  }

  /** The list as the user sees it, in the order in which it was made. */
  async list(): Promise<readonly NeffFolder[]> {
    const all = await Promise.all(
      (await this.#load()).map(async path => ({ id: this.#ids.give(path), path, there: (await this.#real(path)) !== null })),
    )
    return this.#confine.confined ? all.filter(f => f.there) : all
  }

  /** Adds a folder. Throws RequestError for what is none, lies outside the served folders, or is one too many. */
  add(path: string): Promise<void> {
    return this.#after(async () => {
      const real = await this.#confine.check(path)
      if (!(await stat(real)).isDirectory()) throw new RequestError('This is a file; choose the folder that NEFFs lie in.')
      const list = await this.#load()
      if (list.includes(real)) return
      if (list.length >= MAX_FOLDERS) throw new RequestError(`The list has ${MAX_FOLDERS} folders; remove one first.`)
      await this.#save([...list, real])
    })
  }

  /** Takes a folder from the list. Throws RequestError for an unknown id. */
  remove(id: string): Promise<void> {
    const path = this.#ids.take(id)
    return this.#after(async () => this.#save((await this.#load()).filter(f => f !== path)))
  }

  /** The NEFFs in the folders as they were at most some seconds ago; undefined without folders. */
  async neffs(): Promise<AddedNeffs | undefined> {
    const all = await this.#load()
    const folders = this.#confine.confined ? (await Promise.all(all.map(f => this.#real(f)))).filter(f => f !== null) : all
    if (folders.length === 0) return undefined
    const key = folders.join('\0')
    if (!this.#found || this.#found.folders !== key || performance.now() - this.#found.at > FRESH_MS)
      this.#found = { at: performance.now(), folders: key, neffs: findNeffs(folders, { cache: this.#cache }) }
    return this.#found.neffs
  }

  /** The folder if it is still what was added: a link that was put in its place may lead anywhere. */
  async #real(path: string): Promise<string | null> {
    const real = await this.#confine.check(path).catch(() => null)
    return real === path ? real : null
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  async #load(): Promise<readonly string[]> {
    if (this.#memory) return this.#memory
    try {
      const text = await readFile(this.#file, 'utf8')
      if (text.length > MAX_BYTES) return []
      const parsed = v.safeParse(Stored, JSON.parse(text))
      return parsed.success ? [...new Set(parsed.output.folders)].slice(0, MAX_FOLDERS) : []
    } catch {
      return [] // first use, or damaged
    }
  }

  async #save(folders: readonly string[]): Promise<void> {
    this.#found = null
    this.#memory = (await writeSettings(this.#dir, this.#file, { version: 1, folders })) ? null : folders
  }
}
