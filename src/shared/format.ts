/**
 * One spelling for every figure, shared by screen, picture and terminal. A no-break space stands before the unit.
 * Memory is KiB / MiB / GiB (powers of two); file sizes are kB / MB as the file system shows them.
 */
import { GIB, KIB, MIB } from './units'

const NBSP = '\u00a0'

/** By number of digits. To make one takes far longer than to use it, and a frame writes dozens of numbers. */
const formats: Intl.NumberFormat[] = []

/** Plain number with thousands separators, en-US. */
export const num = (v: number, digits = 0): string =>
  (formats[digits] ??= new Intl.NumberFormat('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })).format(v)

/** Memory in the unit that fits: `15.63 GiB`, `384.0 MiB`, `12.0 KiB`, `512 B`. */
export function memory(b: number): string {
  if (!Number.isFinite(b)) return '—'
  const a = Math.abs(b)
  if (a >= GIB) return num(b / GIB, 2) + NBSP + 'GiB'
  if (a >= MIB) return num(b / MIB, 1) + NBSP + 'MiB'
  if (a >= KIB) return num(b / KIB, 1) + NBSP + 'KiB'
  return num(b) + NBSP + 'B'
}

/** Exact bytes: `402,653,184 B`. */
export const exactBytes = (b: number): string => (Number.isFinite(b) ? num(b) + NBSP + 'B' : '—')

/** File size, powers of ten: `48.2 MB`. */
export function fileSize(b: number): string {
  if (b >= 1e9) return num(b / 1e9, 2) + NBSP + 'GB'
  if (b >= 1e6) return num(b / 1e6, b >= 1e8 ? 0 : 1) + NBSP + 'MB'
  if (b >= 1e3) return num(b / 1e3, b >= 1e5 ? 0 : 1) + NBSP + 'kB'
  return num(b) + NBSP + 'B'
}

/** A duration in ns in the unit that fits: `824.0 ms`, `12.345 µs`, `1.640 s`, `80 ns`. */
export function duration(ns: number): string {
  if (!Number.isFinite(ns)) return '—'
  const a = Math.abs(ns)
  if (a >= 60e9) return num(ns / 1e9, 1) + NBSP + 's'
  if (a >= 1e9) return num(ns / 1e9, 3) + NBSP + 's'
  if (a >= 1e6) return num(ns / 1e6, 3) + NBSP + 'ms'
  if (a >= 1e3) return num(ns / 1e3, 3) + NBSP + 'µs'
  return num(ns) + NBSP + 'ns'
}

/** A time since the session start, in ms with three decimals: `1,129.418 ms`. */
export const timeMs = (ns: number, digits = 3): string => (Number.isFinite(ns) ? num(ns / 1e6, digits) + NBSP + 'ms' : '—')

/** Hex address with groups of four digits: `0x10_4c80_0000`. */
export function address(hex: string): string {
  const digits = hex.replace(/^0x/, '')
  return '0x' + digits.replace(/\B(?=(?:[0-9a-f]{4})+$)/gi, '_')
}

let localTimes: Intl.DateTimeFormat | undefined

/** Date and time of day where the reader is, of ms since 1970: `12 May 2026, 14:03:22`. */
export function localTime(ms: number): string {
  if (!(Math.abs(ms) <= 8.64e15)) return '—' // what a date can be
  localTimes ??= new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
  return localTimes.format(ms)
}
