/** A sheet as SVG: the same painting code on a context that writes shapes. */
import { SvgContext } from '../svg/context'
import { PixelImage } from '../svg/raster'
import { type Context2D, type Theme } from '../theme'
import type { Surface } from './ask'
import type { GatheredSheet } from './gather'
import { paintSheet } from './paint'

/** A surface to gather a sheet for SVG with: pictures of pixels stay pixels, and text is measured as before. */
export const svgSurface = (measure: Context2D): Surface => ({
  ctx: measure,
  image: (pixels, width, height) => new PixelImage(pixels, width, height) as unknown as CanvasImageSource,
})

/**
 * The text of the file, `scale` of its px for each CSS px (absent: as large as the PNG would be). `png` encodes a picture of pixels that would be too many shapes (PNG in base64). What the picture merges or leaves out stands in
 * its description, and in `notes` with what only the file itself does.
 */
export function sheetSvg(
  made: GatheredSheet,
  theme: Theme,
  measure: Context2D,
  png: (image: PixelImage) => string,
  scale = made.width / made.sheet.width,
): { readonly text: string; readonly notes: readonly string[] } {
  const { sheet, layout } = made
  const svg = new SvgContext({ width: sheet.width, height: layout.height, scale, measure, png })
  paintSheet(svg.ctx, theme, sheet)
  const notes = [
    ...made.notes,
    ...(svg.embedded > 0 ? ['The stacked areas are a picture of pixels inside of the SVG: as shapes they would be too many.'] : []),
  ]
  return { text: svg.finish(sheet.title, [sheet.subtitle, ...notes].join('\n')), notes }
}
