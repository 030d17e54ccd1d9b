/** The Y axis of the allocator timeline: bytes to pixels, round ticks in the unit that fits. */
import { GIB, KIB, MIB } from '../../shared/units'
import { num } from '../../shared/format'

/** Bytes laid over a plot: `top` and `height` in CSS px, `max` bytes at the top. */
export interface ByteScale {
  readonly top: number
  readonly height: number
  readonly max: number
  readonly y: (bytes: number) => number
  readonly bytes: (y: number) => number
}

export function byteScale(top: number, height: number, max: number): ByteScale {
  return {
    top,
    height,
    max,
    y: b => top + height - (b / max) * height,
    bytes: y => ((top + height - y) / height) * max,
  }
}

/** Share of the height that a fitted axis leaves to the data (as the engine fits it); the rest holds the peak's mark and value. */
export const FIT_SHARE = 0.88

export interface Unit {
  readonly name: 'GiB' | 'MiB' | 'KiB' | 'B'
  readonly bytes: number
}

/** The unit in which an axis up to `max` bytes is labelled. */
export function unitFor(max: number): Unit {
  if (max >= GIB) return { name: 'GiB', bytes: GIB }
  if (max >= MIB) return { name: 'MiB', bytes: MIB }
  if (max >= KIB) return { name: 'KiB', bytes: KIB }
  return { name: 'B', bytes: 1 }
}

export interface ByteTicks {
  readonly unit: Unit
  readonly at: readonly { readonly bytes: number; readonly label: string }[]
}

/**
 * Ticks at powers of two of the unit (0, 4, 8, 12 GiB; 0, 128, 256 MiB), at least `apart` px from each other, 0 included.
 */
export function byteTicks(max: number, height: number, apart = 34): ByteTicks {
  const unit = unitFor(max)
  if (!Number.isFinite(max)) return { unit, at: [] } // no scale rather than an endless one
  const least = (max / Math.max(height, 1)) * apart
  let step = unit.bytes === 1 ? 1 : unit.bytes / 64
  while (step < least) step *= 2
  const digits = step >= unit.bytes ? 0 : Math.ceil(Math.log2(unit.bytes / step))
  const at: { bytes: number; label: string }[] = []
  for (let b = 0; b <= max; b += step) at.push({ bytes: b, label: num(b / unit.bytes, b === 0 ? 0 : digits) })
  return { unit, at }
}

/** Value for a column whose unit stands in its head: `2.63`, `0` exactly when it is 0, `<0.01` when it would read as 0. */
export function inUnit(bytes: number, unit: Unit): string {
  if (bytes === 0) return '0'
  const digits = unit.name === 'GiB' ? 2 : unit.name === 'B' ? 0 : 1
  const v = bytes / unit.bytes
  const least = 10 ** -digits
  return v < least / 2 ? '<' + num(least, digits) : num(v, digits)
}
