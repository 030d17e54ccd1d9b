/** `fragmentation FILE`: the guide's figures of the allocator's state at a moment, and whether a request would fit. */
import { fragmentation, type Fragmentation } from '../../analysis/allocator/fragmentation/figures'
import { wouldFit, type RequestAnswer } from '../../analysis/allocator/fragmentation/request'
import { stateAt } from '../../analysis/allocator/state/stateAt'
import type { Diagnostic } from '../../shared/diagnostics'
import type { ReadOptions } from '../../shared/reader'
import type { Outcome } from '../output'
import { momentOf, openDevice } from './open'
import type { MemoryOptions } from './options'

interface Head {
  readonly device: number
  readonly event: number
  readonly reasons: Readonly<Record<string, string>>
  readonly diagnostics: readonly Diagnostic[]
}
/** Without a state there is nothing but the reason (`reasons.state`). */
export type FragmentationDocument = Head | (Head & Fragmentation & { readonly request: RequestAnswer | null })

export async function fragmentationCommand(file: string, o: MemoryOptions, opts: ReadOptions = {}): Promise<Outcome> {
  const opened = await openDevice('fragmentation', file, o.device, opts)
  if (!('model' in opened)) return { document: opened, read: false }
  const { table, model, diagnostics } = opened
  const event = momentOf('fragmentation', model, o.at)
  const state = stateAt(table, model, event)
  if ('reason' in state) {
    const document: FragmentationDocument = { device: model.device, event, reasons: { state: state.reason }, diagnostics }
    return { document, read: true }
  }
  const figures = fragmentation(table, model, state, o.capacity)
  const request = o.request === null ? null : wouldFit(table, model, state, figures, o.request)
  const document: FragmentationDocument = { ...figures, request, diagnostics }
  return { document, read: true }
}
