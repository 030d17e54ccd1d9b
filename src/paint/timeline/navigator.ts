/** "Session": how busy the threads were and how much memory was active, over all of the time group, with the visible window on it. */
import { duration } from '../../shared/format'
import type { OverviewAnswer } from '../../shared/api'
import type { Geometry } from '../geometry'
import { font, mix, type Context2D, type Theme } from '../theme'

export interface NavigatorScene {
  readonly geometry: Geometry
  /** Extent of the group, ns. */
  readonly extent: { readonly start: number; readonly end: number }
  readonly overview: OverviewAnswer | null
  readonly height: number
}

const LEVELS = 5

/** Left and right edge of the window in the navigator, CSS px. */
export function viewport(s: Pick<NavigatorScene, 'geometry' | 'extent'>): readonly [number, number] {
  const { geometry: g, extent } = s
  const span = extent.end - extent.start || 1
  const x = (t: number): number => g.gutter + Math.min(1, Math.max(0, (t - extent.start) / span)) * g.plot
  return [x(g.start), x(g.end)]
}

/** Paints the navigator at the top of the context. */
export function drawNavigator(ctx: Context2D, theme: Theme, s: NavigatorScene): void {
  const { geometry: g, height: h, overview } = s
  const t = theme.token
  const x1 = g.gutter + g.plot
  ctx.save()
  ctx.fillStyle = t('--surface-1')
  ctx.fillRect(0, 0, g.width, h)
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(g.gutter, 0, g.width - g.gutter, h)
  ctx.font = font(theme)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.fillStyle = t('--text-3')
  ctx.fillText('Session', 12, h / 2 + 0.5)
  ctx.textAlign = 'right'
  ctx.fillText(duration(s.extent.end - s.extent.start), g.gutter - 10, h / 2 + 0.5)
  if (overview) {
    drawBusy(ctx, theme, g, overview.busy, h)
    if (overview.active.length > 0) drawActive(ctx, theme, g, overview, h)
  } else {
    ctx.textAlign = 'left'
    ctx.fillText('Reading…', g.gutter + 8, h / 2 + 0.5)
  }
  const [a, b] = viewport(s)
  ctx.globalAlpha = 0.62
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(g.gutter, 0, a - g.gutter, h)
  ctx.fillRect(b, 0, x1 - b, h)
  ctx.globalAlpha = 1
  ctx.fillStyle = t('--selection')
  ctx.fillRect(a, 0, Math.max(1, b - a), h)
  ctx.fillStyle = t('--selection-edge')
  for (const e of [a, b]) {
    ctx.fillRect(Math.round(e), 0, 1, h)
    ctx.beginPath()
    ctx.roundRect(Math.round(e) - 2, h / 2 - 6, 5, 12, 2)
    ctx.fill()
  }
  ctx.fillStyle = t('--border-2')
  ctx.fillRect(0, h - 1, g.width, 1)
  ctx.restore()
}

/** Bars whose strength is the share of time that is covered. Columns of one strength are drawn together. */
function drawBusy(ctx: Context2D, theme: Theme, g: Geometry, busy: Float32Array, h: number): void {
  const full = theme.token('--slice-step')
  const ground = theme.token('--surface-0')
  const shades = Array.from({ length: LEVELS + 1 }, (_, l) => mix(full, ground, 0.3 + (0.7 * l) / LEVELS))
  const level = (i: number): number => (busy[i] > 0 ? Math.max(1, Math.round(busy[i] * LEVELS)) : 0)
  const x = (i: number): number => g.gutter + (i / busy.length) * g.plot
  for (let i = 0; i < busy.length;) {
    const l = level(i)
    let j = i + 1
    while (j < busy.length && level(j) === l) j++
    if (l > 0) {
      ctx.fillStyle = shades[l]
      const a = Math.floor(x(i))
      ctx.fillRect(a, h - 11, Math.max(1, Math.floor(x(j)) - a), 6)
    }
    i = j
  }
}

function drawActive(ctx: Context2D, theme: Theme, g: Geometry, overview: OverviewAnswer, h: number): void {
  const { active, activeMax } = overview
  if (!(activeMax > 0)) return
  const base = h - 13
  ctx.strokeStyle = theme.token('--text-3')
  ctx.lineWidth = 1
  ctx.lineJoin = 'round'
  ctx.beginPath()
  let pen = false
  for (let i = 0; i < active.length; i++) {
    if (!Number.isFinite(active[i])) {
      pen = false
      continue
    }
    const x = g.gutter + ((i + 0.5) / active.length) * g.plot
    const y = base - (active[i] / activeMax) * (base - 5)
    if (pen) ctx.lineTo(x, y)
    else ctx.moveTo(x, y)
    pen = true
  }
  ctx.stroke()
}
