/** The `args` of one event, read from the file when asked for. */
import { realpath } from 'node:fs/promises'
import type { CheckedFile } from '../../../shared/reader'
import { KIB } from '../../../shared/units'
import { fileSize } from '../../../shared/format'
import { stampOf } from '../stamp'
import { prettyJson } from './pretty'
import type { TraceSource } from './sources'

/** Text of the bytes `offset .. offset + length` of the uncompressed stream of a file, which must be `at`. Rejects when the file cannot give them. */
export type ReadArgs = (path: string, offset: number, length: number, at?: CheckedFile) => Promise<string>

export const MAX_ARGS = 64 * KIB

export interface ArgsText {
  readonly args: string | null
  /** Why there are none although the event has some, or that they are cut. */
  readonly argsNotice: string | null
}

/** Never rejects: what goes wrong is the notice. */
export async function argsOf({ table, file }: TraceSource, row: number, read: ReadArgs): Promise<ArgsText> {
  const offset = table.argsOffset[row] as number
  const length = table.argsLength[row] as number
  if (!(offset >= 0)) return { args: null, argsNotice: null }
  const changed = 'The file has changed since it was read; the arguments are shown once it was read again.'
  try {
    // The path was resolved when the file was read. Where it now leads through a link, it is another file.
    if ((await realpath(file.abs)) !== file.abs) return { args: null, argsNotice: changed }
    const stamp = await stampOf(file.abs)
    if (stamp.bytes !== file.stamp.bytes || stamp.mtimeMs !== file.stamp.mtimeMs) return { args: null, argsNotice: changed }
    const pretty = prettyJson(await read(file.abs, offset, Math.min(length, MAX_ARGS), file.at), MAX_ARGS)
    const cut = pretty.cut || length > MAX_ARGS
    return {
      args: pretty.text,
      argsNotice: cut ? `Only the beginning is shown; the arguments take ${fileSize(length)} in the file.` : null,
    }
  } catch (e) {
    return { args: null, argsNotice: `The arguments cannot be read: ${e instanceof Error ? e.message : String(e)}.` }
  }
}
