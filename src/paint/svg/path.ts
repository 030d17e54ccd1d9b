/** Paths as SVG has them. Points are transformed when they are added, as on a canvas. */
import { n } from './xml'

/** Scale and translation; the painting code turns nothing. */
export interface Transform {
  readonly sx: number
  readonly sy: number
  readonly tx: number
  readonly ty: number
}

export type Rect = readonly [x: number, y: number, w: number, h: number]

export class PathText {
  d = ''
  /** The path where it is one rectangle and nothing else; null otherwise. */
  rect: Rect | null = null
  #parts = 0

  moveTo(t: Transform, x: number, y: number): void {
    this.#add(`M${n(x * t.sx + t.tx)} ${n(y * t.sy + t.ty)}`)
  }

  lineTo(t: Transform, x: number, y: number): void {
    if (this.d === '') this.moveTo(t, x, y)
    else this.#add(`L${n(x * t.sx + t.tx)} ${n(y * t.sy + t.ty)}`)
  }

  curveTo(t: Transform, ...p: readonly [number, number, number, number, number, number]): void {
    this.#add(`C${p.map((v, i) => n(i % 2 === 0 ? v * t.sx + t.tx : v * t.sy + t.ty)).join(' ')}`)
  }

  close(): void {
    if (this.d !== '') this.#add('Z')
  }

  addRect(t: Transform, x: number, y: number, w: number, h: number): void {
    const r: Rect = [x * t.sx + t.tx, y * t.sy + t.ty, w * t.sx, h * t.sy]
    this.#add(rectPath(r))
    this.rect = this.#parts === 1 ? r : null
  }

  /** Radii in the units of the transform; larger than the sides allow, they are made smaller. */
  addRoundRect(t: Transform, x: number, y: number, w: number, h: number, radius: number): void {
    const left = x * t.sx + t.tx
    const top = y * t.sy + t.ty
    const width = w * t.sx
    const height = h * t.sy
    const r = Math.max(0, Math.min(radius * t.sx, Math.abs(width) / 2, Math.abs(height) / 2))
    if (r === 0) return this.addRect(t, x, y, w, h)
    const arc = (dx: number, dy: number): string => `a${n(r)} ${n(r)} 0 0 1 ${n(dx)} ${n(dy)}`
    this.#add(
      `M${n(left + r)} ${n(top)}h${n(width - 2 * r)}${arc(r, r)}v${n(height - 2 * r)}${arc(-r, r)}h${n(2 * r - width)}${arc(-r, -r)}v${n(2 * r - height)}${arc(r, -r)}Z`,
    )
  }

  /** An arc with the clock; a whole turn is a circle. */
  addArc(t: Transform, x: number, y: number, r: number, from: number, to: number): void {
    const cx = x * t.sx + t.tx
    const cy = y * t.sy + t.ty
    const rx = r * t.sx
    const ry = r * t.sy
    const at = (a: number): string => `${n(cx + rx * Math.cos(a))} ${n(cy + ry * Math.sin(a))}`
    const turn = to - from
    const begin = this.d === '' ? 'M' : 'L'
    if (turn >= 2 * Math.PI - 1e-9) {
      const mid = from + Math.PI
      this.#add(`${begin}${at(from)}A${n(rx)} ${n(ry)} 0 1 1 ${at(mid)}A${n(rx)} ${n(ry)} 0 1 1 ${at(from)}`)
    } else this.#add(`${begin}${at(from)}A${n(rx)} ${n(ry)} 0 ${turn > Math.PI ? 1 : 0} 1 ${at(to)}`)
  }

  #add(text: string): void {
    this.d += text
    this.#parts++
    this.rect = null
  }
}

export const rectPath = ([x, y, w, h]: Rect): string => `M${n(x)} ${n(y)}h${n(w)}v${n(h)}h${n(-w)}Z`

/** What two rectangles have in common; one without a size where that is nothing. Sides may be negative, as on a canvas. */
export function intersect(a: Rect, b: Rect): Rect {
  const [ax, ay, ar, ab] = edges(a)
  const [bx, by, br, bb] = edges(b)
  const x = Math.max(ax, bx)
  const y = Math.max(ay, by)
  return [x, y, Math.max(0, Math.min(ar, br) - x), Math.max(0, Math.min(ab, bb) - y)]
}

const edges = ([x, y, w, h]: Rect): readonly [number, number, number, number] => [
  Math.min(x, x + w),
  Math.min(y, y + h),
  Math.max(x, x + w),
  Math.max(y, y + h),
]
