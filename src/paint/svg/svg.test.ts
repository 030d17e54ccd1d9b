import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recordingContext, testTheme } from '../../testing/theme'
import { readXml, type XmlElement } from '../../testing/xml'
import { paintSheet, type ExportSheet } from '../sheet/paint'
import { font, type Context2D } from '../theme'
import { SvgContext } from './context'
import { intersect } from './path'
import { PixelImage, rectsByColor } from './raster'
import { n, xml } from './xml'

const ELEMENTS = new Set(['svg', 'title', 'desc', 'defs', 'clipPath', 'g', 'path', 'text', 'image'])
const ATTRIBUTES = new Set(
  'xmlns xmlns:xlink xlink:href width height viewBox xml:space style id clip-path d fill fill-opacity stroke stroke-opacity stroke-width stroke-linecap stroke-linejoin stroke-dasharray x y font-family font-size font-weight text-anchor textLength lengthAdjust transform shape-rendering preserveAspectRatio'.split(
    ' ',
  ),
)

// eslint-disable-next-line no-control-regex
const IMPOSSIBLE = /^(?:[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff])$/

const context = (width = 200, height = 100): SvgContext =>
  new SvgContext({ width, height, measure: recordingContext().ctx, png: i => `PNG${i.width}x${i.height}` })

