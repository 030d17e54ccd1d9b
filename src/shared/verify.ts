/** The comparison of a snapshot's figures with those of a second, independent reading. */

/** Largest file (uncompressed) that the second reader is tried on: it needs all of it at once, and several times its size in memory. */
export const VERIFY_MAX_BYTES = 64e6

export type Verdict = 'equal' | 'differs' | 'cannot-tell'

export interface VerifyRow {
  /** null: of the whole file. */
  readonly device: number | null
  /** Name as in `snapshot --json`; `events.alloc` is one of eventsByAction. */
  readonly figure: string
  /** null: not told. */
  readonly ours: number | null
  readonly second: number | null
  readonly verdict: Verdict
  /** Why it cannot be told; null otherwise. */
  readonly reason: string | null
}

export interface Verification {
  /** Of all rows: differs if one differs, cannot-tell if none could be compared; not-tried where the second reader was not started. */
  readonly verdict: Verdict | 'not-tried'
  /** Who read second, with its version. */
  readonly reader: string
  readonly rows: readonly VerifyRow[]
  /** What was not compared, or only in part, and why; sentences. */
  readonly limits: readonly string[]
}

/** What a second reader answers: the file's value as plain data, or why there is none. */
export type SecondReading =
  | {
      readonly ok: true
      readonly reader: string
      readonly value: unknown
      /** Integers that this reader takes for another number, by kind. */
      readonly misread: { readonly negative: number; readonly large: number }
    }
  | { readonly ok: false; readonly reader: string; readonly reason: string }
