/**
 * The part of the API contract about trace schemas that the user imported, and about how well a schema fitted a file of the runtime. `api.ts` takes it up; the schemas are kept
 * in the user's settings, as the description alone.
 */
import * as v from 'valibot'
import type { SchemaVerdict } from './system-tables'

const id = v.pipe(v.string(), v.minLength(1), v.maxLength(200))
const empty = v.strictObject({})

export const SCHEMA_REQUESTS = {
  /** Newest first: the order in which they are tried. */
  'schema.list': empty,
  /** Desktop: native dialog, then as `schema.add`. Browser: answers { kind: 'browse' }, the renderer then shows its picker and sends `schema.add`. */
  'schema.pick': empty,
  /** Takes the schema out of a file that `browse.list` listed. Files of the runtime that are open are read again. */
  'schema.add': v.strictObject({ id }),
  /** Forgets a schema; files of the runtime that are open are read again. The file that it came from is not touched. */
  'schema.remove': v.strictObject({ id }),
} as const

/** A schema that was imported. */
export interface SchemaInfo {
  readonly id: string
  /** Name of the file that it came from, without its folder. */
  readonly file: string
  /** sha256 of that file, hex. */
  readonly sha256: string
  readonly bytes: number
  readonly from: 'proto' | 'descriptor-set' | 'binary'
  /** Version of the format that a binary names; null where it names none. */
  readonly version: string | null
  readonly importedMs: number
  readonly messages: number
  readonly fields: number
  /** Which of the messages that the readers look for are in it. */
  readonly used: readonly string[]
}

export interface SchemaAdded {
  readonly kind: 'added'
  readonly schema: SchemaInfo
  /** Files of open sessions that are read again because of it. */
  readonly again: number
}

/** How the file of a source was decoded, or what was tried where nothing was. */
export interface FileVerdict {
  readonly file: string
  readonly path: string
  readonly verdict: SchemaVerdict
}

export interface SchemaAnswers {
  'schema.list': readonly SchemaInfo[]
  'schema.pick': SchemaAdded | { readonly kind: 'cancelled' } | { readonly kind: 'browse' }
  'schema.add': SchemaAdded
  'schema.remove': { readonly again: number }
}
