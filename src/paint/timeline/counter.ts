/** How counters are scaled and written. */
import type { TrackInfo } from '../../shared/api'
import { memory, num } from '../../shared/format'
import type { CounterSpan } from './columns'

const NBSP = '\u00a0'
const BYTES = /^(b|bytes?)$/i

/** Range of a counter's lane: from zero, unless it goes below. A counter that is always zero has its line at the bottom. */
export function counterRange(track: Pick<TrackInfo, 'min' | 'max'>): readonly [number, number] {
  const low = Math.min(0, Number.isFinite(track.min) ? track.min : 0)
  const high = Math.max(0, Number.isFinite(track.max) ? track.max : 0)
  return [low, high > low ? high : low + 1]
}

/** A counter's value in words; `—` where it is not known. */
export function counterText(track: Pick<TrackInfo, 'note'>, value: number): string {
  if (!Number.isFinite(value)) return '—'
  if (BYTES.test(track.note)) return memory(value)
  return number(value) + (track.note ? NBSP + track.note : '')
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
  return `${BYTES.test(track.note) ? memory(low) : number(low)}–${one}`
}
