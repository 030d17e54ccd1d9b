/**
 * Finds the sessions below a folder: `<root>/<instance-id>_pid_<pid>/<timestamp>/`, or any part of that opened by itself, or one single file. A folder that directly holds a file of a known kind is a
 * session; the other regular files beside it are listed as `unknown`. Files of folders without any known file are counted, not listed.
 *
 * Links: a link to a folder is never followed (inside the root its target is listed anyway). A link to a file is followed only when the file lies below the root.
 */
import { createHash, randomBytes } from 'node:crypto'
import { opendir, realpath, stat } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { systemReason } from '../formats/system-error'
import { sniffEmpty, sniffFile, type SniffResult } from '../formats/sniff'
import type { Catalog, CatalogFile, CatalogSession } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { modesOf } from './modes'
import { compareNames, isHiddenName, placeOfNames, rankOfName } from './names'

/** What sniffing found, kept between walks: a file that did not change (device, inode, size, time of change) is not opened again. Entries of files that are gone are dropped. */
export type SniffCache = Map<string, { readonly stamp: string; readonly result: SniffResult }>

export interface DiscoverOptions {
  /** Levels of folders below the root that are entered. */
  readonly maxDepth?: number
  /** Entries of folders that are looked at in all. */
  readonly maxEntries?: number
  /** Mixed into the ids; random per process by default, so that ids of one run mean nothing to another. */
  readonly salt?: string
  readonly cache?: SniffCache
  readonly signal?: AbortSignal
  /** Called once per folder with the entries looked at so far. */
  readonly onProgress?: (entries: number) => void
}

export const MAX_DEPTH = 8
export const MAX_ENTRIES = 50_000
const PROCESS_SALT = randomBytes(16).toString('hex')
/** Files that are looked into at the same time. */
const PARALLEL = 8
/** How many names above the opened folder may tell instance, process and timestamp. */
const NAMES_ABOVE = 2

interface Found {
  /** Relative to the root, forward slashes. */
  readonly path: string
  readonly absolute: string
}

/** Opaque id of a path below a root. */
export const catalogId = (kind: 'f' | 's', path: string, salt: string = PROCESS_SALT): string =>
  kind + createHash('sha256').update(`${salt}\0${kind}\0${path}`).digest('base64url').slice(0, 21)

/**
 * Walks `root` (a folder or a file) and answers what it holds. Never rejects for what the file system does: problems are diagnostics.
 * The order of sessions and files depends on their names only.
 */
export async function discover(root: string, options: DiscoverOptions = {}): Promise<Catalog> {
  const opened = resolve(root)
  const diagnostics: Diagnostic[] = []
  let real: string
  let isFolder: boolean
  try {
    real = await realpath(opened)
    const s = await stat(real)
    isFolder = s.isDirectory()
    if (!isFolder && !s.isFile()) throw new Error('neither a folder nor a regular file')
  } catch (e) {
    diagnostics.push(
      note('error', 'root-unreadable', '.', `${opened} cannot be opened: ${systemReason(e)}.`, 'Nothing is shown.', 'Check the path.'),
    )
    return { root: opened, sessions: [], diagnostics }
  }
  if (!isFolder) return discoverFile(opened, real, options)
  const walk = new Walk(real, options, diagnostics)
  const folders = await walk.run()
  const sniffs = await sniffAll(
    folders.flatMap(f => f.files),
    options,
    diagnostics,
  )
  const sessions: CatalogSession[] = []
  let unlisted = 0
  for (const folder of folders) {
    const files = folder.files.flatMap(f => catalogFile(f, sniffs.get(f.path), options.salt) ?? [])
    if (!files.some(f => f.kind !== 'unknown')) {
      unlisted += files.length
      // What cannot even be opened is told all the same: a session may hide behind it.
      for (const f of files) if (f.state === 'unreadable') diagnostics.push(...(sniffs.get(f.path)?.result.diagnostics ?? []))
      continue
    }
    sessions.push(session(folder.path, real, files, options.salt))
    for (const f of files) diagnostics.push(...(sniffs.get(f.path)?.result.diagnostics ?? []))
  }
  if (unlisted > 0)
    diagnostics.push(
      note(
        'info',
        'files-unlisted',
        '.',
        `Files in folders without any profile file: ${unlisted}.`,
        'They are not listed; nothing of a session is missing.',
        'None needed.',
      ),
    )
  if (sessions.length === 0)
    diagnostics.push(
      note(
        'warning',
        'no-session',
        '.',
        'No profile file was found.',
        'Nothing is shown yet.',
        'Open the folder that a profiled run writes to; files that appear are shown.',
      ),
    )
  return { root: opened, sessions: sessions.sort((a, b) => comparePaths(a.dir, b.dir)), diagnostics }
}

