/** Which reader reads which kind of file. Readers are loaded when needed: a command that reads none starts fast. */
import type { ReadableKind } from '../shared/catalog'
import type { ByteSource, ReadOptions, ReadResult } from '../shared/reader'
import type { ParsedTable } from '../shared/tables'

type Reader = (source: ByteSource, options?: ReadOptions) => Promise<ReadResult<ParsedTable>>

const READERS: Readonly<Record<ReadableKind, () => Promise<Reader>>> = {
  'chrome-trace': async () => (await import('./chrome-trace/read')).readTrace,
  'memory-snapshot': async () => (await import('./memory-snapshot/read')).readSnapshot,
  neff: async () => (await import('./neff/read')).readNeff,
  ntff: async () => (await import('./ntff/read')).readNtff,
  ntrace: async () => (await import('./neuron-runtime/ntrace')).readNtrace,
  'trace-info': async () => {
    const { readTraceInfo } = await import('./neuron-runtime/info')
    return (source, options) => readTraceInfo(source, { ...options, expect: expected(source.name) })
  },
  'cpu-util': async () => (await import('./neuron-runtime/samples')).readCpuUtil,
  'host-memory': async () => (await import('./neuron-runtime/samples')).readHostMemory,
  'framework-mapping': async () => (await import('./framework-mapping/read')).readFrameworkMapping,
  'explorer-parquet': async () => (await import('./explorer/parquet')).readExplorerParquet,
  'explorer-json': async () => (await import('./explorer/json')).readSystemProfileJson,
  'perfetto-trace': async () => (await import('./perfetto/read')).readPerfettoTrace,
}

/** What the names of the folders say about a session; facts in the file that are the same are known to be those. */
function expected(path: string): { readonly pid: number | null; readonly sessionNs: bigint | null } {
  const pid = /[_-]pid[_-](\d{1,10})(?=\/)/.exec(path)?.[1]
  const time = /\/(\d{18,19})\/[^/]*$/.exec(path)?.[1]
  return { pid: pid === undefined ? null : Number(pid), sessionNs: time === undefined ? null : BigInt(time) }
}

/** Reads a file of a known kind into its table. Bad data is told in diagnostics; rejects only with what the system says, or for a defect of a reader. */
export async function readTable(kind: ReadableKind, source: ByteSource, options: ReadOptions = {}): Promise<ReadResult<ParsedTable>> {
  const read = await READERS[kind]()
  return read(source, options)
}

/** Reads several files as one table (see CatalogFile.parts): the Parquet tables of one export. */
export async function readParts(sources: readonly ByteSource[], options: ReadOptions = {}): Promise<ReadResult<ParsedTable>> {
  const { readExplorerFolder } = await import('./explorer/parquet')
  return readExplorerFolder(
    sources.map(source => ({ name: source.name, source })),
    options,
  )
}
