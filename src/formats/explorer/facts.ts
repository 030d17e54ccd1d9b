/** What a read export says about itself, for `inspect` and the details of a file. Small values only. */
import type { SystemTable } from '../../shared/system-tables'

export interface ExportFacts {
  readonly source: string
  readonly schema: string | null
  /** Rows of events; a slice is one. */
  readonly events: number
  readonly cores: number
  /** Unix ns of the first event as a decimal string; null without events or where the times are none of Unix. */
  readonly startNs: string | null
  /** Last minus first event time; null without events. */
  readonly spanNs: number | null
  readonly cpuSamples: number
  readonly hostMemorySamples: number
  readonly hbmSamples: number
  readonly deviceProfiles: number
  readonly dropped: number | null
}

export const exportFacts = (t: SystemTable): ExportFacts => ({
  source: t.source,
  schema: t.verdict.schema,
  events: t.count,
  cores: t.cores.length,
  startNs: t.count > 0 && t.clock === 'unix-nanoseconds' ? String(t.epochNs) : null,
  spanNs: t.range === null ? null : t.range[1] - t.range[0],
  cpuSamples: t.cpu?.count ?? 0,
  hostMemorySamples: t.hostMemory?.count ?? 0,
  hbmSamples: t.hbmUsage?.count ?? 0,
  deviceProfiles: t.info?.profiles.length ?? 0,
  dropped: t.dropped,
})
