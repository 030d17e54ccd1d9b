/**
 * Slices and counters as shapes instead of pixels, for pictures that are enlarged (SVG). What is wide enough to have corners is a shape of its own; narrower slices are what the
 * raster makes of them (neighbours of one colour are one rectangle), so that a picture stays as small as its width in columns and says the same as the one of pixels.
 */
import type { TrackInfo } from '../../shared/api'
import type { Geometry } from '../geometry'
import type { Context2D, Theme } from '../theme'
import { FLAG_SLICE, type CounterColumns, type SliceColumns } from './columns'
import { counterRange } from './counter'
import { BAR, LABEL_MIN, PAD, SLICE } from './metrics'
import { rasterCounter, rasterInstants, rasterLane, type Scale, type Wide } from './raster'
import { counterColors, paletteOf, pixel, STYLES } from './style'

/** What of a row has to be drawn. */
export interface BarJob {
  readonly track: TrackInfo
  readonly y: number
  readonly h: number
  readonly columns: SliceColumns | null
  readonly counter: CounterColumns | null
  readonly lanes: readonly number[]
  readonly preview: boolean
}

/** What is drawn over the bars, as `drawBars` has it. */
export interface OverBars {
  readonly labels: readonly { readonly wide: readonly Wide[]; readonly columns: SliceColumns; readonly y: number }[]
  readonly heads: readonly { readonly x: number; readonly y: number }[]
}

/** Draws the bars of the rows; `scale` is that of the raster. The context is clipped to the plot. */
export function drawVectorBars(ctx: Context2D, theme: Theme, jobs: readonly BarJob[], scale: Scale, g: Geometry): OverBars {
  const palette = paletteOf(theme)
  const quiet = new Uint32Array(STYLES).fill(pixel(theme.token('--slice-module')))
  const labels: { wide: Wide[]; columns: SliceColumns; y: number }[] = []
  const heads: { x: number; y: number }[] = []
  const { width, pixelRatio: ratio } = scale
  const row = new Uint32Array(width)
  const x = (px: number): number => g.gutter + px / ratio
  for (const job of jobs) {
    if (job.counter) {
      drawCounter(ctx, theme, job.track, job.counter, scale, g.gutter, job.y + 3, job.h - 5)
      continue
    }
    const c = job.columns
    if (!c) continue
    const named: Wide[] = []
    for (const lane of job.lanes) {
      row.fill(0)
      const wide: Wide[] = []
      // Rounded corners begin at 5 CSS px, as in the raster.
      rasterLane(row, 0, c, lane, scale, [], job.preview ? quiet : palette.pixel, Math.ceil(5 * ratio), wide)
      const y = job.preview ? job.y + 6 : job.y + PAD + lane * SLICE
      const h = job.preview ? 10 : BAR
      for (const w of job.preview ? [] : wide) {
        if (w.x1 - w.x0 >= LABEL_MIN * ratio) named.push(w)
        // An end that fades out or lies outside of the window is left to the raster.
        if (c.flags[w.index] !== FLAG_SLICE || w.x0 <= 0 || w.x1 >= width) continue
        ctx.fillStyle = palette.fill[c.style[w.index]]
        ctx.beginPath()
        ctx.roundRect(x(w.x0), y, (w.x1 - w.x0) / ratio, h, 2)
        ctx.fill()
        row.fill(0, w.x0, w.x1)
      }
      drawRuns(ctx, row, width, (a, b) => ctx.fillRect(x(a), y, (b - a) / ratio, h))
      if (job.preview || !c.sliceBefore) continue
      row.fill(0)
      const xs: number[] = []
      if (rasterInstants(row, 0, c, lane, scale, palette.instant, xs))
        drawRuns(ctx, row, width, (a, b) => ctx.fillRect(x(a), y, (b - a) / ratio, 3))
      for (const px of xs) heads.push({ x: x(px + 0.5), y })
    }
    if (named.length > 0) labels.push({ wide: named, columns: c, y: job.y })
  }
  return { labels, heads }
}

/** Runs of one colour in a row of pixels. */
function drawRuns(ctx: Context2D, row: Uint32Array, width: number, draw: (from: number, to: number) => void): void {
  for (let a = 0; a < width;) {
    const color = row[a]
    let b = a + 1
    while (b < width && row[b] === color) b++
    if (color >>> 24 > 0) {
      ctx.fillStyle = css(color)
      draw(a, b)
    }
    a = b
  }
}

const css = (v: number): string => `rgb(${v & 255} ${(v >>> 8) & 255} ${(v >>> 16) & 255} / ${(v >>> 24) / 255})`

/** The area, the band and the line of a counter, each as one staircase. */
function drawCounter(
  ctx: Context2D,
  theme: Theme,
  track: TrackInfo,
  counter: CounterColumns,
  scale: Scale,
  left: number,
  top: number,
  cssHeight: number,
): void {
  const { width, pixelRatio: ratio } = scale
  const height = Math.round(cssHeight * ratio)
  const out = new Uint32Array(width * height)
  const { line, area, band } = counterColors(theme, track.name)
  const [low, high] = counterRange(track)
  // Numbers instead of colours: the line is over the band, the band over the area.
  rasterCounter(out, 0, height, counter, scale, low, high, { area: 1, band: 2, line: 3 })
  for (const [least, color] of [
    [1, area],
    [2, band],
    [3, line],
  ] as const) {
    ctx.fillStyle = color
    ctx.beginPath()
    // What lies under the line is one stretch of each column: of the area to the bottom, of the band between its ends (the line may divide it), of the line itself.
    let from = -1
    const tops: number[] = []
    const ends: number[] = []
    const close = (): void => {
      if (from < 0) return
      const at = (i: number): number => left + (from + i) / ratio
      ctx.moveTo(at(0), top + ends[0] / ratio)
      for (let i = 0; i < tops.length; i++) {
        if (i > 0 && tops[i] === tops[i - 1]) continue
        if (i > 0) ctx.lineTo(at(i), top + tops[i - 1] / ratio)
        ctx.lineTo(at(i), top + tops[i] / ratio)
      }
      ctx.lineTo(at(tops.length), top + tops[tops.length - 1] / ratio)
      for (let i = tops.length - 1; i >= 0; i--) {
        if (i < tops.length - 1 && ends[i] === ends[i + 1]) continue
        if (i < tops.length - 1) ctx.lineTo(at(i + 1), top + ends[i + 1] / ratio)
        ctx.lineTo(at(i + 1), top + ends[i] / ratio)
      }
      ctx.closePath()
      from = -1
      tops.length = ends.length = 0
    }
    for (let x = 0; x < width; x++) {
      let a = -1
      let b = -1
      for (let y = 0; y < height; y++) {
        const v = out[y * width + x]
        if (least === 1 ? v >= 1 : v === least) {
          if (a < 0) a = y
          b = y + 1
        }
      }
      if (a < 0) close()
      else {
        if (from < 0) from = x
        tops.push(a)
        ends.push(b)
      }
    }
    close()
    ctx.fill()
  }
}
