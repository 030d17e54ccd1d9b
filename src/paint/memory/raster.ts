/** The runs of a picture as pixels: one 32-bit write per pixel, no path and no fill per allocation. */
import { RUN_SMALLER, type MemoryPicture } from '../../shared/api'
import { CATEGORIES, mix, rgba, type Theme } from '../theme'

/** Colour token of an owner group. There are ten at most; the tenth is "other" and has the neutral one. */
export const groupToken = (group: number): string => `--cat-${(Math.max(0, group) % CATEGORIES) + 1}`

const areaMix = (theme: Theme): number => parseFloat(theme.token('--area-mix')) / 100

/** Fill of a group's area: its colour mixed with the canvas, less so where many small allocations stand for one colour. */
export const areaFill = (theme: Theme, token: string, smaller = false): string =>
  mix(theme.token(token), theme.token('--surface-0'), areaMix(theme) * (smaller ? 0.72 : 1))

export interface RasterOptions {
  /** Number of owner groups of the allocator. */
  readonly groups: number
  /** Only this group is in full colour; null for all. */
  readonly only: number | null
  /** Device pixels per CSS px: an edge is drawn between allocations taller than about 2 CSS px. */
  readonly scale: number
}

const pack = (color: string): number => {
  const [r, g, b] = rgba(color)
  // Bytes R G B A in memory: little-endian, like every platform that runs this.
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0
}

/** Pixels of a picture, `width x height`, RGBA; transparent where nothing is live or known. The top row comes first. */
export function rasterMemory(p: MemoryPicture, theme: Theme, o: RasterOptions): Uint8ClampedArray<ArrayBuffer> {
  const { width, height } = p
  const px = new Uint32Array(width * height)
  const ground = theme.token('--surface-0')
  const line = mix(ground, theme.token('--text-3'), 0.9)
  const shade = (color: string, on: boolean): string => (on ? color : mix(color, ground, 0.22))
  const palette = (smaller: boolean): { fill: number[]; edge: number[] } => {
    const fill: number[] = []
    const edge: number[] = []
    for (let g = 0; g < Math.max(1, o.groups); g++) {
      const color = shade(areaFill(theme, groupToken(g), smaller), o.only === null || o.only === g)
      fill.push(pack(color))
      edge.push(pack(mix(line, color, 0.55)))
    }
    return { fill, edge }
  }
  const whole = palette(false)
  const small = palette(true)
  const tall = 2.2 * o.scale
  for (let c = 0; c < width; c++) {
    const end = p.columnStart[c + 1]
    let y = height - 1
    for (let i = p.columnStart[c]; i < end; i++) {
      const rows = p.runRows[i]
      const a = p.runAllocation[i]
      if (a >= 0 || a === RUN_SMALLER) {
        const { fill, edge } = a >= 0 ? whole : small
        const g = Math.min(p.runGroup[i], fill.length - 1)
        const v = fill[g]
        for (let k = 0, at = y * width + c; k < rows; k++, at -= width) px[at] = v
        if (a >= 0 && rows > tall) px[(y - rows + 1) * width + c] = edge[g]
      }
      y -= rows
    }
  }
  return new Uint8ClampedArray(px.buffer)
}
