/**
 * Files of the runtime for tests and benchmarks, written by protobufjs from schemas that are spelled here once more, so that reader and writer have no code in common.
 * Small and deterministic.
 */
import protobuf from 'protobufjs'

/** Field numbers by name. */
export type Numbers = Readonly<Record<string, number>>

const FIELDS = {
  type: 'int32',
  timestamp: 'uint64',
  data: 'uint64',
  nd_idx: 'uint32',
  nc_idx: 'uint32',
  hint: 'string',
  event_type: 'uint32',
  duration: 'uint64',
  thread_id: 'uint32',
  id: 'uint64',
  parent_id: 'uint64',
  attributes: 'map<string, string>',
  status: 'uint32',
  phase: 'uint32',
  tracking_id: 'uint64',
  nrta_seq_id: 'uint64',
} as const
type FieldName = keyof typeof FIELDS

const numbers = (names: readonly FieldName[]): Numbers => Object.fromEntries(names.map((n, i) => [n, i + 1]))

/** The reconstruction's numbering, the alternative, and one that no schema of the program has. */
export const BUILT_IN: Numbers = numbers(Object.keys(FIELDS) as FieldName[])
export const ALTERNATIVE: Numbers = numbers([
  ...(['timestamp', 'data', 'nd_idx', 'nc_idx', 'event_type', 'hint', 'duration', 'thread_id', 'id', 'parent_id', 'status'] as const),
  ...(['attributes', 'phase', 'tracking_id', 'type', 'nrta_seq_id'] as const),
])
export const SHUFFLED: Numbers = {
  ...{ type: 9, timestamp: 5, data: 20, nd_idx: 11, nc_idx: 3, hint: 1, event_type: 14, duration: 2, thread_id: 16, id: 7 },
  ...{ parent_id: 8, attributes: 4, status: 6, phase: 10, tracking_id: 12, nrta_seq_id: 130 },
}

export function protoOf(n: Numbers): string {
  const fields = (Object.keys(FIELDS) as FieldName[]).map(
    name => `  ${name === 'nrta_seq_id' ? 'optional ' : ''}${FIELDS[name]} ${name} = ${n[name]};`,
  )
  return `syntax = "proto3";\npackage ntff;\nmessage ntrace_event {\n${fields.join('\n')}\n}\n`
}

export interface FixtureEvent {
  readonly type: number
  readonly timestamp: bigint
  readonly phase: 1 | 2 | 3
  readonly tracking_id: bigint
  readonly nc_idx?: number
  readonly nd_idx?: number
  readonly thread_id?: number
  readonly id?: bigint
  readonly parent_id?: bigint
  readonly hint?: string
  readonly data?: bigint
  readonly event_type?: number
  readonly status?: number
  readonly duration?: bigint
  readonly nrta_seq_id?: bigint
  readonly attributes?: Readonly<Record<string, string>>
}

const types = new Map<string, protobuf.Type>()

/** One message per event. */
export function encodeEvents(events: readonly FixtureEvent[], n: Numbers = BUILT_IN): readonly Uint8Array[] {
  const text = protoOf(n)
  let type = types.get(text)
  if (!type) types.set(text, (type = protobuf.parse(text, { keepCase: true }).root.lookupType('ntff.ntrace_event')))
  const t = type
  const long = (v: bigint): object => ({ low: Number(v & 0xffffffffn) | 0, high: Number((v >> 32n) & 0xffffffffn) | 0, unsigned: true })
  return events.map(e => t.encode(Object.fromEntries(Object.entries(e).map(([k, v]) => [k, typeof v === 'bigint' ? long(v) : v]))).finish())
}

export type FixtureFraming = 'varint' | 'u32' | 'u64' | 'wrapper' | 'message'

/** The messages framed into one file; `field` is the number of a wrapper's repeated field. */
export function frame(messages: readonly Uint8Array[], framing: FixtureFraming, field = 1): Uint8Array {
  const w = protobuf.Writer.create()
  if (framing === 'varint') for (const m of messages) w.bytes(m)
  else if (framing === 'wrapper') for (const m of messages) w.uint32((field << 3) | 2).bytes(m)
  else {
    const parts: Uint8Array[] = []
    for (const m of messages) {
      const head = new DataView(new ArrayBuffer(framing === 'u32' ? 4 : 8))
      head.setUint32(0, m.length, true)
      if (framing !== 'message') parts.push(new Uint8Array(head.buffer))
      parts.push(m)
    }
    return new Uint8Array(Buffer.concat(parts))
  }
  return w.finish()
}

export const FIXTURE_EPOCH = 1_790_000_000_000_000_000n

export interface WorkloadOptions {
  readonly steps?: number
  readonly cores?: number
  readonly devices?: number
  /** Added to every event number, as another release would have it. */
  readonly shift?: number
  /** Tracking ids with the core in their upper bits; otherwise a plain count. */
  readonly trackCores?: boolean
}

