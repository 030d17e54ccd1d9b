/** `compare A B`: what is live in two snapshots, side by side. */
import { compareLive, type Comparison, type Side } from '../../analysis/allocator/growth/compare'
import type { GroupBy } from '../../analysis/allocator/live/keys'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions } from '../../shared/reader'
import type { Outcome } from '../output'
import { momentOf, openDevice } from './open'
import type { MemoryOptions } from './options'

interface SideDocument {
  readonly file: string
  readonly device: number
  readonly event: number
  readonly totalBytes: number | null
  readonly count: number
}

export interface CompareDocument extends Omit<Comparison, 'a' | 'b'> {
  readonly by: GroupBy
  readonly a: SideDocument
  readonly b: SideDocument
  readonly diagnostics: readonly Diagnostic[]
}

export async function compareCommand(fileA: string, fileB: string, o: MemoryOptions, opts: ReadOptions = {}): Promise<Outcome> {
  const a = await openDevice('compare', fileA, o.device, opts)
  const b = await openDevice('compare', fileB, o.device, opts)
  const diagnostics = [...a.diagnostics, ...b.diagnostics]
  // A difference needs both.
  if (!('model' in a) || !('model' in b)) return { document: { diagnostics }, read: false }
  const side = ({ table, model }: typeof a): Side => ({ table, model, event: momentOf('compare', model, o.at) })
  const [x, y] = [side(a), side(b)]
  const { a: totalA, b: totalB, ...rest } = compareLive(x, y, o.by)
  const document: CompareDocument = {
    by: o.by,
    a: { file: fileA, device: x.model.device, event: x.event, ...totalA },
    b: { file: fileB, device: y.model.device, event: y.event, ...totalB },
    ...rest,
    diagnostics,
  }
  return { document, read: true }
}
