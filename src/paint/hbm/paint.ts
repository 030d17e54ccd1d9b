/**
 * Paints the chart of an HBM: gutter with the Y axis, plot, lower axis; the same layout as the allocator timeline, so that both stand on the axis of the System Trace.
 * The caller has scaled the context to CSS px; the bands come as an image (`rasterHbm`).
 */
import { memory } from '../../shared/format'
import { AXIS_MIRROR, drawAxis, drawCursorLine, drawFurniture } from '../axis'
import { drawOver, type Taken } from '../bands'
import { hatch, hatchStyle, noData } from '../hatch'
import { drawCursorValue, drawLifetime, drawOom, drawPeak, peakSpan, placePeak, type PeakPlace } from '../memory/marks'
import { drawOutline } from '../memory/outline'
import { drawYAxis } from '../memory/paint'
import { textWidth } from '../text'
import { drawNoteLines } from '../timeline/notes'
import { font, type Context2D, type Theme } from '../theme'
import { unknownRuns } from './hit'
import type { HbmScene } from './scene'
import { afterWords, beforeWords, capacityLines, LOST, oomWords, peakName, RESERVED, totalName } from './words'

/** x of a picture's column edge, CSS px of the panel. */
export const columnX = (scene: Pick<HbmScene, 'geometry' | 'picture' | 'pictureWindow'>): ((column: number) => number) => {
  const { geometry: g, picture, pictureWindow: w } = scene
  const width = picture?.width ?? 1
  return c => g.x(w.start + (c / width) * (w.end - w.start))
}

/** Paints the scene: box [0, geometry.width) x [scale.top, scale.top + scale.height + AXIS_MIRROR), CSS px. */
export function paintHbm(ctx: Context2D, theme: Theme, scene: HbmScene): void {
  const { geometry: g, scale: s, picture, options, info } = scene
  const t = theme.token
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, s.top, g.width, s.height)
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(0, s.top, g.gutter, s.height + AXIS_MIRROR)
  drawFurniture(ctx, theme, g, s.top, s.height, scene.steps)
  drawYAxis(ctx, theme, g, s)

  const cx = scene.cursor === null ? NaN : g.x(scene.cursor)
  const cursorShown = cx >= g.gutter - 0.5 && cx <= g.gutter + g.plot + 0.5
  // A peak of before the first event stands where the recording begins.
  const peakAt = info.peakTime ?? info.timeRange?.[0] ?? null
  const peak =
    options.peak && picture && peakAt !== null
      ? placePeak(ctx, theme, g, s, peakAt, info.peakBytes, cursorShown ? cx : null, peakName(info))
      : null

  /** What stands at the top of the plot already. */
  const taken: Taken[] = [...peakSpan(peak)]
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, s.top, g.plot, s.height)
  ctx.clip()
  if (picture) {
    const x = columnX(scene)
    if (scene.image) {
      ctx.imageSmoothingEnabled = false
      ctx.drawImage(scene.image, x(0), s.top, x(picture.width) - x(0), s.height)
    }
    const place = { x, y: s.y }
    drawOutline(ctx, place, s.y, picture.max, { color: t('--curve-active'), alpha: 0.55, top: s.top, rows: 1 })
    drawGaps(ctx, theme, scene)
    drawUnknown(ctx, theme, scene, x)
    const named = options.reserved ? drawReserved(ctx, theme, scene, x, peak) : null
    if (named) taken.push(named)
  }
  ctx.restore()

  if (options.capacity) taken.push(...drawCapacity(ctx, theme, scene, peak))
  drawOver(ctx, theme, g, s.top, s.height, scene.steps, scene.annotations ?? [], taken)
  drawNoteLines(ctx, theme, g, s.top, s.height, scene.notes ?? [])
  if (options.ooms) for (const o of info.ooms) drawOom(ctx, theme, g, s, o.time, oomWords(o.bytes))
  if (peak) drawPeak(ctx, theme, peak)
  if (scene.range) {
    const a = Math.max(g.gutter, g.x(scene.range.start))
    const b = Math.min(g.gutter + g.plot, g.x(scene.range.end))
    if (b > a) {
      ctx.fillStyle = t('--selection')
      ctx.fillRect(a, s.top, b - a, s.height)
      ctx.fillStyle = t('--selection-edge')
      ctx.fillRect(Math.round(a), s.top, 1, s.height)
      ctx.fillRect(Math.round(b) - 1, s.top, 1, s.height)
    }
  }
  ctx.fillStyle = t('--border-1')
  ctx.fillRect(g.gutter - 1, s.top, 1, s.height)

  const below = s.top + s.height
  drawAxis(ctx, theme, g, below, AXIS_MIRROR, { mirror: true, cursor: scene.flags && cursorShown ? scene.cursor : null })
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(0, below, g.gutter, AXIS_MIRROR)
  ctx.fillRect(g.gutter + g.plot, s.top, g.right, s.height + AXIS_MIRROR)
  if (scene.lifetime) drawLifetime(ctx, theme, g, below, scene.lifetime.from, scene.lifetime.to)
  if (cursorShown) {
    drawCursorLine(ctx, theme, cx, s.top, s.height)
    if (scene.value) {
      const words = scene.valueFlag ? `${memory(scene.value.bytes)} ${totalName(info)}` : ''
      drawCursorValue(ctx, theme, g, s, Math.round(g.x(scene.value.at)), scene.value.bytes, words)
    }
  }
  ctx.restore()
}

