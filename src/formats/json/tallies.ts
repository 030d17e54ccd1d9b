/** Findings of one kind counted, with the offset of the first: what a reader comes across a million times is one diagnostic. */
import type { DiagnosticSink, Severity } from '../../shared/diagnostics'

/** What a merged finding says: severity, message, meaning, action. */
export type Words = readonly [Severity, string, string, string]

interface Tally {
  count: number
  readonly offset: number
}

/**
 * What concerns a record is held back until the record is whole (`keep`) and forgotten when it is not (`drop`): a record that is left out is told once, as damaged.
 */
export class Tallies<Code extends string> {
  readonly #words: Readonly<Record<Code, Words>>
  readonly #told = new Map<Code, Tally>()
  readonly #held = new Map<Code, Tally>()
  /** A record is being read. */
  inRecord = false

  constructor(words: Readonly<Record<Code, Words>>) {
    this.#words = words
  }

  add(code: Code, offset: number): void {
    merge(this.inRecord ? this.#held : this.#told, code, offset, 1)
  }

  /** The record is whole. */
  keep(): void {
    this.inRecord = false
    if (this.#held.size === 0) return
    for (const [code, t] of this.#held) merge(this.#told, code, t.offset, t.count)
    this.#held.clear()
  }

  /** The record is left out. */
  drop(): void {
    this.inRecord = false
    if (this.#held.size > 0) this.#held.clear()
  }

  count(code: Code): number {
    return this.#told.get(code)?.count ?? 0
  }

  /** One diagnostic for each code, in the order of the first occurrences. */
  finish(sink: DiagnosticSink): void {
    for (const [code, { count, offset }] of this.#told) {
      const [severity, text, meaning, action] = this.#words[code]
      const message = count > 1 ? `${text} (${count} times, first at byte ${offset})` : text
      sink.add({ severity, code, offset, message, meaning, action, count })
    }
    this.#told.clear()
  }
}

function merge<Code>(into: Map<Code, Tally>, code: Code, offset: number, count: number): void {
  const t = into.get(code)
  if (t) t.count += count
  else into.set(code, { count, offset })
}
