/**
 * The runtime's side of the join: its device memory allocations, and every property of their events, and of the event around each, that may be the id that PyTorch's snapshot
 * names too.
 */
import { stringAt } from '../../shared/columns'
import { attributeIndex, attributeText, keyId, type SystemTable } from '../../shared/system-tables'
import { canonical, type Key, type RuntimeSide } from './model'

/** What the join needs of an HBM: its allocations, and the times of its events that they name. */
export interface RuntimeHbm {
  readonly time: Float64Array
  readonly allocations: {
    readonly count: number
    readonly size: Float64Array
    readonly address: BigUint64Array
    /** Event that makes it (-1: before the first), and that ends it (-1: none). */
    readonly from: Int32Array
    readonly to: Int32Array
    /** Rows of the table; -1 without. */
    readonly allocRow: Int32Array
    readonly freeRow: Int32Array
  }
  /** Row of the event around each allocation's; -1 where none is known. */
  readonly parent: Int32Array
}

/** Attributes that say where and how much, never which. */
const NO_IDS = new Set([
  'hbm_idx',
  'is_nc_hbm',
  'is_aligned',
  'mla_idx',
  'usage_type',
  'allocated_bytes',
  'freed_bytes',
  'total_bytes',
  'usage_type_total_bytes',
  'return_code',
  'physical_address',
  'size',
  'ref_count',
  'thread_id',
  'nc_timestamp_ns',
  'cpu_timestamp_ns',
])
const MOST_ATTRIBUTES = 24
/** Rows whose attributes are looked at to learn the keys, evenly spread. */
const SAMPLE = 2048

/** Rows and candidate keys. Linear in allocations. */
export function runtimeSide(t: SystemTable, hbms: readonly RuntimeHbm[]): RuntimeSide {
  const count = hbms.reduce((n, h) => n + h.allocations.count, 0)
  const rows = {
    count,
    size: new Float64Array(count),
    time: new Float64Array(count).fill(NaN),
    end: new Float64Array(count).fill(NaN),
    address: new BigUint64Array(count),
    hbm: new Uint16Array(count),
    allocation: new Uint32Array(count),
  }
  /** Row of the event that tells of an allocation: its own, or its free where that is all there is. */
  const own = new Int32Array(count)
  const made = new Int32Array(count)
  const around = new Int32Array(count)
  let n = 0
  hbms.forEach((h, i) => {
    const a = h.allocations
    for (let k = 0; k < a.count; k++, n++) {
      rows.size[n] = a.size[k]
      rows.address[n] = a.address[k]
      if (a.from[k] >= 0) rows.time[n] = h.time[a.from[k]]
      if (a.to[k] >= 0) rows.end[n] = h.time[a.to[k]]
      rows.hbm[n] = i
      rows.allocation[n] = k
      made[n] = a.allocRow[k]
      own[n] = a.allocRow[k] >= 0 ? a.allocRow[k] : a.freeRow[k]
      around[n] = h.parent[k]
    }
  })

  const keys: Key[] = []
  const big = (column: BigUint64Array, at: Int32Array) => (r: number) =>
    at[r] >= 0 && column[at[r]] !== 0n ? canonical(String(column[at[r]])) : null
  const add = (property: string, value: Key['value'], raw?: Key['raw']): void => {
    keys.push({ name: property, property, rows: null, value, raw })
  }
  const addAttribute = (name: string, at: Int32Array, property: string): void => {
    const raw = attributeOf(t, at, property)
    const value = (r: number): string | null => {
      const text = raw(r)
      return text === null ? null : canonical(text)
    }
    add(name, value, raw)
  }
  for (const property of attributesOf(t, own)) addAttribute(property, own, property)
  for (const property of attributesOf(t, around)) addAttribute(`${property} of the event around`, around, property)
  add('tracking id', big(t.trackingId, made))
  add('sequence id', r => (made[r] >= 0 && t.hasSequence[made[r]] === 1 ? canonical(String(t.sequence[made[r]])) : null))
  add('id', big(t.id, made))
  add('parent id', big(t.parentId, made))
  add('tracking id of the event around', big(t.trackingId, around))
  add('sequence id of the event around', r =>
    around[r] >= 0 && t.hasSequence[around[r]] === 1 ? canonical(String(t.sequence[around[r]])) : null,
  )
  return { rows, keys }
}

/** Attribute keys of the rows, the most frequent first, without those that are no ids. */
function attributesOf(t: SystemTable, at: Int32Array): readonly string[] {
  const seen = new Map<number, number>()
  const stride = Math.max(1, Math.floor(at.length / SAMPLE))
  for (let r = 0; r < at.length; r += stride) {
    if (at[r] < 0) continue
    for (let i = t.attrStart[at[r]]; i < t.attrStart[at[r] + 1]; i++) seen.set(t.attrKey[i], (seen.get(t.attrKey[i]) ?? 0) + 1)
  }
  return [...seen]
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .map(([id]) => stringAt(t.strings, id))
    .filter(key => !NO_IDS.has(key.replace(/ \(stop\)$/, '')) && key !== '')
    .slice(0, MOST_ATTRIBUTES)
}

function attributeOf(t: SystemTable, at: Int32Array, property: string): (row: number) => string | null {
  const key = keyId(t, property)
  return r => {
    const i = at[r] < 0 ? -1 : attributeIndex(t, at[r], key)
    return i < 0 ? null : attributeText(t, i)
  }
}
