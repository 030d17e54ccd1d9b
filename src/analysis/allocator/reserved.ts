/** Reserved bytes: the segments that PyTorch holds on the device, anchored at the segment table. */
import { ACTIONS, type DeviceTrace, type SnapshotTable } from '../../shared/tables'

const GROW = new Set([ACTIONS.indexOf('segment_alloc'), ACTIONS.indexOf('segment_map')])
const SHRINK = new Set([ACTIONS.indexOf('segment_free'), ACTIONS.indexOf('segment_unmap')])

export interface Reserved {
  readonly after: Float64Array
  readonly start: number
  readonly peak: number
  readonly end: number
}

/**
 * Reserved bytes after each event of a device. The end is the sum of its segments (rows of the segment table); the start is what is left when all events are undone. Expandable segments count what is
 * mapped. Without an anchor (the file was cut) every value is NaN.
 */
export function reservedCurve(
  { segments }: SnapshotTable,
  segmentRows: readonly number[],
  trace: DeviceTrace | null,
  anchored: boolean,
): Reserved {
  const n = trace?.count ?? 0
  const after = new Float64Array(n)
  if (!anchored) return { after: after.fill(NaN), start: NaN, peak: NaN, end: NaN }
  let end = 0
  for (const i of segmentRows) end += (segments.totalSize[i] as number) || 0
  let change = 0
  for (let i = 0; i < n && trace; i++) {
    const size = (trace.size[i] as number) || 0
    if (GROW.has(trace.action[i] as number)) change += size
    else if (SHRINK.has(trace.action[i] as number)) change -= size
    after[i] = change
  }
  const start = end - change
  let peak = start
  for (let i = 0; i < n; i++) {
    const v = (after[i] as number) + start
    after[i] = v
    if (v > peak) peak = v
  }
  return { after, start, peak, end }
}

/** Reserved bytes of each pool at the end, `{"a,b": bytes}`. Pool 0,0 is the default one; others belong to CUDA graphs and MemPools. Empty for versions without pool ids. */
export function poolsOf(table: SnapshotTable, segmentRows: readonly number[]): Readonly<Record<string, number>> {
  const out = new Map<string, number>()
  const { segments } = table
  for (const i of segmentRows) {
    const pool = table.pools[segments.pool[i] as number]
    if (pool === undefined) continue
    out.set(pool, (out.get(pool) ?? 0) + ((segments.totalSize[i] as number) || 0))
  }
  return Object.fromEntries(out)
}
