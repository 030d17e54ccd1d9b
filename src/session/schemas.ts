/**
 * Trace schemas that the user imported: made from a .proto file, a descriptor set or a binary, kept as one JSON file each in a folder of the user's settings. What is kept
 * is the description alone, never the file it came from.
 */
import { createHash, randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import * as v from 'valibot'
import {
  eventNumbering,
  named,
  parseProto,
  SCHEMA_LIMITS,
  SchemaError,
  type FieldSpec,
  type MessageSpec,
  type SchemaDescription,
} from '../formats/neuron-runtime/description'
import { parseDescriptorSet, searchDescriptors, type FileDescriptor } from '../formats/neuron-runtime/descriptors'
import { NotRegularFileError, openRegular } from '../formats/source'
import type { CheckedFile } from '../shared/reader'

export { NotRegularFileError, SchemaError }

export interface StoredSchema {
  /** First digits of the hash of the file it came from; names it in the commands. */
  readonly id: string
  /** Name of that file, without its folder. */
  readonly file: string
  /** sha256 of that file, hex. */
  readonly sha256: string
  readonly bytes: number
  readonly from: 'proto' | 'descriptor-set' | 'binary'
  /** Version of the format that a binary names; null where it names none. */
  readonly version: string | null
  /** Milliseconds since 1970. */
  readonly importedMs: number
  readonly messages: readonly MessageSpec[]
  readonly enums: readonly string[]
}

/** The messages that the readers look for. */
export const WANTED = ['ntrace_event', 'ntrace_info', 'cpu_util', 'host_mem_usage'] as const
const MAX_FILES = 100
const MAX_STORED = 16 * 1024 * 1024
/** Descriptor sets and texts are read whole up to this; a binary is searched in blocks, whatever its size. */
const MAX_SET = 32 * 1024 * 1024
const MAX_BINARY = 8 * 1024 ** 3

const Text = v.pipe(v.string(), v.maxLength(1000))
const Field = v.object({
  number: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(2 ** 29 - 1)),
  name: Text,
  type: Text,
  repeated: v.boolean(),
  mapKey: v.nullable(Text),
})
const Stored = v.object({
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{12}$/)),
  file: Text,
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  bytes: v.number(),
  from: v.picklist(['proto', 'descriptor-set', 'binary']),
  version: v.nullable(Text),
  importedMs: v.number(),
  messages: v.pipe(
    v.array(v.object({ name: Text, fields: v.pipe(v.array(Field), v.maxLength(SCHEMA_LIMITS.fields)) })),
    v.maxLength(SCHEMA_LIMITS.messages),
  ),
  enums: v.pipe(v.array(Text), v.maxLength(SCHEMA_LIMITS.messages)),
})

/** Folder of the schemas below the settings of the user. */
export const schemaDir = (userDir: string): string => join(userDir, 'schemas')

/** Schemas in a folder, the newest first. Files that are none are passed over; no folder is an empty list. */
export async function listSchemas(dir: string): Promise<readonly StoredSchema[]> {
  let names: string[]
  try {
    names = (await readdir(dir)).filter(n => /^[0-9a-f]{12}\.json$/.test(n)).sort()
  } catch {
    return []
  }
  const out: StoredSchema[] = []
  for (const name of names.slice(0, MAX_FILES)) {
    const s = await load(join(dir, name))
    if (s) out.push(s)
  }
  return out.sort((a, b) => b.importedMs - a.importedMs || (a.id < b.id ? -1 : 1))
}

async function load(path: string): Promise<StoredSchema | null> {
  try {
    const { handle, stat } = await openRegular(path)
    try {
      if (stat.size > MAX_STORED) return null
      const parsed = v.safeParse(Stored, JSON.parse(await handle.readFile('utf8')))
      return parsed.success ? parsed.output : null
    } finally {
      await handle.close()
    }
  } catch {
    return null
  }
}

/** As the readers want them. */
export const descriptionOf = (s: StoredSchema): SchemaDescription => ({
  origin: 'imported',
  title: `${s.file}${s.version === null ? '' : `, format ${s.version}`} (${s.id})`,
  messages: s.messages,
  enums: s.enums,
})

/** Descriptions of all schemas in a folder, in the order in which they are tried. */
export const loadDescriptions = async (dir: string): Promise<readonly SchemaDescription[]> => (await listSchemas(dir)).map(descriptionOf)

const DECODED: ReadonlySet<string> = new Set(['ntrace', 'trace-info', 'cpu-util', 'host-memory'])

/** The imported schemas for a file of this kind, as reading it wants them; nothing is looked up for other kinds. */
export const schemasFor = async (kind: string, userDir: string): Promise<{ readonly schemas?: readonly SchemaDescription[] }> =>
  DECODED.has(kind) ? { schemas: await loadDescriptions(schemaDir(userDir)) } : {}

