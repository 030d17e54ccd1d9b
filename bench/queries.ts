/** Engine queries on synthetic columns: slices of a window at 2 M events, pictures of a 1.7 M event history. Prints one JSON line. */
import { stringTable } from '../src/shared/columns'
import type { TraceTable } from '../src/shared/tables'
import { buildTraceModel } from '../src/analysis/trace/tracks'
import { slicesInWindow } from '../src/analysis/trace/window'

const quantile = (v: number[], q: number): number => [...v].sort((a, b) => a - b)[Math.min(v.length - 1, Math.floor(q * v.length))]

/** `n` slices on 100 threads, nested up to four deep, over about 60 s. */
function traceOf(n: number): TraceTable {
  const threads = 100
  const names = Array.from({ length: 400 }, (_, i) => `aten::op_${i}`)
  const strings = stringTable([...names, 'cpu_op', ...Array.from({ length: threads }, (_, i) => String(i))])
  const cat = names.length
  let s = 1
  const r = (): number => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296
  const ts = new Float64Array(n)
  const dur = new Float64Array(n)
  const name = new Int32Array(n)
  const thread = new Int32Array(n)
  const clock = new Float64Array(threads)
  for (let i = 0; i < n;) {
    const t = Math.floor(r() * threads)
    const depth = 1 + Math.floor(r() * 4)
    let start = clock[t] + Math.floor(r() * 4000)
    let d = 400 + Math.floor(r() * 60_000)
    clock[t] = start + d
    for (let k = 0; k < depth && i < n; k++, i++) {
      ts[i] = start
      dur[i] = d
      name[i] = Math.floor(r() * names.length)
      thread[i] = t
      start += Math.floor(d * 0.1)
      d = Math.floor(d * 0.7)
    }
  }
  const none = new Int32Array(threads).fill(-1)
  const absent = new Float64Array(threads).fill(NaN)
  return {
    kind: 'chrome-trace',
    epochNs: 0n,
    clock: 'unix-microseconds',
    baseTimeNs: null,
    count: n,
    phase: new Uint8Array(n).fill(88),
    ts,
    dur,
    name,
    cat: new Int32Array(n).fill(cat),
    thread,
    id: new Int32Array(n).fill(-1),
    argsOffset: new Float64Array(n).fill(-1),
    argsLength: new Uint32Array(n),
    strings,
    threads: {
      count: threads,
      pid: new Int32Array(threads).fill(cat + 1),
      tid: Int32Array.from({ length: threads }, (_, i) => cat + 1 + i),
      processName: none,
      processLabels: none,
      threadName: none,
      processSort: absent,
      threadSort: absent,
    },
    counters: { count: 0, row: new Uint32Array(0), key: new Int32Array(0), value: new Float64Array(0) },
    metadata: {},
    rank: null,
    complete: true,
    bytesRead: 0,
  }
}

const n = Number(process.argv[2] ?? 2e6)
const table = traceOf(n)
let t0 = performance.now()
const model = buildTraceModel(table)
const buildMs = performance.now() - t0
const range = model.range as readonly [number, number]
const visible = model.tracks.filter(t => t.kind === 'slices').slice(0, 20)
const times: number[] = []
for (let i = 0; i < 400; i++) {
  const span = (range[1] - range[0]) / 2 ** (i % 16)
  const start = range[0] + ((i * 0.618) % 1) * (range[1] - range[0] - span)
  t0 = performance.now()
  slicesInWindow(table, visible, start, start + span, 1400)
  times.push(performance.now() - t0)
}
process.stdout.write(
  JSON.stringify({ n, buildMs, p50: quantile(times, 0.5), p99: quantile(times, 0.99), rssMb: process.resourceUsage().maxRSS / 1024 }) +
    '\n',
)
