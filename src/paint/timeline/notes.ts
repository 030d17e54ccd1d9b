/** The row of marks and notes below the axis: flags with their words, bars for ranges. Where things stand is worked out without a canvas, so that the pointer finds them. */
import type { Geometry } from '../geometry'
import { fit } from '../text'
import { CATEGORIES, font, rgba, type Context2D, type Theme } from '../theme'

/** A mark or a note on a range, ns relative to the group's origin. */
export interface NoteMark {
  readonly id: string
  readonly start: number
  /** null: a moment. */
  readonly end: number | null
  readonly name: string
  /** Index into the categorical colours. */
  readonly color: number
  readonly selected: boolean
}

/** Where a note stands in its row, CSS px. */
export interface PlacedFlag {
  readonly note: NoteMark
  /** x of its start and end (equal for a moment); they may lie outside of the plot. */
  readonly from: number
  readonly to: number
  /** The plate with the words. Where they have no room only the pole is drawn, and this is as narrow as what the pointer finds. */
  readonly left: number
  readonly right: number
}

/** Width in which a pole without words is found, CSS px. */
const PENNANT = 9
const LEAST_WORDS = 24
const MOST_WORDS = 220
/** Mean width of a letter in the font of the plates: places must not depend on a canvas. */
const LETTER = 6.4
/** How far (CSS px) the pointer may miss an end. */
const REACH = 4

/** The notes in sight by start. No plate covers another: one gives way to the next. */
export function placeNotes(g: Geometry, notes: readonly NoteMark[]): readonly PlacedFlag[] {
  const x1 = g.gutter + g.plot
  const seen = notes
    .map(note => ({ note, from: g.x(note.start), to: g.x(note.end ?? note.start) }))
    .filter(p => p.to >= g.gutter - 1 && p.from <= x1 + 1)
    .sort((a, b) => a.from - b.from)
  return seen.map((p, i) => {
    const left = Math.max(p.from, g.gutter)
    const next = seen[i + 1]
    const room = Math.min(x1, next ? Math.max(next.from, g.gutter) - 2 : x1) - left
    const wanted = Math.min(MOST_WORDS, p.note.name.length * LETTER + 12)
    const width = Math.min(wanted, room)
    return { ...p, left, right: left + (width >= LEAST_WORDS ? width : PENNANT) }
  })
}

/** What of a note lies at x; the ones to the right lie above. */
export function noteAt(
  g: Geometry,
  notes: readonly NoteMark[],
  x: number,
): { readonly note: NoteMark; readonly part: 'whole' | 'start' | 'end' } | null {
  const places = placeNotes(g, notes)
  for (const p of places) {
    if (p.note.end === null) continue
    if (Math.abs(x - p.to) <= REACH) return { note: p.note, part: 'end' }
    if (Math.abs(x - p.from) <= REACH) return { note: p.note, part: 'start' }
  }
  for (let i = places.length - 1; i >= 0; i--) {
    const p = places[i]
    if (x >= p.left - REACH && x <= p.right) return { note: p.note, part: 'whole' }
  }
  const bar = places.find(p => p.note.end !== null && x >= p.from && x <= p.to)
  return bar ? { note: bar.note, part: 'whole' } : null
}

export const noteTokens = (color: number): readonly [fill: string, ink: string] => {
  const n = (color % CATEGORIES) + 1
  return [`--cat-${n}`, `--cat-${n}-ink`]
}

/** Paints the row [y, y + h). */
export function drawNotes(ctx: Context2D, theme: Theme, g: Geometry, y: number, h: number, notes: readonly NoteMark[]): void {
  const t = theme.token
  ctx.save()
  ctx.fillStyle = t('--surface-0')
  ctx.fillRect(0, y, g.width, h)
  ctx.font = font(theme)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.fillStyle = t('--text-3')
  ctx.fillText('Marks', 12, y + h / 2 + 0.5)
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, h)
  ctx.clip()
  const places = placeNotes(g, notes)
  for (const p of places) {
    if (p.note.end === null) continue
    ctx.fillStyle = t(noteTokens(p.note.color)[0])
    ctx.globalAlpha = 0.35
    ctx.fillRect(p.from, y + 2, Math.max(1, p.to - p.from), h - 4)
    ctx.globalAlpha = 1
    ctx.fillRect(Math.round(p.from), y + 2, 1, h - 4)
    ctx.fillRect(Math.round(p.to) - 1, y + 2, 1, h - 4)
  }
  for (const p of places) {
    const [fill, ink] = noteTokens(p.note.color)
    const top = y + 2
    const height = h - 5
    ctx.fillStyle = t(fill)
    ctx.font = font(theme, 11, p.note.selected ? 600 : 500)
    const words = p.right - p.left < LEAST_WORDS ? '' : fit(ctx, p.note.name, p.right - p.left - 8)
    if (words === '' || words === '…') {
      if (p.from >= g.gutter) ctx.fillRect(Math.round(p.from) - 1, top, p.note.selected ? 4 : 3, h - 2)
      continue
    }
    ctx.beginPath()
    ctx.roundRect(p.left, top, p.right - p.left, height, [0, 3, 3, 0])
    ctx.fill()
    if (p.note.selected) {
      ctx.strokeStyle = t('--text-1')
      ctx.lineWidth = 1.5
      ctx.stroke()
    }
    if (p.from >= g.gutter) ctx.fillRect(Math.round(p.from), top, 1, h - 2)
    ctx.fillStyle = t(ink)
    ctx.fillText(words, p.left + 5, top + height / 2 + 0.5)
  }
  ctx.restore()
  ctx.fillStyle = t('--border-2')
  ctx.fillRect(0, y + h - 1, g.width, 1)
}

/** Lines of the marks and faint bands of the ranges over a plotted area, the same in every panel. */
export function drawNoteLines(ctx: Context2D, theme: Theme, g: Geometry, y: number, h: number, notes: readonly NoteMark[]): void {
  ctx.save()
  ctx.beginPath()
  ctx.rect(g.gutter, y, g.plot, h)
  ctx.clip()
  for (const n of notes) {
    const a = g.x(n.start)
    const b = g.x(n.end ?? n.start)
    if (b < g.gutter - 1 || a > g.gutter + g.plot + 1) continue
    const color = theme.token(noteTokens(n.color)[0])
    if (n.end !== null) {
      const [r, gr, bl] = rgba(color)
      ctx.fillStyle = `rgb(${r} ${gr} ${bl} / ${n.selected ? 0.14 : 0.07})`
      ctx.fillRect(a, y, b - a, h)
    }
    for (const x of n.end === null ? [a] : [a, b]) {
      const at = Math.round(x)
      if (n.end === null || n.selected) {
        ctx.fillStyle = theme.token('--cursor-halo')
        ctx.fillRect(at - 1, y, 3, h)
      }
      ctx.fillStyle = color
      for (let d = y; d < y + h; d += n.selected ? h : 6) ctx.fillRect(at, d, 1, Math.min(n.selected ? h : 4, y + h - d))
    }
  }
  ctx.restore()
}
