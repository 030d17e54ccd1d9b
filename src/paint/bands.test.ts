import { expect, it } from 'vitest'
import fc from 'fast-check'
import { bandsBetween, placeNames, type Band } from './bands'
import { geometry } from './geometry'

/** A pixel is a ns; the plot goes from 160 to 1160. */
const g = geometry(1172, 0, 1000)
const widthOf = (s: string): number => s.length * 6

it('finds what touches the window', () => {
  const bands = [0, 100, 200, 300].map(start => ({ start, duration: 100 }))
  expect(bandsBetween(bands, 150, 250)).toEqual([1, 2])
  expect(bandsBetween(bands, 500, 600)).toEqual([])
})

it('writes each name inside of its own band, whatever there is', () => {
  const list = fc.array(fc.record({ gap: fc.nat(40), length: fc.integer({ min: 1, max: 300 }), name: fc.string() }), { maxLength: 40 })
  fc.assert(
    fc.property(list, fc.integer({ min: -1000, max: 0 }), (parts, from) => {
      let at = from
      const bands = parts.map((p): Band => {
        const start = at + p.gap
        at = start + p.length
        return { name: p.name, start, duration: p.length }
      })
      const names = placeNames(g, 0, bands, widthOf)
      let last = g.gutter
      for (const n of names) {
        expect(n.left).toBeGreaterThanOrEqual(last)
        last = n.left + n.room
        expect(last).toBeLessThanOrEqual(g.gutter + g.plot)
        expect(last).toBeLessThanOrEqual(g.x(bands[n.index].start + bands[n.index].duration))
      }
    }),
  )
})

it('keeps names clear of what stands there already', () => {
  const bands: readonly Band[] = [
    { name: 'forward', start: 0, duration: 300 },
    { name: 'backward', start: 300, duration: 300 },
  ]
  const taken = [{ left: 170, right: 200, top: 10, bottom: 30 }]
  expect(placeNames(g, 0, bands, widthOf, taken).map(n => n.index)).toEqual([1])
  expect(placeNames(g, 40, bands, widthOf, taken).map(n => n.index)).toEqual([0, 1])
})
