import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columns, rowsOf, scene, track, type Event } from './testing'
import { hitTest, neighbour, sliceAt } from './hit'
import { sections } from './scene'

const GUTTER = 160

describe('hit test', () => {
  const tracks = [track(1, { depth: 2 }), track(2, { kind: 'counter', name: 'mem' })]
  const c = columns([
    { from: 100, duration: 200, name: 'outer' },
    { from: 120, duration: 50, name: 'inner', lane: 1 },
    { from: 150, duration: 0, name: 'mark', flag: 1 },
    { from: 500, duration: 0.01, name: 'thin' },
  ])
  const s = scene({
    rows: rowsOf(tracks),
    slices: new Map([[1, c]]),
    counters: new Map([
      [
        2,
        {
          start: 0,
          end: 1000,
          columns: 10,
          version: 1,
          min: Float64Array.from({ length: 10 }, (_, i) => i - (i % 2)),
          max: Float64Array.from({ length: 10 }, (_, i) => i),
          last: Float64Array.from({ length: 10 }, (_, i) => i),
        },
      ],
    ]),
    steps: [{ name: 'ProfilerStep#1', start: 0, duration: 400 }],
  })
  const top = sections(s).rows
  const name = (x: number, y: number): string => {
    const h = hitTest(s, GUTTER + x, top + y)
    return h.type === 'slice' ? h.columns.names[h.columns.name[h.index]] : h.type
  }

  it('tells the parts of the panel apart', () => {
    expect(hitTest(s, GUTTER + 5, 10)).toEqual({ type: 'navigator', part: 'start' })
    expect(hitTest(s, GUTTER + 500, 10)).toEqual({ type: 'navigator', part: 'inside' })
    expect(hitTest(s, GUTTER + 500, 40).type).toBe('axis')
    expect(hitTest(s, GUTTER + 100, 65)).toEqual({ type: 'step', index: 0 })
    expect(hitTest(s, GUTTER + 600, 65).type).toBe('axis')
    expect(name(0, 5)).toBe('group')
    expect(hitTest(s, 20, top + 30).type).toBe('label')
    expect(hitTest(s, GUTTER + 450, top + 22 + 36 + 5)).toMatchObject({ type: 'counter', span: { low: 4, high: 4 } })
    expect(hitTest(s, GUTTER + 550, top + 22 + 36 + 5)).toMatchObject({ type: 'counter', span: { low: 4, high: 5 } })
    expect(name(10, 300)).toBe('empty')
  })

  it('finds the slice of each level, thin ones within reach', () => {
    expect(name(200, 22 + 10)).toBe('outer')
    expect(name(130, 22 + 25)).toBe('inner')
    expect(name(180, 22 + 25)).toBe('empty')
    expect([498.5, 500, 502].map(x => name(x, 22 + 10))).toEqual(['thin', 'thin', 'thin'])
    expect(name(505, 22 + 10)).toBe('empty')
  })

  it('prefers an instant to the slice that it stands on', () => {
    expect([140, 147, 150, 153, 160].map(x => name(x, 22 + 10))).toEqual(['outer', 'mark', 'mark', 'mark', 'outer'])
  })

  it('follows the scroll', () => {
    const h = hitTest({ ...s, scroll: 30 }, GUTTER + 130, top + 22 + 25 - 30)
    expect(h.type).toBe('slice')
  })

  it('agrees with a walk over all slices', () => {
    const events = fc.array(fc.record({ gap: fc.integer({ min: 0, max: 40 }), duration: fc.integer({ min: 0, max: 60 }) }), {
      minLength: 1,
      maxLength: 40,
    })
    fc.assert(
      fc.property(events, fc.integer({ min: 0, max: 1000 }), (list, t) => {
        let at = 0
        const flat: Event[] = list.map(({ gap, duration }) => {
          const from = at + gap
          at = from + duration
          return { from, duration }
        })
        const cols = columns(flat, 0, 4000, 4000)
        const i = sliceAt(cols, 0, t, 1)
        const inside = flat.findIndex(e => t >= e.from && t < e.from + Math.max(1, e.duration))
        if (inside >= 0) expect(i >= 0 && t >= flat[i].from && t < flat[i].from + Math.max(1, flat[i].duration)).toBe(true)
        else if (i >= 0) expect(Math.min(Math.abs(flat[i].from - t), Math.abs(flat[i].from + flat[i].duration - t))).toBeLessThanOrEqual(3)
        else expect(flat.every(e => Math.abs(e.from - t) > 1)).toBe(true)
      }),
    )
  })
})

describe('neighbours', () => {
  it('walks all slices of a track by start, outer before inner, and back', () => {
    const shape = fc.array(fc.record({ from: fc.integer({ min: 0, max: 60 }), lane: fc.integer({ min: 0, max: 3 }) }), {
      minLength: 1,
      maxLength: 25,
    })
    fc.assert(
      fc.property(shape, list => {
        const c = columns(list.map(e => ({ ...e, duration: 1 })))
        const order = [...c.from.keys()].sort((a, b) => c.from[a] - c.from[b] || a - b)
        const forward = [order[0]]
        for (let i = neighbour(c, order[0], true); i >= 0 && forward.length <= order.length; i = neighbour(c, i, true)) forward.push(i)
        expect(forward).toEqual(order)
        const last = order[order.length - 1]
        const back = [last]
        for (let i = neighbour(c, last, false); i >= 0 && back.length <= order.length; i = neighbour(c, i, false)) back.push(i)
        expect(back.reverse()).toEqual(order)
      }),
    )
  })
})
