/**
 * What a file name alone hints at. Names decide only where the content is empty, cut too early or has no magic (the runtime's .pb files).
 * Sources: names in the Neuron profiling guides (`ntrace.pb`, `trace_info.pb`, `cpu_util.pb`, `host_mem.pb`, `trace.json`, `memory_snapshot*.pickle`,
 * `framework_mapping_<time>.json`, `neuron_framework_trace_rank_<N>.json`), Kineto's `*.pt.trace.json`, exports of Neuron Explorer.
 */
import type { FileKind } from '../shared/catalog'

const PATTERNS: readonly (readonly [RegExp, FileKind])[] = [
  [/\.ntff$/i, 'ntff'],
  [/\.neff$/i, 'neff'],
  [/(^|[._-])ntrace([._-].*)?\.pb$/i, 'ntrace'],
  [/(^|[._-])trace_info([._-].*)?\.pb$/i, 'trace-info'],
  [/(^|[._-])cpu_util([._-].*)?\.pb$/i, 'cpu-util'],
  [/(^|[._-])host_mem(ory)?([._-].*)?\.pb$/i, 'host-memory'],
  [/^framework_mapping.*\.json$/i, 'framework-mapping'],
  [/^(system_profile|device_profile).*\.json$/i, 'explorer-json'],
  [/\.parquet$/i, 'explorer-parquet'],
  [/\.(pftrace|perfetto-trace|perfetto)$/i, 'perfetto-trace'],
  [/(^|[._-])trace([._-].*)?\.json(\.gz)?$/i, 'chrome-trace'],
  [/\.(pickle|pkl)(\.gz)?$/i, 'memory-snapshot'],
  [/snapshot.*\.(json|html?)(\.gz)?$/i, 'memory-snapshot'],
]

/** The kind that a file's base name hints at; null where it hints at none. */
export function kindOfName(name: string): FileKind | null {
  const base = name.slice(name.lastIndexOf('/') + 1)
  return PATTERNS.find(([pattern]) => pattern.test(base))?.[1] ?? null
}
