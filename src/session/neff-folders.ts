/** NEFFs in folders that the user added, a compiler cache for example. They take part in pairing and are listed nowhere else. */
import { realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { systemReason } from '../formats/system-error'
import type { Diagnostic } from '../shared/diagnostics'
import { sniffAll, type LookOptions } from './look'
import { comparePaths } from './names'
import type { NeffEntry } from './pairing'
import { note, Walk, type Found, type WalkOptions } from './walk'

/** What `findNeffs` found. Paths are absolute. */
export interface AddedNeffs {
  readonly folders: number
  /** `absolute`: the file on disk, links resolved. */
  readonly neffs: readonly (NeffEntry & { readonly absolute: string })[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The NEFFs below folders that the user added (a compiler cache): files whose name ends in `.neff`, since a cache holds much else, and whose content is one. Never rejects for what the file system does.
 * Nothing outside a folder is looked at, as for the root. `cache` keeps looks between calls, by absolute path.
 */
export async function findNeffs(folders: readonly string[], options: WalkOptions & LookOptions = {}): Promise<AddedNeffs> {
  const diagnostics: Diagnostic[] = []
  const files: Found[] = []
  for (const given of new Set(folders.map(f => resolve(f)))) {
    let real: string
    try {
      real = await realpath(given)
      if (!(await stat(real)).isDirectory()) throw new Error('it is not a folder')
    } catch (e) {
      diagnostics.push(
        note(
          'warning',
          'neff-folder-unreadable',
          given,
          `The added folder cannot be read: ${systemReason(e)}.`,
          'No NEFF is looked for in it.',
          'Check the path, or remove the folder from the list.',
        ),
      )
      continue
    }
    const found: Diagnostic[] = []
    const inside = await new Walk(real, options, found).run()
    // What a walk says of links and empty places in a cache is of no use here; what ends it early is.
    diagnostics.push(
      ...found.filter(d => d.code.startsWith('walk-') || d.code === 'folder-unreadable').map(d => ({ ...d, file: join(given, d.file) })),
    )
    for (const f of inside.flatMap(folder => folder.files))
      if (/\.neff$/i.test(f.path)) files.push({ path: join(given, f.path), absolute: f.absolute })
  }
  const unique = [...new Map(files.map(f => [f.path, f])).values()]
  const sniffs = await sniffAll(unique, options, diagnostics)
  const neffs: AddedNeffs['neffs'][number][] = []
  for (const { path, absolute } of unique.sort((a, b) => comparePaths(a.path, b.path))) {
    const result = sniffs.get(path)?.result
    if (!result) continue
    if (result.kind === 'neff' && result.state !== 'empty' && result.state !== 'unreadable')
      neffs.push({ path, absolute, added: true, facts: result.facts })
    else if (result.kind === 'neff') diagnostics.push(...result.diagnostics)
  }
  return { folders: new Set(folders).size, neffs, diagnostics }
}
