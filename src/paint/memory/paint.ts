/**
 * Paints the allocator timeline: gutter with the Y axis, plot, lower axis. The same code makes the screen and the exported picture.
 * The caller has scaled the context to CSS px; the plot's pixels come as an image (see `rasterMemory`) and are drawn 1:1 when the picture is the
 * window's own, stretched while a newer one is on its way.
 */
import { memory, num } from '../../shared/format'
import { AXIS_MIRROR, drawAxis, drawCursorLine, drawFurniture } from '../axis'
import { drawOver, type Taken } from '../bands'
import type { Geometry } from '../geometry'
import { hatch, hatchStyle, noData } from '../hatch'
import { textWidth } from '../text'
import { font, type Context2D, type Theme } from '../theme'
import {
  drawCursorValue,
  drawLifetime,
  drawLifted,
  drawOom,
  drawPeak,
  peakSpan,
  placePeak,
  type PeakPlace,
  type PicturePlace,
} from './marks'
import { drawNoteLines } from '../timeline/notes'
import { drawOutline } from './outline'
import { groupToken } from './raster'
import { factOf } from './hit'
import { byteTicks, type ByteScale } from './scale'
import type { MemoryScene } from './scene'
import { activeName, afterLabel, ALLOCATED, beforeLabel, eventTick, RESERVED, roundedName, startLabel } from './words'

/** Paints the scene: box [0, geometry.width) x [scale.top, scale.top + scale.height + AXIS_MIRROR), CSS px. */
export function paintMemory(ctx: Context2D, theme: Theme, scene: MemoryScene): void {
  const { geometry: g, scale: s, picture, options, allocator: info } = scene
  const t = theme.token
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, s.top, g.width, s.height)
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(0, s.top, g.gutter, s.height + AXIS_MIRROR)
  drawFurniture(ctx, theme, g, s.top, s.height, scene.axis === 'time' ? scene.steps : [])
  drawYAxis(ctx, theme, g, s)

  const cx = scene.cursor === null ? NaN : g.x(scene.cursor)
  const cursorShown = cx >= g.gutter - 0.5 && cx <= g.gutter + g.plot + 0.5
  const peakAt = options.peak && picture ? peakPosition(scene) : null
  const peak =
    peakAt === null ? null : placePeak(ctx, theme, g, s, peakAt, info.peakActiveBytes, cursorShown ? cx : null, `peak ${activeName(info)}`)

  /** What stands at the top of the plot already. */
  const taken: Taken[] = [...peakSpan(peak)]
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, s.top, g.plot, s.height)
  ctx.clip()
  drawOutside(ctx, theme, scene)
  if (picture) {
    const place = placeOf(scene)
    if (scene.image) {
      ctx.imageSmoothingEnabled = false
      // The picture was made for its own Y range: it is drawn in it, so that a change of the scale stretches it too.
      const top = s.y(picture.yMax)
      ctx.drawImage(scene.image, place.x(0), top, place.x(picture.width) - place.x(0), s.y(0) - top)
    }
    if (options.startState) drawStart(ctx, theme, scene, place)
    drawOutline(ctx, place, s.y, picture.max, {
      color: t('--curve-active'),
      alpha: 0.55,
      top: s.top,
      rows: picture.height / (s.y(0) - s.y(picture.yMax)),
    })
    const named = (place: Taken | null): void => void (place && taken.push(place))
    if (options.allocated) {
      curve(ctx, scene, place, picture.allocatedMax, t('--curve-rounded'), { dash: [4, 3], width: 1.25 })
      named(curveName(ctx, theme, scene, place, picture.allocatedMax, ALLOCATED, '--curve-rounded', peak))
    }
    if (options.rounded === true && info.blockRounded.peakBytes !== null) {
      curve(ctx, scene, place, picture.roundedMax, t('--curve-rounded'), { width: 1.25, steps: true })
      named(curveName(ctx, theme, scene, place, picture.roundedMax, roundedName(info), '--curve-rounded', peak))
    }
    if (options.reserved) {
      curve(ctx, scene, place, picture.reservedMax, t('--curve-reserved'), { width: 1.25, steps: true })
      named(curveName(ctx, theme, scene, place, picture.reservedMax, RESERVED, '--curve-reserved', peak))
    }
    for (const [id, width] of [
      [scene.pinned, 1.5],
      [scene.hovered, 1],
    ] as const) {
      if (id === null || (id === scene.pinned && width === 1)) continue
      const k = factOf(picture, id)
      if (k < 0) continue
      const fill = t(groupToken(picture.group[k]))
      drawLifted(ctx, theme, picture, place, id, fill, width)
    }
  }
  ctx.restore()

  if (scene.axis === 'time') {
    drawOver(ctx, theme, g, s.top, s.height, scene.steps, scene.annotations ?? [], taken)
    drawNoteLines(ctx, theme, g, s.top, s.height, scene.notes ?? [])
  }
  for (const o of info.ooms) {
    const at = scene.axis === 'time' ? o.time : o.event
    if (at !== null) drawOom(ctx, theme, g, s, at, o.size)
  }
  if (peak) drawPeak(ctx, theme, peak)
  if (scene.range) drawRange(ctx, theme, scene)
  ctx.fillStyle = t('--border-1')
  ctx.fillRect(g.gutter - 1, s.top, 1, s.height)

  const below = s.top + s.height
  drawAxis(ctx, theme, g, below, AXIS_MIRROR, {
    mirror: true,
    cursor: scene.flags && cursorShown ? scene.cursor : null,
    ...(scene.axis === 'event' ? { format: eventTick, formatCursor: v => (v < 0 ? 'start state' : num(Math.floor(v))) } : {}),
  })
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(0, below, g.gutter, AXIS_MIRROR)
  ctx.fillRect(g.gutter + g.plot, s.top, g.right, s.height + AXIS_MIRROR)
  if (scene.axis === 'event') {
    ctx.font = font(theme)
    ctx.textAlign = 'left'
    ctx.textBaseline = 'middle'
    ctx.fillStyle = t('--text-3')
    ctx.fillText('Event index', 12, below + AXIS_MIRROR / 2 + 0.5)
  }
  if (scene.lifetime) drawLifetime(ctx, theme, g, below, scene.lifetime.from, scene.lifetime.to)
  if (cursorShown) {
    drawCursorLine(ctx, theme, cx, s.top, s.height)
    if (scene.value) {
      const words = scene.valueFlag ? `${memory(scene.value.bytes)} ${activeName(info)}` : ''
      drawCursorValue(ctx, theme, g, s, Math.round(g.x(scene.value.at)), scene.value.bytes, words)
    }
  }
  ctx.restore()
}

