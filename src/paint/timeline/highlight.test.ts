import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordingContext, testTheme } from '../../testing/theme'
import { geometry } from '../geometry'
import { drawMatches, matchSpans, splitMarks, type MatchColumns } from './highlight'
import { rowsOf, track } from './testing'

const FETCHED = { start: 0, end: 1000, columns: 100 }
const marks = (...tracks: readonly (readonly (readonly [lane: number, from: number, to: number])[])[]): readonly MatchColumns[] => {
  const all = tracks.flat()
  const trackStart = [0]
  for (const t of tracks) trackStart.push(trackStart[trackStart.length - 1] + t.length)
  return splitMarks(
    {
      version: 1,
      known: true,
      trackStart: Uint32Array.from(trackStart),
      lane: Uint16Array.from(all, m => m[0]),
      from: Float64Array.from(all, m => m[1]),
      to: Float64Array.from(all, m => m[2]),
    },
    FETCHED,
  )
}

describe('hits in the timeline', () => {
  it('are taken apart by track and lane', () => {
    const [a, b] = marks([[0, 1, 2], [2, 3, 4], [2, 5, 6]], []) // prettier-ignore
    expect([[...a.laneStart], [...a.from], [...a.to]]).toEqual([[0, 1, 1, 3], [1, 3, 5], [2, 4, 6]]) // prettier-ignore
    expect([[...b.laneStart], b.from.length]).toEqual([[0, 0], 0])
  })

  it('stand where their times are, each visible, whatever the window', () => {
    const pieces = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 60 })), { maxLength: 20 })
    fc.assert(
      fc.property(
        pieces,
        fc.nat(900),
        fc.integer({ min: 1, max: 1200 }),
        fc.integer({ min: 300, max: 900 }),
        (gaps, start, span, width) => {
          const list: [number, number, number][] = []
          for (let t = 0, k = 0; k < gaps.length; k++) {
            const from = t + gaps[k][0] + 1
            list.push([0, from, (t = from + gaps[k][1])])
          }
          const g = geometry(width, start, start + span)
          const spans = matchSpans(marks(list)[0], 0, g)
          for (const [, from, to] of list) {
            if (to < g.start || from >= g.end) continue
            const x = Math.min(Math.max(g.x(from), g.gutter), g.gutter + g.plot)
            // Within half a pixel.
            expect(
              spans.some(s => s.x <= x + 0.51 && s.x + s.w >= Math.min(g.x(to), g.gutter + g.plot) - 0.51) || x >= g.gutter + g.plot - 0.51,
            ).toBe(true)
          }
          for (let k = 0; k < spans.length; k++) {
            expect(spans[k].x >= g.gutter && spans[k].x + spans[k].w <= g.gutter + g.plot && spans[k].w >= 1).toBe(true)
            if (k > 0) expect(spans[k].x).toBeGreaterThan(spans[k - 1].x + spans[k - 1].w)
          }
          expect(spans.length).toBeLessThanOrEqual(list.length)
        },
      ),
    )
  })

  /** Rectangles that were filled, with their colour. */
  function drawn(
    matches: ReadonlyMap<number, MatchColumns> | null,
  ): readonly (readonly [color: string, x: number, y: number, w: number, h: number])[] {
    const theme = testTheme('dark')
    const out: (readonly [string, number, number, number, number])[] = []
    const { ctx } = recordingContext()
    const spy = new Proxy(ctx, {
      get: (t, k) =>
        k === 'fillRect'
          ? (x: number, y: number, w: number, h: number) => out.push([String(t.fillStyle), x, y, w, h])
          : (Reflect.get(t, k) as unknown),
      set: (t, k, v) => Reflect.set(t, k, v),
    })
    const rows = rowsOf([track(1, { depth: 2 }), track(2)]).rows
    drawMatches(spy, theme, { matches }, geometry(500, 0, 1000), rows, r => r.y, 0, 400)
    return out
  }

  it('are lit, the rest is veiled; tracks of which nothing is known stay as they are', () => {
    expect(drawn(null)).toEqual([])
    expect(drawn(new Map())).toEqual([])
    const pin = testTheme('dark').token('--pin')
    const lit = drawn(new Map([[1, marks([[1, 100, 400]])[0]]]))
    const g = geometry(500, 0, 1000)
    const lines = lit.filter(r => r[0] === pin)
    expect(lines.map(r => [r[1], r[3]])).toEqual([[Math.round(g.x(100)), Math.round(g.x(400)) - Math.round(g.x(100))]])
    // Two lanes of track 1 are veiled: the first as a whole, the second on both sides of the hit; track 2 is not.
    const veils = lit.filter(r => r[4] === 14)
    expect(veils.map(r => r[3])).toEqual([g.plot, Math.round(g.x(100)) - g.gutter, g.gutter + g.plot - Math.round(g.x(400))])
  })
})
