import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrackInfo } from '../../../shared/api'
import { GROUPINGS, type TrackLayout } from '../../../shared/trace-api'
import { layout, rowsOf, track } from '../testing'
import { change, inSight, PINNED_KEY, stickyHeight, topOf, contentY, type Row, type Rows } from '.'
import { fullName } from './names'
import { applyOrder, orderFor } from './order'

const tracks: readonly TrackInfo[] = [
  ...[1, 2, 3, 4].map(i => track(i)),
  track(5, { pid: '11', name: 'TID:5' }),
  track(6, { pid: '11', name: 'TID:6' }),
  track(7, { pid: '', kind: 'counter', role: 'counter', origin: 'host', tid: '0', name: 'CPU:0' }),
]
const rows = (l: TrackLayout, list = tracks): Rows => rowsOf(list, { layout: l, instance: 'i-1' })
const ids = (r: Rows): readonly number[] => r.rows.flatMap(x => (x.type === 'track' ? [x.track.id] : []))
const rowOf = (r: Rows, id: number): Row => r.byTrack.get(id) as Row
const titles = (r: Rows): readonly string[] => r.rows.flatMap(x => (x.type === 'group' ? [x.title] : []))

describe('what the user does with rows', () => {
  it('pin stands on top in the order of pinning, in every grouping, and goes back', () => {
    let l = layout()
    for (const id of [6, 2]) l = change.pin(l, rowOf(rows(l), id).key)
    for (const grouping of GROUPINGS) {
      const r = rows({ ...l, grouping })
      expect(r.rows.slice(0, 3)).toMatchObject([{ title: 'Pinned' }, { track: { id: 6 } }, { track: { id: 2 } }])
      expect(r.pinned).toBe(3)
      expect([...ids(r)].sort()).toEqual([1, 2, 3, 4, 5, 6])
    }
    const r = rows(l)
    l = change.moveBy(l, r, rowOf(r, 2), -1)
    expect(ids(rows(l)).slice(0, 2)).toEqual([2, 6])
    expect(ids(rows(change.pin(change.pin(l, rowOf(r, 2).key), rowOf(r, 6).key)))).toEqual([1, 2, 3, 4, 5, 6])
    // The head folds as others do.
    expect(rows({ ...l, collapsed: [PINNED_KEY] })).toMatchObject({ pinned: 1, shown: 4 })
  })

  it('hide takes a track or a group away and counts it, show all brings everything back', () => {
    let l = layout()
    l = change.hide(l, rowOf(rows(l), 2).key)
    l = change.hide(l, rows(l).rows.find(r => r.type === 'group' && r.title === 'PID:11')?.key ?? '')
    const r = rows(l)
    expect([ids(r), r.hidden, titles(r)]).toEqual([[1, 3, 4], 3, ['i-1', 'PID:10', 'Host CPU by core']])
    expect(ids(rows(change.showAll(l)))).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('show only this group leaves nothing else, not even what is hidden by itself', () => {
    let l = layout()
    const key = rows(l).rows.find(r => r.type === 'group' && r.title === 'PID:11')?.key ?? ''
    l = change.showOnly(l, rows(l).grouped, key)
    expect(titles(rows(l))).toEqual(['i-1', 'PID:11'])
    expect(rows(l).hidden).toBe(5)
  })

  it('moves tracks and groups by one and to a place; edges stay', () => {
    let l = layout()
    const by = (id: number, d: -1 | 1): void => void (l = change.moveBy(l, rows(l), rowOf(rows(l), id), d))
    by(3, -1)
    expect(ids(rows(l))).toEqual([1, 3, 2, 4, 5, 6])
    by(3, -1)
    by(3, -1)
    expect(ids(rows(l))).toEqual([3, 1, 2, 4, 5, 6])
    l = change.moveTo(l, rows(l), rowOf(rows(l), 1), rowOf(rows(l), 4), true)
    expect(ids(rows(l))).toEqual([3, 2, 4, 1, 5, 6])
    // Into another group: it stays.
    expect(change.moveTo(l, rows(l), rowOf(rows(l), 1), rowOf(rows(l), 5), true)).toBe(l)
    const group = (title: string): Row => rows(l).rows.find(r => r.type === 'group' && r.title === title) as Row
    l = change.moveBy(l, rows(l), group('PID:11'), -1)
    expect(ids(rows(l))).toEqual([5, 6, 3, 2, 4, 1])
    expect(change.moveBy(l, rows(l), group('i-1'), 1)).toBe(l)
    // Back again nothing is out of its natural order.
    expect(titles(rows(change.moveBy(l, rows(l), group('PID:11'), 1)))).toEqual(['i-1', 'PID:10', 'PID:11', 'Host CPU by core'])
  })

  it('moves past what is hidden in between', () => {
    let l = layout()
    l = change.hide(l, rowOf(rows(l), 2).key)
    l = change.moveBy(l, rows(l), rowOf(rows(l), 3), -1)
    expect(ids(rows(l))).toEqual([3, 1, 4, 5, 6])
    expect(ids(rows(change.showAll(l)))).toEqual([3, 1, 2, 4, 5, 6])
  })

  it('folds and unfolds, one and all; what begins closed is remembered as opened', () => {
    let l = layout()
    const g = rows(l).grouped
    l = change.toggle(l, g, 'host-cores', true)
    expect(ids(rows(l))).toContain(7)
    l = change.toggle(l, g, 'host-cores', false)
    expect(ids(rows(l))).not.toContain(7)
    expect(l.expanded).toEqual([])
    expect(ids(rows(change.toggleAll(l, g, true)))).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(ids(rows(change.toggleAll(change.toggleAll(l, g, true), g, false)))).toEqual([])
  })

  it('filters by words and by expressions, says what is none, and opens what begins closed', () => {
    expect(ids(rows(layout({ filter: 'tid:5' })))).toEqual([5])
    expect(ids(rows(layout({ filter: '  PID:11   framework ' })))).toEqual([5, 6])
    expect(ids(rows(layout({ filter: 'TID:[12]$', regex: true })))).toEqual([1, 2])
    expect(ids(rows(layout({ filter: '^i-1/CPU:0/host_cpu_util$', regex: true })))).toEqual([7])
    expect(rows(layout({ filter: 'tid:5' })).filtered).toBe(6)
    const bad = rows(layout({ filter: 'TID:(', regex: true }))
    expect(bad.filterError).toMatch(/missing closing \)/)
    expect(ids(bad)).toEqual([1, 2, 3, 4, 5, 6])
    expect(rows(layout({ filter: 'nowhere' })).rows).toMatchObject([{ type: 'note', words: 'No other track matches the filter' }])
  })

  it('ignores keys that name nothing, and keeps them', () => {
    const l = layout({ pinned: ['x'], hidden: ['y'], order: ['z', 'w'], collapsed: ['v'], expanded: ['u'] })
    expect(ids(rows(l))).toEqual([1, 2, 3, 4, 5, 6])
    expect(change.pin(l, rowOf(rows(l), 2).key).pinned[0]).toBe('x')
    expect(change.moveBy(l, rows(l), rowOf(rows(l), 2), 1).order).toEqual(expect.arrayContaining(['z', 'w']))
  })

  it('names tracks alike after another reading in another order of files', () => {
    const source = (index: number, path: string) =>
      ({ index, file: path, path, kind: 'chrome-trace', group: 0, clock: '', rank: 0, complete: true, events: 1 }) as const
    const keys = (sources: readonly ReturnType<typeof source>[], list: readonly TrackInfo[]): readonly string[] =>
      [...rowsOf(list, { sources }).byKey.keys()].sort()
    const a = keys(
      [source(0, 'r/a.json'), source(1, 'q/a.json'), source(2, 'q/b.json')],
      [track(1, { source: 0 }), track(2, { source: 1 }), track(3, { source: 2 })],
    )
    const b = keys(
      [source(0, 'q/b.json'), source(1, 'r/a.json'), source(2, 'q/a.json')],
      [
        track(91, { source: 1, tid: '1', name: 'TID:1' }),
        track(92, { source: 2, tid: '2', name: 'TID:2' }),
        track(93, { source: 0, tid: '3', name: 'TID:3' }),
      ],
    )
    expect(b).toEqual(a)
    expect(keys([], [track(1, { name: 'x'.repeat(1000) })]).every(k => k.length <= 400)).toBe(true)
    // Two tracks that nothing tells apart have keys of their own.
    expect(new Set(keys([], [track(1, { tid: '', name: 'n' }), track(2, { tid: '', name: 'n' })])).size).toBe(3)
  })
})

describe('order', () => {
  it('holds after any moves, and says as much as it must', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 12 }), (n, moves) => {
        const natural = Array.from({ length: n }, (_, i) => ({ key: `k${i}` }))
        let order: readonly string[] = ['other']
        let shown: readonly string[] = natural.map(x => x.key)
        for (const [a, b] of moves) {
          const next = shown.filter((_, i) => i !== a % n)
          next.splice(b % n, 0, shown[a % n])
          order = orderFor(
            natural.map(x => x.key),
            next,
            order,
          )
          shown = next
          expect(applyOrder(natural, new Map(order.map((k, i) => [k, i]))).map(x => x.key)).toEqual(shown)
        }
        expect(order[0]).toBe('other')
        // What appears later leaves the others in their order.
        const more = [...natural.slice(0, n >> 1), { key: 'new' }, ...natural.slice(n >> 1)]
        const then = applyOrder(more, new Map(order.map((k, i) => [k, i]))).map(x => x.key)
        expect(then.filter(k => k !== 'new' && order.includes(k))).toEqual(shown.filter(k => order.includes(k)))
      }),
    )
  })
})

