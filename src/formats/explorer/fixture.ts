/**
 * One small profile as Neuron Explorer would export it, and its writing as Parquet (by hyparquet-writer) and JSON. Deterministic. Times, ids and names are made up; the shapes are
 * those of the documentation.
 */
import { parquetWriteBuffer, type ColumnSource } from 'hyparquet-writer'
import zlib from 'node:zlib'

type WriteOptions = Parameters<typeof parquetWriteBuffer>[0]
type SchemaElement = NonNullable<WriteOptions['schema']>[number]

export interface FixtureEvent {
  readonly id: bigint
  readonly name: string
  readonly start: bigint
  /** Equal to `start` for an instant. */
  readonly end: bigint
  readonly source: 'neuron_rt' | 'neuron_hw' | 'framework'
  readonly process: number
  readonly thread: number
  readonly nc: number | null
  readonly core: number | null
  readonly worker: number
  readonly flow: readonly string[]
  readonly stream: string | null
  readonly attributes: Readonly<Record<string, string | number | bigint>>
}

export interface FixtureRun {
  readonly instance: string
  readonly events: readonly FixtureEvent[]
  readonly cpu: readonly { readonly time: bigint; readonly cpu: string; readonly util: number }[]
  readonly memory: readonly { readonly time: bigint; readonly used: number; readonly percent: number }[]
  readonly hbm: readonly {
    readonly time: bigint
    readonly device: number
    readonly hbm: number
    readonly categories: Readonly<Record<string, number>>
  }[]
  readonly capacity: number
  readonly profiles: readonly string[]
  readonly warnings: readonly string[]
}

const T0 = 1_772_000_000_123_456_789n

/** `n` executions on two NeuronCores: per execution an operator and a stream event of the framework, runtime events and one of the device. */
export function fixtureRun(n = 20): FixtureRun {
  let seed = 12345
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
    return seed % below
  }
  const events: FixtureEvent[] = []
  // Above 2^53 and above 2^63.
  let id = 9_223_372_036_854_775_900n
  const place = { process: 1765325, worker: 35, stream: null, nc: null, core: null }
  for (let i = 0; i < n; i++) {
    const at = T0 + BigInt(i) * 1_000_003n
    const nc = i % 2
    const sequence = 281_474_976_710_656n + BigInt(i)
    const flow = [String(sequence)]
    const exec = { exec_id: 1000 + i, model_id: 605_291_374_318_702n }
    const event = (e: Omit<FixtureEvent, 'id' | 'process' | 'worker' | 'stream' | 'nc' | 'core'> & Partial<FixtureEvent>): void => {
      events.push({ ...place, id: id++, ...e })
    }
    event({ name: 'aten::mse_loss', start: at, end: at + 400n, source: 'framework', thread: 0, flow, attributes: {} })
    event({
      name: 'mse_loss',
      start: at + 100n,
      end: at + 900n,
      source: 'framework',
      thread: 0,
      flow,
      stream: '3',
      attributes: { nrt_sequence_id: sequence, neff_cache_key: `mse_loss--_[${i},1024]:BFloat16 "é\n` },
    })
    event({
      name: 'kbl_exec_wait',
      start: at + 950n,
      end: at + 90_950n + BigInt(random(1000)),
      source: 'neuron_rt',
      thread: 7,
      nc,
      flow,
      attributes: exec,
    })
    event({
      name: 'nc_exec_running',
      start: at + 1200n,
      end: at + 60_000n + BigInt(random(500)),
      source: 'neuron_hw',
      thread: 7,
      nc,
      core: 4 + nc,
      flow,
      attributes: {
        ...exec,
        model_name: 'model.neff',
        nc_start_timestamp_ns: 77_000_000_000_000n + BigInt(i),
        nc_stop_timestamp_ns: 77_000_000_058_800n + BigInt(i),
      },
    })
    event({
      name: 'timestamp_sync_point',
      start: at + 95_000n,
      end: at + 95_000n,
      source: 'neuron_hw',
      thread: 7,
      nc,
      core: 4 + nc,
      flow: [],
      attributes: { exec_id: 1000 + i },
    })
  }
  const mib = 1024 * 1024
  return {
    instance: 'i-0b1ea78ca2865fd32',
    events,
    cpu: Array.from({ length: 9 }, (_, i) => ({
      time: T0 + BigInt(Math.floor(i / 3)) * 1_000_000_000n,
      cpu: ['0', '47', 'average'][i % 3],
      util: random(800) / 8,
    })),
    memory: Array.from({ length: 3 }, (_, i) => ({
      time: T0 + BigInt(i) * 1_000_000_000n,
      used: 51_805_806_592 + i * 4096,
      percent: 9.75 + i / 8,
    })),
    hbm: Array.from({ length: 8 }, (_, i) => {
      const categories = { tensors: (i + 1) * mib, weights: 64 * mib, scratchpad: random(9) * mib, unknown: 0 }
      return { time: T0 + BigInt(i) * 5000n, device: 0, hbm: i % 2, categories }
    }),
    capacity: 24 * 1024 * mib,
    profiles: ['run_i-0b1ea78ca2865fd32_pid_1765325_nc_0_session_0'],
    warnings: ['Warning: 1001 trace events were dropped during capture (stored 530560 out of 531561 total events).'],
  }
}

