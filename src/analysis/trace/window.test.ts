import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fixtureTable, type FixtureEvent } from '../../formats/chrome-trace/fixture'
import { stringAt } from '../../shared/columns'
import { busyOverview } from './busy'
import { counterInWindow } from './counter-window'
import type { TrackModel } from './model'
import { argMax, pyramidOf } from './range-max'
import { buildTraceModel } from './tracks'
import { slicesInWindow } from './window'

interface Drawn {
  readonly lane: number
  readonly start: number
  readonly duration: number
  readonly row: number
  readonly merged: number
  readonly flags: number
}

/** The definition, slice by slice. Exact where a pixel is a whole number of ns. */
function bruteForce(track: TrackModel, t0: number, t1: number, width: number): Drawn[] {
  const px = (t1 - t0) / width
  const out: Drawn[] = []
  for (let lane = 0; lane < track.depth; lane++) {
    const columns = new Map<number, Drawn>()
    const found: Drawn[] = []
    for (let i = track.laneStart[lane]; i < track.laneStart[lane + 1]; i++) {
      const [start, duration] = [track.start[i], track.duration[i]]
      if (!(start < t1 && (start + duration > t0 || start >= t0))) continue
      const self: Drawn = { lane, start, duration, row: track.row[i], merged: 1, flags: track.flags[i] }
      if (duration >= px) {
        found.push(self)
        continue
      }
      const column = Math.floor((start - t0) / px)
      const other = columns.get(column)
      if (!other) {
        columns.set(column, self)
        found.push(self)
        continue
      }
      const best = duration > other.duration ? self : other
      const both = { ...best, merged: other.merged + 1 }
      found[found.indexOf(other)] = both
      columns.set(column, both)
    }
    out.push(...found)
  }
  return out
}

const answered = (a: ReturnType<typeof slicesInWindow>, from = 0, to = a.row.length): Drawn[] =>
  Array.from({ length: to - from }, (_, k) => ({
    lane: a.lane[from + k],
    start: a.start[from + k],
    duration: a.duration[from + k],
    row: a.row[from + k],
    merged: a.merged[from + k],
    flags: a.flags[from + k],
  }))

const event = fc.record({
  ph: fc.constantFrom('X', 'X', 'X', 'X', 'i', 'B', 'E'),
  name: fc.constantFrom('a', 'b', 'c', undefined),
  cat: fc.constantFrom('k', undefined),
  pid: fc.constant(1),
  tid: fc.nat({ max: 2 }),
  ts: fc.nat({ max: 2000 }),
  dur: fc.oneof(fc.constant(0), fc.nat({ max: 5 }), fc.nat({ max: 300 })),
})
const windowOf = fc.record({
  start: fc.integer({ min: -500, max: 2200 }),
  px: fc.constantFrom(1, 2, 5, 16, 64, 400, 3000),
  width: fc.integer({ min: 1, max: 40 }),
})

describe('slices in a window', () => {
  it('equal the brute force answer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 150 }), windowOf, async (events, w) => {
        const table = await fixtureTable(events)
        const { tracks } = buildTraceModel(table)
        const end = w.start + w.px * w.width
        const a = slicesInWindow(table, tracks, w.start, end, w.width)
        expect(a.trackStart).toHaveLength(tracks.length + 1)
        tracks.forEach((track, t) => {
          expect(answered(a, a.trackStart[t], a.trackStart[t + 1])).toEqual(bruteForce(track, w.start, end, w.width))
        })
        a.row.forEach((row, k) => {
          expect(a.names[a.name[k]]).toBe(stringAt(table.strings, table.name[row]))
          expect(a.categories[a.category[k]]).toBe(stringAt(table.strings, table.cat[row]))
        })
        expect(new Set(a.names).size).toBe(a.names.length)
        expect(a.names.length).toBeLessThanOrEqual(a.row.length)
      }),
      { numRuns: 500 },
    )
  })

  /** Many slices on one lane, so that whole blocks are jumped over. */
  const many = async (n: number): Promise<Awaited<ReturnType<typeof fixtureTable>>> =>
    fixtureTable(
      Array.from({ length: n }, (_, i): FixtureEvent => ({
        ph: 'X',
        name: `n${i % 7}`,
        pid: 1,
        tid: 1,
        ts: i * 10,
        dur: (i * 7919) % 11 === 0 ? 10 : 1 + ((i * 31) % 9),
      })),
    )
  it('equal it where thousands fall into one column', async () => {
    const table = await many(20_000)
    const [track] = buildTraceModel(table).tracks
    for (const [start, px, width] of [
      [0, 200_000, 1],
      [0, 20_000, 10],
      [-7, 1000, 300],
      [1003, 333, 64],
      [50_000, 10, 20],
      [199_990, 5, 4],
    ])
      expect(answered(slicesInWindow(table, [track], start, start + px * width, width))).toEqual(
        bruteForce(track, start, start + px * width, width),
      )
  })
  it('never answer more than the screen shows, and lose none, in any window', async () => {
    const table = await many(5000)
    const [track] = buildTraceModel(table).tracks
    fc.assert(
      fc.property(
        fc.double({ min: -1e4, max: 6e4, noNaN: true }),
        fc.double({ min: 1, max: 1e5, noNaN: true }),
        fc.integer({ min: 1, max: 500 }),
        (start, span, width) => {
          const a = slicesInWindow(table, [track], start, start + span, width)
          expect(a.row.length).toBeLessThanOrEqual(2 * width + 2)
          let visible = 0
          for (let i = 0; i < track.row.length; i++)
            if (track.start[i] < start + span && (track.start[i] + track.duration[i] > start || track.start[i] >= start)) visible++
          expect(a.merged.reduce((s, n) => s + n, 0)).toBe(visible)
          expect([...a.start]).toEqual([...a.start].sort((x, y) => x - y))
        },
      ),
    )
  })
  it('answer nothing for an empty window and for counters', async () => {
    const table = await fixtureTable([
      { ph: 'C', name: 'c', pid: 1, ts: 1, args: { v: 1 } },
      { ph: 'X', name: 'a', pid: 1, tid: 1, ts: 0, dur: 9 },
    ])
    const { tracks } = buildTraceModel(table)
    expect(slicesInWindow(table, tracks, 5, 5, 10).row).toHaveLength(0)
    expect([...slicesInWindow(table, tracks, 0, 5, 10).trackStart]).toEqual([0, 1, 1])
    expect([...slicesInWindow(table, [], 0, 5, 10).trackStart]).toEqual([0])
  })
})