/**
 * Makes a schema from a file and keeps it. Importing the same file again replaces what it gave before. Throws SchemaError where the file holds no schema of the runtime,
 * and the system's error where it cannot be read or the folder not be written. `at`: the file that was checked; what is opened must be it.
 */
export async function importSchema(
  dir: string,
  path: string,
  onProgress: (done: number, total: number) => void = () => undefined,
  at?: CheckedFile,
): Promise<StoredSchema> {
  const schema = await readSchema(path, onProgress, at)
  await mkdir(dir, { recursive: true })
  const to = join(dir, `${schema.id}.json`)
  const making = `${to}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(making, `${JSON.stringify(schema, null, 1)}\n`, { mode: 0o600 })
    await rename(making, to)
  } catch (e) {
    await rm(making, { force: true })
    throw e
  }
  return schema
}

/** What `importSchema` would keep of a file. */
export async function readSchema(
  path: string,
  onProgress: (done: number, total: number) => void = () => undefined,
  at?: CheckedFile,
): Promise<StoredSchema> {
  const { handle, stat } = await openRegular(path, at)
  try {
    const { size } = stat
    if (size > MAX_BINARY) throw new SchemaError('the file is larger than 8 GiB')
    const read = async (at: number, length: number): Promise<Uint8Array> => {
      const b = new Uint8Array(Math.max(0, Math.min(length, size - at)))
      let got = 0
      while (got < b.length) {
        const { bytesRead } = await handle.read(b, got, b.length - got, at + got)
        if (bytesRead === 0) break
        got += bytesRead
      }
      return b.subarray(0, got)
    }
    const hash = createHash('sha256')
    for (let at = 0; at < size; at += 4 * 1024 * 1024) hash.update(await read(at, 4 * 1024 * 1024))
    const sha256 = hash.digest('hex')
    const found = await contentOf(size, read, onProgress)
    const usable = found.messages.filter(m => WANTED.some(w => named([m], w)))
    const { messages } = found
    if (usable.length === 0 && !eventNumbering({ origin: 'imported', title: '', ...found }))
      throw new SchemaError(`it has ${messages.length} messages, but none of ${WANTED.join(', ')}`)
    return {
      id: sha256.slice(0, 12),
      file: basename(path).slice(0, 200),
      sha256,
      bytes: size,
      from: found.from,
      version: found.version,
      importedMs: Date.now(),
      messages,
      enums: found.enums,
    }
  } finally {
    await handle.close()
  }
}

interface Content {
  readonly from: StoredSchema['from']
  readonly version: string | null
  readonly messages: readonly MessageSpec[]
  readonly enums: readonly string[]
}

async function contentOf(
  size: number,
  read: (at: number, length: number) => Promise<Uint8Array>,
  onProgress: (done: number, total: number) => void,
): Promise<Content> {
  if (size <= MAX_SET) {
    const bytes = await read(0, size)
    const text = textOfProto(bytes)
    if (text !== null) return { from: 'proto', version: null, ...parseProto(text) }
    const set = parseDescriptorSet(bytes)
    if (set) return { from: 'descriptor-set', version: null, ...merged(set) }
  }
  const { files, version } = await searchDescriptors({ size, read }, onProgress)
  if (files.length === 0)
    throw new SchemaError('it is no .proto text and no descriptor set, and no schema of package ntff was found in its bytes')
  return { from: 'binary', version, ...merged(files) }
}

/** Text of a .proto file; null for anything binary or without a message. */
function textOfProto(b: Uint8Array): string | null {
  if (b.length > SCHEMA_LIMITS.textBytes || b.includes(0)) return null
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(b)
    return /\bmessage\s+\w+\s*\{/.test(text) ? text : null
  } catch {
    return null
  }
}

function merged(files: readonly FileDescriptor[]): { readonly messages: readonly MessageSpec[]; readonly enums: readonly string[] } {
  const messages = new Map<string, { name: string; fields: readonly FieldSpec[] }>()
  for (const m of files.flatMap(f => f.messages))
    if (!messages.has(m.name) && messages.size < SCHEMA_LIMITS.messages) messages.set(m.name, m)
  return { messages: [...messages.values()], enums: [...new Set(files.flatMap(f => f.enums))].slice(0, SCHEMA_LIMITS.messages) }
}

/** Removes the schema whose id begins with `id` (at least four digits). Answers it; null where none or more than one does. */
export async function removeSchema(dir: string, id: string): Promise<StoredSchema | null> {
  const found = findSchema(await listSchemas(dir), id)
  if (found) await rm(join(dir, `${found.id}.json`), { force: true })
  return found
}

/** The one schema whose id begins with `id`. */
export function findSchema(all: readonly StoredSchema[], id: string): StoredSchema | null {
  const found = /^[0-9a-f]{4,64}$/.test(id) ? all.filter(s => s.sha256.startsWith(id)) : []
  return found.length === 1 ? (found[0] as StoredSchema) : null
}
