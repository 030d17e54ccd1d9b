/**
 * A 2D context that writes SVG. It knows what the painting code uses: rectangles, paths, text, clips, dashes, opacity, scale and translation, and pictures made of pixels
 * (`PixelImage`). Everything else is not there: a call of it fails rather than being left out.
 */
import { rgba, type Context2D } from '../theme'
import { intersect, PathText, rectPath, type Rect, type Transform } from './path'
import { PixelImage, rectsByColor } from './raster'
import { n, xml } from './xml'

/** Rectangles that a picture of pixels may become; beyond it is a PNG. */
const MOST_RECTS = 40_000
/** Largest file, in characters. */
const MOST = 48 * 1024 * 1024

interface Clip {
  readonly id: string
  /** The clip where it is a rectangle; null for another shape. */
  readonly rect: Rect | null
}

interface State {
  readonly fillStyle: string
  readonly strokeStyle: string
  readonly lineWidth: number
  readonly lineCap: CanvasLineCap
  readonly lineJoin: CanvasLineJoin
  readonly globalAlpha: number
  readonly font: string
  readonly textAlign: CanvasTextAlign
  readonly textBaseline: CanvasTextBaseline
  readonly imageSmoothingEnabled: boolean
  readonly dash: readonly number[]
  readonly transform: Transform
  readonly clip: Clip | null
}

export interface SvgOptions {
  readonly width: number
  readonly height: number
  /** Size of the file's own px in those of the drawing; absent: 1. */
  readonly scale?: number
  /** Another context, to measure text with; its fonts are loaded. */
  readonly measure: Context2D
  /** Pixels as a PNG in base64, for pictures that would be too many rectangles. */
  readonly png: (image: PixelImage) => string
}

const IDENTITY: Transform = { sx: 1, sy: 1, tx: 0, ty: 0 }

export class SvgContext {
  fillStyle = '#000000'
  strokeStyle = '#000000'
  lineWidth = 1
  lineCap: CanvasLineCap = 'butt'
  lineJoin: CanvasLineJoin = 'miter'
  globalAlpha = 1
  font = '10px sans-serif'
  textAlign: CanvasTextAlign = 'start'
  textBaseline: CanvasTextBaseline = 'alphabetic'
  imageSmoothingEnabled = true
  /** Pictures that became a PNG. */
  embedded = 0
  readonly #o: SvgOptions
  #dash: readonly number[] = []
  #transform: Transform = IDENTITY
  #clip: Clip | null = null
  readonly #stack: State[] = []
  #path = new PathText()
  #body = ''
  /** Opaque rectangles of one colour that follow each other are one path. */
  #rects: { readonly fill: string; d: string } | null = null
  /** Clip of the open group. */
  #group: Clip | null = null
  readonly #clips = new Map<string, Clip>()
  #defs = ''
  readonly #baselines = new Map<string, number>()

  constructor(o: SvgOptions) {
    this.#o = o
  }

  /** The context as the painting code takes it. */
  get ctx(): Context2D {
    return this as unknown as Context2D
  }

  // ── state ──

