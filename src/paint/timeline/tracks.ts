/** The rows in sight: group headers, slice tracks, counter lanes, rows of words. The static layer; what follows the pointer is in overlay.ts. */
import { drawFurniture } from '../axis'
import { dots, hatch, hatchStyle, noData } from '../hatch'
import { fitName, measure } from '../text'
import { font, type Context2D, type Theme } from '../theme'
import { timeMs } from '../../shared/format'
import { columnNs, type Fetched, type SliceColumns } from './columns'
import { drawMatches } from './highlight'
import { BAR, LABEL_MIN, PAD, SLICE } from './metrics'
import { cornerInsets, rasterCounter, rasterInstants, rasterLane, type Scale, type Wide } from './raster'
import { inSight, topOf, type GroupRow, type NoteRow, type Row, type TrackRow } from './rows'
import { scratch } from './scratch'
import { counterColors, paletteOf, pixel, STYLES } from './style'
import { drawChevron, drawGroupText, drawNote, drawTrackLabel } from './gutter'
import { counterRange } from './counter'
import type { TraceScene } from './scene'
import { drawVectorBars, type BarJob } from './vector'
import type { Geometry } from '../geometry'

/** A lane's place in the atlas. */
interface Placed {
  readonly atlas: number
  /** Top of the bar in CSS px. */
  readonly y: number
  readonly instants: number
}

/** Paints the rows between `top` and the bottom of the scene: those that scroll, and over them the pinned ones that stay. */
export function drawTracks(ctx: Context2D, theme: Theme, scene: TraceScene, g: Geometry, top: number): void {
  if (scene.height <= top) return
  const { sticky, fixed, moving } = inSight(scene.rows, scene.scroll, scene.height - top)
  const place = (r: Row): number => top + topOf(r, sticky, scene.scroll)
  drawRows(ctx, theme, scene, g, moving, place, top + sticky, scene.height)
  if (fixed.length === 0) return
  drawRows(ctx, theme, scene, g, fixed, place, top, top + sticky)
  ctx.fillStyle = theme.token('--border-3')
  ctx.fillRect(0, top + sticky - 1, scene.width, 1)
}

/** Paints rows that stand between `top` and `end`; nothing outside is touched. */
function drawRows(
  ctx: Context2D,
  theme: Theme,
  scene: TraceScene,
  g: Geometry,
  rows: readonly Row[],
  place: (r: Row) => number,
  top: number,
  end: number,
): void {
  const t = theme.token
  const height = end - top
  if (height <= 0) return
  const bottom = Math.min(end, rows.length > 0 ? place(rows[rows.length - 1]) + rows[rows.length - 1].h : top)
  ctx.save()
  ctx.beginPath()
  ctx.rect(0, top, scene.width, height)
  ctx.clip()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(g.gutter, top, g.plot, height)
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(0, top, g.gutter, height)
  ctx.fillRect(g.gutter + g.plot, top, g.right, height)
  drawFurniture(ctx, theme, g, top, bottom - top, scene.bands === false ? [] : scene.steps, scene.annotations)
  for (const r of rows) {
    if (r.type !== 'group') continue
    ctx.fillStyle = t('--track-group-bg')
    ctx.fillRect(0, place(r), scene.width, r.h)
  }
  drawBars(ctx, theme, scene, g, rows, place, top, end)
  drawMatches(ctx, theme, scene, g, rows, place, top, end)
  for (const r of rows) {
    const y = place(r)
    if (r.type === 'group') drawGroup(ctx, theme, g, r, y)
    else if (r.type === 'track') drawTrackFrame(ctx, theme, scene, g, r, y)
    else drawNoteRow(ctx, theme, g, r, y)
    ctx.fillStyle = t('--track-sep')
    ctx.fillRect(0, y + r.h - 1, scene.width, 1)
    if (r.type !== 'group') {
      ctx.fillStyle = t('--border-1')
      ctx.fillRect(g.gutter - 1, y, 1, r.h - 1)
    }
  }
  if (bottom < end) {
    ctx.fillStyle = t('--border-1')
    ctx.fillRect(g.gutter - 1, bottom, 1, end - bottom)
  }
  ctx.restore()
}

