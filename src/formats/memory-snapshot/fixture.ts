/** Snapshots made in code, in the structure that PyTorch writes: for tests and for whoever needs a small known file. */
import { Float, pickleDumps, Tuple, type PickleValue, type WriteProtocol } from '../pickle/write'

export interface FixtureFrame {
  name: string
  filename: string
  line: number
  [extra: string]: PickleValue
}
/** Any key of an entry; the ones that every version has are required. */
export interface FixtureEvent {
  action: string
  size: number
  [key: string]: PickleValue
}
export interface FixtureBlock {
  size: number
  state: string
  [key: string]: PickleValue
}
export interface FixtureSegment {
  device: number
  address: number | bigint
  total_size: number
  blocks: FixtureBlock[]
  [key: string]: PickleValue
}
export interface FixtureSnapshot {
  segments: FixtureSegment[]
  device_traces: FixtureEvent[][]
  [key: string]: PickleValue
}

export const frame = (name: string, filename: string, line: number): FixtureFrame => ({ name, filename, line })

/** Bytes of a snapshot. */
export const snapshotBytes = (snapshot: FixtureSnapshot | FixtureSegment[], protocol: WriteProtocol = 4): Uint8Array =>
  pickleDumps(snapshot as PickleValue, protocol)

/** The same value as JSON text, as Python's json module writes it: integers exact, tuples as lists, keys as texts. Throws on bytes. */
export function jsonText(v: PickleValue): string {
  if (v === null || typeof v === 'boolean' || typeof v === 'bigint') return String(v)
  if (typeof v === 'number')
    return Number.isFinite(v) ? (Object.is(v, -0) ? '-0.0' : String(v)) : Number.isNaN(v) ? 'NaN' : v < 0 ? '-Infinity' : 'Infinity'
  if (typeof v === 'string') return JSON.stringify(v)
  if (v instanceof Float) return Number.isInteger(v.value) ? `${v.value}.0` : jsonText(v.value)
  if (v instanceof Tuple) return `[${v.items.map(jsonText).join(', ')}]`
  if (v instanceof Uint8Array) throw new TypeError('JSON has no bytes')
  if (Array.isArray(v)) return `[${(v as readonly PickleValue[]).map(jsonText).join(', ')}]`
  const entries =
    v instanceof Map ? [...(v as ReadonlyMap<PickleValue, PickleValue>)] : Object.entries(v as Readonly<Record<string, PickleValue>>)
  return `{${entries.map(([k, x]) => `${typeof k === 'string' ? JSON.stringify(k) : JSON.stringify(jsonText(k))}: ${jsonText(x)}`).join(', ')}}`
}

/** Bytes of a snapshot as JSON. */
export const snapshotJson = (snapshot: FixtureSnapshot | FixtureSegment[]): Uint8Array => Buffer.from(jsonText(snapshot as PickleValue))

/** A page as torch's `trace_plot` writes it, around the bytes of a pickle: padded with zeros to whole groups of base64. */
export function snapshotPage(pickle: Uint8Array, name = 'snapshot.pickle', kind = 'Active Memory Timeline'): Uint8Array {
  const padded = Buffer.concat([pickle, Buffer.alloc(3 - (pickle.length % 3))])
  return pageOf(`[{"name": ${JSON.stringify(name)}, "base64": "${padded.toString('base64')}"}]`, kind)
}
/** The page around any list of files. */
export const pageOf = (list: string, kind = 'Active Memory Timeline'): Uint8Array =>
  Buffer.from(`
<!DOCTYPE html>
<html>
<head>
</head>
<body>
<script type="module">
import {add_local_files} from "https://example.invalid/MemoryViz.js"
const local_files = ${list}
add_local_files(local_files, '${kind}')
</script>
</body>
`)

export const MIB = 1024 * 1024
/** Where the parts of `exampleSnapshot` lie. */
export const EXAMPLE = {
  base: 0x7f00_0100_0000,
  weights: 0x7f00_0100_0000,
  kept: 0x7f00_0100_0000 + 4_000_256,
  pending: 0x7f00_0100_0000 + 6_000_640,
  temporary: 0x7f00_0100_0000 + 7_001_088,
  unknown: 0x7f00_0100_0000 + 12_000_256,
  requested: 0x7f00_0100_0000 + 13_000_192,
  pool: 0x7f00_0900_0000,
  extraSegment: 0x7f00_0a00_0000,
  timeUs: 1_700_000_000_000_000,
} as const

