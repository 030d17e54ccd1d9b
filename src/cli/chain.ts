/** `chain PATH --event ID`: what caused an event and what it caused, over the files of its session. The same answer as behind the window, in Unix time. */
import { placeOfRow } from '../analysis/trace/details'
import { nameOf } from '../session/chain'
import { traceChain } from '../main/host/engine/chain'
import type { Engine } from '../main/host/engine/engine'
import { Turn } from '../main/host/engine/lanes'
import { discover } from '../session/discover'
import type { Catalog, CatalogFile, CatalogSession, ReadableKind } from '../shared/catalog'
import type { Diagnostic } from '../shared/diagnostics'
import { parseEventId } from '../shared/event-id'
import type { ChainAnswer, ChainEvent, ChainModel } from '../shared/trace-api'
import { NotFoundError, UsageError } from './args'
import { EVENT_KINDS, openEngine } from './engine'
import type { Io, Outcome } from './output'
import { unixOf } from './search'

/** Which event: by its id, or the nth of a name by start (from 1) over all files of the session. */
export type ChainOf = { readonly event: string } | { readonly name: string; readonly nth: number }

export interface ChainEventDocument {
  readonly id: string
  readonly name: string
  readonly layer: ChainEvent['layer']
  readonly track: string
  /** Unix ns, decimal; null where the zero of the file's times is not known. */
  readonly startNs: string | null
  /** null: an instant, or one end is missing. */
  readonly durNs: number | null
  readonly flowId: string | null
}

export interface ChainLinkDocument {
  readonly from: ChainEventDocument
  readonly to: ChainEventDocument
  readonly by: ChainAnswer['upstream'][number]['by']
  readonly value: string
  readonly inferred: boolean
}

export interface ChainModelDocument extends Omit<ChainModel, 'neffs' | 'ntffs'> {
  readonly neffs: readonly { readonly path: string; readonly by: string }[]
  readonly ntffs: readonly { readonly path: string; readonly by: string }[]
}

