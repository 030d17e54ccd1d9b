/** What caused an event and what it caused: the chain of the session's files (src/session/chain), told as events of the view. */
import { systemTrackLabel } from '../../../analysis/system/details'
import { trackLabel } from '../../../analysis/trace/details'
import {
  buildChain,
  INFERRED,
  L_FRAMEWORK,
  L_HARDWARE,
  L_NONE,
  L_RUNTIME,
  L_STREAM,
  LINKS_BY,
  modelFiles,
  placeOf,
  sequenceOf,
  sourceOf,
  textIdOf,
  union,
  VALUE_NONE,
  VALUE_TEXT,
  walk,
  why,
  type ChainGraph,
  type ChainInput,
  type ModelFiles,
  type Walk,
} from '../../../session/chain'
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import { stringAt } from '../../../shared/columns'
import { eventId } from '../../../shared/event-id'
import { attribute } from '../../../shared/system-tables'
import { TRACE_ID_KEYS } from '../../../shared/tables'
import type { ChainEvent, ChainLink, ChainModel } from '../../../shared/trace-api'
import { refAt, type EngineContext, type Part, type PartTrack } from './context'
import { Turn } from './lanes'
import { KeySets, modelKeys, MOST_KEYS } from './model-keys'
import type { SystemSource, TraceSource } from './sources'

/** Links that are listed of each direction. */
const MOST_LINKS = 500
const MOST_MODELS = 20
const CACHE_KEY = TRACE_ID_KEYS.indexOf('neff_cache_key')

export async function traceChain(
  context: EngineContext,
  { source, row }: RequestArgs<'trace.chain'>,
  turn: Turn,
): Promise<Answers['trace.chain']> {
  const parts = chainParts(context)
  const index = parts.findIndex(p => p.index === source)
  const gone = (): RequestError => new RequestError('This event is not there (any more).')
  if (index < 0) throw gone()
  const graph = await graphOf(parts, context)
  const own = graph.sources[index]
  const node = (own?.base ?? 0) + row
  if (!own || row >= own.count || graph.layer[node] === L_NONE) throw gone()
  const view = new View(graph, parts)
  const up = await walk(graph, node, false, MOST_LINKS, turn)
  const down = up && (await walk(graph, node, true, MOST_LINKS, turn))
  if (!up || !down) throw overtaken()
  const reasons = why(graph, own, node)
  const models = await modelsOf(view, node, up, down, context, turn)
  const deviceNs = await view.deviceNs(down, turn)
  return {
    version: context.version,
    event: view.event(node),
    upstream: up.links.map(l => view.link(l)),
    downstream: down.links.map(l => view.link(l)),
    cut: up.cut + down.cut,
    noUpstream: up.links.length === 0 ? reasons.up : null,
    noDownstream: down.links.length === 0 ? reasons.down : null,
    ...models,
    deviceNs,
  }
}

const overtaken = (): RequestError => new RequestError('A newer question was asked.')

/** Events of a walk between two looks at the clock. */
const STRIDE = 1024

async function breathe(turn: Turn): Promise<void> {
  if (turn.due && (await turn.pause())) throw overtaken()
}

type ChainPart = Part & { readonly source: TraceSource | SystemSource }

/** Sources that have events. */
const chainParts = (context: EngineContext): readonly ChainPart[] =>
  context.parts.filter((p): p is ChainPart => p.source.kind === 'chrome-trace' || p.source.kind === 'system')

/** The last graph and the columns that it was made of. It outlives versions: a file that brings no links makes no new one. */
const kept = new WeakMap<object, { readonly of: readonly unknown[]; readonly graph: Promise<ChainGraph> }>()

function graphOf(parts: readonly ChainPart[], context: EngineContext): Promise<ChainGraph> {
  const input: ChainInput = {
    sources: parts.map(p => ({
      table: p.source.table,
      tracks: p.tracks.filter(t => t.model.kind === 'slices').map(t => t.model),
      pid: p.source.file.pid ?? '',
    })),
    mappings: context.sides.flatMap(s => (s.table.kind === 'framework-mapping' ? [s.table] : [])),
  }
  // Names of models may be added to a table later; the columns stay.
  const of = [
    ...parts.map(p => (p.source.kind === 'system' ? p.source.table.sequence : p.source.table.phase)),
    ...input.sources.flatMap(s => [s.pid, ...s.tracks.map(t => t.row)]),
    ...input.mappings,
  ]
  const key = of[0] as object
  const last = kept.get(key)
  if (last && last.of.length === of.length && last.of.every((x, i) => x === of[i])) return last.graph
  // In turns of its own: a newer question wants the same graph.
  const graph = buildChain(input, new Turn())
  kept.set(key, { of, graph })
  graph.catch(() => kept.delete(key))
  return graph
}

