/**
 * The line along the top of the active bytes, drawn inside the area: its upper edge is that of the column's highest total, whatever the columns beside it
 * hold. A stroke from column to column would rise into the lower one of two, and the picture would show there what was not active.
 */
import type { Context2D } from '../theme'
import type { PicturePlace } from './marks'

/** `top` is the plot's upper edge, `rows` the device pixels per CSS px of the picture's rows. Columns that are NaN have none. */
export function drawOutline(
  ctx: Context2D,
  place: PicturePlace,
  y: (bytes: number) => number,
  values: Float64Array,
  o: { readonly color: string; readonly alpha: number; readonly top: number; readonly rows: number },
): void {
  const width = place.x(1) - place.x(0)
  // Whole rows of the picture, as its pixels are.
  const at = (c: number): number => o.top + Math.round((y(values[c]) - o.top) * o.rows) / o.rows
  ctx.save()
  ctx.fillStyle = o.color
  ctx.globalAlpha = o.alpha
  let before = NaN
  let here = values.length > 0 ? at(0) : NaN
  for (let c = 0; c < values.length; c++) {
    const after = c + 1 < values.length ? at(c + 1) : NaN
    if (!Number.isNaN(here)) {
      const x = place.x(c)
      const left = before > here + 1 ? before - here : 1
      const right = after > here + 1 ? after - here : 1
      if (width <= 1.5) ctx.fillRect(x, here, width, Math.max(left, right))
      else {
        // Stretched while the sharp picture is on its way: the sides are lines, not blocks.
        ctx.fillRect(x, here, width, 1)
        if (left > 1) ctx.fillRect(x, here + 1, 1, left - 1)
        if (right > 1) ctx.fillRect(x + width - 1, here + 1, 1, right - 1)
      }
    }
    before = here
    here = after
  }
  ctx.restore()
}