/** Slices and counters: everything goes through one atlas, then the names of the wide slices over it. */
function drawBars(
  ctx: Context2D,
  theme: Theme,
  scene: TraceScene,
  g: Geometry,
  rows: readonly Row[],
  place: (r: Row) => number,
  top: number,
  end: number,
): void {
  const ratio = scene.pixelRatio
  const width = Math.round(g.plot * ratio)
  const scale: Scale = { start: g.start, perNs: width / (g.end - g.start), width, pixelRatio: ratio }
  const insets = cornerInsets(ratio)
  const perLane = insets.length + 1
  const jobs = rows.flatMap(r => barJobs(r, scene, place(r), top, end))
  let need = 0
  for (const j of jobs) need += j.counter ? Math.round((j.h - 5) * ratio) : j.lanes.length * (perLane + (j.columns?.sliceBefore ? 1 : 0))
  if (need === 0) return
  if (scene.vector) {
    ctx.save()
    ctx.beginPath()
    ctx.rect(g.gutter, top, g.plot, end - top)
    ctx.clip()
    const over = drawVectorBars(ctx, theme, jobs, scale, g)
    drawLabels(ctx, theme, g, over.labels, ratio)
    drawHeads(ctx, theme, over.heads)
    ctx.restore()
    return
  }
  const atlas = scratch(width, need, scene.canvas)
  const palette = paletteOf(theme)
  const quiet = new Uint32Array(STYLES).fill(pixel(theme.token('--slice-module')))
  const heads: { readonly x: number; readonly y: number }[] = []
  const labels: { readonly wide: readonly Wide[]; readonly columns: SliceColumns; readonly y: number }[] = []
  const draws: (() => void)[] = []
  const strip = (row: number, rows: number, y: number, h: number): void => ctx.drawImage(atlas.canvas, 0, row, width, rows, 0, y, width, h)
  const dev = (css: number): number => Math.round(css * ratio)
  let at = 0
  for (const job of jobs) {
    if (job.counter) {
      const h = Math.round((job.h - 5) * ratio)
      const { line, area, band } = counterColors(theme, job.track.name)
      const [low, high] = counterRange(job.track)
      rasterCounter(atlas.pixels, at, h, job.counter, scale, low, high, { line: pixel(line), area: pixel(area), band: pixel(band) })
      const row = at
      draws.push(() => strip(row, h, dev(job.y + 3), h))
      at += h
      continue
    }
    const c = job.columns
    if (!c) continue
    const wide: Wide[] = []
    for (const lane of job.lanes) {
      if (job.preview) {
        rasterLane(atlas.pixels, at, c, lane, scale, insets, quiet, Infinity, [])
        const row = at + insets.length
        draws.push(() => strip(row, 1, dev(job.y + 6), dev(job.y + 16) - dev(job.y + 6)))
        at += perLane
        continue
      }
      const placed: Placed = { atlas: at, y: job.y + PAD + lane * SLICE, instants: c.sliceBefore ? at + perLane : -1 }
      rasterLane(atlas.pixels, at, c, lane, scale, insets, palette.pixel, LABEL_MIN * ratio, wide)
      at += perLane
      const y0 = dev(placed.y)
      const y1 = y0 + dev(BAR)
      const n = insets.length
      draws.push(() => {
        if (n > 0) strip(placed.atlas, n, y0, n)
        strip(placed.atlas + n, 1, y0 + n, y1 - y0 - 2 * n)
        for (let k = 0; k < n; k++) strip(placed.atlas + k, 1, y1 - 1 - k, 1)
      })
      if (placed.instants >= 0) {
        const xs: number[] = []
        if (rasterInstants(atlas.pixels, placed.instants, c, lane, scale, palette.instant, xs))
          draws.push(() => strip(placed.instants, 1, y0, dev(3)))
        for (const x of xs) heads.push({ x: g.gutter + (x + 0.5) / ratio, y: placed.y })
        at += 1
      }
    }
    if (wide.length > 0) labels.push({ wide, columns: c, y: job.y })
  }
  atlas.flush(at)
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, top, g.plot, end - top)
  ctx.clip()
  ctx.save()
  ctx.imageSmoothingEnabled = false
  ctx.translate(g.gutter, 0)
  ctx.scale(1 / ratio, 1 / ratio)
  for (const d of draws) d()
  ctx.restore()
  drawLabels(ctx, theme, g, labels, ratio)
  drawHeads(ctx, theme, heads)
  ctx.restore()
}

/** What of a row has to be drawn: only the lanes in sight of a deep track. */
function barJobs(r: Row, scene: TraceScene, y: number, top: number, end: number): readonly BarJob[] {
  if (r.type === 'group') {
    const columns = r.preview ? scene.slices.get(r.preview.id) : undefined
    if (!r.preview || !columns || columns.count === 0) return []
    return [{ track: r.preview, y, h: r.h, columns, counter: null, lanes: [0], preview: true }]
  }
  if (r.type !== 'track') return []
  if (r.track.kind === 'counter') {
    const counter = scene.counters.get(r.track.id)
    return counter ? [{ track: r.track, y, h: r.h, columns: null, counter, lanes: [], preview: false }] : []
  }
  const columns = scene.slices.get(r.track.id)
  if (!columns) return []
  const count = columns.laneStart.length - 1
  const first = Math.max(0, Math.floor((top - y - PAD) / SLICE))
  const last = Math.min(count, Math.ceil((end - y - PAD) / SLICE))
  return [
    {
      track: r.track,
      y,
      h: r.h,
      columns,
      counter: null,
      lanes: Array.from({ length: Math.max(0, last - first) }, (_, i) => first + i),
      preview: false,
    },
  ]
}