describe('every track', () => {
  it('that is not hidden and matches has one row, whatever was pinned, moved, hidden and filtered', () => {
    const list = tracks.map((t, i) => (i === 2 ? { ...t, origin: 'transfer' as const, nc: 0 } : t))
    const step = fc.record({
      what: fc.constantFrom('pin', 'hide', 'hide-group', 'up', 'down', 'to', 'only', 'fold', 'group', 'show'),
      a: fc.nat(30),
      b: fc.nat(30),
    })
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 14 }),
        fc.constantFrom('', 'TID', 'TID:5', 'pid:10'),
        fc.boolean(),
        (steps, filter, regex) => {
          let l = layout()
          for (const s of steps) {
            const r = rows(l, list)
            const row = r.rows[s.a % Math.max(1, r.rows.length)]
            const other = r.rows[s.b % Math.max(1, r.rows.length)]
            if (!row || !other) break
            if (s.what === 'pin' && row.type === 'track') l = change.pin(l, row.key)
            if (s.what === 'hide' && row.type === 'track') l = change.hide(l, row.key)
            if (s.what === 'hide-group' && row.type === 'group' && row.key !== PINNED_KEY) l = change.hide(l, row.key)
            if (s.what === 'up' || s.what === 'down') l = change.moveBy(l, r, row, s.what === 'up' ? -1 : 1)
            if (s.what === 'to') l = change.moveTo(l, r, row, other, s.b % 2 === 0)
            if (s.what === 'only' && row.type === 'group' && row.level === 1) l = change.showOnly(l, r.grouped, row.key)
            if (s.what === 'fold' && row.type === 'group') l = change.toggle(l, r.grouped, row.key, !row.open)
            if (s.what === 'group') l = change.regroup(l, GROUPINGS[s.a % GROUPINGS.length] as (typeof GROUPINGS)[number])
            if (s.what === 'show') l = change.showAll(l)
          }
          // Open, so that all that is left can be seen.
          const open = change.toggleAll({ ...l, collapsed: [] }, rows(l, list).grouped, true)
          const r = rows({ ...open, filter, regex }, list)
          const shown = ids(r)
          expect(new Set(shown).size).toBe(shown.length)
          const want = r.grouped.instances.flatMap(i =>
            i.sections.flatMap(s =>
              s.tracks.filter(p => {
                if (l.hidden.includes(s.key) || l.hidden.includes(p.key)) return false
                if (l.pinned.includes(p.key)) return true
                const names = [
                  fullName(p.track, l.grouping, r.grouped.names),
                  fullName(p.track, 'default', r.grouped.names),
                  p.words.label,
                  p.words.note,
                  p.words.prefix,
                ]
                return filter === '' || names.some(x => x.toLowerCase().includes(filter.toLowerCase()))
              }),
            ),
          )
          expect([...shown].sort()).toEqual(want.map(p => p.track.id).sort())
          expect(shown.length + r.hidden + r.filtered).toBe(r.tracks)
          expect(r.rows.filter(x => x.type === 'group').every(g => g.type !== 'group' || g.count > 0)).toBe(true)
          expect(new Set(r.rows.map(x => x.key)).size).toBe(r.rows.length)
        },
      ),
    )
  })
})

describe('pinned rows on the screen', () => {
  const r = rows(change.pin(change.pin(layout(), rowOf(rows(layout()), 2).key), rowOf(rows(layout()), 3).key))

  it('stay at the top while the others scroll below them', () => {
    expect(stickyHeight(r, 400)).toBe(22 + 21 + 21)
    const { sticky, fixed, moving } = inSight(r, 30, 200)
    expect(fixed.map(x => x.key)).toEqual(r.rows.slice(0, 3).map(x => x.key))
    expect(moving[0]?.y).toBeLessThanOrEqual(sticky + 30)
    for (const x of fixed) expect(topOf(x, sticky, 30)).toBe(x.y)
    for (const x of moving) expect(contentY(topOf(x, sticky, 30) + x.h - 1, sticky, 30)).toBe(x.y + x.h - 1)
  })

  it('leave room for the others: what does not fit scrolls', () => {
    expect(stickyHeight(r, 90)).toBe(22 + 21)
    expect(stickyHeight(r, 30)).toBe(0)
    expect(stickyHeight(rows(layout()), 400)).toBe(0)
  })
})
