/** Keys of tracks: they name the same track after the session is opened again, in every grouping. Ids and indices of the engine do not. */
import type { SourceInfo, TrackInfo } from '../../../shared/api'

/** Limit of a key in the contract is 400. */
const MOST = 360

const base = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** FNV-1a, for what does not fit. */
function hash(s: string): string {
  let h = 0x811c9dc5
  for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 0x01000193)
  return (h >>> 0).toString(36)
}

export const bounded = (key: string): string => (key.length <= MOST ? key : `${key.slice(0, MOST - 12)}~${hash(key)}`)

/** Name of each source by index: its file's, with a number where several have the same (in the order of their paths). */
export function sourceNames(sources: readonly SourceInfo[]): ReadonlyMap<number, string> {
  const names = new Map<number, string>()
  const seen = new Map<string, number>()
  for (const s of [...sources].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    const name = base(s.path)
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    names.set(s.index, nth === 1 ? name : `${name}#${nth}`)
  }
  return names
}

/** Keys of tracks, in their order. */
export function trackKeys(tracks: readonly TrackInfo[], names: ReadonlyMap<number, string>): readonly string[] {
  const seen = new Map<string, number>()
  return tracks.map(t => {
    const key = bounded(`${names.get(t.source) ?? t.source}/${t.origin ?? t.role}/${t.pid}/${t.tid}/${t.name}`)
    const nth = (seen.get(key) ?? 0) + 1
    seen.set(key, nth)
    return nth === 1 ? key : `${key}#${nth}`
  })
}
