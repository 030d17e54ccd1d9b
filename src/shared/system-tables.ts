/**
 * Tables of the system's own view: what the Neuron runtime recorded (ntrace.pb, trace_info.pb, cpu_util.pb, host_mem.pb), and the same from Neuron Explorer's
 * exports. Every reader of either fills these; analysis and views know no other shape. Columns only, as in `tables.ts`: string ids index the table's `strings`, -1 is
 * absent, times are ns relative to the table's `epochNs` (Unix ns).
 */
import { stringAt, type StringTable } from './columns'
import type { ReadResult } from './reader'

/** Which program's file a table was read from. */
export const SYSTEM_SOURCES = ['ntrace', 'explorer-parquet', 'explorer-json', 'perfetto'] as const
export type SystemSource = (typeof SYSTEM_SOURCES)[number]

/** Where the schema came from that a file was decoded with; null: nothing passed the checks and nothing was decoded. */
export type SchemaOrigin = 'imported' | 'built-in' | 'alternative' | 'inferred' | 'explorer-parquet' | 'explorer-json' | 'perfetto' | null

export interface SchemaCheck {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** How a file was decoded and how far to trust that. */
export interface SchemaVerdict {
  readonly origin: SchemaOrigin
  /** How the messages are framed ('varint', 'u32', 'u64', 'wrapper', 'message'), null where nothing fitted or the format has no framing. */
  readonly framing: string | null
  /** Name and version of the schema for people, for example that of an imported one. */
  readonly schema: string | null
  /** Checks of the schema that was taken; of the one that came nearest where none was. */
  readonly checks: readonly SchemaCheck[]
  /** Roles that the data neither confirms nor contradicts (another field would pass the same checks). Shown as such; nothing is grouped by them. */
  readonly unverified: readonly string[]
}

/** One field of a message of a schema. */
export interface FieldSpec {
  readonly number: number
  readonly name: string
  /** `uint64`, `string`, …; the full name of a message or an enum otherwise. */
  readonly type: string
  readonly repeated: boolean
  /** Type of the key where the field is a map; `type` is the value's. */
  readonly mapKey: string | null
}

export interface MessageSpec {
  /** Full name without a leading dot, e.g. `ntff.ntrace_event`. */
  readonly name: string
  readonly fields: readonly FieldSpec[]
}

/** What the fields of a file's messages mean. */
export interface SchemaDescription {
  readonly origin: 'imported' | 'built-in' | 'alternative' | 'inferred'
  /** For people: what it is and where it came from. */
  readonly title: string
  readonly messages: readonly MessageSpec[]
  /** Full names of enums: their fields are varints. */
  readonly enums: readonly string[]
}

/**
 * slice: start and stop paired. instant: an event of one moment. open: a start without its stop (`start` is the start's time, it has no end). tail: a stop without its
 * start (`start` is the stop's time).
 */
export const ROW_STATES = ['slice', 'instant', 'open', 'tail'] as const
export type RowState = (typeof ROW_STATES)[number]
export const ROW_SLICE = 0
export const ROW_INSTANT = 1
export const ROW_OPEN = 2
export const ROW_TAIL = 3

/** `trace_event_source` as Neuron Explorer spells it. 255: not known. */
export const EVENT_SOURCES = ['neuron_rt', 'neuron_hw', 'framework'] as const
export type EventSource = (typeof EVENT_SOURCES)[number]
export const EVENT_SOURCE_UNKNOWN = 255

/**
 * Where the name of an event type comes from. catalogue: its number. keys: its attributes, against or without its number. stored: the file has the name.
 * number: nobody knows it ("event 57").
 */
export const NAME_FROM = ['catalogue', 'keys', 'stored', 'number'] as const
export type NameFrom = (typeof NAME_FROM)[number]

/** Distinct kinds of events: one row per number (runtime), or per name and source (exports). */
export interface SystemTypes {
  readonly count: number
  /** Number in the file; -1 where the format has none. */
  readonly number: Int32Array
  readonly name: Int32Array
  /** Index into EVENT_SOURCES, or EVENT_SOURCE_UNKNOWN. */
  readonly source: Uint8Array
  /** Index into NAME_FROM. */
  readonly nameFrom: Uint8Array
  /** 1 where the name is not the file's own word and was told from the attributes because the number says otherwise or nothing: to be marked. */
  readonly inferred: Uint8Array
  /** Messages of this type (a slice has two). */
  readonly messages: Float64Array
}

/** Distinct places where events happen; rows of events name one. -1 or NaN: not told. */
export interface SystemPlaces {
  readonly count: number
  /** String id. */
  readonly instance: Int32Array
  readonly process: Float64Array
  readonly worker: Int32Array
  readonly device: Int32Array
  /** Logical NeuronCore of the process (nc_idx). */
  readonly nc: Int32Array
  /** Physical NeuronCore (device_core_idx, pcore_idx). */
  readonly core: Int32Array
  /** Host thread. */
  readonly thread: Float64Array
  /** String id; framework events of exports. */
  readonly stream: Int32Array
}

/** What one NeuronCore's ring buffer still held. A core without a row has no events: not captured or idle, the file does not tell which. */
export interface SystemCore {
  readonly device: number
  readonly nc: number
  readonly messages: number
  /** ns relative to epochNs of the first and last message. */
  readonly firstNs: number
  readonly lastNs: number
  /** Stops without a start: their starts were overwritten, or the recording began in between. */
  readonly stopsWithoutStart: number
  readonly startsWithoutStop: number
  /** The beginning of this core's events is lost: from the start of the session to `firstNs` nothing is known. */
  readonly headLost: boolean
  /** Events known to be lost at least; null where nothing tells. */
  readonly droppedAtLeast: number | null
}

/** A value of `attrText` that stands in `attrNumber` instead: a whole number from 0 to 2^53 in plain decimal digits. */
export const ATTR_NUMBER = -2

/** Events of the runtime and the hardware, one row per slice, instant or unmatched half, by start (file order where equal). */
export interface SystemTable {
  readonly kind: 'system'
  readonly source: SystemSource
  readonly verdict: SchemaVerdict
  readonly epochNs: bigint
  readonly clock: 'unix-nanoseconds' | 'unknown'
  readonly count: number
  /** Start; of a stop without its start the time of the stop. Never NaN. */
  readonly start: Float64Array
  /** NaN unless the row is a slice. */
  readonly duration: Float64Array
  /** Index into ROW_STATES. */
  readonly state: Uint8Array
  /** Row of `types`. */
  readonly type: Int32Array
  /** Row of `places`. */
  readonly place: Int32Array
  /** 0n: none. */
  readonly trackingId: BigUint64Array
  readonly id: BigUint64Array
  readonly parentId: BigUint64Array
  /** NRT sequence id (nrta_seq_id), which the framework trace names too; 0n where `hasSequence` is 0. */
  readonly sequence: BigUint64Array
  readonly hasSequence: Uint8Array
  /** Model of the event (model_id); 0n: none. */
  readonly model: BigUint64Array
  /** String id of the model's name; -1 where the file names none. */
  readonly modelName: Int32Array
  /** exec_id; -1n: none. */
  readonly exec: BigInt64Array
  /** Times of the device's own clock (nc_timestamp_ns) of start and stop as stored, not ns relative to anything; -1n: none. An instant has the first. */
  readonly ncStart: BigInt64Array
  readonly ncStop: BigInt64Array
  /** `attrStart[i] .. attrStart[i + 1]` are the attributes of row i. Start and stop merged: see STOP_SUFFIX. */
  readonly attrStart: Uint32Array
  /** String id; equal keys have equal ids. */
  readonly attrKey: Int32Array
  /** String id of the value (equal texts may have different ids), or ATTR_NUMBER. */
  readonly attrText: Int32Array
  /** The value where attrText is ATTR_NUMBER; NaN otherwise. */
  readonly attrNumber: Float64Array
  readonly strings: StringTable
  readonly types: SystemTypes
  readonly places: SystemPlaces
  readonly cores: readonly SystemCore[]
  /** Messages decoded (a slice has two); rows for exports. */
  readonly messages: number
  /** Events that the file says were dropped while recording; null where it says nothing. */
  readonly dropped: number | null
  /** First and last event time, ns relative to epochNs; null without events. */
  readonly range: readonly [number, number] | null
  /** Other tables of the same file (Neuron Explorer's one-file exports). */
  readonly cpu: CpuTable | null
  readonly hostMemory: HostMemoryTable | null
  readonly hbmUsage: HbmUsageTable | null
  readonly info: TraceInfoTable | null
  /** False when the file ended inside a message or was cut. */
  readonly complete: boolean
  readonly bytesRead: number
}

/** Samples of host CPU utilisation (cpu_util.pb, CpuUsage). */
export interface CpuTable {
  readonly kind: 'cpu'
  readonly verdict: SchemaVerdict
  readonly epochNs: bigint
  readonly count: number
  readonly time: Float64Array
  /** Index of the core; -1: the average of all, or not told. */
  readonly cpu: Int32Array
  /** Percent of one core, 0 to 100. */
  readonly util: Float64Array
  /** Distinct cores, ascending, without -1. */
  readonly cores: Int32Array
  readonly range: readonly [number, number] | null
  readonly complete: boolean
  readonly bytesRead: number
}

/** Samples of host memory (host_mem.pb: resident bytes of the process; HostMemUsage). */
export interface HostMemoryTable {
  readonly kind: 'host-memory'
  readonly verdict: SchemaVerdict
  readonly epochNs: bigint
  readonly count: number
  readonly time: Float64Array
  readonly usage: Float64Array
  /** Percent of the host's memory; null where the file has none. */
  readonly percent: Float64Array | null
  readonly range: readonly [number, number] | null
  readonly complete: boolean
  readonly bytesRead: number
}

/** Device memory over time as an export has it: totals without allocations. */
export interface HbmUsageTable {
  readonly epochNs: bigint
  readonly count: number
  readonly time: Float64Array
  readonly device: Int32Array
  readonly hbm: Int32Array
  readonly total: Float64Array
  /** Categories as the file spells them without `_bytes`; NaN where a row has none. */
  readonly categories: readonly { readonly name: string; readonly bytes: Float64Array }[]
  readonly capacityBytes: number | null
}

/** A fact of trace_info and how it was found. schema: by a field's name. shape: by what the value looks like. name: equal to what the folder's name says. */
export interface Found<T> {
  readonly value: T
  readonly how: 'schema' | 'shape' | 'name'
}

/** A NEFF or NTFF that the session wrote, as trace_info (or Neuron Explorer's DeviceProfileList) names it. */
export interface CollectedProfile {
  readonly path: string
  readonly how: Found<string>['how']
}

/** What trace_info.pb tells of a session. */
export interface TraceInfoTable {
  readonly kind: 'trace-info'
  readonly verdict: SchemaVerdict
  readonly pid: Found<number> | null
  /** Unix ns at which the session was begun. */
  readonly sessionNs: Found<bigint> | null
  readonly instanceId: Found<string> | null
  readonly instanceType: Found<string> | null
  readonly logicalNcSize: Found<number> | null
  readonly dataVersion: Found<number> | null
  /** Versions, for example `2.31.24.0` of the runtime; `of` names the field, '' where only the shape is known. */
  readonly versions: readonly { readonly of: string; readonly text: string; readonly how: Found<string>['how'] }[]
  readonly profiles: readonly CollectedProfile[]
  /** Interned ids (models and others) and their names. */
  readonly names: ReadonlyMap<bigint, string>
  readonly namesFrom: Found<string>['how'] | null
  /** Events that were dropped, where a schema names such a field. */
  readonly dropped: number | null
  /** Every field at the top of the message, for people who look closer: number, wire type, times seen and the first value as text (at most 120 characters). */
  readonly fields: readonly { readonly number: number; readonly wire: number; readonly times: number; readonly first: string }[]
  readonly complete: boolean
  readonly bytesRead: number
}

export type SystemParsed = SystemTable | CpuTable | HostMemoryTable | TraceInfoTable

/** What the readers of these files answer. Where nothing was decoded the table is null and the verdict says what was tried. */
export interface SystemReadResult<T> extends ReadResult<T> {
  readonly verdict: SchemaVerdict
}

// ── reading rows ──

/**
 * Start and stop of a slice are merged: a key that only one has, or both with the same value, stands there once. Where the values differ the start's keeps the key and
 * the stop's has this after it.
 */
export const STOP_SUFFIX = ' (stop)'
/** Before the names of fields that are no attributes but are shown with them: `@hint`, `@status`, `@data`, `@event_type`, `@duration`. */
export const FIELD_PREFIX = '@'

const keyIds = new WeakMap<StringTable, Map<string, number>>()

/** String id of an attribute key; -1 where no row has it. Found once per table and key. */
export function keyId(t: Pick<SystemTable, 'strings'>, key: string): number {
  let ids = keyIds.get(t.strings)
  if (!ids) keyIds.set(t.strings, (ids = new Map()))
  let id = ids.get(key)
  if (id === undefined) ids.set(key, (id = findString(t.strings, key)))
  return id
}

function findString({ bytes, offsets }: StringTable, text: string): number {
  const b = new TextEncoder().encode(text)
  next: for (let i = 0; i < offsets.length - 1; i++) {
    const from = offsets[i] as number
    if ((offsets[i + 1] as number) - from !== b.length) continue
    for (let k = 0; k < b.length; k++) if (bytes[from + k] !== b[k]) continue next
    return i
  }
  return -1
}

type Attributes = Pick<SystemTable, 'attrStart' | 'attrKey' | 'attrText' | 'attrNumber' | 'strings'>

/** Place of an attribute in the attribute columns; -1 where the row has none. `key` is an id of `keyId`. */
export function attributeIndex(t: Attributes, row: number, key: number): number {
  if (key < 0) return -1
  const end = t.attrStart[row + 1] as number
  for (let i = t.attrStart[row] as number; i < end; i++) if (t.attrKey[i] === key) return i
  return -1
}

/** Text of the attribute at a place of the attribute columns. */
export const attributeText = (t: Attributes, at: number): string =>
  t.attrText[at] === ATTR_NUMBER ? String(t.attrNumber[at]) : stringAt(t.strings, t.attrText[at] as number)

/** An attribute of a row as text; null where it has none. Of a slice: the start's where start and stop differ. */
export function attribute(t: Attributes, row: number, key: string): string | null {
  const at = attributeIndex(t, row, keyId(t, key))
  return at < 0 ? null : attributeText(t, at)
}

/** As `attribute`, but the stop's where start and stop differ. */
export const stopAttribute = (t: Attributes, row: number, key: string): string | null =>
  attribute(t, row, key + STOP_SUFFIX) ?? attribute(t, row, key)

/** An attribute as a number: decimal or 0x text; NaN where there is none, or it is no number or too large to be exact. */
export function attributeNumber(t: Attributes, row: number, key: string): number {
  const at = attributeIndex(t, row, keyId(t, key))
  if (at < 0) return NaN
  if (t.attrText[at] === ATTR_NUMBER) return t.attrNumber[at] as number
  const text = attributeText(t, at)
  if (!/^(-?\d+(\.\d+)?([eE][-+]?\d+)?|0[xX][0-9a-fA-F]+)$/.test(text)) return NaN
  const v = Number(text)
  return Math.abs(v) <= Number.MAX_SAFE_INTEGER ? v : NaN
}

/** An attribute as an exact whole number of at most 64 bits: decimal or 0x text; null otherwise. */
export function attributeBigint(t: Attributes, row: number, key: string): bigint | null {
  const at = attributeIndex(t, row, keyId(t, key))
  if (at < 0) return null
  if (t.attrText[at] === ATTR_NUMBER) return BigInt(t.attrNumber[at] as number)
  const text = attributeText(t, at)
  if (!/^(-?\d{1,20}|0[xX][0-9a-fA-F]{1,16})$/.test(text)) return null
  return BigInt(text)
}

/** One attribute of every row as numbers, NaN where a row has none that is a number. For analysis that walks all rows. */
export function attributeColumn(t: Attributes & Pick<SystemTable, 'count'>, key: string): Float64Array {
  const out = new Float64Array(t.count).fill(NaN)
  const id = keyId(t, key)
  if (id >= 0) for (let row = 0; row < t.count; row++) if (attributeIndex(t, row, id) >= 0) out[row] = attributeNumber(t, row, key)
  return out
}

/** All attributes of a row, in order. */
export function attributesOf(t: Attributes, row: number): readonly (readonly [key: string, value: string])[] {
  const out: [string, string][] = []
  const end = t.attrStart[row + 1] as number
  for (let i = t.attrStart[row] as number; i < end; i++) out.push([stringAt(t.strings, t.attrKey[i] as number), attributeText(t, i)])
  return out
}

/** Name of a row's event type. */
export const eventName = (t: Pick<SystemTable, 'strings' | 'types' | 'type'>, row: number): string =>
  stringAt(t.strings, t.types.name[t.type[row] as number] as number)

/** Rows of the types of this name (several numbers may bear one name). */
export function typesNamed(t: Pick<SystemTable, 'strings' | 'types'>, name: string): readonly number[] {
  const out: number[] = []
  for (let i = 0; i < t.types.count; i++) if (stringAt(t.strings, t.types.name[i] as number) === name) out.push(i)
  return out
}
