/** Words about schemas: where one came from, how a file was framed. Pure. */
import type { SchemaInfo } from '../../../shared/schema-api'
import type { SchemaVerdict } from '../../../shared/system-tables'
import { count } from '../shell/words'

export const FROM: Readonly<Record<SchemaInfo['from'], string>> = {
  proto: '.proto text',
  'descriptor-set': 'descriptor set',
  binary: 'found in a binary',
}

const ORIGIN: Readonly<Record<NonNullable<SchemaVerdict['origin']>, string>> = {
  imported: 'imported schema',
  'built-in': 'built-in reconstruction',
  alternative: 'alternative numbering of the reconstruction',
  inferred: 'inferred from what the values show',
  'explorer-parquet': 'columns of the Parquet file',
  'explorer-json': 'keys of the JSON file',
  perfetto: 'public schema of Perfetto',
}
export const originText = (v: SchemaVerdict): string => (v.origin === null ? 'none fits; nothing was decoded' : ORIGIN[v.origin])

const FRAMING: Readonly<Record<string, string>> = {
  varint: 'varint lengths',
  u32: '4-byte lengths',
  u64: '8-byte lengths',
  wrapper: 'one message with a repeated field',
  message: 'one single message',
}
export const framingText = (name: string): string => FRAMING[name] ?? name

/** Whether a schema of the user could say more than what the file was decoded with. */
export const wantsSchema = (v: SchemaVerdict): boolean => v.origin === null || ['built-in', 'alternative', 'inferred'].includes(v.origin)

/** Findings that an exact schema would answer. */
const CODES: ReadonlySet<string> = new Set([
  'system-schema-unknown',
  'system-schema-failed',
  'system-schema-not-exact',
  'system-unverified',
])
export const answeredBySchema = (code: string): boolean => CODES.has(code)

/** `4 messages with 41 fields, ntrace_event and cpu_util among them`. */
export const contentText = (s: SchemaInfo): string =>
  `${count(s.messages, 'message')} with ${count(s.fields, 'field')}${s.used.length ? `, ${s.used.join(', ')} among them` : ''}`

/** `3 files of the runtime are read again.`; what is not open needs no word. */
export const againText = (n: number): string =>
  n === 0 ? 'No file of the runtime is open now.' : `${count(n, 'file')} of the runtime ${n === 1 ? 'is' : 'are'} read again.`
