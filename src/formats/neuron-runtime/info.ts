/**
 * Reader of trace_info.pb: one message about the session, whose field numbers are not public. Facts are taken by the names of an imported schema, or by what they look
 * like; each says how it was found. What cannot be told stays null.
 */
import type { ByteSource } from '../../shared/reader'
import type { CollectedProfile, Found, SchemaCheck, SystemReadResult, TraceInfoTable } from '../../shared/system-tables'
import { exact, walkFields, type WireField } from '../protobuf/wire'
import { named, type FieldSpec, type MessageSpec, type SchemaDescription } from './description'
import { FIRST_NS, LAST_NS } from './evidence'
import { Findings, framingText } from './findings'
import { Cutter, type FramingName } from './framing'
import { readHead, type SystemReadOptions } from './ntrace'
import { textOf } from './sample'

export interface InfoReadOptions extends SystemReadOptions {
  /** What the names of the folders say, for facts that are known by being the same. */
  readonly expect?: { readonly pid?: number | null; readonly sessionNs?: bigint | null }
}

/** Real files have some kilobytes. */
const MAX_BYTES = 16 * 1024 * 1024
const MAX_NAMES = 1_000_000
const MAX_PROFILES = 10_000
const DEPTH = 4

const INSTANCE_ID = /^i-[0-9a-f]{8,17}$/
const INSTANCE_TYPE = /^(trn|inf)\d\w*\.\w+$/
const VERSION = /^\d+\.\d+(\.\d+){1,2}([-+.]\w[\w.+-]*)?$/
const PROFILE = /\.(ntff|neff)$/

interface Draft {
  pid: Found<number> | null
  sessionNs: Found<bigint> | null
  instanceId: Found<string> | null
  instanceType: Found<string> | null
  logicalNcSize: Found<number> | null
  dataVersion: Found<number> | null
  namesFrom: Found<string>['how'] | null
  dropped: number | null
  readonly versions: { of: string; text: string; how: Found<string>['how'] }[]
  readonly profiles: Map<string, CollectedProfile>
  readonly names: Map<bigint, string>
  readonly times: Set<bigint>
}

/** Reads trace_info.pb. Never throws on bad data; an empty file has no table. */
export async function readTraceInfo(source: ByteSource, opts: InfoReadOptions = {}): Promise<SystemReadResult<TraceInfoTable>> {
  const findings = new Findings(source.name)
  const nothing = (): SystemReadResult<TraceInfoTable> => ({
    table: null,
    verdict: { origin: null, framing: null, schema: null, checks: [], unverified: [] },
    diagnostics: findings.list,
  })
  const { head, whole } = await readHead(source, MAX_BYTES)
  const problem = findings.problem(source)
  if (head.length === 0) {
    if (!problem) findings.empty('facts about the session')
    return nothing()
  }
  const found = messageOf(head)
  if (!found) {
    findings.noFraming([], 'session facts')
    return nothing()
  }
  const { bytes: b, framing, at } = found
  const complete = whole && !problem && at === b.length
  if (!complete) findings.cut(at, b.length - at, 0)
  const draft: Draft = {
    ...{
      pid: null,
      sessionNs: null,
      instanceId: null,
      instanceType: null,
      logicalNcSize: null,
      dataVersion: null,
      namesFrom: null,
      dropped: null,
    },
    ...{ versions: [], profiles: new Map(), names: new Map(), times: new Set() },
  }
  const checks: SchemaCheck[] = [{ name: 'framing', ok: true, detail: framingText(framing) }]
  const schema = (opts.schemas ?? []).find(s => fitsSchema(b, s, findings))
  const message = schema ? named(schema.messages, 'ntrace_info') : null
  if (schema && message) {
    bySchema(b, schema, message, draft)
    checks.push({ name: 'wire types', ok: true, detail: `as in ${schema.title}` })
  }
  byShape(b, draft, opts.expect ?? {})
  const table: TraceInfoTable = {
    kind: 'trace-info',
    verdict: {
      ...{ origin: schema ? 'imported' : 'inferred', framing, schema: schema?.title ?? null, checks },
      unverified: [],
    },
    ...{ pid: draft.pid, sessionNs: draft.sessionNs, instanceId: draft.instanceId, instanceType: draft.instanceType },
    ...{ logicalNcSize: draft.logicalNcSize, dataVersion: draft.dataVersion, versions: draft.versions },
    profiles: [...draft.profiles.values()],
    ...{ names: draft.names, namesFrom: draft.namesFrom, dropped: draft.dropped },
    fields: fieldsOf(b),
    complete,
    bytesRead: head.length,
  }
  return { table, verdict: table.verdict, diagnostics: findings.list }
}

