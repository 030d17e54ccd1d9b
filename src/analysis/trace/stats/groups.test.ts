import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixtureTable, type FixtureEvent } from '../../../formats/chrome-trace/fixture'
import { stringAt } from '../../../shared/columns'
import { STATS_COLUMNS, type StatsBy } from '../../../shared/trace-api'
import type { TraceTable } from '../../../shared/tables'
import type { Pausing } from '../../../shared/pausing'
import { trackLabel } from '../details'
import type { TrackModel } from '../model'
import { buildTraceModel } from '../tracks'
import { groupSlices, type GroupFigures, type StatsWindow } from './groups'
import { ownTime } from './own'
import { statsRows } from './rows'
import { buildScope, type StatScope } from './scope'

const NEVER: Pausing = { due: false, pause: () => Promise.resolve(false) }
/** Asks for a pause at every opportunity, which is never refused. */
const ALWAYS: Pausing = { due: true, pause: () => Promise.resolve(false) }
const OFFSET = 7_000

async function indexOf(events: readonly FixtureEvent[], pausing = NEVER): Promise<{ table: TraceTable; index: StatScope }> {
  const table = await fixtureTable(events)
  const models = buildTraceModel(table).tracks.filter(t => t.kind === 'slices' && t.role !== 'async')
  const tracks = models.map(model => ({ model, strings: table.strings, offset: OFFSET, label: trackLabel(model), category: null }))
  return { table, index: await buildScope(tracks, pausing) }
}

interface Row {
  key: string
  count: number
  totalNs: number
  selfNs: number
  wallNs: number
  overlapNs: number
  minNs: number
  maxNs: number
  meanNs: number
  medianNs: number
  p95Ns: number
}
interface Answer {
  rows: Row[]
  slices: number
  unmatched: number
  wallNs: number
}

/** A row without its longest slice. */
const plain = (r: GroupFigures): Row => Object.fromEntries(Object.entries(r).filter(([k]) => k !== 'longest')) as unknown as Row

const EVERYTHING: StatsWindow = { from: -Infinity, to: Infinity, tracks: null }

async function stats(index: StatScope, by: StatsBy, window: StatsWindow = EVERYTHING, pausing = NEVER, chunk?: number): Promise<Answer> {
  const keys = by === 'name' ? index.name : by === 'track' ? index.byTrack : index.category
  const grouped = await groupSlices(index, keys, window, pausing, chunk)
  if (!grouped) throw new Error('given up')
  const found = await statsRows(grouped, null, { column: 'key', descending: false }, Infinity, pausing)
  const { slices, unmatched } = grouped
  const wallNs = grouped.cover.all
  return { slices, unmatched, wallNs, rows: (found?.rows ?? []).map(plain) }
}

