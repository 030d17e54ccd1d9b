/**
 * Queries over device memory. The engine makes one `HbmQueries` of its sources whenever they change and asks it; models come ready from the parse worker (`buildHbm`), joins are
 * made here and kept as long as both tables are the same.
 */
import { framesOf } from '../../../analysis/allocator/details'
import type { AllocatorModel } from '../../../analysis/allocator/model'
import { positions } from '../../../analysis/allocator/picturePositions'
import { crossCheck, hbmAt } from '../../../analysis/hbm/at'
import { hbmCapacity, type CapacityFacts } from '../../../analysis/hbm/capacity'
import { hbmName } from '../../../analysis/hbm/findings'
import { FAMILIES, familyIndex, rowIndex, RUNTIME_ROWS } from '../../../analysis/hbm/categories'
import { hbmCsv, hbmLive, rowOf } from '../../../analysis/hbm/live'
import { NO_CATEGORY, type HbmModel } from '../../../analysis/hbm/model'
import { eventsAround } from '../../../analysis/hbm/parents'
import { hbmPicture } from '../../../analysis/hbm/picture'
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import type { HbmAllocationDetails, HbmEventRef, HbmInfo, RuntimeLink } from '../../../shared/hbm-api'
import { num } from '../../../shared/format'
import { P_ALLOC, P_BLOCK } from '../../../session/join'
import { attributesOf, eventName, ROW_SLICE, type SystemTable } from '../../../shared/system-tables'
import { ACTIONS } from '../../../shared/tables'
import type { EngineFile } from '../protocol'
import type { Place } from './engine'
import { HbmLinks, type JoinedSnapshot, type PytorchRow } from './hbm-links'
import type { Allocator, SnapshotSource } from './sources'

/** A runtime trace or an export with its models. */
export interface HbmSource {
  readonly file: EngineFile
  readonly table: SystemTable
  readonly models: readonly HbmModel[]
  readonly place: Place
}

/** A snapshot, its place, and the ids of its allocators in their order. */
export interface HbmSnapshot {
  readonly source: SnapshotSource
  readonly place: Place
  readonly ids: readonly number[]
}

export interface HbmInput {
  readonly sources: readonly HbmSource[]
  readonly snapshots: readonly HbmSnapshot[]
  /** What trace_info or the NTFFs of the session say; the table's own trace info and capacity stand above it. */
  readonly facts: Pick<CapacityFacts, 'instanceType' | 'lnc'>
  /** Id of what a key names, stable over builds. */
  readonly idOf: (key: string) => number
}

interface Entry {
  readonly source: HbmSource
  readonly model: HbmModel
  /** Index of the model in its source. */
  readonly at: number
  readonly links: HbmLinks
  readonly info: HbmInfo
  /** Allocators whose reserved bytes lie in this HBM, with what is added to a time of the table to get theirs. */
  readonly reserved: readonly { readonly model: AllocatorModel; readonly shift: number }[]
}

interface Kept {
  readonly key: readonly unknown[]
  readonly links: HbmLinks
}
const kept = new WeakMap<readonly HbmModel[], Kept>()

/** Joins are made again only when a table, an id or the alignment of two sources changed. */
function linksOf(s: HbmSource, snapshots: readonly JoinedSnapshot[]): HbmLinks {
  const key = [s.table, ...snapshots.flatMap(j => [j.source.table, j.shift, ...j.ids])]
  const known = kept.get(s.models)
  if (known && known.key.length === key.length && known.key.every((v, i) => v === key[i])) return known.links
  const links = new HbmLinks(s.table, s.models, snapshots)
  kept.set(s.models, { key, links })
  return links
}

/** ns to add to times of `from` to get those of `to`; null where nothing relates their clocks. */
function shiftBetween(
  from: { readonly place: Place; readonly table: Clocked },
  to: { readonly place: Place; readonly table: Clocked },
): number | null {
  if (from.place.group !== null && from.place.group === to.place.group && from.place.offset !== null && to.place.offset !== null)
    return from.place.offset - to.place.offset
  const known = (t: Clocked): boolean => t.clock !== 'unknown' && t.clock !== 'none'
  return known(from.table) && known(to.table) ? Number(from.table.epochNs - to.table.epochNs) : null
}
interface Clocked {
  readonly epochNs: bigint
  readonly clock: string
}

export class HbmQueries {
  /** For SessionView.hbm. */
  readonly infos: readonly HbmInfo[]
  readonly #entries = new Map<number, Entry>()

