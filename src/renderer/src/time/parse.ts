/**
 * Times as people write them: as on the axis (`1,129.418 ms`, `1.2s`), Unix time (`1793628127100000000`), a date with a time of day (ISO 8601), or relative to the
 * cursor (`+5 ms`). Exact: digits are never taken through a double. Pure.
 */

export interface TimeContext {
  /** Unix ns of time 0. */
  readonly originNs: bigint
  /** Whether times count from 1970; false for a source with its own clock, which knows no dates. */
  readonly calibrated: boolean
  /** What `+` and `-` count from, ns relative to the origin; null where there is no cursor. */
  readonly from: number | null
}

export type ParsedTime =
  | { readonly ok: true; /** ns relative to the origin. */ readonly at: number; readonly kind: 'axis' | 'unix' | 'date' | 'relative' }
  | { readonly ok: false; readonly error: string }

/** ns of a unit, by its spelling in lower case. A number without one is in ms, as on the axis. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  '': 1_000_000n,
  s: 1_000_000_000n,
  sec: 1_000_000_000n,
  min: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Digits without a unit from this many on are Unix ns: as ms they would lie 30 years after the begin. */
const UNIX_DIGITS = 17
/** A duration from this many ns on counts from 1970 instead of from the begin of the data. */
const UNIX_FROM = 100_000_000_000_000_000n

const no = (error: string): ParsedTime => ({ ok: false, error })

/** Reads a time. The error of a text that is none says what is understood. */
export function parseTime(text: string, c: TimeContext): ParsedTime {
  const s = text.trim().replace(/[\u00a0\u202f]/g, ' ')
  if (s === '') return no('Type a time.')
  const unix = (ns: bigint, kind: 'unix' | 'date'): ParsedTime =>
    c.calibrated
      ? { ok: true, at: Number(ns - c.originNs), kind }
      : no('This range has a clock of its own: it has no Unix times and no dates. Type a time as on the axis.')
  const date = isoNs(s)
  if (date === 'no date') return no('There is no such date or time of day.')
  if (date !== null) return unix(date, 'date')
  const m = /^(@|[+\-\u2212])?\s*([\d,_]*\.?\d*)\s*([a-zµμ]*)$/i.exec(s)
  if (!m || !/\d/.test(m[2])) return no('Not a time. Understood: 12.5 ms, 1.2 s, +5 ms, 1793628127100000000, 2026-05-12T14:03:22Z.')
  const [, sign = '', digits, unit] = m
  const number = digits.replace(/[,_]/g, '')
  const scale = UNITS[unit.toLowerCase()]
  if (scale === undefined) return no(`“${unit}” is no unit of time. Units: ns, µs, ms, s, min, h.`)
  if (sign === '@' || (sign === '' && unit === '' && !number.includes('.') && number.length >= UNIX_DIGITS))
    return number.includes('.') || (unit !== '' && unit !== 'ns') ? no('A Unix time is written in whole ns.') : unix(BigInt(number), 'unix')
  const ns = scaled(number, scale)
  if (sign === '') return ns >= UNIX_FROM ? unix(ns, 'unix') : { ok: true, at: Number(ns), kind: 'axis' }
  if (c.from === null) return no('There is no cursor that + and − could count from.')
  return { ok: true, at: c.from + (sign === '+' ? Number(ns) : -Number(ns)), kind: 'relative' }
}

/** `12.5` of a unit as ns, rounded to the nearest. */
function scaled(number: string, scale: bigint): bigint {
  const [whole, fraction = ''] = number.split('.')
  const denominator = 10n ** BigInt(fraction.length)
  const numerator = BigInt((whole || '0') + fraction)
  return (2n * numerator * scale + denominator) / (2n * denominator)
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[+\-\u2212]\d\d:?\d\d)?$/i

/** Unix ns of a date; without a zone it is one of the reader's. null: not written like one. */
function isoNs(s: string): bigint | 'no date' | null {
  const m = ISO.exec(s)
  if (!m) return null
  const [y, mo, d, h, mi, sec] = m.slice(1, 7).map(v => Number(v ?? 0))
  if (mo < 1 || mo > 12 || h > 23 || mi > 59 || sec > 59) return 'no date'
  const days = new Date(Date.UTC(y, mo, 0)).getUTCDate()
  if (d < 1 || d > days) return 'no date'
  const zone = m[8]?.replace('\u2212', '-')
  let ms: number
  if (zone === undefined) ms = new Date(y, mo - 1, d, h, mi, sec).getTime()
  else {
    const [zh, zm] = /^z$/i.test(zone) ? [0, 0] : [Number(zone.slice(1, 3)), Number(zone.slice(-2))]
    if (zh > 23 || zm > 59) return 'no date'
    ms = Date.UTC(y, mo - 1, d, h, mi, sec) - (zone.startsWith('-') ? -1 : 1) * (zh * 60 + zm) * 60_000
  }
  return BigInt(ms) * 1_000_000n + BigInt((m[7] ?? '').padEnd(9, '0'))
}

/** Unix ns of a time of a group; ns are whole. */
export const unixNs = (at: number, originNs: bigint): bigint => originNs + BigInt(Math.round(at))

/** ISO 8601 with ns, in UTC: `2026-05-12T14:03:22.100000000Z`; null for what a date cannot hold. */
export function isoText(ns: bigint): string | null {
  const s = ns / 1_000_000_000n - (ns % 1_000_000_000n < 0n ? 1n : 0n)
  const ms = Number(s) * 1000
  if (Math.abs(ms) > 8.64e15) return null
  return `${new Date(ms).toISOString().slice(0, -5)}.${String(ns - s * 1_000_000_000n).padStart(9, '0')}Z`
}