/** Draws, and reads what came out; fails for an element or attribute that a picture has no use for. */
function drawn(
  draw: (ctx: Context2D) => void,
  o: readonly [number, number] = [200, 100],
): { readonly all: readonly XmlElement[]; readonly text: string } {
  const svg = context(...o)
  draw(svg.ctx)
  const text = svg.finish('t', 'd')
  const root = readXml(text)
  const all: XmlElement[] = []
  const walk = (e: XmlElement): void => {
    all.push(e)
    expect(ELEMENTS.has(e.name), e.name).toBe(true)
    for (const [k, v] of Object.entries(e.attributes)) {
      expect(ATTRIBUTES.has(k), k).toBe(true)
      if (k.endsWith('href')) expect(v).toMatch(/^data:image\/png;base64,/)
      else expect(v).not.toMatch(/javascript:|url\((?!#c\d+\))/)
    }
    e.children.forEach(walk)
  }
  walk(root)
  return { all, text }
}
const named = (all: readonly XmlElement[], name: string): readonly XmlElement[] => all.filter(e => e.name === name)

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom(
    '<script>alert(1)</script>',
    '"/><script xlink:href="data:,alert(1)"/>',
    "' onload='alert(1)",
    ']]>&lt;&#60;<!--',
    '<?xml?><!DOCTYPE a [<!ENTITY x "y">]>&x;',
    '\u0000\u0008\u001f\ud800\ufffe\uffff',
    'javascript:alert(1)',
  ),
)

describe('text', () => {
  it('of any kind is well-formed and comes out as it went in, but for what XML has no place for', () => {
    fc.assert(
      fc.property(hostile, text => {
        const { all } = drawn(ctx => {
          ctx.font = '400 11px Inter'
          ctx.fillText(text, 1, 2)
        })
        const out = named(all, 'text')
        if (text.trim() === '') expect(out).toEqual([])
        else {
          const known = [...text].map(c => (IMPOSSIBLE.test(c) ? '\ufffd' : c))
          expect(out.map(e => e.text)).toEqual([known.join('').replace(/[\t\n\r]/g, ' ')])
        }
      }),
    )
  })

  it('stands where the canvas has it, in the given face and width', () => {
    const { all } = drawn(ctx => {
      ctx.font = font(testTheme(), 13, 600)
      ctx.textAlign = 'center'
      ctx.textBaseline = 'middle'
      ctx.translate(10, 20)
      ctx.fillStyle = 'rgb(1 2 3 / .5)'
      ctx.fillText('abc', 5, 6)
    })
    const [t] = named(all, 'text')
    expect(t?.attributes).toMatchObject({
      ...{ x: '15', 'font-size': '13', 'font-weight': '600', 'text-anchor': 'middle', textLength: '18' },
      ...{ fill: '#010203', 'fill-opacity': '0.5' },
    })
    expect(t?.attributes['font-family']).toMatch(/^Inter, "Segoe UI"/)
    // The middle of the line lies about a third of its size above the baseline.
    expect(Number(t?.attributes['y'])).toBeCloseTo(26 + 13 * 0.35, 2)
  })

  it('a whole sheet with hostile names holds nothing that runs', () => {
    fc.assert(
      fc.property(hostile, name => {
        const sheet: ExportSheet = {
          ...{ width: 600, height: null, title: name, subtitle: name, trace: null, memory: null, program: name },
          legend: [
            { label: name, token: '--cat-1' },
            { label: 'start', token: 'start' },
          ],
          sources: [name],
        }
        drawn(ctx => paintSheet(ctx, testTheme(), sheet), [600, 200])
        const file = context()
        expect(readXml(file.finish(name, name)).children.map(c => c.name)).toEqual(['title', 'desc', 'defs'])
      }),
      { numRuns: 50 },
    )
  })
})

describe('shapes', () => {
  it('rectangles of one opaque colour that follow each other are one path, translucent ones stay apart', () => {
    const { all } = drawn(ctx => {
      ctx.fillStyle = '#112233'
      ctx.fillRect(0, 0, 1, 2)
      ctx.fillRect(5, 0, 1, 2)
      ctx.fillStyle = 'rgb(0 0 0 / .5)'
      ctx.fillRect(0, 0, 1, 1)
      ctx.fillRect(0, 0, 1, 1)
    })
    expect(named(all, 'path').map(e => [e.attributes['d'], e.attributes['fill'], e.attributes['fill-opacity']])).toEqual([
      ['M0 0h1v2h-1ZM5 0h1v2h-1Z', '#112233', undefined],
      ['M0 0h1v1h-1Z', '#000000', '0.5'],
      ['M0 0h1v1h-1Z', '#000000', '0.5'],
    ])
  })

  it('clips are kept inside of each other and end with restore; one that holds the picture is none', () => {
    const { all, text } = drawn(ctx => {
      const clip = (x: number, y: number, w: number, h: number): void => {
        ctx.beginPath()
        ctx.rect(x, y, w, h)
        ctx.clip()
      }
      ctx.fillStyle = '#111111'
      ctx.save()
      clip(-5, 0, 500, 100)
      ctx.fillRect(0, 0, 1, 1)
      clip(10, 10, 50, 50)
      ctx.save()
      clip(40, 0, 100, 100)
      ctx.fillRect(1, 0, 1, 1)
      ctx.beginPath()
      ctx.roundRect(0, 0, 9, 9, 2)
      ctx.clip()
      ctx.fillRect(2, 0, 1, 1)
      ctx.restore()
      ctx.fillRect(3, 0, 1, 1)
      ctx.restore()
      ctx.fillRect(4, 0, 1, 1)
    })
    const clips = new Map(named(all, 'clipPath').map(e => [e.attributes['id'], e]))
    const shapeOf = (g: XmlElement): string => {
      const clip = clips.get(/#(c\d+)/.exec(g.attributes['clip-path'] ?? '')?.[1] ?? '')
      const outer = clip?.attributes['clip-path'] ? `${shapeOf(clip)} & ` : ''
      return outer + (clip?.children[0]?.attributes['d'] ?? '')
    }
    expect(named(all, 'g').map(g => [shapeOf(g), g.children.map(c => c.attributes['d']?.slice(0, 3))])).toEqual([
      ['M40 10h20v50h-20Z', ['M1 ']],
      [expect.stringMatching(/^M40 10h20v50h-20Z & M2 0/), ['M2 ']],
      ['M10 10h50v50h-50Z', ['M3 ']],
    ])
    expect(text.indexOf('M4 0')).toBeGreaterThan(text.lastIndexOf('</g>'))
  })

  it('dashes, widths and scales are those of the canvas', () => {
    const { all } = drawn(ctx => {
      ctx.scale(0.5, 0.5)
      ctx.lineWidth = 3
      ctx.lineJoin = 'round'
      ctx.setLineDash([6, 4])
      ctx.strokeStyle = '#abcdef'
      ctx.beginPath()
      ctx.moveTo(0, 0)
      ctx.lineTo(10, 20)
      ctx.stroke()
      ctx.beginPath()
      ctx.arc(10, 10, 4, 0, 2 * Math.PI)
      ctx.fill()
    })
    expect(named(all, 'path').map(e => e.attributes)).toMatchObject([
      { d: 'M0 0L5 10', stroke: '#abcdef', 'stroke-width': '1.5', 'stroke-dasharray': '3 2', 'stroke-linejoin': 'round' },
      { d: 'M7 5A2 2 0 1 1 3 5A2 2 0 1 1 7 5' },
    ])
  })

  it('what is not known of a canvas fails rather than being left out', () => {
    const ctx = context().ctx
    expect(() => ctx.fillRect(NaN, 0, 1, 1)).toThrow('not a coordinate')
    expect(() => ctx.rotate(1)).toThrow()
    expect(() => ctx.drawImage({} as CanvasImageSource, 0, 0, 1, 1)).toThrow('pictures of pixels')
  })

  it('colours may be written in any way that a style sheet has', () => {
    const { all } = drawn(ctx => {
      for (const c of ['#abc', '#abc8', '#aabbcc80', 'rgb(170, 187, 204)']) {
        ctx.fillStyle = c
        ctx.beginPath()
        ctx.arc(1, 1, 1, 0, 1)
        ctx.fill()
      }
    })
    const half = [expect.closeTo(0.53, 2), expect.closeTo(0.5, 2)]
    expect(named(all, 'path').map(e => e.attributes['fill'])).toEqual(Array(4).fill('#aabbcc'))
    expect(
      named(all, 'path')
        .flatMap(e => e.attributes['fill-opacity'] ?? [])
        .map(Number),
    ).toEqual(half)
  })

  it('numbers have no exponent and no negative zero', () => {
    expect([n(-0.0001), n(1e-7), n(123456.789), n(-2.5)]).toEqual(['0', '0', '123456.789', '-2.5'])
    expect(xml('a\tb\nc')).toBe('a b c')
  })

  it('an intersection holds exactly the points of both', () => {
    const side = fc.integer({ min: -9, max: 9 })
    const rect = fc.tuple(side, side, side, side)
    const has = ([x, y, w, h]: readonly [number, number, number, number], px: number, py: number): boolean =>
      px > Math.min(x, x + w) && px < Math.max(x, x + w) && py > Math.min(y, y + h) && py < Math.max(y, y + h)
    fc.assert(
      fc.property(rect, rect, fc.integer({ min: -19, max: 18 }), fc.integer({ min: -19, max: 18 }), (a, b, x, y) => {
        expect(has(intersect(a, b), x + 0.5, y + 0.5)).toBe(has(a, x + 0.5, y + 0.5) && has(b, x + 0.5, y + 0.5))
      }),
    )
  })
})

describe('pictures of pixels', () => {
  it('become rectangles that are the picture again, without overlap', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        fc.infiniteStream(fc.constantFrom(0, 0xff112233, 0xff445566)),
        (w, h, stream) => {
          const px = Uint32Array.from({ length: w * h }, () => stream.next().value as number)
          const out = new Uint32Array(w * h)
          for (const [color, rects] of rectsByColor(new PixelImage(new Uint8ClampedArray(px.buffer), w, h), 1000) ?? [])
            for (const r of rects)
              for (let y = r.y; y < r.y + r.h; y++)
                for (let x = r.x; x < r.x + r.w; x++) {
                  expect(out[y * w + x]).toBe(0)
                  out[y * w + x] = color
                }
          expect([...out]).toEqual([...px])
        },
      ),
    )
  })

  it('of too many pieces are a PNG of the same place', () => {
    const px = Uint32Array.from({ length: 300 * 300 }, (_, i) => (0xff000000 | (i * 7919)) >>> 0)
    const image = new PixelImage(new Uint8ClampedArray(px.buffer), 300, 300)
    expect(rectsByColor(image, 1000)).toBeNull()
    const { all } = drawn(ctx => ctx.drawImage(image as unknown as CanvasImageSource, 5, 6, 150, 75))
    expect(named(all, 'image').map(e => e.attributes)).toMatchObject([
      { x: '5', y: '6', width: '150', height: '75', 'xlink:href': 'data:image/png;base64,PNG300x300', preserveAspectRatio: 'none' },
    ])
  })
})
