/** `system PATH`: the runtime's own view of a session in figures: events, device memory, host samples, joins and clocks. */
import { join } from 'node:path'
import { buildHbm } from '../analysis/hbm/build'
import type { HbmModel } from '../analysis/hbm/model'
import { parentRows } from '../analysis/hbm/parents'
import { hbmReport } from '../analysis/hbm/report'
import { clockFindings } from '../analysis/system/clock-findings'
import { calibrateHardware, type HardwareClock } from '../analysis/system/clocks'
import { cpuReport, eventsReport, hostMemoryReport, schemaReport, type EventsReport, type SchemaReport } from '../analysis/system/report'
import { extentOf } from '../analysis/trace/report'
import { readNtrace } from '../formats/neuron-runtime/ntrace'
import { readTraceInfo } from '../formats/neuron-runtime/info'
import { readCpuUtil, readHostMemory } from '../formats/neuron-runtime/samples'
import { fileSource } from '../formats/source'
import { systemReason } from '../formats/system-error'
import { userDir } from '../main/user-dir'
import { alignmentOf, type AlignedSource } from '../session/alignment'
import { discover } from '../session/discover'
import { joinAllocations, pytorchSide, runtimeSide, type Join } from '../session/join'
import { loadDescriptions, schemaDir } from '../session/schemas'
import type { CatalogFile, CatalogSession } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import type { ReadResult } from '../shared/reader'
import type { CpuTable, HostMemoryTable, SchemaVerdict, SystemSource, SystemTable } from '../shared/system-tables'
import type { SnapshotTable } from '../shared/tables'
import { endProgress, progressLine, type Io, type Outcome } from './output'
import { isReadable, readerFailed, readFile } from './read'

/** Kinds that hold the runtime's view, in the order in which they are preferred as a source. */
export const SYSTEM_KINDS = ['ntrace', 'explorer-parquet', 'explorer-json', 'perfetto-trace'] as const
const SOURCE_OF: Readonly<Record<(typeof SYSTEM_KINDS)[number], SystemSource>> = {
  ntrace: 'ntrace',
  'explorer-parquet': 'explorer-parquet',
  'explorer-json': 'explorer-json',
  'perfetto-trace': 'perfetto',
}
const OWN_KINDS: ReadonlySet<string> = new Set([...SYSTEM_KINDS, 'trace-info', 'cpu-util', 'host-memory'])

export interface SystemDocument extends EventsReport {
  readonly source: SystemSource | null
  readonly schema: SchemaReport
  readonly hbm: ReturnType<typeof hbmReport>
  readonly cpu: ReturnType<typeof cpuReport>
  readonly hostMemory: ReturnType<typeof hostMemoryReport>
  /** null where there is nothing to join: no device memory events, or no memory snapshot. */
  readonly join: {
    readonly key: string | null
    readonly matched: number
    readonly pytorchOnly: number
    readonly runtimeOnly: number
  } | null
  readonly clocks: readonly {
    readonly source: string
    readonly method: string
    readonly offsetNs: string | null
    readonly residualNs: number | null
    readonly confidence: string
  }[]
  readonly diagnostics: readonly Diagnostic[]
}

/** `wanted`: take this source where several exist; null: the runtime's own files first. */
export async function systemCommand(path: string, io: Io, wanted: SystemSource | null = null): Promise<Outcome> {
  const catalog = await discover(path, { salt: '' })
  const sessions = catalog.sessions.filter(s => s.files.some(f => OWN_KINDS.has(f.kind)))
  const session = sessions.find(s => s.files.some(f => f.kind in SOURCE_OF && f.state !== 'empty')) ?? sessions[0] ?? catalog.sessions[0]
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const others = sessions.filter(s => s !== session)
  if (others.length > 0) diagnostics.push(otherSessions(session as CatalogSession, others))
  const read = await readSession(catalog.root, session ?? null, wanted, io)
  diagnostics.push(...read.diagnostics)
  const { document, any } = documentOf(read)
  return { document: { ...document, diagnostics: [...diagnostics, ...document.diagnostics] }, read: any }
}

interface SessionRead {
  readonly table: SystemTable | null
  readonly verdict: SchemaVerdict | null
  readonly source: SystemSource | null
  readonly clock: HardwareClock | null
  readonly path: string
  readonly cpu: CpuTable | null
  readonly hostMemory: HostMemoryTable | null
  readonly snapshots: readonly { readonly path: string; readonly table: SnapshotTable }[]
  /** Everything with times, for what is said about clocks. */
  readonly timed: readonly AlignedSource[]
  readonly diagnostics: readonly Diagnostic[]
  /** Whether some file gave a table. */
  readonly any: boolean
}

