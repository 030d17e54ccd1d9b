/**
 * The engine of one session: owns the tables and models and answers queries. Runs in a thread of its own (engine.worker.ts) or in process in tests.
 *
 * Times of queries belong to a group; each source is asked in its own time, shifted by an exact integer. Ids of tracks and allocators are unique
 * over all sources and name the same thing as long as it is there, also when its file is read again; an id that is unknown is a RequestError.
 */
import { allocationDetails } from '../../../analysis/allocator/owners'
import { memoryPicture } from '../../../analysis/allocator/picture'
import { memoryAt, smallerAt } from '../../../analysis/allocator/pictureAt'
import { systemDetails } from '../../../analysis/system/details'
import { withModelNames } from '../../../analysis/system/names'
import { busyOverview, hardwareTracks } from '../../../analysis/trace/busy'
import { counterMeans } from '../../../analysis/trace/counter-mean'
import { counterInWindow } from '../../../analysis/trace/counter-window'
import { sliceDetails } from '../../../analysis/trace/details'
import type { TrackModel } from '../../../analysis/trace/model'
import {
  RequestError,
  type AllocatorInfo,
  type Answers,
  type Axis,
  type RequestArgs,
  type SliceDetails,
  type StepInfo,
  type TimeGroup,
  type TrackInfo,
} from '../../../shared/api'
import type { Diagnostic } from '../../../shared/diagnostics'
import type { StringTable } from '../../../shared/columns'
import type { FileVerdict } from '../../../shared/schema-api'
import type { TraceInfoTable } from '../../../shared/system-tables'
import type { SideTable } from '../../../shared/tables'
import { compareNames } from '../../../session/names'
import { alignmentOf, type AlignedSource } from '../../../session/alignment'
import { severalSources, shownSources, sourceWords } from '../../../session/system-sources'
import { buildTimeGroups } from '../../../session/time-groups'
import type { Prepared } from '../prepared'
import type { EngineFile, EngineInit, EngineView } from '../protocol'
import { argsOf, type ReadArgs } from './args'
import type { ReadBytes } from './search-args'
import { insideSlice } from './inside'
import type { EngineContext, Part } from './context'
import { Lanes } from './lanes'
import { slicesOfTracks, tilesOfTracks, type TrackQuery } from './slices'
import { HbmQueries } from './hbm'
import { clockOf, makeSource, rangeOf, tracksOf, type Allocator, type SnapshotSource, type Source, type TraceSource } from './sources'
import { allocatorInfo, sourceInfo, stepInfos, trackInfos, verdictsOf } from './view'

/** Where a source stands: its index in the view, its group and what is added to its times to get those of the group. */
export interface Place {
  readonly index: number
  readonly group: number | null
  readonly offset: number | null
  /** Version at which its tables or its place in time changed last: what was answered since then still holds. */
  readonly stamp: number
}

/** More tiles (of all tracks together) than one answer may have. */
const MAX_TILES = 4096
/** More pixels than any screen; a larger picture is refused rather than tried. */
const MAX_PIXELS = 2 ** 26

interface Entry {
  source: Source
  place: Place
  /** The source that `place` was made for. */
  placed: Source | null
}

interface Side {
  readonly file: EngineFile
  readonly table: SideTable | TraceInfoTable
  readonly diagnostics: readonly Diagnostic[]
}

interface AllocatorEntry {
  readonly entry: Entry
  readonly source: SnapshotSource
  readonly allocator: Allocator
  readonly info: AllocatorInfo
}

export interface EngineDeps {
  /** Text of a byte range of the uncompressed stream of a file. */
  readonly readArgs: ReadArgs
  /** Many ranges of it, in order; absent where args are not searched. */
  readonly readBytes?: ReadBytes
}

/** Answer of the methods that change tables. */
export interface Changed {
  readonly view: EngineView
  readonly nextId: number
}

