/**
 * Which NEFF files of a session a model is. Evidence, best first; what fits by a better one hides what fits by a weaker one, and several different NEFFs that fit equally are
 * all listed and said to be several:
 *
 * 1. the device profile (NTFF) that names this model id, and the NEFF that it is paired with;
 * 2. the model's id in the file name (`neff_<id>…`), as the runtime names what it captures;
 * 3. the compiler cache key: a folder or file of that name, the UUID or the hash of the NEFF in it, or the name in its header;
 * 4. the model's name: the name in the NEFF's header, or its file name, without ending. Weak.
 */
import type { CatalogFile, Pair } from '../../shared/catalog'
import type { ChainModel } from '../../shared/trace-api'
import { NeffIndex, pairSession } from '../pairing'

export interface ModelFile {
  /** Id in the catalog. */
  readonly id: string
  readonly path: string
  readonly facts: CatalogFile['facts']
}

export interface ModelFiles {
  readonly neffs: readonly ModelFile[]
  readonly ntffs: readonly (ModelFile & { readonly modelId: bigint | null })[]
}

export interface ModelNames {
  readonly id: bigint | null
  readonly name: string | null
  readonly cacheKey: string | null
}

const baseOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
const stem = (name: string): string => baseOf(name).replace(/\.(neff|pb|hlo)$/i, '')
const fact = (f: ModelFile, key: string): string => {
  const v = f.facts[key]
  return typeof v === 'string' ? v : ''
}

interface Found {
  readonly file: ModelFile
  readonly by: string
}

/** NEFFs and device profiles of a model; `reason` says why there is none, or that several fit. */
export function modelFiles(model: ModelNames, files: ModelFiles): Pick<ChainModel, 'neffs' | 'ntffs' | 'reason'> {
  const pairs = pairsOf(files)
  const neffs = byProfile(model, files, pairs) ?? byIdInName(model, files) ?? byCacheKey(model, files) ?? byName(model, files) ?? []
  const paths = new Set(neffs.map(n => n.file.path))
  const ntffs = files.ntffs.flatMap(file => {
    const pair = pairs.get(file.path)
    if (!pair || !pair.neff.some(p => paths.has(p))) return []
    return [{ file: file.id, path: file.path, by: pair.evidence }]
  })
  const kinds = new Set(neffs.map(n => identityOf(n.file))).size
  return {
    neffs: neffs.map(n => ({ file: n.file.id, path: n.file.path, by: n.by })),
    ntffs,
    reason:
      kinds > 1 ? `${kinds} different NEFFs fit; the files do not tell which one it is` : neffs.length > 0 ? null : absent(model, files),
  }
}

function absent(model: ModelNames, files: ModelFiles): string {
  if (files.neffs.length === 0) return 'the session has no NEFF'
  const compared = [
    model.id === null ? '' : `the model id ${model.id}`,
    model.name === null ? '' : `the name ${JSON.stringify(model.name)}`,
    model.cacheKey === null ? '' : 'the cache key',
  ].filter(Boolean)
  if (compared.length === 0) return 'the event names no model'
  const n = files.neffs.length
  return `${n === 1 ? 'the only NEFF' : `none of the ${n} NEFFs`} of the session ${n === 1 ? 'does not bear' : 'bears'} ${compared.join(', ')}`
}

/** Copies are one: the same UUID, hash and size. */
const identityOf = (f: ModelFile): string => {
  const [uuid, hash, bytes] = [fact(f, 'uuid'), fact(f, 'hash'), f.facts['payloadBytes']]
  return uuid !== '' && hash !== '' ? `${uuid} ${hash} ${String(bytes)}` : f.path
}

function pairsOf(files: ModelFiles): ReadonlyMap<string, Pair> {
  const index = new NeffIndex(files.neffs.map(f => ({ path: f.path, added: false, facts: f.facts })))
  const byDir = new Map<string, ModelFile[]>()
  for (const f of files.ntffs) {
    const at = f.path.lastIndexOf('/')
    const dir = at < 0 ? '.' : f.path.slice(0, at)
    const list = byDir.get(dir)
    if (list) list.push(f)
    else byDir.set(dir, [f])
  }
  const out = new Map<string, Pair>()
  for (const [dir, list] of byDir) {
    const listed = list.map((f): CatalogFile => ({
      ...{ id: f.id, path: f.path, kind: 'ntff', bytes: 0, state: 'complete' },
      ...{ rank: null, rankFromName: false, mtimeMs: 0, facts: f.facts },
    }))
    for (const p of pairSession({ dir, files: listed }, index)) out.set(p.ntff, p)
  }
  return out
}

function byProfile({ id }: ModelNames, files: ModelFiles, pairs: ReadonlyMap<string, Pair>): readonly Found[] | null {
  if (id === null) return null
  const found = new Map<string, Found>()
  for (const ntff of files.ntffs) {
    const pair = pairs.get(ntff.path)
    if (ntff.modelId !== id || !pair || pair.verdict === 'ambiguous') continue
    for (const path of pair.neff) {
      const file = files.neffs.find(f => f.path === path)
      if (file) found.set(path, { file, by: `the device profile ${baseOf(ntff.path)} names model id ${id} and is paired with it` })
    }
  }
  return found.size > 0 ? [...found.values()] : null
}

function byIdInName({ id }: ModelNames, files: ModelFiles): readonly Found[] | null {
  if (id === null) return null
  const found = files.neffs.filter(f =>
    baseOf(f.path)
      .split(/[_.\-+]/)
      .includes(String(id)),
  )
  return found.length > 0 ? found.map(file => ({ file, by: `its file name carries the model id ${id}` })) : null
}

function byCacheKey({ cacheKey }: ModelNames, files: ModelFiles): readonly Found[] | null {
  if (cacheKey === null || cacheKey === '') return null
  const rules: readonly (readonly [(f: ModelFile) => boolean, string])[] = [
    [f => f.path.split('/').some(p => p === cacheKey || stem(p) === cacheKey), 'its path carries the cache key'],
    [f => fact(f, 'uuid') !== '' && cacheKey.toLowerCase().includes(fact(f, 'uuid')), 'the cache key carries its UUID'],
    [f => fact(f, 'hash').length >= 32 && cacheKey.toLowerCase().includes(fact(f, 'hash')), 'the cache key carries its hash'],
    [f => fact(f, 'name') !== '' && stem(fact(f, 'name')) === cacheKey, 'the name in its header is the cache key'],
  ]
  for (const [test, by] of rules) {
    const found = files.neffs.filter(test)
    if (found.length > 0) return found.map(file => ({ file, by }))
  }
  return null
}

function byName({ name }: ModelNames, files: ModelFiles): readonly Found[] | null {
  if (name === null || name === '') return null
  const wanted = stem(name)
  // What every compiler calls its output names nothing.
  if (/^(file|graph|model|neff)$/i.test(wanted)) return null
  const header = files.neffs.filter(f => stem(fact(f, 'name')) === wanted)
  if (header.length > 0) return header.map(file => ({ file, by: `the name in its header is that of the model (${wanted}); weak evidence` }))
  const named = files.neffs.filter(f => stem(f.path) === wanted)
  return named.length > 0 ? named.map(file => ({ file, by: `its file is called as the model (${wanted}); weak evidence` })) : null
}