export interface ChainDocument extends Pick<ChainAnswer, 'cut' | 'noUpstream' | 'noDownstream' | 'deviceNs'> {
  readonly event: ChainEventDocument
  readonly upstream: readonly ChainLinkDocument[]
  readonly downstream: readonly ChainLinkDocument[]
  readonly model: ChainModelDocument | null
  readonly models: readonly ChainModelDocument[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Files that events, links or models stand in. */
const KINDS: ReadonlySet<ReadableKind> = new Set<ReadableKind>([...EVENT_KINDS, 'neff', 'ntff', 'framework-mapping'])

export async function chainCommand(path: string, of: ChainOf, io: Io): Promise<Outcome> {
  const catalog = await discover(path, { salt: '' })
  const diagnostics: Diagnostic[] = [...catalog.diagnostics]
  const wanted = 'event' in of ? eventOf(of.event, catalog) : null
  const sessions = wanted ? [wanted.session] : catalog.sessions
  let read = false
  for (const session of sessions) {
    const { engine, diagnostics: found, read: any } = await openEngine(catalog, session, KINDS, io)
    diagnostics.push(...found)
    read ||= any
    const at = wanted ? sourceAt(engine, wanted.file, wanted.row) : 'name' in of ? named(engine, of.name, of.nth) : null
    if (!at) continue
    const answer = await traceChain(engine.context, { session: session.id, ...at }, new Turn())
    return { document: documentOf(answer, engine, diagnostics), read: true }
  }
  if (!read) return { document: { diagnostics }, read }
  throw new NotFoundError(
    'event' in of
      ? `there is no drawn event ${JSON.stringify(of.event)} below the path; \`at PATH --time NS --json\` tells ids`
      : `there is no event ${of.nth === 1 ? '' : `number ${of.nth} `}named ${JSON.stringify(of.name)} in a session below the path`,
  )
}

interface Wanted {
  readonly session: CatalogSession
  readonly file: CatalogFile
  readonly row: number
}

/** The file of an id. Paths may begin at another folder than the one that is opened now, as long as they name one file. */
function eventOf(id: string, catalog: Catalog): Wanted {
  const parsed = parseEventId(id)
  if (!parsed) throw new UsageError(`--event takes FILE:ROW, as \`at --json\` tells it, not ${JSON.stringify(id)}`, 'chain')
  const path = parsed.path.replace(/^\.\//, '')
  const all = catalog.sessions.flatMap(session => session.files.map(file => ({ session, file, row: parsed.row })))
  const exact = all.filter(f => f.file.path === path)
  const near = exact.length > 0 ? exact : all.filter(f => f.file.path.endsWith(`/${path}`) || path.endsWith(`/${f.file.path}`))
  const [one, ...more] = near
  if (!one) throw new NotFoundError(`there is no file ${JSON.stringify(path)} below the path`)
  if (more.length > 0) throw new NotFoundError(`${near.length} files are called ${JSON.stringify(path)}; name the folder too`)
  return one
}

interface At {
  readonly source: number
  readonly row: number
}

/** The event where it is drawn. An export of which another source is shown is chosen first. */
function sourceAt(engine: Engine, file: CatalogFile, row: number): At | null {
  const find = (): At | null => {
    const part = engine.context.parts.find(p => p.source.file.id === file.id)
    return part ? { source: part.index, row } : null
  }
  const shown = find()
  if (!shown && engine.view.systems?.some(s => s.file === file.id)) {
    engine.choose(file.id)
    return checked(engine, find())
  }
  return checked(engine, shown)
}

/** null for rows that no track shows: metadata, flows, ends of slices. */
function checked(engine: Engine, at: At | null): At | null {
  const part = at && engine.context.partOf(at.source)
  if (!at || !part) return null
  const { source } = part
  if (source.kind === 'chrome-trace') return placeOfRow(source.table, source.model, at.row) ? at : null
  return source.kind === 'system' && at.row < source.table.count && (source.model.trackOf[at.row] ?? -1) >= 0 ? at : null
}

/** The nth event of a name by start. */
function named(engine: Engine, name: string, nth: number): At | null {
  const found: { readonly at: At; readonly start: number; readonly order: number }[] = []
  for (const part of engine.context.parts) {
    const { source } = part
    if (source.kind !== 'chrome-trace' && source.kind !== 'system') continue
    for (const { model } of part.tracks) {
      if (model.kind !== 'slices') continue
      const same = new Map<number, boolean>()
      for (let i = 0; i < model.row.length; i++) {
        const row = model.row[i] as number
        const id = model.nameId[i] as number
        let is = same.get(id)
        if (is === undefined) same.set(id, (is = nameOf(source.table, row) === name))
        if (is) found.push({ at: { source: part.index, row }, start: (model.start[i] as number) + part.offset, order: found.length })
      }
    }
  }
  found.sort((a, b) => a.start - b.start || a.order - b.order)
  return found[nth - 1]?.at ?? null
}

function documentOf(a: ChainAnswer, engine: Engine, diagnostics: readonly Diagnostic[]): ChainDocument {
  const made = new Map<string, ChainEventDocument>()
  const event = (e: ChainEvent): ChainEventDocument => {
    let d = made.get(e.id)
    if (d) return d
    const group = engine.context.groups.find(g => g.id === engine.context.partOf(e.source)?.group)
    d = {
      id: e.id,
      name: e.name,
      layer: e.layer,
      track: e.trackName,
      startNs: group ? unixOf(group, e.start) : null,
      durNs: e.duration,
      flowId: e.flowId,
    }
    made.set(e.id, d)
    return d
  }
  const links = (list: ChainAnswer['upstream']): readonly ChainLinkDocument[] =>
    list.map(l => ({ from: event(l.from), to: event(l.to), by: l.by, value: l.value, inferred: l.inferred }))
  const model = (m: ChainModel): ChainModelDocument => ({
    ...m,
    neffs: m.neffs.map(({ path, by }) => ({ path, by })),
    ntffs: m.ntffs.map(({ path, by }) => ({ path, by })),
  })
  return {
    event: event(a.event),
    upstream: links(a.upstream),
    downstream: links(a.downstream),
    cut: a.cut,
    noUpstream: a.noUpstream,
    noDownstream: a.noDownstream,
    deviceNs: a.deviceNs,
    model: a.model && model(a.model),
    models: a.models.map(model),
    diagnostics,
  }
}
