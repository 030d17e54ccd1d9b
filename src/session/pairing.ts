/**
 * Which NEFF an NTFF was recorded of. Pure. Evidence, best first (sources: layout of the files; release notes say that the hash alone is not unique):
 *
 * 1. uuid: the nodes of the profile carry the UUIDs of their NEFFs (version 6). All of them are looked for.
 * 2. uuid-prefix: the profile's copy of the UUID is a C string, which ends at the first 0x00 and may be followed by junk. Of its first 16 bytes a NEFF's UUID must begin with all, and where they are fewer than 16 the
 *    UUID's next byte must be 0x00. Fewer than 8 bytes count only when one NEFF alone fits.
 * 3. file-hash: the number in both file names (`<n>_instid_0_vnc_0.ntff` and `neff_<n>.neff`).
 * 4. name: the file name in the profile is that in the NEFF's header, or the NEFF's own. Weak.
 *
 * What contradicts a known UUID is no match by 3 or 4. For those two the nearest place decides: the session, the instance's folder, the opened folder, added folders.
 *
 * Copies: NEFFs with the same UUID, hash and payload size are byte-identical as far as their headers tell, and count as one. The same hash with another UUID is another NEFF; so is the same UUID with another hash.
 * A NEFF whose header could not be read is nobody's copy.
 */
import type { CatalogFile, CatalogSession, Pair } from '../shared/catalog'
import { comparePaths, instanceOfName } from './names'

/** A NEFF as far as pairing needs it. */
export interface NeffEntry {
  /** Relative to the opened root, or absolute for one in an added folder. */
  readonly path: string
  readonly added: boolean
  readonly facts: CatalogFile['facts']
}

interface Candidate extends NeffEntry {
  /** '' where the header could not be read, or holds zeros only. */
  readonly uuid: string
  readonly name: string
  readonly base: string
  /** The same for copies. */
  readonly identity: string
}

const text = (v: unknown): string => (typeof v === 'string' ? v : '')
const baseOf = (path: string): string => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)

function candidate(e: NeffEntry): Candidate {
  const { uuid, hash, payloadBytes, name } = e.facts
  const id = /^[0-9a-f]{32}$/.test(text(uuid)) && !/^0+$/.test(text(uuid)) ? text(uuid) : ''
  const known = id !== '' && text(hash) !== '' && typeof payloadBytes === 'number'
  return { ...e, uuid: id, name: text(name), base: baseOf(e.path), identity: known ? `${id} ${text(hash)} ${payloadBytes}` : e.path }
}

/** NEFFs found by what an NTFF may say, each look-up in time that does not grow with their number. */
export class NeffIndex {
  readonly count: number
  /** How many folders the user added, for the words. */
  readonly addedFolders: number
  readonly #byUuid = new Map<string, Candidate[]>()
  readonly #uuids: readonly string[]
  readonly #byNumber = new Map<string, Candidate[]>()
  readonly #byName = new Map<string, Candidate[]>()

