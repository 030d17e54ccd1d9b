/** The bounded look into files: a few at a time, none twice while it does not change. */
import type { BigIntStats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { sniffEmpty, sniffFile, type SniffResult } from '../formats/sniff'
import { systemReason } from '../formats/system-error'
import type { Diagnostic } from '../shared/diagnostics'
import { comparePaths } from './names'
import { note, type Found } from './walk'

/** What sniffing found, kept between walks: a file that did not change (device, inode, size, time of change) is not opened again. Entries of files that are gone are dropped. */
export type SniffCache = Map<string, { readonly stamp: string; readonly result: SniffResult }>

export interface LookOptions {
  readonly cache?: SniffCache
  readonly signal?: AbortSignal
}

/** Files that are looked into at the same time. */
const PARALLEL = 8

export interface Looked {
  readonly result: SniffResult
  readonly stat: BigIntStats
}

/** Looks into every file, a few at a time, and keeps what the cache knows. Files that vanish meanwhile are left out. */
export async function sniffAll(
  files: readonly Found[],
  options: LookOptions,
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
