/** Words of the alignment: methods, confidence, times of day. Pure. */
import type { SessionView } from '../../../shared/api'
import type { ClockConfidence, ClockInfo, ClockMethod } from '../../../shared/clock-api'
import { duration } from '../../../shared/format'
import type { IconName } from '../shell/icons'
import { shiftText } from './decimal'

export const METHOD: Readonly<Record<ClockMethod, string>> = {
  'host-clock': 'Host clock',
  'kineto-base-time': 'Base time of the trace',
  'unix-microseconds': 'Unix microseconds',
  'sync-points': 'Sync points of the device',
  own: 'Clock of its own',
  none: 'No times',
}

export const CONFIDENCE: Readonly<
  Record<ClockConfidence, { readonly icon: IconName; readonly cls: string; readonly word: string; readonly title: string }>
> = {
  checked: { icon: 'check', cls: 'ok', word: 'checked', title: 'Compared with something independent.' },
  stated: { icon: 'info', cls: '', word: 'stated', title: 'The file says so, and nothing contradicts it.' },
  doubtful: { icon: 'warn', cls: 'warn', word: 'doubtful', title: 'Something contradicts it or is missing.' },
  unknown: { icon: 'warn', cls: 'warn', word: 'unknown', title: 'Nothing tells.' },
}

/** The clock of the whole file. */
export const wholeOf = (clocks: readonly ClockInfo[], file: string): ClockInfo | undefined =>
  clocks.find(c => c.file === file && c.part === '')

/** Whether its times are on Unix time: by the file, or by a shift. */
export const onUnixTime = (c: ClockInfo): boolean => c.method !== 'none' && (c.method !== 'own' || c.shiftNs !== '0')

/** Local time of Unix ns with all its digits: `2026-11-30T14:22:07.123456789+01:00`. */
export function isoLocal(unixNs: bigint, zone: (ms: number) => number = ms => new Date(ms).getTimezoneOffset()): string {
  const fraction = ((unixNs % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  const ms = Number((unixNs - fraction) / 1_000_000n)
  const minutes = -zone(ms)
  const wall = new Date(ms + minutes * 60_000)
  if (Number.isNaN(wall.getTime())) return 'outside the calendar'
  const two = (v: number): string => String(v).padStart(2, '0')
  const away = Math.abs(minutes)
  const offset = minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(Math.floor(away / 60))}:${two(away % 60)}`
  return `${wall.toISOString().slice(0, 19)}.${String(fraction).padStart(9, '0')}${offset}`
}

/** What follows the clocks in the status bar: `, known residual ≤ 12 µs, 2 files shifted by hand`. Of some files nothing tells a residual, hence `known`. */
export function statusTail(view: SessionView): string {
  const clocks = view.clocks ?? []
  const residual = clocks.reduce<number | null>((m, c) => (c.residualNs === null ? m : Math.max(m ?? 0, c.residualNs)), null)
  const shifted = clocks.filter(c => c.part === '' && c.shiftNs !== '0')
  return [
    residual !== null && residual > 0 && view.groups.length === 1 && view.sources.length > 1
      ? `, known residual ≤ ${duration(residual)}`
      : '',
    shifted.length === 1 ? `, shifted by hand ${shiftText(BigInt(shifted[0].shiftNs))}` : '',
    shifted.length > 1 ? `, ${shifted.length} files shifted by hand` : '',
  ].join('')
}
