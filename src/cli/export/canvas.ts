/**
 * The 2D context of the command line: @napi-rs/canvas, with the fonts of the page. Loaded by `export` alone, by a dynamic import: a native library has no
 * place in the desktop program, and other commands start without it.
 */
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Canvas } from '@napi-rs/canvas'
import { builtFolder } from '../../main/bundle'
import type { Surface } from '../../paint/sheet/ask'
import type { PixelImage } from '../../paint/svg/raster'
import type { Context2D } from '../../paint/theme'
import type { ScratchCanvas } from '../../paint/timeline'

/** The faces of src/renderer/src/fonts.css: family as tokens.css names it, and package and file of each weight. */
const FACES = [
  { family: 'Inter', pkg: '@fontsource/inter', file: 'inter-latin', weights: [400, 500, 600] },
  { family: 'JetBrains Mono', pkg: '@fontsource/jetbrains-mono', file: 'jetbrains-mono-latin', weights: [400, 600] },
] as const

/**
 * The bundled font files (woff2) with their families: those of the built page, which lie beside the built command line; in a checkout that is not built,
 * those of the packages. Names of faces that are not there are in `missing`.
 */
export function fontFiles(): {
  readonly files: readonly { readonly family: string; readonly path: string }[]
  readonly missing: readonly string[]
} {
  const files: { family: string; path: string }[] = []
  const missing: string[] = []
  for (const { family, pkg, file, weights } of FACES)
    for (const weight of weights) {
      const path = built(`${file}-${weight}-normal`) ?? packaged(`${pkg}/files/${file}-${weight}-normal.woff2`)
      if (path === null) missing.push(`${family} ${weight}`)
      else files.push({ family, path })
    }
  return { files, missing }
}

const isCanvas = (image: unknown): image is Canvas => typeof image === 'object' && image !== null && 'getContext' in image

function built(name: string): string | null {
  try {
    const folder = join(builtFolder('renderer'), 'assets')
    const found = readdirSync(folder).find(f => f.startsWith(`${name}-`) && f.endsWith('.woff2'))
    return found === undefined ? null : join(folder, found)
  } catch {
    return null
  }
}

function packaged(name: string): string | null {
  try {
    const path = createRequire(import.meta.url).resolve(name)
    return existsSync(path) ? path : null
  } catch {
    return null
  }
}

export interface Picture extends Surface {
  /** Paints on a canvas of width x height and answers it as PNG, 8-bit RGBA. */
  readonly png: (width: number, height: number, paint: (ctx: Context2D) => void) => Promise<Uint8Array>
  /** A picture of pixels as PNG in base64. */
  readonly base64: (image: PixelImage) => string
  readonly missingFonts: readonly string[]
}

/** Loads the library and registers the fonts. Rejects where the library has no binary for this system. */
export async function openCanvas(): Promise<Picture> {
  const { createCanvas, GlobalFonts, ImageData } = await import('@napi-rs/canvas')
  const { files, missing } = fontFiles()
  const failed = files.filter(f => GlobalFonts.registerFromPath(f.path, f.family) === null).map(f => f.family)
  /**
   * The library copies the whole source canvas for each drawImage. The timeline draws hundreds of strips out of one large atlas: on a wide picture that took minutes. A strip is
   * cut out first, so that only it is copied.
   */
  const context = (canvas: Canvas): Context2D => {
    const ctx = canvas.getContext('2d')
    const draw = ctx.drawImage.bind(ctx) as (image: unknown, ...place: readonly number[]) => void
    const cut = (image: unknown, ...place: readonly number[]): void => {
      const [sx = 0, sy = 0, sw = 0, sh = 0, dx = 0, dy = 0, dw = 0, dh = 0] = place
      const part = place.length === 8 && [sx, sy, sw, sh].every(Number.isInteger) && sw > 0 && sh > 0
      if (!part || !isCanvas(image) || sw * sh * 2 > image.width * image.height) return draw(image, ...place)
      const strip = createCanvas(sw, sh)
      strip.getContext('2d').putImageData(image.getContext('2d').getImageData(sx, sy, sw, sh), 0, 0)
      draw(strip, 0, 0, sw, sh, dx, dy, dw, dh)
    }
    ctx.drawImage = cut as typeof ctx.drawImage
    return ctx as unknown as Context2D
  }
  return {
    ctx: context(createCanvas(1, 1)),
    image: (pixels, width, height) => {
      const canvas = createCanvas(width, height)
      canvas.getContext('2d').putImageData(new ImageData(pixels, width, height), 0, 0)
      return canvas as unknown as CanvasImageSource
    },
    canvas: (width, height) => createCanvas(width, height) as unknown as ScratchCanvas,
    png: async (width, height, paint) => {
      const canvas = createCanvas(width, height)
      paint(context(canvas))
      return canvas.encode('png')
    },
    base64: ({ pixels, width, height }) => {
      const canvas = createCanvas(width, height)
      canvas.getContext('2d').putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0)
      return canvas.toBuffer('image/png').toString('base64')
    },
    missingFonts: [...missing, ...failed],
  }
}
