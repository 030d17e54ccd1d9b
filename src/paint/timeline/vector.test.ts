import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordingContext, testTheme } from '../../testing/theme'
import { geometry } from '../geometry'
import { rasterLane, type Scale } from './raster'
import { paletteOf, pixel } from './style'
import { columns } from './testing'
import { drawVectorBars, type BarJob } from './vector'

const theme = testTheme('light')
const g = geometry(372, 0, 1000)
const scale: Scale = { start: 0, perNs: g.plot / 1000, width: g.plot, pixelRatio: 1 }

/** What the shapes of one lane fill, one colour per column; 0 for nothing. */
function filled(c: BarJob['columns']): Uint32Array {
  const r = recordingContext()
  const row = new Uint32Array(g.plot)
  let color = ''
  const ctx = new Proxy(r.ctx, {
    set: (target, key, value) => {
      if (key === 'fillStyle') color = String(value)
      return Reflect.set(target, key, value) as boolean
    },
    get: (target, key) =>
      key === 'fillRect' || key === 'roundRect'
        ? (x: number, _: number, w: number) => row.fill(pixel(color, 1), Math.round(x - g.gutter), Math.round(x - g.gutter + w))
        : (Reflect.get(target, key) as unknown),
  })
  drawVectorBars(
    ctx,
    theme,
    [{ track: {} as BarJob['track'], y: 0, h: 20, columns: c, counter: null, lanes: [0], preview: false }],
    scale,
    g,
  )
  return row
}

describe('slices as shapes', () => {
  it('cover the columns that the raster covers, in the same colours', () => {
    const gaps = fc.array(fc.tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 90 }), fc.constantFrom('a', 'b', 'conv')), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(gaps, list => {
        let at = -20
        const slices = list.map(([gap, duration, name]) => {
          const from = at + gap
          at = from + duration
          return { from, duration, name }
        })
        const c = columns(slices)
        const raster = new Uint32Array(g.plot)
        rasterLane(raster, 0, c, 0, scale, [], paletteOf(theme).pixel, Infinity, [])
        expect([...filled(c)]).toEqual([...raster])
      }),
    )
  })

  it('have a name where they are wide enough', () => {
    const { ctx } = recordingContext()
    const c = columns([
      { from: 0, duration: 500, name: 'wide' },
      { from: 600, duration: 20, name: 'narrow' },
    ])
    const job = { track: {} as BarJob['track'], y: 0, h: 20, columns: c, counter: null, lanes: [0], preview: false }
    const { labels } = drawVectorBars(ctx, theme, [job], scale, g)
    expect(labels.flatMap(l => l.wide.map(w => c.names[c.name[w.index]]))).toEqual(['wide'])
  })
})