/** Where the picture's columns and rows lie now. */
export function placeOf(scene: Pick<MemoryScene, 'geometry' | 'scale' | 'picture' | 'pictureWindow'>): PicturePlace {
  const { geometry: g, scale: s, picture, pictureWindow: w } = scene
  const width = picture?.width ?? 1
  const height = picture?.height ?? 1
  const yMax = picture?.yMax ?? s.max
  return {
    x: c => g.x(w.start + (c / width) * (w.end - w.start)),
    y: r => s.y((r / height) * yMax),
  }
}

/** Position of the peak on the scene's axis; null where the axis cannot show it. */
export function peakPosition(scene: Pick<MemoryScene, 'axis' | 'allocator'>): number | null {
  const { axis, allocator: info } = scene
  if (axis === 'event') return info.peakActiveEvent < 0 ? -0.5 : info.peakActiveEvent
  if (info.peakTime !== null) return info.peakTime
  // The start state stands at the first event's time.
  return info.peakActiveEvent < 0 && info.timeRange ? info.timeRange[0] : null
}

/** Ticks with their lines across the plot, the unit at the top. */
export function drawYAxis(ctx: Context2D, theme: Theme, g: Geometry, s: ByteScale): void {
  const { unit, at } = byteTicks(s.max, s.height)
  ctx.save()
  ctx.font = font(theme)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'right'
  for (const v of at) {
    const y = Math.round(s.y(v.bytes))
    ctx.fillStyle = theme.token('--grid-major')
    ctx.fillRect(g.gutter, y, g.plot, 1)
    // The unit stands at the top of the axis; a label that would touch it is left out.
    if (y < s.top + 24 && v.bytes > 0) continue
    ctx.fillStyle = theme.token('--text-3')
    ctx.fillText(v.label, g.gutter - 9, Math.min(y, s.top + s.height - 7))
  }
  ctx.fillStyle = theme.token('--text-3')
  ctx.fillText(unit.name, g.gutter - 9, s.top + 14)
  ctx.restore()
}

