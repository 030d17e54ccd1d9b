/**
 * The part of the API contract that concerns clocks: how the times of each source became Unix times, how far to trust that, and shifts by hand. `api.ts` takes it up.
 */
import * as v from 'valibot'

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200))

/** Long enough to bring a clock that counts from 0 to Unix time, and no longer. */
export const MAX_SHIFT_NS = 4_000_000_000_000_000_000n
export const shift = v.pipe(
  v.string(),
  v.check(s => /^-?\d{1,19}$/.test(s) && BigInt(s) <= MAX_SHIFT_NS && BigInt(s) >= -MAX_SHIFT_NS, 'not ns of at most 126 years'),
)

export const CLOCK_REQUESTS = {
  /** Sets the whole shift of one source in ns (a decimal number, '0' takes it away). Its file is named, so that the shift stays when the file is read again. */
  'alignment.shift': v.strictObject({ session: id, file: id, shiftNs: shift }),
  /** Shows the runtime's events of this file, of several that tell of the same run. */
  'system.choose': v.strictObject({ session: id, file: id }),
  /** Takes the last shift of this session back. */
  'alignment.undo': v.strictObject({ session: id }),
} as const

/**
 * host-clock: the file has Unix ns of the host. kineto-base-time: base time of the trace plus the event's. unix-microseconds: Unix µs. sync-points: the hardware's times by
 * `timestamp_sync_point`. own: relative to an unknown zero. none: no times.
 */
export type ClockMethod = 'host-clock' | 'kineto-base-time' | 'unix-microseconds' | 'sync-points' | 'own' | 'none'

/** checked: compared with something independent. stated: the file says so, nothing contradicts. doubtful: something contradicts or is missing. unknown: nothing tells. */
export type ClockConfidence = 'checked' | 'stated' | 'doubtful' | 'unknown'

export interface ClockInfo {
  readonly file: string
  readonly path: string
  /** Row of SessionView.sources. */
  readonly source: number
  /** What of the file this is about: '' for all of it, `neuron_hw` for its hardware events. */
  readonly part: string
  readonly method: ClockMethod
  /** What was done, in a sentence or two. */
  readonly text: string
  readonly confidence: ClockConfidence
  /** Correction that was applied to the stored times, ns (decimal); null where none was, or none could be computed. */
  readonly offsetNs: string | null
  /** What stays unsure after it, ns; null where nothing tells. */
  readonly residualNs: number | null
  /** Shift by hand, ns (decimal); '0' for none. */
  readonly shiftNs: string
  /** Unix ns of the first and last time with the shift (decimal); null without times. */
  readonly startNs: string | null
  readonly endNs: string | null
  /** Paths of the other sources with which it overlaps in time. */
  readonly overlaps: readonly string[]
}

/** A file that tells of the runtime, where several kinds do. */
export interface SystemChoice {
  readonly file: string
  readonly path: string
  /** `runtime trace`, `Parquet export`. */
  readonly words: string
  /** Slices, instants and unmatched halves. */
  readonly events: number
  readonly shown: boolean
}

export interface ClockAnswers {
  'system.choose': null
  'alignment.shift': null
  /** False: there was nothing to take back. */
  'alignment.undo': { readonly undone: boolean }
}
