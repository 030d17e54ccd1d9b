/** Two ranges compared by name, track or category. */
import { groupSlices, type GroupedSlices } from '../../../analysis/trace/stats/groups'
import { sortPausing } from '../../../shared/sorted'
import { passing } from '../../../analysis/trace/stats/rows'
import type { Answers, RequestArgs } from '../../../shared/api'
import type { CompareRow } from '../../../shared/trace-api'
import type { EngineContext } from './context'
import type { Turn } from './lanes'
import { askedTracks, groupScope } from './stat-scope'
import { keyFilter, keysBy } from './stats'

/** Statistics of both ranges side by side, clipped as those of one. Largest absolute difference of the totals first, equal ones by key. */
export async function traceCompare(context: EngineContext, q: RequestArgs<'trace.compare'>, turn: Turn): Promise<Answers['trace.compare']> {
  const nothing = { version: context.version, cancelled: true, rows: [], matching: 0, wallA: 0, wallB: 0 } as const
  const of = await groupScope(context, q.group)
  const tracks = askedTracks(context, of, q.tracks)
  if (await turn.pause()) return nothing
  const keys = keysBy(of.scope, q.by)
  const a = await groupSlices(of.scope, keys, { from: q.a.start, to: q.a.end, tracks }, turn)
  const b = a && (await groupSlices(of.scope, keys, { from: q.b.start, to: q.b.end, tracks }, turn))
  if (!a || !b) return nothing
  const { passes } = keyFilter(q.filter, false)
  const found = await passing(keys.texts.length, g => (a.count[g] > 0 || b.count[g] > 0) && (!passes || passes(keys.texts[g])), turn)
  if (!found) return nothing
  const delta = (g: number): number => b.total[g] - a.total[g]
  const inOrder = (x: number, y: number): number => Math.abs(delta(y)) - Math.abs(delta(x)) || (keys.texts[x] < keys.texts[y] ? -1 : 1)
  if (!(await sortPausing(found, inOrder, turn))) return nothing
  const side = (s: GroupedSlices, g: number): CompareRow['a'] =>
    s.count[g] === 0 ? null : { count: s.count[g], totalNs: s.total[g], selfNs: s.self[g] }
  return {
    version: context.version,
    cancelled: false,
    rows: Array.from(found.subarray(0, q.limit), g => ({ key: keys.texts[g], a: side(a, g), b: side(b, g), deltaNs: delta(g) })),
    matching: found.length,
    wallA: a.cover.all,
    wallB: b.cover.all,
  }
}
