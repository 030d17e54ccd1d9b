/** What the engine keeps of one file: its table and the models made of it. */
import { allocatorTracks } from '../../../analysis/allocator/lanes'
import type { AllocatorModel } from '../../../analysis/allocator/model'
import { owners, type Owners } from '../../../analysis/allocator/owners'
import { positions } from '../../../analysis/allocator/picturePositions'
import { totalsKnown } from '../../../analysis/allocator/report'
import type { HbmModel } from '../../../analysis/hbm/model'
import type { HardwareClock } from '../../../analysis/system/clocks'
import { cpuTracks, hostMemoryTracks } from '../../../analysis/system/counters'
import type { SystemModel } from '../../../analysis/system/tracks'
import type { TraceModel, TrackModel } from '../../../analysis/trace/model'
import { stringTable, type StringTable } from '../../../shared/columns'
import type { Diagnostic } from '../../../shared/diagnostics'
import type { CpuTable, HostMemoryTable, SystemTable } from '../../../shared/system-tables'
import { clockOfTable, type ClockDomain, type SnapshotTable, type TraceTable } from '../../../shared/tables'
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
  /** Active and reserved bytes of each allocator whose events have times. */
  readonly tracks: readonly TrackModel[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface Allocator {
  readonly model: AllocatorModel
  readonly owners: Owners
}

/** A runtime trace, or an export of one. */
export interface SystemSource {
  readonly kind: 'system'
  readonly file: EngineFile
  readonly table: SystemTable
  readonly model: SystemModel
  readonly clock: HardwareClock
  readonly hbm: readonly HbmModel[]
  /** Those of the model, the same by thread, lanes of transfers and device memory, then those of host samples that the same file has. */
  readonly tracks: readonly TrackModel[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Samples of the host. */
export interface HostSource {
  readonly kind: 'cpu' | 'host-memory'
  readonly file: EngineFile
  readonly table: CpuTable | HostMemoryTable
  readonly tracks: readonly TrackModel[]
  readonly diagnostics: readonly Diagnostic[]
}

export type Source = TraceSource | SnapshotSource | SystemSource | HostSource

const NO_STRINGS: StringTable = stringTable([])

/** Tracks of a source and the strings that they name. */
export function tracksOf(s: Source): { readonly tracks: readonly TrackModel[]; readonly strings: StringTable } {
  if (s.kind === 'chrome-trace') return { tracks: s.model.tracks, strings: s.table.strings }
  return { tracks: s.tracks, strings: s.kind === 'system' ? s.table.strings : NO_STRINGS }
}

/** How the times of a source become Unix times. */
export const clockOf = (s: Source): ClockDomain => clockOfTable(s.table)

/** Takes over a file. The findings of its models are added to those of the reader. */
export function makeSource(file: EngineFile, prepared: Exclude<Prepared, { kind: 'side' }>, diagnostics: readonly Diagnostic[]): Source {
  if (prepared.kind === 'chrome-trace') {
    const { kind, table, model } = prepared
    return { kind, file, table, model, diagnostics: [...diagnostics, ...traceFindings(file.path, model, table)] }
  }
  if (prepared.kind === 'system') {
    const { kind, table, clock, hbm, lanes, findings } = prepared
    // Events name no process where the file has those of one only: the session's folder does.
    const inProcess = (t: TrackModel): TrackModel => (t.pid === '' && t.origin !== 'host' ? { ...t, pid: file.pid ?? '' } : t)
    const model = { ...prepared.model, tracks: prepared.model.tracks.map(inProcess) }
    const tracks = [...model.tracks, ...[...model.byThread, ...lanes].map(inProcess), ...inner(table)]
    return { kind, file, table, model, clock, hbm, tracks, diagnostics: [...diagnostics, ...findings] }
  }
  if (prepared.kind === 'host') return { kind: prepared.table.kind, file, table: prepared.table, tracks: prepared.tracks, diagnostics }
  const { kind, table, models } = prepared
  return {
    kind,
    file,
    table,
    allocators: models.map(model => ({ model, owners: owners(model, table) })),
    tracks: models.flatMap(m => allocatorTracks(m, file.pid ?? '', Number.isNaN(m.figures.liveAtStart) || !totalsKnown(table, m))),
    diagnostics: [...diagnostics, ...models.flatMap(m => replayFindings(file.path, m, table.complete))],
  }
}

/** First and last time of a source, ns relative to its table's epoch; null without times. */
export function rangeOf(s: Source): readonly [number, number] | null {
  if (s.kind === 'chrome-trace') return s.model.range
  if (s.kind === 'memory-snapshot') return s.table.timeRange
  if (s.kind !== 'system') return s.table.range
  // Host samples of an export belong to it.
  const parts = [s.table.range, ...[s.table.cpu, s.table.hostMemory].map(t => t && shiftedRange(t, s.table))].filter(r => r !== null)
  return parts.length === 0 ? null : [Math.min(...parts.map(r => r[0])), Math.max(...parts.map(r => r[1]))]
}

const shiftedRange = (t: CpuTable | HostMemoryTable, to: SystemTable): readonly [number, number] | null => {
  const by = Number(t.epochNs - to.epochNs)
  return t.range && [t.range[0] + by, t.range[1] + by]
}

/** Lanes of the tables inside an export, in the time of its events. */
function inner(t: SystemTable): readonly TrackModel[] {
  const moved = (tracks: readonly TrackModel[], epochNs: bigint): readonly TrackModel[] => {
    const by = Number(epochNs - t.epochNs)
    return by === 0 ? tracks : tracks.map(k => ({ ...k, time: k.time.map(v => v + by) }))
  }
  return [
    ...(t.cpu ? moved(cpuTracks(t.cpu), t.cpu.epochNs) : []),
    ...(t.hostMemory ? moved(hostMemoryTracks(t.hostMemory), t.hostMemory.epochNs) : []),
  ]
}

/** What a source has: events of a trace, messages of a runtime trace, samples of the host, entries of all devices of a snapshot. */
export const eventsOf = (s: Source): number =>
  s.kind === 'memory-snapshot' ? s.table.devices.reduce((n, d) => n + d.count, 0) : s.kind === 'system' ? s.table.messages : s.table.count

/** First and last time of a device's events; null where none has a time. */
export function allocatorRange(model: AllocatorModel): readonly [number, number] | null {
  const { first, last } = positions(model, 'time')
  return Number.isNaN(first) || Number.isNaN(last) ? null : [first, last]
}
