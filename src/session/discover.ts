/**
 * Finds the sessions below a folder: `<root>/<instance-id>_pid_<pid>/<timestamp>/`, or any part of that opened by itself, or one single file. A folder that directly holds a file of a known kind is a
 * session; the other regular files beside it are listed as `unknown`. Files of folders without any known file are counted, not listed.
 *
 * Links: a link to a folder is never followed (inside the root its target is listed anyway). A link to a file is followed only when the file lies below the root.
 */
import { createHash, randomBytes } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { systemReason } from '../formats/system-error'
import type { Catalog, CatalogFile, CatalogSession } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { sniffAll, type Looked, type LookOptions } from './look'
import { modesOf } from './modes'
import { withParts } from './parts'
import { comparePaths, placeOfNames, rankOfName } from './names'
import type { AddedNeffs } from './neff-folders'
import { NeffIndex, pairSession, type NeffEntry } from './pairing'
import { note, Walk, type Found, type WalkOptions } from './walk'

export type { SniffCache } from './look'
export { MAX_DEPTH, MAX_ENTRIES } from './walk'

export interface DiscoverOptions extends WalkOptions, LookOptions {
  /** Mixed into the ids; random per process by default, so that ids of one run mean nothing to another. */
  readonly salt?: string
  /** NEFFs of folders that the user added; they take part in pairing only. */
  readonly added?: AddedNeffs
}

const PROCESS_SALT = randomBytes(16).toString('hex')
/** How many names above the opened folder may tell instance, process and timestamp. */
const NAMES_ABOVE = 2

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
  return finished(opened, real, sessions, diagnostics, options)
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
  return finished(root, dirname(real), [session('.', dirname(real), [file], options.salt)], diagnostics, options)
}

/** The catalog with the pairs of its NTFFs. A NEFF of an added folder that lies below the root is one of the catalog's. */
function finished(
  root: string,
  real: string,
  sessions: readonly CatalogSession[],
  diagnostics: readonly Diagnostic[],
  { added }: DiscoverOptions,
): Catalog {
  const inside = sessions.flatMap(s =>
    s.files.filter(f => f.kind === 'neff').map((f): NeffEntry => ({ path: f.path, added: false, facts: f.facts })),
  )
  const known = new Set(inside.map(n => join(real, n.path)))
  const index = new NeffIndex([...inside, ...(added?.neffs.filter(n => !known.has(n.absolute)) ?? [])], added?.folders ?? 0)
  const paired = sessions.map(s => ({ ...s, pairs: pairSession(s, index) }))
  return {
    root,
    sessions: paired.sort((a, b) => comparePaths(a.dir, b.dir)),
    diagnostics: [...diagnostics, ...(added?.diagnostics ?? [])],
  }
}

// ───────────────────────────── files and sessions ─────────────────────────────

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
function session(dir: string, real: string, found: readonly CatalogFile[], salt: string | undefined): CatalogSession {
  const files = withParts(found)
  const above = real
    .split(sep)
    .filter(n => n !== '')
    .slice(-1 - NAMES_ABOVE)
  const place = placeOfNames(dir === '.' ? above : [...above, ...dir.split('/')])
  const ranks = [...new Set(files.flatMap(f => (f.rank === null ? [] : [f.rank])))].sort((a, b) => a - b)
  return { id: catalogId('s', dir, salt), ...place, dir, modes: modesOf(files), ranks, files, pairs: [], checks: [] }
}
