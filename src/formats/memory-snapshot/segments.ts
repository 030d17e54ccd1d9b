/** Columns of the segment table and its blocks. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { BlockTable, SegmentTable } from '../../shared/tables'
import type { Builder } from '../pickle/builder'
import { OBJ } from '../pickle/tags'
import { rowAt, rowCount, type Rows } from './columns'
import { BLOCK } from './kinds'
import type { Lists } from './lists'
import type { SnapshotShapes } from './shapes'
import { named } from './traces'

export const MOST_DEVICES = 1024

const nanTo = (v: number, instead: number): number => (Number.isNaN(v) ? instead : v)

/** Gives segments beyond the devices that are taken the device -1 ("none"), and tells how much memory stands under no device. */
function knownDevices(device: Int32Array, totalSize: Float64Array, sink: DiagnosticSink, lists: Lists): Int32Array {
  const seen = new Set<number>()
  const none = { count: 0, bytes: 0 }
  const beyond = { count: 0, bytes: 0 }
  for (let i = 0; i < device.length; i++) {
    const d = device[i] as number
    if (d >= 0 && (seen.has(d) || seen.size < MOST_DEVICES)) {
      seen.add(d)
      continue
    }
    const of = d < 0 ? none : beyond
    of.count++
    of.bytes += nanTo(totalSize[i] as number, 0)
    device[i] = -1
  }
  const meaning = (bytes: number): string => `Their ${bytes} bytes are left out of all figures.`
  if (none.count > 0)
    sink.add({
      severity: 'error',
      code: 'snapshot-segment-device',
      message: 'Segments have a device that is no device number.',
      meaning: meaning(none.bytes),
      action: 'Check what wrote the file; PyTorch writes no such value.',
      count: none.count,
    })
  if (beyond.count > 0)
    lists.refuse(`more devices than ${MOST_DEVICES}`, 'segments', { meaning: meaning(beyond.bytes), count: beyond.count })
  return device
}

/** A segment table and its blocks. Without devices (host memory) the device of every segment is -1. */
export function segmentTables(
  m: Builder,
  shapes: SnapshotShapes,
  sink: DiagnosticSink,
  lists: Lists,
  rows: Rows,
  categories: readonly number[],
  whole: boolean,
  devices: boolean,
): { readonly segments: SegmentTable; readonly blocks: BlockTable } {
  const s = shapes.segments
  const n = rowCount(rows)
  const blockStart = new Uint32Array(n + 1)
  const blockRows: Rows[] = []
  let total = 0
  const budget = 2 * shapes.blocks.size.n + 1024
  for (let i = 0; i < n; i++) {
    const list = s.blocks.a[rowAt(rows, i)] as number
    let of: Rows = list < 0 ? { start: 0, end: 0 } : lists.rows(OBJ, list, BLOCK, 'blocks')
    if (total + rowCount(of) > budget) {
      lists.refuse('the same list of blocks many times', 'segments')
      of = { start: 0, end: 0 }
    }
    total += rowCount(of)
    blockRows.push(of)
    blockStart[i + 1] = total
  }
  const pick = <A extends Int32Array | Float64Array | Uint8Array>(from: A, out: A): A => {
    for (let i = 0; i < n; i++) out[i] = from[rowAt(rows, i)] as number
    return out
  }
  const address = new BigUint64Array(n)
  for (let i = 0; i < n; i++) address[i] = s.address.at(rowAt(rows, i))
  const totalSize = pick(s.totalSize.a, new Float64Array(n))
  const segments: SegmentTable = {
    count: n,
    device: devices ? knownDevices(pick(s.device.a, new Int32Array(n)), totalSize, sink, lists) : new Int32Array(n).fill(-1),
    address,
    totalSize,
    allocatedSize: pick(s.allocatedSize.a, new Float64Array(n)),
    activeSize: pick(s.activeSize.a, new Float64Array(n)),
    requestedSize: pick(s.requestedSize.a, new Float64Array(n)),
    stream: pick(s.stream.a, new Int32Array(n)),
    segmentType: pick(s.segmentType.a, new Int32Array(n)),
    pool: pick(s.pool.a, new Int32Array(n)),
    expandable: pick(s.expandable.a, new Uint8Array(n)),
    stack: pick(s.stack.a, new Int32Array(n)),
    blockStart,
    extras: shapes.segmentExtras.columns(rows, id => m.text(id)),
    complete: whole,
  }

  const b = shapes.blocks
  const blocks = {
    count: total,
    segment: new Uint32Array(total),
    address: new BigUint64Array(total),
    size: new Float64Array(total),
    requestedSize: new Float64Array(total),
    state: new Uint8Array(total),
    stack: new Int32Array(total),
    category: new Int32Array(total),
  }
  const all = new Uint32Array(total)
  let unrequested = 0
  for (let i = 0, k = 0; i < n; i++) {
    const of = blockRows[i] as Rows
    let next = address[i] as bigint
    for (let j = 0; j < rowCount(of); j++, k++) {
      const row = rowAt(of, j)
      const at = b.hasAddress.a[row] === 1 ? b.address.at(row) : next
      const size = b.size.a[row] as number
      all[k] = row
      blocks.segment[k] = i
      blocks.address[k] = at
      blocks.size[k] = size
      blocks.requestedSize[k] = b.requestedSize.a[row] as number
      blocks.state[k] = b.state.a[row] as number
      blocks.stack[k] = b.stack.a[row] as number
      blocks.category[k] = b.category.a[row] as number
      if (blocks.state[k] !== 2 && Number.isNaN(blocks.requestedSize[k])) unrequested++
      next = BigInt.asUintN(64, at + (Number.isFinite(size) ? BigInt(Math.trunc(size)) : 0n))
    }
  }
  named(blocks.category, categories, m)
  if (unrequested > 0)
    sink.add({
      severity: 'info',
      code: 'snapshot-no-requested-size',
      message: 'Blocks of this version do not tell how many bytes were requested.',
      meaning: 'Their size in the allocator, rounded up to 512 bytes or more, counts instead.',
      action: 'Record with torch 2.0 or later for exact figures.',
      count: unrequested,
    })
  return { segments, blocks: { ...blocks, extras: shapes.blockExtras.columns(all, id => m.text(id)) } }
}
