/** Verifies a snapshot: a second reading, a naive replay, and the figures side by side. The readings come as an argument, so that this knows neither files nor readers. */
import { fileSize, num } from '../../shared/format'
import type { Diagnostic } from '../../shared/diagnostics'
import type { SnapshotTable } from '../../shared/tables'
import { VERIFY_MAX_BYTES, type SecondReading, type Verification, type VerifyRow } from '../../shared/verify'
import type { AllocatorModel } from '../allocator/model'
import { compare, oursOf, untold, verdictOf } from './compare'
import { naiveReplay, NotUnderstood } from './naive'

/** Of what our own reader met; a file with one of these is not given to the second reader. */
const REFUSED = new Set(['pickle-global', 'pickle-call', 'pickle-buffer', 'pickle-bad-opcode', 'pickle-limit'])

const LARGE = `the second reader is tried on files up to ${fileSize(VERIFY_MAX_BYTES)} (uncompressed), this one is larger`
/** The answer for a file that is larger. `rows`: our figures, where they are known. */
export const tooLarge = (rows: readonly VerifyRow[]): Verification => ({
  verdict: 'not-tried',
  reader: 'none',
  rows,
  limits: [`${LARGE.charAt(0).toUpperCase()}${LARGE.slice(1)}.`],
})

export interface Readings {
  readonly table: SnapshotTable
  readonly models: readonly AllocatorModel[]
  readonly diagnostics: readonly Diagnostic[]
  /** The file's uncompressed bytes, null where they are more than `limit`; `changed` when the file is no longer what our reader read. Rejects with the system's error. */
  readonly bytes: (limit: number) => Promise<{ readonly data: Uint8Array | null; readonly changed: boolean }>
  readonly second: (data: Uint8Array, form: SnapshotTable['format']) => Promise<SecondReading>
}

export async function verify({ table, models, diagnostics, bytes, second }: Readings): Promise<Verification> {
  const ours = oursOf(table, models)
  const without = (reader: string, limit: string, tried: boolean): Verification => ({
    verdict: tried ? 'cannot-tell' : 'not-tried',
    reader,
    rows: untold(ours, limit),
    // The name of a library keeps its spelling.
    limits: [`${limit.startsWith(reader) ? limit : limit.charAt(0).toUpperCase() + limit.slice(1)}.`],
  })
  const refused = diagnostics.find(d => REFUSED.has(d.code))
  if (refused)
    return without('none', `our reader refused a part of the file (${refused.code}), so the second reader is not started on it`, false)
  const { data, changed } = await bytes(VERIFY_MAX_BYTES)
  if (changed) return without('none', 'the file changed while it was read', false)
  if (!data) return tooLarge(untold(ours, LARGE))

  const reading = await second(data, table.format)
  if (!reading.ok) return without(reading.reader, reading.reason, true)
  const { reader, misread, value } = reading
  try {
    const rows = compare(ours, naiveReplay(value, Math.max(10_000, data.length)), reading)
    const limits = [
      misread.large > 0 && `${reader} rounds ${integers(misread.large)} of this file beyond 2^53.`,
      misread.negative > 0 && `${reader} takes ${integers(misread.negative)} of this file below 0 for large ones.`,
    ]
    return { verdict: verdictOf(rows), reader, rows, limits: limits.filter(l => l !== false) }
  } catch (e) {
    if (!(e instanceof NotUnderstood)) throw e
    return without(reader, `the naive replay cannot take what ${reader} read: ${e.message}`, true)
  }
}

const integers = (n: number): string => `${num(n)} ${n === 1 ? 'integer' : 'integers'}`
