/**
 * What a reader found that a user should know. Readers never throw on bad data: they return what could be read plus these.
 * Everything that is skipped is counted in one of them.
 */
export type Severity = 'info' | 'warning' | 'error'

export interface Diagnostic {
  readonly severity: Severity
  /** Stable machine name, kebab-case, e.g. `pickle-global`, `trace-truncated`. */
  readonly code: string
  /** Path of the file, relative to the opened root where there is one. */
  readonly file: string
  /** Byte offset in the (uncompressed) stream, null where none applies. */
  readonly offset: number | null
  /** What was found, one short sentence. */
  readonly message: string
  /** What it means for the numbers on the screen. */
  readonly meaning: string
  /** What the user can do. */
  readonly action: string
  /** How many times, when the same finding was merged; 1 otherwise. */
  readonly count: number
}

/** Collects diagnostics of one file; the same code beyond `limit` occurrences is merged into a count on the first one. */
export class DiagnosticSink {
  readonly #list: Diagnostic[] = []
  readonly #seen = new Map<string, { index: number; kept: number }>()
  readonly #file: string
  readonly #limit: number

  constructor(file: string, limit = 20) {
    this.#file = file
    this.#limit = limit
  }

  add(d: Omit<Diagnostic, 'file' | 'count' | 'offset'> & { readonly offset?: number | null; readonly count?: number }): void {
    const seen = this.#seen.get(d.code)
    const count = d.count ?? 1
    if (seen && seen.kept >= this.#limit) {
      const first = this.#list[seen.index] as Diagnostic
      this.#list[seen.index] = { ...first, count: first.count + count }
      return
    }
    if (seen) seen.kept++
    else this.#seen.set(d.code, { index: this.#list.length, kept: 1 })
    this.#list.push({ ...d, file: this.#file, offset: d.offset ?? null, count })
  }

  get list(): readonly Diagnostic[] {
    return this.#list
  }
}
