/** Tables of runtime events for tests, from rows as a person would write them. */
import { stringTable, type StringTable } from '../shared/columns'
import {
  ATTR_NUMBER,
  EVENT_SOURCES,
  ROW_STATES,
  type EventSource,
  type RowState,
  type SystemCore,
  type SystemTable,
} from '../shared/system-tables'

export interface TestEvent {
  readonly name: string
  /** ns relative to the table's epoch. */
  readonly at: number
  readonly dur?: number
  readonly state?: RowState
  readonly source?: EventSource
  readonly nc?: number
  readonly core?: number
  readonly device?: number
  readonly thread?: number
  readonly stream?: string
  readonly process?: number
  readonly tracking?: bigint
  readonly sequence?: bigint
  readonly model?: bigint
  readonly modelName?: string
  readonly exec?: bigint
  readonly ncStart?: bigint
  readonly ncStop?: bigint
  readonly attrs?: Readonly<Record<string, string | number>>
}

export const TEST_EPOCH = 1_790_000_000_000_000_000n

/** A table with the rows in the order given. */
export function systemTable(events: readonly TestEvent[], more: Partial<SystemTable> = {}): SystemTable {
  const strings = new Strings()
  const types: { readonly name: string; readonly source: number; messages: number }[] = []
  const places: Required<Pick<TestEvent, 'nc' | 'core' | 'device' | 'thread' | 'process' | 'stream'>>[] = []
  const typeOf = (e: TestEvent): number => {
    const source = EVENT_SOURCES.indexOf(e.source ?? 'neuron_rt')
    let i = types.findIndex(t => t.name === e.name && t.source === source)
    if (i < 0) i = types.push({ name: e.name, source, messages: 0 }) - 1
    ;(types[i] as { messages: number }).messages += e.dur === undefined ? 1 : 2
    return i
  }
  const placeOf = (e: TestEvent): number => {
    const p = {
      nc: e.nc ?? -1,
      core: e.core ?? -1,
      device: e.device ?? -1,
      thread: e.thread ?? NaN,
      process: e.process ?? NaN,
      stream: e.stream ?? '',
    }
    const i = places.findIndex(q => JSON.stringify(q) === JSON.stringify(p))
    return i < 0 ? places.push(p) - 1 : i
  }
  const attrStart = new Uint32Array(events.length + 1)
  const attrKey: number[] = []
  const attrText: number[] = []
  const attrNumber: number[] = []
  events.forEach((e, i) => {
    for (const [k, v] of Object.entries(e.attrs ?? {})) {
      attrKey.push(strings.id(k))
      attrText.push(typeof v === 'number' ? ATTR_NUMBER : strings.id(v))
      attrNumber.push(typeof v === 'number' ? v : NaN)
    }
    attrStart[i + 1] = attrKey.length
  })
  const type = Int32Array.from(events, typeOf)
  const place = Int32Array.from(events, placeOf)
  const ends = events.map(e => e.at + (e.dur ?? 0))
  const modelName = Int32Array.from(events, e => (e.modelName === undefined ? -1 : strings.id(e.modelName)))
  const typeName = Int32Array.from(types, t => strings.id(t.name))
  const stream = Int32Array.from(places, p => (p.stream === '' ? -1 : strings.id(p.stream)))
  return {
    kind: 'system',
    source: 'ntrace',
    verdict: { origin: 'built-in', framing: 'varint', schema: null, checks: [], unverified: [] },
    epochNs: TEST_EPOCH,
    clock: 'unix-nanoseconds',
    count: events.length,
    start: Float64Array.from(events, e => e.at),
    duration: Float64Array.from(events, e => e.dur ?? NaN),
    state: Uint8Array.from(events, e => ROW_STATES.indexOf(e.state ?? (e.dur === undefined ? 'instant' : 'slice'))),
    type,
    place,
    trackingId: BigUint64Array.from(events, e => e.tracking ?? 0n),
    id: new BigUint64Array(events.length),
    parentId: new BigUint64Array(events.length),
    sequence: BigUint64Array.from(events, e => e.sequence ?? 0n),
    hasSequence: Uint8Array.from(events, e => (e.sequence === undefined ? 0 : 1)),
    model: BigUint64Array.from(events, e => e.model ?? 0n),
    modelName,
    exec: BigInt64Array.from(events, e => e.exec ?? -1n),
    ncStart: BigInt64Array.from(events, e => e.ncStart ?? -1n),
    ncStop: BigInt64Array.from(events, e => e.ncStop ?? -1n),
    attrStart,
    attrKey: Int32Array.from(attrKey),
    attrText: Int32Array.from(attrText),
    attrNumber: Float64Array.from(attrNumber),
    types: {
      count: types.length,
      number: new Int32Array(types.length).fill(-1),
      name: typeName,
      source: Uint8Array.from(types, t => t.source),
      nameFrom: new Uint8Array(types.length),
      inferred: new Uint8Array(types.length),
      messages: Float64Array.from(types, t => t.messages),
    },
    places: {
      count: places.length,
      instance: new Int32Array(places.length).fill(-1),
      process: Float64Array.from(places, p => p.process),
      worker: new Int32Array(places.length).fill(-1),
      device: Int32Array.from(places, p => p.device),
      nc: Int32Array.from(places, p => p.nc),
      core: Int32Array.from(places, p => p.core),
      thread: Float64Array.from(places, p => p.thread),
      stream,
    },
    cores: [] as readonly SystemCore[],
    messages: types.reduce((n, t) => n + t.messages, 0),
    dropped: null,
    range: events.length === 0 ? null : [Math.min(...events.map(e => e.at)), Math.max(...ends)],
    cpu: null,
    hostMemory: null,
    hbmUsage: null,
    info: null,
    complete: true,
    bytesRead: 0,
    strings: strings.table(),
    ...more,
  }
}

class Strings {
  readonly #texts: string[] = []

  id(text: string): number {
    const i = this.#texts.indexOf(text)
    return i < 0 ? this.#texts.push(text) - 1 : i
  }

  table(): StringTable {
    return stringTable(this.#texts)
  }
}
