/** System tables for tests, from a list of events as a person would write them. */
import { stringTable } from '../shared/columns'
import { ATTR_NUMBER, ROW_STATES, type HbmUsageTable, type RowState, type SystemCore, type SystemTable } from '../shared/system-tables'

export interface TestEvent {
  readonly name: string
  readonly start: number
  /** A slice unless absent. */
  readonly duration?: number
  readonly state?: RowState
  readonly device?: number
  readonly nc?: number
  readonly thread?: number
  readonly process?: number
  readonly attributes?: Readonly<Record<string, string | number | bigint>>
  readonly trackingId?: bigint
  readonly id?: bigint
  readonly parentId?: bigint
  readonly sequence?: bigint
  readonly model?: bigint
  readonly modelName?: string
}

export interface TestTable {
  readonly epochNs?: bigint
  readonly cores?: readonly SystemCore[]
  readonly hbmUsage?: HbmUsageTable
  readonly range?: readonly [number, number]
}

/** Rows are sorted by start (given order where equal), as readers do. Whole numbers of attributes stand as numbers, all else as text. */
export function systemTable(events: readonly TestEvent[], more: TestTable = {}): SystemTable {
  const rows = events.map((e, i) => ({ e, i })).sort((a, b) => a.e.start - b.e.start || a.i - b.i)
  const n = rows.length
  const strings: string[] = []
  const ids = new Map<string, number>()
  const intern = (s: string): number => {
    let id = ids.get(s)
    if (id === undefined) ids.set(s, (id = strings.push(s) - 1))
    return id
  }
  const types = new Map<string, number>()
  const places = new Map<string, { row: number; e: TestEvent }>()
  const attrKey: number[] = []
  const attrText: number[] = []
  const attrNumber: number[] = []
  const attrStart = new Uint32Array(n + 1)
  const t = {
    start: new Float64Array(n),
    duration: new Float64Array(n).fill(NaN),
    state: new Uint8Array(n),
    type: new Int32Array(n),
    place: new Int32Array(n),
    trackingId: new BigUint64Array(n),
    id: new BigUint64Array(n),
    parentId: new BigUint64Array(n),
    sequence: new BigUint64Array(n),
    hasSequence: new Uint8Array(n),
    model: new BigUint64Array(n),
    modelName: new Int32Array(n).fill(-1),
    exec: new BigInt64Array(n).fill(-1n),
    ncStart: new BigInt64Array(n).fill(-1n),
    ncStop: new BigInt64Array(n).fill(-1n),
  }
  rows.forEach(({ e }, r) => {
    const state = e.state ?? (e.duration === undefined ? 'instant' : 'slice')
    t.start[r] = e.start
    t.state[r] = ROW_STATES.indexOf(state)
    if (state === 'slice') t.duration[r] = e.duration ?? 0
    if (!types.has(e.name)) types.set(e.name, types.size)
    t.type[r] = types.get(e.name) as number
    const where = JSON.stringify([e.device ?? 0, e.nc ?? 0, e.thread ?? 1, e.process ?? null])
    if (!places.has(where)) places.set(where, { row: places.size, e })
    t.place[r] = places.get(where)?.row as number
    t.trackingId[r] = e.trackingId ?? 0n
    t.id[r] = e.id ?? 0n
    t.parentId[r] = e.parentId ?? 0n
    t.sequence[r] = e.sequence ?? 0n
    t.hasSequence[r] = e.sequence === undefined ? 0 : 1
    t.model[r] = e.model ?? 0n
    if (e.modelName !== undefined) t.modelName[r] = intern(e.modelName)
    for (const [key, value] of Object.entries(e.attributes ?? {})) {
      attrKey.push(intern(key))
      const whole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
      attrText.push(whole ? ATTR_NUMBER : strings.push(String(value)) - 1)
      attrNumber.push(whole ? value : NaN)
    }
    attrStart[r + 1] = attrKey.length
  })
  const typeNames = [...types.keys()]
  const ends = rows.map(({ e }) => e.start + (e.duration ?? 0))
  return {
    kind: 'system',
    source: 'ntrace',
    verdict: { origin: 'built-in', framing: 'varint', schema: null, checks: [], unverified: [] },
    epochNs: more.epochNs ?? 1_760_000_000_000_000_000n,
    clock: 'unix-nanoseconds',
    count: n,
    ...t,
    attrStart,
    attrKey: Int32Array.from(attrKey),
    attrText: Int32Array.from(attrText),
    attrNumber: Float64Array.from(attrNumber),
    types: {
      count: typeNames.length,
      number: new Int32Array(typeNames.length).fill(-1),
      name: Int32Array.from(typeNames, intern),
      source: new Uint8Array(typeNames.length),
      nameFrom: new Uint8Array(typeNames.length),
      inferred: new Uint8Array(typeNames.length),
      messages: new Float64Array(typeNames.length),
    },
    places: {
      count: places.size,
      instance: new Int32Array(places.size).fill(-1),
      process: Float64Array.from([...places.values()], p => p.e.process ?? NaN),
      worker: new Int32Array(places.size).fill(-1),
      device: Int32Array.from([...places.values()], p => p.e.device ?? 0),
      nc: Int32Array.from([...places.values()], p => p.e.nc ?? 0),
      core: new Int32Array(places.size).fill(-1),
      thread: Float64Array.from([...places.values()], p => p.e.thread ?? 1),
      stream: new Int32Array(places.size).fill(-1),
    },
    strings: stringTable(strings),
    cores: more.cores ?? [],
    messages: 2 * n,
    dropped: null,
    range: more.range ?? (n > 0 ? [rows[0].e.start, ends.reduce((m, v) => Math.max(m, v), -Infinity)] : null),
    cpu: null,
    hostMemory: null,
    hbmUsage: more.hbmUsage ?? null,
    info: null,
    complete: true,
    bytesRead: 0,
  }
}