/** The message: the only one of a framing with lengths (which must fit to the byte, so it is asked first), or bare. `at`: end of its last whole field. */
function messageOf(head: Uint8Array): { readonly bytes: Uint8Array; readonly framing: FramingName; readonly at: number } | null {
  for (const name of ['varint', 'u32', 'u64'] as const) {
    let bytes: Uint8Array | null = null
    const cutter = new Cutter({ name, field: 0 }, (b, from, to) => {
      if (bytes || walkFields(b, from, to, f => f.number <= 4096).end !== 'whole') return false
      bytes = b.slice(from, to)
      return true
    })
    cutter.feed(head)
    const only = bytes as Uint8Array | null
    if (only && cutter.finish().end === 'whole') return { bytes: only, framing: name, at: only.length }
  }
  const bare = walkFields(head, 0, head.length, f => f.number <= 4096)
  if (bare.end === 'whole' && bare.fields > 0) return { bytes: head, framing: 'message', at: head.length }
  return bare.end === 'cut' && bare.fields > 1 ? { bytes: head, framing: 'message', at: bare.at } : null
}

// ── by the names of a schema ──

/** An imported schema is only believed where no field has another wire type than it says. */
function fitsSchema(b: Uint8Array, s: SchemaDescription, findings: Findings): boolean {
  const message = named(s.messages, 'ntrace_info')
  if (!message) return false
  const bad = new Map<number, string>()
  walkFields(b, 0, b.length, f => {
    const spec = message.fields.find(x => x.number === f.number)
    if (spec && !wiresOf(spec, s).includes(f.wire)) bad.set(f.number, spec.name)
  })
  if (bad.size === 0) return true
  findings.importedFailed(
    s.title,
    [...bad].map(([n, name]) => ({ name: 'wire types', ok: false, detail: `field ${n} (${name}) has another wire type` })),
  )
  return false
}

function wiresOf(f: FieldSpec, s: SchemaDescription): readonly number[] {
  if (f.mapKey !== null || f.type === 'string' || f.type === 'bytes' || named(s.messages, f.type)) return [2]
  const wire = /^(fixed64|sfixed64|double)$/.test(f.type) ? 1 : /^(fixed32|sfixed32|float)$/.test(f.type) ? 5 : 0
  // A repeated scalar may be packed.
  return f.repeated ? [wire, 2] : [wire]
}

function bySchema(b: Uint8Array, s: SchemaDescription, message: MessageSpec, d: Draft): void {
  const view = new DataView(b.buffer, b.byteOffset, b.length)
  const number = (f: WireField): bigint =>
    f.wire === 0 ? exact(b, f) : f.wire === 1 ? view.getBigUint64(f.start, true) : f.wire === 5 ? BigInt(view.getUint32(f.start, true)) : 0n
  walkFields(b, 0, b.length, f => {
    const spec = message.fields.find(x => x.number === f.number)
    if (!spec) return
    const how = 'schema' as const
    const { name } = spec
    if (f.wire !== 2) {
      const v = number(f)
      if (name === 'pid' || name === 'process_id') d.pid = { value: Number(v), how }
      else if (name === 'logical_nc_size' || name === 'lnc_size') d.logicalNcSize = { value: Number(v), how }
      else if (name === 'data_version') d.dataVersion = { value: Number(v), how }
      else if (/drop/i.test(name)) d.dropped = (d.dropped ?? 0) + Number(v)
      else if (/start|init|session/i.test(name) && v >= FIRST_NS && v <= LAST_NS) d.sessionNs ??= { value: v, how }
      return
    }
    const text = textOf(b, f.start, f.end)
    if (spec.type === 'string' && text !== null) {
      if (name === 'instance_id') d.instanceId = { value: text, how }
      else if (name === 'instance_type') d.instanceType = { value: text, how }
      else if (/version/i.test(name)) d.versions.push({ of: name, text, how })
      return
    }
    if (/version/i.test(name)) {
      const v = versionOf(b, f.start, f.end)
      if (v !== null) d.versions.push({ of: name, text: v, how })
    } else if (name === 'interned_data' || spec.mapKey !== null) d.namesFrom = namesIn(b, f, d.names, 0) > 0 ? how : d.namesFrom
    else if (name === 'collected_profiles') profilesIn(b, f, d.profiles, how, 0)
    else if (/drop/i.test(name)) {
      const inner = named(s.messages, spec.type)
      walkFields(b, f.start, f.end, x => {
        if (x.wire === 0 && inner?.fields.some(y => y.number === x.number && /count|drop/i.test(y.name)))
          d.dropped = (d.dropped ?? 0) + x.value
      })
    }
  })
}

// ── by shape ──

