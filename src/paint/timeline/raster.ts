/**
 * The fast path of slices: one Uint32 per (pixel column, row class, lane) in an atlas that is laid over the plot with a few image draws per lane.
 * A bar of 14 px looks the same in all its rows but for its rounded corners, so a lane needs one row for the body and `edge` rows for the corners.
 * Plain arrays in, plain arrays out: no canvas here.
 */
import { columnNs, endOf, firstFrom, FLAG_INSTANT, FLAG_OPEN_END, FLAG_OPEN_START, lowerBound, type SliceColumns } from './columns'

/** How times become device pixels of the plot. */
export interface Scale {
  /** Time at the plot's left edge. */
  readonly start: number
  /** Device px per ns. */
  readonly perNs: number
  /** Width of the plot in device px. */
  readonly width: number
  readonly pixelRatio: number
}

/** Corner rows of a bar with radius 2 CSS px: how far each row is inset (device px, fractional), outermost first. */
export function cornerInsets(pixelRatio: number): readonly number[] {
  const r = 2 * pixelRatio
  const out: number[] = []
  for (let j = 0; j + 0.5 < r; j++) {
    const inset = r - Math.sqrt(r * r - (r - j - 0.5) ** 2)
    if (inset < 0.15) break
    out.push(inset)
  }
  return out
}

/** A slice that is wide enough for its name; device px relative to the plot's left edge. */
export interface Wide {
  readonly lane: number
  readonly index: number
  readonly x0: number
  readonly x1: number
}

const opaque = (color: number, alpha: number): number => ((color & 0xffffff) | (Math.round((color >>> 24) * alpha) << 24)) >>> 0

/** Fade of an end that was not recorded, in CSS px. */
const FADE = 18

/**
 * Draws the slices of one lane into `out`, whose rows `row .. row + insets.length` (corner rows, then the body) are `scale.width` long.
 * Slices narrower than a CSS pixel take one; a column that stands for several merged slices is filled as a whole, so that dense stretches have no holes.
 * Slices at least `labelMin` device px wide are appended to `wide`. Instants are left to `rasterInstants`, which draws above.
 */
export function rasterLane(
  out: Uint32Array,
  row: number,
  c: SliceColumns,
  lane: number,
  scale: Scale,
  insets: readonly number[],
  colors: Uint32Array,
  labelMin: number,
  wide: Wide[],
): void {
  const { width, perNs, pixelRatio } = scale
  const hi = c.laneStart[lane + 1]
  const least = Math.max(1, Math.round(pixelRatio))
  const gapFrom = 3 * least
  const roundFrom = Math.ceil(5 * pixelRatio)
  const column = columnNs(c)
  const t1 = scale.start + width / perNs
  const rows = insets.length
  for (let i = firstFrom(c, lane, scale.start); i < hi && c.from[i] <= t1; i++) {
    const flag = c.flags[i]
    if (flag === FLAG_INSTANT) continue
    let from = c.from[i]
    let to = endOf(c, i)
    // As `drawnSpan`, without its allocation: this loop runs once per pixel and lane.
    if (c.merged[i] > 1 && to - from < column) {
      from = c.start + Math.floor((from - c.start) / column) * column
      to = Math.max(to, from + column)
    }
    const x0 = (from - scale.start) * perNs
    const x1 = (to - scale.start) * perNs
    let a = Math.round(x0)
    let b = Math.round(x1)
    if (b - a < least) b = a + least
    else if (b - a >= gapFrom && c.merged[i] === 1) b -= 1
    const rounded = b - a >= roundFrom && c.merged[i] === 1
    const cutLeft = a < 0
    const cutRight = b > width
    if (cutLeft) a = 0
    if (cutRight) b = width
    if (b <= a) continue
    const color = colors[c.style[i]]
    const body = (row + rows) * width
    if (b - a < 8) for (let x = a; x < b; x++) out[body + x] = color
    else out.fill(color, body + a, body + b)
    for (let j = 0; j < rows; j++) {
      const at = (row + j) * width
      let left = a
      let right = b
      if (rounded) {
        const skip = Math.floor(insets[j])
        const partial = opaque(color, 1 - (insets[j] - skip))
        if (!cutLeft && flag !== FLAG_OPEN_START) {
          left = a + skip
          out[at + left] = partial
          left++
        }
        if (!cutRight && flag !== FLAG_OPEN_END) {
          right = b - skip - 1
          out[at + right] = partial
        }
      }
      if (right - left < 8) for (let x = left; x < right; x++) out[at + x] = color
      else out.fill(color, at + left, at + right)
    }
    if (b - a >= roundFrom && ((flag === FLAG_OPEN_END && !cutRight) || (flag === FLAG_OPEN_START && !cutLeft)))
      fade(out, row, rows + 1, width, a, b, flag, pixelRatio)
    if (b - a >= labelMin && c.merged[i] === 1) wide.push({ lane, index: i, x0: a, x1: b })
  }
}

