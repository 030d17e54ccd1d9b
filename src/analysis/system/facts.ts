/** Small facts about the runtime's files, for `inspect` and the details of a file. Times are decimal strings, ids too. */
import { ROW_SLICE, type CpuTable, type HostMemoryTable, type SystemTable, type TraceInfoTable } from '../../shared/system-tables'

export type RuntimeTable = SystemTable | CpuTable | HostMemoryTable | TraceInfoTable

export function runtimeFacts(t: RuntimeTable): Readonly<Record<string, unknown>> {
  switch (t.kind) {
    case 'system':
      return {
        events: t.messages,
        slices: sliceCount(t),
        schema: t.verdict.origin,
        framing: t.verdict.framing,
        startNs: t.range ? String(t.epochNs + BigInt(Math.round(t.range[0]))) : null,
        spanNs: t.range ? t.range[1] - t.range[0] : null,
        dropped: t.dropped,
        ...(t.source === 'ntrace' ? {} : exportFacts(t)),
      }
    case 'cpu':
      return { samples: t.count, cores: t.cores.length, schema: t.verdict.origin }
    case 'host-memory':
      return { samples: t.count, peakBytes: peakOf(t), schema: t.verdict.origin }
    case 'trace-info':
      return {
        pid: t.pid?.value ?? null,
        sessionNs: t.sessionNs ? String(t.sessionNs.value) : null,
        instanceId: t.instanceId?.value ?? null,
        instanceType: t.instanceType?.value ?? null,
        logicalNcSize: t.logicalNcSize?.value ?? null,
        names: t.names.size,
        profiles: t.profiles.length,
        schema: t.verdict.origin,
      }
  }
}

/** What the file of an export holds beside events. */
const exportFacts = (t: SystemTable): Readonly<Record<string, unknown>> => ({
  source: t.source,
  schemaText: t.verdict.schema,
  cores: t.cores.length,
  cpuSamples: t.cpu?.count ?? 0,
  hostMemorySamples: t.hostMemory?.count ?? 0,
  hbmSamples: t.hbmUsage?.count ?? 0,
  deviceProfiles: t.info?.profiles.length ?? 0,
})

/** Rows whose start and stop are both known. */
export function sliceCount(t: SystemTable): number {
  let n = 0
  for (const s of t.state) if (s === ROW_SLICE) n++
  return n
}

/** Largest sample in bytes; null without any. */
export function peakOf(t: HostMemoryTable): number | null {
  let peak: number | null = null
  for (const v of t.usage) if (!Number.isNaN(v) && (peak === null || v > peak)) peak = v
  return peak
}
