/** `live FILE`: what is live at a moment, by stack, frame, file or size. */
import { liveAt, type Group } from '../../analysis/allocator/live/live'
import type { GroupBy } from '../../analysis/allocator/live/keys'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions } from '../../shared/reader'
import type { Outcome } from '../output'
import { momentOf, openDevice } from './open'
import type { MemoryOptions } from './options'

export interface LiveDocument {
  readonly device: number
  /** -1 is the start state. */
  readonly event: number
  readonly by: GroupBy
  /** Active requested bytes, the sum of the groups; null where the file has no size for one of the allocations. */
  readonly totalBytes: number | null
  readonly count: number
  readonly groups: readonly Group[]
  readonly diagnostics: readonly Diagnostic[]
}

export async function liveCommand(file: string, o: MemoryOptions, opts: ReadOptions = {}): Promise<Outcome> {
  const opened = await openDevice('live', file, o.device, opts)
  if (!('model' in opened)) return { document: opened, read: false }
  const { table, model, diagnostics } = opened
  const { event, totalBytes, count, groups } = liveAt(table, model, momentOf('live', model, o.at), o.by)
  const document: LiveDocument = { device: model.device, event, by: o.by, totalBytes, count, groups, diagnostics }
  return { document, read: true }
}
