/** `search PATH TEXT`: events by name, args and stack, over all sessions below PATH. The same answer as behind the window, in Unix time. */
import { trackLabel } from '../analysis/trace/details'
import { systemTrackLabel } from '../analysis/system/details'
import { makeMatcher } from '../analysis/trace/search'
import type { EngineContext } from '../main/host/engine/context'
import { Turn } from '../main/host/engine/lanes'
import { searchPage, traceSearch } from '../main/host/engine/search'
import { discover } from '../session/discover'
import type { TimeGroup } from '../shared/api'
import type { Diagnostic } from '../shared/diagnostics'
import { eventId } from '../shared/event-id'
import type { SearchHit } from '../shared/trace-api'
import { UsageError } from './args'
import { EVENT_KINDS, openEngine } from './engine'
import type { Io, Outcome } from './output'
import type { SearchField, SearchOptions } from './search-options'

export interface HitDocument {
  /** For `chain --event`. */
  readonly id: string
  readonly track: string
  readonly name: string
  readonly where: SearchHit['where']
  /** What stands around the hit, at most 200 characters. */
  readonly text: string
  /** Unix ns, decimal; null where the zero of the file's times is not known. */
  readonly startNs: string | null
  /** null: an instant, or one end is missing. */
  readonly durNs: number | null
}

export interface SearchDocument {
  readonly text: string
  readonly regex: boolean
  readonly matchCase: boolean
  readonly in: readonly SearchField[]
  readonly total: number
  /** By session, then start; the first `limit` of them. */
  readonly hits: readonly HitDocument[]
  /** Hits by track. */
  readonly tracks: readonly { readonly file: string; readonly track: string; readonly hits: number }[]
  /** What was not searched. */
  readonly incomplete: readonly { readonly session: string; readonly what: string }[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Hits per page of the engine. */
const PAGE = 5000

export async function searchCommand(path: string, o: SearchOptions, io: Io): Promise<Outcome> {
  const { error } = makeMatcher(o.text, o)
  if (error !== null) throw new UsageError(error, 'search', false)
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const hits: HitDocument[] = []
  const tracks: { file: string; track: string; hits: number }[] = []
  const incomplete: { session: string; what: string }[] = []
  let total = 0
  let read = false
  for (const session of catalog.sessions) {
    const opened = await openEngine(catalog, session, EVENT_KINDS, io)
    diagnostics.push(...opened.diagnostics)
    read ||= opened.read
    const { context } = opened.engine
    for (const group of context.groups) {
      const fields = { names: o.in.includes('names'), args: o.in.includes('args'), stacks: o.in.includes('stacks') }
      const q = { session: session.id, group: group.id, query: o.text, regex: o.regex, matchCase: o.matchCase, fields, tracks: null }
      const a = await traceSearch(context, { ...q, limit: 1, lane: `${group.id}` }, new Turn())
      total += a.total
      for (const [track, n] of a.byTrack) tracks.push({ ...placeOf(context, track), hits: n })
      if (a.incomplete !== null) incomplete.push({ session: session.dir, what: a.incomplete })
      for (let offset = 0; offset < a.total && hits.length < o.limit; offset += PAGE) {
        const limit = Math.min(PAGE, o.limit - hits.length)
        const page = await searchPage(context, { session: session.id, search: a.search, offset, from: null, limit })
        for (const h of page.hits) hits.push(hitDocument(context, group, h))
      }
    }
  }
  const document: SearchDocument = {
    text: o.text,
    regex: o.regex,
    matchCase: o.matchCase,
    in: o.in,
    total,
    hits,
    tracks,
    incomplete,
    diagnostics,
  }
  return { document: read ? document : { diagnostics }, read }
}

function placeOf(context: EngineContext, track: number): { readonly file: string; readonly track: string } {
  const found = context.trackOf(track)
  if (!found) return { file: '', track: '' }
  const { part, track: t } = found
  return { file: part.source.file.path, track: part.source.kind === 'system' ? systemTrackLabel(t.model) : trackLabel(t.model) }
}

function hitDocument(context: EngineContext, group: TimeGroup, h: SearchHit): HitDocument {
  const { file, track } = placeOf(context, h.track)
  return {
    id: eventId(file, h.row),
    track,
    name: h.name,
    where: h.where,
    text: h.excerpt,
    startNs: unixOf(group, h.start),
    durNs: h.duration,
  }
}

/** Unix ns of a time of a group; null where its zero is not known. */
export const unixOf = (group: TimeGroup, t: number): string | null =>
  group.calibrated ? String(group.originNs + BigInt(Math.round(t))) : null