/** Nodes and links of the graph as the view has them. */
class View {
  readonly graph: ChainGraph
  readonly #parts: readonly ChainPart[]
  readonly #events = new Map<number, ChainEvent>()
  readonly #tracks: readonly ReadonlyMap<Uint32Array, PartTrack>[]

  constructor(graph: ChainGraph, parts: readonly ChainPart[]) {
    this.graph = graph
    this.#parts = parts
    this.#tracks = parts.map(p => new Map(p.tracks.map(t => [t.model.row, t])))
  }

  partOf(node: number): ChainPart {
    return this.#parts[this.graph.sources.indexOf(sourceOf(this.graph.sources, node))]
  }

  #drawn(node: number): { readonly part: ChainPart; readonly track: PartTrack; readonly at: number } {
    const s = sourceOf(this.graph.sources, node)
    const index = this.graph.sources.indexOf(s)
    const place = placeOf(s, this.graph.position, node)
    const track = place && this.#tracks[index]?.get(s.tracks[place.track].row)
    if (!place || !track) throw new Error(`event ${node} stands on no track`)
    return { part: this.#parts[index], track, at: place.at }
  }

  event(node: number): ChainEvent {
    let e = this.#events.get(node)
    if (e) return e
    const { part, track, at } = this.#drawn(node)
    const s = sourceOf(this.graph.sources, node)
    const layer = this.graph.layer[node]
    e = {
      ...refAt(part, track, at),
      layer:
        layer === L_FRAMEWORK
          ? 'framework'
          : layer === L_STREAM
            ? 'stream'
            : layer === L_RUNTIME
              ? 'neuron_rt'
              : layer === L_HARDWARE
                ? 'neuron_hw'
                : 'runtime',
      trackName: part.source.kind === 'system' ? systemTrackLabel(track.model) : trackLabel(track.model),
      lane: laneOf(track, at),
      id: eventId(part.source.file.path, node - s.base),
      flowId: this.#flowId(node) ?? sequenceOf(s, node - s.base),
    }
    this.#events.set(node, e)
    return e
  }

  /** Id of the first flow that is bound to the event. */
  #flowId(node: number): string | null {
    const g = this.graph
    for (let i = g.downStart[node]; i < g.downStart[node + 1]; i++) if ((g.by[i] & VALUE_TEXT) !== 0) return this.#value(i)
    for (let i = g.upStart[node]; i < g.upStart[node + 1]; i++) {
      const l = g.upLink[i]
      if ((g.by[l] & VALUE_TEXT) !== 0) return this.#value(l)
    }
    return null
  }

  #value(link: number): string {
    const g = this.graph
    const by = g.by[link]
    if ((by & VALUE_NONE) !== 0) return ''
    const low = g.value[2 * link]
    if ((by & VALUE_TEXT) !== 0) return stringAt(sourceOf(g.sources, g.from[link]).table.strings, low)
    return String((BigInt(g.value[2 * link + 1]) << 32n) | BigInt(low))
  }

  link(link: number): ChainLink {
    const g = this.graph
    return {
      from: this.event(g.from[link]),
      to: this.event(g.to[link]),
      by: LINKS_BY[g.by[link] & 15] ?? 'flow',
      value: this.#value(link),
      inferred: (g.by[link] & INFERRED) !== 0,
    }
  }

  /** Time that at least one hardware slice of the walk covers; null where there is none with both ends. */
  async deviceNs(down: Walk, turn: Turn): Promise<number | null> {
    const byGroup = new Map<number, { readonly start: number[]; readonly end: number[] }>()
    for (let i = 0; i < down.nodes.length; i++) {
      if (i % STRIDE === 0) await breathe(turn)
      const node = down.nodes[i] as number
      if (this.graph.layer[node] !== L_HARDWARE) continue
      const { part, track, at } = this.#drawn(node)
      if (track.model.flags[at] !== 0) continue
      let g = byGroup.get(part.group)
      if (!g) byGroup.set(part.group, (g = { start: [], end: [] }))
      const start = (track.model.start[at] as number) + part.offset
      g.start.push(start)
      g.end.push(start + (track.model.duration[at] as number))
    }
    if (byGroup.size === 0) return null
    return [...byGroup.values()].reduce((sum, g) => sum + union(Float64Array.from(g.start), Float64Array.from(g.end)), 0)
  }
}