/** Recorded range on the scene's axis; null when nothing is known on it. */
export function recordedRange(scene: Pick<MemoryScene, 'axis' | 'allocator'>): readonly [number, number] | null {
  return scene.axis === 'event' ? [-1, scene.allocator.events] : scene.allocator.timeRange
}

/** Hatches what lies before and after the recording: no data is not zero. */
function drawOutside(ctx: Context2D, theme: Theme, scene: MemoryScene): void {
  const { geometry: g, scale: s, allocator: info } = scene
  const range = recordedRange(scene)
  if (!range) {
    noData(ctx, theme, g.gutter, s.top, g.plot, s.height, 'the snapshot has no times')
    return
  }
  const right = g.gutter + g.plot
  const x0 = Math.min(right, g.x(range[0]))
  const x1 = Math.max(g.gutter, g.x(range[1]))
  if (x0 > g.gutter) noData(ctx, theme, g.gutter, s.top, x0 - g.gutter, s.height, beforeLabel(scene.axis, range[0]))
  if (x1 < right)
    noData(
      ctx,
      theme,
      x1,
      s.top,
      right - x1,
      s.height,
      afterLabel(scene.axis, range[1], info.endsEarly),
      info.endsEarly ? 'lost' : 'nodata',
    )
}

/** The start state as one flat hatched base with its own edge and label. */
function drawStart(ctx: Context2D, theme: Theme, scene: MemoryScene, place: PicturePlace): void {
  const { picture: p, scale: s, geometry: g, allocator: info } = scene
  if (!p || info.startActiveBytes <= 0) return
  const bottom = s.y(0)
  ctx.save()
  ctx.beginPath()
  let open = false
  const edge: [number, number][] = []
  for (let c = 0; c < p.width; c++) {
    const b = p.startBytes[c]
    if (!(b > 0)) {
      if (open) ctx.lineTo(place.x(c), bottom)
      open = false
      continue
    }
    const y = s.y(b)
    if (!open) ctx.moveTo(place.x(c), bottom)
    ctx.lineTo(place.x(c), y)
    ctx.lineTo(place.x(c + 1), y)
    edge.push([place.x(c), y])
    open = true
  }
  if (open) ctx.lineTo(place.x(p.width), bottom)
  ctx.closePath()
  ctx.clip()
  const style = hatchStyle(theme, 'start')
  // An owner that is shown alone is seen in the start state too: the lines then lie on the colours of the picture.
  hatch(ctx, g.gutter, s.top, g.plot, s.height, (scene.options.only ?? null) === null ? style : { ...style, background: null })
  ctx.restore()
  if (!edge.length) return
  ctx.fillStyle = theme.token('--hatch-start-line')
  const w = Math.max(1, place.x(1) - place.x(0))
  for (const [x, y] of edge) ctx.fillRect(x, Math.round(y), w, 1)
  const label = startLabel(info)
  ctx.font = font(theme)
  const width = textWidth(ctx, label) + 14
  // The label stands where the base is, in its first stretch that is wide and high enough.
  const first = Math.max(g.gutter, edge[0][0])
  const last = Math.min(g.gutter + g.plot, edge[edge.length - 1][0] + w)
  if (last - first < width + 16 || bottom - Math.min(...edge.slice(0, Math.ceil(width / w)).map(e => e[1])) < 24) return
  ctx.fillStyle = theme.token('--hatch-start-bg')
  ctx.beginPath()
  ctx.roundRect(first + 8, bottom - 24, width, 18, 3)
  ctx.fill()
  ctx.fillStyle = theme.token('--text-2')
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.fillText(label, first + 15, bottom - 14.5)
}