function drawLabels(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  labels: readonly { readonly wide: readonly Wide[]; readonly columns: SliceColumns; readonly y: number }[],
  ratio: number,
): void {
  const palette = paletteOf(theme)
  ctx.font = font(theme)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  const widthOf = measure(ctx)
  let ink = ''
  for (const { wide, columns, y } of labels) {
    for (const w of wide) {
      const left = g.gutter + w.x0 / ratio + 4
      const room = g.gutter + w.x1 / ratio - left - 3
      const text = fitName(ctx, columns.names[columns.name[w.index]] ?? '', room, widthOf)
      if (!text) continue
      const wanted = palette.ink[columns.style[w.index]]
      if (wanted !== ink) ctx.fillStyle = ink = wanted
      ctx.fillText(text, left, y + PAD + w.lane * SLICE + 7.5)
    }
  }
}

/** Heads of instants that stand apart: a triangle that hangs from the top of the level, with a halo that keeps it visible on any fill. */
function drawHeads(ctx: Context2D, theme: Theme, heads: readonly { readonly x: number; readonly y: number }[]): void {
  if (heads.length === 0) return
  const path = (grow: number): void => {
    ctx.beginPath()
    for (const { x, y } of heads) {
      ctx.moveTo(x - 3.5 - grow, y - grow)
      ctx.lineTo(x + 3.5 + grow, y - grow)
      ctx.lineTo(x, y + 6 + grow * 1.6)
      ctx.closePath()
    }
  }
  ctx.fillStyle = theme.token('--pin-halo')
  path(1)
  ctx.fill()
  ctx.fillStyle = theme.token('--text-1')
  path(0)
  ctx.fill()
  for (const { x, y } of heads) ctx.fillRect(Math.floor(x), y, 1, BAR)
}

function drawGroup(ctx: Context2D, theme: Theme, g: Geometry, r: GroupRow, y: number): void {
  drawChevron(ctx, theme, 10 + r.level * 12, y + r.h / 2, r.open)
  drawGroupText(ctx, theme, g, r, y)
}

/** Label of a track, and over its plot what is not known: not read yet, or beyond the end of a truncated file. */
function drawTrackFrame(ctx: Context2D, theme: Theme, scene: TraceScene, g: Geometry, r: TrackRow, y: number): void {
  drawTrackLabel(ctx, theme, g, r, y)
  const data: Fetched | undefined = r.track.kind === 'counter' ? scene.counters.get(r.track.id) : scene.slices.get(r.track.id)
  const x1 = g.gutter + g.plot
  if (scene.sayPending) {
    const a = data ? g.x(data.start) : x1
    const b = data ? g.x(data.end) : x1
    const color = theme.token('--hatch-future-dot')
    const from = g.x(Math.max(g.start, scene.extent.start))
    const to = g.x(Math.min(g.end, scene.extent.end))
    const slack = data ? columnNs(data) * (g.plot / (g.end - g.start)) + 1 : 0
    if (a > from + slack) dots(ctx, from, y, Math.min(a, to) - from, r.h - 1, color, 4)
    if (b < to - slack) dots(ctx, Math.max(b, from), y, to - Math.max(b, from), r.h - 1, color, 4)
    if (!data) {
      ctx.font = font(theme)
      ctx.fillStyle = theme.token('--text-3')
      ctx.textAlign = 'left'
      ctx.textBaseline = 'middle'
      ctx.fillText('Reading…', g.gutter + 13, y + r.h / 2 + 0.5)
    }
  }
  if (r.knownFrom !== null && g.x(r.knownFrom) > g.gutter) {
    const to = Math.min(x1, g.x(r.knownFrom))
    noData(ctx, theme, g.gutter, y + 1, to - g.gutter, r.h - 3, `events before ${timeMs(r.knownFrom, 1)} are lost`, 'lost')
  }
  if (r.knownUntil !== null && g.x(r.knownUntil) < x1) {
    const x = Math.max(g.gutter, g.x(r.knownUntil))
    noData(ctx, theme, x, y + 1, x1 - x, r.h - 3, `no data after ${timeMs(r.knownUntil, 1)}`, 'lost')
  }
}

function drawNoteRow(ctx: Context2D, theme: Theme, g: Geometry, r: NoteRow, y: number): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, r.h)
  ctx.clip()
  hatch(ctx, g.gutter, y, g.plot, r.h - 1, hatchStyle(theme, r.tone === 'warn' ? 'lost' : 'nodata'))
  ctx.restore()
  drawNote(ctx, theme, g, r, y)
}
