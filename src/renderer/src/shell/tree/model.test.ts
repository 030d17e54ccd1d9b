import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import type { Catalog, CatalogFile, CatalogSession, FileKind, FileState } from '../../../../shared/catalog'
import { treeMove, treeRows, type TreeOptions, type TreeRow } from './model'

let n = 0
const file = (dir: string, name: string, kind: FileKind, state: FileState = 'complete'): CatalogFile => ({
  id: `f${++n}`,
  path: dir === '.' ? name : `${dir}/${name}`,
  kind,
  bytes: 1,
  state,
  rank: null,
  rankFromName: false,
  mtimeMs: 0,
  facts: {},
})
function session(
  id: string,
  instanceId: string | null,
  pid: number | null,
  timestamp: string | null,
  ranks: readonly number[],
  files: readonly (readonly [string, FileKind, FileState?])[] = [],
): CatalogSession {
  const dir = timestamp === null ? '.' : `${instanceId}_pid_${pid}/${timestamp}`
  return { id, instanceId, pid, timestamp, dir, modes: [], ranks, files: files.map(f => file(dir, ...f)), pairs: [], checks: [] }
}
const catalog = (...sessions: CatalogSession[]): Catalog => ({ root: '/r', sessions, diagnostics: [] })
const options = (o: Partial<TreeOptions> = {}): TreeOptions => ({ rootName: 'out', session: null, open: new Map(), filter: '', ...o })
const text = (rows: readonly TreeRow[]): string[] => rows.map(r => `${'  '.repeat(r.level - 1)}${r.label}`)

const two = catalog(
  session('s1', 'i-1', 20, '2026_11_30_14_22_07', [1], [['trace.json', 'chrome-trace', 'growing']]),
  session('s2', 'i-1', 10, '2026_11_30_13_58_44', [0], [['trace.json', 'chrome-trace']]),
  session(
    's3',
    'i-1',
    10,
    '2026_11_30_14_22_07',
    [0],
    [
      ['ntrace.pb', 'ntrace'],
      ['snapshot_rank10.pickle', 'memory-snapshot'],
      ['snapshot_rank2.pickle', 'memory-snapshot'],
      ['trace.json', 'chrome-trace'],
    ],
  ),
)

describe('rows of the tree', () => {
  it('go from instance to rank to session to file; ranks ascend, sessions are newest first, files go by kind and natural name', () => {
    expect(text(treeRows(two, options({ session: 's3' })))).toEqual([
      'i-1',
      '  rank 0',
      '    2026_11_30_14_22_07',
      '      trace.json',
      '      snapshot_rank2.pickle',
      '      snapshot_rank10.pickle',
      '      ntrace.pb',
      '    2026_11_30_13_58_44',
      '  rank 1',
      '    2026_11_30_14_22_07',
    ])
  })
  it('leave out levels that the names do not tell', () => {
    const bare = catalog(session('s', null, null, null, [], [['x.pickle', 'memory-snapshot']]))
    expect(text(treeRows(bare, options({ session: 's' })))).toEqual(['out', '  x.pickle'])
    expect(treeRows(bare, options({ session: 's' })).map(r => r.level)).toEqual([1, 2])
  })
  it('say which session is recording', () => {
    const rows = treeRows(two, options()).filter(r => r.type === 'session')
    expect(rows.map(r => r.recording)).toEqual([false, false, true])
  })
  it('keep by hand what was opened and closed by hand', () => {
    const open = new Map([
      ['s:s3', false],
      ['s:s2', true],
    ])
    expect(text(treeRows(two, options({ session: 's3', open }))).filter(t => t.includes('trace'))).toEqual(['      trace.json'])
  })
  it('show matching files only while filtering, whatever is closed', () => {
    const open = new Map([['i:i-1', false]])
    expect(text(treeRows(two, options({ filter: ' RANK2 ', open })))).toEqual([
      'i-1',
      '  rank 0',
      '    2026_11_30_14_22_07',
      '      snapshot_rank2.pickle',
    ])
    expect(text(treeRows(two, options({ filter: 'growing' })))).toHaveLength(4)
    expect(treeRows(two, options({ filter: 'nothing like it' }))).toEqual([])
  })
  it('have distinct keys, parents that stand above them, and correct positions', () => {
    const arb = fc.array(
      fc.record({
        instance: fc.constantFrom(null, 'i-1', 'i-2'),
        pid: fc.constantFrom(null, 1, 2),
        time: fc.constantFrom(null, '2026_1', '2026_2'),
        ranks: fc.subarray([0, 1]),
        files: fc.nat(3),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(arb, list => {
        const c = catalog(
          ...list.map((s, i) =>
            session(
              `s${i}`,
              s.instance,
              s.pid,
              s.time,
              s.ranks,
              Array.from({ length: s.files }, (_, k) => [`${k}.json`, 'chrome-trace'] as const),
            ),
          ),
        )
        const open = new Map(list.map((_, i) => [`s:s${i}`, true]))
        const rows = treeRows(c, options({ open }))
        expect(new Set(rows.map(r => r.key)).size).toBe(rows.length)
        expect(rows.filter(r => r.type === 'session')).toHaveLength(list.length)
        expect(rows.filter(r => r.type === 'file')).toHaveLength(list.reduce((m, s) => m + s.files, 0))
        rows.forEach((r, i) => {
          const parent = r.parent === null ? null : rows.findIndex(p => p.key === r.parent)
          if (parent === null) expect(r.level).toBe(1)
          else {
            expect(parent).toBeLessThan(i)
            expect(rows[parent].level).toBe(r.level - 1)
          }
          const siblings = rows.filter(o => o.parent === r.parent)
          expect([r.siblings, r.position]).toEqual([siblings.length, siblings.indexOf(r) + 1])
        })
      }),
      { numRuns: 60 },
    )
  })
})

describe('arrow keys', () => {
  const rows = treeRows(two, options({ session: 's3' }))
  const at = (label: string): number => rows.findIndex(r => r.label === label)
  it('move between visible rows and stop at the ends', () => {
    expect(treeMove(rows, 0, 'ArrowUp')).toEqual({ focus: 0 })
    expect(treeMove(rows, 0, 'ArrowDown')).toEqual({ focus: 1 })
    expect(treeMove(rows, rows.length - 1, 'ArrowDown')).toEqual({ focus: rows.length - 1 })
    expect(treeMove(rows, 3, 'Home')).toEqual({ focus: 0 })
    expect(treeMove(rows, 3, 'End')).toEqual({ focus: rows.length - 1 })
  })
  it('open and close, go into and out of a row', () => {
    const closed = at('2026_11_30_13_58_44')
    expect(treeMove(rows, closed, 'ArrowRight')).toEqual({ open: 's:s2', to: true })
    expect(treeMove(rows, closed, 'ArrowLeft')).toEqual({ focus: at('rank 0') })
    expect(treeMove(rows, at('rank 0'), 'ArrowRight')).toEqual({ focus: at('rank 0') + 1 })
    expect(treeMove(rows, at('rank 0'), 'ArrowLeft')).toMatchObject({ to: false })
    expect(treeMove(rows, at('ntrace.pb'), 'ArrowRight')).toBeNull()
    expect(treeMove(rows, at('ntrace.pb'), 'ArrowLeft')).toEqual({ focus: 2 })
    expect(treeMove(rows, 0, 'x')).toBeNull()
  })
})