function byShape(b: Uint8Array, d: Draft, expect: NonNullable<InfoReadOptions['expect']>): void {
  const byName = d.namesFrom === 'schema'
  const hadProfiles = d.profiles.size > 0
  const hadVersions = d.versions.length > 0
  walkFields(b, 0, b.length, f => {
    if (f.wire === 0) {
      const v = exact(b, f)
      if (v >= FIRST_NS && v <= LAST_NS) d.times.add(v)
      if (d.pid === null && expect.pid !== null && expect.pid !== undefined && v === BigInt(expect.pid))
        d.pid = { value: expect.pid, how: 'name' }
      return
    }
    if (f.wire !== 2) return
    const text = textOf(b, f.start, f.end)
    if (text !== null && text !== '') {
      if (INSTANCE_ID.test(text)) d.instanceId ??= { value: text, how: 'shape' }
      else if (INSTANCE_TYPE.test(text)) d.instanceType ??= { value: text, how: 'shape' }
      else if (!hadVersions && VERSION.test(text)) d.versions.push({ of: '', text, how: 'shape' })
    }
    if (!hadProfiles) profilesIn(b, f, d.profiles, 'shape', 0)
    if (!byName && namesIn(b, f, d.names, 0) > 0) d.namesFrom = 'shape'
    const version = hadVersions ? null : versionOf(b, f.start, f.end)
    if (version !== null) d.versions.push({ of: '', text: version, how: 'shape' })
  })
  if (d.sessionNs !== null) return
  const told = expect.sessionNs ?? null
  if (told !== null && d.times.has(told)) d.sessionNs = { value: told, how: 'name' }
  else if (d.times.size === 1) d.sessionNs = { value: [...d.times][0] as bigint, how: 'shape' }
}

/** Map entries {1: number, 2: text} at or below a field; how many were added. */
function namesIn(b: Uint8Array, f: Pick<WireField, 'start' | 'end'>, names: Map<bigint, string>, depth: number): number {
  let id: bigint | null = null
  let name: string | null = null
  const entry = walkFields(b, f.start, f.end, x => {
    if (x.number === 1 && x.wire === 0) id = exact(b, x)
    else if (x.number === 2 && x.wire === 2) name = textOf(b, x.start, x.end)
    else return false
    return true
  })
  if (entry.end === 'whole' && id !== null && name !== null && name !== '' && !PROFILE.test(name)) {
    if (names.size < MAX_NAMES) names.set(id, name)
    return 1
  }
  if (depth >= DEPTH) return 0
  let added = 0
  // A message of entries: all its length-delimited fields are looked at.
  if (walkFields(b, f.start, f.end).end !== 'whole') return 0
  walkFields(b, f.start, f.end, x => {
    if (x.wire === 2) added += namesIn(b, x, names, depth + 1)
  })
  return added
}

/** Texts that end in .ntff or .neff, at or below a field. */
function profilesIn(
  b: Uint8Array,
  f: Pick<WireField, 'start' | 'end'>,
  found: Map<string, CollectedProfile>,
  how: Found<string>['how'],
  depth: number,
): void {
  const text = textOf(b, f.start, f.end)
  if (text !== null && PROFILE.test(text) && !/[\n\r\t]/.test(text)) {
    if (found.size < MAX_PROFILES) found.set(text, { path: text, how })
    return
  }
  if (depth >= DEPTH || walkFields(b, f.start, f.end).end !== 'whole') return
  walkFields(b, f.start, f.end, x => {
    if (x.wire === 2) profilesIn(b, x, found, how, depth + 1)
  })
}

/** A version message as NTFF files have it: {1 major, 2 minor, 3 patch, 5 hash}; null for anything else. */
function versionOf(b: Uint8Array, start: number, end: number): string | null {
  const parts: [number, number, number] = [0, 0, 0]
  let numbers = 0
  let hash = false
  const walk = walkFields(b, start, end, f => {
    if (f.number >= 1 && f.number <= 3 && f.wire === 0 && f.value < 1e6) {
      parts[f.number - 1] = f.value
      numbers++
      return true
    }
    if (f.number === 4 && f.wire === 0) return true
    if (f.number !== 5 || f.wire !== 2) return false
    hash = /^[0-9a-f]{7,40}$/.test(textOf(b, f.start, f.end) ?? '')
    return hash
  })
  return walk.end === 'whole' && numbers >= 2 && hash ? parts.join('.') : null
}

function fieldsOf(b: Uint8Array): TraceInfoTable['fields'] {
  const seen = new Map<string, { number: number; wire: number; times: number; first: string }>()
  walkFields(b, 0, b.length, f => {
    const key = `${f.number}/${f.wire}`
    const old = seen.get(key)
    if (old) old.times++
    else if (seen.size < 256) {
      const text = f.wire === 2 ? textOf(b, f.start, f.end) : null
      const first = f.wire === 0 ? String(exact(b, f)) : text !== null ? text.slice(0, 120) : `${f.end - f.start} bytes`
      seen.set(key, { number: f.number, wire: f.wire, times: 1, first })
    }
  })
  return [...seen.values()].sort((a, b) => a.number - b.number || a.wire - b.wire)
}
