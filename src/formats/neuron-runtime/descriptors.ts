/**
 * Schemas out of files that are not text: descriptor sets, and binaries with FileDescriptorProtos in them (protoc's C++ output embeds them). A binary is searched as bytes,
 * in blocks; it is never loaded, and nothing of it is run.
 */
import { walkFields } from '../protobuf/wire'
import { textOf } from './sample'
import { SCHEMA_LIMITS, SchemaError, type FieldSpec, type MessageSpec } from './description'

/** Bytes at any offset. */
export interface RandomAccess {
  readonly size: number
  /** Up to `length` bytes from `at`; fewer at the end. */
  read(at: number, length: number): Promise<Uint8Array>
}

export interface FileDescriptor {
  readonly name: string
  readonly package: string
  readonly messages: readonly MessageSpec[]
  readonly enums: readonly string[]
}

export interface DescriptorSearch {
  readonly files: readonly FileDescriptor[]
  /** Version of the schema's package where the binary names one. */
  readonly version: string | null
}

const PACKAGE = 'ntff'
const BLOCK = 4 * 1024 * 1024
/** A descriptor is at most this long; the runtime's have some kilobytes. */
const MAX_DESCRIPTOR = 1024 * 1024
/** Name of a .proto file in front of its package. */
const MAX_NAME = 250
const MAX_FOUND = 64
/** Places that look like the begin of a descriptor; a real binary has a handful. */
const MAX_TRIES = 1000
const VERSION_MARK = 'KaenaProfilerFormat-'

// Types of FieldDescriptorProto, by number.
const TYPES = [
  ...[
    '',
    'double',
    'float',
    'int64',
    'uint64',
    'int32',
    'fixed64',
    'fixed32',
    'bool',
    'string',
    'group',
    'message',
    'bytes',
    'uint32',
    'enum',
  ],
  ...['sfixed32', 'sfixed64', 'sint32', 'sint64'],
]
const REPEATED = 3

/** Wire type of each field of FileDescriptorProto. */
const FILE_FIELDS: Readonly<Record<number, number>> = {
  1: 2,
  2: 2,
  3: 2,
  4: 2,
  5: 2,
  6: 2,
  7: 2,
  8: 2,
  9: 2,
  10: 0,
  11: 0,
  12: 2,
  13: 2,
  14: 0,
  15: 2,
}

interface Raw {
  readonly fields: FieldSpec[]
  readonly nested: Map<string, Raw>
  mapEntry: boolean
}

/**
 * One FileDescriptorProto that begins at `start`. Its length is not known in a binary: fields follow each other by number, and it ends where that does not go on. null where
 * it is none.
 */
export function parseFileDescriptor(
  b: Uint8Array,
  start: number,
  end: number,
): { readonly file: FileDescriptor; readonly end: number } | null {
  let name: string | null = null
  let pkg = ''
  let last = 0
  let closed = false
  let at = start
  const roots = new Map<string, Raw>()
  const enums: string[] = []
  const budget = { messages: 0, fields: 0 }
  walkFields(b, start, end, f => {
    // Singular fields come once; after the syntax there is nothing but the edition.
    const again = f.number === last && (f.number < 3 || f.number === 8 || f.number === 9 || f.number >= 12)
    if (FILE_FIELDS[f.number] !== f.wire || again || (f.number < last && !(last >= 10 && last <= 11)) || (closed && f.number !== 14))
      return false
    last = f.number
    if (f.number === 1) name = textOf(b, f.start, f.end)
    else if (f.number === 2) pkg = textOf(b, f.start, f.end) ?? ''
    else if (f.number === 4) message(b, f.start, f.end, roots, pkg, enums, budget, 0)
    else if (f.number === 5) enums.push(joinName(pkg, enumName(b, f.start, f.end)))
    else if (f.number === 12) {
      if (!/^proto[23]$|^editions$/.test(textOf(b, f.start, f.end) ?? '')) return false
      closed = true
    }
    at = f.end
    return true
  })
  if (name === null || roots.size === 0) return null
  const messages: MessageSpec[] = []
  flatten(roots, pkg, messages, 0)
  return { file: { name, package: pkg, messages, enums }, end: at }
}

