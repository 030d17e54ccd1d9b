/** How counters are scaled and written. */
import type { TrackInfo } from '../../shared/api'
import { memory, num } from '../../shared/format'

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
  const a = Math.abs(value)
  const digits = Number.isInteger(value) || a >= 1000 ? 0 : a >= 10 ? 1 : 3
  return num(value, digits) + (track.note ? NBSP + track.note : '')
}
