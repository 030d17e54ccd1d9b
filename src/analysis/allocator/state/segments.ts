/**
 * Which segments a device holds when. The segment table is the state at the end; the events of the history are undone from there, so that a recording that began late is as good as a whole one.
 * A segment that changes (an expandable one that is mapped, or unmapped in the middle) is one row for each of its forms.
 */
import { stringAt } from '../../../shared/columns'
import { ACTIONS, type DeviceTrace, type SnapshotTable } from '../../../shared/tables'

const SEGMENT_ALLOC = ACTIONS.indexOf('segment_alloc')
const SEGMENT_MAP = ACTIONS.indexOf('segment_map')
const SEGMENT_UNMAP = ACTIONS.indexOf('segment_unmap')

/** Pools by size of the requests that they serve. */
export const SIZE_POOLS = ['unknown', 'small', 'large'] as const
export const POOL_UNKNOWN = 0
export const POOL_SMALL = 1
export const POOL_LARGE = 2

export interface SegmentHistory {
  readonly count: number
  readonly address: BigUint64Array
  readonly size: Float64Array
  /** It is there in the states `from <= event < to`. -1: since the start; number of events: until the end. */
  readonly from: Int32Array
  readonly to: Int32Array
  /** Index into SIZE_POOLS, as the table has it; unknown for what is not in the table any more. */
  readonly type: Uint8Array
  /** Rows of the snapshot's streams and pools; -1 where not said. */
  readonly stream: Int32Array
  readonly pool: Int32Array
  readonly expandable: Uint8Array
  readonly stack: Int32Array
  /** Row of the segment table, for the form that it has at the end; -1 otherwise. */
  readonly table: Int32Array
  /** Events that contradict the table: a segment that is allocated and not there, or freed and still there. Then the rows are not to be trusted. */
  readonly conflicts: number
}

interface Row {
  address: bigint
  size: number
  from: number
  to: number
  type: number
  stream: number
  pool: number
  expandable: boolean
  stack: number
  table: number
}

/** Index into SIZE_POOLS of a row of the segment table. */
export function typeOf({ segments, strings }: SnapshotTable, row: number): number {
  const type = stringAt(strings, segments.segmentType[row] as number)
  return type === 'small' ? POOL_SMALL : type === 'large' ? POOL_LARGE : POOL_UNKNOWN
}

const endOf = (r: Row): bigint => r.address + BigInt(r.size)

/** Undoes the segment events of a device. `segmentRows` are its rows of the segment table. */
export function segmentHistory(table: SnapshotTable, segmentRows: readonly number[], trace: DeviceTrace | null): SegmentHistory {
  const { segments } = table
  const events = trace?.count ?? 0
  let conflicts = 0
  const rows: Row[] = segmentRows.map(s => {
    const size = segments.totalSize[s] as number
    if (!Number.isSafeInteger(size) || size < 0) conflicts++
    return {
      address: segments.address[s] as bigint,
      size: Number.isSafeInteger(size) && size > 0 ? size : 0,
      from: -1,
      to: events,
      type: typeOf(table, s),
      stream: segments.stream[s] as number,
      pool: segments.pool[s] as number,
      expandable: segments.expandable[s] === 1,
      stack: segments.stack[s] as number,
      table: s,
    }
  })
  /** The rows that are there, in order of address. */
  const there = [...rows].sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0))
  /** First place whose row begins after `address`. */
  const placeAfter = (address: bigint): number => {
    let lo = 0
    let hi = there.length
    while (lo < hi) {
      const mid = (lo + hi) >>> 1
      if ((there[mid] as Row).address <= address) lo = mid + 1
      else hi = mid
    }
    return lo
  }
  const make = (row: Row): Row => {
    rows.push(row)
    return row
  }

  for (let e = events - 1; e >= 0 && trace; e--) {
    const action = trace.action[e] as number
    if (action < SEGMENT_ALLOC || action > SEGMENT_UNMAP) continue
    const address = trace.address[e] as bigint
    const size = trace.size[e] as number
    if (size === 0) continue
    if (!Number.isSafeInteger(size) || size < 0) {
      conflicts++
      continue
    }
    const stop = address + BigInt(size)
    const k = placeAfter(address)
    const before = k > 0 ? there[k - 1] : undefined
    const after = there[k]
    if (action === SEGMENT_ALLOC || action === SEGMENT_MAP) {
      const whole = before !== undefined && before.address === address && before.size === size
      if (!before || stop > endOf(before) || (action === SEGMENT_ALLOC && !whole)) {
        conflicts++
        continue
      }
      before.from = e
      if (action === SEGMENT_ALLOC && before.stack < 0) before.stack = trace.stack[e] as number
      const left = Number(address - before.address)
      const right = Number(endOf(before) - stop)
      const parts: Row[] = []
      if (left > 0) parts.push(make({ ...before, size: left, from: -1, to: e, table: -1 }))
      if (right > 0) parts.push(make({ ...before, address: stop, size: right, from: -1, to: e, table: -1 }))
      there.splice(k - 1, 1, ...parts)
    } else {
      if ((before && endOf(before) > address) || (after && after.address < stop)) {
        conflicts++
        continue
      }
      const stream = trace.stream[e] as number
      const joins = (r: Row | undefined): r is Row =>
        action === SEGMENT_UNMAP && r !== undefined && r.expandable && (r.stream === stream || r.stream < 0 || stream < 0)
      const l = joins(before) && endOf(before) === address ? before : null
      const r = joins(after) && after.address === stop ? after : null
      const kin = l ?? r
      const row = make({
        address: l ? l.address : address,
        size: size + (l?.size ?? 0) + (r?.size ?? 0),
        from: -1,
        to: e,
        type: kin?.type ?? POOL_UNKNOWN,
        stream: kin?.stream ?? stream,
        pool: kin?.pool ?? (trace.pool[e] as number),
        expandable: action === SEGMENT_UNMAP,
        stack: kin?.stack ?? -1,
        table: -1,
      })
      if (l) l.from = e
      if (r) r.from = e
      there.splice(l ? k - 1 : k, (l ? 1 : 0) + (r ? 1 : 0), row)
    }
  }
  return {
    count: rows.length,
    address: BigUint64Array.from(rows, r => r.address),
    size: Float64Array.from(rows, r => r.size),
    from: Int32Array.from(rows, r => r.from),
    to: Int32Array.from(rows, r => r.to),
    type: Uint8Array.from(rows, r => r.type),
    stream: Int32Array.from(rows, r => r.stream),
    pool: Int32Array.from(rows, r => r.pool),
    expandable: Uint8Array.from(rows, r => (r.expandable ? 1 : 0)),
    stack: Int32Array.from(rows, r => r.stack),
    table: Int32Array.from(rows, r => r.table),
    conflicts,
  }
}
