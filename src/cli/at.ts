/** `at PATH --time NS`: what the views show at one Unix time, over all sessions below PATH. */
import type { AllocatorModel } from '../analysis/allocator/model'
import type { TraceModel } from '../analysis/trace/model'
import { discover } from '../session/discover'
import { stringAt } from '../shared/columns'
import type { Diagnostic } from '../shared/diagnostics'
import type { ParsedTable, TraceTable } from '../shared/tables'
import { endProgress, progressLine, type Io, type Outcome } from './output'
import { isReadable, readFile } from './read'

export interface AtSlice {
  readonly track: string
  readonly name: string
  /** Unix ns, decimal. */
  readonly startNs: string
  readonly durNs: number
}

export interface AtMemory {
  readonly rank: number
  readonly device: number
  /** Requested bytes. */
  readonly activeBytes: number
  /** Last event at or before the time; -1 before the first. */
  readonly event: number
}

export interface AtDocument {
  readonly slices: readonly AtSlice[]
  readonly memory: readonly AtMemory[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Slices by file, track and depth; memory by rank, device and file. Files without a known clock take no part and are told in a diagnostic. */
export async function atCommand(path: string, time: bigint, io: Io): Promise<Outcome> {
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const slices: AtSlice[] = []
  const memory: AtMemory[] = []
  let read = false
  for (const file of catalog.sessions.flatMap(s => s.files)) {
    if (!isReadable(file)) continue
    const { table, diagnostics: found } = await readFile(catalog.root, file, { onProgress: progressLine(io, file.path) })
    endProgress(io)
    diagnostics.push(...found)
    if (!table) continue
    read = true
    const why = notPlaced(table)
    if (why) {
      diagnostics.push({ ...why, file: file.path, offset: null, count: 1 })
      continue
    }
    if (table.kind === 'chrome-trace') {
      const { buildTraceModel } = await import('../analysis/trace/tracks')
      slices.push(...slicesOf(table, buildTraceModel(table), time))
    } else {
      const { replayAll } = await import('../analysis/allocator/replay')
      memory.push(...replayAll(table).map(m => memoryOf(file.rank ?? 0, m, Number(time - table.epochNs))))
    }
  }
  memory.sort((a, b) => a.rank - b.rank || a.device - b.device)
  return { document: { slices, memory, diagnostics } satisfies AtDocument, read }
}

/** Why a table has no place on the Unix time axis; null when it has. */
function notPlaced(t: ParsedTable): Pick<Diagnostic, 'severity' | 'code' | 'message' | 'meaning' | 'action'> | null {
  if (t.clock === 'kineto-base-time' || t.clock === 'unix-microseconds') return null
  return {
    severity: 'info',
    code: 'no-unix-time',
    message: t.clock === 'none' ? 'The file has no times.' : 'The zero of the times in this file is not known.',
    meaning: 'It shows nothing at a Unix time.',
    action: 'None.',
  }
}

/** The slices that cover `time`: [start, start + dur). Instants cover nothing. */
export function slicesOf(table: TraceTable, model: TraceModel, time: bigint): readonly AtSlice[] {
  const at = Number(time - table.epochNs)
  const out: AtSlice[] = []
  for (const track of model.tracks) {
    if (track.kind !== 'slices') continue
    const label = track.pid === '' ? track.name : `PID:${track.pid}/${track.name}`
    for (let lane = 0; lane < track.depth; lane++) {
      const end = track.laneStart[lane + 1] as number
      for (let i = track.laneStart[lane] as number; i < end && (track.start[i] as number) <= at; i++) {
        const start = track.start[i] as number
        const dur = track.duration[i] as number
        if (!(at < start + dur)) continue
        out.push({
          track: label,
          name: stringAt(table.strings, table.name[track.row[i] as number] as number),
          startNs: String(table.epochNs + BigInt(start)),
          durNs: dur,
        })
      }
    }
  }
  return out
}

function memoryOf(rank: number, m: AllocatorModel, at: number): AtMemory {
  let event = m.events - 1
  while (event >= 0 && !((m.time[event] as number) <= at)) event--
  return { rank, device: m.device, activeBytes: event < 0 ? m.figures.startActiveBytes : (m.active[event] as number), event }
}
