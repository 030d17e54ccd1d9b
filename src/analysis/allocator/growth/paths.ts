/**
 * Makes paths of two snapshots comparable: the same code lies elsewhere on another host, for another user, in another environment.
 * - An installed package or Python's library is what follows `site-packages/`, `dist-packages/` or `lib/pythonX.Y/`.
 * - The user's own files: where both snapshots have a file under different folders with the same end (`model/block.py`), the folders before that end are taken for one. The pair of folders that
 *   most files agree on is used first. Files that both have under the same path stay as they are.
 */

const INSTALLED = /^.*[\\/](site|dist)-packages[\\/]/
const STDLIB = /^.*[\\/]lib(64)?[\\/]python\d+(\.\d+)?[\\/]/

/** Two folders that stand for one. */
export interface Roots {
  readonly a: string
  readonly b: string
  /** Files that both have below them. */
  readonly files: number
}

export interface Paths {
  readonly a: (file: string) => string
  readonly b: (file: string) => string
  /** Folders that were taken for one; both are written as `…/`. */
  readonly roots: readonly Roots[]
}

/** Normalisation for the files of two snapshots (each path once or more). */
export function pathsOf(filesA: Iterable<string>, filesB: Iterable<string>): Paths {
  const a = new Set(filesA)
  const b = new Set(filesB)
  const own = (f: string): boolean => /[\\/]/.test(f) && library(f) === null
  const onlyA = [...a].filter(f => own(f) && !b.has(f))
  const onlyB = [...b].filter(f => own(f) && !a.has(f))
  const byName = new Map<string, string[][]>()
  for (const f of onlyB) {
    const parts = partsOf(f)
    const name = parts.at(-1) as string
    const list = byName.get(name)
    if (list) list.push(parts)
    else byName.set(name, [parts])
  }
  // Votes: each file of A for the folders that it and its likest file of B are apart in.
  const votes = new Map<string, { readonly a: string; readonly b: string; files: number; common: number }>()
  for (const f of onlyA) {
    const parts = partsOf(f)
    const others = byName.get(parts.at(-1) as string) ?? []
    const common = others.map(o => sameEnd(parts, o))
    const most = Math.max(0, ...common)
    others.forEach((o, i) => {
      if (common[i] !== most) return
      const roots = { a: parts.slice(0, parts.length - most).join('/'), b: o.slice(0, o.length - most).join('/') }
      const key = JSON.stringify([roots.a, roots.b])
      const v = votes.get(key) ?? { ...roots, files: 0, common: 0 }
      v.files++
      v.common += most
      votes.set(key, v)
    })
  }
  const ranked = [...votes.values()].sort((x, y) => y.files - x.files || y.common - x.common || (x.a + x.b < y.a + y.b ? -1 : 1))
  const mapA = new Map<string, string>()
  const mapB = new Map<string, string>()
  const roots: Roots[] = []
  const unixB = new Map(onlyB.map(f => [partsOf(f).join('/'), f]))
  for (const v of ranked) {
    let files = 0
    for (const f of onlyA) {
      const path = partsOf(f).join('/')
      if (mapA.has(f) || !path.startsWith(`${v.a}/`)) continue
      const rest = path.slice(v.a.length + 1)
      const other = unixB.get(`${v.b}/${rest}`)
      if (other === undefined || mapB.has(other)) continue
      mapA.set(f, `…/${rest}`)
      mapB.set(other, `…/${rest}`)
      files++
    }
    if (files > 0) roots.push({ a: v.a, b: v.b, files })
  }
  // Two files of one snapshot that would get the same name keep their paths.
  for (const map of [mapA, mapB]) {
    const seen = new Map<string, number>()
    for (const to of map.values()) seen.set(to, (seen.get(to) ?? 0) + 1)
    for (const [to, n] of seen) if (n > 1) for (const m of [mapA, mapB]) for (const [f, t] of m) if (t === to) m.delete(f)
  }
  const through = (map: ReadonlyMap<string, string>) => (f: string) => library(f) ?? map.get(f) ?? f
  return { a: through(mapA), b: through(mapB), roots }
}

/** Path within a package or Python's library; null for other files. */
function library(file: string): string | null {
  const installed = INSTALLED.exec(file)
  if (installed) return file.slice(installed[0].length).replaceAll('\\', '/')
  const std = STDLIB.exec(file)
  return std ? `python/${file.slice(std[0].length).replaceAll('\\', '/')}` : null
}

const partsOf = (file: string): string[] => file.split(/[\\/]/)

function sameEnd(a: readonly string[], b: readonly string[]): number {
  let n = 0
  // At least one folder must differ, or it is the same path.
  while (n < Math.min(a.length, b.length) - 1 && a[a.length - 1 - n] === b[b.length - 1 - n]) n++
  return n
}
