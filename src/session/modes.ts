/** Profile modes as the files of a session show them. */
import { MODES, type CatalogFile, type FileKind, type Mode } from '../shared/catalog'

const MODE_OF: Partial<Record<FileKind, Mode>> = {
  neff: 'DEVICE',
  ntff: 'DEVICE',
  ntrace: 'RUNTIME',
  'trace-info': 'RUNTIME',
  'cpu-util': 'CPU_UTIL',
  'host-memory': 'HOST_MEMORY',
  'chrome-trace': 'framework',
  'memory-snapshot': 'snapshot',
}

/**
 * Empty files count: the runtime creates a mode's file when the mode is on, and leaves `cpu_util.pb` or `host_mem.pb` at 0 bytes when nothing was sampled.
 * Exports of Neuron Explorer show no mode: they are made later.
 */
export function modesOf(files: readonly Pick<CatalogFile, 'kind'>[]): readonly Mode[] {
  const found = new Set(files.map(f => MODE_OF[f.kind]))
  return MODES.filter(m => found.has(m))
}