/** Lets the end that was not recorded fade out. */
function fade(out: Uint32Array, row: number, rows: number, width: number, a: number, b: number, flag: number, pixelRatio: number): void {
  const n = Math.min(b - a, Math.round(FADE * pixelRatio))
  for (let k = 0; k < n; k++) {
    const x = flag === FLAG_OPEN_END ? b - 1 - k : a + k
    const alpha = 0.12 + 0.88 * (k / n)
    for (let j = 0; j < rows; j++) {
      const p = (row + j) * width + x
      out[p] = opaque(out[p], alpha)
    }
  }
}

/**
 * Instants of a lane: a mark one CSS px wide in row `row`; those with room on both sides are appended to `heads` (device px) and get a head.
 * They are drawn after the slices and so stay visible on a slice of the same time.
 */
export function rasterInstants(
  out: Uint32Array,
  row: number,
  c: SliceColumns,
  lane: number,
  scale: Scale,
  color: number,
  heads: number[],
): boolean {
  const { width, perNs, pixelRatio } = scale
  const hi = c.laneStart[lane + 1]
  const least = Math.max(1, Math.round(pixelRatio))
  const room = 7 * pixelRatio
  const t1 = scale.start + width / perNs
  let any = false
  let last = -Infinity
  let candidate = -1
  for (let i = lowerBound(c.from, scale.start, c.laneStart[lane], hi); i < hi && c.from[i] <= t1; i++) {
    if (c.flags[i] !== FLAG_INSTANT) continue
    const x = Math.round((c.from[i] - scale.start) * perNs)
    if (x < 0 || x >= width) continue
    any = true
    for (let q = x; q < Math.min(width, x + least); q++) out[row * width + q] = color
    if (candidate >= 0 && x - candidate >= room) heads.push(candidate)
    candidate = x - last >= room ? x : -1
    last = x
  }
  if (candidate >= 0) heads.push(candidate)
  return any
}

/** Colours of a counter lane as pixels. */
export interface CounterPixels {
  readonly line: number
  readonly area: number
  readonly band: number
}

/**
 * A counter lane of `height` device px into `out` at `row`: the area up to the last value of each column, a band from its minimum to its maximum, a line.
 * Columns without a value stay empty: nothing known is not zero.
 */
export function rasterCounter(
  out: Uint32Array,
  row: number,
  height: number,
  c: { readonly start: number; readonly end: number; readonly columns: number } & {
    readonly min: Float64Array
    readonly max: Float64Array
    readonly last: Float64Array
  },
  scale: Scale,
  low: number,
  high: number,
  px: CounterPixels,
): void {
  const { width, perNs, pixelRatio } = scale
  const span = high > low ? high - low : 1
  const thick = Math.max(1, Math.round(1.25 * pixelRatio))
  const y = (v: number): number => Math.round((1 - (v - low) / span) * (height - thick))
  const perColumn = c.columns / (c.end - c.start)
  let before = NaN
  for (let x = 0; x < width; x++) {
    const t = scale.start + (x + 0.5) / perNs
    const i = Math.floor((t - c.start) * perColumn)
    const last = i >= 0 && i < c.columns ? c.last[i] : NaN
    if (!Number.isFinite(last)) {
      before = NaN
      continue
    }
    const top = y(last)
    const hi = y(Math.max(c.max[i], last))
    const lo = y(Math.min(c.min[i], last))
    for (let j = top; j < height; j++) out[(row + j) * width + x] = px.area
    for (let j = hi; j < lo; j++) out[(row + j) * width + x] = px.band
    // The line joins this value with the one before, as a step.
    const from = Number.isFinite(before) ? Math.min(top, before) : top
    const to = Number.isFinite(before) ? Math.max(top, before) : top
    for (let j = from; j < to + thick && j < height; j++) out[(row + j) * width + x] = px.line
    before = top
  }
}
