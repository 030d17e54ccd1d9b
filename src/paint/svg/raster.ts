/** Pictures that were made as pixels (the areas of the allocator and of device memory) as rectangles of one colour. */

/** Pixels as something that `drawImage` of the SVG context takes. RGBA, the top row first. */
export class PixelImage {
  readonly pixels: Uint8ClampedArray
  readonly width: number
  readonly height: number

  constructor(pixels: Uint8ClampedArray, width: number, height: number) {
    this.pixels = pixels
    this.width = width
    this.height = height
  }
}

/** A rectangle of `color` (0xAABBGGRR as in memory) in pixels of the picture. */
export interface PixelRect {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
}

/**
 * Cuts a picture into rectangles by colour: the runs of each column, joined with equal runs of the columns before. Together they are the picture, pixel for pixel, without
 * overlap; transparent pixels are in none. null when there are more than `most`.
 */
export function rectsByColor({ pixels, width, height }: PixelImage, most: number): ReadonlyMap<number, readonly PixelRect[]> | null {
  const px = new Uint32Array(pixels.buffer, pixels.byteOffset, width * height)
  const out = new Map<number, PixelRect[]>()
  /** Runs that reach the column before, by top row: end row, colour, first column. */
  let open = new Map<number, { readonly end: number; readonly color: number; readonly x: number }>()
  let count = 0
  const done = (y: number, r: { readonly end: number; readonly color: number; readonly x: number }, to: number): void => {
    let list = out.get(r.color)
    if (!list) out.set(r.color, (list = []))
    list.push({ x: r.x, y, w: to - r.x, h: r.end - y })
    count++
  }
  for (let x = 0; x < width; x++) {
    const next: typeof open = new Map()
    for (let y = 0; y < height;) {
      const color = px[y * width + x] as number
      let end = y + 1
      while (end < height && px[end * width + x] === color) end++
      if (color >>> 24 > 0) {
        const before = open.get(y)
        const same = before !== undefined && before.end === end && before.color === color
        next.set(y, same ? before : { end, color, x })
        if (same) open.delete(y)
      }
      y = end
    }
    for (const [y, r] of open) done(y, r, x)
    if (count > most) return null
    open = next
  }
  for (const [y, r] of open) done(y, r, width)
  return count > most ? null : out
}
