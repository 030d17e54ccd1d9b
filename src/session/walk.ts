/** The bounded walk of a folder: its files, folder by folder. Links to folders are never followed, links to files only inside the folder. */
import { opendir, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { systemReason } from '../formats/system-error'
import type { Diagnostic } from '../shared/diagnostics'
import { comparePaths, isHiddenName } from './names'

export interface WalkOptions {
  /** Levels of folders below the root that are entered. */
  readonly maxDepth?: number
  /** Entries of folders that are looked at in all. */
  readonly maxEntries?: number
  readonly signal?: AbortSignal
  /** Called once per folder with the entries looked at so far. */
  readonly onProgress?: (entries: number) => void
}

export const MAX_DEPTH = 8
export const MAX_ENTRIES = 50_000

export interface Found {
  /** Relative to the root, forward slashes. */
  readonly path: string
  readonly absolute: string
}

export interface Folder {
  readonly path: string
  readonly files: readonly Found[]
}

export class Walk {
  readonly #root: string
  readonly #o: WalkOptions
  readonly #diagnostics: Diagnostic[]
  readonly #folders: Folder[] = []
  #entries = 0
  #stopped = false
  #tooDeep: string[] = []

  constructor(root: string, options: WalkOptions, diagnostics: Diagnostic[]) {
    this.#root = root
    this.#o = options
    this.#diagnostics = diagnostics
  }

  /** Level by level, so that a limit cuts the deepest folders first. */
  async run(): Promise<readonly Folder[]> {
    const maxDepth = this.#o.maxDepth ?? MAX_DEPTH
    let level = ['.']
    for (let depth = 0; level.length > 0; depth++) {
      const next: string[] = []
      for (const path of level) {
        this.#o.signal?.throwIfAborted()
        const inside = this.#stopped ? [] : await this.#folder(path)
        if (depth < maxDepth) next.push(...inside)
        else this.#tooDeep.push(...inside)
      }
      level = next
    }
    if (this.#stopped) {
      const max = this.#o.maxEntries ?? MAX_ENTRIES
      this.#say(
        'warning',
        'walk-entry-limit',
        '.',
        `The walk stopped after ${max} entries.`,
        'Folders and files beyond that are not listed.',
        'Open a folder further down.',
      )
    }
    if (this.#tooDeep.length > 0)
      this.#say(
        'warning',
        'walk-depth-limit',
        this.#tooDeep[0] as string,
        `Folders deeper than ${maxDepth} levels were not entered: ${this.#tooDeep.length}.`,
        'What they hold is not listed.',
        'Open a folder further down.',
      )
    return this.#folders
  }

  /** Lists one folder; answers the folders inside it. */
  async #folder(path: string): Promise<readonly string[]> {
    const max = this.#o.maxEntries ?? MAX_ENTRIES
    const absolute = path === '.' ? this.#root : join(this.#root, path)
    const files: Found[] = []
    const folders: string[] = []
    const links: string[] = []
    try {
      // Entry by entry, so that a folder with millions of them is not loaded whole.
      for await (const entry of await opendir(absolute)) {
        if (isHiddenName(entry.name)) continue
        if (this.#entries >= max) {
          this.#stopped = true
          break
        }
        this.#entries++
        const inside = path === '.' ? entry.name : `${path}/${entry.name}`
        if (entry.isDirectory()) folders.push(inside)
        else if (entry.isFile()) files.push({ path: inside, absolute: join(absolute, entry.name) })
        else if (entry.isSymbolicLink()) links.push(inside)
      }
    } catch (e) {
      this.#say(
        'warning',
        'folder-unreadable',
        path,
        `The folder cannot be read: ${systemReason(e)}.`,
        'What it holds is not listed.',
        'Check its permissions.',
      )
    }
    for (const link of links.sort(comparePaths)) {
      const target = await this.#link(link)
      if (target) files.push({ path: link, absolute: target })
    }
    if (files.length > 0) this.#folders.push({ path, files: files.sort((a, b) => comparePaths(a.path, b.path)) })
    this.#o.onProgress?.(this.#entries)
    return folders.sort(comparePaths)
  }

  /** The file that a link leads to, when it lies below the root. */
  async #link(path: string): Promise<string | null> {
    try {
      const target = await realpath(join(this.#root, path))
      if (target !== this.#root && !target.startsWith(this.#root.endsWith(sep) ? this.#root : this.#root + sep)) {
        this.#say(
          'warning',
          'link-leaves-root',
          path,
          'The link leads out of the opened folder and is not followed.',
          'Its target is not listed.',
          'Open the target itself, or copy it here.',
        )
        return null
      }
      const s = await stat(target)
      if (s.isFile()) return target
      if (s.isDirectory())
        this.#say(
          'info',
          'link-to-folder',
          path,
          'The link to a folder is not followed.',
          'Its target lies below the opened folder and is walked there.',
          'None needed.',
        )
      return null
    } catch (e) {
      this.#say(
        'warning',
        'link-broken',
        path,
        `The link cannot be followed: ${systemReason(e)}.`,
        'Its target is not listed.',
        'Remove the link or restore its target.',
      )
      return null
    }
  }

  #say(severity: Diagnostic['severity'], code: string, file: string, message: string, meaning: string, action: string): void {
    this.#diagnostics.push(note(severity, code, file, message, meaning, action))
  }
}

/** A diagnostic about a path, not about bytes. */
export const note = (
  severity: Diagnostic['severity'],
  code: string,
  file: string,
  message: string,
  meaning: string,
  action: string,
): Diagnostic => ({ severity, code, file, offset: null, message, meaning, action, count: 1 })
