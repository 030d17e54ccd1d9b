/**
 * Which session, time group and allocator are shown when the user has not chosen. Pure functions, so that the rules can be read and tested.
 */
import type { AllocatorInfo, SessionView, TimeGroup } from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'

/** Kinds that the two panels draw. */
const DRAWN: ReadonlySet<string> = new Set(['chrome-trace', 'memory-snapshot'])

const changed = (s: CatalogSession): number => s.files.reduce((m, f) => Math.max(m, f.mtimeMs), 0)
const drawable = (s: CatalogSession): boolean => s.files.some(f => DRAWN.has(f.kind) && f.bytes > 0)

/** Sessions whose folders are named within this many ms of each other count as processes of one run. */
const SAME_RUN_MS = 60_000

/**
 * The time that the name of a session's folder tells, ms since 1970: a count of s, ms, µs or ns, or `2026_11_30_14_22_07` (whose zone the name
 * does not tell; it is only compared with its like). Null for other names.
 */
export function namedTime(timestamp: string | null): number | null {
  if (timestamp === null) return null
  if (/^\d{9,20}$/.test(timestamp)) {
    let ms = Number(timestamp)
    while (ms > 1e14) ms /= 1000
    return ms < 1e11 ? ms * 1000 : ms
  }
  const m = /^(\d{4})\D(\d\d)\D(\d\d)(?:\D(\d\d)\D(\d\d)(?:\D(\d\d))?)?/.exec(timestamp)
  if (!m) return null
  const [y, mo, d, h, mi, sec] = m.slice(1).map(v => Number(v ?? 0))
  return Date.UTC(y, mo - 1, d, h, mi, sec)
}

const timeOf = (s: CatalogSession): number => namedTime(s.timestamp) ?? changed(s)
const lowestRank = (s: CatalogSession): number => s.ranks[0] ?? Infinity
const byName = (a: CatalogSession, b: CatalogSession): number => (a.dir < b.dir ? -1 : a.dir > b.dir ? 1 : 0)
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

/** Order of sessions in time, newest first: by what the folder's name tells, else by the last change of a file; then the lowest rank, then the name. */
export const byTime = (a: CatalogSession, b: CatalogSession): number =>
  compare(timeOf(b), timeOf(a)) || compare(lowestRank(a), lowestRank(b)) || byName(a, b)

/**
 * The session that opens by itself with a root, null where there is none: of the sessions with a trace or a snapshot (without such a one, of all)
 * the lowest rank of the newest run; processes that began within a minute of the newest belong to its run.
 */
export function newestSession(sessions: readonly CatalogSession[]): CatalogSession | null {
  const drawn = sessions.filter(drawable)
  const list = [...(drawn.length ? drawn : sessions)].sort(byTime)
  if (!list.length) return null
  const since = timeOf(list[0]) - SAME_RUN_MS
  return list.filter(s => timeOf(s) >= since).sort((a, b) => compare(lowestRank(a), lowestRank(b)) || byTime(a, b))[0]
}

/** How many kinds of files a group holds: 2 where trace and snapshot overlap. */
export const kindsIn = (view: SessionView, g: TimeGroup): number =>
  new Set(view.sources.filter(s => g.sources.includes(s.index)).map(s => s.kind)).size

/**
 * The time group to show first: one that holds a trace and a snapshot before one that holds only one of them, then the one with the most events,
 * then the longest, then the first. Null while no source has times.
 */
export function chooseGroup(view: SessionView): TimeGroup | null {
  const weight = (g: TimeGroup): readonly [number, number, number] => {
    const sources = view.sources.filter(s => g.sources.includes(s.index))
    return [kindsIn(view, g), sources.reduce((n, s) => n + s.events, 0), g.durationNs]
  }
  let best: TimeGroup | null = null
  let top: readonly [number, number, number] = [0, 0, 0]
  for (const g of view.groups) {
    const w = weight(g)
    const d = w[0] - top[0] || w[1] - top[1] || w[2] - top[2]
    if (!best || d > 0) [best, top] = [g, w]
  }
  return best
}

/** The allocator to show first: the first of the group that has events, else the first of the group, else the first with events, else the first. */
export function chooseAllocator(view: SessionView, group: number | null): AllocatorInfo | null {
  const inGroup = view.allocators.filter(a => a.group === group && group !== null)
  return inGroup.find(a => a.events > 0) ?? inGroup[0] ?? view.allocators.find(a => a.events > 0) ?? view.allocators[0] ?? null
}

/** The group of `next` that goes on from `group` of `prev`: the one that holds a file which the old one held. Ids may be given anew when a file arrives. */
export function sameGroup(prev: SessionView, group: number, next: SessionView): TimeGroup | null {
  const old = prev.groups.find(g => g.id === group)
  if (!old) return null
  const files = new Set(prev.sources.filter(s => old.sources.includes(s.index)).map(s => s.file))
  const kept = next.sources.filter(s => s.group !== null && files.has(s.file))
  const ids = new Set(kept.map(s => s.group))
  return next.groups.find(g => g.id === group && ids.has(g.id)) ?? next.groups.find(g => ids.has(g.id)) ?? null
}

/** The allocator of `next` that is the same device of the same file. */
export function sameAllocator(prev: SessionView, id: number, next: SessionView): AllocatorInfo | null {
  const old = prev.allocators.find(a => a.id === id)
  return (old && next.allocators.find(a => a.path === old.path && a.device === old.device)) ?? null
}