export const total = (categories: Readonly<Record<string, number>>): number => Object.values(categories).reduce((a, b) => a + b, 0)

// ── Parquet ──

const list = (name: string): readonly SchemaElement[] => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST', logical_type: { type: 'LIST' } },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
]

export interface ParquetOptions {
  readonly codec?: WriteOptions['codec']
  readonly rowGroupSize?: number
  readonly pageSize?: number
  /** Encoding by column. */
  readonly encoding?: Readonly<Record<string, ColumnSource['encoding']>>
  /** Columns that are left out. */
  readonly without?: readonly string[]
}

type Cells = Readonly<Record<string, readonly ['INT64' | 'DOUBLE' | 'STRING' | 'LIST', readonly unknown[]]>>

/** Writes columns as one Parquet file. */
export function parquetFile(cells: Cells, options: ParquetOptions = {}): Uint8Array {
  const names = Object.keys(cells).filter(c => !options.without?.includes(c))
  const schema: SchemaElement[] = [{ name: 'root', num_children: names.length }]
  for (const name of names) {
    const [type] = cells[name]
    if (type === 'LIST') schema.push(...list(name))
    else if (type === 'STRING') schema.push({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' })
    else schema.push({ name, type, repetition_type: cells[name][1].includes(null) ? 'OPTIONAL' : 'REQUIRED' })
  }
  const columnData: ColumnSource[] = names.map(name => ({
    name,
    data: [...cells[name][1]],
    ...(options.encoding?.[name] ? { encoding: options.encoding[name] } : {}),
  }))
  const data = parquetWriteBuffer({
    columnData,
    schema,
    codec: options.codec ?? 'SNAPPY',
    compressors: {
      GZIP: b => new Uint8Array(zlib.gzipSync(b)),
      BROTLI: b => new Uint8Array(zlib.brotliCompressSync(b)),
      // Absent from Node 20.
      ...('zstdCompressSync' in zlib ? { ZSTD: (b: Uint8Array) => new Uint8Array(zlib.zstdCompressSync(b)) } : {}),
    },
    rowGroupSize: options.rowGroupSize ?? 30,
    pageSize: options.pageSize ?? 1024 * 1024,
    createdBy: 'neuron-workbench fixture',
  })
  return new Uint8Array(data)
}

const int64 = (v: number | null): bigint | null => (v === null ? null : BigInt(v))

export const eventCells = (run: FixtureRun, events = run.events): Cells => ({
  // Ids are unsigned in the runtime; the table's integers are signed.
  id: ['INT64', events.map(e => BigInt.asIntN(64, e.id))],
  name: ['STRING', events.map(e => e.name)],
  start_ts: ['INT64', events.map(e => e.start)],
  end_ts: ['INT64', events.map(e => e.end)],
  duration_ns: ['INT64', events.map(e => e.end - e.start)],
  trace_event_source: ['STRING', events.map(e => e.source)],
  instance_id: ['STRING', events.map(() => run.instance)],
  process_id: ['INT64', events.map(e => BigInt(e.process))],
  thread_id: ['INT64', events.map(e => BigInt(e.thread))],
  nc_idx: ['INT64', events.map(e => int64(e.nc))],
  pcore_idx: ['INT64', events.map(e => int64(e.core))],
  worker_gid: ['INT64', events.map(e => BigInt(e.worker))],
  flow_id: ['LIST', events.map(e => [...e.flow])],
  framework_stream_id: ['STRING', events.map(e => e.stream)],
  extra_attributes_json: ['STRING', events.map(e => attributesJson(e.attributes))],
})

/** JSON text of attributes; bigints stand as numbers. */
export const attributesJson = (a: FixtureEvent['attributes']): string =>
  `{${Object.entries(a)
    .map(([k, v]) => `${JSON.stringify(k)}: ${typeof v === 'bigint' ? String(v) : JSON.stringify(v)}`)
    .join(', ')}}`

/** The tables of a run by file name; events in `parts` files. */
export function parquetFolder(
  run: FixtureRun,
  options: ParquetOptions & { readonly parts?: number } = {},
): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>()
  const { parts = 1 } = options
  const per = Math.ceil(run.events.length / parts)
  for (let i = 0; i < parts; i++)
    files.set(
      parts === 1 ? 'SystemProfileEvents.parquet' : `SystemProfileEvents_${i}.parquet`,
      parquetFile(eventCells(run, run.events.slice(i * per, (i + 1) * per)), options),
    )
  const plain = { ...options, encoding: {}, without: [] }
  files.set(
    'CpuUsage.parquet',
    parquetFile(
      {
        timestamp: ['INT64', run.cpu.map(c => c.time)],
        util_percent: ['DOUBLE', run.cpu.map(c => c.util)],
        cpu_id: ['STRING', run.cpu.map(c => c.cpu)],
      },
      plain,
    ),
  )
  files.set(
    'HostMemUsage.parquet',
    parquetFile(
      {
        timestamp: ['INT64', run.memory.map(m => m.time)],
        used_bytes: ['INT64', run.memory.map(m => BigInt(m.used))],
        used_percent: ['DOUBLE', run.memory.map(m => m.percent)],
      },
      plain,
    ),
  )
  const categories = Object.keys(run.hbm[0].categories)
  files.set(
    'SystemProfileHbmUsage.parquet',
    parquetFile(
      {
        timestamp: ['INT64', run.hbm.map(h => h.time)],
        total_bytes: ['INT64', run.hbm.map(h => BigInt(total(h.categories)))],
        device_idx: ['INT64', run.hbm.map(h => BigInt(h.device))],
        hbm_idx: ['INT64', run.hbm.map(h => BigInt(h.hbm))],
        ...Object.fromEntries(categories.map(c => [`${c}_bytes`, ['INT64', run.hbm.map(h => BigInt(h.categories[c]))]] as const)),
      },
      plain,
    ),
  )
  const one = (v: unknown): readonly unknown[] => [v]
  files.set(
    'SystemProfileMetadata.parquet',
    parquetFile({ ntff_version: ['INT64', one(6n)], hbm_capacity_bytes: ['INT64', one(BigInt(run.capacity))] }, plain),
  )
  files.set(
    'DeviceProfileList.parquet',
    parquetFile({ device_profile_name: ['STRING', run.profiles], nc_id: ['INT64', run.profiles.map(() => 0n)] }, plain),
  )
  files.set(
    'Warning.parquet',
    parquetFile({ message: ['STRING', run.warnings], category: ['STRING', run.warnings.map(() => 'capture')] }, plain),
  )
  // Tables that nothing here reads lie beside.
  files.set('NeffHeader.parquet', parquetFile({ uuid: ['STRING', one('0123')] }, plain))
  return files
}

// ── system_profile.json ──

/**
 * The run as system_profile.json: numbers as text where real files have text. `key`: both spellings occur. The source of an event stands nowhere in the documented file but in
 * the group of the framework's.
 */
export function profileJson(run: FixtureRun, key: 'trace_event' | 'trace_events' = 'trace_event', space = ''): string {
  const raw = (record: Readonly<Record<string, unknown>>): string =>
    `{${Object.entries(record)
      .filter(([, v]) => v !== null)
      .map(([k, v]) => `${JSON.stringify(k)}:${space}${typeof v === 'bigint' ? String(v) : JSON.stringify(v)}`)
      .join(`,${space}`)}}`
  const array = (rows: readonly Readonly<Record<string, unknown>>[]): string => `[${space}${rows.map(raw).join(`,${space}`)}]`
  const { instance } = run
  const members: Readonly<Record<string, string>> = {
    [key]: array(
      run.events.map(e => ({
        duration: e.end - e.start,
        group: e.source === 'framework' ? `framework-${e.thread}` : `nrt-nc-00${e.nc ?? 0}`,
        id: e.id,
        instance_id: instance,
        lnc_idx: e.nc === null ? null : String(e.nc),
        name: e.name,
        device_core_idx: e.core,
        process_id: String(e.process),
        thread_id: e.thread,
        timestamp: e.start,
        timestamp_unit: 'ns',
        worker_gid: e.worker,
        framework_stream_id: e.stream,
        flow_id: e.flow,
        ...e.attributes,
        type: e.source === 'framework' ? 99999 : 11,
      })),
    ),
    mem_usage: array(
      run.memory.map(m => ({ duration: 1, instance_id: instance, percent_usage: m.percent, timestamp: m.time, usage: m.used })),
    ),
    cpu_util: array(run.cpu.map(c => ({ cpu_id: c.cpu, duration: 1, instance_id: instance, timestamp: c.time, util: c.util }))),
    device_mem_usage: array(
      run.hbm.map(h => ({
        timestamp: h.time,
        device_idx: h.device,
        hbm_idx: String(h.hbm),
        total_bytes: total(h.categories),
        ...Object.fromEntries(Object.entries(h.categories).map(([k, v]) => [`${k}_bytes`, v])),
      })),
    ),
    system_profile_metadata: array([{ first_ts_ns: String(run.events[0].start), ntff_version: 6, hbm_capacity_bytes: run.capacity }]),
    device_profile_list: array(run.profiles.map(p => ({ device_profile_name: p, instance_id: instance, process_id: 1765325, nc_id: 0 }))),
    warnings: JSON.stringify(run.warnings),
  }
  return `{${space}${Object.entries(members)
    .map(([k, v]) => `"${k}":${space}${v}`)
    .join(`,${space}`)}${space}}`
}
