/** Shifts as people write them: a decimal number and a unit, exact to the nanosecond. No float lies between the text and the nanoseconds. */

export const UNITS = ['ns', 'µs', 'ms', 's'] as const
export type Unit = (typeof UNITS)[number]

const DIGITS: Readonly<Record<Unit, number>> = { ns: 0, µs: 3, ms: 6, s: 9 }
const NBSP = '\u00a0'
const MINUS = '\u2212'

/** What the host takes at most (shared/clock-api). */
const MOST = 4_000_000_000_000_000_000n

/** Nanoseconds of one unit. */
export const unitNs = (unit: Unit): bigint => 10n ** BigInt(DIGITS[unit])

export type Parsed = { readonly ns: bigint } | { readonly error: string }

/** `-1.25` in ms is -1250000n. Digits with an optional sign and point; a comma could mean either and is refused, with the reason. */
export function parseShift(text: string, unit: Unit): Parsed {
  const t = text.trim().replace(MINUS, '-')
  if (t === '') return { error: 'Give a number; 0 takes the shift away.' }
  if (t.includes(',')) return { error: 'Write a point before the decimals, and no commas.' }
  const m = /^([+-]?)(\d{0,40})(?:\.(\d{0,40}))?$/.exec(t)
  if (!m || (!m[2] && !m[3])) return { error: 'This is no decimal number.' }
  const digits = DIGITS[unit]
  const fraction = (m[3] ?? '').replace(/0+$/, '')
  if (fraction.length > digits) return { error: 'Finer than a nanosecond.' }
  const ns = BigInt(`${m[2]}${fraction.padEnd(digits, '0')}` || '0')
  if (ns > MOST) return { error: 'Longer than a century.' }
  return { ns: m[1] === '-' ? -ns : ns }
}

/** The exact number in a unit, as `parseShift` reads it: `-1.25`. */
export function shiftNumber(ns: bigint, unit: Unit): string {
  const digits = DIGITS[unit]
  const all = String(ns < 0n ? -ns : ns).padStart(digits + 1, '0')
  const fraction = all.slice(all.length - digits).replace(/0+$/, '')
  const whole = digits === 0 ? all : all.slice(0, -digits)
  return `${ns < 0n ? '-' : ''}${whole}${digits > 0 && fraction ? `.${fraction}` : ''}`
}

/** The largest unit in which a shift is at least 1; ms for 0. */
export function unitOf(ns: bigint): Unit {
  const size = ns < 0n ? -ns : ns
  if (size === 0n) return 'ms'
  return [...UNITS].reverse().find(u => size >= unitNs(u)) ?? 'ns'
}

/** `+1.2 ms`, exact and with its sign; `0` for none. */
export function shiftText(ns: bigint): string {
  if (ns === 0n) return '0'
  const unit = unitOf(ns)
  const [whole, fraction] = shiftNumber(ns < 0n ? -ns : ns, unit).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${ns < 0n ? MINUS : '+'}${grouped}${fraction ? `.${fraction}` : ''}${NBSP}${unit}`
}
