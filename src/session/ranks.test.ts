import { describe, expect, it } from 'vitest'
import type { CatalogFile, CatalogSession } from '../shared/catalog'
import { rankOfName } from './names'
import { rankChecks, type RankFacts } from './ranks'

const file = (path: string, kind: CatalogFile['kind']): CatalogFile => {
  const rank = rankOfName(path)
  return {
    id: path,
    path,
    kind,
    bytes: 1,
    state: 'complete',
    rank: rank ?? (kind === 'memory-snapshot' ? 0 : null),
    rankFromName: rank !== null,
    mtimeMs: 0,
    facts: {},
  }
}
const session = (pid: number | null, files: readonly CatalogFile[], instanceId: string | null = 'i-1'): CatalogSession => ({
  id: `s${pid}${files[0]?.path}`,
  instanceId,
  pid,
  timestamp: null,
  dir: `d${pid}`,
  modes: [],
  ranks: [],
  files,
  pairs: [],
  checks: [],
})
const snap = (path: string) => file(path, 'memory-snapshot')
const times = (o: Record<string, readonly [number, number]>): Map<string, RankFacts> =>
  new Map(Object.entries(o).map(([k, [a, b]]) => [k, { traceRank: null, timeNs: [BigInt(a), BigInt(b)] as const }]))
const codes = (s: readonly CatalogSession[], f: ReadonlyMap<string, RankFacts>) => rankChecks(s, f).all.map(d => d.code)

describe('one rank claimed by several processes', () => {
  const a = session(1, [snap('a.pickle')])
  const b = session(2, [snap('b.pickle')])

  it('at the same time is told once, in every session concerned', () => {
    const found = rankChecks([a, b], times({ 'a.pickle': [0, 10], 'b.pickle': [10, 20] }))
    expect(found.all).toMatchObject([{ code: 'rank-claimed-twice', severity: 'warning', file: 'a.pickle' }])
    expect(found.all[0]?.message).toContain('rank 0')
    expect(found.all[0]?.message).toContain('a.pickle, b.pickle')
    expect([...found.bySession.keys()]).toEqual([a.id, b.id])
  })

  it('at different times, with different ranks, without times or in one process is nothing', () => {
    expect(codes([a, b], times({ 'a.pickle': [0, 10], 'b.pickle': [11, 20] }))).toEqual([])
    expect(codes([a, b], times({ 'a.pickle': [0, 10] }))).toEqual([])
    expect(codes([a, session(2, [snap('b_rank1.pickle')])], times({ 'a.pickle': [0, 9], 'b_rank1.pickle': [0, 9] }))).toEqual([])
    expect(codes([a, session(1, [snap('c.pickle')])], times({ 'a.pickle': [0, 9], 'c.pickle': [0, 9] }))).toEqual([])
    expect(
      codes([session(null, [snap('d.pickle')]), session(null, [snap('e.pickle')])], times({ 'd.pickle': [0, 9], 'e.pickle': [0, 9] })),
    ).toEqual([])
  })

  it('tells processes apart by instance too, and joins a whole run in one finding', () => {
    const other = session(1, [snap('x.pickle')], 'i-2')
    expect(codes([a, other], times({ 'a.pickle': [0, 9], 'x.pickle': [0, 9] }))).toEqual(['rank-claimed-twice'])
    const run = Array.from({ length: 8 }, (_, i) => session(i, [snap(`p${i}.pickle`)]))
    const found = rankChecks(run, times(Object.fromEntries(run.map((_, i) => [`p${i}.pickle`, [i, 100 + i]]))))
    expect(found.all).toHaveLength(1)
    expect(found.all[0]?.message).toContain('8 snapshots')
    expect(found.bySession.size).toBe(8)
  })
})

describe('the rank inside a trace', () => {
  const facts = (rank: number | null): Map<string, RankFacts> =>
    new Map(['trace.json', 'trace_rank_2.json'].map(p => [p, { traceRank: rank, timeNs: null }]))

  it('contradicts a snapshot of the same session', () => {
    const s = [session(1, [snap('memory_snapshot.pickle'), file('trace.json', 'chrome-trace')])]
    expect(codes(s, facts(3))).toEqual(['rank-contradicts-trace'])
    expect(rankChecks(s, facts(3)).all[0]).toMatchObject({ file: 'memory_snapshot.pickle' })
    expect(codes(s, facts(0))).toEqual([])
    expect(codes(s, facts(null))).toEqual([])
    expect(codes([session(1, [snap('m_rank3.pickle'), snap('m.pickle'), file('trace.json', 'chrome-trace')])], facts(3))).toEqual([])
  })

  it('contradicts the name of the trace', () => {
    const s = [session(1, [file('trace_rank_2.json', 'chrome-trace')])]
    expect(codes(s, facts(2))).toEqual([])
    expect(codes(s, facts(5))).toEqual(['rank-name-contradicts-trace'])
  })
})