it('argMax is the first maximum of any range', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 2000 }), fc.nat(), fc.nat(), (v, a, b) => {
      const from = a % v.length
      const to = from + 1 + (b % (v.length - from))
      const values = Float64Array.from(v)
      const part = v.slice(from, to)
      expect(argMax(values, pyramidOf(values), from, to)).toBe(from + part.indexOf(Math.max(...part)))
    }),
    { numRuns: 2000 },
  )
})

describe('counters in a window', () => {
  it('equal the brute force answer', async () => {
    const sample = fc.record({ ts: fc.nat({ max: 500 }), v: fc.integer({ min: -50, max: 50 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(sample, { minLength: 1, maxLength: 80 }), windowOf, async (samples, w) => {
        const table = await fixtureTable(samples.map(s => ({ ph: 'C', name: 'c', pid: 1, ts: s.ts, args: { v: s.v } })))
        const [track] = buildTraceModel(table).tracks
        const end = w.start + w.px * w.width
        const a = counterInWindow([track], w.start, end, w.width)
        for (let c = 0; c < w.width; c++) {
          const [from, to] = [w.start + c * w.px, w.start + (c + 1) * w.px]
          const seen: number[] = []
          // A step curve changes at its samples only: the value at the begin of the column and at each sample in it.
          for (const t of [from, ...[...track.time].filter(s => s >= from && s < to)]) {
            const at = [...track.time].filter(s => s <= t).length - 1
            if (at < 0) continue
            // Several samples at one time: all of them are seen, but for what stood before.
            for (
              let k = at;
              k >= 0 && (k === at || (track.time[k] === track.time[at] && track.time[k] >= from && track.time[k] === t));
              k--
            )
              seen.push(track.value[k])
          }
          const last = [...track.time].filter(s => s < to).length - 1
          expect([a.min[0][c], a.max[0][c], a.last[0][c]]).toEqual(
            seen.length ? [Math.min(...seen), Math.max(...seen), track.value[last]] : [NaN, NaN, NaN],
          )
        }
      }),
      { numRuns: 60 },
    )
  })
  it('know nothing before the first sample and of tracks that are no counters', async () => {
    const table = await fixtureTable([
      { ph: 'C', name: 'c', pid: 1, ts: 10, args: { v: 3 } },
      { ph: 'X', name: 'a', pid: 1, tid: 1, ts: 0, dur: 9 },
    ])
    const { tracks } = buildTraceModel(table)
    const a = counterInWindow(tracks, 0, 20, 4)
    expect(tracks.map(t => t.kind)).toEqual(['slices', 'counter'])
    expect([...a.min[0]]).toEqual([NaN, NaN, NaN, NaN])
    expect([...a.last[1]]).toEqual([NaN, NaN, 3, 3])
  })
})

describe('busy overview', () => {
  it('is the share that work covers: streams where there are any', async () => {
    const x = (tid: number, ts: number, dur: number, cat: string, name = 'n'): FixtureEvent => ({
      ph: 'X',
      name,
      cat,
      pid: tid,
      tid,
      ts,
      dur,
    })
    const device = [x(7, 0, 10, 'kernel'), x(7, 5, 10, 'kernel'), x(8, 12, 8, 'kernel'), x(8, 30, 10, 'kernel')]
    const host = [x(1, 0, 100, 'cpu_op')]
    const of = async (events: readonly FixtureEvent[]): Promise<number[]> => {
      const table = await fixtureTable(events)
      return [...busyOverview(table, buildTraceModel(table), 5, 0, 50)].map(v => Math.round(v * 1e6) / 1e6)
    }
    expect(await of([...device, ...host])).toEqual([1, 1, 0, 1, 0])
    expect(await of([...device.slice(0, 1), x(8, 14, 2, 'kernel'), ...host])).toEqual([1, 0.2, 0, 0, 0])
    expect(await of(host)).toEqual([1, 1, 1, 1, 1])
    // Steps and the profiler's own span are frames, not work; what lies in them counts.
    expect(await of([x(1, 0, 50, 'user_annotation', 'ProfilerStep#3'), x(1, 10, 5, 'cpu_op'), x(2, 0, 50, 'Trace')])).toEqual([
      0, 0.5, 0, 0, 0,
    ])
    expect(await of([])).toEqual([0, 0, 0, 0, 0])
  })
})