/** The definition, nanosecond by nanosecond: everything begins and ends at whole ones. */
function bruteForce(table: TraceTable, index: StatScope, by: StatsBy, from: number, to: number): Answer {
  const inside = new Map<string, { ns: number[]; self: number; cells: Map<number, number> }>()
  const all = new Set<number>()
  let unmatched = 0
  let slices = 0
  const cellsOf = (m: TrackModel, i: number): number[] => {
    const out: number[] = []
    for (let t = m.start[i] + OFFSET; t < m.start[i] + OFFSET + m.duration[i]; t++) if (t >= from && t < to) out.push(t)
    return out
  }
  for (const { model: m, label } of index.tracks)
    for (let i = 0; i < m.row.length; i++) {
      const [start, end] = [m.start[i] + OFFSET, m.start[i] + m.duration[i] + OFFSET]
      if (!(from < to && start < to && end > from) || m.flags[i] === 1) continue
      if (m.flags[i] !== 0) {
        unmatched++
        continue
      }
      slices++
      const key =
        by === 'track' ? label : by === 'name' ? stringAt(table.strings, m.nameId[i]) : stringAt(table.strings, m.categoryId[i]) || 'None'
      const g = inside.get(key) ?? { ns: [], self: 0, cells: new Map<number, number>() }
      inside.set(key, g)
      const mine = cellsOf(m, i)
      g.ns.push(mine.length)
      const children = new Set<number>()
      for (let c = 0; c < m.row.length; c++) {
        let p = m.parent[c]
        while (p >= 0 && m.flags[p] !== 0) p = m.parent[p]
        if (p === i && m.flags[c] === 0) for (const t of cellsOf(m, c)) children.add(t)
      }
      g.self += mine.filter(t => !children.has(t)).length
      for (const t of mine) {
        g.cells.set(t, (g.cells.get(t) ?? 0) + 1)
        all.add(t)
      }
    }
  const rows = [...inside].map(([key, { ns, self, cells }]): Row => {
    const sorted = [...ns].sort((a, b) => a - b)
    const total = ns.reduce((a, b) => a + b, 0)
    // Nearest rank: the smallest value that at least p percent are not above.
    const rank = (p: number): number => sorted.find(v => sorted.filter(w => w <= v).length * 100 >= p * sorted.length) as number
    return {
      key,
      count: ns.length,
      totalNs: total,
      selfNs: self,
      wallNs: cells.size,
      overlapNs: [...cells.values()].filter(n => n > 1).length,
      minNs: sorted[0],
      maxNs: sorted[sorted.length - 1],
      meanNs: total / ns.length,
      medianNs: rank(50),
      p95Ns: rank(95),
    }
  })
  return { rows: rows.sort((a, b) => (a.key < b.key ? -1 : 1)), slices, unmatched, wallNs: all.size }
}

const event = fc.record({
  ph: fc.constantFrom('X', 'X', 'X', 'X', 'X', 'i', 'B', 'B', 'E', 'E'),
  name: fc.constantFrom('a', 'b', 'c', undefined),
  cat: fc.constantFrom('k', 'l', undefined),
  pid: fc.constant(1),
  tid: fc.nat({ max: 2 }),
  ts: fc.nat({ max: 120 }),
  dur: fc.oneof(fc.constant(0), fc.nat({ max: 5 }), fc.nat({ max: 60 })),
})
const events = fc.array(event, { minLength: 1, maxLength: 60 })
/** ns on the axis of the question; often exactly where something begins or ends. */
const bound = fc.integer({ min: -5, max: 190 })

/** Slices at one instant that found no lane. */
const dropped = (index: StatScope): number => 49_000 - index.tracks.reduce((n, { model }) => n + model.row.length, 0)

