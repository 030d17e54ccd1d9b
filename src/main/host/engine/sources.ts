/** What the engine keeps of one file: its table and the models made of it. */
import type { AllocatorModel } from '../../../analysis/allocator/model'
import { owners, type Owners } from '../../../analysis/allocator/owners'
import { positions } from '../../../analysis/allocator/picturePositions'
import type { TraceModel } from '../../../analysis/trace/model'
import type { Diagnostic } from '../../../shared/diagnostics'
import type { SnapshotTable, TraceTable } from '../../../shared/tables'
import type { Prepared } from '../prepared'
import type { EngineFile } from '../protocol'
import { replayFindings, traceFindings } from './findings'

export interface TraceSource {
  readonly kind: 'chrome-trace'
  readonly file: EngineFile
  readonly table: TraceTable
  readonly model: TraceModel
  readonly diagnostics: readonly Diagnostic[]
}

export interface SnapshotSource {
  readonly kind: 'memory-snapshot'
  readonly file: EngineFile
  readonly table: SnapshotTable
  readonly allocators: readonly Allocator[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface Allocator {
  readonly model: AllocatorModel
  readonly owners: Owners
}

export type Source = TraceSource | SnapshotSource

/** Takes over a file. The findings of its models are added to those of the reader. */
export function makeSource(file: EngineFile, prepared: Exclude<Prepared, { kind: 'side' }>, diagnostics: readonly Diagnostic[]): Source {
  if (prepared.kind === 'chrome-trace') {
    const { kind, table, model } = prepared
    return { kind, file, table, model, diagnostics: [...diagnostics, ...traceFindings(file.path, model)] }
  }
  const { kind, table, models } = prepared
  return {
    kind,
    file,
    table,
    allocators: models.map(model => ({ model, owners: owners(model, table) })),
    diagnostics: [...diagnostics, ...models.flatMap(m => replayFindings(file.path, m, table.complete))],
  }
}

/** First and last time of a source, ns relative to its table's epoch; null without times. */
export function rangeOf(s: Source): readonly [number, number] | null {
  return s.kind === 'chrome-trace' ? s.model.range : s.table.timeRange
}

/** Rows that a source has: events of a trace, entries of all devices of a snapshot. */
export const eventsOf = (s: Source): number =>
  s.kind === 'chrome-trace' ? s.table.count : s.table.devices.reduce((n, d) => n + d.count, 0)

/** First and last time of a device's events; null where none has a time. */
export function allocatorRange(model: AllocatorModel): readonly [number, number] | null {
  const { first, last } = positions(model, 'time')
  return Number.isNaN(first) || Number.isNaN(last) ? null : [first, last]
}
