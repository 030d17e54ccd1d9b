/**
 * A profile folder for the window's measurements: a trace of N slices on 96 threads of four processes, nested up to four deep, over a minute, and beside
 * it a snapshot of ~200,000 events that overlaps in time. Written by our own hand, about 95 bytes a slice, so that reading doesn't take longer than needed.
 */
import { once } from 'node:events'
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pickleDumps, Tuple, type PickleValue } from '../../src/formats/pickle/write'
import { sequence } from '../synthetic'

const START_US = 1_717_000_000_000_000
const SPAN_US = 60_000_000
const THREADS = 96

/** Writes the folder `dir` unless it is there already. */
export async function ensureProfile(dir: string, slices: number): Promise<void> {
  if (existsSync(dir)) return
  const making = `${dir}.tmp`
  await rm(making, { recursive: true, force: true })
  const session = join(making, 'i-0be9c4000000000ab_pid_1000', '1717000000000000000')
  await mkdir(session, { recursive: true })
  await writeFile(join(session, 'memory_snapshot_rank0.pickle'), snapshot())
  await writeTrace(join(session, 'trace.json'), slices)
  await rename(making, dir)
}

async function writeTrace(file: string, slices: number): Promise<void> {
  const out = createWriteStream(file, { highWaterMark: 1 << 22 })
  const names = Array.from({ length: 200 }, (_, i) => `"name":"${i % 5 ? `aten::op_${i}` : `nc_kernel_${i}_bf16`}"`)
  const cats = ['cpu_op', 'user_annotation', 'kernel', 'python_function'].map(c => `{"ph":"X","cat":"${c}",`)
  const r = sequence(11)
  // Thousandths of a microsecond as whole numbers: written digit by digit, never through a fraction.
  const clock = new Float64Array(THREADS)
  const mean = (SPAN_US * 1000) / (slices / THREADS / 2.5)
  const thousandths = (ns: number): string => `${Math.floor(ns / 1000)}.${String(ns % 1000).padStart(3, '0')}`
  out.write('{"schemaVersion":1,"traceEvents":[\n')
  let text = ''
  let n = 0
  while (n < slices) {
    // The thread that is furthest behind of a few: all end at about the same time.
    let t = Math.floor(r() * THREADS)
    for (let k = 0; k < 3; k++) {
      const other = Math.floor(r() * THREADS)
      if (clock[other] < clock[t]) t = other
    }
    const depth = 1 + Math.floor(r() * 4)
    const length = Math.floor(mean * (0.5 + r()))
    let start = clock[t] + Math.floor(length * 0.05)
    let dur = Math.floor(length * 0.9)
    clock[t] += length
    for (let k = 0; k < depth && n < slices; k++, n++) {
      const ts = thousandths(start)
      const dot = ts.length - 4
      const us = Number(ts.slice(0, dot))
      text += `${n ? ',' : ''}${cats[k]}${names[Math.floor(r() * names.length)]},"pid":${1000 + (t & 3)},"tid":${t >> 2},"ts":${START_US + us}${ts.slice(dot)},"dur":${thousandths(dur)}}\n`
      start += Math.floor(dur * 0.1)
      dur = Math.floor(dur * 0.7)
    }
    if (text.length > 1 << 20) {
      if (!out.write(text)) await once(out, 'drain')
      text = ''
    }
  }
  out.end(`${text}]}\n`)
  await once(out, 'close')
}

/** A history that fills the middle of the minute; allocations of 512 B to 20 MiB, up to 800 alive. */
function snapshot(): Uint8Array {
  const r = sequence(13)
  const frame = (name: string, filename: string, line: number): PickleValue => ({ name, filename, line })
  const stacks = Array.from({ length: 300 }, (_, s) =>
    Array.from({ length: 12 }, (_, d) =>
      d < 4
        ? frame(`torch_fn_${d}`, '/opt/python/site-packages/torch/nn/module.py', 10 + d)
        : frame(`layer_${s % 40}`, `/home/u/model/part_${(s + d) % 30}.py`, s + d),
    ),
  )
  const sizes = [512, 4096, 65536, 2 ** 20, 3 * 2 ** 20, 20 * 2 ** 20]
  const entries: PickleValue[] = []
  const alive: { addr: number; size: number }[] = []
  const free: number[] = []
  let next = 0x7f00_0000_0000
  let time = START_US + 5_000_000
  const put = (action: string, { addr, size }: { addr: number; size: number }): void => {
    time += 1 + Math.floor(r() * 480)
    entries.push({
      action,
      addr,
      size,
      stream: 0,
      time_us: time,
      compile_context: 'N/A',
      user_metadata: '',
      frames: stacks[Math.floor(r() * stacks.length)],
    })
  }
  while (entries.length < 200_000)
    if (alive.length > 800 || (alive.length > 0 && r() < 0.45)) {
      const at = Math.floor(r() * alive.length)
      const block = alive[at]
      alive[at] = alive[alive.length - 1]
      alive.pop()
      put('free_requested', block)
      put('free_completed', block)
      free.push(block.addr)
    } else {
      const block = { addr: free.pop() ?? (next += 64 * 2 ** 20), size: sizes[Math.floor(r() * sizes.length)] }
      put('alloc', block)
      alive.push(block)
    }
  const total = 64 * 2 ** 20
  const segments = alive.map(({ addr, size }) => ({
    device: 0,
    address: addr,
    total_size: total,
    allocated_size: size,
    active_size: size,
    requested_size: size,
    stream: 0,
    segment_type: 'large',
    segment_pool_id: new Tuple([0, 0]),
    is_expandable: false,
    frames: [],
    blocks: [
      { address: addr, size, requested_size: size, state: 'active_allocated', frames: [] },
      { address: addr + size, size: total - size, requested_size: 0, state: 'inactive', frames: [] },
    ],
  }))
  return pickleDumps({ segments, device_traces: [entries], external_annotations: [] })
}