describe('statistics of a window', () => {
  it('are those of the definition, by name, track and category, however slices nest, overlap and miss an end', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        bound,
        bound,
        fc.constantFrom<StatsBy>('name', 'track', 'category'),
        fc.boolean(),
        async (list, x, y, by, wait) => {
          const pausing = wait ? ALWAYS : NEVER
          const { table, index } = await indexOf(list, pausing)
          const first = index.tracks.reduce((t, { model }) => model.start.reduce((m, v) => Math.min(m, v), t), Infinity)
          const [from, to] = [Math.min(x, y), Math.max(x, y)].map(t => t + OFFSET + (first === Infinity ? 0 : first))
          expect(await stats(index, by, { from, to, tracks: null }, pausing, wait ? 3 : undefined)).toEqual(
            bruteForce(table, index, by, from, to),
          )
          expect(await stats(index, by)).toEqual(bruteForce(table, index, by, -1e9, 1e9))
        },
      ),
      { numRuns: 400 },
    )
  })

  it('give self times that add up to the covered time of a track where slices nest', async () => {
    /** Begin or end a call, after a wait. */
    const steps = fc.array(fc.record({ open: fc.boolean(), wait: fc.nat({ max: 3 }) }), { minLength: 1, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(steps, fc.nat({ max: 60 }), fc.nat({ max: 60 }), async (ops, x, y) => {
        const list: FixtureEvent[] = []
        const open: number[] = []
        let now = 0
        const close = (): void => {
          const ts = open.pop()
          if (ts !== undefined) list.push({ ph: 'X', name: 'n', pid: 1, tid: 1, ts, dur: now - ts })
        }
        for (const o of ops) {
          now += o.wait
          if (o.open) open.push(now)
          else close()
        }
        while (open.length > 0) close()
        if (list.length === 0) return
        const { index } = await indexOf(list)
        const [from, to] = [Math.min(x, y), Math.max(x, y)].map(t => t + OFFSET)
        const { rows, wallNs } = await stats(index, 'track', { from, to, tracks: null })
        expect(rows.reduce((n, r) => n + r.selfNs, 0)).toBe(wallNs)
        const whole = await stats(index, 'name')
        expect(whole.rows[0].selfNs).toBe(whole.wallNs)
        expect(whole.rows[0].totalNs).toBe(list.reduce((n, e) => n + (e.dur as number), 0))
      }),
    )
  })

  const x = (name: string, ts: number, dur: number, tid = 1): FixtureEvent => ({ ph: 'X', name, pid: 1, tid, ts, dur })

  it('are sums of durations as they are stored, however far from the origin', async () => {
    const lists = fc.array(fc.tuple(fc.integer({ min: 1, max: 4000 }), fc.nat(4000)), { minLength: 1, maxLength: 30 })
    // Around 2^60 a double counts in steps of 256.
    await fc.assert(
      fc.asyncProperty(lists, fc.constantFrom(0, 2 ** 51, 2 ** 60), fc.nat(150_000), fc.nat(150_000), async (list, far, x, y) => {
        const { index } = await indexOf(
          list.flatMap(([dur, inner], k) => [
            { ph: 'X', name: 'out', pid: 1, tid: 1, ts: k * 5000, dur },
            { ph: 'X', name: 'in', pid: 1, tid: 1, ts: k * 5000, dur: Math.min(dur, inner) },
          ]),
        )
        const moved = { ...index, tracks: index.tracks.map(t => ({ ...t, offset: far })) }
        const outs = list.map(([dur]) => dur)
        const total = outs.reduce((a, b) => a + b, 0)
        const whole = (await stats(moved, 'name')).rows
        const figures = (r: Row | undefined): unknown => [r?.totalNs, r?.wallNs, r?.minNs, r?.maxNs]
        expect(figures(whole.find(r => r.key === 'out'))).toEqual([total, total, Math.min(...outs), Math.max(...outs)])
        expect(whole.reduce((n, r) => n + r.selfNs, 0)).toBe(total)
        const cut = await stats(moved, 'name', { from: far + Math.min(x, y), to: far + Math.max(x, y), tracks: null })
        for (const r of [...whole, ...cut.rows]) {
          expect(r.selfNs).toBeLessThanOrEqual(r.totalNs)
          expect(r.selfNs).toBeGreaterThanOrEqual(0)
        }
        for (const r of cut.rows) expect(r.totalNs).toBeLessThanOrEqual(whole.find(w => w.key === r.key)?.totalNs ?? 0)
      }),
    )
  })

  it('leave out what only touches, and count length 0 strictly inside', async () => {
    const { index } = await indexOf([
      x('before', 0, 10),
      x('in', 10, 10),
      x('after', 20, 5),
      x('z', 10, 0, 2),
      x('z', 15, 0, 2),
      x('z', 20, 0, 2),
    ])
    const { rows } = await stats(index, 'name', { from: OFFSET + 10, to: OFFSET + 20, tracks: null })
    expect(rows.map(r => [r.key, r.count, r.totalNs])).toEqual([
      ['in', 1, 10],
      ['z', 1, 0],
    ])
    // An empty window holds nothing, not even what lies around it.
    expect(await stats(index, 'name', { from: OFFSET + 15, to: OFFSET + 15, tracks: null })).toEqual({
      ...{ rows: [], slices: 0, unmatched: 0, wallNs: 0 },
    })
  })

  it('clip the self time of a slice that the window cuts, overlapping children counted once', async () => {
    const { index } = await indexOf([x('p', 0, 100), x('c', 10, 30), x('d', 30, 40), x('q', 90, 10)])
    const { rows } = await stats(index, 'name', { from: OFFSET + 20, to: OFFSET + 95, tracks: null })
    expect(rows.map(r => [r.key, r.totalNs, r.selfNs])).toEqual([
      ['c', 20, 20],
      ['d', 40, 40],
      ['p', 75, 20],
      ['q', 5, 5],
    ])
    // Without the window the children cover 10 to 70 and 90 to 100.
    expect((await stats(index, 'name')).rows.find(r => r.key === 'p')?.selfNs).toBe(30)
  })

  it('take chosen tracks, or chosen rows of a track', async () => {
    const { index } = await indexOf([x('a', 0, 10), x('b', 10, 10), x('a', 5, 10, 2)])
    const keys = async (tracks: StatsWindow['tracks']): Promise<unknown> =>
      (await stats(index, 'name', { ...EVERYTHING, tracks })).rows.map(r => [r.key, r.count, r.wallNs])
    expect(await keys(null)).toEqual([
      ['a', 2, 15],
      ['b', 1, 10],
    ])
    expect(await keys([true, false])).toEqual([
      ['a', 1, 10],
      ['b', 1, 10],
    ])
    const rows = new Uint8Array(10)
    rows[index.tracks[0].model.row[1]] = 1
    expect(await keys([rows, false])).toEqual([['b', 1, 10]])
  })

  it('keep whole ns where a double can: no drift over many slices', async () => {
    const n = 50_000
    const list = Array.from({ length: n }, (_, i) => x('k', i * 2000, 1001))
    const { index } = await indexOf(list)
    const { rows } = await stats(index, 'name')
    expect(rows[0]).toMatchObject({ count: n, totalNs: n * 1001, selfNs: n * 1001, medianNs: 1001, meanNs: 1001 })
  })

  it('are the same however the slices fall into chunks: bursts far apart, many at one instant, longer than a chunk', async () => {
    const bursts = Array.from({ length: 9000 }, (_, i) =>
      x(`n${i % 5}`, Math.floor(i / 3000) * 1e10 + (i % 3000), 1 + (i % 7), 1 + (i % 11)),
    )
    const instant = Array.from({ length: 40_000 }, (_, i) => x(`z${i % 3}`, 500, i % 4, 20))
    const { index } = await indexOf([...bursts, ...instant])
    const ends = new Map<string, [number, number][]>()
    for (const e of [...bursts, ...instant]) {
      const list = ends.get(String(e.name)) ?? []
      ends.set(String(e.name), list)
      list.push([Number(e.ts), Number(e.ts) + Number(e.dur)])
    }
    for (const chunk of [1 << 15, 64, 1000]) {
      const { rows, slices } = await stats(index, 'name', EVERYTHING, NEVER, chunk)
      expect(slices).toBe(49_000 - dropped(index))
      for (const r of rows) {
        if (!r.key.startsWith('n')) continue
        // Once and twice covered, by counting how many are open.
        const steps = (ends.get(r.key) ?? []).flatMap(([a, b]) => [
          [a, 1],
          [b, -1],
        ])
        steps.sort((a, b) => a[0] - b[0] || a[1] - b[1])
        let [open, last, wall, overlap] = [0, 0, 0, 0]
        for (const [t, d] of steps) {
          if (open > 0) wall += t - last
          if (open > 1) overlap += t - last
          last = t
          open += d
        }
        expect([r.key, r.wallNs, r.overlapNs]).toEqual([r.key, wall, overlap])
      }
    }
  })

  it('take median and p95 by nearest rank of many different durations', async () => {
    for (const n of [100, 101, 119, 1000]) {
      // Every duration from 1 to n once, far from in order.
      const { index } = await indexOf(Array.from({ length: n }, (_, i) => x('k', i * 2000, 1 + ((i * 37) % n))))
      const { rows } = await stats(index, 'name')
      expect(rows[0]).toMatchObject({ medianNs: Math.ceil(n / 2), p95Ns: Math.ceil((95 * n) / 100), minNs: 1, maxNs: n })
    }
  })

  it('end at the first pause that is refused', async () => {
    const { index } = await indexOf(Array.from({ length: 30_000 }, (_, i) => x(`n${i % 7}`, i, 1)))
    for (const allowed of [0, 1, 2, 3]) {
      let left = allowed
      const refusing: Pausing = { due: true, pause: () => Promise.resolve(left-- <= 0) }
      expect(await groupSlices(index, index.name, EVERYTHING, refusing, 4096)).toBeNull()
    }
    const grouped = await groupSlices(index, index.name, EVERYTHING, ALWAYS)
    const refuse: Pausing = { due: true, pause: () => Promise.resolve(true) }
    expect(await grouped?.quantiles(new Uint8Array(7).fill(1), refuse)).toBeNull()
    expect(await grouped?.quantiles(new Uint8Array(7).fill(1), ALWAYS)).not.toBeNull()
  })
})