async function readSession(root: string, session: CatalogSession | null, wanted: SystemSource | null, io: Io): Promise<SessionRead> {
  const diagnostics: Diagnostic[] = []
  const files = session?.files ?? []
  const schemas = await loadDescriptions(schemaDir(userDir()))
  const options = (f: CatalogFile) => ({ schemas, onProgress: progressLine(io, f.path) })
  const open = async <R extends ReadResult<unknown>>(
    f: CatalogFile,
    read: (source: Awaited<ReturnType<typeof fileSource>>) => Promise<R>,
  ): Promise<R | null> => {
    let source: Awaited<ReturnType<typeof fileSource>>
    try {
      source = await fileSource(join(root, f.path), f.path)
    } catch (e) {
      diagnostics.push(unreadable(f, systemReason(e)))
      return null
    }
    try {
      const result = await read(source)
      diagnostics.push(...result.diagnostics)
      return result
    } catch (e) {
      diagnostics.push(...readerFailed(f, e).diagnostics)
      return null
    } finally {
      endProgress(io)
      await source.close()
    }
  }
  const first = (kind: CatalogFile['kind']): CatalogFile | undefined => files.find(f => f.kind === kind && f.partOf === undefined)
  const expect = { pid: session?.pid ?? null, sessionNs: sessionTime(session?.timestamp ?? null) }
  const infoFile = first('trace-info')
  const info = infoFile && (await open(infoFile, s => readTraceInfo(s, { ...options(infoFile), expect })))

  // The runtime's own trace, then exports of it.
  const found: {
    readonly source: SystemSource
    readonly path: string
    readonly table: SystemTable | null
    readonly verdict: SchemaVerdict | null
  }[] = []
  for (const kind of SYSTEM_KINDS) {
    const f = first(kind)
    if (!f || f.state === 'empty') continue
    if (kind === 'ntrace') {
      const result = await open(f, s => readNtrace(s, { ...options(f), names: info?.table?.names, dropped: info?.table?.dropped }))
      found.push({ source: 'ntrace', path: f.path, table: result?.table ?? null, verdict: result?.verdict ?? null })
    } else if (isReadable(f)) {
      const { table, diagnostics: told } = await readFile(root, f, { onProgress: progressLine(io, f.path) })
      endProgress(io)
      diagnostics.push(...told)
      const system = table as unknown as SystemTable | null
      if (system?.kind === 'system') found.push({ source: SOURCE_OF[kind], path: f.path, table: system, verdict: system.verdict })
    }
  }
  const chosen = (wanted ? found.find(s => s.source === wanted) : undefined) ?? found.find(s => s.table) ?? found[0] ?? null
  if (wanted && chosen?.source !== wanted) diagnostics.push(noSource(wanted, session?.dir ?? '.'))
  const counts = found.filter(s => s.table)
  if (counts.length > 1)
    diagnostics.push(
      severalSources(
        // Slices and instants: a runtime trace has two messages for a slice, an export one row.
        counts.map(s => ({ ...s, events: (s.table as SystemTable).count })),
        chosen?.source ?? null,
      ),
    )

  const cpuFile = first('cpu-util')
  const cpu = cpuFile && (await open(cpuFile, s => readCpuUtil(s, options(cpuFile))))
  const memoryFile = first('host-memory')
  const memory = memoryFile && (await open(memoryFile, s => readHostMemory(s, options(memoryFile))))

  const calibrated = chosen?.table ? calibrateHardware(chosen.table) : null
  if (calibrated) diagnostics.push(...clockFindings(chosen?.path ?? '', calibrated.clock))
  const table = calibrated?.table ?? null
  const timed: AlignedSource[] = []
  const place = (
    path: string,
    t: { readonly epochNs: bigint; readonly range: readonly [number, number] | null },
    clock: AlignedSource['clock'],
    hardware: HardwareClock | null,
  ): void => {
    const spanNs = t.range && ([t.epochNs + BigInt(Math.floor(t.range[0])), t.epochNs + BigInt(Math.ceil(t.range[1]))] as const)
    timed.push({ file: path, path, source: timed.length, clock, spanNs, shiftNs: 0n, hardware })
  }
  if (table) place(chosen?.path ?? '', table, table.clock, calibrated?.clock ?? null)
  if (cpuFile && cpu?.table && cpu.table.count > 0) place(cpuFile.path, cpu.table, 'unix-nanoseconds', null)
  if (memoryFile && memory?.table && memory.table.count > 0) place(memoryFile.path, memory.table, 'unix-nanoseconds', null)
  const snapshots: { path: string; table: SnapshotTable }[] = []
  for (const f of files) {
    if ((f.kind !== 'memory-snapshot' && f.kind !== 'chrome-trace') || !isReadable(f)) continue
    const { table: t, diagnostics: told } = await readFile(root, f, { onProgress: progressLine(io, f.path) })
    endProgress(io)
    diagnostics.push(...told.filter(d => d.severity === 'error'))
    if (t?.kind === 'memory-snapshot') {
      snapshots.push({ path: f.path, table: t })
      place(f.path, { epochNs: t.epochNs, range: t.timeRange }, t.clock, null)
    } else if (t?.kind === 'chrome-trace') {
      const extent = extentOf(t)
      timed.push({ file: f.path, path: f.path, source: timed.length, clock: t.clock, spanNs: extent, shiftNs: 0n, hardware: null })
    }
  }
  return {
    ...{
      table,
      verdict: chosen?.verdict ?? null,
      source: chosen?.source ?? null,
      clock: calibrated?.clock ?? null,
      path: chosen?.path ?? '',
    },
    cpu: cpu?.table ?? chosen?.table?.cpu ?? null,
    hostMemory: memory?.table ?? chosen?.table?.hostMemory ?? null,
    ...{ snapshots, timed, diagnostics },
    any: table !== null || (info?.table ?? null) !== null || (cpu?.table ?? null) !== null || (memory?.table ?? null) !== null,
  }
}

