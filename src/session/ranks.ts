/**
 * Checks on ranks, once the files were read. The rank of a snapshot is what its name says (0 where it says nothing); two things can contradict that:
 * snapshots of different processes that claim one rank at the same time, and the rank that a trace carries inside (`distributedInfo.rank`). Nothing is corrected: both stay selectable and the user is told.
 */
import type { CatalogFile, CatalogSession } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'

/** What reading a file told. */
export interface RankFacts {
  /** `distributedInfo.rank` of a trace; null where absent and for other kinds. */
  readonly traceRank: number | null
  /** First and last time in Unix ns; null without times or with an unknown clock. */
  readonly timeNs: readonly [bigint, bigint] | null
}

export interface RankChecks {
  /** By session id, for `CatalogSession.checks`. */
  readonly bySession: ReadonlyMap<string, readonly Diagnostic[]>
  /** Each finding once. */
  readonly all: readonly Diagnostic[]
}

/** `facts` by CatalogFile.id; files that were not read have none and take part in nothing that needs them. */
export function rankChecks(sessions: readonly CatalogSession[], facts: ReadonlyMap<string, RankFacts>): RankChecks {
  const bySession = new Map<string, Diagnostic[]>()
  const all: Diagnostic[] = []
  const say = (d: Diagnostic, ids: Iterable<string>): void => {
    all.push(d)
    for (const id of new Set(ids)) bySession.set(id, [...(bySession.get(id) ?? []), d])
  }
  for (const clash of clashes(sessions, facts)) {
    const files = clash.members.map(m => m.file)
    const defaulted = files.filter(f => !f.rankFromName).length
    say(
      {
        severity: 'warning',
        code: 'rank-claimed-twice',
        file: (files[0] as CatalogFile).path,
        offset: null,
        message: `${files.length} snapshots of different processes claim rank ${clash.rank} at the same time: ${listed(files.map(f => f.path))}.`,
        meaning: 'The rank does not tell them apart; each can be chosen by its path.',
        action:
          defaulted > 0
            ? `Put rank<N> into the file names: ${defaulted} of them have no such token and count as rank 0.`
            : 'Check the rank<N> tokens of the file names.',
        count: 1,
      },
      clash.members.map(m => m.session.id),
    )
  }
  for (const session of sessions) for (const d of contradictions(session, facts)) say(d, [session.id])
  return { bySession, all }
}

interface Member {
  readonly session: CatalogSession
  readonly file: CatalogFile
  readonly time: readonly [bigint, bigint]
}

/** True when the names tell that two sessions are of different processes; what they leave open is not a difference. */
function differ(a: CatalogSession, b: CatalogSession): boolean {
  if (a.pid !== null && b.pid !== null && a.pid !== b.pid) return true
  return a.instanceId !== null && b.instanceId !== null && a.instanceId !== b.instanceId
}

function clashes(
  sessions: readonly CatalogSession[],
  facts: ReadonlyMap<string, RankFacts>,
): readonly { readonly rank: number; readonly members: readonly Member[] }[] {
  const byRank = new Map<number, Member[]>()
  for (const session of sessions)
    for (const file of session.files) {
      const time = facts.get(file.id)?.timeNs
      if (file.kind !== 'memory-snapshot' || file.rank === null || !time) continue
      byRank.set(file.rank, [...(byRank.get(file.rank) ?? []), { session, file, time }])
    }
  const out: { rank: number; members: Member[] }[] = []
  for (const [rank, members] of [...byRank].sort(([a], [b]) => a - b)) {
    const clashing = (a: Member, b: Member): boolean => a.time[0] <= b.time[1] && b.time[0] <= a.time[1] && differ(a.session, b.session)
    // Connected sets of clashing snapshots, in the order of the catalog.
    const left = new Set(members)
    for (const first of members) {
      if (!left.delete(first)) continue
      const set = [first]
      for (let i = 0; i < set.length; i++)
        for (const other of [...left])
          if (clashing(set[i] as Member, other)) {
            left.delete(other)
            set.push(other)
          }
      if (set.length > 1) out.push({ rank, members: members.filter(m => set.includes(m)) })
    }
  }
  return out
}

/** What the traces of a session say about its ranks. */
function contradictions(session: CatalogSession, facts: ReadonlyMap<string, RankFacts>): readonly Diagnostic[] {
  const out: Diagnostic[] = []
  const snapshots = session.files.filter(f => f.kind === 'memory-snapshot')
  for (const trace of session.files) {
    if (trace.kind !== 'chrome-trace') continue
    const rank = facts.get(trace.id)?.traceRank ?? null
    if (rank === null) continue
    if (trace.rank !== null && trace.rank !== rank)
      out.push({
        severity: 'warning',
        code: 'rank-name-contradicts-trace',
        file: trace.path,
        offset: null,
        message: `The name of the trace says rank ${trace.rank}, its distributedInfo says rank ${rank}.`,
        meaning: 'One of them is wrong; both are shown.',
        action: 'Check whether the file was renamed or copied.',
        count: 1,
      })
    if (snapshots.length > 0 && !snapshots.some(s => s.rank === rank)) {
      const first = snapshots[0] as CatalogFile
      const guessed = snapshots.every(s => !s.rankFromName)
      out.push({
        severity: 'warning',
        code: 'rank-contradicts-trace',
        file: first.path,
        offset: null,
        message: `The trace ${trace.path} says rank ${rank}, ${
          guessed
            ? 'the snapshot has no rank<N> in its name and counts as rank 0'
            : `the snapshots say rank ${listed(snapshots.map(s => String(s.rank)))}`
        }.`,
        meaning: 'The snapshot may belong to another rank than it is listed under.',
        action: guessed
          ? `Name it memory_snapshot_rank${rank}.pickle if it belongs to this trace.`
          : 'Check whether the files were mixed up.',
        count: 1,
      })
    }
  }
  return out
}

const listed = (items: readonly string[], most = 4): string =>
  items.length <= most ? items.join(', ') : `${items.slice(0, most).join(', ')} and ${items.length - most} more`
