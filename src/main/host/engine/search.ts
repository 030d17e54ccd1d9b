/**
 * Finds events by name, args and stack (see analysis/trace/search for what these are). A search is kept until the next one of its lane or until tables change, so that pages of its
 * hits and marks for the timeline cost no second search.
 */
import { systemTrackLabel } from '../../../analysis/system/details'
import { RowTexts } from '../../../analysis/system/search-text'
import { trackLabel } from '../../../analysis/trace/details'
import type { TrackModel } from '../../../analysis/trace/model'
import {
  collectHits,
  excerptOf,
  firstMatch,
  hitMarks,
  hitPositions,
  hitsBefore,
  hitsPage,
  IN_ARGS,
  IN_FRAMES,
  IN_NAME,
  IN_STACK,
  makeMatcher,
  matchingFrame,
  NO_MATCH,
  searchFrames,
  searchNames,
  stackValues,
  StringMatches,
  unescaped,
  type Excerpt,
  type HitAt,
  type HitMarks,
  type Hits,
  type Matcher,
  type SearchedPart,
  type SearchedTrack,
  type TrackHits,
} from '../../../analysis/trace/search'
import type { Answers, RequestArgs } from '../../../shared/api'
import { stringAt } from '../../../shared/columns'
import { num } from '../../../shared/format'
import type { SearchHit } from '../../../shared/trace-api'
import { refAt, type EngineContext, type Part, type PartTrack } from './context'
import { Turn } from './lanes'
import { scanArgs } from './search-args'
import type { SystemSource, TraceSource } from './sources'

/** Excerpts of args that are kept from the search itself; those of later pages are read again. */
const KEPT_EXCERPTS = 20_000
/** Searches that are kept, of the lanes that asked last. */
const KEPT_SEARCHES = 8
/** Marks of one answer. */
const MOST_MARKS = 500_000

interface SearchPart extends SearchedPart {
  readonly part: Part
  readonly names: StringMatches
  readonly excerpts: Map<number, Excerpt>
}

interface Search {
  readonly id: number
  readonly parts: readonly SearchPart[]
  readonly hits: Hits
  readonly matcher: Matcher
  readonly fields: RequestArgs<'trace.search'>['fields']
  /** Hits of tracks that are drawn and were not searched themselves, as they show the events of others. */
  readonly drawn: Map<number, Pick<TrackHits, 'model' | 'positions' | 'offset'> | null>
}

/** By lane, latest last; a context lives as long as its version. */
const searches = new WeakMap<EngineContext, Map<string, Search>>()
let lastId = 0

export async function traceSearch(context: EngineContext, q: RequestArgs<'trace.search'>, turn: Turn): Promise<Answers['trace.search']> {
  const none: Answers['trace.search'] = {
    version: context.version,
    cancelled: false,
    search: 0,
    hits: [],
    total: 0,
    byTrack: [],
    error: null,
    incomplete: null,
  }
  searches.get(context)?.delete(q.lane)
  const { matcher, error } = makeMatcher(q.query, q)
  if (!matcher) return { ...none, error }
  const parts = partsOf(context, q, matcher)
  const missing = new Missing()
  for (const p of parts) {
    if (!(await searchPart(context, p, matcher, q.fields, turn, missing))) return { ...none, cancelled: true }
    missing.names += p.names.cut
  }
  const hits = await collectHits(parts, turn)
  if (!hits) return { ...none, cancelled: true }
  const search: Search = { id: ++lastId, parts, hits, matcher, fields: q.fields, drawn: new Map() }
  const listed = await listHits(context, search, hitsPage(hits, 0, q.limit), turn)
  if (!listed) return { ...none, cancelled: true }
  keep(context, q.lane, search)
  return {
    ...none,
    search: search.id,
    hits: listed,
    total: hits.total,
    byTrack: hits.tracks.map(t => [t.id, t.positions.length] as const),
    incomplete: missing.words(q.fields, matcher, parts[0]?.names.longest ?? 0),
  }
}

export async function searchPage(context: EngineContext, q: RequestArgs<'trace.searchPage'>): Promise<Answers['trace.searchPage']> {
  const search = find(context, q.search)
  if (!search) return { version: context.version, known: false, offset: 0, hits: [] }
  const offset = q.from === null ? q.offset : Math.min(hitsBefore(search.hits, q.from), Math.max(0, search.hits.total - 1))
  const hits = await listHits(context, search, hitsPage(search.hits, offset, q.limit), new Turn())
  return { version: context.version, known: true, offset, hits: hits ?? [] }
}