/**
 * A small history on device 1 in which every figure of the report has a value of its own: weights from before the recording, a block freed without an alloc, one whose
 * free was requested and completed without an alloc, one pending at the end, a temporary at the peak, a private pool, a segment that comes and goes, an OOM and a
 * `snapshot` entry with the true allocated bytes. Everything is a fresh object, so that a test may change it.
 */
export function exampleSnapshot(): FixtureSnapshot {
  const step = frame('train_step', '/home/u/train.py', 12)
  const forward = frame('Block.forward', '/home/u/model/block.py', 74)
  const linear = frame('forward', '/usr/lib/python3.11/site-packages/torch/nn/modules/linear.py', 116)
  const deep = [linear, forward, step]
  const shallow = [forward, step]
  let t = EXAMPLE.timeUs
  const entry = (
    action: string,
    addr: number,
    size: number,
    frames: FixtureFrame[] | null = shallow,
    more: Record<string, PickleValue> = {},
  ): FixtureEvent => ({
    action,
    addr,
    size,
    stream: 0,
    time_us: (t += 10),
    compile_context: 'N/A',
    user_metadata: '',
    ...(frames ? { frames } : {}),
    ...more,
  })
  const block = (address: number, size: number, requested: number, state: string): FixtureBlock => ({
    address,
    size,
    requested_size: requested,
    state,
    frames: state === 'inactive' ? [] : [step],
  })
  const used = 4_000_256 + 2_000_384 + 1_000_448
  return {
    segments: [
      {
        device: 1,
        address: EXAMPLE.base,
        total_size: 20 * MIB,
        allocated_size: 6_000_640,
        active_size: used,
        requested_size: 7_000_000,
        stream: 0,
        segment_type: 'large',
        segment_pool_id: new Tuple([0, 0]),
        is_expandable: false,
        frames: shallow,
        blocks: [
          block(EXAMPLE.weights, 4_000_256, 4_000_000, 'active_allocated'),
          block(EXAMPLE.kept, 2_000_384, 2_000_000, 'active_allocated'),
          block(EXAMPLE.pending, 1_000_448, 1_000_000, 'active_pending_free'),
          block(EXAMPLE.base + used, 20 * MIB - used, 0, 'inactive'),
        ],
      },
      {
        device: 1,
        address: EXAMPLE.pool,
        total_size: 2 * MIB,
        allocated_size: 0,
        active_size: 0,
        requested_size: 0,
        stream: 0,
        segment_type: 'small',
        segment_pool_id: new Tuple([1, 0]),
        is_expandable: false,
        frames: [],
        blocks: [block(EXAMPLE.pool, 2 * MIB, 0, 'inactive')],
      },
    ],
    device_traces: [
      [],
      [
        entry('segment_alloc', EXAMPLE.pool, 2 * MIB),
        entry('alloc', EXAMPLE.kept, 2_000_000, deep),
        entry('free_completed', EXAMPLE.unknown, 300_000, []),
        entry('free_requested', EXAMPLE.requested, 500_000),
        entry('free_completed', EXAMPLE.requested, 500_000),
        entry('alloc', EXAMPLE.temporary, 3_000_000, deep),
        entry('snapshot', 0, 4_000_256 + 2_000_384 + 3_000_320),
        { ...entry('oom', 0, 9_000_000_000), device_free: 12_345 },
        entry('free_requested', EXAMPLE.temporary, 3_000_000),
        entry('segment_alloc', EXAMPLE.extraSegment, 4 * MIB),
        entry('segment_free', EXAMPLE.extraSegment, 4 * MIB, null),
        entry('free_completed', EXAMPLE.temporary, 3_000_000),
      ],
    ],
    allocator_settings: { PYTORCH_CUDA_ALLOC_CONF: '', max_split_size: -1, garbage_collection_threshold: 0.5, expandable_segments: false },
    external_annotations: [{ name: 'step 1', stage: 'START', device: 1, time_us: EXAMPLE.timeUs + 5 }],
  }
}
