/** Tables as the readers would give them, made in memory: a trace of any number of slices, an allocator history of any number of events. */
import { stringTable } from '../src/shared/columns'
import { ACTIONS, type SnapshotTable, type TraceTable } from '../src/shared/tables'

/** A sequence of numbers in [0, 1) that is the same in every run. */
export function sequence(seed: number): () => number {
  let s = seed >>> 0
  return () => (s = (Math.imul(s, 1664525) + 1013904223) >>> 0) / 4294967296
}

/** `n` slices on 100 threads, nested up to four deep, back to back with short gaps. */
export function traceOf(n: number): TraceTable {
  const threads = 100
  const names = Array.from({ length: 400 }, (_, i) => `aten::op_${i}`)
  const strings = stringTable([...names, 'cpu_op', ...Array.from({ length: threads }, (_, i) => String(i))])
  const cat = names.length
  const r = sequence(1)
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

const SIZES = [512, 1024, 4096, 65536, 2 ** 20, 3 * 2 ** 20, 20 * 2 ** 20]

/**
 * A history of about `n` events of one device: allocs, and frees as two events each, with up to `live` allocations alive at a time. The segment table
 * holds what is left, so that start state and self-check are as in a recording that lost nothing.
 */
export function historyOf(n: number, live = 600): SnapshotTable {
  const r = sequence(7)
  const alloc = ACTIONS.indexOf('alloc')
  const requested = ACTIONS.indexOf('free_requested')
  const completed = ACTIONS.indexOf('free_completed')
  const stacks = 4000
  const perStack = 40
  const frames = 500
  const action = new Uint8Array(n)
  const address = new BigUint64Array(n)
  const size = new Float64Array(n)
  const time = new Float64Array(n)
  const stack = new Int32Array(n)
  const alive: { address: bigint; size: number; stack: number }[] = []
  const free: bigint[] = []
  let next = 0x7f3a_4000_0000n
  let t = 0
  let i = 0
  const put = (a: number, block: { address: bigint; size: number }, of: number): void => {
    action[i] = a
    address[i] = block.address
    size[i] = block.size
    stack[i] = of
    time[i++] = t += 1000 * (1 + Math.floor(r() * 60))
  }
  while (i + 3 <= n) {
    if (alive.length > live || (alive.length > 0 && r() < 0.45)) {
      const at = Math.floor(r() * alive.length)
      const block = alive[at]
      alive[at] = alive[alive.length - 1]
      alive.pop()
      const of = Math.floor(r() * stacks)
      put(requested, block, of)
      put(completed, block, of)
      free.push(block.address)
    } else {
      let at: bigint
      if (free.length > 0 && r() < 0.7) {
        const k = Math.floor(r() * free.length)
        at = free[k]
        free[k] = free[free.length - 1]
        free.pop()
      } else at = next += 64n << 20n
      const block = { address: at, size: SIZES[Math.floor(r() * SIZES.length)] + Math.floor(r() * 512), stack: Math.floor(r() * stacks) }
      put(alloc, block, block.stack)
      alive.push(block)
    }
  }
  const m = alive.length
  const names = Array.from({ length: frames }, (_, f) => `fn_${f}`)
  const files = Array.from({ length: 100 }, (_, f) =>
    f % 3 ? `/opt/lib/python3.11/site-packages/torch/m${f}.py` : `/home/u/model/m${f}.py`,
  )
  const strings = stringTable([...names, ...files, 'large'])
  const large = names.length + files.length
  const none = (k: number): Int32Array => new Int32Array(k).fill(-1)
  return {
    kind: 'memory-snapshot',
    format: 'pickle',
    pickleProtocol: 4,
    epochNs: 1_717_000_000_000_000_000n,
    clock: 'unix-microseconds',
    timeRange: [time[0], t],
    timeUs: [1_717_000_000_000_000 + time[0] / 1000, 1_717_000_000_000_000 + t / 1000],
    devices: [
      {
        device: 0,
        count: i,
        action: action.slice(0, i),
        otherAction: none(i),
        address: address.slice(0, i),
        size: size.slice(0, i),
        stream: new Int32Array(i),
        time: time.slice(0, i),
        stack: stack.slice(0, i),
        deviceFree: new Float64Array(i).fill(NaN),
        pool: none(i),
        compileContext: none(i),
        userMetadata: none(i),
        category: none(i),
        extras: [],
      },
    ],
    segments: {
      count: m,
      device: new Int32Array(m),
      address: BigUint64Array.from(alive, b => b.address),
      totalSize: new Float64Array(m).fill(64 * 2 ** 20),
      allocatedSize: Float64Array.from(alive, b => Math.ceil(b.size / 512) * 512),
      activeSize: Float64Array.from(alive, b => Math.ceil(b.size / 512) * 512),
      requestedSize: Float64Array.from(alive, b => b.size),
      stream: new Int32Array(m),
      segmentType: new Int32Array(m).fill(large),
      pool: none(m),
      expandable: new Uint8Array(m),
      stack: Int32Array.from(alive, b => b.stack),
      blockStart: Uint32Array.from({ length: m + 1 }, (_, k) => k),
      extras: [],
    },
    blocks: {
      count: m,
      segment: Uint32Array.from({ length: m }, (_, k) => k),
      address: BigUint64Array.from(alive, b => b.address),
      size: Float64Array.from(alive, b => Math.ceil(b.size / 512) * 512),
      requestedSize: Float64Array.from(alive, b => b.size),
      state: new Uint8Array(m),
      stack: Int32Array.from(alive, b => b.stack),
      category: none(m),
      extras: [],
    },
    frames: {
      count: frames,
      name: Int32Array.from({ length: frames }, (_, f) => f),
      file: Int32Array.from({ length: frames }, (_, f) => names.length + (f % files.length)),
      line: Int32Array.from({ length: frames }, (_, f) => 10 + f),
    },
    stacks: {
      count: stacks,
      start: Uint32Array.from({ length: stacks + 1 }, (_, s) => s * perStack),
      frames: Uint32Array.from({ length: stacks * perStack }, () => Math.floor(r() * frames)),
    },
    streams: ['0'],
    pools: [],
    strings,
    annotations: { count: 0, text: none(0), stage: none(0), device: none(0), time: new Float64Array(0) },
    settings: null,
    unknown: {},
    complete: true,
    bytesRead: 0,
  }
}
