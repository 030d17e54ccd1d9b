/** `at PATH --time NS`: what the views show at one Unix time, over all sessions below PATH. */
import type { AllocatorModel } from '../analysis/allocator/model'
import { stateAt } from '../analysis/allocator/picturePositions'
import { replayAll } from '../analysis/allocator/replay'
import { totalsKnown } from '../analysis/allocator/report'
import { hbmTotalsAt } from '../analysis/hbm/report'
import { systemSlicesAt } from '../analysis/system/details'
import { slicesAt } from '../analysis/trace/details'
import type { TraceModel } from '../analysis/trace/model'
import { buildTraceModel } from '../analysis/trace/tracks'
import { prepareSystem, type PreparedSystem } from '../main/host/prepared'
import { discover } from '../session/discover'
import type { CatalogFile, CatalogSession } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { eventId } from '../shared/event-id'
import { clockOfTable, isTimed, type TimedTable, type TraceTable } from '../shared/tables'
import { endProgress, progressLine, type Io, type Outcome } from './output'
import { hasUnixTime, isReadable, readerFailed, readFile } from './read'

export interface AtSlice {
  /** FILE:ROW, what `chain --event` takes. */
  readonly id: string
  readonly track: string
  readonly name: string
  /** Unix ns, decimal. */
  readonly startNs: string
  readonly durNs: number
}

export interface AtMemory {
  readonly rank: number
  readonly device: number
  /** Requested bytes; null where an alloc or a free of the device has a size that does not fit. */
  readonly activeBytes: number | null
  /** Last event at or before the time; -1 before the first. */
  readonly event: number
}

export interface AtHbm {
  /** Neuron device; null where the file does not tell. */
  readonly device: number | null
  readonly hbm: number
  /** Folder of the session whose runtime tells it. */
  readonly session: string
  readonly totalBytes: number | null
}

export interface AtDocument {
  readonly slices: readonly AtSlice[]
  readonly memory: readonly AtMemory[]
  /** The runtime's own total of each HBM; null before its first event. */
  readonly hbm: readonly AtHbm[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Slices by file, track and depth; memory by rank, device and file. Files without a known clock take no part and are told in a diagnostic. */
export async function atCommand(path: string, time: bigint, io: Io): Promise<Outcome> {
  const { read, at } = await openAt(path, io)
  return { document: at(time), read }
}

/** Reads the files below `path` (absolute) and answers for any number of times. `read` is false when no file could be read. */
export async function openAt(path: string, io: Io): Promise<{ readonly read: boolean; readonly at: (time: bigint) => AtDocument }> {
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const slices: ((time: bigint) => readonly AtSlice[])[] = []
  const memory: ((time: bigint) => readonly AtMemory[])[] = []
  const hbm: ((time: bigint) => readonly AtHbm[])[] = []
  let read = false
  for (const file of catalog.sessions.flatMap(s => s.files)) {
    if (!isReadable(file) || !AT_KINDS.has(file.kind)) continue
    const { table, diagnostics: found } = await readFile(catalog.root, file, { onProgress: progressLine(io, file.path) })
    endProgress(io)
    diagnostics.push(...found)
    if (!table || !isTimed(table)) continue
    try {
      const why = notPlaced(table)
      if (why) diagnostics.push({ ...why, file: file.path, offset: null, count: 1 })
      else if (table.kind === 'chrome-trace') {
        const model = buildTraceModel(table)
        slices.push(time => slicesOf(file.path, table, model, time))
      } else if (table.kind === 'system') {
        const prepared = prepareSystem(table, file.path, pidOf(catalog.sessions, file))
        diagnostics.push(...prepared.findings)
        slices.push(time => runtimeSlices(file.path, prepared, time))
        const { dir: session } = catalog.sessions.find(s => s.files.includes(file)) as CatalogSession
        hbm.push(time => hbmOf(prepared, session, time))
      } else if (table.kind === 'memory-snapshot') {
        const models = replayAll(table)
        const { epochNs } = table
        const known = new Map(models.map(m => [m, totalsKnown(table, m)]))
        memory.push(time => models.map(m => memoryOf(file.rank ?? 0, m, Number(time - epochNs), known.get(m) === true)))
      }
      read = true
    } catch (e) {
      diagnostics.push(...readerFailed(file, e).diagnostics)
    }
  }
  const at = (time: bigint): AtDocument => ({
    slices: slices.flatMap(f => f(time)),
    memory: memory.flatMap(f => f(time)).sort((a, b) => a.rank - b.rank || a.device - b.device),
    hbm: hbm.flatMap(f => f(time)),
    diagnostics,
  })
  return { read, at }
}

const slicesOf = (path: string, table: TraceTable, model: TraceModel, time: bigint): readonly AtSlice[] =>
  slicesAt(model, table, Number(time - table.epochNs)).map(s => ({
    id: eventId(path, s.row),
    track: s.track,
    name: s.name,
    startNs: String(table.epochNs + BigInt(s.start)),
    durNs: s.duration,
  }))

/** Kinds that show something at a time. */
const AT_KINDS: ReadonlySet<string> = new Set([
  'chrome-trace',
  'memory-snapshot',
  'ntrace',
  'explorer-json',
  'explorer-parquet',
  'perfetto-trace',
])

/** Process of the session that holds a file, as its folder names it. */
const pidOf = (sessions: readonly CatalogSession[], file: CatalogFile): string =>
  String(sessions.find(s => s.files.includes(file))?.pid ?? '')

const runtimeSlices = (path: string, { table, model }: PreparedSystem, time: bigint): readonly AtSlice[] =>
  systemSlicesAt(table, model, Number(time - table.epochNs)).map(s => ({
    id: eventId(path, s.row),
    track: s.track,
    name: s.name,
    startNs: String(table.epochNs + BigInt(s.start)),
    durNs: s.duration,
  }))

const hbmOf = ({ table, hbm }: PreparedSystem, session: string, time: bigint): readonly AtHbm[] =>
  hbmTotalsAt(hbm, table.epochNs, time).map(t => ({ ...t, session }))

/** Why a table has no place on the Unix time axis; null when it has. */
function notPlaced(t: TimedTable): Pick<Diagnostic, 'severity' | 'code' | 'message' | 'meaning' | 'action'> | null {
  if (hasUnixTime(t)) return null
  return {
    severity: 'info',
    code: 'no-unix-time',
    message: clockOfTable(t) === 'none' ? 'The file has no times.' : 'The zero of the times in this file is not known.',
    meaning: 'It shows nothing at a Unix time.',
    action: 'None.',
  }
}

/** `at`: ns relative to the snapshot's epoch. The same look-up as the Memory Viewer's. */
function memoryOf(rank: number, m: AllocatorModel, at: number, known: boolean): AtMemory {
  const event = stateAt(m, 'time', at)
  const activeBytes = event < 0 ? m.figures.startActiveBytes : (m.active[event] as number)
  return { rank, device: m.device, activeBytes: known ? activeBytes : null, event }
}
