/** `growth FILE`: what was allocated after one moment and is still live at another. */
import { growthBetween, type Growth } from '../../analysis/allocator/growth/growth'
import type { GroupBy } from '../../analysis/allocator/live/keys'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions } from '../../shared/reader'
import { UsageError } from '../args'
import type { Outcome } from '../output'
import { momentOf, openDevice } from './open'
import type { MemoryOptions } from './options'

export interface GrowthDocument extends Growth {
  readonly device: number
  readonly by: GroupBy
  readonly diagnostics: readonly Diagnostic[]
}

export async function growthCommand(file: string, o: MemoryOptions, opts: ReadOptions = {}): Promise<Outcome> {
  const opened = await openDevice('growth', file, o.device, opts)
  if (!('model' in opened)) return { document: opened, read: false }
  const { table, model, diagnostics } = opened
  const from = momentOf('growth', model, o.from)
  const to = momentOf('growth', model, o.to)
  if (from > to) throw new UsageError('--from must not be after --to', 'growth')
  const document: GrowthDocument = { device: model.device, by: o.by, ...growthBetween(table, model, from, to, o.by), diagnostics }
  return { document, read: true }
}