  constructor(input: HbmInput) {
    for (const source of input.sources) this.#add(source, input)
    this.infos = [...this.#entries.values()].map(e => e.info)
  }

  #add(source: HbmSource, { snapshots, facts, idOf }: HbmInput): void {
    const joined = snapshots.map(s => ({
      source: s.source,
      ids: s.ids,
      shift: shiftBetween({ place: s.place, table: s.source.table }, source),
    }))
    const links = linksOf(source, joined)
    const linked = source.models.map((_, i) => links.linkedTo(i))
    source.models.forEach((model, at) => {
      const id = idOf(JSON.stringify([source.file.id, 'hbm', model.instance, String(model.process), model.device, model.hbm]))
      const pytorch = allocatorsOf(source, at, linked, joined)
      const info = infoOf(source, model, id, links, facts, pytorch)
      const reserved = pytorch.allocators.flatMap(a => {
        for (const s of joined) {
          const k = s.ids.indexOf(a)
          if (k >= 0) return s.shift === null ? [] : [{ model: s.source.allocators[k].model, shift: -s.shift }]
        }
        return []
      })
      this.#entries.set(id, { source, model, at, links, info, reserved })
    })
  }

  #entry(id: number): Entry & { readonly offset: number } {
    const e = this.#entries.get(id)
    if (!e) throw new RequestError(`HBM ${id} is not there (any more).`)
    if (e.source.place.offset === null) throw new RequestError('This HBM has no times.')
    return { ...e, offset: e.source.place.offset }
  }

  picture(q: RequestArgs<'hbm.picture'>): Omit<Answers['hbm.picture'], 'version'> {
    const e = this.#entry(q.hbm)
    const p = hbmPicture(e.model, { ...q, start: q.start - e.offset, end: q.end - e.offset })
    const at = reservedBytes(e)
    const reserved = p.time.map(t => at(t) ?? NaN)
    return { ...p, time: p.time.map(t => t + e.offset), reserved }
  }

  at({ hbm, at }: RequestArgs<'hbm.at'>): Answers['hbm.at'] {
    const e = this.#entry(hbm)
    const now = hbmAt(e.model, at - e.offset, e.info.capacity.bytes)
    return { ...now, ...crossCheck(now.totalBytes, now.tensorBytes, reservedBytes(e)(at - e.offset)) }
  }

  live(q: RequestArgs<'hbm.live'>): Omit<Answers['hbm.live'], 'version'> {
    const e = this.#entry(q.hbm)
    return hbmLive(e.model, e.links.facts[e.at], { ...q, at: q.at - e.offset })
  }

  csv(q: RequestArgs<'hbm.csv'>): Answers['hbm.csv'] {
    const e = this.#entry(q.hbm)
    return hbmCsv(e.model, e.links.facts[e.at], { ...q, at: q.at - e.offset })
  }

  allocation({ hbm, allocation: a }: RequestArgs<'hbm.allocation'>): Answers['hbm.allocation'] {
    const e = this.#entry(hbm)
    const { model: m, source, links, offset } = e
    const allocations = m.allocations
    if (!allocations || a >= allocations.count) throw new RequestError('This allocation is not there (any more).')
    const t = source.table
    const made = allocations.allocRow[a]
    const freed = allocations.freeRow[a]
    const row = made >= 0 ? made : freed
    const to = allocations.to[a]
    const place = row < 0 ? -1 : t.place[row]
    const link = links.pytorchOf(e.at, a)
    const event = (r: number): HbmEventRef => ({
      source: source.place.index,
      row: r,
      name: eventName(t, r),
      start: t.start[r] + offset,
      duration: t.state[r] === ROW_SLICE ? t.duration[r] : null,
    })
    const known = (v: number): number | null => (v < 0 || Number.isNaN(v) ? null : v)
    const modelRow = [row, made >= 0 ? links.parentOf(e.at, a) : -1].find(r => r >= 0 && t.model[r] !== 0n)
    return {
      // The age of something that ended is what it was then.
      ...rowOf(m, links.facts[e.at], a, to >= 0 ? m.time[to] : m.until),
      categoryName: allocations.category[a] === NO_CATEGORY ? 'unknown' : m.categories[allocations.category[a]].name,
      allocTime: allocations.from[a] < 0 ? null : m.time[allocations.from[a]] + offset,
      freeTime: to < 0 ? null : m.time[to] + offset,
      freeLost: to >= 0 && freed < 0,
      modelId: modelRow === undefined ? null : String(t.model[modelRow]),
      nc: place < 0 ? null : known(t.places.nc[place]),
      thread: place < 0 ? null : known(t.places.thread[place]),
      trackingId: made < 0 || t.trackingId[made] === 0n ? null : String(t.trackingId[made]),
      sequenceId: made < 0 || t.hasSequence[made] === 0 ? null : String(t.sequence[made]),
      allocEvent: made < 0 ? null : event(made),
      freeEvent: freed < 0 ? null : event(freed),
      parents: made < 0 ? [] : eventsAround(t, made).map(event),
      attributes: [
        ...(made < 0 ? [] : attributesOf(t, made).map(([key, value]) => ({ key, value, of: 'alloc' as const }))),
        ...(freed < 0 ? [] : attributesOf(t, freed).map(([key, value]) => ({ key, value, of: 'free' as const }))),
      ],
      ...stackOf(link?.row ?? null),
      blocks: link ? blocksIn(link.row) : null,
    }
  }

  /** Runtime allocations that hold an allocation of a snapshot; for AllocationDetails.runtime. undefined: there is no runtime trace to ask. */
  runtimeOf(source: SnapshotSource, allocator: Allocator, allocation: number): readonly RuntimeLink[] | undefined {
    if (this.#entries.size === 0) return undefined
    const out: RuntimeLink[] = []
    const asked = new Set<HbmLinks>()
    for (const { links, source: of } of this.#entries.values()) {
      if (asked.has(links)) continue
      asked.add(links)
      for (const r of links.runtimeOf(source, allocator, allocation)) {
        const entry = [...this.#entries].find(([, e]) => e.source === of && e.at === r.hbm)
        const a = entry?.[1].model.allocations
        if (!entry || !a) continue
        const [id, { model }] = entry
        const c = a.category[r.allocation]
        out.push({
          how: r.how,
          hbm: id,
          allocation: r.allocation,
          category: c === NO_CATEGORY ? 'unknown' : model.categories[c].name,
          address: '0x' + a.address[r.allocation].toString(16),
          bytes: a.size[r.allocation],
        })
      }
    }
    return out
  }
}

// ── PyTorch's side ──

/** Bytes that the HBM's allocators hold at a time of the runtime's table; null where one of them is not known then. */
function reservedBytes(e: Entry): (time: number) => number | null {
  const allocators = e.reserved.map(({ model, shift }) => ({ model, shift, p: positions(model, 'time') }))
  return time => {
    if (allocators.length === 0 || Number.isNaN(time)) return null
    let all = 0
    for (const { model, shift, p } of allocators) {
      const at = time + shift
      if (!(at >= p.first && at <= p.last)) return null
      const state = p.upperBound(at) - 1
      const bytes = state < 0 ? model.figures.startReservedBytes : model.reserved[state]
      if (Number.isNaN(bytes)) return null
      all += bytes
    }
    return all
  }
}

/** Which allocators have their memory in an HBM, as links tell. One whose links lead into several HBMs cannot be split between them. */
function allocatorsOf(
  source: HbmSource,
  at: number,
  linked: readonly ReadonlyMap<number, number>[],
  snapshots: readonly JoinedSnapshot[],
): HbmInfo['pytorch'] {
  const mine = [...linked[at]]
  const none = (how: string): HbmInfo['pytorch'] => ({ allocators: [], how })
  if (mine.length > 0) {
    const shared = mine.filter(([id]) => linked.some((l, i) => i !== at && l.has(id)))
    if (shared.length > 0)
      return none("PyTorch's memory of one device lies in several HBMs; its reserved bytes cannot be split between them")
    return {
      allocators: mine.map(([id]) => id),
      how: `${num(mine.reduce((n, [, k]) => n + k, 0))} runtime allocations of this HBM are linked to it`,
    }
  }
  const all = snapshots.flatMap(s => s.ids)
  if (all.length === 0) return none('there is no memory snapshot')
  if (all.length === 1 && source.models.length === 1 && linked.every(l => l.size === 0))
    return { allocators: all, how: 'the only device of the snapshot and the only HBM of the runtime trace' }
  return none('nothing links an allocator of the snapshot to this HBM')
}

function stackOf(row: PytorchRow | null): Pick<HbmAllocationDetails, 'frames' | 'framesFrom'> {
  if (row === null || row.stack < 0) return { frames: [], framesFrom: 'none' }
  const frames = framesOf(row.snapshot.source.table, row.stack)
  const from = row.kind === P_ALLOC ? 'alloc' : row.kind === P_BLOCK ? 'block' : 'segment'
  return { frames, framesFrom: frames.length > 0 ? from : 'none' }
}

const SEGMENT_FREE = ACTIONS.indexOf('segment_free')
const SEGMENT_UNMAP = ACTIONS.indexOf('segment_unmap')

/** PyTorch allocations that lay inside a segment while it was there; null for what is no segment. */
function blocksIn(row: PytorchRow): number | null {
  if (row.kind === P_ALLOC || row.kind === P_BLOCK) return null
  const { model } = row.allocator
  const end = row.address + BigInt(Math.trunc(row.bytes || 0))
  const trace = row.snapshot.source.table.devices[model.traceIndex]
  // The segment ends with the next event that gives its range back; entries only, a segment of the table is there at the end.
  let last = Infinity
  if (row.event >= 0 && trace)
    for (let i = row.event + 1; i < trace.count && last === Infinity; i++) {
      const action = trace.action[i]
      if ((action === SEGMENT_FREE || action === SEGMENT_UNMAP) && trace.address[i] === row.address) last = i
    }
  let n = 0
  for (let a = 0; a < model.count; a++) {
    if (model.address[a] < row.address || model.address[a] >= end) continue
    const freed = model.freeEvent[a]
    if (model.allocEvent[a] < last && (freed < 0 || freed > row.event)) n++
  }
  return n
}

// ── the view ──

function infoOf(
  source: HbmSource,
  m: HbmModel,
  id: number,
  links: HbmLinks,
  facts: HbmInput['facts'],
  pytorch: HbmInfo['pytorch'],
): HbmInfo {
  const { table, place, file } = source
  const offset = place.group === null ? null : place.offset
  const timed = (t: number): number | null => (offset === null || Number.isNaN(t) ? null : t + offset)
  const told = (v: number): number | null => (Number.isNaN(v) ? null : v)
  const several = source.models.filter(o => o.device === m.device && o.hbm === m.hbm).length > 1
  const whose = [m.instance, Number.isNaN(m.process) ? '' : `PID:${m.process}`].filter(Boolean).join(' ')
  const first = m.count > 0 ? timed(m.time[0]) : null
  const last = m.count > 0 ? timed(m.until) : null
  return {
    id,
    source: place.index,
    path: file.path,
    device: m.device < 0 ? null : m.device,
    hbm: m.hbm,
    instance: m.instance || null,
    pid: told(m.process),
    rank: file.rank,
    label: several && whose ? `${hbmName(m)}, ${whose}` : hbmName(m),
    group: place.group,
    from: m.kind,
    totals: m.totals,
    events: m.count,
    allocations: m.allocs,
    frees: m.frees,
    liveAtEnd: m.liveAtEnd,
    peakBytes: m.peakBytes,
    peakTime: m.peakEvent < 0 ? null : timed(m.time[m.peakEvent]),
    timeRange: first === null || last === null ? null : [first, last],
    capacity: hbmCapacity({
      instanceType: table.info?.instanceType?.value ?? facts.instanceType,
      lnc: table.info?.logicalNcSize?.value ?? facts.lnc,
      exported: table.hbmUsage?.capacityBytes ?? null,
    }),
    categories: m.categories.map(c => ({
      name: c.name,
      color: c.color,
      family: familyIndex(c),
      runtimeRow: rowIndex(c),
      inferredName: c.inferredName,
      startBytes: c.startKnown ? c.startBytes : null,
      peakBytes: c.peakBytes,
      peakTime: timed(c.peakTime),
    })),
    families: FAMILIES.map(f => ({ ...f, unattributed: false })),
    runtimeRows: RUNTIME_ROWS.map(r => ({ ...r, unattributed: false })),
    startBytes: told(m.startBytes),
    gaps:
      offset === null ? [] : m.gaps.map(g => ({ start: g.start + offset, end: g.end + offset, kind: 'lost' as const, reason: g.reason })),
    ooms:
      offset === null
        ? []
        : m.failures.map(f => ({
            time: f.time + offset,
            bytes: told(f.bytes),
            category: f.category === NO_CATEGORY ? null : f.category,
            returnCode: f.returnCode,
            row: f.row,
            totalBytes: told(f.total),
          })),
    oomCount: m.failureCount,
    join: m.allocations ? links.info : null,
    pytorch,
  }
}