const joinName = (a: string, b: string): string => (a === '' ? b : `${a}.${b}`)

function enumName(b: Uint8Array, start: number, end: number): string {
  let name = ''
  walkFields(b, start, end, f => {
    if (f.number === 1 && f.wire === 2) name = textOf(b, f.start, f.end) ?? ''
  })
  return name
}

function message(
  b: Uint8Array,
  start: number,
  end: number,
  into: Map<string, Raw>,
  prefix: string,
  enums: string[],
  budget: { messages: number; fields: number },
  depth: number,
): void {
  if (depth > SCHEMA_LIMITS.depth || ++budget.messages > SCHEMA_LIMITS.messages)
    throw new SchemaError('a descriptor has too many messages, or nests them too deeply')
  const own: Raw = { fields: [], nested: new Map(), mapEntry: false }
  let name = ''
  const inner: { readonly start: number; readonly end: number }[] = []
  walkFields(b, start, end, f => {
    if (f.wire !== 2) return
    if (f.number === 1) name = textOf(b, f.start, f.end) ?? ''
    else if (f.number === 2) {
      if (++budget.fields > SCHEMA_LIMITS.fields) throw new SchemaError('a descriptor has too many fields')
      const field = fieldOf(b, f.start, f.end)
      if (field) own.fields.push(field)
    } else if (f.number === 3) inner.push(f)
    else if (f.number === 4) enums.push(joinName(joinName(prefix, name), enumName(b, f.start, f.end)))
    else if (f.number === 7)
      walkFields(b, f.start, f.end, o => {
        if (o.number === 7 && o.wire === 0 && o.value === 1) own.mapEntry = true
      })
  })
  if (name === '' || name.length > SCHEMA_LIMITS.name) return
  for (const i of inner) message(b, i.start, i.end, own.nested, joinName(prefix, name), enums, budget, depth + 1)
  into.set(name, own)
}

function fieldOf(b: Uint8Array, start: number, end: number): FieldSpec | null {
  let name = ''
  let number = 0
  let label = 0
  let type = 0
  let typeName = ''
  walkFields(b, start, end, f => {
    if (f.number === 1 && f.wire === 2) name = textOf(b, f.start, f.end) ?? ''
    else if (f.number === 3 && f.wire === 0) number = f.value
    else if (f.number === 4 && f.wire === 0) label = f.value
    else if (f.number === 5 && f.wire === 0) type = f.value
    else if (f.number === 6 && f.wire === 2) typeName = textOf(b, f.start, f.end) ?? ''
  })
  const kind = TYPES[type]
  if (name === '' || name.length > SCHEMA_LIMITS.name || number < 1 || number >= 2 ** 29 || !kind) return null
  const named = kind === 'message' || kind === 'enum' || kind === 'group'
  return { number, name, type: named ? typeName.replace(/^\./, '') : kind, repeated: label === REPEATED, mapKey: null }
}

/** Messages with full names; map entries become maps of the field that uses them. */
function flatten(raws: ReadonlyMap<string, Raw>, prefix: string, out: MessageSpec[], depth: number): void {
  if (depth > SCHEMA_LIMITS.depth) return
  for (const [name, raw] of raws) {
    const full = joinName(prefix, name)
    const fields = raw.fields.map((f): FieldSpec => {
      const entry = f.type.startsWith(`${full}.`) ? raw.nested.get(f.type.slice(full.length + 1)) : undefined
      if (!entry?.mapEntry) return f
      const [key, value] = [entry.fields.find(x => x.number === 1), entry.fields.find(x => x.number === 2)]
      return key && value ? { ...f, mapKey: key.type, type: value.type } : f
    })
    out.push({ name: full, fields })
    flatten(new Map([...raw.nested].filter(([, r]) => !r.mapEntry)), full, out, depth + 1)
  }
}

