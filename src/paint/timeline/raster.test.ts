import { describe, expect, it } from 'vitest'
import { columns, type Event } from './testing'
import { splitCounters } from './columns'
import { cornerInsets, rasterCounter, rasterInstants, rasterLane, type Scale, type Wide } from './raster'
import { STYLES, styleOf } from './style'

const COLORS = Uint32Array.from({ length: STYLES }, (_, s) => 0xff000000 + s + 1)
const color = COLORS[styleOf('aten::add', 'cpu_op')]
const scale = (start = 0, perNs = 1, width = 100, pixelRatio = 1): Scale => ({ start, perNs, width, pixelRatio })

/** Body row of one lane. */
function body(
  events: readonly Event[],
  s = scale(),
  fetched: readonly [number, number, number] = [0, 1000, 1000],
): { row: Uint32Array; top: Uint32Array; wide: Wide[] } {
  const insets = cornerInsets(s.pixelRatio)
  const out = new Uint32Array(s.width * (insets.length + 1))
  const wide: Wide[] = []
  rasterLane(out, 0, columns(events, ...fetched), 0, s, insets, COLORS, 26, wide)
  return { row: out.subarray(insets.length * s.width), top: out.subarray(0, s.width), wide }
}
const filled = (row: Uint32Array): readonly number[] => [...row.keys()].filter(x => row[x] !== 0)
const range = (a: number, b: number): readonly number[] => Array.from({ length: b - a }, (_, i) => a + i)

describe('slices in the atlas', () => {
  it('draws a slice from its start to its end with a gap behind it', () => {
    const { row } = body([{ from: 10, duration: 20 }])
    expect(filled(row)).toEqual(range(10, 29))
    expect(row[15]).toBe(color)
  })

  it('draws at least a pixel, and two device pixels at ratio 2', () => {
    expect(filled(body([{ from: 10.2, duration: 0.001 }]).row)).toEqual([10])
    expect(filled(body([{ from: 10, duration: 0.001 }], scale(0, 2, 200, 2)).row)).toEqual([20, 21])
  })

  it('cuts at both edges and keeps what lies outside out', () => {
    expect(
      filled(
        body(
          [
            { from: 0, duration: 50 },
            { from: 120, duration: 50 },
            { from: 300, duration: 9 },
          ],
          scale(30, 1, 100),
        ).row,
      ),
    ).toEqual([...range(0, 19), ...range(90, 100)])
  })

  it('fills the whole column of merged slices, so that a dense stretch has no holes', () => {
    const dense = Array.from({ length: 40 }, (_, i) => ({ from: i * 5 + 2, duration: 0.1, merged: 9 }))
    // Fetched with columns of 5 ns, drawn at 2 px per ns: stretched tenfold.
    const { row } = body(dense, scale(0, 2, 100), [0, 200, 40])
    expect(filled(row)).toEqual(range(0, 100))
  })

  it('rounds the corners of wide slices only', () => {
    const { row, top } = body([
      { from: 10, duration: 20 },
      { from: 40, duration: 3 },
    ])
    expect(top[10] >>> 24).toBeLessThan(200)
    expect(top[10] & 0xffffff).toBe(color & 0xffffff)
    expect(row[10]).toBe(color)
    expect(top[40]).toBe(row[40])
  })

  it('hands out slices with room for a name, not those that stand for several', () => {
    const { wide } = body([
      { from: 0, duration: 30 },
      { from: 31, duration: 20 },
      { from: 60, duration: 30, merged: 3 },
    ])
    expect(wide.map(w => w.index)).toEqual([0])
  })

  it('lets an end that was not recorded fade', () => {
    const { row } = body([{ from: 10, duration: 40, flag: 2 }])
    expect(row[12] >>> 24).toBe(255)
    expect(row[48] >>> 24).toBeLessThan(60)
  })

  it('finds the long slice that reaches into the window past instants', () => {
    const instants = Array.from({ length: 100 }, (_, i) => ({ from: 1 + i, duration: 0, flag: 1 }))
    expect(filled(body([{ from: 0, duration: 900 }, ...instants], scale(500, 1, 100)).row)).toEqual(range(0, 100))
  })
})

describe('instants', () => {
  it('are drawn whatever lies below, with heads where they stand apart', () => {
    const c = columns([
      { from: 0, duration: 90 },
      { from: 20, duration: 0, flag: 1 },
      { from: 50, duration: 0, flag: 1 },
      { from: 53, duration: 0, flag: 1 },
    ])
    const out = new Uint32Array(100)
    const heads: number[] = []
    expect(rasterInstants(out, 0, c, 0, scale(), 7, heads)).toBe(true)
    expect(filled(out)).toEqual([20, 50, 53])
    expect(heads).toEqual([20])
  })
})

describe('counters', () => {
  const px = { line: 3, area: 1, band: 2 }
  const lane = (last: readonly number[], min = last, max = last): number[][] => {
    const [c] = splitCounters(
      { version: 1, min: [Float64Array.from(min)], max: [Float64Array.from(max)], last: [Float64Array.from(last)] },
      { start: 0, end: last.length, columns: last.length },
    )
    const out = new Uint32Array(last.length * 11)
    rasterCounter(out, 0, 11, c, scale(0, 1, last.length), 0, 10, px)
    return last.map((_, x) => Array.from({ length: 11 }, (_, j) => out[j * last.length + x]))
  }

  it('stands on the bottom: the line at the value, the area below it', () => {
    const [col] = lane([4])
    expect(col).toEqual([0, 0, 0, 0, 0, 0, 3, 1, 1, 1, 1])
  })

  it('leaves unknown columns empty and draws zero at the bottom', () => {
    const [a, b] = lane([NaN, 0])
    expect(a.every(v => v === 0)).toBe(true)
    expect(b).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3])
  })

  it('shows the band between minimum and maximum of a column', () => {
    const [col] = lane([4], [2], [8])
    expect(col).toEqual([0, 0, 2, 2, 2, 2, 3, 2, 1, 1, 1])
  })
})
