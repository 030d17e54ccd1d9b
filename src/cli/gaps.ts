/** `gaps PATH`: idle stretches of the NeuronCores, longest first, over all sessions below PATH. The same answer as behind the window, in Unix time. */
import { traceGaps } from '../main/host/engine/gaps'
import { Turn } from '../main/host/engine/lanes'
import { discover } from '../session/discover'
import type { TimeGroup } from '../shared/api'
import type { Diagnostic } from '../shared/diagnostics'
import { eventId } from '../shared/event-id'
import type { Gap, SliceRef } from '../shared/trace-api'
import { EVENT_KINDS, openEngine } from './engine'
import type { Io, Outcome } from './output'
import { unixOf } from './search'

export interface GapEventDocument {
  readonly id: string
  readonly name: string
  readonly startNs: string | null
  readonly durNs: number | null
}

export interface GapDocument {
  readonly session: string
  readonly core: string
  /** Unix ns, decimal; null where the zero of the file's times is not known. */
  readonly startNs: string | null
  readonly endNs: string | null
  readonly lengthNs: number
  readonly before: GapEventDocument | null
  readonly after: GapEventDocument | null
  /** Innermost slices of the framework's threads of the same process, by ns within the gap; at most 5. */
  readonly host: readonly { readonly name: string; readonly track: string; readonly ns: number }[]
}

export interface GapsDocument {
  readonly minNs: number
  readonly total: number
  /** The longest 1,000 of each session. */
  readonly gaps: readonly GapDocument[]
  readonly cores: readonly {
    readonly session: string
    readonly core: string
    readonly idleNs: number
    readonly busyNs: number
    readonly knownNs: number
    readonly gaps: number
    readonly fromNs: string | null
    readonly toNs: string | null
    readonly headLost: boolean
  }[]
  /** Cores that the runtime names, without hardware events: not captured or idle. */
  readonly silent: readonly { readonly session: string; readonly core: string }[]
  /** Why a session has no cores. */
  readonly reasons: readonly { readonly session: string; readonly reason: string }[]
  readonly diagnostics: readonly Diagnostic[]
}

const LIMIT = 1000

export async function gapsCommand(path: string, minNs: number, io: Io): Promise<Outcome> {
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const gaps: GapDocument[] = []
  const cores: GapsDocument['cores'][number][] = []
  const silent: { session: string; core: string }[] = []
  const reasons: { session: string; reason: string }[] = []
  let total = 0
  let read = false
  for (const session of catalog.sessions) {
    const { engine, diagnostics: found, read: any } = await openEngine(catalog, session, EVENT_KINDS, io)
    diagnostics.push(...found)
    read ||= any
    const { context } = engine
    const event = (group: TimeGroup, r: SliceRef): GapEventDocument => ({
      id: eventId(context.partOf(r.source)?.source.file.path ?? '', r.row),
      name: r.name,
      startNs: unixOf(group, r.start),
      durNs: r.duration,
    })
    for (const group of context.groups) {
      const a = await traceGaps(
        context,
        { session: session.id, group: group.id, start: null, end: null, minNs, limit: LIMIT, lane: 'gaps' },
        new Turn(),
      )
      total += a.total
      gaps.push(...a.gaps.map(g => gapDocument(session.dir, group, g, event)))
      for (const c of a.cores)
        cores.push({
          session: session.dir,
          core: c.core,
          idleNs: c.idleNs,
          busyNs: c.busyNs,
          knownNs: c.knownNs,
          gaps: c.gaps,
          fromNs: c.known && unixOf(group, c.known[0]),
          toNs: c.known && unixOf(group, c.known[1]),
          headLost: c.headLost,
        })
      silent.push(...a.silent.map(core => ({ session: session.dir, core })))
      if (a.reason !== null) reasons.push({ session: session.dir, reason: a.reason })
    }
  }
  gaps.sort((a, b) => b.lengthNs - a.lengthNs)
  const document: GapsDocument = { minNs, total, gaps, cores, silent, reasons, diagnostics }
  return { document: read ? document : { diagnostics }, read }
}

const gapDocument = (
  session: string,
  group: TimeGroup,
  g: Gap,
  event: (group: TimeGroup, r: SliceRef) => GapEventDocument,
): GapDocument => ({
  session,
  core: g.core,
  startNs: unixOf(group, g.start),
  endNs: unixOf(group, g.end),
  lengthNs: g.end - g.start,
  before: g.before && event(group, g.before),
  after: g.after && event(group, g.after),
  host: g.host.map(h => ({ name: h.name, track: h.trackName, ns: h.ns })),
})
