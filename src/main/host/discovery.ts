/** The walk of one opened root, with its cache, and what the watcher must know of it. */
import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import type { Catalog } from '../../shared/catalog'
import { discover, MAX_DEPTH, type SniffCache } from '../../session/discover'
import { kindOfName } from '../../session/known-name'
import { isHiddenName } from '../../session/names'
import type { AddedNeffs } from '../../session/neff-folders'

export interface Discovery {
  /** Walks the root again; files that did not change are not opened. */
  readonly discover: () => Promise<Catalog>
  /** Absolute path of a catalog path. */
  readonly absolute: (path: string) => string
  /** Folder that holds everything the catalog names. */
  readonly base: string
  readonly depth: number
  readonly ignored: (path: string) => boolean
  /** Ends a walk that is under way. */
  readonly stop: () => void
}

const SALT = randomBytes(16).toString('hex')

/** `root`: absolute, resolved. `added`: NEFFs of folders that the user added, asked for at each walk. Ids belong to this root and this run: the same path below another root has another id. */
export function discovery(root: string, isFile: boolean, added: () => Promise<AddedNeffs | undefined>): Discovery {
  const cache: SniffCache = new Map()
  const stopped = new AbortController()
  const base = isFile ? dirname(root) : root
  return {
    discover: async () => discover(root, { cache, salt: `${SALT}\0${root}`, signal: stopped.signal, added: await added() }),
    absolute: path => join(base, path),
    base,
    depth: MAX_DEPTH,
    ignored: path => isHiddenName(basename(path)),
    stop: () => stopped.abort(),
  }
}

/** Whether a file of this name may be one that the program knows; its content decides once it is opened. */
export const knownName = (name: string): boolean => !isHiddenName(name) && kindOfName(name) !== null