  constructor(entries: readonly NeffEntry[], addedFolders = 0) {
    this.count = entries.length
    this.addedFolders = addedFolders
    const put = (map: Map<string, Candidate[]>, key: string, c: Candidate): void => {
      const list = map.get(key)
      if (list) list.push(c)
      else map.set(key, [c])
    }
    for (const c of entries.map(candidate)) {
      if (c.uuid !== '') put(this.#byUuid, c.uuid, c)
      for (const n of neffNumbers(c.base)) put(this.#byNumber, n, c)
      for (const n of new Set([c.name === '' ? '' : baseOf(c.name), c.base])) if (n !== '') put(this.#byName, n, c)
    }
    this.#uuids = [...this.#byUuid.keys()].sort()
  }

  withUuid = (uuid: string): readonly Candidate[] => this.#byUuid.get(uuid) ?? []
  withNumber = (n: string): readonly Candidate[] => this.#byNumber.get(n) ?? []
  withName = (name: string): readonly Candidate[] => this.#byName.get(name) ?? []

  /** NEFFs whose UUID can be the one that `prefix` (hex, at most 32 digits) was copied from. */
  withPrefix(prefix: string): readonly Candidate[] {
    const begin = prefix.length < 32 ? prefix + '00' : prefix
    let low = 0
    let high = this.#uuids.length
    while (low < high) {
      const mid = (low + high) >>> 1
      if ((this.#uuids[mid] as string) < begin) low = mid + 1
      else high = mid
    }
    const out: Candidate[] = []
    for (; low < this.#uuids.length && (this.#uuids[low] as string).startsWith(begin); low++)
      out.push(...this.withUuid(this.#uuids[low] as string))
    return out
  }
}

/** Numbers in the name of a NEFF that may be its hash: `neff_<n>…`, `graph_<n>…`, or any of 8 digits and more. */
function neffNumbers(base: string): ReadonlySet<string> {
  const named = /^(?:neff|graph|model)_(\d+)(?=[_.-]|$)/i.exec(base)?.[1]
  return new Set([...(named === undefined ? [] : [named]), ...longNumbers(base)])
}

/** Numbers in the name of an NTFF that may be the hash of its NEFF: the one that it begins with, `model_<n>`, or any of 8 digits and more. */
function ntffNumbers(base: string): ReadonlySet<string> {
  const named = /^(?:(?:neff|graph|model)_)?(\d+)(?=_(?:instid|vnc|nc|pid)[_.-])/i.exec(base)?.[1]
  return new Set([...(named === undefined ? [] : [named]), ...longNumbers(base)])
}

/** Digits between separators that are no process, session, core, instance or date. */
function longNumbers(base: string): readonly string[] {
  const parts = base.replace(/\.(neff|ntff)$/i, '').split(/[_.-]/)
  return parts.filter((p, i) => {
    if (!/^\d{8,}$/.test(p) || /^(pid|session|inst|instid|vnc|nc)$/i.test(parts[i - 1] ?? '')) return false
    return !(/^20\d{6}$/.test(p) && /^\d{6}$/.test(parts[i + 1] ?? '')) // a date and a time
  })
}

/** Where an NTFF lies: how near a NEFF is. */
interface Place {
  readonly session: string
  /** Folder of the instance and process, null where the names have none. */
  readonly instance: string | null
}

/** 0 in the session, 1 in the instance's folder, 2 in the opened root, 3 in an added folder. */
function distance(c: NeffEntry, place: Place): number {
  if (c.added) return 3
  const below = (dir: string): boolean => dir === '.' || c.path.startsWith(dir + '/')
  if (below(place.session)) return 0
  return place.instance !== null && below(place.instance) ? 1 : 2
}

/** One pair per NTFF of a session, in the order of its files. */
export function pairSession(session: Pick<CatalogSession, 'dir' | 'files'>, index: NeffIndex): readonly Pair[] {
  const names = session.dir === '.' ? [] : session.dir.split('/')
  const at = names.findLastIndex(n => instanceOfName(n) !== null)
  const place: Place = { session: session.dir, instance: at < 0 ? null : names.slice(0, at + 1).join('/') }
  return session.files.filter(f => f.kind === 'ntff').map(f => pairNtff(f, index, place))
}

type Found = Omit<Pair, 'ntff'>

/** The pair of one NTFF. Its facts are those of the sniffer or the reader. */
export function pairNtff(ntff: Pick<CatalogFile, 'path' | 'state' | 'facts'>, index: NeffIndex, place: Place): Pair {
  const found = ntff.state === 'empty' ? EMPTY : (byUuids(ntff, index, place) ?? byPrefix(ntff, index, place) ?? byWeak(ntff, index, place))
  return { ntff: ntff.path, ...(found ?? missing(ntff, index)) }
}

const EMPTY: Found = {
  neff: [],
  by: 'none',
  verdict: 'empty-ntff',
  evidence: 'The file is empty: the runtime made it, nothing was captured on this core.',
}

/** Full UUIDs that the nodes name; none where the profile has only its cut copy. */
function uuidsOf(facts: CatalogFile['facts']): readonly string[] {
  const { neffUuids, neffUuid, neffUuidPrefix } = facts
  if (Array.isArray(neffUuids)) return neffUuids.filter((u): u is string => typeof u === 'string')
  return typeof neffUuid === 'string' && neffUuidPrefix === undefined ? [neffUuid] : []
}

const plural = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`

/** Paths, nearest first, and what is to be said of copies. */
function listed(
  found: readonly Candidate[],
  place: Place,
): { readonly neff: readonly string[]; readonly kinds: number; readonly copies: string } {
  const neff = [...found].sort((a, b) => distance(a, place) - distance(b, place) || comparePaths(a.path, b.path)).map(c => c.path)
  const kinds = new Set(found.map(c => c.identity)).size
  const copies =
    neff.length > kinds
      ? ` ${plural(neff.length, 'copy').replace('copys', 'copies')} with the same UUID, hash and payload size count as ${kinds === 1 ? 'one' : kinds}.`
      : ''
  return { neff: [...new Set(neff)], kinds, copies }
}

function byUuids(ntff: Pick<CatalogFile, 'facts'>, index: NeffIndex, place: Place): Found | null {
  const wanted = uuidsOf(ntff.facts)
  if (wanted.length === 0) return null
  const matches = wanted.map(uuid => index.withUuid(uuid))
  const absent = wanted.filter((_, i) => (matches[i] as readonly Candidate[]).length === 0)
  if (absent.length === wanted.length) return null
  const { neff, copies } = listed(matches.flat(), place)
  const double = wanted.filter((_, i) => new Set((matches[i] as readonly Candidate[]).map(c => c.identity)).size > 1)
  const one = wanted.length === 1
  const all = one
    ? `The UUID of the NEFF in the profile, ${wanted[0]}, is the one in the NEFF's header.`
    : `${wanted.length - absent.length} of ${wanted.length} NEFF UUIDs in the profile were found.`
  const some = absent.length > 0 ? ` Not found: ${absent.slice(0, 4).join(', ')}${absent.length > 4 ? ' and others' : ''}.` : ''
  if (double.length > 0)
    return {
      neff,
      by: 'uuid',
      verdict: 'ambiguous',
      evidence: `${all}${some} NEFFs with UUID ${double[0]} differ in hash or size, so that one of them was changed.`,
    }
  return { neff, by: 'uuid', verdict: absent.length > 0 ? 'partial' : 'paired', evidence: all + some + copies }
}

function byPrefix(ntff: Pick<CatalogFile, 'facts' | 'path'>, index: NeffIndex, place: Place): Found | null {
  const prefix = text(ntff.facts['neffUuidPrefix'])
  if (prefix === '' || uuidsOf(ntff.facts).length > 0) return null
  const bytes = prefix.length / 2
  const fits = index.withPrefix(prefix)
  if (fits.length === 0) return null
  const { neff, kinds, copies } = listed(fits, place)
  const said =
    bytes === 16
      ? `All 16 bytes of the UUID in the profile, ${prefix}, are those in the NEFF's header.`
      : `The profile holds the first ${plural(bytes, 'byte')} of the UUID, ${prefix}, cut at a zero byte as it stands in the NEFF's header.`
  if (kinds === 1)
    return { neff, by: 'uuid-prefix', verdict: 'paired', evidence: said + (bytes < 8 ? ' No other NEFF fits.' : '') + copies }
  // So few bytes prove nothing by themselves; the number or the name may tell which of those that fit it is.
  if (bytes < 8) {
    const narrowed = weak(ntff, index, place, c => fits.includes(c))
    if (narrowed?.verdict === 'paired')
      return {
        ...narrowed,
        evidence: `${narrowed.evidence} The ${plural(bytes, 'byte')} of the UUID in the profile fit, as they do ${kinds - 1} other.`,
      }
  }
  return {
    neff,
    by: 'uuid-prefix',
    verdict: 'ambiguous',
    evidence: `${said.replace(/\.$/, '')}, and ${kinds} different NEFFs fit.`,
  }
}

/** By number and name, among NEFFs that the UUID in the profile, if there is any, does not contradict. */
function byWeak(ntff: Pick<CatalogFile, 'facts' | 'path'>, index: NeffIndex, place: Place): Found | null {
  const says = uuidsOf(ntff.facts).length > 0 || text(ntff.facts['neffUuidPrefix']) !== ''
  return weak(ntff, index, place, c => !says || c.uuid === '')
}

function weak(ntff: Pick<CatalogFile, 'facts' | 'path'>, index: NeffIndex, place: Place, allowed: (c: Candidate) => boolean): Found | null {
  const nearest = (list: readonly Candidate[]): readonly Candidate[] => {
    const fit = [...new Set(list)].filter(allowed)
    const near = Math.min(...fit.map(c => distance(c, place)))
    const first = fit.filter(c => distance(c, place) === near)
    // Copies of what was found belong to it wherever they lie.
    const ids = new Set(first.map(c => c.identity))
    return fit.filter(c => ids.has(c.identity))
  }
  const numbers = [...ntffNumbers(baseOf(ntff.path))]
  const byNumber = nearest(numbers.flatMap(n => index.withNumber(n)))
  if (byNumber.length > 0) {
    const { neff, kinds, copies } = listed(byNumber, place)
    const number = numbers.find(n => index.withNumber(n).length > 0)
    const said = `Both file names carry the number ${number}; no UUID was compared.`
    return kinds === 1
      ? { neff, by: 'file-hash', verdict: 'paired', evidence: said + copies }
      : { neff, by: 'file-hash', verdict: 'ambiguous', evidence: `${said} ${kinds} different NEFFs carry it.` }
  }
  const name = baseOf(text(ntff.facts['neffName']))
  const byName = name === '' ? [] : nearest(index.withName(name))
  if (byName.length === 0) return null
  const { neff, kinds, copies } = listed(byName, place)
  const said = `The profile names ${JSON.stringify(name)}, as this NEFF is called; this is weak evidence.`
  return kinds === 1
    ? { neff, by: 'name', verdict: 'paired', evidence: said + copies }
    : {
        neff,
        by: 'name',
        verdict: 'ambiguous',
        evidence: `The profile names ${JSON.stringify(name)}, and ${kinds} different NEFFs are called so.`,
      }
}

function missing(ntff: Pick<CatalogFile, 'facts' | 'path'>, index: NeffIndex): Found {
  const uuids = uuidsOf(ntff.facts)
  const prefix = text(ntff.facts['neffUuidPrefix'])
  const name = baseOf(text(ntff.facts['neffName']))
  const where = `${plural(index.count, 'NEFF')} in the opened folder${index.addedFolders > 0 ? ` and ${plural(index.addedFolders, 'added folder')}` : ''}`
  const says = uuids.length > 0 || prefix !== ''
  const wanted =
    uuids.length > 0
      ? `UUID ${uuids.slice(0, 4).join(', ')}${uuids.length > 4 ? ' and others' : ''}`
      : prefix !== ''
        ? `a UUID that begins with ${prefix}`
        : name !== ''
          ? `the name ${JSON.stringify(name)}`
          : ''
  if (wanted === '') return { neff: [], by: 'none', verdict: 'missing-neff', evidence: 'What could be read of the profile names no NEFF.' }
  const namesake =
    says && name !== '' && index.withName(name).length > 0 ? ` A NEFF is called ${JSON.stringify(name)}, but has another UUID.` : ''
  return { neff: [], by: 'none', verdict: 'missing-neff', evidence: `The profile names ${wanted}; none of ${where} has it.${namesake}` }
}
