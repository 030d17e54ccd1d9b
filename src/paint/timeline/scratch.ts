/** The atlas that slices and counters are rasterised into: one canvas and one ImageData, kept between frames and grown when a frame needs more. */

/** What is needed of a second canvas. Chromium's OffscreenCanvas is one; elsewhere the caller brings a factory. */
export interface ScratchCanvas {
  readonly width: number
  readonly height: number
  getContext(kind: '2d'): Pick<CanvasRenderingContext2D, 'createImageData' | 'putImageData'> | null
}
export type CanvasFactory = (width: number, height: number) => ScratchCanvas

export interface Atlas {
  /** Rows of `width` pixels, 0xAABBGGRR, cleared. */
  readonly pixels: Uint32Array
  readonly canvas: CanvasImageSource
  /** Puts the first `rows` rows on the canvas. */
  flush(rows: number): void
}

const offscreen: CanvasFactory = (w, h) => new OffscreenCanvas(w, h) as unknown as ScratchCanvas

let kept: {
  readonly canvas: ScratchCanvas
  readonly image: ImageData
  readonly pixels: Uint32Array
  readonly factory: CanvasFactory
} | null = null

/** A cleared atlas of at least `rows` rows. The same canvas is handed out again by the next call. */
export function scratch(width: number, rows: number, factory: CanvasFactory = offscreen): Atlas {
  if (!kept || kept.canvas.width !== width || kept.canvas.height < rows || kept.factory !== factory) {
    const canvas = factory(width, Math.ceil((rows * 1.25) / 64) * 64)
    const context = canvas.getContext('2d')
    if (!context) throw new Error('no 2d context for the atlas')
    const image = context.createImageData(width, canvas.height)
    kept = { canvas, image, pixels: new Uint32Array(image.data.buffer, image.data.byteOffset, width * canvas.height), factory }
  } else kept.pixels.fill(0, 0, rows * width)
  const { canvas, image, pixels } = kept
  return {
    pixels,
    canvas: canvas as unknown as CanvasImageSource,
    flush: used => {
      if (used > 0) canvas.getContext('2d')?.putImageData(image, 0, 0, 0, 0, width, used)
    },
  }
}
