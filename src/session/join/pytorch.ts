/**
 * PyTorch's side of the join: allocations and segments of memory snapshots, and every property of theirs that may be the id that the runtime stamps on an allocation.
 * Where that id stands is not documented, so all keys that the format does not define are candidates, and user_metadata as a whole and the ids inside it.
 */
import { stringAt } from '../../shared/columns'
import { ACTIONS, type ExtraColumn, type SnapshotTable } from '../../shared/tables'
import { canonical, P_ALLOC, P_BLOCK, P_SEGMENT, P_SEGMENT_ROW, type Key, type PytorchKind, type PytorchSide } from './model'

const code = (a: (typeof ACTIONS)[number]): number => ACTIONS.indexOf(a)
const ALLOC = code('alloc')
const FREE_REQUESTED = code('free_requested')
const FREE_COMPLETED = code('free_completed')
const FREE = code('free')
const SEGMENT_ALLOC = code('segment_alloc')
const SEGMENT_FREE = code('segment_free')
const SEGMENT_MAP = code('segment_map')
const SEGMENT_UNMAP = code('segment_unmap')

const WORDS: Readonly<Record<PytorchKind, string>> = {
  alloc: 'alloc entries',
  segment: 'segment entries',
  block: 'blocks',
  'segment-row': 'segments',
}
const KINDS: readonly PytorchKind[] = ['alloc', 'segment', 'block', 'segment-row']

/** Properties per kind that are tried at most; extras have at most 64 keys. */
const MOST_KEYS = 24
/** Ids inside a user_metadata text that are told apart by their place when they have no name. */
const MOST_PLACES = 3

export interface Snapshot {
  readonly table: SnapshotTable
  /** ns to add to the snapshot's times to get those of the runtime's table; null: the clocks have nothing in common. */
  readonly shift: number | null
}

/** Rows and candidate keys of the snapshots. Linear in entries, blocks and segments. */
export function pytorchSide(snapshots: readonly Snapshot[]): PytorchSide {
  let count = 0
  for (const { table } of snapshots) {
    for (const d of table.devices) for (let i = 0; i < d.count; i++) if (kindOf(d.action[i]) >= 0) count++
    count += table.blocks.count + table.segments.count
  }
  const rows = {
    count,
    size: new Float64Array(count),
    time: new Float64Array(count).fill(NaN),
    end: new Float64Array(count).fill(NaN),
    address: new BigUint64Array(count),
    snapshot: new Uint16Array(count),
    kind: new Uint8Array(count),
    device: new Int32Array(count).fill(-1),
    trace: new Int32Array(count).fill(-1),
    row: new Uint32Array(count),
  }
  const keys = new Keys()
  let n = 0
  snapshots.forEach(({ table, shift }, s) => {
    const put = (kind: number, device: number, trace: number, row: number, size: number, address: bigint, time: number): void => {
      rows.snapshot[n] = s
      rows.kind[n] = kind
      rows.device[n] = device
      rows.trace[n] = trace
      rows.row[n] = row
      rows.size[n] = size
      rows.address[n] = address
      rows.time[n] = shift === null ? NaN : time + shift
      n++
    }
    table.devices.forEach((d, trace) => {
      const from = n
      const live = new Map<bigint, number>()
      for (let i = 0; i < d.count; i++) {
        const kind = kindOf(d.action[i])
        const end = endOf(d.action[i])
        if (kind >= 0) {
          live.set(keyOf(kind, d.address[i]), n)
          put(kind, d.device, trace, i, d.size[i], d.address[i], d.time[i])
        } else if (end >= 0) {
          const at = live.get(keyOf(end, d.address[i]))
          // Only the whole of what was mapped ends it; an unmap of a part leaves the rest.
          if (at !== undefined && shift !== null && (end === P_ALLOC || d.size[i] >= rows.size[at])) rows.end[at] = d.time[i] + shift
        }
      }
      const of = (kind: number): Uint32Array =>
        Uint32Array.from({ length: n - from }, (_, k) => from + k).filter(r => rows.kind[r] === kind)
      for (const kind of [P_ALLOC, P_SEGMENT]) {
        const mine = of(kind)
        for (const column of d.extras) keys.add(table, column, kind, mine, r => rows.row[r])
        keys.metadata(table, d.userMetadata, kind, mine, r => rows.row[r])
      }
    })
    const { blocks, segments } = table
    let from = n
    for (let b = 0; b < blocks.count; b++) {
      const requested = blocks.requestedSize[b]
      put(P_BLOCK, segments.device[blocks.segment[b]] ?? -1, -1, b, requested > 0 ? requested : blocks.size[b], blocks.address[b], NaN)
    }
    const blockRows = Uint32Array.from({ length: n - from }, (_, k) => from + k)
    for (const column of blocks.extras) keys.add(table, column, P_BLOCK, blockRows, r => rows.row[r])
    from = n
    for (let g = 0; g < segments.count; g++) put(P_SEGMENT_ROW, segments.device[g], -1, g, segments.totalSize[g], segments.address[g], NaN)
    const segmentRows = Uint32Array.from({ length: n - from }, (_, k) => from + k)
    for (const column of segments.extras) keys.add(table, column, P_SEGMENT_ROW, segmentRows, r => rows.row[r])
  })
  return { rows, keys: keys.list() }
}

