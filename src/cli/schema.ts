/** `schema import|list|show|remove`: schemas of the runtime's trace that the user imported. */
import { SchemaError } from '../formats/neuron-runtime/description'
import { userDir } from '../main/user-dir'
import { findSchema, importSchema, listSchemas, removeSchema, schemaDir, type StoredSchema } from '../session/schemas'
import { failed, type Outcome } from './output'
import type { SchemaAction } from './schema-actions'

const summary = (s: StoredSchema) => ({
  id: s.id,
  file: s.file,
  from: s.from,
  version: s.version,
  sha256: s.sha256,
  bytes: s.bytes,
  imported: new Date(s.importedMs).toISOString(),
  messages: s.messages.length,
  fields: s.messages.reduce((n, m) => n + m.fields.length, 0),
})
export type SchemaSummary = ReturnType<typeof summary>

export interface SchemaDocument {
  readonly folder: string
  readonly schemas?: readonly SchemaSummary[]
  readonly schema?: SchemaSummary & { readonly content?: readonly { readonly name: string; readonly fields: readonly string[] }[] }
  readonly removed?: string
  readonly diagnostics: readonly []
}

/** `operand`: the file of `import` (absolute), the id of `show` and `remove`. Rejects with the system's error where a file or the folder cannot be used. */
export async function schemaCommand(
  action: SchemaAction,
  operand: string | null,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Outcome> {
  const folder = schemaDir(userDir())
  const document = (d: Omit<SchemaDocument, 'folder' | 'diagnostics'>): Outcome => ({
    document: { folder, ...d, diagnostics: [] },
    read: true,
  })
  if (action === 'list') return document({ schemas: (await listSchemas(folder)).map(summary) })
  if (action === 'import') {
    try {
      return document({ schema: summary(await importSchema(folder, operand ?? '', onProgress)) })
    } catch (e) {
      if (!(e instanceof SchemaError)) throw e
      return failed(
        operand ?? '',
        'schema-none',
        `No trace schema could be taken from the file: ${e.message}.`,
        'Give a .proto file, a descriptor set (protoc --descriptor_set_out), or the libnrt.so of the runtime that wrote the trace.',
      )
    }
  }
  const found = action === 'remove' ? await removeSchema(folder, operand ?? '') : findSchema(await listSchemas(folder), operand ?? '')
  if (!found)
    return failed(
      operand ?? '',
      'schema-unknown',
      'No schema, or more than one, has an id that begins like this.',
      '`schema list` shows the ids; at least four digits of one are needed.',
    )
  if (action === 'remove') return document({ removed: found.id })
  const content = found.messages.map(m => ({
    name: m.name,
    fields: m.fields.map(
      f => `${f.mapKey !== null ? `map<${f.mapKey}, ${f.type}>` : `${f.repeated ? 'repeated ' : ''}${f.type}`} ${f.name} = ${f.number}`,
    ),
  }))
  return document({ schema: { ...summary(found), content } })
}
