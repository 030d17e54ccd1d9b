import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TILE_COLUMNS, tileSpan } from '../../../shared/tiles'
import type { TilesAnswer } from '../../../shared/api'
import { Drawn, tilesOf } from './drawn'
import { TileStore } from './tiles'

interface Slice {
  readonly lane: number
  readonly start: number
  readonly duration: number
  readonly flag: number
}

/** Lanes of slices that don't overlap, as the engine keeps them. */
const lanes = fc
  .array(
    fc.array(fc.tuple(fc.nat({ max: 3000 }), fc.oneof(fc.constant(0), fc.nat({ max: 30 }), fc.nat({ max: 4000 }))), { maxLength: 40 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map(all =>
    all.flatMap((list, lane) => {
      let t = 0
      return list.map(([gap, duration]): Slice => {
        const start = (t += gap)
        t += duration
        return { lane, start, duration, flag: duration === 0 ? 1 : 0 }
      })
    }),
  )

/** The contract of a tile, slice by slice. */
function brute(
  slices: readonly Slice[],
  from: number,
  to: number,
  column: number,
): (Slice & { readonly merged: number; readonly id: number })[] {
  const out: (Slice & { merged: number; id: number; at: number })[] = []
  slices.forEach((s, id) => {
    if (!(s.start < to && (s.start + s.duration > from || s.start >= from))) return
    const at = s.duration >= column ? NaN : Math.floor((s.start - from) / column)
    const other = out.findIndex(o => o.lane === s.lane && o.at === at)
    if (other < 0) out.push({ ...s, merged: 1, id, at })
    else if (s.duration > out[other].duration) out[other] = { ...s, merged: out[other].merged + 1, id, at }
    else out[other].merged++
  })
  return out.sort((a, b) => a.lane - b.lane || a.start - b.start || a.id - b.id)
}

function engine(slices: readonly Slice[], column: number, first: number, count: number): TilesAnswer {
  const span = tileSpan(column)
  const tiles = Array.from({ length: count }, (_, k) => brute(slices, (first + k) * span, (first + k + 1) * span, column))
  const all = tiles.flat()
  let n = 0
  return {
    version: 1,
    stamps: Uint32Array.of(1),
    trackStart: Uint32Array.from([0, ...tiles.map(t => (n += t.length))]),
    start: Float64Array.from(all, s => s.start),
    duration: Float64Array.from(all, s => s.duration),
    lane: Uint16Array.from(all, s => s.lane),
    row: Uint32Array.from(all, s => s.id),
    merged: Uint32Array.from(all, s => s.merged),
    flags: Uint8Array.from(all, s => s.flag),
    name: Uint32Array.from(all, s => s.id % 3),
    category: new Uint32Array(all.length),
    names: ['a', 'b', 'c'],
    categories: ['k'],
  }
}

describe('tiles', () => {
  it('joined, whatever requests they came by, say what one window over all of them says', () => {
    fc.assert(
      fc.property(
        lanes,
        fc.constantFrom(0.5, 1, 4, 32),
        fc.integer({ min: -2, max: 3 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
        (slices, column, first, counts, order) => {
          const store = new TileStore()
          let at = first
          const requests = counts.map(count => ({ first: (at += count) - count, count }))
          requests
            .map((r, i) => ({ r, key: order[i % order.length] }))
            .sort((a, b) => a.key - b.key)
            .forEach(({ r }) => store.put(engine(slices, column, r.first, r.count), [7], column, r.first, r.count))
          expect(store.has(7, column, first, at - 1)).toBe(true)
          const c = store.join(7, column, first, at - 1, 1)
          const span = tileSpan(column)
          const want = brute(slices, first * span, at * span, column)
          expect([...c.row]).toEqual(want.map(s => s.id))
          expect([...c.from]).toEqual(want.map(s => s.start))
          expect([...c.duration]).toEqual(want.map(s => s.duration))
          expect([...c.merged]).toEqual(want.map(s => s.merged))
          expect([...c.flags]).toEqual(want.map(s => s.flag))
          expect([...c.name].map(n => c.names[n])).toEqual(want.map(s => 'abc'[s.id % 3]))
          for (let lane = 0; lane + 1 < c.laneStart.length; lane++)
            for (let i = c.laneStart[lane]; i < c.laneStart[lane + 1]; i++) expect(want[i].lane).toBe(lane)
          expect([c.start, c.end, c.columns]).toEqual([first * span, at * span, (at - first) * TILE_COLUMNS])
          // For each place the last slice that is no instant, in its lane.
          want.forEach((s, i) => {
            const before = want.slice(0, i + 1).findLastIndex(o => o.lane === s.lane && o.flag === 0)
            if (c.sliceBefore) expect(c.sliceBefore[i]).toBe(before)
            else expect(want.every(o => o.flag === 0)).toBe(true)
          })
        },
      ),
      { numRuns: 300 },
    )
  })

  it('are bounded: those drawn longest ago are forgotten first', () => {
    const store = new TileStore(1000)
    const slices = Array.from({ length: 2000 }, (_, i) => ({ lane: 0, start: i * 8, duration: 8, flag: 0 }))
    for (let i = 0; i < 30; i++) {
      store.put(engine(slices, 1, i, 1), [7], 1, i, 1)
      store.touch(7, 1, 0, 0)
      expect(store.entries).toBeLessThanOrEqual(1000)
    }
    expect(store.has(7, 1, 0, 0)).toBe(true)
    expect(store.has(7, 1, 29, 29)).toBe(true)
    expect(store.has(7, 1, 1, 1)).toBe(false)
  })

  it('are enough for a window and no more', () => {
    fc.assert(
      fc.property(fc.integer({ min: -3000, max: 9000 }), fc.integer({ min: 1, max: 5000 }), (start, length) => {
        const extent = { start: 0, end: 6000 }
        const want = tilesOf({ start, end: start + length }, extent, 2)
        const span = tileSpan(2)
        const from = Math.min(Math.max(start, 0), 6000)
        const to = Math.max(Math.min(start + length, 6000), 0)
        expect(want.first * span).toBeLessThanOrEqual(from)
        if (to > from) {
          expect((want.last + 1) * span).toBeGreaterThanOrEqual(to)
          expect((want.first + 1) * span).toBeGreaterThan(from)
          expect(want.last * span).toBeLessThan(to)
        }
        expect(want.last).toBeGreaterThanOrEqual(want.first)
      }),
    )
  })

  it('that are missing leave what is drawn in place, and are joined once they are there', () => {
    const slices = Array.from({ length: 3000 }, (_, i) => ({ lane: 0, start: i * 8, duration: 6, flag: 0 }))
    const store = new TileStore()
    const drawn = new Drawn(store)
    store.put(engine(slices, 4, 0, 4), [7], 4, 0, 4)
    drawn.choose(7, { column: 4, first: 0, last: 3 }, 1)
    const coarse = drawn.columns.get(7)
    drawn.choose(7, { column: 1, first: 2, last: 3 }, 1)
    expect(drawn.columns.get(7)).toBe(coarse)
    store.put(engine(slices, 1, 2, 2), [7], 1, 2, 2)
    drawn.arrived(7, 1, 2, 2)
    drawn.choose(7, { column: 1, first: 2, last: 3 }, 1)
    expect(drawn.columns.get(7)?.columns).toBe(2 * TILE_COLUMNS)
    // Newer tiles in place of drawn ones are joined anew; others are not.
    const fine = drawn.columns.get(7)
    drawn.arrived(7, 4, 0, 4)
    drawn.choose(7, { column: 1, first: 2, last: 3 }, 1)
    expect(drawn.columns.get(7)).toBe(fine)
    store.put(engine(slices.slice(100), 1, 2, 2), [7], 1, 2, 2)
    drawn.arrived(7, 1, 2, 2)
    drawn.choose(7, { column: 1, first: 2, last: 3 }, 1)
    expect(drawn.columns.get(7)).not.toBe(fine)
    // A place of which nothing is known at this scale is drawn from the coarser one.
    drawn.choose(7, { column: 1, first: 9, last: 10 }, 1)
    expect(drawn.columns.get(7)?.start).toBeLessThanOrEqual(9 * tileSpan(1))
    expect(drawn.columns.get(7)?.end).toBeGreaterThanOrEqual(11 * tileSpan(1))
  })
})
