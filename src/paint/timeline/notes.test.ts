import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { geometry } from '../geometry'
import { hitTest } from './hit'
import { cursorSpan } from '../axis'
import { noteAt, placeNotes, type NoteMark } from './notes'
import { rangeEndAt, rangePlates } from './range'
import { edgeNear } from './snap'
import { sections } from './scene'
import { columns, rowsOf, scene, track } from './testing'

/** A pixel is a ns; the plot goes from 160 to 1160. */
const g = geometry(1172, 0, 1000)
const note = (start: number, end: number | null = null, more: Partial<NoteMark> = {}): NoteMark => ({
  id: `n${start}`,
  start,
  end,
  name: 'a mark with words',
  color: 0,
  selected: false,
  ...more,
})

describe('the row of marks', () => {
  it('never lays one plate over another', () => {
    const notes = fc.array(
      fc.record({ start: fc.integer({ min: -200, max: 1200 }), length: fc.option(fc.integer({ min: 0, max: 500 })), words: fc.string() }),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(notes, list => {
        const places = placeNotes(
          g,
          list.map((n, i) => note(n.start, n.length === null ? null : n.start + n.length, { id: String(i), name: n.words })),
        )
        for (let i = 0; i + 1 < places.length; i++) {
          const [p, next] = [places[i], places[i + 1]]
          // Two at nearly one place are pennants; words never reach the next.
          if (p.right - p.left >= 24) expect(p.right).toBeLessThanOrEqual(next.left)
        }
        for (const p of places) {
          expect(p.left).toBeGreaterThanOrEqual(g.gutter)
          expect(p.right - p.left).toBeGreaterThanOrEqual(9)
        }
      }),
    )
  })
  it('finds a mark by its flag, a range by its bar and by both ends', () => {
    const notes = [note(100), note(400, 600)]
    expect(noteAt(g, notes, 161)).toBeNull()
    expect(noteAt(g, notes, 265)).toMatchObject({ part: 'whole', note: { start: 100 } })
    expect(noteAt(g, notes, 258)).toMatchObject({ part: 'whole', note: { start: 100 } })
    expect(noteAt(g, notes, 560)).toMatchObject({ part: 'start', note: { start: 400 } })
    expect(noteAt(g, notes, 763)).toMatchObject({ part: 'end' })
    expect(noteAt(g, notes, 720)).toMatchObject({ part: 'whole', note: { start: 400 } })
  })
  it('is there with the first note and tells an empty place', () => {
    expect(sections(scene()).notes).toBe(sections(scene()).steps)
    const s = scene({ notes: [note(100)] })
    const at = sections(s)
    expect(at.steps - at.notes).toBe(20)
    expect(hitTest(s, 262, at.notes + 8)).toMatchObject({ type: 'note' })
    expect(hitTest(s, 900, at.notes + 8)).toEqual({ type: 'notes' })
    expect(hitTest(s, 900, at.notes - 4)).toEqual({ type: 'axis' })
  })
})

