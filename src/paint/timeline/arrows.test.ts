import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { testTheme } from '../../testing/theme'
import { rgba, type Context2D } from '../theme'
import { endsOf, MOST_ARROWS, type Arrow } from './arrows'
import { paintOverlay, sceneGeometry, sections, type Mark, type TraceScene } from './scene'
import { layout, rowsOf, scene, track } from './testing'

const mark = (track: number, start: number, duration: number, lane = 0): Mark => ({ track, lane, start, duration })
const arrow = (from: Mark, to: Mark, more: Partial<Arrow> = {}): Arrow => ({ from, to, direct: true, inferred: false, ...more })
const TRACKS = [track(1), track(2, { role: 'stream', name: 'Stream:0' }), track(3, { depth: 3 })]

/** A pixel is a nanosecond, the plot begins at x = 160. */
const GUTTER = 160

function paint(s: TraceScene, name: 'dark' | 'light' = 'dark'): (x: number, y: number) => boolean {
  const canvas = createCanvas(s.width, s.height)
  const ctx = canvas.getContext('2d')
  const theme = testTheme(name)
  paintOverlay(ctx as unknown as Context2D, theme, s)
  const { data } = ctx.getImageData(0, 0, s.width, s.height)
  const [r, g, b] = rgba(theme.token('--flow'))
  return (x, y) => {
    // Within two pixels: edges are smooth.
    for (let dy = -2; dy <= 2; dy++)
      for (let dx = -2; dx <= 2; dx++) {
        const at = 4 * ((Math.round(y) + dy) * s.width + Math.round(x) + dx)
        if (Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) < 24 && data[at + 3] > 200) return true
      }
    return false
  }
}

const yOf = (s: TraceScene, id: number, lane = 0): number => {
  const row = s.rows.byTrack.get(id)
  if (!row) throw new Error(`no row of ${id}`)
  return sections(s).rows + row.y - s.scroll + 3 + lane * 15 + 7
}
const ends = (s: TraceScene, a: Arrow) => endsOf(s, sceneGeometry(s), sections(s), a)

describe('arrows', () => {
  it.each(['dark', 'light'] as const)('lead from one slice to the start of the other, with a head, in %s', name => {
    const s = scene({ rows: rowsOf(TRACKS), arrows: [arrow(mark(1, 100, 40), mark(3, 400, 100, 2))] })
    const hit = paint(s, name)
    expect(hit(GUTTER + 140, yOf(s, 1))).toBe(true)
    expect(hit(GUTTER + 400 - 4, yOf(s, 3, 2))).toBe(true)
    // The middle of the curve is the middle of the way.
    expect(hit(GUTTER + 270, (yOf(s, 1) + yOf(s, 3, 2)) / 2)).toBe(true)
    expect(hit(GUTTER + 700, yOf(s, 1))).toBe(false)
    const without = paint({ ...s, arrows: [] }, name)
    expect(without(GUTTER + 270, (yOf(s, 1) + yOf(s, 3, 2)) / 2)).toBe(false)
  })

  it('leave a slice where the other one begins within it', () => {
    const s = scene({ rows: rowsOf(TRACKS) })
    expect(ends(s, arrow(mark(1, 0, 500), mark(2, 200, 50)))?.map(e => e.x)).toEqual([GUTTER + 200, GUTTER + 200])
    expect(ends(s, arrow(mark(1, 300, 100), mark(2, 200, 50)))?.map(e => e.x)).toEqual([GUTTER + 300, GUTTER + 200])
  })

  it('end at the edge where an end is out of sight, without a head, and are left out where all of the way is', () => {
    const s = scene({ rows: rowsOf(TRACKS), window: { start: 200, end: 1200 } })
    const [from, to] = ends(s, arrow(mark(1, 0, 50), mark(2, 400, 50))) ?? []
    expect([from?.x, from?.there, to?.there]).toEqual([GUTTER, false, true])
    expect(ends(s, arrow(mark(1, 0, 50), mark(2, 100, 50)))).toBeNull()
    const low = scene({ rows: rowsOf(Array.from({ length: 60 }, (_, i) => track(i))) })
    const [, below] = ends(low, arrow(mark(0, 0, 50), mark(59, 100, 50))) ?? []
    expect([below?.y, below?.there]).toEqual([low.height, false])
    expect(ends(low, arrow(mark(58, 0, 50), mark(59, 100, 50)))).toBeNull()
    // Scrolled down, the upper end lies at the upper edge.
    const [above] = ends({ ...low, scroll: low.rows.height - 200 }, arrow(mark(0, 0, 50), mark(59, 100, 50))) ?? []
    expect(above?.y).toBe(sections(low).rows)
  })

  it('end at the row of the group that a track is folded into', () => {
    const open = rowsOf([track(1), track(2, { pid: '11' })])
    const closed = open.rows.find(r => r.type === 'group' && open.byTrack.get(2)?.group === r.key)
    const rows = rowsOf([track(1), track(2, { pid: '11' })], { layout: layout({ collapsed: [closed?.key ?? ''] }) })
    const s = scene({ rows })
    const group = rows.byKey.get(closed?.key ?? '')
    const [, to] = ends(s, arrow(mark(1, 0, 50), mark(2, 400, 50))) ?? []
    expect(rows.byTrack.has(2)).toBe(false)
    expect([to?.y, to?.there]).toEqual([sections(s).rows + (group?.y ?? NaN) + (group?.h ?? NaN) / 2, false])
  })

  it('of a track that is not in the view are none, and thousands do not hang', () => {
    const s = scene({ rows: rowsOf(TRACKS) })
    expect(ends(s, arrow(mark(1, 0, 50), mark(99, 400, 50)))).toBeNull()
    const many = Array.from({ length: 5000 }, (_, i) =>
      arrow(mark(1, 0, 10), mark(2, i < MOST_ARROWS ? 300 : 800, 50), { direct: false, inferred: true }),
    )
    const hit = paint({ ...s, arrows: many })
    expect([hit(GUTTER + 300 - 4, yOf(s, 2)), hit(GUTTER + 800 - 4, yOf(s, 2))]).toEqual([true, false])
  })
})