async function discoverFile(opened: string, real: string, options: DiscoverOptions): Promise<Catalog> {
  const found: Found = { path: basename(opened), absolute: real }
  const diagnostics: Diagnostic[] = []
  const sniffs = await sniffAll([found], options, diagnostics)
  const sniff = sniffs.get(found.path)
  const file = catalogFile(found, sniff, options.salt)
  const root = dirname(opened)
  if (sniff) diagnostics.push(...sniff.result.diagnostics)
  if (!file || file.kind === 'unknown') {
    diagnostics.push(
      note(
        'error',
        'unknown-file',
        found.path,
        'The file is of no known kind.',
        'Nothing is shown.',
        'Open a trace, a memory snapshot or another file of a profile session.',
      ),
    )
    return { root, sessions: [], diagnostics }
  }
  return { root, sessions: [session('.', dirname(real), [file], options.salt)], diagnostics }
}

// ───────────────────────────── the walk ─────────────────────────────

interface Folder {
  readonly path: string
  readonly files: readonly Found[]
}

class Walk {
  readonly #root: string
  readonly #o: DiscoverOptions
  readonly #diagnostics: Diagnostic[]
  readonly #folders: Folder[] = []
  #entries = 0
  #stopped = false
  #tooDeep: string[] = []

  constructor(root: string, options: DiscoverOptions, diagnostics: Diagnostic[]) {
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

// ───────────────────────────── files and sessions ─────────────────────────────

interface Looked {
  readonly result: SniffResult
  readonly stat: BigIntStats
}

/** Looks into every file, a few at a time, and keeps what the cache knows. Files that vanish meanwhile are left out. */
async function sniffAll(
  files: readonly Found[],
  options: DiscoverOptions,
  diagnostics: Diagnostic[],
): Promise<ReadonlyMap<string, Looked>> {
  const out = new Map<string, Looked>()
  const problems: Diagnostic[] = []
  let next = 0
  const one = async (file: Found): Promise<void> => {
    let s: BigIntStats
    try {
      s = await stat(file.absolute, { bigint: true })
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== 'ENOENT')
        problems.push(
          note(
            'error',
            'file-unreadable',
            file.path,
            `The file cannot be looked at: ${systemReason(e)}.`,
            'It is not listed.',
            'Check its permissions.',
          ),
        )
      return
    }
    const stamp = `${s.dev}:${s.ino}:${s.size}:${s.mtimeNs}:${s.ctimeNs}`
    const known = options.cache?.get(file.path)
    const result =
      known?.stamp === stamp
        ? known.result
        : s.isFile() && s.size === 0n
          ? sniffEmpty(file.path)
          : await sniffFile(file.absolute, file.path)
    options.cache?.set(file.path, { stamp, result })
    out.set(file.path, { result, stat: s })
  }
  const worker = async (): Promise<void> => {
    while (next < files.length) {
      options.signal?.throwIfAborted()
      await one(files[next++] as Found)
    }
  }
  await Promise.all(Array.from({ length: Math.min(PARALLEL, files.length) }, worker))
  diagnostics.push(...problems.sort((a, b) => comparePaths(a.file, b.file)))
  if (options.cache) for (const path of [...options.cache.keys()]) if (!out.has(path)) options.cache.delete(path)
  return out
}

function catalogFile(found: Found, looked: Looked | undefined, salt: string | undefined): CatalogFile | null {
  if (!looked) return null
  const { kind, state, facts, bytes } = looked.result
  const named = kind === 'unknown' ? null : rankOfName(found.path)
  return {
    id: catalogId('f', found.path, salt),
    path: found.path,
    kind,
    bytes: bytes >= 0 ? bytes : Number(looked.stat.size),
    state,
    rank: named ?? (kind === 'memory-snapshot' ? 0 : null),
    rankFromName: named !== null,
    mtimeMs: Number(looked.stat.mtimeNs / 1000n) / 1000,
    facts,
  }
}

/** `real` is the opened folder on disk: its name and those above it tell what the names below it don't. */
function session(dir: string, real: string, files: readonly CatalogFile[], salt: string | undefined): CatalogSession {
  const above = real
    .split(sep)
    .filter(n => n !== '')
    .slice(-1 - NAMES_ABOVE)
  const place = placeOfNames(dir === '.' ? above : [...above, ...dir.split('/')])
  const ranks = [...new Set(files.flatMap(f => (f.rank === null ? [] : [f.rank])))].sort((a, b) => a - b)
  return { id: catalogId('s', dir, salt), ...place, dir, modes: modesOf(files), ranks, files, pairs: [], checks: [] }
}

/** Folder by folder, each by compareNames; '.' first. */
export function comparePaths(a: string, b: string): number {
  const left = a === '.' ? [] : a.split('/')
  const right = b === '.' ? [] : b.split('/')
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareNames(left[i] as string, right[i] as string)
    if (order !== 0) return order
  }
  return left.length - right.length
}

const note = (
  severity: Diagnostic['severity'],
  code: string,
  file: string,
  message: string,
  meaning: string,
  action: string,
): Diagnostic => ({ severity, code, file, offset: null, message, meaning, action, count: 1 })