const kindOf = (action: number): number =>
  action === ALLOC ? P_ALLOC : action === SEGMENT_ALLOC || action === SEGMENT_MAP ? P_SEGMENT : -1
const endOf = (action: number): number =>
  action === FREE_REQUESTED || action === FREE || action === FREE_COMPLETED
    ? P_ALLOC
    : action === SEGMENT_FREE || action === SEGMENT_UNMAP
      ? P_SEGMENT
      : -1
/** A segment and its first block have the same address. */
const keyOf = (kind: number, address: bigint): bigint => (address << 1n) | BigInt(kind & 1)

/** Values of one property of one kind of rows; a row of one snapshot only, so the parts of several are joined. */
interface Part {
  readonly property: string
  readonly kind: number
  readonly rows: Uint32Array
  readonly value: (row: number) => string | null
}

class Keys {
  readonly #parts: Part[] = []

  add(table: SnapshotTable, column: ExtraColumn, kind: number, rows: Uint32Array, index: (row: number) => number): void {
    const has = rows.filter(r => column.value[index(r)] >= 0)
    if (has.length === 0) return
    this.#parts.push({ property: column.key, kind, rows: has, value: r => canonical(stringAt(table.strings, column.value[index(r)])) })
  }

  /** user_metadata: the whole text where it is short, and the ids inside it by name or place. */
  metadata(table: SnapshotTable, column: Int32Array, kind: number, rows: Uint32Array, index: (row: number) => number): void {
    const has = rows.filter(r => column[index(r)] >= 0)
    if (has.length === 0) return
    const byProperty = new Map<string, { rows: number[]; values: Map<number, string> }>()
    for (const r of has) {
      const text = stringAt(table.strings, column[index(r)]).trim()
      if (text === '') continue
      for (const [property, value] of idsInside(text)) {
        let p = byProperty.get(property)
        if (!p && byProperty.size >= MOST_KEYS) continue
        if (!p) byProperty.set(property, (p = { rows: [], values: new Map() }))
        if (p.values.has(r)) continue
        p.rows.push(r)
        p.values.set(r, value)
      }
    }
    for (const [property, p] of byProperty)
      this.#parts.push({ property, kind, rows: Uint32Array.from(p.rows), value: r => p.values.get(r) ?? null })
  }

  list(): readonly Key[] {
    const merged = new Map<string, Part[]>()
    for (const p of this.#parts) {
      const key = `${p.kind}|${p.property}`
      const list = merged.get(key)
      if (list) list.push(p)
      else merged.set(key, [p])
    }
    return [...merged.values()].map(parts => {
      const { property, kind } = parts[0]
      const name = `${property} of ${WORDS[KINDS[kind]]}`
      if (parts.length === 1) return { name, property, rows: parts[0].rows, value: parts[0].value }
      const rows = new Uint32Array(parts.reduce((k, p) => k + p.rows.length, 0))
      const starts: number[] = []
      let at = 0
      for (const p of parts) {
        starts.push(p.rows[0])
        rows.set(p.rows, at)
        at += p.rows.length
      }
      // Parts follow each other in the order of rows.
      const value = (row: number): string | null => {
        let i = parts.length - 1
        while (i > 0 && row < starts[i]) i--
        return parts[i].value(row)
      }
      return { name, property, rows, value }
    })
  }
}

const ID = String.raw`(0[xX][0-9a-fA-F]{1,16}|[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}|[0-9a-fA-F]{16,32}|\d{1,20})`
const NAMED = new RegExp(String.raw`["']?([A-Za-z_][A-Za-z0-9_. -]{0,39}?)["']?\s*[:=]\s*["']?${ID}(?![0-9A-Za-z.])`, 'g')
const BARE = new RegExp(String.raw`(?<![0-9A-Za-z_.])${ID}(?![0-9A-Za-z_.])`, 'g')

/** Ids in a text: the whole of it, named ones (`trace_id=123`, `{"trace_id": 123}`), and those without a name by their place. */
export function idsInside(text: string): readonly (readonly [property: string, value: string])[] {
  const out: [string, string][] = []
  const whole = canonical(text)
  if (whole !== null) out.push(['user_metadata', whole])
  const short = text.slice(0, 4096)
  const named = new Set<number>()
  for (const m of short.matchAll(NAMED)) {
    const value = canonical(m[2])
    named.add(m.index + m[0].lastIndexOf(m[2]))
    if (value !== null) out.push([`${m[1].trim()} in user_metadata`, value])
  }
  let place = 0
  for (const m of short.matchAll(BARE)) {
    if (m[0].length === text.length || named.has(m.index)) continue
    if (++place > MOST_PLACES) break
    const value = canonical(m[1])
    if (value !== null) out.push([`number ${place} in user_metadata`, value])
  }
  return out
}
