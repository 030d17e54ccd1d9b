/** One unit for a column of byte figures: it stands in the head, the figures are bare numbers under each other. */
import { num } from '../../../shared/format'
import { GIB, KIB, MIB } from '../../../shared/units'

export interface Unit {
  readonly name: 'GiB' | 'MiB' | 'KiB' | 'B'
  readonly bytes: number
  readonly digits: number
}

/** The unit in which the largest figure of a column has one to four digits before the point. */
export function unitFor(max: number): Unit {
  if (max >= GIB) return { name: 'GiB', bytes: GIB, digits: 2 }
  if (max >= MIB) return { name: 'MiB', bytes: MIB, digits: 1 }
  if (max >= KIB) return { name: 'KiB', bytes: KIB, digits: 1 }
  return { name: 'B', bytes: 1, digits: 0 }
}

/** A figure in that unit. 0 is `0`; what is not 0 never reads as 0: it is `< 0.01` then. */
export function inUnit(v: number, u: Unit): string {
  if (v === 0) return '0'
  const least = 10 ** -u.digits
  return Math.abs(v) < (u.bytes * least) / 2 ? `< ${least}` : num(v / u.bytes, u.digits)
}
