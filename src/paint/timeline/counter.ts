/** How counters are scaled and written. */
import type { TrackInfo } from '../../shared/api'
import { memory, num } from '../../shared/format'
import type { CounterSpan } from './columns'

const NBSP = '\u00a0'
const BYTES = /^(b|bytes?)$/i
const RATE = /^(b|bytes?)\/s$/i

/** `1.25 GiB`, for a rate `1.25 GiB/s`; null for units that are no bytes. */
const bytesText = (unit: string, value: number): string | null =>
  BYTES.test(unit) ? memory(value) : RATE.test(unit) ? `${memory(value)}/s` : null

/** Range of a counter's lane: from zero, unless it goes below. A counter that is always zero has its line at the bottom. */
export function counterRange(track: Pick<TrackInfo, 'min' | 'max'>): readonly [number, number] {
  const low = Math.min(0, Number.isFinite(track.min) ? track.min : 0)
  const high = Math.max(0, Number.isFinite(track.max) ? track.max : 0)
  return [low, high > low ? high : low + 1]
}

/** A counter's value in words; `—` where it is not known. */
export function counterText(track: Pick<TrackInfo, 'note'>, value: number): string {
  if (!Number.isFinite(value)) return '—'
  return bytesText(track.note, value) ?? number(value) + (track.note ? NBSP + track.note : '')
}

function number(value: number): string {
  const a = Math.abs(value)
  return num(value, Number.isInteger(value) || a >= 1000 ? 0 : a >= 10 ? 1 : 3)
}

/**
 * What is known of a counter at a position: its value, or `low–high` where it took several in the pixel column and the answer does not tell which
 * one holds there. `—` where nothing is known.
 */
export function counterSpanText(track: Pick<TrackInfo, 'note'>, span: CounterSpan): string {
  const { low, high } = span
  const one = counterText(track, high)
  if (!(low < high) || counterText(track, low) === one) return one
  return `${bytesText(track.note, low) ?? number(low)}–${one}`
}

/** The value to the last byte, `13,421,772,800 B/s`; null where the short form says all. */
export function exactText(track: Pick<TrackInfo, 'note'>, value: number): string | null {
  if (!Number.isFinite(value) || bytesText(track.note, value) === null || Math.abs(value) < 1024) return null
  return `${num(value)}${NBSP}${RATE.test(track.note) ? 'B/s' : 'B'}`
}