/**
 * A run of `steps` steps on `cores` NeuronCores: calls on two host threads, executions on the device with sync points, runtime memory. In order of time; every start has its
 * stop.
 */
export function workload({
  steps = 20,
  cores = 2,
  devices = 1,
  shift = 0,
  trackCores = true,
}: WorkloadOptions = {}): readonly FixtureEvent[] {
  const out: FixtureEvent[] = []
  let seq = 0n
  let id = 0n
  let now = FIXTURE_EPOCH
  const total = new Map<number, number>()
  const slice = (
    type: number,
    at: bigint,
    length: bigint,
    nc: number,
    start: Readonly<Record<string, string>>,
    stop: Readonly<Record<string, string>> = {},
    parent = 0n,
    more: Partial<FixtureEvent> = {},
  ): bigint => {
    const own = ++id
    const tracking_id = ++seq | (trackCores ? BigInt(nc) << 50n : 0n)
    const base = {
      type: type + shift,
      tracking_id,
      nc_idx: nc,
      nd_idx: devices > 1 ? Math.floor(nc / Math.ceil(cores / devices)) : 0,
      thread_id: 4100 + (nc % 2),
      id: own,
      parent_id: parent,
      ...more,
    }
    out.push({ ...base, timestamp: at, phase: 1, attributes: start }, { ...base, timestamp: at + length, phase: 2, attributes: stop })
    return own
  }
  const model = '998636308723560'
  for (let nc = 0; nc < cores; nc++) slice(1, now + BigInt(nc) * 1000n, 500_000n, nc, {}, { model_id: model })
  now += 1_000_000n
  for (let step = 0; step < steps; step++) {
    for (let nc = 0; nc < cores; nc++) {
      const t = now + BigInt(nc) * 700n
      const exec = String(281474976710656 + step)
      const tensor = String(4900392441224765051n + BigInt(step))
      const call = slice(3, t, 90_000n, nc, { model_id: model }, {}, 0n, { nrta_seq_id: 281474976710656n + BigInt(step) })
      slice(10, t + 100n, 4_000n, nc, { tensor_id: tensor, size: '4096' }, {}, call)
      const bytes = 1_048_576 * (1 + (step % 3))
      const grown = (total.get(nc) ?? 0) + bytes
      total.set(nc, grown)
      const address = `0x${(0x1000000000 + step * 0x400000 + nc * 0x10000000).toString(16)}`
      const place = { hbm_idx: String(nc % 4), is_nc_hbm: '1', mla_idx: '0', usage_type: 'Tensors' }
      slice(
        34,
        t + 5_000n,
        2_000n,
        nc,
        { ...place, is_aligned: '1' },
        {
          allocated_bytes: String(bytes),
          total_bytes: String(grown),
          usage_type_total_bytes: String(grown),
          return_code: '0',
          physical_address: address,
        },
        call,
      )
      slice(17, t + 8_000n, 1_000n, nc, { exec_id: exec, model_id: model }, {}, call)
      const device = 7_000_000_000n + (t - FIXTURE_EPOCH)
      out.push({
        ...{
          type: 25 + shift,
          timestamp: t + 9_500n,
          phase: 3 as const,
          tracking_id: ++seq | (trackCores ? BigInt(nc) << 50n : 0n),
          nc_idx: nc,
          thread_id: 4100 + (nc % 2),
          id: ++id,
        },
        ...{ nd_idx: devices > 1 ? Math.floor(nc / Math.ceil(cores / devices)) : 0 },
        attributes: { exec_id: exec, nc_timestamp_ns: String(device + 9_500n), cpu_timestamp_ns: String(t + 9_500n) },
      })
      const running = { device_core_idx: String(4 + nc), exec_id: exec, model_id: model }
      slice(
        7,
        t + 10_000n,
        60_000n,
        nc,
        { ...running, nc_timestamp_ns: String(device + 10_000n) },
        { ...running, nc_timestamp_ns: String(device + 70_000n) },
        call,
      )
      slice(19, t + 9_000n, 62_000n, nc, { exec_id: exec, model_id: model }, {}, call)
      total.set(nc, grown - bytes)
      slice(
        35,
        t + 80_000n,
        1_000n,
        nc,
        { ...place, physical_address: address },
        { freed_bytes: String(bytes), total_bytes: String(grown - bytes), usage_type_total_bytes: String(grown - bytes) },
        call,
      )
    }
    now += 100_000n
  }
  return out
    .map((e, i) => ({ e, i }))
    .sort((a, b) => (a.e.timestamp < b.e.timestamp ? -1 : a.e.timestamp > b.e.timestamp ? 1 : a.i - b.i))
    .map(x => x.e)
}