/** A FileDescriptorSet: nothing but files in field 1. null where the bytes are none. */
export function parseDescriptorSet(b: Uint8Array): readonly FileDescriptor[] | null {
  const files: FileDescriptor[] = []
  const walk = walkFields(b, 0, b.length, f => {
    if (f.number !== 1 || f.wire !== 2 || files.length >= 1000) return false
    const found = parseFileDescriptor(b, f.start, f.end)
    if (found) files.push(found.file)
    // A file without messages is none of ours, but belongs to a set.
    return found !== null || walkFields(b, f.start, f.end, x => FILE_FIELDS[x.number] === x.wire).end === 'whole'
  })
  return walk.end === 'whole' && files.length > 0 ? files : null
}

/**
 * Searches bytes for FileDescriptorProtos of package `ntff` and for the version of the format. Reads in blocks; holds two at most. Stops after 64 files: more are no
 * runtime library.
 */
export async function searchDescriptors(
  source: RandomAccess,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<DescriptorSearch> {
  const files = new Map<string, FileDescriptor>()
  let version: string | null = null
  const seen = new Set<number>()
  const overlap = MAX_NAME + 64
  for (let at = 0; at < source.size && files.size < MAX_FOUND; at += BLOCK) {
    const from = Math.max(0, at - overlap)
    const block = await source.read(from, at - from + BLOCK)
    if (block.length === 0) break
    const buffer = Buffer.from(block.buffer, block.byteOffset, block.length)
    version ??= versionIn(buffer)
    for (let hit = buffer.indexOf(PACKAGE, 0, 'latin1'); hit >= 0; hit = buffer.indexOf(PACKAGE, hit + 1, 'latin1')) {
      const start = descriptorBefore(buffer, hit)
      if (start < 0 || seen.has(from + start)) continue
      seen.add(from + start)
      if (seen.size > MAX_TRIES) return { files: [...files.values()], version }
      const bytes = await source.read(from + start, MAX_DESCRIPTOR)
      const found = tryParse(bytes)
      if (found && (found.file.package === PACKAGE || found.file.package.startsWith(`${PACKAGE}.`)) && !files.has(found.file.name))
        files.set(found.file.name, found.file)
    }
    onProgress(Math.min(source.size, at + BLOCK), source.size)
  }
  return { files: [...files.values()], version }
}

/** A place in a binary that only looks like a descriptor, or one beyond the limits, is passed over. */
function tryParse(b: Uint8Array): ReturnType<typeof parseFileDescriptor> {
  try {
    return parseFileDescriptor(b, 0, b.length)
  } catch (e) {
    if (e instanceof SchemaError) return null
    throw e
  }
}

/** Begin of the descriptor whose package name stands at `hit`: `0a <length> <name> 12 <length> ntff`. -1 where none does. */
function descriptorBefore(b: Buffer, hit: number): number {
  const length = b[hit - 1]
  if (hit < 4 || b[hit - 2] !== 0x12 || length === undefined || length < PACKAGE.length || length > 100) return -1
  const nameEnd = hit - 2
  for (let n = 1; n <= Math.min(MAX_NAME, nameEnd - 2); n++) {
    // Lengths below 128 take one byte, longer names two.
    const head = n < 128 ? 2 : 3
    const start = nameEnd - n - head
    if (start < 0) return -1
    if (b[start] !== 0x0a) continue
    const told = n < 128 ? b[start + 1] : ((b[start + 1] as number) & 0x7f) + (b[start + 2] as number) * 128
    if (told === n && b.subarray(nameEnd - 6, nameEnd).toString('latin1') === '.proto') return start
  }
  return -1
}

function versionIn(b: Buffer): string | null {
  const at = b.indexOf(VERSION_MARK, 0, 'latin1')
  if (at < 0) return null
  const text = b.subarray(at + VERSION_MARK.length, at + VERSION_MARK.length + 40).toString('latin1')
  return /^\d+(\.\d+)+/.exec(text)?.[0] ?? null
}
