/**
 * Trace schemas of the user as the window sees them: what is imported, from which file. A file is checked against the served roots, opened as what was checked, and searched
 * in blocks; it is never loaded or run, and only the description is kept.
 */
import { basename } from 'node:path'
import {
  importSchema,
  listSchemas,
  NotRegularFileError,
  removeSchema,
  schemaDir,
  SchemaError,
  WANTED,
  type StoredSchema,
} from '../../session/schemas'
import { RequestError } from '../../shared/api'
import type { SchemaInfo } from '../../shared/schema-api'
import { accessReason, identify, type Confinement } from './confine'

const ADVICE = 'Choose a .proto file, a descriptor set (protoc --descriptor_set_out), or the libnrt.so of the runtime that wrote the trace.'

export class Schemas {
  readonly #dir: string
  readonly #confine: Confinement
  /** One import or removal at a time. */
  #work: Promise<unknown> = Promise.resolve()

  constructor(userDir: string, confine: Confinement) {
    this.#dir = schemaDir(userDir)
    this.#confine = confine
  }

  async list(): Promise<readonly SchemaInfo[]> {
    return (await listSchemas(this.#dir)).map(info)
  }

  /** Imports what a file holds. Throws RequestError, in words for the user, where it holds no schema or cannot be read or kept. */
  add(path: string): Promise<SchemaInfo> {
    return this.#after(async () => {
      const at = await identify(await this.#confine.check(path))
      try {
        return info(await importSchema(this.#dir, at.path, undefined, at))
      } catch (e) {
        const name = basename(path)
        if (e instanceof SchemaError) throw new RequestError(`No trace schema could be taken from ${name}: ${e.message}. ${ADVICE}`)
        if (e instanceof NotRegularFileError) throw new RequestError(`${name}: ${e.message}. ${ADVICE}`)
        throw new RequestError(`${name}: ${accessReason(e)}`)
      }
    })
  }

  /** Forgets a schema. Throws RequestError where there is none of this id. */
  remove(id: string): Promise<void> {
    return this.#after(async () => {
      if (!(await removeSchema(this.#dir, id))) throw new RequestError('This schema is not there (any more).')
    })
  }

  #after<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }
}

const info = (s: StoredSchema): SchemaInfo => ({
  id: s.id,
  file: s.file,
  sha256: s.sha256,
  bytes: s.bytes,
  from: s.from,
  version: s.version,
  importedMs: s.importedMs,
  messages: s.messages.length,
  fields: s.messages.reduce((n, m) => n + m.fields.length, 0),
  used: WANTED.filter(w => s.messages.some(m => m.name === w || m.name.endsWith(`.${w}`))),
})