  save(): void {
    const { fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, textBaseline, imageSmoothingEnabled } = this
    const own = { dash: this.#dash, transform: this.#transform, clip: this.#clip }
    this.#stack.push({
      ...{ fillStyle, strokeStyle, lineWidth, lineCap, lineJoin, globalAlpha, font, textAlign, textBaseline, imageSmoothingEnabled },
      ...own,
    })
  }

  restore(): void {
    const s = this.#stack.pop()
    if (!s) return
    const { dash, transform, clip, ...own } = s
    Object.assign(this, own)
    this.#dash = dash
    this.#transform = transform
    this.#clip = clip
  }

  translate(x: number, y: number): void {
    const t = this.#transform
    this.#transform = { ...t, tx: t.tx + x * t.sx, ty: t.ty + y * t.sy }
  }

  scale(x: number, y: number): void {
    const t = this.#transform
    this.#transform = { ...t, sx: t.sx * x, sy: t.sy * y }
  }

  setLineDash(dash: readonly number[]): void {
    this.#dash = [...dash]
  }

  // ── paths ──

  beginPath(): void {
    this.#path = new PathText()
  }
  moveTo(x: number, y: number): void {
    this.#path.moveTo(this.#transform, x, y)
  }
  lineTo(x: number, y: number): void {
    this.#path.lineTo(this.#transform, x, y)
  }
  bezierCurveTo(ax: number, ay: number, bx: number, by: number, x: number, y: number): void {
    this.#path.curveTo(this.#transform, ax, ay, bx, by, x, y)
  }
  closePath(): void {
    this.#path.close()
  }
  rect(x: number, y: number, w: number, h: number): void {
    this.#path.addRect(this.#transform, x, y, w, h)
  }
  roundRect(x: number, y: number, w: number, h: number, radius: number): void {
    this.#path.addRoundRect(this.#transform, x, y, w, h, radius)
  }
  arc(x: number, y: number, r: number, from: number, to: number): void {
    this.#path.addArc(this.#transform, x, y, r, from, to)
  }

  clip(): void {
    const { d, rect } = this.#path
    const outer = this.#clip
    if (rect && (outer === null || outer.rect)) {
      const r = outer?.rect ? intersect(outer.rect, rect) : intersect(rect, rect)
      const [x, y, w, h] = r
      // What holds the whole picture clips nothing.
      if (x <= 0 && y <= 0 && x + w >= this.#o.width && y + h >= this.#o.height) return
      this.#clip = this.#clipOf(rectPath(r), r, null)
    } else this.#clip = this.#clipOf(d, null, outer)
  }

  #clipOf(d: string, rect: Rect | null, outer: Clip | null): Clip {
    const key = `${outer?.id ?? ''} ${d}`
    let clip = this.#clips.get(key)
    if (!clip) {
      clip = { id: `c${this.#clips.size}`, rect }
      this.#clips.set(key, clip)
      // A path without an extent would clip nothing in some readers: no shape at all clips everything.
      const shape = rect && (rect[2] <= 0 || rect[3] <= 0) ? '' : `<path d="${d}"/>`
      this.#defs += `<clipPath id="${clip.id}"${outer ? ` clip-path="url(#${outer.id})"` : ''}>${shape}</clipPath>\n`
    }
    return clip
  }

  // ── drawing ──

  fillRect(x: number, y: number, w: number, h: number): void {
    if (w === 0 || h === 0) return
    const t = this.#transform
    const d = rectPath([x * t.sx + t.tx, y * t.sy + t.ty, w * t.sx, h * t.sy])
    const [color, opacity] = this.#color(this.fillStyle)
    if (opacity < 1) return this.#emit(`<path d="${d}"${fill(color, opacity)}/>`)
    if (this.#rects?.fill === color && this.#group === this.#clip) {
      this.#rects.d += d
      return
    }
    this.#open()
    this.#rects = { fill: color, d }
  }

  fill(): void {
    if (this.#path.d === '') return
    const [color, opacity] = this.#color(this.fillStyle)
    if (opacity > 0) this.#emit(`<path d="${this.#path.d}"${fill(color, opacity)}/>`)
  }

  stroke(): void {
    if (this.#path.d === '') return
    this.#emit(`<path d="${this.#path.d}" fill="none"${this.#strokeMembers()}/>`)
  }

  #strokeMembers(): string {
    const [color, opacity] = this.#color(this.strokeStyle)
    const k = this.#transform.sx
    const dash = this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.map(v => n(v * k)).join(' ')}"` : ''
    const cap = this.lineCap === 'butt' ? '' : ` stroke-linecap="${this.lineCap}"`
    const join = this.lineJoin === 'miter' ? '' : ` stroke-linejoin="${this.lineJoin}"`
    const width = this.lineWidth * k === 1 ? '' : ` stroke-width="${n(this.lineWidth * k)}"`
    return ` stroke="${color}"${opacity < 1 ? ` stroke-opacity="${n(opacity)}"` : ''}${width}${cap}${join}${dash}`
  }

  fillText(text: string, x: number, y: number): void {
    const [color, opacity] = this.#color(this.fillStyle)
    this.#text(text, x, y, fill(color, opacity))
  }

  strokeText(text: string, x: number, y: number): void {
    this.#text(text, x, y, ` fill="none"${this.#strokeMembers()}`)
  }

  #text(text: string, x: number, y: number, paint: string): void {
    if (text.trim() === '') return
    const f = parseFont(this.font)
    const t = this.#transform
    const k = t.sy
    const anchor = { center: 'middle', right: 'end', end: 'end', left: '', start: '' }[this.textAlign]
    // The width of the text in the right font: where the reader's machine has another one, names stay in their slices.
    const width = text.length > 1 ? ` textLength="${n(this.measureText(text).width * t.sx)}" lengthAdjust="spacingAndGlyphs"` : ''
    // Spaces that count are kept only where that is said.
    const space = /\s\s|^\s|\s$/.test(text) ? ' xml:space="preserve"' : ''
    const weight = f.weight === '400' ? '' : ` font-weight="${f.weight}"`
    this.#emit(
      `<text x="${n(x * t.sx + t.tx)}" y="${n((y + this.#baseline()) * k + t.ty)}" font-family="${xml(f.family)}" font-size="${n(f.size * k)}"${weight}${anchor ? ` text-anchor="${anchor}"` : ''}${width}${space}${paint}>${xml(text)}</text>`,
    )
  }

  /** How far below the given y the alphabetic baseline is, CSS px: readers disagree about other baselines. */
  #baseline(): number {
    const key = `${this.textBaseline} ${this.font}`
    let shift = this.#baselines.get(key)
    if (shift === undefined) {
      shift = 0
      if (this.textBaseline !== 'alphabetic') {
        const m = this.#o.measure
        const { size } = parseFont(this.font)
        m.save()
        m.font = this.font
        m.textBaseline = 'alphabetic'
        const { fontBoundingBoxAscent: a, fontBoundingBoxDescent: d } = m.measureText('x')
        m.restore()
        if (this.textBaseline !== 'middle') throw new Error(`no baseline ${this.textBaseline} in SVG pictures`)
        shift = Number.isFinite(a) && Number.isFinite(d) ? (a - d) / 2 : size * 0.35
      }
      this.#baselines.set(key, shift)
    }
    return shift
  }

  measureText(text: string): TextMetrics {
    const m = this.#o.measure
    m.save()
    m.font = this.font
    const metrics = m.measureText(text)
    m.restore()
    return metrics
  }

  drawImage(image: unknown, x: number, y: number, w: number, h: number, ...more: readonly number[]): void {
    if (!(image instanceof PixelImage) || more.length > 0) throw new Error('an SVG picture takes whole pictures of pixels only')
    const t = this.#transform
    const place = { x: x * t.sx + t.tx, y: y * t.sy + t.ty, w: w * t.sx, h: h * t.sy }
    const colors = rectsByColor(image, MOST_RECTS)
    if (!colors) {
      this.embedded++
      return this.#emit(
        `<image x="${n(place.x)}" y="${n(place.y)}" width="${n(place.w)}" height="${n(place.h)}" preserveAspectRatio="none" style="image-rendering:pixelated" xlink:href="data:image/png;base64,${this.#o.png(image)}"/>`,
      )
    }
    const [kx, ky] = [place.w / image.width, place.h / image.height]
    let paths = ''
    for (const [color, rects] of colors) {
      let d = ''
      for (const r of rects) d += `M${r.x} ${r.y}h${r.w}v${r.h}h${-r.w}Z`
      const hex = `#${[color, color >>> 8, color >>> 16].map(v => (v & 255).toString(16).padStart(2, '0')).join('')}`
      paths += `<path d="${d}"${fill(hex, ((color >>> 24) / 255) * this.globalAlpha)}/>\n`
    }
    // Edges that touch are edges of pixels: smoothed, the ground would shine through.
    this.#emit(`<g transform="translate(${n(place.x)} ${n(place.y)}) scale(${kx} ${ky})" shape-rendering="crispEdges">\n${paths}</g>`)
  }

  #color(style: string): readonly [hex: string, opacity: number] {
    const [r, g, b, a] = rgba(this.#plain(style))
    return [`#${[r, g, b].map(v => Math.round(v).toString(16).padStart(2, '0')).join('')}`, a * this.globalAlpha]
  }

  /** A colour as numbers: built style sheets may have names in place of them, which a canvas knows. */
  #plain(style: string): string {
    if (/^(#|rgb)/i.test(style)) return style
    const m = this.#o.measure
    m.save()
    m.fillStyle = style
    const known = String(m.fillStyle)
    m.restore()
    return known
  }

  // ── text of the file ──

  #open(): void {
    this.#flush()
    if (this.#group === this.#clip) return
    if (this.#group) this.#body += '</g>\n'
    if (this.#clip) this.#body += `<g clip-path="url(#${this.#clip.id})">\n`
    this.#group = this.#clip
  }

  #flush(): void {
    if (this.#rects) this.#body += `<path d="${this.#rects.d}" fill="${this.#rects.fill}"/>\n`
    this.#rects = null
  }

  #emit(element: string): void {
    this.#open()
    this.#body += `${element}\n`
    if (this.#body.length > MOST) throw new Error('The picture is too large for an SVG; choose fewer tracks, or a PNG.')
  }

  /** The whole file. Nothing may be drawn afterwards. */
  finish(title: string, description: string): string {
    this.#flush()
    if (this.#group) this.#body += '</g>\n'
    const { width, height, scale = 1 } = this.#o
    const size = `width="${n(width * scale)}" height="${n(height * scale)}" viewBox="0 0 ${n(width)} ${n(height)}"`
    return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${size}>
<title>${xml(title)}</title>
<desc>${xml(description)}</desc>
<defs>
${this.#defs}</defs>
${this.#body}</svg>
`
  }
}

const fill = (color: string, opacity: number): string => ` fill="${color}"${opacity < 1 ? ` fill-opacity="${n(opacity)}"` : ''}`

/** The parts of a font as `font` of theme.ts writes it. */
function parseFont(font: string): { readonly weight: string; readonly size: number; readonly family: string } {
  const m = /^(?:(\d+) )?([\d.]+)px (.+)$/.exec(font)
  if (!m) throw new Error(`not a font: ${font}`)
  return { weight: m[1] ?? '400', size: Number(m[2]), family: m[3] as string }
}