export class Engine {
  readonly #session: string
  readonly #deps: EngineDeps
  #version: number
  #nextId: number
  /** By file id, in order of arrival; a file that is read again keeps its place. */
  readonly #entries = new Map<string, Entry>()
  /** Files without a time axis, by file id. */
  readonly #sides = new Map<string, Side>()
  readonly #failed = new Map<string, { readonly diagnostics: readonly Diagnostic[]; readonly verdict: FileVerdict | null }>()
  /** Ids by what they name, so that they survive a new reading. */
  readonly #ids = new Map<string, number>()
  /** Turns of questions that take longer. */
  readonly lanes = new Lanes()
  #context: EngineContext | null = null
  #tracks = new Map<number, { readonly entry: Entry; readonly strings: StringTable; readonly track: TrackModel }>()
  #hbm: HbmQueries | null = null
  /** File that the user chose of several that tell of the runtime. */
  #chosen: string | null = null
  /** Shifts by hand, ns, by file id. */
  #shifts: ReadonlyMap<string, bigint>
  #allocators = new Map<number, AllocatorEntry>()
  #groups: readonly TimeGroup[] = []
  /** Entries that are shown, by their index in the view. */
  #shown: readonly Entry[] = []
  #view: EngineView

  constructor(init: EngineInit, deps: EngineDeps) {
    this.#session = init.session
    this.#version = init.version
    this.#nextId = init.nextId
    this.#deps = deps
    this.#shifts = new Map(init.shifts)
    this.#chosen = init.chosen ?? null
    this.#view = this.#build()
  }

  get view(): EngineView {
    return this.#view
  }

  // ── tables ──

  /** Takes over the table of a file, in place of an earlier one. */
  setFile(file: EngineFile, prepared: Prepared, diagnostics: readonly Diagnostic[]): Changed {
    this.#failed.delete(file.id)
    if (prepared.kind === 'side') {
      this.#entries.delete(file.id)
      this.#sides.set(file.id, { file, table: prepared.table, diagnostics })
      if (prepared.table.kind === 'trace-info') for (const e of this.#entries.values()) e.source = this.#named(e.source)
      return this.#changed()
    }
    this.#sides.delete(file.id)
    const source = this.#named(makeSource(file, prepared, diagnostics))
    this.#entries.set(file.id, { source, place: { index: 0, group: null, offset: null, stamp: 0 }, placed: null })
    return this.#changed()
  }

  /** A file of which nothing can be shown: its table goes, its diagnostics stay. */
  fail(file: string, diagnostics: readonly Diagnostic[], verdict?: FileVerdict): Changed {
    this.#entries.delete(file)
    this.#sides.delete(file)
    this.#failed.set(file, { diagnostics, verdict: verdict ?? null })
    return this.#changed()
  }

  /** Forgets a file. */
  drop(file: string): Changed {
    this.#entries.delete(file)
    this.#sides.delete(file)
    this.#failed.delete(file)
    return this.#changed()
  }

  #changed(): Changed {
    this.#version++
    this.#context = null
    this.#view = this.#build()
    return { view: this.#view, nextId: this.#nextId }
  }

  #id(key: string): number {
    let id = this.#ids.get(key)
    if (id === undefined) this.#ids.set(key, (id = this.#nextId++))
    return id
  }

