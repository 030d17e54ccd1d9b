/**
 * Which session, time group and allocator are shown when the user has not chosen. Pure functions, so that the rules can be read and tested.
 */
import type { AllocatorInfo, SessionView, TimeGroup } from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'

/** Kinds that the two panels draw. */
const DRAWN: ReadonlySet<string> = new Set(['chrome-trace', 'memory-snapshot'])

const changed = (s: CatalogSession): number => s.files.reduce((m, f) => Math.max(m, f.mtimeMs), 0)
const drawable = (s: CatalogSession): boolean => s.files.some(f => DRAWN.has(f.kind) && f.bytes > 0)

/**
 * Order of sessions in time, newest first: by the timestamp of the folder name; those without one come after them, by the last change of a file.
 * At the same time the lowest rank is in front, then the folder name decides.
 */
export function byTime(a: CatalogSession, b: CatalogSession): number {
  if (a.timestamp !== b.timestamp) {
    if (a.timestamp === null) return 1
    if (b.timestamp === null) return -1
    return a.timestamp < b.timestamp ? 1 : -1
  }
  if (a.timestamp === null && changed(a) !== changed(b)) return changed(b) - changed(a)
  const rank = (a.ranks[0] ?? Infinity) - (b.ranks[0] ?? Infinity)
  return rank || (a.dir < b.dir ? -1 : a.dir > b.dir ? 1 : 0)
}

/**
 * The session that opens by itself with a root, null where there is none: the newest of those with a trace or a snapshot, since only they have
 * something to draw; without such a one the newest of all.
 */
export const newestSession = (sessions: readonly CatalogSession[]): CatalogSession | null =>
  [...sessions].sort((a, b) => Number(drawable(b)) - Number(drawable(a)) || byTime(a, b))[0] ?? null

/**
 * The time group to show first: one that holds a trace and a snapshot before one that holds only one of them, then the one with the most events,
 * then the longest, then the first. Null while no source has times.
 */
export function chooseGroup(view: SessionView): TimeGroup | null {
  const weight = (g: TimeGroup): readonly [number, number, number] => {
    const sources = g.sources.flatMap(i => view.sources.filter(s => s.index === i))
    return [new Set(sources.map(s => s.kind)).size, sources.reduce((n, s) => n + s.events, 0), g.durationNs]
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
