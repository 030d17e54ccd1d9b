/** Writes the simulated run as files in the documented tree. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import recipe from '../../../resources/sample-recipe.json'
import { pickleDumps, Tuple, type PickleValue } from '../../formats/pickle/write'
import { BASE_OFFSET_NS, simulate, type LoopResult } from './loop'

export interface SampleOptions {
  /** Number of ranks, each in a folder of its own. */
  readonly ranks: number
  readonly steps: number
  readonly seed: number
}

export interface SampleFile {
  readonly path: string
  readonly bytes: number
  readonly rank: number
}

export const SAMPLE_DEFAULTS: SampleOptions = { ranks: 2, steps: 4, seed: 1 }
export const SAMPLE_LIMITS = { ranks: 64, steps: 500 } as const

/** The snapshot as Python's `_snapshot()` would return it. */
export function snapshotValue(run: LoopResult): PickleValue {
  const trace = run.allocator.entries.map(e => ({
    action: e.action,
    addr: e.addr,
    size: e.size,
    stream: e.stream,
    time_us: e.timeUs,
    compile_context: 'N/A',
    user_metadata: '',
    frames: e.frames,
  }))
  const pool = new Tuple([0, 0])
  return {
    segments: run.allocator.segmentTable().map(s => ({ ...s, segment_pool_id: pool })),
    device_traces: [trace],
    allocator_settings: { max_split_size: -1, garbage_collection_threshold: 0.5, expandable_segments: false },
    external_annotations: run.annotations.map(a => ({ name: a.name, stage: a.stage, device: 0, time_us: a.timeUs })),
  } as unknown as PickleValue
}

/** The trace as text, with the head that Kineto writes. */
export function traceText(run: LoopResult, rank: number, ranks: number): string {
  const head = {
    schemaVersion: 1,
    distributedInfo: { backend: 'neuron', rank, world_size: ranks, pg_count: 1 },
    deviceProperties: [{ id: 0, name: 'NC_v3', totalGlobalMem: 24 * 1024 ** 3 }],
    record_shapes: 0,
    with_stack: 1,
    profile_memory: 1,
  }
  return run.trace.text(head, run.startNs - BigInt(BASE_OFFSET_NS), 'trace.json')
}

/**
 * Writes `ranks` sessions below `dir`: `<instance-id>_pid_<pid>/<session start in ns>/trace.json` and `memory_snapshot_rank<N>.pickle`.
 * Deterministic for a seed. Existing files of the same names are overwritten, others are left alone.
 */
export async function writeSample(dir: string, o: SampleOptions): Promise<readonly SampleFile[]> {
  const files: SampleFile[] = []
  for (let rank = 0; rank < o.ranks; rank++) {
    const run = simulate({ ...o, rank })
    const folder = join(`${recipe.instanceId}_pid_${run.pid}`, String(run.startNs))
    await mkdir(join(dir, folder), { recursive: true })
    const trace = Buffer.from(traceText(run, rank, o.ranks), 'utf8')
    const snapshot = pickleDumps(snapshotValue(run), 4)
    for (const [name, data] of [
      ['trace.json', trace],
      [`memory_snapshot_rank${rank}.pickle`, snapshot],
    ] as const) {
      await writeFile(join(dir, folder, name), data)
      files.push({ path: join(folder, name).replaceAll('\\', '/'), bytes: data.length, rank })
    }
  }
  return files
}