function documentOf(r: SessionRead): { readonly document: SystemDocument; readonly any: boolean } {
  const hbm = r.table ? buildHbm(r.table, r.path) : null
  const joined =
    r.table && hbm
      ? joinOf(
          r.table,
          hbm.models,
          r.snapshots.map(s => s.table),
        )
      : null
  return {
    document: {
      source: r.source,
      schema: schemaReport(r.verdict),
      ...eventsReport(r.table),
      hbm: r.table && hbm ? hbmReport(hbm.models, r.table.epochNs) : [],
      cpu: cpuReport(r.cpu),
      hostMemory: hostMemoryReport(r.hostMemory),
      join: joined && {
        key: joined.key && `${joined.key.pytorch} = ${joined.key.runtime}`,
        matched: joined.matched,
        pytorchOnly: joined.pytorchOnly,
        runtimeOnly: joined.runtimeOnly,
      },
      clocks: alignmentOf(r.timed).map(c => ({
        source: c.part === '' ? c.path : `${c.path} (${c.part})`,
        ...{ method: c.method, offsetNs: c.offsetNs, residualNs: c.residualNs, confidence: c.confidence },
      })),
      diagnostics: hbm?.diagnostics ?? [],
    },
    any: r.any,
  }
}

/** The join with the snapshot that links most; null where either side has nothing. */
function joinOf(table: SystemTable, models: readonly HbmModel[], snapshots: readonly SnapshotTable[]): Join | null {
  const hbms = models.flatMap(m =>
    m.allocations ? [{ time: m.time, allocations: m.allocations, parent: parentRows(table, m.allocations.allocRow) }] : [],
  )
  const runtime = runtimeSide(table, hbms)
  if (runtime.rows.count === 0) return null
  let best: Join | null = null
  for (const s of snapshots) {
    const unix = s.clock === 'unix-microseconds' && table.clock === 'unix-nanoseconds'
    const found = joinAllocations(pytorchSide([{ table: s, shift: unix ? Number(s.epochNs - table.epochNs) : null }]), runtime)
    if (!best || found.matched > best.matched) best = found
  }
  return best
}

/** Time of the session by the name of its folder; null where that is no Unix time in ns. */
const sessionTime = (name: string | null): bigint | null => (name !== null && /^\d{19}$/.test(name) ? BigInt(name) : null)

// ── what is said ──

const told = (
  severity: Diagnostic['severity'],
  code: string,
  file: string,
  message: string,
  meaning: string,
  action: string,
): Diagnostic => ({
  ...{ severity, code, file, offset: null, message, meaning, action, count: 1 },
})

const otherSessions = (session: CatalogSession, others: readonly CatalogSession[]): Diagnostic =>
  told(
    'info',
    'system-other-sessions',
    session.dir,
    `${others.length} more ${others.length === 1 ? 'session has' : 'sessions have'} files of the runtime: ${others
      .slice(0, 8)
      .map(s => s.dir)
      .join(', ')}${others.length > 8 ? ', …' : ''}.`,
    'The figures are those of this session alone.',
    'Name the folder of the other session to see its figures.',
  )

const unreadable = (f: CatalogFile, reason: string): Diagnostic =>
  told(
    'error',
    'file-unreadable',
    f.path,
    `The file cannot be opened: ${reason}.`,
    'Nothing of it is shown; the other files are.',
    'Check that it is still there and its permissions.',
  )

const noSource = (wanted: string, dir: string): Diagnostic =>
  told(
    'warning',
    'system-no-source',
    dir,
    `The session has no source ${wanted} that can be read.`,
    'Another one was taken.',
    'Leave --source out, or name one that the session has.',
  )

const severalSources = (
  found: readonly { readonly source: string; readonly path: string; readonly events: number }[],
  chosen: string | null,
): Diagnostic =>
  told(
    'info',
    'system-several-sources',
    found[0]?.path ?? '.',
    `The session has several sources of the runtime's view: ${found.map(s => `${s.source} (${s.path}, ${s.events.toLocaleString('en-US')} ${s.source === 'ntrace' ? 'messages' : 'events'})`).join(', ')}.`,
    `The figures are those of ${chosen ?? 'none'}. A slice is two messages of the runtime and one event of an export.`,
    'Use --source to take another one.',
  )