/** Columns of which nothing is known: hatched, with the reason where it is before or after the recording. */
function drawUnknown(ctx: Context2D, theme: Theme, scene: HbmScene, x: (c: number) => number): void {
  const { geometry: g, scale: s, picture, info } = scene
  if (!picture) return
  const [from, to] = info.timeRange ?? [NaN, NaN]
  for (const [a, b] of unknownRuns(picture.known)) {
    const left = Math.max(g.gutter, x(a))
    const right = Math.min(g.gutter + g.plot, x(b))
    const words = !info.timeRange
      ? 'nothing is known about this HBM'
      : x(b) <= g.x(from) + 2
        ? beforeWords(from)
        : x(a) >= g.x(to) - 2
          ? afterWords(to)
          : 'no data'
    noData(ctx, theme, left, s.top, right - left, s.height, words)
  }
}

/** Stretches whose events were lost: the totals stand, what was between them is not sure. */
function drawGaps(ctx: Context2D, theme: Theme, scene: HbmScene): void {
  const { geometry: g, scale: s, info } = scene
  const right = g.gutter + g.plot
  let drawn = -Infinity
  for (const gap of info.gaps) {
    // Before the first event nothing is known at all: that has a hatch of its own.
    const a = Math.max(g.gutter, g.x(Math.max(gap.start, info.timeRange?.[0] ?? gap.start)), drawn)
    const b = Math.min(right, Math.max(g.x(gap.end), g.x(gap.start) + 1))
    if (b <= a) continue
    drawn = b
    const w = b - a
    hatch(ctx, a, s.top, w, s.height, hatchStyle(theme, 'lost'))
    ctx.save()
    ctx.font = font(theme)
    const words = textWidth(ctx, gap.reason) + 22 <= w ? gap.reason : LOST
    const width = textWidth(ctx, words) + 14
    if (width <= w - 8) {
      ctx.fillStyle = theme.token('--surface-0')
      ctx.beginPath()
      ctx.roundRect(a + 6, s.top + s.height / 2 - 8, width, 16, 3)
      ctx.fill()
      ctx.fillStyle = theme.token('--warn')
      ctx.textAlign = 'left'
      ctx.textBaseline = 'middle'
      ctx.fillText(words, a + 13, s.top + s.height / 2 + 0.5)
    }
    ctx.restore()
  }
}