interface CurveStyle {
  readonly width: number
  readonly alpha?: number
  readonly dash?: readonly number[]
  /** Flat within a column, so that levels stay sharp. */
  readonly steps?: boolean
}

function curve(ctx: Context2D, scene: MemoryScene, place: PicturePlace, values: Float64Array, color: string, style: CurveStyle): void {
  const s = scene.scale
  ctx.save()
  ctx.strokeStyle = color
  ctx.lineWidth = style.width
  ctx.globalAlpha = style.alpha ?? 1
  ctx.setLineDash(style.dash ? [...style.dash] : [])
  ctx.beginPath()
  let open = false
  for (let c = 0; c < values.length; c++) {
    const v = values[c]
    if (Number.isNaN(v)) {
      open = false
      continue
    }
    const y = style.steps ? Math.round(s.y(v)) + 0.5 : s.y(v)
    if (style.steps || style.dash) {
      if (open) ctx.lineTo(place.x(c), y)
      else ctx.moveTo(place.x(c), y)
      ctx.lineTo(place.x(c + 1), y)
    } else if (open) ctx.lineTo(place.x(c + 0.5), y)
    else ctx.moveTo(place.x(c + 0.5), y)
    open = true
  }
  ctx.stroke()
  ctx.restore()
}

/** The name of a curve above its first level that is long enough to carry it. Answers where it stands. */
function curveName(
  ctx: Context2D,
  theme: Theme,
  scene: MemoryScene,
  place: PicturePlace,
  values: Float64Array,
  name: string,
  token: string,
  peak: PeakPlace | null,
): Taken | null {
  const { geometry: g, scale: s } = scene
  let told: Taken | null = null
  ctx.save()
  ctx.font = font(theme)
  const w = textWidth(ctx, name) + 12
  const perColumn = Math.max(1e-6, place.x(1) - place.x(0))
  const need = Math.ceil(w / perColumn)
  const tolerance = s.max / s.height
  for (let c = Math.max(0, Math.ceil((g.gutter - place.x(0)) / perColumn)), from = c; c < values.length; c++) {
    if (Number.isNaN(values[c]) || Math.abs(values[c] - values[from]) > tolerance || Number.isNaN(values[from])) from = c
    const x = place.x(from)
    if (x + w > g.gutter + g.plot) break
    const y = s.y(values[from])
    if (c + 1 - from < need || y - 16 < s.top) continue
    if (peak && y > peak.top && y - 16 < peak.top + 18 && x < peak.left + peak.width && x + w > Math.min(peak.x - 6, peak.left)) {
      from = c // under the peak's label: further to the right
      continue
    }
    ctx.textAlign = 'left'
    ctx.textBaseline = 'alphabetic'
    // A halo instead of a plate: the curve below stays visible.
    ctx.lineJoin = 'round'
    ctx.lineWidth = 3
    ctx.strokeStyle = theme.token('--surface-0')
    ctx.strokeText(name, x + 6, y - 5)
    ctx.fillStyle = theme.token(token)
    ctx.fillText(name, x + 6, y - 5)
    told = { left: x, right: x + w, top: y - 18, bottom: y }
    break
  }
  ctx.restore()
  return told
}

function drawRange(ctx: Context2D, theme: Theme, scene: MemoryScene): void {
  const { geometry: g, scale: s, range } = scene
  if (!range) return
  const a = Math.max(g.gutter, g.x(range.start))
  const b = Math.min(g.gutter + g.plot, g.x(range.end))
  if (b <= a) return
  ctx.fillStyle = theme.token('--selection')
  ctx.fillRect(a, s.top, b - a, s.height)
  ctx.fillStyle = theme.token('--selection-edge')
  ctx.fillRect(Math.round(a), s.top, 1, s.height)
  ctx.fillRect(Math.round(b) - 1, s.top, 1, s.height)
}
