/** The figures of the runtime's tables as `system PATH --json` prints them. Absolute times are decimal strings, durations and counts numbers. */
import { stringAt } from '../../shared/columns'
import {
  EVENT_SOURCES,
  ROW_OPEN,
  ROW_SLICE,
  ROW_TAIL,
  type CpuTable,
  type HostMemoryTable,
  type SchemaVerdict,
  type SystemTable,
} from '../../shared/system-tables'
import { peakOf } from './facts'

export interface CoreReport {
  readonly device: number | null
  readonly nc: number | null
  /** Messages of the core; null for exports, which have rows. */
  readonly events: number
  readonly firstNs: string
  readonly lastNs: string
  readonly stopsWithoutStart: number
  readonly startsWithoutStop: number
  readonly headLost: boolean
  readonly droppedAtLeast: number | null
}

export interface EventsReport {
  /** Decoded messages (a slice has two); rows of exports. 0 where nothing was decoded. */
  readonly events: number
  /** Messages per name and per source; they add up to `events` less those without a time. */
  readonly byName: Readonly<Record<string, number>>
  readonly bySource: Readonly<Record<string, number>>
  readonly slices: number
  /** Starts without a stop and stops without a start. */
  readonly unmatched: number
  /** Events known to be lost: as the file says, otherwise at least those whose other half is there. null where nothing was decoded. */
  readonly dropped: number | null
  readonly cores: readonly CoreReport[]
  readonly startNs: string | null
  readonly spanNs: number | null
}

export interface SchemaReport {
  readonly origin: SchemaVerdict['origin']
  readonly framing: string | null
  readonly checks: SchemaVerdict['checks']
  readonly unverified: readonly string[]
}

export const schemaReport = (v: SchemaVerdict | null): SchemaReport => ({
  origin: v?.origin ?? null,
  framing: v?.framing ?? null,
  checks: v?.checks ?? [],
  unverified: v?.unverified ?? [],
})

export function eventsReport(t: SystemTable | null): EventsReport {
  if (!t) return { events: 0, byName: {}, bySource: {}, slices: 0, unmatched: 0, dropped: null, cores: [], startNs: null, spanNs: null }
  const byName = new Map<string, number>()
  const bySource = new Map<string, number>()
  for (let k = 0; k < t.types.count; k++) {
    const n = t.types.messages[k] as number
    add(byName, stringAt(t.strings, t.types.name[k] as number), n)
    add(bySource, EVENT_SOURCES[t.types.source[k] as number] ?? 'unknown', n)
  }
  let slices = 0
  let unmatched = 0
  for (const s of t.state) {
    if (s === ROW_SLICE) slices++
    else if (s === ROW_OPEN || s === ROW_TAIL) unmatched++
  }
  const at = (ns: number): string => String(t.epochNs + BigInt(Math.round(ns)))
  return {
    events: t.messages,
    byName: ranked(byName),
    bySource: ranked(bySource),
    slices,
    unmatched,
    dropped: t.dropped ?? t.cores.reduce((n, c) => n + (c.droppedAtLeast ?? 0), 0),
    cores: t.cores.map(c => ({
      device: c.device < 0 ? null : c.device,
      nc: c.nc < 0 ? null : c.nc,
      events: c.messages,
      firstNs: at(c.firstNs),
      lastNs: at(c.lastNs),
      stopsWithoutStart: c.stopsWithoutStart,
      startsWithoutStop: c.startsWithoutStop,
      headLost: c.headLost,
      droppedAtLeast: c.droppedAtLeast,
    })),
    startNs: t.range ? at(t.range[0]) : null,
    spanNs: t.range ? t.range[1] - t.range[0] : null,
  }
}

/** null where there is no such file, or nothing of it could be decoded. */
export const cpuReport = (t: CpuTable | null): { readonly samples: number; readonly cores: number } | null =>
  t && { samples: t.count, cores: t.cores.length }

export const hostMemoryReport = (t: HostMemoryTable | null): { readonly samples: number; readonly peakBytes: number | null } | null =>
  t && { samples: t.count, peakBytes: peakOf(t) }

function add(map: Map<string, number>, key: string, n: number): void {
  map.set(key, (map.get(key) ?? 0) + n)
}

/** Most first, by name where equal. */
const ranked = (map: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...map].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)))
