/** Statistics of slices. */
import { makeMatcher } from '../../../analysis/trace/search/matcher'
import { groupSlices } from '../../../analysis/trace/stats/groups'
import { statsRows, type StatsOrder, type StatsRows } from '../../../analysis/trace/stats/rows'
import type { Keys, StatScope } from '../../../analysis/trace/stats/scope'
import type { Answers, RequestArgs } from '../../../shared/api'
import { num } from '../../../shared/format'
import type { StatsBy } from '../../../shared/trace-api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'
import { askedTracks, groupScope, refOf, type GroupScope } from './stat-scope'

/** Rows between two looks at the clock. */
const STRIDE = 1 << 9

export const keysBy = (scope: StatScope, by: StatsBy): Keys =>
  by === 'name' ? scope.name : by === 'track' ? scope.byTrack : scope.category

export interface KeyFilter {
  /** null: all pass. One key may take a while: who asks about many pauses between them. */
  readonly passes: ((key: string) => boolean) | null
  /** Why it is no regular expression. */
  readonly error: string | null
  /** What was not looked at of the keys so far. */
  readonly note: () => string | null
}

/** Which keys pass: all words in any order, or a regular expression, upper and lower case alike. */
export function keyFilter(text: string, regex: boolean): KeyFilter {
  const note = (): null => null
  if (text.trim() === '') return { passes: null, error: null, note }
  if (regex) {
    const { matcher, error } = makeMatcher(text, { regex, matchCase: false })
    if (!matcher) return { passes: null, error, note }
    let cut = 0
    return {
      passes: key => {
        const is = matcher.test(key)
        if (!is && key.length > matcher.reach) cut++
        return is
      },
      error,
      note: () =>
        cut === 0
          ? null
          : `of ${num(cut)} long ${cut === 1 ? 'name' : 'names'} only the first ${num(matcher.reach)} characters were filtered`,
    }
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return {
    passes: key => {
      const lower = key.toLowerCase()
      return words.every(w => lower.includes(w))
    },
    error: null,
    note,
  }
}

export interface StatsQuery extends Omit<RequestArgs<'trace.statsCsv'>, 'session' | 'sort'> {
  readonly sort: StatsOrder
  readonly limit: number
}

/**
 * Statistics of the complete slices of a group (see `groupSlices` for what is counted). `slices`, `unmatched` and `wallNs` are those of the window, whatever the filter.
 * With a filter that is no regular expression there are no rows, and why. Rejects with a RequestError for groups and tracks that are not there.
 */
export async function traceStats(
  context: EngineContext,
  q: RequestArgs<'trace.stats'> | StatsQuery,
  turn: Turn,
): Promise<Answers['trace.stats']> {
  const of = await groupScope(context, q.group)
  const window = { from: q.start ?? -Infinity, to: q.end ?? Infinity, tracks: askedTracks(context, of, q.tracks) }
  const head = { version: context.version, by: q.by, start: q.start ?? 0, end: q.end ?? context.groups[q.group].durationNs } as const
  const { passes, error, note } = keyFilter(q.filter, q.regex)
  const nothing = { ...head, rows: [], matching: 0, slices: 0, unmatched: 0, wallNs: 0, filterError: error } as const
  if (await turn.pause()) return { ...nothing, cancelled: true }
  const grouped = await groupSlices(of.scope, keysBy(of.scope, q.by), window, turn)
  if (!grouped) return { ...nothing, cancelled: true }
  const { slices, unmatched } = grouped
  const figures = { slices, unmatched, wallNs: grouped.cover.all }
  if (error !== null) return { ...nothing, ...figures, cancelled: false }
  const found = await statsRows(grouped, passes, q.sort, q.limit, turn)
  if (!found) return { ...nothing, cancelled: true }
  const rows = await rowsOf(of, found, turn)
  return rows
    ? { ...nothing, ...figures, cancelled: false, rows, matching: found.matching, filterNote: note() }
    : { ...nothing, cancelled: true }
}

/** null: given up. */
async function rowsOf(of: GroupScope, { rows }: StatsRows, turn: Turn): Promise<Answers['trace.stats']['rows'] | null> {
  const out: Answers['trace.stats']['rows'][number][] = []
  for (const r of rows) {
    out.push({ ...r, longest: refOf(of, r.longest) })
    if (out.length % STRIDE === 0 && turn.due && (await turn.pause())) return null
  }
  return out
}
