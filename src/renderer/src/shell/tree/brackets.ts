/**
 * The device files of a session in the order in which the tree shows them: NEFFs and the NTFFs that were recorded of them stand on adjacent rows, joined by a bracket. Pure.
 * Copies of a NEFF in the session stand together; an NTFF of several NEFFs joins them all.
 */
import type { CatalogFile, Pair } from '../../../../shared/catalog'

/** Place of a row in a bracket: its first, one between, its last. */
export type Bracket = 'top' | 'mid' | 'bottom'

export interface DeviceRow {
  readonly file: CatalogFile
  readonly bracket: Bracket | null
  /** Of an NTFF. */
  readonly pair: Pair | null
}

/** A pair that names one NEFF for each that it is about. An ambiguous one joins nothing: it would say more than is known. */
const joins = (p: Pair): boolean => p.verdict === 'paired' || p.verdict === 'partial'

/** `files`: NEFFs and NTFFs of one session, in their usual order, those that are filtered out left out. */
export function deviceRows(files: readonly CatalogFile[], pairs: readonly Pair[]): readonly DeviceRow[] {
  const pairOf = new Map(pairs.map(p => [p.ntff, p]))
  const here = new Map(files.filter(f => f.kind === 'neff').map(f => [f.path, f]))
  /** Group of each NEFF path: the path that stands for it. */
  const group = new Map<string, string>([...here.keys()].map(p => [p, p]))
  const find = (p: string): string => {
    let at = p
    for (let up = group.get(at) as string; up !== at; up = group.get(at) as string) at = up
    group.set(p, at)
    return at
  }
  const joined = new Map<CatalogFile, string>()
  for (const f of files) {
    const pair = f.kind === 'ntff' ? pairOf.get(f.path) : undefined
    if (!pair || !joins(pair)) continue
    const [first, ...more] = pair.neff.filter(p => here.has(p))
    if (first === undefined) continue
    for (const p of more) group.set(find(p), find(first))
    joined.set(f, first)
  }
  const members = new Map<string, CatalogFile[]>()
  const put = (key: string, f: CatalogFile): void => {
    const list = members.get(key)
    if (list) list.push(f)
    else members.set(key, [f])
  }
  for (const [path, f] of here) put(find(path), f)
  for (const [f, neff] of joined) put(find(neff), f)

  const out: DeviceRow[] = []
  const row = (file: CatalogFile, bracket: Bracket | null): void => {
    out.push({ file, bracket, pair: pairOf.get(file.path) ?? null })
  }
  for (const list of members.values()) {
    const last = list.length - 1
    const bracketed = list.some(f => f.kind === 'ntff')
    list.forEach((f, i) => row(f, !bracketed ? null : i === 0 ? 'top' : i === last ? 'bottom' : 'mid'))
  }
  for (const f of files) if (f.kind !== 'neff' && !joined.has(f)) row(f, null)
  return out
}
