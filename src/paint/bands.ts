/**
 * Training steps and annotations behind and over every plot on the time axis: every second step is a faint band, steps begin with an edge, annotations with a dotted one, and
 * both have their names at the top. In the System Trace the names of the steps stand in their own row.
 */
import type { Geometry } from './geometry'
import { fitName, textWidth } from './text'
import { font, type Context2D, type Theme } from './theme'

/** ns relative to the group's origin. */
export interface Band {
  readonly name?: string
  readonly start: number
  readonly duration: number
}

/** Height of a row of names, CSS px. */
const ROW = 15
/** A band narrower than this carries no name. */
const LEAST = 26
/** A plot lower than this has no room for names. */
const LOW = 90

/** Indices of the bands that touch [start, end], in order. Steps are few (one per training step) but may be thousands. */
export function bandsBetween(bands: readonly Band[], start: number, end: number): readonly number[] {
  const out: number[] = []
  for (let i = 0; i < bands.length; i++) if (bands[i].start <= end && bands[i].start + bands[i].duration >= start) out.push(i)
  return out
}

const dense = (g: Geometry, visible: readonly number[]): boolean => visible.length > g.plot / 6

/** What lies behind a plot: a band for every second step. */
export function drawBands(ctx: Context2D, theme: Theme, g: Geometry, y: number, h: number, steps: readonly Band[]): void {
  const visible = bandsBetween(steps, g.start, g.end)
  if (dense(g, visible)) return
  ctx.fillStyle = theme.token('--step-band')
  for (const i of visible) {
    if (i % 2 === 0) continue
    const a = g.x(steps[i].start)
    ctx.fillRect(a, y, g.x(steps[i].start + steps[i].duration) - a, h)
  }
}

/** Edges where steps and annotations begin; those of annotations are dotted. */
export function drawEdges(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  y: number,
  h: number,
  steps: readonly Band[],
  annotations: readonly Band[] = [],
): void {
  ctx.fillStyle = theme.token('--step-edge')
  const seen = bandsBetween(steps, g.start, g.end)
  const at = new Set<number>()
  if (!dense(g, seen))
    for (const i of seen) {
      const x = Math.round(g.x(steps[i].start))
      at.add(x)
      ctx.fillRect(x, y, 1, h)
    }
  const parts = bandsBetween(annotations, g.start, g.end)
  if (dense(g, parts)) return
  for (const i of parts) {
    const x = Math.round(g.x(annotations[i].start))
    if (at.has(x)) continue
    for (let d = y; d < y + h; d += 4) ctx.fillRect(x, d, 1, Math.min(1, y + h - d))
  }
}

/** A stretch of a row that is taken by something else, CSS px. */
export interface Taken {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

/** Where names go: bands that are wide enough, each inside of its own, none under `taken`. Pure, so that it can be tested. */
export function placeNames(
  g: Geometry,
  y: number,
  bands: readonly Band[],
  widthOf: (name: string) => number,
  taken: readonly Taken[] = [],
): readonly { readonly index: number; readonly left: number; readonly room: number }[] {
  const out: { readonly index: number; readonly left: number; readonly room: number }[] = []
  for (const i of bandsBetween(bands, g.start, g.end)) {
    const left = Math.max(g.x(bands[i].start), g.gutter) + 4
    const right = Math.min(g.x(bands[i].start + bands[i].duration), g.gutter + g.plot) - 4
    if (right - left < LEAST - 8) continue
    const used = Math.min(right, left + widthOf(bands[i].name ?? ''))
    if (taken.some(t => t.left < used && t.right > left && t.top < y + ROW && t.bottom > y)) continue
    out.push({ index: i, left, room: right - left })
  }
  return out
}

/** Edges and names over a chart whose areas would hide what lies behind them. */
export function drawOver(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  y: number,
  h: number,
  steps: readonly Band[],
  annotations: readonly Band[],
  taken: readonly Taken[] = [],
): void {
  if (steps.length === 0 && annotations.length === 0) return
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, h)
  ctx.clip()
  drawEdges(ctx, theme, g, y, h, steps, annotations)
  if (h >= LOW) {
    let top = y + 1
    for (const [bands, weight, ink] of [
      [steps, 500, '--text-2'],
      [annotations, 400, '--text-3'],
    ] as const) {
      if (bands.length === 0) continue
      ctx.font = font(theme, 11, weight)
      ctx.textAlign = 'left'
      ctx.textBaseline = 'middle'
      ctx.lineJoin = 'round'
      ctx.lineWidth = 3
      ctx.strokeStyle = theme.token('--surface-0')
      for (const p of placeNames(g, top, bands, name => textWidth(ctx, name), taken)) {
        const name = fitName(ctx, bands[p.index].name ?? '', p.room)
        if (!name) continue
        // A halo instead of a plate: what lies below stays visible.
        ctx.strokeText(name, p.left, top + ROW / 2 + 0.5)
        ctx.fillStyle = theme.token(ink)
        ctx.fillText(name, p.left, top + ROW / 2 + 0.5)
      }
      top += ROW
    }
  }
  ctx.restore()
}
