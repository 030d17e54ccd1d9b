/**
 * Notes on the time axis: a moment (a mark) or a range, with words. They keep Unix ns, so that they stay where they are when sources come, go or are shifted; on the screen they
 * are ns of a time group. Pure.
 */
import type { Note } from '../../../shared/trace-api'
import { csvText } from '../../../shared/csv'
import type { TimeWindow } from '../state/view'
import { isoText, unixNs } from '../time/parse'

/** A note where it stands in a time group. */
export interface PlacedNote {
  readonly id: string
  readonly start: number
  /** null: a moment. */
  readonly end: number | null
  readonly text: string
  readonly color: number
}

/** What the host takes (`NOTE`, `notes.set`). */
export { MOST_NOTES } from '../../../shared/trace-api'
export const MOST_TEXT = 2000
/** Colours that notes take in turn. */
export const NOTE_COLORS = 10

const at = (ns: string, originNs: bigint): number => Number(BigInt(ns) - originNs)

export const placed = (n: Note, originNs: bigint): PlacedNote => ({
  id: n.id,
  start: at(n.startNs, originNs),
  end: n.endNs === null ? null : at(n.endNs, originNs),
  text: n.text,
  color: n.color,
})

/** The notes of a time group, by start: those that touch its data. Notes elsewhere belong to another range of the session, or to a file that is gone. */
export function notesIn(notes: readonly Note[], originNs: bigint, extent: TimeWindow): readonly PlacedNote[] {
  // The window reaches a little beyond the data, and so may a mark.
  const margin = (extent.end - extent.start) * 0.12
  return notes
    .map(n => placed(n, originNs))
    .filter(n => n.start <= extent.end + margin && (n.end ?? n.start) >= extent.start - margin)
    .sort((a, b) => a.start - b.start || (a.end ?? a.start) - (b.end ?? b.start))
}

/** Start and end as the host keeps them, in order and at whole ns. */
export function keptTimes(start: number, end: number | null, originNs: bigint): Pick<Note, 'startNs' | 'endNs'> {
  const a = unixNs(start, originNs)
  if (end === null) return { startNs: String(a), endNs: null }
  const b = unixNs(end, originNs)
  return a <= b ? { startNs: String(a), endNs: String(b) } : { startNs: String(b), endNs: String(a) }
}

/** The colour that was used least, the lowest of several. */
export function nextColor(notes: readonly Note[]): number {
  const used = Array.from({ length: NOTE_COLORS }, (_, c) => notes.filter(n => n.color === c).length)
  return used.indexOf(Math.min(...used))
}

/** `Mark 3`, `Range 2`: what a note without words is called. */
export const nameOf = (n: Pick<Note, 'text' | 'endNs'>, number: number): string =>
  n.text.trim() || `${n.endNs === null ? 'Mark' : 'Range'} ${number}`

/** Times of a clock that does not count from 1970 are small and have no date. */
const dateOf = (ns: string): string | null => (BigInt(ns) >= 100_000_000_000_000_000n ? isoText(BigInt(ns)) : null)

/** Notes as JSON: what the host keeps, with the dates for people. Times are decimal text, since they are more digits than a double has. */
export const notesJson = (notes: readonly Note[]): string =>
  JSON.stringify(
    {
      version: 1,
      notes: sorted(notes).map(n => ({
        text: n.text,
        startNs: n.startNs,
        endNs: n.endNs,
        start: dateOf(n.startNs),
        end: n.endNs === null ? null : dateOf(n.endNs),
        color: n.color,
      })),
    },
    null,
    2,
  ) + '\n'

export const notesCsv = (notes: readonly Note[]): string =>
  csvText(
    ['text', 'start_ns', 'end_ns', 'duration_ns', 'start_utc'],
    sorted(notes).map(n => [
      n.text,
      n.startNs,
      n.endNs,
      n.endNs === null ? null : String(BigInt(n.endNs) - BigInt(n.startNs)),
      dateOf(n.startNs),
    ]),
  )

const sorted = (notes: readonly Note[]): readonly Note[] =>
  [...notes].sort((a, b) => {
    const d = BigInt(a.startNs) - BigInt(b.startNs)
    return d < 0n ? -1 : d > 0n ? 1 : 0
  })
