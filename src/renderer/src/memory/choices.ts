/** What the Rank and Device selects offer. Pure, so that the rules can be read and tested. */
import type { AllocatorInfo, SessionView } from '../../../shared/api'
import type { CatalogSession } from '../../../shared/catalog'

export interface RankChoice {
  /** `source:3` for a snapshot of the open session, `session:ID` for a session of another process. */
  readonly value: string
  readonly label: string
  /** Set where choosing it opens another session. */
  readonly session: string | null
  /** Set where it is a snapshot of the open session. */
  readonly source: number | null
}

const fileName = (path: string): string => path.split('/').at(-1) ?? path

/** Sessions whose folders are named within this many seconds of each other may belong to one run. */
const SAME_RUN_S = 60

/** `2026_11_30_14_22_07`, or Unix time in s, ms, µs or ns, as seconds; null for other names. */
function seconds(timestamp: string | null): number | null {
  if (timestamp === null) return null
  if (/^\d{10}(\d{3}){0,3}$/.test(timestamp)) return Number(timestamp.slice(0, 10))
  const m = /^(\d{4})\D(\d\d)\D(\d\d)\D(\d\d)\D(\d\d)\D(\d\d)/.exec(timestamp)
  if (!m) return null
  const [y, mo, d, h, mi, s] = m.slice(1).map(Number)
  return Date.UTC(y, mo - 1, d, h, mi, s) / 1000
}

/** Whether two sessions look like two processes of one run: another process, the same or nearly the same time in the folder's name. */
export function sameRun(a: CatalogSession, b: CatalogSession): boolean {
  if (a.id === b.id || a.pid === null || b.pid === null || (a.pid === b.pid && a.instanceId === b.instanceId)) return false
  if (a.timestamp !== null && a.timestamp === b.timestamp) return true
  const x = seconds(a.timestamp)
  const y = seconds(b.timestamp)
  return x !== null && y !== null && Math.abs(x - y) <= SAME_RUN_S
}

/**
 * Ranks: one entry per snapshot of the open session, then the sessions of other processes of the same run that hold a snapshot.
 * Entries that claim the same rank carry the file's name, or the process, so that both stay selectable.
 */
export function rankChoices(view: SessionView, sessions: readonly CatalogSession[]): readonly RankChoice[] {
  const own = new Map<number, AllocatorInfo>()
  for (const a of view.allocators) if (!own.has(a.source)) own.set(a.source, a)
  const open = sessions.find(s => s.id === view.session)
  const others = open ? sessions.filter(s => sameRun(open, s) && s.files.some(f => f.kind === 'memory-snapshot')) : []
  const ranksOf = (s: CatalogSession): readonly number[] => [
    ...new Set(s.files.flatMap(f => (f.kind === 'memory-snapshot' && f.rank !== null ? [f.rank] : []))),
  ]
  const claims = new Map<number, number>()
  const claim = (rank: number): void => void claims.set(rank, (claims.get(rank) ?? 0) + 1)
  for (const a of own.values()) claim(a.rank)
  for (const s of others) ranksOf(s).forEach(claim)
  const several = (rank: number): boolean => (claims.get(rank) ?? 0) > 1
  return [
    ...[...own.values()].map(a => ({
      value: `source:${a.source}`,
      label: several(a.rank) ? `${a.rank} · ${fileName(a.path)}` : String(a.rank),
      session: null,
      source: a.source,
    })),
    ...others.map(s => ({
      value: `session:${s.id}`,
      label: `${ranksOf(s).join(', ')} · pid ${s.pid}${s.timestamp === open?.timestamp ? '' : ` · ${s.timestamp}`}`,
      session: s.id,
      source: null,
    })),
  ]
}

/** Devices of the snapshot that is shown. */
export const deviceChoices = (view: SessionView, source: number): readonly AllocatorInfo[] =>
  view.allocators.filter(a => a.source === source)
