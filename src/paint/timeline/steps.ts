/** The row of training steps below the axis. */
import { duration } from '../../shared/format'
import { bandsBetween } from '../bands'
import type { Geometry } from '../geometry'
import { fitName, textWidth } from '../text'
import { font, type Context2D, type Theme } from '../theme'

export interface Step {
  readonly name: string
  readonly start: number
  readonly duration: number
}

/** Paints the steps in view; the one under the cursor is lit. Durations are shown for all steps in view or for none. */
export function drawSteps(
  ctx: Context2D,
  theme: Theme,
  g: Geometry,
  y: number,
  h: number,
  steps: readonly Step[],
  cursor: number | null,
): void {
  const t = theme.token
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, y, g.width, h)
  ctx.font = font(theme)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.fillStyle = t('--text-3')
  ctx.fillText('Steps', 12, y + h / 2 + 0.5)
  const seen = bandsBetween(steps, g.start, g.end)
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, h)
  ctx.clip()
  const label = (s: Step): string => duration(s.duration)
  ctx.font = font(theme, 11, 600)
  const whole = seen.filter(i => steps[i].start >= g.start && steps[i].start + steps[i].duration <= g.end)
  const roomy =
    whole.length < 40 &&
    whole.every(
      i =>
        g.x(steps[i].start + steps[i].duration) - g.x(steps[i].start) >
        textWidth(ctx, steps[i].name) + 34 + textWidth(ctx, label(steps[i])),
    )
  let drawn = -Infinity
  for (const i of seen) {
    const s = steps[i]
    const a = Math.round(g.x(s.start))
    const b = Math.round(g.x(s.start + s.duration)) - 1
    const lit = cursor !== null && cursor >= s.start && cursor < s.start + s.duration
    if (b <= drawn && !lit) continue // many steps within one pixel look like one
    drawn = Math.max(b, a + 1)
    ctx.fillStyle = t(lit ? '--accent-soft' : '--slice-module')
    if (b - a < 6) ctx.fillRect(a, y + 2, Math.max(1, b - a), h - 4)
    else {
      const l = Math.max(a + 1, g.gutter - 4)
      ctx.beginPath()
      ctx.roundRect(l, y + 2, Math.min(b, g.gutter + g.plot + 4) - l, h - 4, 2)
      ctx.fill()
    }
    const left = Math.max(a, g.gutter) + 7
    const right = Math.min(b, g.gutter + g.plot) - 4
    if (right - left < 14) continue
    ctx.font = font(theme, 11, lit ? 600 : 500)
    ctx.fillStyle = t(lit ? '--accent' : '--text-2')
    const name = fitName(ctx, s.name, right - left)
    ctx.fillText(name, left, y + h / 2 + 0.5)
    if (!roomy) continue
    const w = textWidth(ctx, name)
    ctx.font = font(theme)
    if (left + w + 10 + textWidth(ctx, label(s)) > right) continue
    ctx.fillStyle = t('--text-3')
    ctx.fillText(label(s), left + w + 10, y + h / 2 + 0.5)
  }
  ctx.restore()
  ctx.fillStyle = t('--border-2')
  ctx.fillRect(0, y + h - 1, g.width, 1)
}
