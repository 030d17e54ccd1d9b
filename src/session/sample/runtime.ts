/**
 * What the Neuron runtime would record of the simulated run: executions on the host and on the cores, device memory, samples of the host. The messages follow the built-in
 * reconstruction of their schema (resources/proto); no real file of the runtime has been seen.
 */
import { entryNamed } from '../../formats/neuron-runtime/catalogue'
import { pbMessage, type PbField } from '../../formats/ntff/fixture'
import { MIB } from '../../shared/units'

/** Ids of the caller and of the runtime have the core above bit 50 and a counter below; those of this run begin here. */
const FIRST_ID = 2n ** 48n
/** The device's clock: begins when the machine did, and is fast by this much. */
const BOOT_NS = 4_102_337_000_000n
const DRIFT = 8e-6
const PHASE = { start: 1, stop: 2, instant: 3 } as const
/** Physical cores of logical core 0 at LNC 2. */
export const CORES = [4, 5] as const

export interface ModelIds {
  readonly id: bigint
  readonly name: string
}

/** Usage types and what loading the two models takes of each, bytes. */
const LOADED: readonly (readonly [usage: string, bytes: number])[] = [
  ['tensor_instructions', 61 * MIB],
  ['scalar_instructions', 24 * MIB],
  ['vector_instructions', 38 * MIB],
  ['gpsimd_instructions', 12 * MIB],
  ['sync_instructions', 4 * MIB],
  ['dma_rings_io', 46 * MIB],
  ['dma_rings_spill', 92 * MIB],
  ['weights', 176 * MIB],
]
/** What the runtime takes for itself when the session begins. */
const OWN: readonly (readonly [usage: string, bytes: number])[] = [
  ['profiler_buffers', 1024 * MIB],
  ['ucode_lib', 96 * MIB],
  ['scalar_table', 2 * MIB],
  ['gpsimd_stdio', 8 * MIB],
  ['dma_rings_runtime', 18 * MIB],
  ['dma_rings_collectives', 64 * MIB],
  ['collectives', 320 * MIB],
  ['shared_scratchpad', 768 * MIB],
  ['generic', 31 * MIB],
]

interface Message {
  /** ns since time 0 of the run. */
  readonly at: number
  readonly bytes: Uint8Array
}

interface Event {
  readonly phase: keyof typeof PHASE
  readonly at: number
  readonly tracking: bigint
  readonly thread?: number
  readonly sequence?: bigint
  readonly attributes?: Readonly<Record<string, string | number | bigint>>
}

export class RuntimeRecorder {
  readonly #startNs: bigint
  readonly #thread: number
  readonly #messages: Message[] = []
  #ids = 0n
  #executions = 0
  #physical = 0x40_0000_0000n
  #total = 0
  readonly #byUsage = new Map<string, number>()
  readonly models: readonly ModelIds[]

  /** `thread` is the host thread of the runtime's own work. */
  constructor(startNs: bigint, thread: number, models: readonly ModelIds[]) {
    this.#startNs = startNs
    this.#thread = thread
    this.models = models
  }

  /** A new id of the runtime (tracking id, trace id, sequence id). */
  id(): bigint {
    return FIRST_ID + ++this.#ids
  }

