/**
 * A session folder with a runtime trace that begins in the middle of a run: bytes of before the recording, a core whose oldest events were overwritten, two HBMs,
 * a refused allocation, and a snapshot whose segments carry the trace ids of runtime allocations. Small and deterministic.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import protobuf from 'protobufjs'
import { encodeEvents, FIXTURE_EPOCH, frame, workload, type FixtureEvent } from '../../src/formats/neuron-runtime/fixture'
import { frame as pyFrame, snapshotBytes, type FixtureEvent as Entry } from '../../src/formats/memory-snapshot/fixture'
import { tempDir } from '../helpers'

const MIB = 1024 * 1024
/** Before this time the events of NeuronCore 1 were overwritten, ns after the first event. */
const LOST_UNTIL = 3_040_000n
const BASE = 0x10_4000_0000n
const GIB = 1024 * MIB

interface Step {
  /** µs after the epoch. */
  readonly us: number
  readonly usage: string
  /** Negative: a free. */
  readonly bytes: number
  readonly address: bigint
  readonly traceId?: string
  readonly failed?: boolean
}

export const traceId = (i: number): string => String(281_474_976_710_656n + BigInt(i))
/** What was there before the recording, by usage type. */
export const START: Readonly<Record<string, number>> = { Weights: 352 * MIB, Tensors: 2 * GIB, 'Profiler Buffers': 1 * GIB }
export const SEGMENTS = [1024, 512, 256, 20].map(v => v * MIB)
const ASKED = 30 * GIB
/** Highest total of HBM 0 and what is live at its end: start state, weights, rings, segments; the second segment is freed again. */
export const PEAK =
  START.Weights + START.Tensors + START['Profiler Buffers'] + 64 * MIB + 92 * MIB + 8 * MIB + SEGMENTS.reduce((a, b) => a + b, 0)

const address = (i: number): bigint => BASE + BigInt(i) * 0x1_0000_0000n

function memoryEvents(): readonly FixtureEvent[] {
  const steps: Step[] = [
    { us: 1_000, usage: 'Weights', bytes: 64 * MIB, address: 0x9000_0000n },
    { us: 1_500, usage: 'DMA Rings IO', bytes: 92 * MIB, address: 0xa000_0000n },
    { us: 1_800, usage: 'Profiler Buffers', bytes: 8 * MIB, address: 0xb000_0000n },
    ...SEGMENTS.map((bytes, i) => ({ us: 4_000 + 2_000 * i, usage: 'Tensors', bytes, address: address(i), traceId: traceId(i) })),
    { us: 12_000, usage: 'Tensors', bytes: ASKED, address: 0n, failed: true },
    { us: 15_000, usage: 'Tensors', bytes: -SEGMENTS[1], address: address(1) },
  ]
  const total = new Map(Object.entries(START))
  const out: FixtureEvent[] = []
  let id = 900_000n
  for (const hbm of [0, 1])
    for (const s of hbm === 0 ? steps : steps.slice(0, 2)) {
      const at = FIXTURE_EPOCH + BigInt(s.us) * 1000n
      const name = s.usage
      const before = hbm === 0 || name !== 'Tensors' ? (total.get(`${hbm}${name}`) ?? (hbm === 0 ? (START[name] ?? 0) : 0)) : 0
      const now = s.failed ? before : before + s.bytes
      total.set(`${hbm}${name}`, now)
      const sum = ['Weights', 'Tensors', 'Profiler Buffers', 'DMA Rings IO'].reduce(
        (n, k) => n + (total.get(`${hbm}${k}`) ?? (hbm === 0 ? (START[k] ?? 0) : 0)),
        0,
      )
      const place = { hbm_idx: String(hbm), is_nc_hbm: '1', mla_idx: '0', usage_type: name }
      const base = { nc_idx: 0, nd_idx: 0, thread_id: 4100, id: ++id, tracking_id: id }
      const figures = { total_bytes: String(sum), usage_type_total_bytes: String(now) }
      const where = `0x${s.address.toString(16)}`
      if (s.bytes < 0)
        out.push(
          { ...base, type: 35, timestamp: at - 1_000n, phase: 1, attributes: { ...place, physical_address: where } },
          { ...base, type: 35, timestamp: at, phase: 2, attributes: { freed_bytes: String(-s.bytes), ...figures } },
        )
      else
        out.push(
          {
            ...base,
            type: 34,
            timestamp: at - 1_000n,
            phase: 1,
            attributes: { ...place, is_aligned: '1', ...(s.traceId ? { trace_id: s.traceId } : {}) },
          },
          {
            ...base,
            type: 34,
            timestamp: at,
            phase: 2,
            attributes: { allocated_bytes: String(s.bytes), ...figures, return_code: s.failed ? '4' : '0', physical_address: where },
          },
        )
    }
  return out
}