  #build(): EngineView {
    const all = [...this.#entries.values()]
    const candidates = all.flatMap(({ source: s }) =>
      s.kind === 'system'
        ? [{ file: s.file.id, path: s.file.path, source: s.table.source, messages: s.table.messages, events: s.table.count }]
        : [],
    )
    const shown = shownSources(candidates, this.#chosen)
    // What is not shown takes no place and no index: nothing is asked of it.
    const entries = (this.#shown = all.filter(e => e.source.kind !== 'system' || shown.has(e.source.file.id)))
    const times = buildTimeGroups(
      entries.map(({ source: s }, index) => ({
        index,
        epochNs: s.table.epochNs + this.#shiftOf(s),
        // Once somebody has said where it belongs, a clock of its own is placed among the others.
        clock: clockOf(s) === 'unknown' && this.#shiftOf(s) !== 0n ? 'unix-nanoseconds' : clockOf(s),
        range: rangeOf(s),
        label: s.file.path.slice(s.file.path.lastIndexOf('/') + 1),
      })),
    )
    entries.forEach((e, index) => {
      const offset = times.offsets[index] ?? null
      const same = e.placed === e.source && e.place.offset === offset
      e.place = { index, group: times.group[index] ?? null, offset, stamp: same ? e.place.stamp : this.#version }
      e.placed = e.source
    })
    this.#groups = times.groups
    this.#tracks = new Map()
    this.#allocators = new Map()
    const tracks: TrackInfo[] = []
    const steps: StepInfo[] = []
    const allocators: AllocatorInfo[] = []
    // Files arrive in any order; the screen has them in the order of their paths.
    const ordered = [...entries].sort((a, b) => compareNames(a.source.file.path, b.source.file.path))
    for (const entry of ordered) {
      const { source, place } = entry
      const seen = new Map<string, number>()
      const { tracks: models, strings } = tracksOf(source)
      const ids = models.map(t => {
        const key = JSON.stringify([source.file.id, t.arranged === 'by-thread' ? t.arranged : (t.origin ?? t.role), t.pid, t.tid, t.name])
        const nth = seen.get(key) ?? 0
        seen.set(key, nth + 1)
        return this.#id(`${key}${nth}`)
      })
      models.forEach((track, i) => this.#tracks.set(ids[i] as number, { entry, strings, track }))
      tracks.push(...trackInfos(source, place, ids))
      if (source.kind === 'chrome-trace') steps.push(...stepInfos(source, place))
      if (source.kind !== 'memory-snapshot') continue
      for (const allocator of source.allocators) {
        const id = this.#id(JSON.stringify([source.file.id, 'device', allocator.model.device]))
        const info = allocatorInfo(source, allocator, place, id)
        this.#allocators.set(id, { entry, source, allocator, info })
        allocators.push(info)
      }
    }
    allocators.sort((a, b) => a.rank - b.rank)
    this.#hbm = this.#hbmOf(ordered)
    return {
      session: this.#session,
      version: this.#version,
      groups: this.#groups,
      sources: entries.map(e => sourceInfo(e.source, e.place)),
      tracks,
      steps,
      allocators,
      hbm: this.#hbm?.infos ?? [],
      systems:
        new Set(candidates.map(c => c.source)).size < 2
          ? []
          : candidates.map(c => ({ file: c.file, path: c.path, words: sourceWords(c.source), events: c.events, shown: shown.has(c.file) })),
      clocks: alignmentOf(entries.map(e => this.#aligned(e))),
      verdicts: [
        ...verdictsOf([...entries.map(e => e.source), ...this.#sides.values()]),
        ...[...this.#failed.values()].flatMap(f => f.verdict ?? []),
      ],
      diagnostics: [
        ...severalSources(candidates, shown),
        ...ordered.flatMap(e => e.source.diagnostics),
        ...[...this.#sides.values()].flatMap(s => s.diagnostics),
        ...[...this.#failed.values()].flatMap(f => f.diagnostics),
      ],
    }
  }

  /** The runtime's events name models by id; their names stand in trace_info, which may be read before or after. */
  #named(s: Source): Source {
    if (s.kind !== 'system') return s
    let { table } = s
    for (const { table: t } of this.#sides.values()) if (t.kind === 'trace-info') table = withModelNames(table, t.names)
    return table === s.table ? s : { ...s, table }
  }

  #shiftOf(s: Source): bigint {
    return this.#shifts.get(s.file.id) ?? 0n
  }

  #aligned({ source: s, place }: Entry): AlignedSource {
    const range = rangeOf(s)
    const shiftNs = this.#shiftOf(s)
    const zero = s.table.epochNs + shiftNs
    return {
      file: s.file.id,
      path: s.file.path,
      source: place.index,
      clock: clockOf(s),
      spanNs: range && clockOf(s) !== 'none' ? [zero + BigInt(Math.floor(range[0])), zero + BigInt(Math.ceil(range[1]))] : null,
      shiftNs,
      hardware: s.kind === 'system' ? s.clock : null,
    }
  }

  #hbmOf(ordered: readonly Entry[]): HbmQueries | null {
    const sources = ordered.flatMap(({ source: s, place }) =>
      s.kind === 'system' && s.hbm.length > 0 ? [{ file: s.file, table: s.table, models: s.hbm, place }] : [],
    )
    if (sources.length === 0) return null
    const snapshots = ordered.flatMap(({ source: s, place }) =>
      s.kind === 'memory-snapshot'
        ? [{ source: s, place, ids: s.allocators.map(a => this.#id(JSON.stringify([s.file.id, 'device', a.model.device]))) }]
        : [],
    )
    return new HbmQueries({ sources, snapshots, facts: this.#instanceFacts(), idOf: key => this.#id(key) })
  }

  /** What trace_info and the device profiles of the session say about the machine. */
  #instanceFacts(): { readonly instanceType: string | null; readonly lnc: number | null } {
    const sides = [...this.#sides.values()].map(s => s.table)
    const info = sides.find(t => t.kind === 'trace-info')
    const ntff = sides.find(t => t.kind === 'ntff')
    const neff = sides.find(t => t.kind === 'neff')
    const type = info?.instanceType?.value ?? ntff?.facts['instanceType']
    const lnc = info?.logicalNcSize?.value ?? neff?.facts['lncSize']
    return { instanceType: typeof type === 'string' ? type : null, lnc: typeof lnc === 'number' ? lnc : null }
  }

  /** Shows another of several files that tell of the runtime. */
  choose(file: string): Changed {
    if (this.#entries.get(file)?.source.kind !== 'system') throw new RequestError('This source is not there (any more).')
    this.#chosen = file
    return this.#changed()
  }

  /** Sets all shifts by hand. */
  shift(shifts: ReadonlyMap<string, bigint>): Changed {
    this.#shifts = new Map(shifts)
    return this.#changed()
  }

  // ── trace ──

  /** What the queries about events see; made once per version, when first asked for. */
  get context(): EngineContext {
    return (this.#context ??= this.#makeContext())
  }

  #makeContext(): EngineContext {
    const infos = new Map(this.#view.tracks.map(t => [t.id, t]))
    const parts = new Map<Entry, Part & { readonly tracks: Part['tracks'][number][] }>()
    const byTrack = new Map<number, { readonly part: Part; readonly track: Part['tracks'][number] }>()
    for (const [id, { entry, strings, track }] of this.#tracks) {
      const { source, place } = entry
      const info = infos.get(id)
      if (!info || place.group === null || place.offset === null) continue
      let part = parts.get(entry)
      if (!part) {
        part = { index: place.index, group: place.group, offset: place.offset, shiftNs: this.#shiftOf(source), source, strings, tracks: [] }
        parts.set(entry, part)
      }
      const one = { id, info, model: track }
      if (!track.derived) part.tracks.push(one)
      byTrack.set(id, { part, track: one })
    }
    const list = [...parts.values()]
    const byIndex = new Map(list.map(p => [p.index, p]))
    return {
      version: this.#version,
      groups: this.#groups,
      parts: list,
      partOf: source => byIndex.get(source) ?? null,
      trackOf: id => byTrack.get(id) ?? null,
      sides: [...this.#sides.values()],
      allocators: [...this.#allocators.values()].map(a => ({
        info: a.info,
        source: a.source,
        allocator: a.allocator,
        offset: a.entry.place.offset ?? 0,
      })),
      hbm: this.#hbm,
      deps: this.#deps,
    }
  }

  slices({ tracks, start, end, width }: RequestArgs<'trace.slices'>): Answers['trace.slices'] {
    return { version: this.#version, ...slicesOfTracks(this.#trackQueries(tracks), start, end, width) }
  }

  tiles({ tracks, column, first, count }: RequestArgs<'trace.tiles'>): Answers['trace.tiles'] {
    if (tracks.length * count > MAX_TILES) throw new RequestError('More tiles than a screen holds.')
    const queries = this.#trackQueries(tracks)
    const stamps = Uint32Array.from(tracks, id => this.#tracks.get(id)?.entry.place.stamp ?? 0)
    return { version: this.#version, stamps, ...tilesOfTracks(queries, column, first, count) }
  }

  counter({ tracks, start, end, width }: RequestArgs<'trace.counter'>): Answers['trace.counter'] {
    const min: Float64Array[] = []
    const max: Float64Array[] = []
    const last: Float64Array[] = []
    const mean: Float64Array[] = []
    for (const { track, offset } of this.#trackQueries(tracks)) {
      const one = counterInWindow([track], start - offset, end - offset, width)
      mean.push(...counterMeans([track], start - offset, end - offset, width))
      min.push(...one.min)
      max.push(...one.max)
      last.push(...one.last)
    }
    return { version: this.#version, min, max, last, mean }
  }

  /** Busy share of the group's traces (the mean where there are several), active bytes of its first allocator. */
  overview({ group: id, width }: RequestArgs<'trace.overview'>): Answers['trace.overview'] {
    const group = this.#groups[id]
    if (!group) throw new RequestError('This time range is not there (any more).')
    const end = Math.max(1, group.durationNs)
    // Where the hardware tells what it did, nothing else is counted as work.
    const systems = this.#shown.filter(e => e.source.kind === 'system' && e.place.group === id && hardwareTracks(e.source.model).length > 0)
    const traces = systems.length > 0 ? systems : this.#shown.filter(e => e.source.kind === 'chrome-trace' && e.place.group === id)
    const busy = new Float32Array(traces.length ? width : 0)
    for (const { source, place } of traces) {
      if (source.kind !== 'system' && source.kind !== 'chrome-trace') continue
      const offset = place.offset ?? 0
      const one = busyOverview(source.table, source.model, width, -offset, end - offset)
      for (let c = 0; c < width; c++) busy[c] = (busy[c] as number) + (one[c] as number) / traces.length
    }
    const first = this.#view.allocators.find(a => a.group === id)
    if (!first) return { version: this.#version, busy, active: new Float64Array(0), activeMax: 0 }
    const { allocator, offset } = this.#allocator(first.id, 'time')
    const query = { axis: 'time', start: 0, end, width, height: 1, yMax: null, withReserved: false, offset } as const
    const active = memoryPicture(allocator.model, query, allocator.owners).max
    return { version: this.#version, busy, active, activeMax: active.reduce((m, v) => (v > m ? v : m), 0) }
  }

  async slice({ source: index, row }: RequestArgs<'trace.slice'>): Promise<Answers['trace.slice']> {
    const entry = this.#shown[index]
    if (!entry || (entry.source.kind !== 'chrome-trace' && entry.source.kind !== 'system'))
      throw new RequestError('This trace is not there (any more).')
    const { source, place } = entry
    if (source.kind === 'system') {
      const details = systemDetails(source.table, source.model, row)
      if (!details || place.offset === null) throw new RequestError('This event is not there (any more).')
      return moved(details, place.offset, this.#shiftOf(source))
    }
    const details = sliceDetails(source.table, source.model, row)
    if (!details || place.offset === null) throw new RequestError('This slice is not there (any more).')
    const offset = place.offset
    return { ...moved(details, offset, this.#shiftOf(source)), ...(await argsOf(source, row, this.#deps.readArgs)) }
  }

  #tracesOf(group: number): readonly { readonly source: TraceSource; readonly place: Place }[] {
    return [...this.#entries.values()].flatMap(({ source, place }) =>
      source.kind === 'chrome-trace' && place.group === group ? [{ source, place }] : [],
    )
  }

  #trackQueries(ids: readonly number[]): readonly TrackQuery[] {
    return ids.map(id => {
      const t = this.#tracks.get(id)
      if (!t) throw new RequestError(`Track ${id} is not there (any more).`)
      if (t.entry.place.offset === null) throw new RequestError(`Track ${id} has no times.`)
      return { strings: t.strings, track: t.track, offset: t.entry.place.offset }
    })
  }

  // ── allocator ──

  picture(q: RequestArgs<'memory.picture'>): Answers['memory.picture'] {
    if (q.width * q.height > MAX_PIXELS) throw new RequestError('The picture is larger than any screen.')
    const { allocator, offset } = this.#allocator(q.allocator, q.axis)
    return { version: this.#version, ...memoryPicture(allocator.model, { ...q, offset }, allocator.owners) }
  }

  at({ allocator: id, axis, at }: RequestArgs<'memory.at'>): Answers['memory.at'] {
    const { allocator, offset } = this.#allocator(id, axis)
    return memoryAt(allocator.model, axis, at, allocator.owners.groupOf, allocator.owners.groups.length, offset)
  }

  smaller(q: RequestArgs<'memory.smaller'>): Answers['memory.smaller'] {
    const { allocator } = this.#allocator(q.allocator, 'event')
    if (q.event >= allocator.model.events) throw new RequestError('This event is not there (any more).')
    return smallerAt(allocator.model, q.event, q.from, q.to, q.limit, allocator.owners)
  }

  allocation({ allocator: id, allocation: row }: RequestArgs<'memory.allocation'>): Answers['memory.allocation'] {
    const { source, allocator, info, offset } = this.#allocator(id, 'event')
    if (row >= allocator.model.count) throw new RequestError('This allocation is not there (any more).')
    const details = allocationDetails(allocator.model, source.table, allocator.owners, row, offset)
    const { group, rank } = info
    const inside = group === null || details.allocTime === null ? null : insideSlice(this.#tracesOf(group), rank, details.allocTime)
    const runtime = this.#hbm?.runtimeOf(source, allocator, row)
    return { ...details, inside, ...(runtime ? { runtime } : {}) }
  }

  // ── device memory ──

  get #device(): HbmQueries {
    if (!this.#hbm) throw new RequestError('No source of this session tells of device memory (any more).')
    return this.#hbm
  }

  hbmPicture(q: RequestArgs<'hbm.picture'>): Answers['hbm.picture'] {
    return { version: this.#version, ...this.#device.picture(q) }
  }
  hbmAt(q: RequestArgs<'hbm.at'>): Answers['hbm.at'] {
    return this.#device.at(q)
  }
  hbmLive(q: RequestArgs<'hbm.live'>): Answers['hbm.live'] {
    return { version: this.#version, ...this.#device.live(q) }
  }
  hbmCsv(q: RequestArgs<'hbm.csv'>): Answers['hbm.csv'] {
    return this.#device.csv(q)
  }
  hbmAllocation(q: RequestArgs<'hbm.allocation'>): Answers['hbm.allocation'] {
    return this.#device.allocation(q)
  }

  /** The allocator of an id and, for the time axis, what is added to its times. */
  #allocator(id: number, axis: Axis): AllocatorEntry & { readonly offset: number } {
    const a = this.#allocators.get(id)
    if (!a) throw new RequestError(`Allocator ${id} is not there (any more).`)
    if (axis === 'time' && a.info.group === null) throw new RequestError('This snapshot has no times; only the event axis is there.')
    return { ...a, offset: a.entry.place.offset ?? 0 }
  }
}

/** Details in the time of the group. */
const moved = (d: SliceDetails, offset: number, shiftNs: bigint): SliceDetails => ({
  ...d,
  start: d.start + offset,
  startUnixNs: shiftNs === 0n ? d.startUnixNs : String(BigInt(d.startUnixNs) + shiftNs),
  parents: d.parents.map(p => ({ ...p, start: p.start + offset })),
})
