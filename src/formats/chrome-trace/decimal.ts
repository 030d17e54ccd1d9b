/**
 * Decimal text to integers. Times of a trace are decimal microseconds with up to three digits after the point at a scale (1.7e15) where a double
 * resolves only 0.25 µs, so they never pass through one: the text becomes whole microseconds and a rest of 0..999 ns.
 */

export const PARSED = 0
export const NOT_A_NUMBER = 1
/** Outside of what 64-bit nanoseconds hold (years 1684 to 2255). */
export const OUT_OF_RANGE = 2

/** Largest number of whole microseconds: 2^53 - 2, which leaves room for a carry. */
const MAX_US = Number.MAX_SAFE_INTEGER - 1
const LONGEST = 4096
const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/

/** Parses microseconds; the result stands in `us` and `ns` so that no object is made per event. */
export class Micros {
  /** Whole microseconds, floored (may be negative). */
  us = 0
  /** Rest in nanoseconds, 0..999. */
  ns = 0

  /** Parses `b[s..e)`. More than three digits after the point are rounded half away from zero. */
  parse(b: Uint8Array, s: number, e: number): number {
    let i = s
    const negative = i < e && b[i] === 0x2d
    if (negative || (i < e && b[i] === 0x2b)) i++
    let us = 0
    const first = i
    for (; i < e; i++) {
      const d = b[i] - 48
      if (d < 0 || d > 9) break
      us = us * 10 + d
    }
    let digits = i - first
    if (digits > 16) return this.#slow(b, s, e)
    let ns = 0
    if (i < e && b[i] === 0x2e) {
      i++
      const point = i
      let scale = 100
      for (; i < e; i++) {
        const d = b[i] - 48
        if (d < 0 || d > 9) break
        const at = i - point
        if (at < 3) {
          ns += d * scale
          scale = scale === 100 ? 10 : 1
        } else if (at === 3 && d >= 5) ns++
      }
      digits += i - point
    }
    if (i < e) return b[i] === 0x65 || b[i] === 0x45 ? this.#slow(b, s, e) : NOT_A_NUMBER
    if (digits === 0) return NOT_A_NUMBER
    if (us > MAX_US) return OUT_OF_RANGE
    this.#set(negative, us, ns)
    return PARSED
  }

  #set(negative: boolean, us: number, ns: number): void {
    if (ns === 1000) {
      us++
      ns = 0
    }
    if (!negative) {
      this.us = us
      this.ns = ns
    } else {
      this.us = ns ? -us - 1 : us === 0 ? 0 : -us
      this.ns = ns ? 1000 - ns : 0
    }
  }

  /** Exponents, leading zeros, very long numbers. */
  #slow(b: Uint8Array, s: number, e: number): number {
    if (e - s > LONGEST) return NOT_A_NUMBER
    let text = ''
    for (let i = s; i < e; i++) text += String.fromCharCode(b[i])
    const scaled = scaledInteger(text, 3)
    if (typeof scaled !== 'bigint') return scaled
    const magnitude = scaled < 0n ? -scaled : scaled
    const us = Number(magnitude / 1000n)
    if (us > MAX_US) return OUT_OF_RANGE
    this.#set(scaled < 0n, us, Number(magnitude % 1000n))
    return PARSED
  }
}

/** Decimal text times 10^`shift`, rounded half away from zero to an integer; NOT_A_NUMBER or OUT_OF_RANGE (beyond 22 digits) otherwise. */
export function scaledInteger(text: string, shift: number): bigint | typeof NOT_A_NUMBER | typeof OUT_OF_RANGE {
  const m = text.length > LONGEST ? null : FORM.exec(text)
  if (!m || (!m[2] && !m[3])) return NOT_A_NUMBER
  const fraction = m[3] ?? ''
  const digits = ((m[2] ?? '') + fraction).replace(/^0+/, '')
  if (!digits) return 0n
  const zeros = Number(m[4] ?? 0) - fraction.length + shift
  if (digits.length + zeros > 22) return OUT_OF_RANGE
  let value: bigint
  if (zeros >= 0) value = BigInt(digits) * 10n ** BigInt(zeros)
  else {
    const keep = digits.length + zeros
    if (keep < 0) value = 0n
    else value = BigInt(digits.slice(0, keep) || '0') + (digits.charCodeAt(keep) >= 53 ? 1n : 0n)
  }
  return m[1] === '-' ? -value : value
}
