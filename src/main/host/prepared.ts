/**
 * A table with the models that views ask. They are built in the thread that read the file: files are prepared side by side, the engine stays free for
 * queries meanwhile, and a model that needs too much memory fails its own file only. Plain columns, so they are transferred like the table.
 */
import type { AllocatorModel } from '../../analysis/allocator/model'
import { replayAll } from '../../analysis/allocator/replay'
import type { TraceModel } from '../../analysis/trace/model'
import { buildTraceModel } from '../../analysis/trace/tracks'
import type { ParsedTable, SideTable, SnapshotTable, TraceTable } from '../../shared/tables'

export type Prepared =
  | { readonly kind: 'chrome-trace'; readonly table: TraceTable; readonly model: TraceModel }
  | { readonly kind: 'memory-snapshot'; readonly table: SnapshotTable; readonly models: readonly AllocatorModel[] }
  /** Nothing is drawn of it by itself: joins and details ask the table. */
  | { readonly kind: 'side'; readonly table: SideTable }

/** Builds the tracks of a trace, or replays every device of a snapshot. Pure. */
export function prepare(table: ParsedTable): Prepared {
  if (table.kind === 'chrome-trace') return { kind: table.kind, table, model: buildTraceModel(table) }
  if (table.kind === 'memory-snapshot') return { kind: table.kind, table, models: replayAll(table) }
  return { kind: 'side', table }
}
