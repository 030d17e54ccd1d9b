/** Top-level members of a trace other than its events, within bounds: what is kept of them and what they say about the clock and the rank. */
import type { Findings } from './findings'
import { scaledInteger } from './decimal'

/** Longest member that is kept, longest one that is looked at, and the sum of all that are kept (raw bytes of keys and values). */
export const MAX_MEMBER = 64 * 1024
export const MAX_LOOKED_AT = 1024 * 1024
const MAX_TOTAL = 4 * 1024 * 1024
const MAX_MEMBERS = 1000

export class Metadata {
  readonly #findings: Findings
  readonly #members = new Map<string, string>()
  #total = 0
  #rank: number | null = null
  #ranked = false

  constructor(findings: Findings) {
    this.#findings = findings
  }

  /** The raw texts by key. */
  get members(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#members)
  }

  /** `distributedInfo.rank`; null where there is none, or two that differ. */
  get rank(): number | null {
    return this.#rank
  }

  /** Takes a member of at most MAX_LOOKED_AT bytes at `offset`; the last one of a name counts, as in every JSON reader. */
  set(key: string, offset: number, text: string): void {
    if (key === 'distributedInfo') this.#rankOf(text, offset)
    if (text.length > MAX_MEMBER) return this.#findings.longMember(key, offset, text.length)
    const old = this.#members.get(key)
    if (key === 'baseTimeNanoseconds' && old !== undefined && !sameNumber(old, text)) this.#findings.secondBase(offset)
    const size = key.length + text.length - (old === undefined ? 0 : key.length + old.length)
    if ((old === undefined && this.#members.size >= MAX_MEMBERS) || this.#total + size > MAX_TOTAL) {
      this.#findings.tooManyMembers(offset)
      return
    }
    this.#total += size
    this.#members.set(key, text)
  }

  /** The base time in ns; null where there is none. */
  baseTime(): bigint | null {
    const raw = this.#members.get('baseTimeNanoseconds')
    if (raw === undefined || raw === 'null') return null
    const value = integer(raw)
    if (typeof value === 'bigint') return value
    this.#findings.add(
      'warning',
      'trace-base-time',
      null,
      `baseTimeNanoseconds is not a number: ${raw.slice(0, 60)}.`,
      'The times of this trace cannot be placed on the Unix clock.',
      'Check the program that wrote the file.',
    )
    return null
  }

  has(key: string): boolean {
    return this.#members.has(key)
  }

  #rankOf(text: string, offset: number): void {
    let rank: unknown
    try {
      rank = (JSON.parse(text) as { readonly rank?: unknown } | null)?.rank
    } catch {
      return
    }
    if (typeof rank !== 'number' || !Number.isInteger(rank) || rank < 0) return
    if (this.#ranked && rank !== this.#rank) {
      this.#findings.secondRank(offset)
      this.#rank = null
    } else if (!this.#ranked) this.#rank = rank
    this.#ranked = true
  }
}

const integer = (raw: string): ReturnType<typeof scaledInteger> => scaledInteger(raw.replace(/^"\s*|\s*"$/g, ''), 0)
const sameNumber = (a: string, b: string): boolean => integer(a) === integer(b)
