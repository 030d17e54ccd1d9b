/** The bands of a picture as pixels: one 32-bit write per pixel, whatever the number of groups. Bytes of before the recording are hatched at 45 degrees. */
import type { HbmPicture } from '../../shared/hbm-api'
import { mix, rgba, type Theme } from '../theme'

/** Colour token of a category or group. */
export const hbmToken = (color: string): string => `--hbm-${color}`

/** Fill of a band: its colour mixed with the canvas, as all large areas are. */
export const bandFill = (theme: Theme, color: string): string =>
  mix(theme.token(hbmToken(color)), theme.token('--surface-0'), parseFloat(theme.token('--area-mix')) / 100)

export interface HbmRasterOptions {
  /** Pixel rows, and the bytes at their top. */
  readonly height: number
  readonly yMax: number
  /** Label of the only group in full colour; null for all. */
  readonly only: string | null
  /** Device pixels per CSS px. */
  readonly scale: number
}

const pack = (color: string): number => {
  const [r, g, b] = rgba(color)
  // Bytes R G B A in memory: little-endian, like every platform that runs this.
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0
}

/** Pixels, `picture.width x height`, RGBA; transparent where nothing is used or known. The top row comes first. */
export function rasterHbm(p: HbmPicture, theme: Theme, o: HbmRasterOptions): Uint8ClampedArray<ArrayBuffer> {
  const { width } = p
  const { height } = o
  const px = new Uint32Array(width * height)
  const ground = theme.token('--surface-0')
  const line = theme.token('--hatch-start-bg')
  const looks = p.groups.map(g => {
    const on = o.only === null || o.only === g.label
    const full = bandFill(theme, g.color)
    const fill = on ? full : mix(full, ground, 0.22)
    return { fill: pack(fill), edge: pack(mix(ground, fill, 0.5)), hatch: pack(mix(line, fill, on ? 0.5 : 0.25)) }
  })
  // Whole pixels: lines of a fraction would stand unevenly.
  const pitch = Math.round(parseFloat(theme.token('--hatch-start-pitch')) * Math.SQRT2 * o.scale)
  const thick = Math.max(1, Math.round(o.scale))
  const tall = 2.2 * o.scale
  const perByte = height / o.yMax
  const row = (bytes: number): number => Math.min(height, Math.max(0, Math.round(bytes * perByte)))
  for (let c = 0; c < width; c++) {
    let below = 0
    for (let g = 0; g < looks.length; g++) {
      const b = p.bytes[g][c]
      if (!(b > 0)) continue
      const r0 = row(below)
      const r1 = row(below + b)
      const hatched = row(below + Math.min(b, p.startBytes[g][c] || 0))
      const { fill, edge, hatch } = looks[g]
      for (let r = r0; r < r1; r++) {
        const y = height - 1 - r
        px[y * width + c] = r < hatched && (c + y) % pitch < thick ? hatch : fill
      }
      if (r1 - r0 > tall && r1 < height) px[(height - r1) * width + c] = edge
      below += b
    }
  }
  return new Uint8ClampedArray(px.buffer)
}
