/**
 * A table with the models that views ask. They are built in the thread that read the file: files are prepared side by side, the engine stays free for
 * queries meanwhile, and a model that needs too much memory fails its own file only. Plain columns, so they are transferred like the table.
 */
import type { AllocatorModel } from '../../analysis/allocator/model'
import { replayAll } from '../../analysis/allocator/replay'
import { buildHbm } from '../../analysis/hbm/build'
import { hbmTracks } from '../../analysis/hbm/lanes'
import type { HbmModel } from '../../analysis/hbm/model'
import { clockFindings } from '../../analysis/system/clock-findings'
import { calibrateHardware, type HardwareClock } from '../../analysis/system/clocks'
import { cpuTracks, hostMemoryTracks } from '../../analysis/system/counters'
import { buildSystemModel, type SystemModel } from '../../analysis/system/tracks'
import { transferTracks } from '../../analysis/system/transfers'
import type { TraceModel, TrackModel } from '../../analysis/trace/model'
import { buildTraceModel } from '../../analysis/trace/tracks'
import type { Diagnostic } from '../../shared/diagnostics'
import type { CpuTable, HostMemoryTable, SystemTable, TraceInfoTable } from '../../shared/system-tables'
import type { ParsedTable, SideTable, SnapshotTable, TraceTable } from '../../shared/tables'

export interface PreparedSystem {
  readonly kind: 'system'
  /** Hardware times corrected where they had to be (see clock). */
  readonly table: SystemTable
  readonly model: SystemModel
  readonly clock: HardwareClock
  readonly hbm: readonly HbmModel[]
  /** Lanes that are made of the events: transfers between host and device, device memory. */
  readonly lanes: readonly TrackModel[]
  /** What the models found out, added to what the reader did. */
  readonly findings: readonly Diagnostic[]
}

export interface PreparedHost {
  readonly kind: 'host'
  readonly table: CpuTable | HostMemoryTable
  readonly tracks: readonly TrackModel[]
}

export type Prepared =
  | { readonly kind: 'chrome-trace'; readonly table: TraceTable; readonly model: TraceModel }
  | { readonly kind: 'memory-snapshot'; readonly table: SnapshotTable; readonly models: readonly AllocatorModel[] }
  | PreparedSystem
  | PreparedHost
  /** Nothing is drawn of it by itself: joins and details ask the table. */
  | { readonly kind: 'side'; readonly table: SideTable | TraceInfoTable }

/** Builds the tracks of a trace, or replays every device of a snapshot. `file` names it in findings, `pid` is the process that the folder names ('' for none). Pure. */
export function prepare(table: ParsedTable, file = '', pid = ''): Prepared {
  switch (table.kind) {
    case 'chrome-trace':
      return { kind: table.kind, table, model: buildTraceModel(table) }
    case 'memory-snapshot':
      return { kind: table.kind, table, models: replayAll(table) }
    case 'system':
      return prepareSystem(table, file, pid)
    case 'cpu':
      return { kind: 'host', table, tracks: cpuTracks(table) }
    case 'host-memory':
      return { kind: 'host', table, tracks: hostMemoryTracks(table) }
    default:
      return { kind: 'side', table }
  }
}

export function prepareSystem(read: SystemTable, file: string, pid = ''): PreparedSystem {
  const { table, clock } = calibrateHardware(read)
  const { models, diagnostics } = buildHbm(table, file)
  const transfers = transferTracks(table, file, pid)
  return {
    kind: 'system',
    table,
    model: buildSystemModel(table, pid),
    clock,
    hbm: models,
    lanes: [...transfers.tracks, ...hbmTracks(models, pid)],
    findings: [...diagnostics, ...clockFindings(file, clock), ...transfers.findings],
  }
}