/** Dashed lines with their names; one that lies above the plot is named at its upper edge. Answers where the names stand. */
function drawCapacity(ctx: Context2D, theme: Theme, scene: HbmScene, peak: PeakPlace | null): readonly Taken[] {
  const told: Taken[] = []
  const { geometry: g, scale: s } = scene
  let above = 0
  for (const { bytes, label } of capacityLines(scene.info.capacity)) {
    const y = Math.round(s.y(bytes))
    const inside = y >= s.top
    ctx.save()
    ctx.strokeStyle = theme.token('--capacity')
    ctx.lineWidth = 1
    if (inside) {
      ctx.setLineDash([6, 4])
      ctx.beginPath()
      ctx.moveTo(g.gutter, y + 0.5)
      ctx.lineTo(g.gutter + g.plot, y + 0.5)
      ctx.stroke()
    }
    ctx.font = font(theme)
    const words = inside ? label : `${label}, above this range`
    const w = textWidth(ctx, words)
    const ty = inside ? (y - 8 < s.top + 6 ? y + 9 : y - 8) : s.top + 9 + 15 * above++
    const x = g.gutter + 8
    const hidden =
      peak !== null && Math.abs(ty - peak.top - 9) < 16 && x < peak.left + peak.width && x + w > Math.min(peak.left, peak.x - 6)
    const tx = hidden ? g.gutter + g.plot - w - 8 : x
    if (tx >= g.gutter) {
      ctx.textAlign = 'left'
      ctx.textBaseline = 'middle'
      ctx.lineJoin = 'round'
      ctx.lineWidth = 3
      ctx.setLineDash([])
      ctx.strokeStyle = theme.token('--surface-0')
      ctx.strokeText(words, tx, ty)
      ctx.fillStyle = theme.token('--capacity')
      ctx.fillText(words, tx, ty)
      told.push({ left: tx - 4, right: tx + w + 4, top: ty - 8, bottom: ty + 8 })
    }
    ctx.restore()
  }
  return told
}

/** PyTorch's reserved bytes as a stepped line with its name; broken where they are not known. Answers where the name stands. */
function drawReserved(ctx: Context2D, theme: Theme, scene: HbmScene, x: (c: number) => number, peak: PeakPlace | null): Taken | null {
  const { geometry: g, scale: s, picture } = scene
  if (!picture) return null
  const v = picture.reserved
  let told: Taken | null = null
  ctx.save()
  ctx.lineJoin = 'round'
  // A halo: the line crosses areas of every colour.
  for (const [color, width] of [
    [theme.token('--surface-0'), 3.25],
    [theme.token('--curve-reserved'), 1.25],
  ] as const) {
    ctx.strokeStyle = color
    ctx.lineWidth = width
    ctx.beginPath()
    let open = false
    for (let c = 0; c < v.length; c++) {
      if (Number.isNaN(v[c])) {
        open = false
        continue
      }
      const y = Math.round(s.y(v[c])) + 0.5
      if (open) ctx.lineTo(x(c), y)
      else ctx.moveTo(x(c), y)
      ctx.lineTo(x(c + 1), y)
      open = true
    }
    ctx.stroke()
  }
  ctx.font = font(theme)
  const w = textWidth(ctx, RESERVED) + 12
  const first = v.findIndex((b, c) => !Number.isNaN(b) && x(c) >= g.gutter)
  if (first >= 0 && x(first) + w < g.gutter + g.plot) {
    const y = s.y(v[first])
    const clash = peak !== null && Math.abs(y - 8 - peak.top - 9) < 16 && x(first) + w > Math.min(peak.x - 6, peak.left)
    const ty = clash || y - 16 < s.top ? y + 13 : y - 5
    ctx.textAlign = 'left'
    ctx.textBaseline = 'alphabetic'
    ctx.lineWidth = 3
    ctx.strokeStyle = theme.token('--surface-0')
    ctx.strokeText(RESERVED, x(first) + 6, ty)
    ctx.fillStyle = theme.token('--curve-reserved')
    ctx.fillText(RESERVED, x(first) + 6, ty)
    told = { left: x(first), right: x(first) + w, top: ty - 12, bottom: ty + 4 }
  }
  ctx.restore()
  return told
}