describe('rows', () => {
  it('sort by every column both ways, equal ones by key, and the limit takes the first', async () => {
    await fc.assert(
      fc.asyncProperty(
        events,
        fc.constantFrom(...STATS_COLUMNS),
        fc.boolean(),
        fc.integer({ min: 1, max: 4 }),
        async (list, column, descending, limit) => {
          const { index } = await indexOf(list)
          const grouped = await groupSlices(index, index.name, EVERYTHING, NEVER)
          if (!grouped) throw new Error('given up')
          const found = await statsRows(grouped, null, { column, descending }, limit, NEVER)
          const all = (await stats(index, 'name')).rows
          const sign = descending ? -1 : 1
          all.sort((a, b) => {
            if (column === 'key') return sign * (a.key < b.key ? -1 : 1)
            return sign * (a[column] - b[column]) || (a.key < b.key ? -1 : 1)
          })
          expect(found?.matching).toBe(all.length)
          expect(found?.rows.map(plain)).toEqual(all.slice(0, limit))
          for (const { longest, maxNs } of found?.rows ?? []) expect(index.tracks[longest.track].model.duration[longest.at]).toBe(maxNs)
        },
      ),
    )
  })

  it('leave out what the filter does not pass', async () => {
    const { index } = await indexOf([
      { ph: 'X', name: 'a', pid: 1, tid: 1, ts: 0, dur: 1 },
      { ph: 'X', name: 'b', pid: 1, tid: 1, ts: 2, dur: 1 },
    ])
    const grouped = await groupSlices(index, index.name, EVERYTHING, NEVER)
    if (!grouped) throw new Error('given up')
    const found = await statsRows(grouped, k => k === 'b', { column: 'count', descending: true }, 9, NEVER)
    expect([found?.matching, found?.rows.map(r => r.key)]).toEqual([1, ['b']])
  })
})

describe('own time', () => {
  it('belongs to the nearest complete slice: one without an end takes nothing from the slice around it', async () => {
    const { index } = await indexOf([
      { ph: 'B', name: 'outer', pid: 1, tid: 1, ts: 0 },
      { ph: 'B', name: 'lost', pid: 1, tid: 1, ts: 10 },
      { ph: 'X', name: 'inner', pid: 1, tid: 1, ts: 20, dur: 5 },
      { ph: 'E', name: 'outer', pid: 1, tid: 1, ts: 50 },
    ])
    const m = index.tracks[0].model
    const outer = Array.from(m.flags).findIndex((f, i) => f === 0 && m.duration[i] === 50)
    expect(ownTime(m).self[outer]).toBe(45)
    expect(ownTime(m).unmatched).toHaveLength(1)
  })
})
