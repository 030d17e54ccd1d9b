/**
 * `inspect PATH`: the tree. Files of every kind that has a reader are read whole, one after the other, so that `state` and `facts` are what a reader saw and not what the first and last bytes suggest;
 * of all other kinds the bounded look of the sniffers is all there is.
 */
import { replayAll } from '../analysis/allocator/replay'
import { totalsKnown } from '../analysis/allocator/report'
import { runtimeFacts } from '../analysis/system/facts'
import { extentOf } from '../analysis/trace/report'
import { discover } from '../session/discover'
import { findNeffs } from '../session/neff-folders'
import { rankChecks, type RankFacts } from '../session/ranks'
import type { CatalogFile, CatalogSession, FileState } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { isTimed, type ParsedTable, type SnapshotTable, type TraceTable } from '../shared/tables'
import { endProgress, progressLine, type Io, type Outcome } from './output'
import { isReadable, rankFactsOf, readerFailed, readFile } from './read'

/** Reads the tree below `path` (absolute). Nothing is read when no file of a known kind can be. `neffDirs`: folders (absolute) where NEFFs are looked for too. */
export async function inspectCommand(path: string, io: Io, neffDirs: readonly string[] = []): Promise<Outcome> {
  const added = neffDirs.length > 0 ? await findNeffs(neffDirs) : undefined
  // Ids without salt: the same tree gives the same document.
  const catalog = await discover(path, { salt: '', added })
  const diagnostics: Diagnostic[] = []
  const ranks = new Map<string, RankFacts>()
  const states = new Map<string, { readonly state: FileState; readonly facts: CatalogFile['facts'] }>()
  for (const session of catalog.sessions)
    for (const file of session.files) {
      if (!isReadable(file)) continue
      const { table, diagnostics: found } = await readFile(catalog.root, file, { onProgress: progressLine(io, file.path) })
      endProgress(io)
      diagnostics.push(...found)
      // A NEFF or NTFF that ends inside its header has no table, and is cut all the same.
      const cut = file.state === 'truncated' && (file.kind === 'neff' || file.kind === 'ntff')
      states.set(file.id, cut ? file : { state: 'unreadable', facts: {} })
      if (!table) continue
      try {
        const facts = factsOf(table)
        if (isTimed(table)) ranks.set(file.id, rankFactsOf(table))
        states.set(file.id, { state: table.complete ? 'complete' : 'truncated', facts })
      } catch (e) {
        diagnostics.push(...readerFailed(file, e).diagnostics)
      }
    }
  const checks = rankChecks(catalog.sessions, ranks)
  const sessions = catalog.sessions.map(s => describe(s, states, checks.bySession.get(s.id) ?? []))
  // Of a file that was read the reader tells what is wrong; the sniffer's guess about its end is left out.
  const read = new Set(catalog.sessions.flatMap(s => s.files.filter(f => states.has(f.id)).map(f => f.path)))
  const kept = catalog.diagnostics.filter(d => !(read.has(d.file) && (d.code === 'file-truncated' || d.code.startsWith('gzip-'))))
  const any = sessions.some(s => s.files.some(f => f.kind !== 'unknown' && f.state !== 'unreadable'))
  return { document: { root: catalog.root, sessions, diagnostics: [...kept, ...diagnostics, ...checks.all] }, read: any }
}

export interface InspectFile {
  readonly path: string
  readonly kind: CatalogFile['kind']
  readonly bytes: number
  readonly state: FileState
  readonly facts: CatalogFile['facts']
}

export type InspectSession = Omit<CatalogSession, 'files'> & { readonly files: readonly InspectFile[] }

export interface InspectDocument {
  readonly root: string
  readonly sessions: readonly InspectSession[]
  readonly diagnostics: readonly Diagnostic[]
}

function describe(
  s: CatalogSession,
  read: ReadonlyMap<string, { readonly state: FileState; readonly facts: CatalogFile['facts'] }>,
  checks: readonly Diagnostic[],
): InspectSession {
  const files = s.files.map(f => {
    const known = read.get(f.id)
    return { path: f.path, kind: f.kind, bytes: f.bytes, state: known?.state ?? f.state, facts: known?.facts ?? f.facts }
  })
  const { id, instanceId, pid, timestamp, dir, modes, ranks, pairs } = s
  return { id, instanceId, pid, timestamp, dir, modes, ranks, files, pairs, checks: [...s.checks, ...checks] }
}

function factsOf(t: ParsedTable): CatalogFile['facts'] {
  if (t.kind === 'chrome-trace') return traceFacts(t)
  if (t.kind === 'memory-snapshot') return snapshotFacts(t)
  return t.kind === 'neff' || t.kind === 'ntff' || t.kind === 'framework-mapping' ? t.facts : runtimeFacts(t)
}

/** `startNs` and `spanNs` as in the command `trace`; null without times. */
function traceFacts(t: TraceTable): CatalogFile['facts'] {
  const extent = extentOf(t)
  return {
    events: t.count,
    startNs: extent ? extent[0] : null,
    spanNs: extent ? Number(extent[1] - extent[0]) : null,
    rank: t.rank,
  }
}

/** Figures as in the command `snapshot`. */
function snapshotFacts(t: SnapshotTable): CatalogFile['facts'] {
  return {
    format: t.format,
    segments: t.segments.count,
    timeUs: t.timeUs ? t.timeUs.map(String) : [null, null],
    devices: replayAll(t).map(m => ({
      device: m.device,
      events: m.events,
      peakActiveBytes: totalsKnown(t, m) ? m.figures.peakActiveBytes : null,
    })),
  }
}