function snapshot(): Uint8Array {
  const us = Number(FIXTURE_EPOCH / 1000n)
  const code = [pyFrame('linear', '/site-packages/torch/nn/functional.py', 1), pyFrame('Block.forward', '/home/u/model/block.py', 74)]
  const events = SEGMENTS.flatMap((size, i): Entry[] => {
    const addr = address(i)
    const time_us = us + 4_000 + 2_000 * i + 2
    return [
      { action: 'segment_alloc', addr, size, stream: 0, time_us, frames: code, trace_id: traceId(i) },
      { action: 'alloc', addr, size: size / 2, stream: 0, time_us: time_us + 1, frames: code },
    ]
  })
  events.push(
    { action: 'free_requested', addr: address(1), size: SEGMENTS[1] / 2, stream: 0, time_us: us + 14_990, frames: code },
    { action: 'free_completed', addr: address(1), size: SEGMENTS[1] / 2, stream: 0, time_us: us + 14_990, frames: code },
    { action: 'segment_free', addr: address(1), size: SEGMENTS[1], stream: 0, time_us: us + 14_995, frames: code },
  )
  const segments = SEGMENTS.flatMap((size, i) =>
    i === 1
      ? []
      : [
          {
            device: 0,
            address: address(i),
            total_size: size,
            blocks: [
              { address: address(i), size: size / 2, requested_size: size / 2, state: 'active_allocated', frames: code },
              { address: address(i) + BigInt(size / 2), size: size / 2, requested_size: 0, state: 'inactive', frames: [] },
            ],
          },
        ],
  )
  return snapshotBytes({ segments, device_traces: [events] })
}

/** Writes the session and answers the folder to open. `garbage`: an ntrace.pb of messages that are no events. */
export function runtimeSession(options: { readonly garbage?: boolean; readonly trace?: boolean } = {}): string {
  const root = join(tempDir(), 'profile_output')
  const dir = join(root, 'i-0fixture0000000000_pid_4242', '1790000000000000000')
  mkdirSync(dir, { recursive: true })
  writeFileSync(join(dir, 'memory_snapshot_rank0.pickle'), snapshot())
  if (options.trace === false) return root
  if (options.garbage) {
    const messages = Array.from({ length: 400 }, (_, i) =>
      protobuf.Writer.create().uint32(10).string(`entry ${i}`).uint32(16).uint32(i).uint32(29).fixed32(i).finish(),
    )
    writeFileSync(join(dir, 'ntrace.pb'), frame(messages, 'varint'))
    return root
  }
  const calls = workload({ steps: 200, cores: 2 }).filter(
    e => e.type !== 34 && e.type !== 35 && (e.nc_idx !== 1 || e.timestamp >= FIXTURE_EPOCH + LOST_UNTIL),
  )
  const all = [...calls, ...memoryEvents()].sort((a, b) => (a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : 0))
  writeFileSync(join(dir, 'ntrace.pb'), frame(encodeEvents(all), 'varint'))
  const info = protobuf.Writer.create().uint32(10).string('i-0fixture0000000000').uint32(18).string('trn2.48xlarge').uint32(24).uint32(4242)
  writeFileSync(join(dir, 'trace_info.pb'), info.finish())
  return root
}
