/**
 * Schema descriptions: which field of which message means what. They come from `.proto` text, from descriptors found in a binary, or are made up from data; the
 * decoder only knows this form.
 */
import protobuf from 'protobufjs'
import type { FieldSpec, MessageSpec, SchemaDescription } from '../../shared/system-tables'

export type { FieldSpec, MessageSpec, SchemaDescription }

/** Limits of what is taken in: real schemas are far below. */
export const SCHEMA_LIMITS = { textBytes: 1024 * 1024, messages: 2000, fields: 20_000, depth: 32, name: 200 } as const

export class SchemaError extends Error {
  override readonly name = 'SchemaError'
}

/** Reads `.proto` text (proto2, proto3, editions). Imports are not followed. Throws SchemaError with the parser's reason. */
export function parseProto(text: string): Pick<SchemaDescription, 'messages' | 'enums'> {
  if (text.length > SCHEMA_LIMITS.textBytes) throw new SchemaError('the text is longer than 1 MiB')
  let root: protobuf.Root
  try {
    root = protobuf.parse(text, new protobuf.Root(), { keepCase: true }).root
  } catch (e) {
    throw new SchemaError(e instanceof RangeError ? 'it is nested too deeply' : e instanceof Error ? e.message : String(e))
  }
  const messages: MessageSpec[] = []
  const enums: string[] = []
  let fields = 0
  const walk = (o: protobuf.NamespaceBase, depth: number): void => {
    if (depth > SCHEMA_LIMITS.depth) throw new SchemaError(`messages are nested more than ${SCHEMA_LIMITS.depth} deep`)
    for (const n of o.nestedArray) {
      if (n instanceof protobuf.Enum) enums.push(plainName(n.fullName))
      if (n instanceof protobuf.Type) {
        fields += n.fieldsArray.length
        if (messages.length >= SCHEMA_LIMITS.messages || fields > SCHEMA_LIMITS.fields)
          throw new SchemaError('it has too many messages or fields')
        messages.push({ name: plainName(n.fullName), fields: n.fieldsArray.map(f => fieldOf(f)) })
      }
      if (n instanceof protobuf.Namespace) walk(n, depth + 1)
    }
  }
  walk(root, 0)
  return { messages, enums }
}

const plainName = (name: string): string => (name.startsWith('.') ? name.slice(1) : name)

const fieldOf = (f: protobuf.Field): FieldSpec => ({
  number: f.id,
  name: f.name,
  type: plainName(f.type),
  repeated: f.repeated,
  mapKey: f instanceof protobuf.MapField ? f.keyType : null,
})

/** How a field's value stands on the wire; null for types that no role has (groups, unknown messages). */
export type Coding = 'varint' | 'zigzag' | 'fixed64' | 'fixed32' | 'double' | 'float' | 'bytes' | 'map'

const SCALARS: Readonly<Record<string, Coding>> = {
  int32: 'varint',
  int64: 'varint',
  uint32: 'varint',
  uint64: 'varint',
  bool: 'varint',
  sint32: 'zigzag',
  sint64: 'zigzag',
  fixed64: 'fixed64',
  sfixed64: 'fixed64',
  fixed32: 'fixed32',
  sfixed32: 'fixed32',
  double: 'double',
  float: 'float',
  string: 'bytes',
  bytes: 'bytes',
}

export const WIRE_OF: Readonly<Record<Coding, number>> = {
  varint: 0,
  zigzag: 0,
  fixed64: 1,
  double: 1,
  bytes: 2,
  map: 2,
  fixed32: 5,
  float: 5,
}

/** Coding of a field under its description. A type that is no scalar and no message of the description is taken for an enum: descriptors of other files may be missing. */
export function codingOf(f: FieldSpec, d: Pick<SchemaDescription, 'messages' | 'enums'>): Coding {
  if (f.mapKey !== null) return 'map'
  const scalar = Object.hasOwn(SCALARS, f.type) ? SCALARS[f.type] : undefined
  if (scalar) return scalar
  return named(d.messages, f.type) ? 'bytes' : 'varint'
}

/** The message of this name, by its full name or the last part of it. */
export function named(messages: readonly MessageSpec[], name: string): MessageSpec | null {
  return messages.find(m => m.name === name) ?? messages.find(m => lastPart(m.name) === lastPart(name)) ?? null
}
const lastPart = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

// ── events ──

/** What a field of an event can mean. */
export const ROLES = [
  'type',
  'timestamp',
  'data',
  'nd_idx',
  'nc_idx',
  'hint',
  'event_type',
  'duration',
  'thread_id',
  'id',
  'parent_id',
  'attributes',
  'status',
  'phase',
  'tracking_id',
  'nrta_seq_id',
] as const
export type Role = (typeof ROLES)[number]

/** Field number and coding of each role that a numbering has. */
export type Numbering = ReadonlyMap<Role, { readonly field: number; readonly coding: Coding }>

/** The roles of `ntrace_event` by the names of its fields; null where the description has no such message. */
export function eventNumbering(d: SchemaDescription): Numbering | null {
  const message =
    named(d.messages, 'ntrace_event') ??
    d.messages.find(m => ['timestamp', 'phase', 'attributes'].every(n => m.fields.some(f => f.name === n)))
  if (!message) return null
  const out = new Map<Role, { field: number; coding: Coding }>()
  for (const f of message.fields) {
    const role = ROLES.find(r => r === f.name)
    if (role) out.set(role, { field: f.number, coding: codingOf(f, d) })
  }
  return out
}
