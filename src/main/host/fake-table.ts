/** A trace table of so many empty slices, for tests that need one and not what is in it. */
import { stringTable } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'

export const emptyTrace = (count: number): TraceTable => ({
  kind: 'chrome-trace',
  epochNs: 0n,
  clock: 'unknown',
  baseTimeNs: null,
  count,
  phase: new Uint8Array(count).fill(88),
  ts: new Float64Array(count),
  dur: new Float64Array(count),
  name: new Int32Array(count),
  cat: new Int32Array(count),
  thread: new Int32Array(count).fill(-1),
  id: new Int32Array(count),
  argsOffset: new Float64Array(count),
  argsLength: new Uint32Array(count),
  strings: stringTable(['a']),
  threads: {
    count: 0,
    pid: new Int32Array(0),
    tid: new Int32Array(0),
    processName: new Int32Array(0),
    processLabels: new Int32Array(0),
    threadName: new Int32Array(0),
    processSort: new Float64Array(0),
    threadSort: new Float64Array(0),
  },
  counters: { count: 0, row: new Uint32Array(0), key: new Int32Array(0), value: new Float64Array(0) },
  metadata: {},
  rank: null,
  complete: true,
  bytesRead: 1,
})
