import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { back, forth, NO_HISTORY, visit, windowAt, type History, type Visit } from './history'

const at = (start: number, end: number, origin = 0n): Visit => ({ window: { start, end }, origin })
/** Visits one second apart, unless told. */
const walk = (visits: readonly Visit[], gap = 1000): History =>
  visits.reduce<History>((h, v, i) => visit(h, v, 10_000 + i * gap), NO_HISTORY)
const windows = (h: History): readonly (readonly [number, number])[] =>
  [...h.past, ...(h.present ? [h.present] : [])].map(v => [v.window.start, v.window.end])

describe('the windows that were looked at', () => {
  it('keeps each zoom as a step, and goes back and forth through them', () => {
    const h = walk([at(0, 1000), at(100, 200), at(150, 160)])
    const b = back(h, null)
    expect(b?.present?.window).toEqual({ start: 100, end: 200 })
    const a = b && back(b, null)
    expect(a?.present?.window).toEqual({ start: 0, end: 1000 })
    expect(a && back(a, null)).toBeNull()
    const f = a && forth(a, null)
    expect(f?.present?.window).toEqual({ start: 100, end: 200 })
    expect(f && forth(f, null)?.present?.window).toEqual({ start: 150, end: 160 })
  })

  it('takes movements that follow each other at once as one', () => {
    expect(windows(walk([at(0, 1000), at(0, 900), at(0, 800), at(0, 700)], 100))).toEqual([
      [0, 1000],
      [0, 700],
    ])
  })

  it('takes small steps to the side as one, until they have led a window away', () => {
    const steps = Array.from({ length: 15 }, (_, i) => at(10 * (i + 1), 100 + 10 * (i + 1)))
    // 10, 20, … 90 are within one window of 0; 100 begins another step, which goes on to 150.
    expect(windows(walk([at(0, 100), ...steps]))).toEqual([
      [0, 100],
      [90, 190],
      [150, 250],
    ])
  })

  it('does not join a zoom with the move before it', () => {
    expect(windows(walk([at(0, 100), at(10, 110), at(20, 40)]))).toHaveLength(3)
  })

  it('forgets what lay ahead when the user goes elsewhere', () => {
    const b = back(walk([at(0, 1000), at(100, 200)]), null)
    const h = b && visit(b, at(300, 400), 99_000)
    expect(h?.future).toEqual([])
    expect(h && windows(h)).toEqual([
      [0, 1000],
      [300, 400],
    ])
  })

  it('is no visit to stay where one is', () => {
    const h = walk([at(0, 1000), at(100, 200)])
    expect(visit(h, at(100, 200), 99_000)).toBe(h)
  })

  it('takes the selection along only where a link moved both', () => {
    const slice = { type: 'range', start: 1, end: 2 } as const
    const linked = visit(walk([at(0, 1000)]), at(100, 200), 99_000, null)
    const b = back(linked, slice)
    expect(b?.present?.selection).toBeNull()
    expect(b && forth(b, null)?.present?.selection).toEqual(slice)
    const zoomed = back(walk([at(0, 1000), at(100, 200)]), slice)
    expect(zoomed?.present && 'selection' in zoomed.present).toBe(false)
  })

  it('finds the same instants after the origin has moved', () => {
    const v = at(100, 200, 1_790_000_000_000_000_000n)
    expect(windowAt(v, 1_789_999_999_999_999_000n)).toEqual({ start: 1100, end: 1200 })
  })

  it('comes back to every window that it left, in order, and forth again', () => {
    const zoom = fc.record({ start: fc.integer({ min: 0, max: 1000 }), span: fc.integer({ min: 1, max: 1000 }) })
    fc.assert(
      fc.property(fc.array(zoom, { minLength: 1, maxLength: 40 }), list => {
        const h = walk(list.map(z => at(z.start, z.start + z.span)))
        let b: History = h
        for (let next = back(b, null); next; next = back(b, null)) b = next
        expect(b.past).toEqual([])
        expect(b.present?.window).toEqual({ start: list[0].start, end: list[0].start + list[0].span })
        for (let next = forth(b, null); next; next = forth(b, null)) b = next
        expect(windows(b)).toEqual(windows(h))
      }),
    )
  })
})