/**
 * Where tracks have hits in a window. The answer holds `MOST_MARKS` at most: tracks that would go beyond are left out of `trackStart`, to be asked again; one that alone has more
 * is drawn with wider columns. A track that is asked again in the same request has its marks the first time only. `most` is for tests.
 */
export async function searchMarks(
  context: EngineContext,
  q: RequestArgs<'trace.searchMarks'>,
  turn: Turn,
  most = MOST_MARKS,
): Promise<Answers['trace.searchMarks']> {
  const search = find(context, q.search)
  const marks: (HitMarks | null)[] = []
  const seen = new Set<number>()
  let n = 0
  for (const id of q.tracks) {
    const hits = search && !seen.has(id) ? drawnHits(context, search, id) : null
    seen.add(id)
    const found = hits && (hitMarks(hits, q.start, q.end, q.width, most - n) ?? (n === 0 ? coarseMarks(hits, q, most) : null))
    if (hits && !found) break
    marks.push(found)
    n += found?.lane.length ?? 0
    if (turn.due) await turn.pause()
  }
  const trackStart = new Uint32Array(marks.length + 1)
  const out = { trackStart, lane: new Uint16Array(n), from: new Float64Array(n), to: new Float64Array(n) }
  let at = 0
  marks.forEach((m, i) => {
    if (m) {
      out.lane.set(m.lane, at)
      out.from.set(m.from, at)
      out.to.set(m.to, at)
      at += m.lane.length
    }
    trackStart[i + 1] = at
  })
  return { version: context.version, known: search !== null, ...out }
}

/** Marks of a track that has too many of them: columns as wide as it takes. One column is one mark for each lane, at most 65,536 of which there are. */
function coarseMarks(hits: Parameters<typeof hitMarks>[0], q: RequestArgs<'trace.searchMarks'>, most: number): HitMarks {
  for (let width = q.width / 4; width > 1; width /= 4) {
    const found = hitMarks(hits, q.start, q.end, width, most)
    if (found) return found
  }
  return hitMarks(hits, q.start, q.end, 1) as HitMarks
}

function keep(context: EngineContext, lane: string, search: Search): void {
  let kept = searches.get(context)
  if (!kept) searches.set(context, (kept = new Map<string, Search>()))
  kept.delete(lane)
  kept.set(lane, search)
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_SEARCHES) break
    kept.delete(oldest)
  }
}

function find(context: EngineContext, id: number): Search | null {
  for (const s of searches.get(context)?.values() ?? []) if (s.id === id) return s
  return null
}

/** Sources of the group with the tracks that are asked. Asked tracks may be derived from others. */
function partsOf(context: EngineContext, q: RequestArgs<'trace.search'>, matcher: Matcher): readonly SearchPart[] {
  const tracks = new Map<Part, SearchedTrack[]>()
  const add = (part: Part, { id, info, model }: PartTrack): void => {
    if (part.group !== q.group || model.kind !== 'slices' || rowsOf(part) === 0) return
    const list = tracks.get(part) ?? []
    list.push({ id, model, derived: info.derived === true })
    tracks.set(part, list)
  }
  if (q.tracks === null) for (const part of context.parts) for (const t of part.tracks) add(part, t)
  else
    for (const id of new Set(q.tracks)) {
      const found = context.trackOf(id)
      if (found) add(found.part, found.track)
    }
  return [...tracks].map(([part, list]) => ({
    part,
    strings: part.strings,
    tracks: list,
    offset: part.offset,
    where: new Uint8Array(rowsOf(part)),
    names: new StringMatches(part.strings, matcher),
    excerpts: new Map<number, Excerpt>(),
  }))
}

const rowsOf = ({ source: s }: Part): number => (s.kind === 'chrome-trace' || s.kind === 'system' ? s.table.count : 0)

/** What could not be searched, over all parts. */
class Missing {
  readonly #words: string[] = []
  cut = 0
  /** Names, and events by their args or stacks, of which an expression was tried on the beginning only. */
  names = 0
  events = 0
  /** Events with a stack, as far as they were looked at; NaN where not all were. */
  stacks = 0

  add(words: string): void {
    this.#words.push(words)
  }

