/** Writes the simulated run as files in the documented tree. */
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import recipe from '../../../resources/sample-recipe.json'
import { neffFixture } from '../../formats/neff/fixture'
import { ntffFixture } from '../../formats/ntff/fixture'
import { pickleDumps, Tuple, type PickleValue } from '../../formats/pickle/write'
import { cpuUtil, hostMemory, traceInfo } from './host'
import { BASE_OFFSET_NS, simulate, type LoopResult } from './loop'
import { random } from './random'

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
    // The key is not documented; see the README of session/join for how a reader finds it.
    ...(e.traceId === undefined ? {} : { trace_id: e.traceId }),
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

/** What the runtime writes beside: its trace, its samples, its models and the profile of one execution. */
export function runtimeFiles(run: LoopResult, seed: number): readonly (readonly [name: string, data: Uint8Array])[] {
  const { runtime, pid, startNs, endNs } = run
  const r = random(seed)
  const neffs = runtime.models.map((m, i) => {
    const uuid = createHash('sha256').update(`${m.name} ${m.id}`).digest('hex').slice(0, 32)
    const members = [
      { name: 'info.json', data: JSON.stringify({ name: `${m.name}.neff` }) },
      { name: 'kelf-0.json', data: JSON.stringify({ graphs: [{ name: 'sg00' }], target: 'cayman' }) },
      { name: 'sg00/def.json', data: '{}' },
      ...['PE', 'Activation', 'Pool', 'DVE', 'SP'].map((engine, k) => ({
        name: `sg00/${engine}.bin`,
        data: Uint8Array.from({ length: 4096 * (k + 1) }, () => Math.floor(r() * 256)),
      })),
    ]
    return {
      file: `neff_${m.id}_vnc_${i}.neff`,
      uuid,
      data: neffFixture({ uuid, name: `${m.name}.neff`, members }),
      name: `${m.name}.neff`,
    }
  })
  const [first] = neffs
  if (!first) return []
  const ntff = `profile_nc_0_session_${startNs}.ntff`
  const began = 4_102_337_000_000_000n
  const profile = ntffFixture({
    neffName: first.name,
    nodes: [first.uuid],
    instanceId: recipe.instanceId,
    instanceType: 'trn2.3xlarge',
    pid,
    executions: [[began, began + 412_667_125n]],
    records: 64,
  })
  const links = run.mapping.map(l => ({
    nrta_seq_id: Number(l.sequence),
    framework_op_exec_ids: [{ seq_nr: l.operator, th_id: l.thread, stream_id: l.stream }],
  }))
  return [
    ['ntrace.pb', runtime.file()],
    ['cpu_util.pb', cpuUtil(startNs, endNs, r)],
    ['host_mem.pb', hostMemory(startNs, endNs, r)],
    ...neffs.map(n => [n.file, n.data] as const),
    [ntff, profile],
    [`framework_mapping_${stamp(startNs)}.json`, Buffer.from(JSON.stringify({ version: 1, data: links }))],
    // The runtime writes this one last.
    [
      'trace_info.pb',
      traceInfo({ pid, startNs, instanceId: recipe.instanceId, models: runtime.models, profiles: [ntff, ...neffs.map(n => n.file)] }),
    ],
  ]
}

/** `20261102_111527_000` of a Unix time. */
function stamp(ns: bigint): string {
  const iso = new Date(Number(ns / 1_000_000n)).toISOString()
  return `${iso.slice(0, 10).replaceAll('-', '')}_${iso.slice(11, 19).replaceAll(':', '')}_${iso.slice(20, 23)}`
}

/**
 * Writes `ranks` sessions below `dir`: `<instance-id>_pid_<pid>/<session start in ns>/` with `trace.json`, `memory_snapshot_rank<N>.pickle`,
 * and the runtime's files: ntrace.pb, trace_info.pb, cpu_util.pb, host_mem.pb, two NEFFs, an NTFF of the first, framework_mapping_*.json.
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
      ...runtimeFiles(run, o.seed * 31 + rank),
    ] as const) {
      await writeFile(join(dir, folder, name), data)
      files.push({ path: join(folder, name).replaceAll('\\', '/'), bytes: data.length, rank })
    }
  }
  return files
}
