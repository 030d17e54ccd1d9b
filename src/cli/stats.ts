/** `stats PATH`: statistics of the slices of a trace or a session, by name, track or category. The same answer as behind the window, in Unix time. */
import type { EngineContext } from '../main/host/engine/context'
import { Turn } from '../main/host/engine/lanes'
import { traceStats } from '../main/host/engine/stats'
import { discover } from '../session/discover'
import type { TimeGroup } from '../shared/api'
import type { CatalogSession } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { eventId } from '../shared/event-id'
import type { StatsBy, StatsRow } from '../shared/trace-api'
import { EVENT_KINDS, openEngine } from './engine'
import type { Io, Outcome } from './output'
import { isReadable } from './read'
import type { StatsOptions } from './stats-options'

export interface StatsRowDocument extends Omit<StatsRow, 'longest'> {
  /** The longest slice: its id for `chain --event`, its start and its whole duration. */
  readonly longest: { readonly id: string; readonly startNs: string; readonly durNs: number | null } | null
}

export interface StatsDocument {
  readonly by: StatsBy
  /** As asked, else the first and last time of the events: ns as decimal strings, Unix time where the clock is known, else the file's own; null without events. */
  readonly fromNs: string | null
  readonly toNs: string | null
  readonly rows: readonly StatsRowDocument[]
  /** Rows before the limit. */
  readonly matching: number
  /** Complete slices counted. */
  readonly slices: number
  /** Slices in the range that are not counted because one end is missing. */
  readonly unmatched: number
  /** ns that at least one counted slice covers. */
  readonly wallNs: number
  /** Folder of the session; the files whose events were counted. */
  readonly session: string
  readonly files: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

export async function statsCommand(path: string, o: StatsOptions, io: Io): Promise<Outcome> {
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const sessions = catalog.sessions.filter(s => s.files.some(f => isReadable(f) && TRACES.has(f.kind)))
  const [session, ...others] = sessions
  if (!session) {
    diagnostics.push(
      told('error', 'nothing-to-count', '.', 'There is no trace here.', 'Nothing was counted.', 'Give a trace or the folder of one.'),
    )
    return { document: { diagnostics }, read: false }
  }
  if (others.length > 0) diagnostics.push(otherSessions(session, others))
  const { engine, diagnostics: found, read } = await openEngine(catalog, session, EVENT_KINDS, io)
  // What the models found out is told with what the readers did.
  const shown = engine.view.diagnostics
  diagnostics.push(...found.filter(d => !shown.includes(d)), ...shown)
  if (!read) return { document: { diagnostics }, read }
  const { context } = engine
  const group = groupOf(context)
  if (group) diagnostics.push(...otherTimes(context, group))
  const document: StatsDocument = { ...(await counted(context, group, session, o)), diagnostics }
  return { document, read }
}

/** Kinds that have slices themselves. */
const TRACES: ReadonlySet<string> = new Set([...EVENT_KINDS].filter(k => k !== 'trace-info'))

const hasSlices = (context: EngineContext, group: number): boolean =>
  context.parts.some(p => p.group === group && p.tracks.some(t => t.model.kind === 'slices'))

/** The first time range with slices; those with a known clock come first. */
const groupOf = (context: EngineContext): TimeGroup | null => context.groups.find(g => hasSlices(context, g.id)) ?? null

async function counted(
  context: EngineContext,
  group: TimeGroup | null,
  session: CatalogSession,
  o: StatsOptions,
): Promise<Omit<StatsDocument, 'diagnostics'>> {
  const asked = (t: bigint | null, otherwise: bigint | undefined): string | null =>
    t !== null ? String(t) : otherwise === undefined ? null : String(otherwise)
  const head = {
    by: o.by,
    fromNs: asked(o.from, group?.originNs),
    toNs: asked(o.to, group ? group.originNs + BigInt(Math.ceil(group.durationNs)) : undefined),
  }
  const nothing = { ...head, rows: [], matching: 0, slices: 0, unmatched: 0, wallNs: 0, session: session.dir, files: [] }
  if (!group) return nothing
  const { id, originNs } = group
  const relative = (t: bigint | null): number | null => (t === null ? null : Number(t - originNs))
  const a = await traceStats(
    context,
    {
      group: id,
      by: o.by,
      start: relative(o.from),
      end: relative(o.to),
      tracks: null,
      filter: '',
      regex: false,
      sort: { column: o.column, descending: o.column !== 'key' },
      limit: o.limit ?? Infinity,
    },
    new Turn(),
  )
  const { rows, matching, slices, unmatched, wallNs } = a
  const parts = context.parts.filter(p => p.group === id && p.tracks.some(t => t.model.kind === 'slices'))
  return {
    ...nothing,
    ...{ matching, slices, unmatched, wallNs, files: parts.map(p => p.source.file.path) },
    rows: rows.map(r => ({
      ...{ key: r.key, count: r.count, totalNs: r.totalNs, selfNs: r.selfNs, minNs: r.minNs, maxNs: r.maxNs },
      ...{ meanNs: r.meanNs, medianNs: r.medianNs, p95Ns: r.p95Ns, wallNs: r.wallNs, overlapNs: r.overlapNs },
      longest: r.longest && {
        id: eventId(context.partOf(r.longest.source)?.source.file.path ?? '', r.longest.row),
        startNs: String(originNs + BigInt(Math.round(r.longest.start))),
        durNs: r.longest.duration,
      },
    })),
  }
}

// ── what is said ──

const told = (
  severity: Diagnostic['severity'],
  code: string,
  file: string,
  message: string,
  meaning: string,
  action: string,
): Diagnostic => ({ severity, code, file, offset: null, message, meaning, action, count: 1 })

const listed = (names: readonly string[]): string => names.slice(0, 8).join(', ') + (names.length > 8 ? ', …' : '')

const otherSessions = (session: CatalogSession, others: readonly CatalogSession[]): Diagnostic =>
  told(
    'info',
    'stats-other-sessions',
    session.dir,
    `${others.length} more ${others.length === 1 ? 'session has' : 'sessions have'} traces: ${listed(others.map(s => s.dir))}.`,
    'The figures are those of this session alone.',
    'Name the folder of the other session to see its figures.',
  )

/** Sources that have no common time with those that are counted. */
function otherTimes(context: EngineContext, group: TimeGroup): readonly Diagnostic[] {
  const left = context.parts.filter(p => p.group !== group.id && p.tracks.some(t => t.model.kind === 'slices'))
  if (left.length === 0) return []
  const files = left.map(p => p.source.file.path)
  return [
    told(
      'warning',
      'stats-other-times',
      files[0] as string,
      `${left.length} ${left.length === 1 ? 'file has' : 'files have'} no time in common with those that are counted: ${listed(files)}.`,
      `${left.length === 1 ? 'Its' : 'Their'} slices are not counted.`,
      'Name the file itself to see its figures.',
    ),
  ]
}
