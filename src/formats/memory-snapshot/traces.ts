/** Columns of the histories. */
import type { DeviceTrace } from '../../shared/tables'
import type { Builder } from '../pickle/builder'
import { rowCount, type Rows } from './columns'
import type { SnapshotShapes } from './shapes'

/** Smallest and largest value; null where there is none. */
export function extent(columns: readonly Float64Array[]): readonly [number, number] | null {
  let lo = Infinity
  let hi = -Infinity
  for (const column of columns)
    for (const v of column) {
      if (v < lo) lo = v
      if (v > hi) hi = v
    }
  return lo <= hi ? [lo, hi] : null
}

/** One list of events as columns. `time` holds its `time_us` and becomes the time column. */
export function deviceTrace(
  shapes: SnapshotShapes,
  m: Builder,
  rows: Rows,
  device: number,
  time: Float64Array,
  epochUs: number,
  categories: readonly number[],
  complete: boolean,
): DeviceTrace {
  const e = shapes.events
  const n = rowCount(rows)
  const ids = (): Int32Array => new Int32Array(n).fill(-1)
  const epoch = Math.trunc(epochUs)
  for (let i = 0; i < n; i++) time[i] = ((time[i] as number) - epoch) * 1000
  return {
    device,
    count: n,
    action: e.gather('action', rows, new Uint8Array(n)),
    otherAction: e.gather('otherAction', rows, ids()),
    address: e.gatherAddress(rows),
    size: e.gather('size', rows, new Float64Array(n)),
    stream: e.gather('stream', rows, new Int32Array(n)),
    time,
    stack: e.gather('stack', rows, new Int32Array(n)),
    deviceFree: e.gather('deviceFree', rows, new Float64Array(n).fill(NaN)),
    pool: e.gather('pool', rows, ids()),
    compileContext: e.gather('context', rows, new Int32Array(n)),
    userMetadata: e.gather('metadata', rows, new Int32Array(n)),
    category: named(e.gather('category', rows, ids()), categories, m),
    extras: shapes.eventExtras.columns(rows, id => m.text(id)),
    complete,
  }
}

/** Replaces indices of `categories` by the names. */
export function named(column: Int32Array, categories: readonly number[], m: Builder): Int32Array {
  for (let i = 0; i < column.length; i++) {
    const c = column[i] as number
    if (c < -1) column[i] = categories[-2 - c] ?? m.store.strings.internText(String(-2 - c))
  }
  return column
}
