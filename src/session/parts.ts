/**
 * Files that are read together. Neuron Explorer's export is a folder of Parquet tables, some of them in parts: one source, whose rows stand in several files. One of them stands
 * for all, the others are read with it.
 */
import type { CatalogFile } from '../shared/catalog'
import { compareNames } from './names'

/** The table that a user looks for first. */
const FIRST = /(^|\/)SystemProfileEvents(_\d+)?\.parquet$/i

/** The files with `parts` (paths, its own first) on the one that stands for an export, and `partOf` (its id) on the others. Files of other kinds are left as they are. */
export function withParts(files: readonly CatalogFile[]): readonly CatalogFile[] {
  const folders = new Map<string, CatalogFile[]>()
  for (const f of files) {
    if (f.kind !== 'explorer-parquet' || f.state === 'empty') continue
    const dir = f.path.slice(0, f.path.lastIndexOf('/') + 1)
    folders.set(dir, [...(folders.get(dir) ?? []), f])
  }
  const changed = new Map<string, CatalogFile>()
  for (const list of folders.values()) {
    if (list.length < 2) continue
    const sorted = [...list].sort((a, b) => Number(FIRST.test(b.path)) - Number(FIRST.test(a.path)) || compareNames(a.path, b.path))
    const [main, ...others] = sorted as [CatalogFile, ...CatalogFile[]]
    changed.set(main.id, { ...main, parts: sorted.map(f => f.path) })
    for (const f of others) changed.set(f.id, { ...f, partOf: main.id })
  }
  return changed.size === 0 ? files : files.map(f => changed.get(f.id) ?? f)
}