/** Level of a position of a track's columns. */
function laneOf({ model }: PartTrack, at: number): number {
  let lane = 0
  while ((model.laneStart[lane + 1] as number) <= at) lane++
  return lane
}

interface Named {
  readonly id: bigint | null
  readonly name: string | null
}

/** The models that the event and the linked events name, with their files. */
async function modelsOf(
  view: View,
  node: number,
  up: Walk,
  down: Walk,
  context: EngineContext,
  turn: Turn,
): Promise<Pick<Answers['trace.chain'], 'model' | 'models'>> {
  const g = view.graph
  const found = new Map<bigint, Named>()
  const sets = new KeySets()
  const keyed = new Map<number, number>()
  const infos = context.sides.flatMap(s => (s.table.kind === 'trace-info' ? [s.table.names] : []))
  const modelAt = (at: number): bigint | null => {
    const s = sourceOf(g.sources, at)
    return modelIdOf(s.table, at - s.base)
  }
  const note = (at: number): void => {
    const s = sourceOf(g.sources, at)
    const key = cacheKeyOf(s.table, at - s.base)
    if (key !== null) keyed.set(at, sets.one(key))
    const id = modelIdOf(s.table, at - s.base)
    if (id === null || found.has(id)) return
    const { table } = view.partOf(at).source
    const stored = table.kind === 'system' ? stringAt(table.strings, table.modelName[at - s.base] ?? -1) : ''
    found.set(id, { id, name: stored || (infos.map(n => n.get(id)).find(n => n !== undefined) ?? null) })
  }
  note(node)
  for (const { nodes } of [up, down])
    for (let i = 0; i < nodes.length; i++) {
      if (i % STRIDE === 0) await breathe(turn)
      note(nodes[i] as number)
    }
  const below = await modelKeys(g, keyed, sets, modelAt, turn)
  if (!below) throw overtaken()
  const files = filesOf(context)
  const tell = ({ id, name }: Named, keys: readonly string[]): ChainModel => {
    const cacheKey = keys.length === 1 ? (keys[0] ?? null) : null
    const several = keys.length > 1 ? `it ran under ${keys.length > MOST_KEYS ? `more than ${MOST_KEYS}` : keys.length} cache keys` : null
    const { neffs, ntffs, reason } = modelFiles({ id, name, cacheKey }, files)
    return { modelId: id === null ? null : String(id), modelName: name, cacheKey, neffs, ntffs, reason: reason ?? several }
  }
  const named = (m: Named): ChainModel => tell(m, m.id === null ? [] : sets.keys(below.ofModel.get(m.id) ?? 0))
  const first: ChainModel[] = []
  for (const m of found.values()) if (first.length < MOST_MODELS) first.push(named(m))
  for (const set of below.alone) if (first.length < MOST_MODELS) first.push(tell({ id: null, name: null }, sets.keys(set)))
  const ownId = modelAt(node)
  const own = ownId === null ? undefined : found.get(ownId)
  const only = found.size + below.alone.size === 1 ? first[0] : undefined
  return { model: own ? named(own) : (only ?? null), models: first }
}

const modelIdOf = (t: ChainGraph['sources'][number]['table'], row: number): bigint | null =>
  t.kind === 'system' && t.model[row] !== 0n ? (t.model[row] as bigint) : null

function cacheKeyOf(t: ChainGraph['sources'][number]['table'], row: number): string | null {
  return t.kind === 'system' ? attribute(t, row, 'neff_cache_key') : textIdOf(t, row, CACHE_KEY)
}

function filesOf(context: EngineContext): ModelFiles {
  return {
    neffs: context.sides.flatMap(s => (s.table.kind === 'neff' ? [{ id: s.file.id, path: s.file.path, facts: s.table.facts }] : [])),
    ntffs: context.sides.flatMap(s =>
      s.table.kind === 'ntff' ? [{ id: s.file.id, path: s.file.path, facts: s.table.facts, modelId: s.table.modelId }] : [],
    ),
  }
}
