/** The runtime's allocations of one source joined with the memory snapshots of its session: what each row is on the other side, and whose code it is. */
import type { HbmModel } from '../../../analysis/hbm/model'
import { parentRows } from '../../../analysis/hbm/parents'
import type { RowFacts } from '../../../analysis/hbm/live'
import { frameLabel, OWNER_LIBRARY } from '../../../analysis/allocator/owners'
import type { HbmJoinInfo, PytorchLink } from '../../../shared/hbm-api'
import { stringAt } from '../../../shared/columns'
import { attribute, type SystemTable } from '../../../shared/system-tables'
import {
  joinAllocations,
  LINK_ID,
  LINK_NONE,
  P_ALLOC,
  P_BLOCK,
  P_SEGMENT,
  pytorchSide,
  runtimeSide,
  type Join,
  type PytorchRows,
} from '../../../session/join'
import type { Allocator, SnapshotSource } from './sources'

/** A snapshot as the engine holds it. */
export interface JoinedSnapshot {
  readonly source: SnapshotSource
  /** Ids of its allocators, in their order. */
  readonly ids: readonly number[]
  /** ns to add to its times to get those of the runtime's table; null: the clocks have nothing in common. */
  readonly shift: number | null
}

/** A row of PyTorch's side: where it stands in the snapshot. */
export interface PytorchRow {
  readonly snapshot: JoinedSnapshot
  readonly allocator: Allocator
  readonly allocatorId: number
  readonly kind: number
  /** Event of the allocator's history; -1 for a row of the tables at the end. */
  readonly event: number
  /** Row of `blocks` or `segments`; -1 for an entry. */
  readonly tableRow: number
  /** Row of the allocator's model; -1 for a segment. */
  readonly allocation: number
  readonly address: bigint
  readonly bytes: number
  /** Row of the snapshot's stacks; -1 without frames. */
  readonly stack: number
}

export interface RuntimeRow {
  readonly hbm: number
  readonly allocation: number
  readonly how: 'id' | 'inferred'
}

interface Joined {
  readonly snapshot: JoinedSnapshot
  readonly rows: PytorchRows
  readonly join: Join
}

export class HbmLinks {
  /** null: nothing to join. */
  readonly info: HbmJoinInfo | null
  /** By model. */
  readonly facts: readonly RowFacts[]
  readonly #table: SystemTable
  readonly #models: readonly HbmModel[]
  /** First runtime row of each model. */
  readonly #first: readonly number[]
  readonly #parents: readonly Int32Array[]
  readonly #joins: readonly Joined[]
  /** As the file spells the id of each runtime row, where a join has a key. */
  readonly #traceId: (row: number) => string | null

