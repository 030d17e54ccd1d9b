import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { curve } from '../system/counters'
import { counterMeans } from './counter-mean'
import { counterInWindow } from './counter-window'
import type { TrackModel } from './model'

const track = (time: readonly number[], value: readonly number[]): TrackModel =>
  curve(
    { role: 'counter', pid: '', tid: '', processName: '', processLabels: '', name: 'c', note: '' },
    Float64Array.from(time),
    Float64Array.from(value),
  )

/** The definition: the value at each instant, added up over the pieces between samples and edges. */
function slow(t: TrackModel, from: number, to: number): number {
  const cuts = [from, ...[...t.time].filter(x => x > from && x < to), to]
  let sum = 0
  let known = 0
  for (let i = 0; i + 1 < cuts.length; i++) {
    const k = t.time.findLastIndex(x => x <= (cuts[i] as number))
    const length = (cuts[i + 1] as number) - (cuts[i] as number)
    if (k < 0) continue
    sum += (t.value[k] as number) * length
    known += length
  }
  return known > 0 ? sum / known : NaN
}

describe('average of a counter in a pixel column', () => {
  it('is weighted by time, over what is known', () => {
    const t = track([10, 20, 25], [100, 200, 0])
    expect([...(counterMeans([t], 0, 40, 4)[0] ?? [])]).toEqual([NaN, 100, 100, 0])
    expect(counterMeans([t], 0, 40, 1)[0]?.[0]).toBeCloseTo((100 * 10 + 200 * 5) / 30, 9)
    expect(counterMeans([t], 12, 18, 1)[0]?.[0]).toBe(100)
    expect([...(counterMeans([track([], [])], 0, 40, 2)[0] ?? [])]).toEqual([NaN, NaN])
  })

  it('equals the definition at every zoom and lies between minimum and maximum', () => {
    const samples = fc.array(fc.record({ step: fc.integer({ min: 0, max: 3 }), value: fc.integer({ min: -1000, max: 1000 }) }), {
      minLength: 1,
      maxLength: 500,
    })
    fc.assert(
      fc.property(
        samples,
        fc.integer({ min: -20, max: 300 }),
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 7 }),
        (list, start, span, width) => {
          let now = 0
          const t = track(
            list.map(s => (now += s.step)),
            list.map(s => s.value),
          )
          const [mean] = counterMeans([t], start, start + span, width)
          const { min, max } = counterInWindow([t], start, start + span, width)
          for (let c = 0; c < width; c++) {
            const want = slow(t, start + (c * span) / width, c + 1 === width ? start + span : start + ((c + 1) * span) / width)
            const got = mean?.[c] as number
            if (Number.isNaN(want)) {
              expect(got).toBeNaN()
              continue
            }
            expect(Math.abs(got - want)).toBeLessThan(1e-6)
            expect(got).toBeGreaterThanOrEqual((min[0]?.[c] as number) - 1e-9)
            expect(got).toBeLessThanOrEqual((max[0]?.[c] as number) + 1e-9)
          }
        },
      ),
    )
  })
})