  words(fields: RequestArgs<'trace.search'>['fields'], { reach }: Matcher, longestName: number): string | null {
    const all = [...this.#words]
    const begun = (of: string, n: number, most: number): string =>
      `of ${of}${n === 1 ? '' : 's'} only the first ${num(most)} characters were searched`
    if (this.names > 0) all.push(begun(`${num(this.names)} name`, this.names, longestName))
    if (this.events > 0) all.push(begun(`the ${fields.args ? 'args' : 'stacks'} of ${num(this.events)} event`, this.events, reach))
    if (this.cut > 0) all.push(`of the args of ${num(this.cut)} event${this.cut === 1 ? '' : 's'} only the first 256 KiB were searched`)
    if (fields.stacks && !fields.names && !fields.args && this.stacks === 0) all.push('no event has a stack: none was recorded')
    return all.length === 0 ? null : all.join('; ')
  }
}

/** Marks what matches in one source; false when it was given up. */
async function searchPart(
  context: EngineContext,
  p: SearchPart,
  matcher: Matcher,
  fields: RequestArgs<'trace.search'>['fields'],
  turn: Turn,
  missing: Missing,
): Promise<boolean> {
  if (fields.names && !(await searchNames(p, p.names, turn))) return false
  if (fields.stacks) {
    const frames = await searchFrames(p, p.names, turn)
    if (frames === null) return false
    missing.stacks += frames
  }
  if (!fields.args && !fields.stacks) return true
  const { source } = p.part
  if (source.kind === 'system') return searchAttributes(p, source, matcher, fields, turn, missing)
  return source.kind !== 'chrome-trace' || searchFile(context, p, source, matcher, fields, turn, missing)
}

async function searchAttributes(
  p: SearchPart,
  { table }: SystemSource,
  matcher: Matcher,
  fields: RequestArgs<'trace.search'>['fields'],
  turn: Turn,
  missing: Missing,
): Promise<boolean> {
  const texts = new RowTexts(table)
  for (const { model } of p.tracks)
    for (const row of model.row) {
      if (p.where[row] === NO_MATCH) {
        const inText = fields.args ? firstMatch(matcher, [texts.textOf(row)]) : NOTHING
        const stacks = fields.stacks && inText.found === null ? texts.stacksOf(row) : []
        missing.stacks += stacks.length
        const inStacks = firstMatch(matcher, stacks)
        if (inText.found !== null) p.where[row] = IN_ARGS
        else if (inStacks.found !== null) p.where[row] = IN_STACK
        else if (inText.cut || inStacks.cut) missing.events++
      } else missing.stacks = NaN
      if (turn.due && (await turn.pause())) return false
    }
  return true
}

async function searchFile(
  context: EngineContext,
  p: SearchPart,
  source: TraceSource,
  matcher: Matcher,
  fields: RequestArgs<'trace.search'>['fields'],
  turn: Turn,
  missing: Missing,
): Promise<boolean> {
  const rows = await rowsWithArgs(p, source, turn)
  if (!rows) return false
  if (rows.skipped > 0) missing.stacks = NaN
  const scanned = await scanArgs(source, rows.list, context.deps.readBytes, turn, (row, json) => {
    const hit = inArgs(json, matcher, fields)
    if (hit.stacks) missing.stacks++
    if (!hit.where) {
      if (hit.cut) missing.events++
      return
    }
    p.where[row] = hit.where
    if (p.excerpts.size < KEPT_EXCERPTS) p.excerpts.set(row, hit.excerpt())
  })
  if (scanned.problem !== null) {
    missing.stacks = NaN
    missing.add(`args in ${source.file.path} were not all searched: ${scanned.problem}`)
    return true
  }
  missing.cut += scanned.cut
  if (scanned.cut > 0) missing.stacks = NaN
  return !scanned.over
}

/** Rows of the part's tracks that have args and do not match yet, in file order; null when it was given up. */
async function rowsWithArgs(
  p: SearchPart,
  { table }: TraceSource,
  turn: Turn,
): Promise<{ readonly list: Uint32Array; readonly skipped: number } | null> {
  const wanted = new Uint8Array(table.count)
  let n = 0
  let skipped = 0
  for (const { model } of p.tracks) {
    for (const row of model.row) {
      if (!(table.argsOffset[row] >= 0) || wanted[row] === 1) continue
      if (p.where[row] === NO_MATCH) {
        wanted[row] = 1
        n++
      } else skipped++
    }
    if (turn.due && (await turn.pause())) return null
  }
  const list = new Uint32Array(n)
  for (let row = 0, k = 0; k < n; row++) if (wanted[row] === 1) list[k++] = row
  return { list, skipped }
}

interface InArgs {
  readonly where: typeof IN_ARGS | typeof IN_STACK | null
  readonly excerpt: () => Excerpt
  readonly stacks: boolean
  /** Not all was looked at. */
  readonly cut: boolean
}

const NOTHING = { found: null, cut: false } as const

/** How the args of an event (JSON text) match. */
function inArgs(json: string, matcher: Matcher, fields: RequestArgs<'trace.search'>['fields']): InArgs {
  const stacks = fields.stacks ? stackValues(json) : []
  const { found, cut } = firstMatch(matcher, fields.args ? [unescaped(json)] : stacks)
  return {
    where: found === null ? null : fields.args ? IN_ARGS : IN_STACK,
    excerpt: () => excerptAt(found ?? '', matcher),
    stacks: stacks.length > 0,
    cut,
  }
}

function excerptAt(text: string, matcher: Matcher): Excerpt {
  const found = matcher.find(text)
  return excerptOf(text, found?.from ?? 0, found?.to ?? 0)
}

/** Rows of a page for people; null when it was given up. */
async function listHits(context: EngineContext, s: Search, page: readonly HitAt[], turn: Turn): Promise<readonly SearchHit[] | null> {
  for (const [i, p] of s.parts.entries()) {
    const { source } = p.part
    if (source.kind !== 'chrome-trace') continue
    const rows = page
      .filter(h => h.track.part === i)
      .map(h => h.track.model.row[h.at])
      .filter(row => (p.where[row] === IN_ARGS || p.where[row] === IN_STACK) && !p.excerpts.has(row))
    const again = new Map<number, Excerpt>()
    const scanned = await scanArgs(source, Uint32Array.from(rows), context.deps.readBytes, turn, (row, json) => {
      again.set(row, inArgs(json, s.matcher, s.fields).excerpt())
    })
    if (scanned.problem === null && scanned.over) return null
    if (again.size > 0) for (const [row, excerpt] of again) p.excerpts.set(row, excerpt)
    // A later page takes the room of earlier ones.
    for (const row of p.excerpts.keys()) {
      if (p.excerpts.size <= KEPT_EXCERPTS + page.length) break
      if (!again.has(row)) p.excerpts.delete(row)
    }
  }
  const texts = new Map<number, RowTexts>()
  const out: SearchHit[] = []
  for (const hit of page) {
    out.push(describe(context, s, hit, texts))
    if (turn.due && (await turn.pause())) return null
  }
  return out
}

const WHERE: readonly SearchHit['where'][] = ['name', 'name', 'stack', 'args', 'stack']

function describe(context: EngineContext, s: Search, { track, at }: HitAt, texts: Map<number, RowTexts>): SearchHit {
  const p = s.parts[track.part]
  const row = track.model.row[at]
  const where = p.where[row]
  const found = context.trackOf(track.id)
  const ref = refAt(p.part, { id: track.id, model: track.model } as PartTrack, at)
  let excerpt: Excerpt
  if (where === IN_NAME) excerpt = excerptAt(ref.name, s.matcher)
  else if (where === IN_FRAMES) {
    const frame = matchingFrame(p, track.model, at, p.names)
    excerpt = excerptAt(frame < 0 ? '' : stringAt(p.strings, track.model.nameId[frame]), s.matcher)
  } else if (p.part.source.kind === 'system') {
    let rows = texts.get(track.part)
    if (!rows) texts.set(track.part, (rows = new RowTexts(p.part.source.table)))
    const text = where === IN_ARGS ? rows.textOf(row) : (firstMatch(s.matcher, rows.stacksOf(row)).found ?? '')
    excerpt = excerptAt(text, s.matcher)
  } else excerpt = p.excerpts.get(row) ?? { text: '', from: 0, to: 0 }
  return {
    ...ref,
    trackName: found ? nameOf(p.part, found.track.model) : '',
    where: WHERE[where],
    excerpt: excerpt.text,
    from: excerpt.from,
    to: excerpt.to,
  }
}

/** `PID:1/TID:2`. */
const nameOf = ({ source }: Part, model: TrackModel): string => (source.kind === 'system' ? systemTrackLabel(model) : trackLabel(model))

/** Hits of a track that is drawn: of those searched, or of one that shows the same events again. */
function drawnHits(context: EngineContext, s: Search, id: number): Pick<TrackHits, 'model' | 'positions' | 'offset'> | null {
  const known = s.drawn.get(id)
  if (known !== undefined) return known
  const own = s.hits.tracks.find(t => t.id === id)
  const found = own ? null : context.trackOf(id)
  const p = found && s.parts.find(x => x.part.index === found.part.index)
  const { model } = found?.track ?? {}
  const hits = own ?? (p && model?.kind === 'slices' ? { model, offset: p.offset, positions: hitPositions({ model }, p.where) } : null)
  s.drawn.set(id, hits)
  return hits
}