  constructor(table: SystemTable, models: readonly HbmModel[], snapshots: readonly JoinedSnapshot[]) {
    this.#table = table
    this.#models = models
    let n = 0
    this.#first = models.map(m => (n += m.allocations?.count ?? 0) - (m.allocations?.count ?? 0))
    this.#parents = models.map(m => parentRows(table, m.allocations?.allocRow ?? []))
    const none = new Int32Array(0)
    const runtime = runtimeSide(
      table,
      models.map((m, i) => ({
        time: m.time,
        allocations: m.allocations ?? {
          count: 0,
          size: new Float64Array(0),
          address: new BigUint64Array(0),
          from: none,
          to: none,
          allocRow: none,
          freeRow: none,
        },
        parent: this.#parents[i],
      })),
    )
    this.#joins =
      runtime.rows.count === 0
        ? []
        : snapshots.map(snapshot => {
            // Each snapshot by itself: two of one run tell of the same allocations, which would make no id unique.
            const side = pytorchSide([{ table: snapshot.source.table, shift: snapshot.shift }])
            return { snapshot, rows: side.rows, join: joinAllocations(side, runtime) }
          })
    // The one that links most is told; the links of the others are used all the same.
    const best = this.#joins.reduce<Joined | null>(
      (b, j) =>
        b === null || j.join.matched > b.join.matched || (j.join.matched === b.join.matched && j.join.inferred > b.join.inferred) ? j : b,
      null,
    )
    const key = best?.join.key ? runtime.keys.find(k => k.name === best.join.key?.runtime) : undefined
    this.#traceId = key ? (key.raw ?? key.value) : () => null
    this.info = best === null ? null : joinInfo(best.join, best.snapshot, this.#joins.length)
    this.facts = models.map((_, i) => this.#factsOf(i))
  }

  /** Row of the event around the allocation's; -1 where none is known. */
  parentOf(model: number, allocation: number): number {
    return this.#parents[model][allocation] ?? -1
  }

  /** What a runtime allocation is for PyTorch. */
  pytorchOf(model: number, allocation: number): { readonly how: 'id' | 'inferred'; readonly row: PytorchRow } | null {
    const r = this.#first[model] + allocation
    for (const { snapshot, rows, join } of this.#joins) {
      const p = join.pytorchOf[r]
      if (join.how[r] === LINK_NONE || p < 0) continue
      const row = rowOf(snapshot, rows, p)
      if (row) return { how: join.how[r] === LINK_ID ? 'id' : 'inferred', row }
    }
    return null
  }

  /** Runtime allocations that hold an allocation of a snapshot: its own, or that of the segment around it while it lived. */
  runtimeOf(source: SnapshotSource, allocator: Allocator, allocation: number): readonly RuntimeRow[] {
    const found = this.#joins.find(j => j.snapshot.source === source)
    if (!found) return []
    const { rows, join, snapshot } = found
    const { model } = allocator
    const address = model.address[allocation]
    const made = model.allocEvent[allocation]
    const freed = model.freeEvent[allocation]
    const shift = snapshot.shift
    const since = made >= 0 && shift !== null ? model.time[made] + shift : NaN
    const until = freed >= 0 && shift !== null ? model.time[freed] + shift : NaN
    const out: RuntimeRow[] = []
    for (let p = 0; p < rows.count; p++) {
      const r = join.runtimeOf[p]
      if (r < 0 || rows.device[p] !== model.device) continue
      const kind = rows.kind[p]
      const own =
        (kind === P_ALLOC && rows.row[p] === made && rows.trace[p] === model.traceIndex) ||
        (kind === P_BLOCK && rows.row[p] === model.block[allocation])
      const around =
        kind !== P_ALLOC &&
        kind !== P_BLOCK &&
        address >= rows.address[p] &&
        address < rows.address[p] + BigInt(Math.trunc(rows.size[p] || 0)) &&
        !(rows.time[p] > (Number.isNaN(until) ? Infinity : until)) &&
        !(rows.end[p] < (Number.isNaN(since) ? -Infinity : since))
      if (!own && !around) continue
      const model2 = this.#modelOf(r)
      const one: RuntimeRow = { hbm: model2, allocation: r - this.#first[model2], how: join.how[r] === LINK_ID ? 'id' : 'inferred' }
      if (!out.some(o => o.hbm === one.hbm && o.allocation === one.allocation)) out.push(one)
      if (out.length === 16) break
    }
    return out
  }

  /** How many allocations of each HBM are linked to each allocator, by allocator id. */
  linkedTo(model: number): ReadonlyMap<number, number> {
    const out = new Map<number, number>()
    const count = this.#models[model].allocations?.count ?? 0
    for (let a = 0; a < count; a++) {
      const link = this.pytorchOf(model, a)
      if (link) out.set(link.row.allocatorId, (out.get(link.row.allocatorId) ?? 0) + 1)
    }
    return out
  }

  #modelOf(r: number): number {
    let i = this.#first.length - 1
    while (i > 0 && r < this.#first[i]) i--
    return i
  }

  #factsOf(model: number): RowFacts {
    const t = this.#table
    const m = this.#models[model]
    const first = this.#first[model]
    const rowOfEvent = (a: number): number => {
      const made = m.allocations?.allocRow[a] ?? -1
      return made >= 0 ? made : (m.allocations?.freeRow[a] ?? -1)
    }
    return {
      model: a => modelText(t, rowOfEvent(a)) ?? modelText(t, this.parentOf(model, a)),
      traceId: a => this.#traceId(first + a) ?? traceIdAttribute(t, rowOfEvent(a)),
      link: a => {
        const link = this.pytorchOf(model, a)
        return link ? linkOf(link.how, link.row) : null
      },
      how: a => {
        for (const { join } of this.#joins)
          if (join.how[first + a] !== LINK_NONE) return join.how[first + a] === LINK_ID ? 'id' : 'inferred'
        return null
      },
      label: a => {
        const link = this.pytorchOf(model, a)
        return link ? labelOf(link.row) : null
      },
    }
  }
}

const joinInfo = (j: Join, snapshot: JoinedSnapshot, of: number): HbmJoinInfo => ({
  key: j.key,
  matched: j.matched,
  inferred: j.inferred,
  pytorchOnly: j.pytorchOnly,
  runtimeOnly: j.runtimeOnly,
  candidates: j.candidates,
  text: of > 1 ? `${snapshot.source.file.path}, of ${of} snapshots: ${j.text}` : j.text,
})

function rowOf(snapshot: JoinedSnapshot, rows: PytorchRows, p: number): PytorchRow | null {
  const { table, allocators } = snapshot.source
  const at = allocators.findIndex(a => a.model.device === rows.device[p])
  if (at < 0) return null
  const allocator = allocators[at]
  const { model } = allocator
  const kind = rows.kind[p]
  const entry = kind === P_ALLOC || kind === P_SEGMENT
  const row = rows.row[p]
  const allocation = kind === P_ALLOC ? allocationOfEvent(allocator, row) : kind === P_BLOCK ? allocationOfBlock(allocator, row) : -1
  const stacks = entry ? table.devices[rows.trace[p]].stack : kind === P_BLOCK ? table.blocks.stack : table.segments.stack
  return {
    snapshot,
    allocator,
    allocatorId: snapshot.ids[at],
    kind,
    event: entry ? row : -1,
    tableRow: entry ? -1 : row,
    allocation,
    address: rows.address[p],
    bytes: rows.size[p],
    stack: allocation >= 0 ? model.stack[allocation] : stacks[row],
  }
}

/** Recorded allocations stand in the order of their events. */
function allocationOfEvent({ model }: Allocator, event: number): number {
  let lo = model.startCount
  let hi = model.count
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (model.allocEvent[mid] < event) lo = mid + 1
    else hi = mid
  }
  return lo < model.count && model.allocEvent[lo] === event ? lo : -1
}

const byBlock = new WeakMap<Allocator, Map<number, number>>()
function allocationOfBlock(allocator: Allocator, block: number): number {
  let map = byBlock.get(allocator)
  if (!map) {
    map = new Map()
    for (let a = 0; a < allocator.model.count; a++) if (allocator.model.block[a] >= 0) map.set(allocator.model.block[a], a)
    byBlock.set(allocator, map)
  }
  return map.get(block) ?? -1
}

export const linkOf = (how: PytorchLink['how'], row: PytorchRow): PytorchLink => ({
  how,
  allocator: row.allocatorId,
  kind: row.kind === P_ALLOC || row.kind === P_BLOCK ? 'allocation' : 'segment',
  allocation: row.allocation < 0 ? null : row.allocation,
  event: row.event < 0 ? null : row.event,
  address: '0x' + row.address.toString(16),
  bytes: row.bytes,
})

function labelOf(row: PytorchRow): string | null {
  const { table } = row.snapshot.source
  if (row.stack < 0) return null
  const owner = row.allocator.owners.ownerOfStack[row.stack]
  const frame = owner >= 0 ? owner : owner === OWNER_LIBRARY ? table.stacks.frames[table.stacks.start[row.stack]] : -1
  return frame >= 0 ? frameLabel(table, frame) : null
}

/** Name of the model of an event, else its id; null where it names none. */
function modelText(t: SystemTable, row: number): string | null {
  if (row < 0) return null
  if (t.modelName[row] >= 0) return stringAt(t.strings, t.modelName[row])
  return t.model[row] === 0n ? null : String(t.model[row])
}

const TRACE_ID_KEYS = ['trace_id', 'traceid', 'traceId', 'trace id', 'neuron_trace_id']
function traceIdAttribute(t: SystemTable, row: number): string | null {
  if (row < 0) return null
  for (const key of TRACE_ID_KEYS) {
    const v = attribute(t, row, key)
    if (v !== null && v !== '') return v
  }
  return null
}
