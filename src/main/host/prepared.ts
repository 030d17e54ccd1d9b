/**
 * A table with the models that views ask. They are built in the thread that read the file: files are prepared side by side, the engine stays free for
 * queries meanwhile, and a model that needs too much memory fails its own file only. Plain columns, so they are transferred like the table.
 */
import type { AllocatorModel } from '../../analysis/allocator/model'
import { replayAll } from '../../analysis/allocator/replay'
import type { TraceModel } from '../../analysis/trace/model'
import { buildTraceModel } from '../../analysis/trace/tracks'
import type { ParsedTable, SnapshotTable, TraceTable } from '../../shared/tables'

export type Prepared =
  | { readonly kind: 'chrome-trace'; readonly table: TraceTable; readonly model: TraceModel }
  | { readonly kind: 'memory-snapshot'; readonly table: SnapshotTable; readonly models: readonly AllocatorModel[] }

/** Builds the tracks of a trace, or replays every device of a snapshot. Pure. */
export function prepare(table: ParsedTable): Prepared {
  return table.kind === 'chrome-trace'
    ? { kind: table.kind, table, model: buildTraceModel(table) }
    : { kind: table.kind, table, models: replayAll(table) }
}