describe('the selected range', () => {
  const widthOf = (s: string): number => s.length * 6
  it('is taken by the nearer of its ends, on the axis', () => {
    const range = { start: 100, end: 104 }
    expect(rangeEndAt(g, range, 261)).toBe('start')
    expect(rangeEndAt(g, range, 263)).toBe('end')
    expect(rangeEndAt(g, range, 280)).toBeNull()
    expect(rangeEndAt(g, null, 260)).toBeNull()
    const s = scene({ range: { start: 100, end: 300 } })
    expect(hitTest(s, 460, sections(s).axis + 8)).toEqual({ type: 'range', end: 'end' })
  })
  it('has its length between both ends, whatever its place and length; nothing covers anything', () => {
    const t = fc.integer({ min: -500, max: 1500 })
    fc.assert(
      fc.property(t, t, (a, b) => {
        fc.pre(a !== b)
        const { start, length, end } = rangePlates(g, { start: Math.min(a, b), end: Math.max(a, b) }, widthOf)
        const all = [start, length, end].flatMap(p => (p ? [p] : []))
        for (const p of all) {
          expect(p.left).toBeGreaterThanOrEqual(g.gutter)
          expect(p.left + p.width).toBeLessThanOrEqual(g.gutter + g.plot)
        }
        for (let i = 0; i + 1 < all.length; i++) expect(all[i].left + all[i].width).toBeLessThanOrEqual(all[i + 1].left)
      }),
    )
  })
  it('gives way to the flag of the cursor: the length stays in the range or goes', () => {
    const t = fc.integer({ min: -500, max: 1500 })
    fc.assert(
      fc.property(t, t, fc.integer({ min: 0, max: 1000 }), (a, b, cursor) => {
        fc.pre(a !== b)
        const taken = cursorSpan(g, cursor, widthOf)
        if (!taken) throw new Error('the cursor is in sight')
        const plates = rangePlates(g, { start: Math.min(a, b), end: Math.max(a, b) }, widthOf, taken)
        const all = [plates.start, plates.length, plates.end].flatMap(p => (p ? [p] : []))
        for (const p of all) expect(p.left + p.width <= taken[0] || p.left >= taken[1]).toBe(true)
        for (let i = 0; i + 1 < all.length; i++) expect(all[i].left + all[i].width).toBeLessThanOrEqual(all[i + 1].left)
      }),
    )
    const aside = rangePlates(g, { start: 100, end: 700 }, widthOf, cursorSpan(g, 400, widthOf))
    expect(aside.length?.left).toBeGreaterThan(g.x(100))
    expect(rangePlates(g, { start: 390, end: 410 }, widthOf, cursorSpan(g, 400, widthOf)).length).toBeNull()
  })
  it('leaves out an end that is out of sight', () => {
    const plates = rangePlates(g, { start: -100, end: 500 }, widthOf)
    expect(plates.start).toBeNull()
    expect(plates.length?.text).toBe('Δ 600\u00a0ns')
    expect(plates.end).not.toBeNull()
    expect(rangePlates(g, { start: 2000, end: 3000 }, widthOf)).toEqual({ length: null, start: null, end: null })
  })
})

describe('edges', () => {
  const t1 = track(1, { depth: 2 })
  const rows = rowsOf([t1])
  const slices = new Map([
    [
      1,
      columns([
        { from: 100, duration: 300 },
        { from: 104, duration: 50, lane: 1 },
        { from: 700, duration: 2, merged: 5 },
        { from: 800, duration: 0, flag: 1 },
        { from: 850, duration: 60, flag: 2 },
      ]),
    ],
  ])
  const s = scene({ rows, slices })
  const row = rows.byTrack.get(1)
  if (!row) throw new Error('no row')
  const y = (lane: number): number => sections(s).rows + row.y + 3 + lane * 15 + 7
  const at = (time: number, lane = 0, from = s): number | null => edgeNear(from, 160 + time, y(lane))?.time ?? null

  it('are begins and ends within 6 px', () => {
    expect(at(95)).toBe(100)
    expect(at(397)).toBe(400)
    expect(at(405)).toBe(400)
    expect(at(93)).toBeNull()
    expect(at(250)).toBeNull()
  })
  it('of the level under the pointer come before those of others', () => {
    expect(at(102, 0)).toBe(100)
    expect(at(102, 1)).toBe(104)
    // Only another level has one here.
    expect(at(155, 0)).toBe(154)
  })
  it('are not told for what stands for several slices, nor for an end that was not recorded', () => {
    expect(at(700)).toBeNull()
    expect(at(800)).toBe(800)
    expect(at(850)).toBe(850)
    expect(at(910)).toBeNull()
  })
  it('of steps and marks count everywhere, but a mark is not drawn to itself', () => {
    const more = scene({ rows, slices, steps: [{ name: 's', start: 200, duration: 300 }], notes: [note(620)] })
    const axis = sections(more).axis + 4
    expect(edgeNear(more, 160 + 203, axis)?.time).toBe(200)
    expect(edgeNear(more, 160 + 497, axis)?.time).toBe(500)
    expect(edgeNear(more, 160 + 618, axis)?.time).toBe(620)
    expect(edgeNear(more, 160 + 618, axis, 'n620')).toBeNull()
    expect(edgeNear(more, 160 + 102, axis)).toBeNull()
  })
  it('out of sight draw nothing', () => {
    const zoomed = scene({ rows, slices, window: { start: 102, end: 112 } })
    expect(edgeNear(zoomed, 160, y(0))).toBeNull()
  })
})