  #nc(at: number): bigint {
    return BOOT_NS + BigInt(Math.round(at * (1 + DRIFT)))
  }

  #event(name: string, e: Event): void {
    const number = entryNamed(name)?.number
    if (number === undefined) throw new Error(`no event type ${name}`)
    const fields: PbField[] = [
      [1, number],
      [2, this.#startNs + BigInt(e.at)],
      ...(e.thread === undefined ? [] : ([[9, e.thread]] as const)),
      ...Object.entries(e.attributes ?? {}).map(([k, v]): PbField => [
        12,
        [
          [1, k],
          [2, String(v)],
        ],
      ]),
      [14, PHASE[e.phase]],
      [15, e.tracking],
      ...(e.sequence === undefined ? [] : ([[16, e.sequence]] as const)),
    ]
    this.#messages.push({ at: e.at, bytes: pbMessage(fields) })
  }

  /** Start and stop. */
  #slice(
    name: string,
    from: number,
    to: number,
    e: Omit<Event, 'phase' | 'at' | 'tracking'> & { readonly onStop?: Event['attributes'] },
  ): void {
    const tracking = this.id()
    const { onStop, ...rest } = e
    this.#event(name, { ...rest, phase: 'start', at: from, tracking })
    this.#event(name, { ...rest, ...(onStop ? { attributes: onStop } : {}), phase: 'stop', at: to, tracking })
  }

  /** Bytes that the process held before the session began: totals begin with them, no event tells of them. */
  before(usage: string, bytes: number): void {
    this.#count(usage, bytes)
  }

  /** Device memory. Answers the physical address. `id`: the caller's own id, which the runtime keeps as tracking id. */
  allocate(usage: string, bytes: number, from: number, to: number, id = this.id()): bigint {
    const address = this.#physical
    this.#physical += BigInt(Math.ceil(bytes / (2 * MIB)) * 2 * MIB)
    const total = this.#count(usage, bytes)
    const attributes = { hbm_idx: 0, is_nc_hbm: 1, is_aligned: 1, mla_idx: 0, usage_type: usage }
    this.#event('nrt_dma_mem_alloc', { phase: 'start', at: from, tracking: id, thread: this.#thread, attributes })
    const told = {
      allocated_bytes: bytes,
      total_bytes: this.#total,
      usage_type_total_bytes: total,
      return_code: 0,
      physical_address: hex(address),
    }
    this.#event('nrt_dma_mem_alloc', { phase: 'stop', at: to, tracking: id, thread: this.#thread, attributes: told })
    return address
  }

  free(usage: string, bytes: number, address: bigint, from: number, to: number): void {
    const total = this.#count(usage, -bytes)
    this.#slice('nrt_dma_mem_dealloc', from, to, {
      thread: this.#thread,
      attributes: { hbm_idx: 0, is_nc_hbm: 1, mla_idx: 0, usage_type: usage, physical_address: hex(address) },
      onStop: { freed_bytes: bytes, total_bytes: this.#total, usage_type_total_bytes: total },
    })
  }

  /** A copy between host and device, by a thread of the runtime's own. */
  copy(direction: 'in' | 'out', bytes: number, from: number, to: number): void {
    this.#slice(`dmem_buf_copy${direction}`, Math.round(from), Math.round(to), {
      thread: this.#thread,
      attributes: { mem_type: 'device', mem_handle: hex(0x7000n + (this.#ids & 0xfn)), offset: 0, size: bytes },
    })
  }

  #count(usage: string, bytes: number): number {
    this.#total += bytes
    const now = (this.#byUsage.get(usage) ?? 0) + bytes
    this.#byUsage.set(usage, now)
    return now
  }

  /** The runtime starts up and loads its models, between two times. */
  load(from: number, to: number): void {
    const parts = [...OWN.map(p => [p, null] as const), ...this.models.flatMap(m => LOADED.map(p => [p, m] as const))]
    const each = (to - from) / (parts.length + 4)
    let at = from
    const one = ([usage, bytes]: readonly [string, number]): void => {
      this.allocate(usage, bytes, Math.round(at + each * 0.2), Math.round(at + each * 0.8))
      at += each
    }
    for (const [p, m] of parts) if (m === null) one(p)
    for (const m of this.models) {
      const began = Math.round(at)
      at += each / 2
      for (const [p, owner] of parts) if (owner === m) one(p)
      at += each / 2
      this.#slice('nrt_load', began, Math.round(at), { thread: this.#thread, onStop: { model_id: m.id } })
    }
  }

  /** One execution: the host's call, its parts, and what the physical cores did. Answers the sequence id. */
  execute(model: ModelIds, call: readonly [number, number], device: readonly [number, number], thread: number, collective = false): bigint {
    const sequence = this.id()
    const exec = ++this.#executions
    const attributes = { exec_id: exec, model_id: model.id }
    const [from, to] = call
    const part = (share: number): number => Math.round(from + (to - from) * share)
    this.#slice('nrt_execute', from, to, { thread, sequence, attributes: { model_id: model.id } })
    this.#slice('kbl_exec_pre', part(0.15), part(0.5), { thread, sequence, attributes })
    this.#slice('nrt_model_submit', part(0.55), part(0.8), { thread, sequence, attributes: { model_id: model.id } })
    const [begin, end] = device
    if (collective) this.#collective(exec, sequence, device)
    else
      CORES.forEach((core, i) => {
        const late = i * 400
        const sync = this.id()
        this.#event('timestamp_sync_point', {
          phase: 'instant',
          at: begin + late,
          tracking: sync,
          attributes: {
            device_core_idx: core,
            exec_id: exec,
            nc_timestamp_ns: this.#nc(begin + late),
            cpu_timestamp_ns: this.#startNs + BigInt(begin + late),
          },
        })
        const tracking = this.id()
        const hw = (at: number): Event['attributes'] => ({ device_core_idx: core, ...attributes, nc_timestamp_ns: this.#nc(at) })
        this.#event('nc_exec_running', { phase: 'start', at: begin + late + 200, tracking, sequence, attributes: hw(begin + late + 200) })
        this.#event('nc_exec_running', { phase: 'stop', at: end - 300 + late, tracking, sequence, attributes: hw(end - 300 + late) })
      })
    // The host looks for the end once the device is done.
    this.#slice('kbl_exec_wait', Math.max(to, end - 20_000), end + 6_000, { thread: this.#thread, sequence, attributes })
    return sequence
  }

  /** A collective runs on cores of its own, beside the graphs. */
  #collective(exec: number, sequence: bigint, [begin, end]: readonly [number, number]): void {
    const clock = { nc_timestamp_ns: this.#nc(begin), cpu_timestamp_ns: this.#startNs + BigInt(begin) }
    this.#event('timestamp_sync_point', { phase: 'instant', at: begin, tracking: this.id(), attributes: { exec_id: exec, ...clock } })
    const tracking = this.id()
    const hw = (at: number): Event['attributes'] => ({
      gid: 0,
      op_id: exec,
      exec_id: exec,
      algorithm: 'ring',
      nc_timestamp_ns: this.#nc(at),
    })
    this.#event('cc_running', { phase: 'start', at: begin + 200, tracking, sequence, attributes: hw(begin + 200) })
    this.#event('cc_running', { phase: 'stop', at: end - 300, tracking, sequence, attributes: hw(end - 300) })
  }

  /** ntrace.pb: messages by time, each behind its length. */
  file(): Buffer {
    const parts: Uint8Array[] = []
    for (const m of [...this.#messages].sort((a, b) => a.at - b.at)) parts.push(varint(m.bytes.length), m.bytes)
    return Buffer.concat(parts)
  }
}

const hex = (v: bigint): string => `0x${v.toString(16)}`

export function varint(n: number): Uint8Array {
  const out: number[] = []
  let v = n
  for (; v >= 128; v = Math.floor(v / 128)) out.push((v % 128) | 128)
  out.push(v)
  return Uint8Array.from(out)
}
