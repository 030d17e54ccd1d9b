/** Figures of a range in words. Pure. */
import type { CoreBusy, MemoryEnds, RangeAnswer } from '../../../shared/trace-api'
import { memory, num } from '../../../shared/format'

const NBSP = '\u00a0'

/** With its sign, `+12.0 MiB`, `−1.204 ms`; what did not change has none. */
export const signed = (v: number, write: (v: number) => string): string => (v > 0 ? '+' : v < 0 ? '−' : '') + write(Math.abs(v))

/** `43.2 %`; `<0.1 %` where it would read as nothing, `—` without a whole. */
export function percent(part: number, whole: number): string {
  if (!(whole > 0)) return '—'
  const p = (100 * part) / whole
  return (p > 0 && p < 0.05 ? '<0.1' : num(p, p === 0 ? 0 : 1)) + NBSP + '%'
}

/** Busy share of a core of the time that is known of it; null where nothing is. */
export const busyShare = (c: CoreBusy): number | null => (c.busyNs === null || c.knownNs <= 0 ? null : c.busyNs / c.knownNs)

/** Mean over the cores that were captured, weighted by what is known of each; null without any. */
export function meanBusy(cores: readonly CoreBusy[]): number | null {
  let busy = 0
  let known = 0
  for (const c of cores)
    if (c.busyNs !== null) {
      busy += c.busyNs
      known += c.knownNs
    }
  return known > 0 ? busy / known : null
}

export interface Moved {
  readonly direction: RangeAnswer['moved'][number]['direction']
  readonly transfers: number
  /** null: no transfer carries a size. */
  readonly bytes: number | null
  readonly withoutSize: number
}

/** Transfers by direction, all places together. */
export function movedByDirection(moved: RangeAnswer['moved']): readonly Moved[] {
  return (['host_to_device', 'device_to_host'] as const).flatMap(direction => {
    const own = moved.filter(m => m.direction === direction)
    if (own.length === 0) return []
    const sized = own.filter(m => m.bytes !== null)
    return [
      {
        direction,
        transfers: own.reduce((n, m) => n + m.transfers, 0),
        bytes: sized.length === 0 ? null : sized.reduce((n, m) => n + (m.bytes ?? 0), 0),
        withoutSize: own.reduce((n, m) => n + m.withoutSize, 0),
      },
    ]
  })
}

export const DIRECTION: Readonly<Record<Moved['direction'], string>> = {
  host_to_device: 'Host to device',
  device_to_host: 'Device to host',
}

/** Difference of both ends; null where one of them is not known. */
export const changeOf = (m: MemoryEnds): number | null => (m.startBytes === null || m.endBytes === null ? null : m.endBytes - m.startBytes)

export const bytesOrDash = (b: number | null): string => (b === null ? '—' : memory(b))

/** How a memory figure counts, short enough for a head. */
export const MEANING: Readonly<Record<MemoryEnds['meaning'], string>> = {
  'active (requested)': 'active, requested',
  reserved: 'reserved',
  'HBM total': 'total',
  'host resident': 'resident',
}