export interface TestAlloc {
  readonly time: number
  readonly bytes: number
  readonly address: bigint
  readonly usage?: string | number
  readonly hbm?: number
  readonly mla?: number
}

/** A device memory the way the runtime keeps its books: each call is an event with the totals after it. */
export class TestHbm {
  readonly events: TestEvent[] = []
  readonly totals = new Map<string, number>()
  readonly #categories = new Map<string, number>()

  constructor(start: Readonly<Record<string, number>> = {}, hbm = 0) {
    let all = 0
    for (const [usage, bytes] of Object.entries(start)) {
      this.#categories.set(`${hbm}|${usage}`, bytes)
      all += bytes
    }
    this.totals.set(String(hbm), all)
  }

  alloc(a: TestAlloc, more: Partial<TestEvent> = {}): void {
    this.#event('nrt_dma_mem_alloc', a, a.bytes, { allocated_bytes: a.bytes, return_code: 0 }, more)
  }

  free(a: TestAlloc, more: Partial<TestEvent> = {}): void {
    this.#event('nrt_dma_mem_dealloc', a, -a.bytes, { freed_bytes: a.bytes }, more)
  }

  fail(a: TestAlloc, code: string | number, more: Partial<TestEvent> = {}): void {
    this.#event('nrt_dma_mem_alloc', a, 0, { allocated_bytes: a.bytes, return_code: code }, more)
  }

  /** The event's stop is at `time`. */
  #event(name: string, a: TestAlloc, delta: number, own: TestEvent['attributes'], more: Partial<TestEvent>): void {
    const hbm = a.hbm ?? 0
    const usage = String(a.usage ?? 'tensors')
    const category = (this.#categories.get(`${hbm}|${usage}`) ?? 0) + delta
    const total = (this.totals.get(String(hbm)) ?? 0) + delta
    this.#categories.set(`${hbm}|${usage}`, category)
    this.totals.set(String(hbm), total)
    const duration = more.duration ?? 5
    this.events.push({
      name,
      ...more,
      start: a.time - duration,
      duration,
      attributes: {
        hbm_idx: hbm,
        is_nc_hbm: 1,
        mla_idx: a.mla ?? 0,
        usage_type: a.usage ?? 'tensors',
        total_bytes: total,
        usage_type_total_bytes: category,
        physical_address: '0x' + a.address.toString(16),
        ...own,
        ...more.attributes,
      },
    })
  }
}
