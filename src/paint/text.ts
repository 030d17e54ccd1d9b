/** Text on canvases: shortening to a width with as few measurements as possible, and the plates (flags) that carry figures. */
import type { Context2D, Theme } from './theme'
import { font } from './theme'

const ELLIPSIS = '…'
const LIMIT = 20_000

const byFont = new Map<string, Map<string, number>>()

/** Widths of texts in the context's current font, remembered per font. Take one measure for a loop: asking a context for its font is slow. */
export function measure(ctx: Context2D): (text: string) => number {
  const key = ctx.font
  let widths = byFont.get(key)
  if (!widths) byFont.set(key, (widths = new Map()))
  const known = widths
  return text => {
    let w = known.get(text)
    if (w === undefined) {
      w = ctx.measureText(text).width
      if (known.size >= LIMIT) known.clear()
      known.set(text, w)
    }
    return w
  }
}

export const textWidth = (ctx: Context2D, text: string): number => measure(ctx)(text)

/** Widths are measured anew: to be called once a web font has arrived, as text measured before it has the fallback's widths. */
export function forgetTextWidths(): void {
  byFont.clear()
}

/**
 * `text` shortened with an ellipsis to at most `width` CSS px in the current font; '' where not even three letters fit.
 * The first guess comes from the mean letter width, so that a label costs two or three measurements once and none afterwards.
 */
export function fit(ctx: Context2D, text: string, width: number, widthOf = measure(ctx)): string {
  const full = widthOf(text)
  if (full <= width) return text
  let n = Math.min(text.length - 1, Math.floor((width / full) * text.length))
  while (n >= 3 && widthOf(text.slice(0, n) + ELLIPSIS) > width) n--
  return n >= 3 ? text.slice(0, n) + ELLIPSIS : ''
}

/**
 * The part of a name that tells most in little room: `linear` of `aten::linear`, `Block_0` of `nn.Module: Block_0`, `#5` of `ProfilerStep#5`.
 * Names with template arguments are left whole.
 */
export function shortName(name: string): string {
  if (name.includes('<')) return name
  const step = /^ProfilerStep(#\d+)$/.exec(name)
  if (step) return step[1]
  const at = name.lastIndexOf(': ')
  const rest = at >= 0 ? name.slice(at + 2) : name
  const scope = rest.includes('(') ? -1 : rest.lastIndexOf('::')
  return (scope >= 0 ? rest.slice(scope + 2) : rest) || name
}

/** Whether the end of a name tells as much as its begin: a path of modules or files, as compiled kernels and generated code have it. */
const PATH = /^[^\s]*[./][^\s./]+[./][^\s]*$/

/** `fit` for names of slices: whole, else without what stands before the telling part, else shortened; dotted paths in the middle, so that their end stays. */
export function fitName(ctx: Context2D, name: string, width: number, widthOf = measure(ctx)): string {
  if (widthOf(name) <= width) return name
  const short = shortName(name)
  return PATH.test(short) ? fitMiddle(ctx, short, width, widthOf) : fit(ctx, short, width, widthOf)
}

/** Like `fit`, but shortens in the middle: the end of a path or of a kernel's name often tells more than its middle. */
export function fitMiddle(ctx: Context2D, text: string, width: number, widthOf = measure(ctx)): string {
  const full = widthOf(text)
  if (full <= width) return text
  let n = Math.min(text.length - 1, Math.floor((width / full) * text.length))
  const cut = (k: number): string => text.slice(0, Math.ceil(k / 2)) + ELLIPSIS + text.slice(text.length - Math.floor(k / 2))
  while (n >= 4 && widthOf(cut(n)) > width) n--
  return n >= 4 ? cut(n) : ''
}

/** Height of a flag, CSS px. */
export const FLAG = 16

/**
 * A flag: text on a plate. `cursor` is the solid plate of the cursor's time, `soft` the quiet one for values beside the cursor.
 * `x` is the middle (`center`) or the left edge (`left`); the plate is kept inside [min, max]. Returns its left and right edge.
 */
export function flag(
  ctx: Context2D,
  theme: Theme,
  text: string,
  x: number,
  y: number,
  options: {
    readonly kind?: 'cursor' | 'soft' | 'selection'
    readonly align?: 'center' | 'left' | 'right'
    readonly min?: number
    readonly max?: number
  } = {},
): readonly [number, number] {
  const { kind = 'cursor', align = 'center', min = -Infinity, max = Infinity } = options
  ctx.save()
  ctx.font = font(theme, 11, kind === 'soft' ? 400 : 500)
  const w = Math.ceil(textWidth(ctx, text)) + 10
  const wanted = align === 'center' ? x - w / 2 : align === 'left' ? x : x - w
  const left = Math.round(Math.max(min, Math.min(wanted, max - w)))
  const fill = { cursor: '--cursor', soft: '--surface-3', selection: '--selection-edge' }[kind]
  const ink = { cursor: '--cursor-ink', soft: '--text-1', selection: '--selection-ink' }[kind]
  if (kind === 'soft') {
    ctx.fillStyle = theme.token('--border-3')
    ctx.beginPath()
    ctx.roundRect(left - 1, y - 1, w + 2, FLAG + 2, 4)
    ctx.fill()
  }
  ctx.fillStyle = theme.token(fill)
  ctx.beginPath()
  ctx.roundRect(left, y, w, FLAG, 3)
  ctx.fill()
  ctx.fillStyle = theme.token(ink)
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  ctx.fillText(text, left + 5, y + FLAG / 2 + 0.5)
  ctx.restore()
  return [left, left + w]
}
