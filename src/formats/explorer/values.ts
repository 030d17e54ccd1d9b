/**
 * Values of exports, whose types are mixed: ids stand as numbers here and as text there, times are 64-bit integers that no double holds. What is not exactly what is asked
 * for is absent (null, NaN), never something near it.
 */
import { NOT_A_NUMBER, OUT_OF_RANGE, scaledInteger } from '../chrome-trace/decimal'

const I64_MAX = (1n << 63n) - 1n

/** A whole number, exact: of a bigint, a safe integer, or decimal or 0x text. null for everything else. */
export function wholeOf(v: unknown): bigint | null {
  if (typeof v === 'bigint') return v
  if (typeof v === 'number') return Number.isSafeInteger(v) ? BigInt(v) : null
  if (typeof v !== 'string' || v.length > 64) return null
  if (/^-?\d{1,20}$/.test(v) || /^0[xX][0-9a-fA-F]{1,16}$/.test(v)) return BigInt(v)
  if (!/^-?\d+(\.\d+)?[eE][+-]?\d{1,3}$|^-?\d+\.0+$/.test(v)) return null
  const scaled = scaledInteger(v, 3)
  return scaled === NOT_A_NUMBER || scaled === OUT_OF_RANGE || typeof scaled !== 'bigint' || scaled % 1000n !== 0n ? null : scaled / 1000n
}

/** A time in ns that fits 63 bits and isn't negative; null otherwise. */
export function timeOf(v: unknown): bigint | null {
  const t = wholeOf(v)
  return t === null || t < 0n || t > I64_MAX ? null : t
}

/** An id of 64 bits, unsigned; a negative one is read as its two's complement, because writers store unsigned ids in signed columns. null where it is none. */
export function idOf(v: unknown): bigint | null {
  const id = wholeOf(v)
  return id === null || id < -I64_MAX - 1n || id >= 1n << 64n ? null : BigInt.asUintN(64, id)
}

/** A small index (device, core, CPU): 0 to 2^31 - 1; -1 otherwise. */
export function indexOf(v: unknown): number {
  const n = wholeOf(v)
  return n === null || n < 0n || n >= 1n << 31n ? -1 : Number(n)
}

/** A number as a double: NaN where it is none or a whole number that a double does not hold. */
export function numberOf(v: unknown): number {
  if (typeof v === 'number') return v
  if (typeof v === 'bigint') return safe(v)
  if (typeof v !== 'string' || v.length > 64) return NaN
  const whole = wholeOf(v)
  if (whole !== null) return safe(whole)
  return /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(v) ? Number(v) : NaN
}
const safe = (v: bigint): number => {
  const n = Number(v)
  return Number.isSafeInteger(n) ? n : NaN
}

/** A value as text; null for null and for nothing. Objects and lists as JSON. */
export function textOf(v: unknown): string | null {
  if (v === null || v === undefined) return null
  if (typeof v === 'string') return v
  if (typeof v === 'object') return JSON.stringify(v, (_, x: unknown) => (typeof x === 'bigint' ? String(x) : x))
  if (typeof v === 'number' || typeof v === 'bigint' || typeof v === 'boolean') return String(v)
  return null
}

/** Strings stay, numbers of 16 and more characters or with an exponent become strings: JSON.parse would round them. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]{15,}|-?\d+(?:\.\d+)?[eE][+-]?\d+/g

/** Whether the text may hold such a number. A loop: the expression above tries at every character, which takes longer than JSON.parse. */
function hasLong(text: string): boolean {
  let run = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 48 && c <= 57) {
      if (++run >= 15) return true
    } else if (c !== 46) {
      if (run > 0 && (c | 32) === 101) return true
      run = 0
    }
  }
  return false
}

/** As JSON.parse, but a number too long for a double to hold for certain comes as its text. undefined where the text is no JSON. */
export function parseExact(text: string): unknown {
  try {
    return JSON.parse(hasLong(text) ? text.replace(TOKENS, t => (t.startsWith('"') ? t : `"${t}"`)) : text)
  } catch {
    return undefined
  }
}

export const isRecord = (v: unknown): v is Readonly<Record<string, unknown>> => typeof v === 'object' && v !== null && !Array.isArray(v)
