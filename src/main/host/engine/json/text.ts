/** Spelling of what stands in a Chrome trace: times, strings, places. */
import { stringAt, type StringTable } from '../../../../shared/columns'

/** Whole ns as microseconds with three decimals, so that no digit is lost: `1234.567`. */
export function micros(ns: number): string {
  const n = Math.round(ns)
  const a = Math.abs(n)
  const us = Math.floor(a / 1000)
  const rest = a - us * 1000
  return `${n < 0 ? '-' : ''}${us}.${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}`
}

/** The same for a time that is counted from `zero`, which a double may not hold. */
export function microsFrom(zero: bigint, ns: number): string {
  if (zero === 0n) return micros(ns)
  const n = zero + BigInt(Math.round(ns))
  const a = n < 0n ? -n : n
  return `${n < 0n ? '-' : ''}${a / 1000n}.${String(a % 1000n).padStart(3, '0')}`
}

/** pid, tid and ids stand in a file as numbers or texts; readers take 5 and "5" for the same, but some want numbers. */
export const idText = (id: string): string => (/^(0|-?[1-9]\d{0,14})$/.test(id) ? id : JSON.stringify(id))

/** JSON strings of a string table, each made once. */
export class JsonTexts {
  readonly #strings: StringTable
  readonly #texts = new Map<number, string>()

  constructor(strings: StringTable) {
    this.#strings = strings
  }

  /** '' for an absent string. */
  at(id: number): string {
    if (id < 0) return ''
    let text = this.#texts.get(id)
    if (text === undefined) this.#texts.set(id, (text = JSON.stringify(stringAt(this.#strings, id))))
    return text
  }
}
