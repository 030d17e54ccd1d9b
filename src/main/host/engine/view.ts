/** The parts of the session view that come from tables: groups, sources, tracks, steps, allocators. Ids are given by the engine. */
import type { BlockRounded } from '../../../analysis/allocator/model'
import { peakTime } from '../../../analysis/allocator/pictureAt'
import { totalsKnown } from '../../../analysis/allocator/report'
import type { AllocatorInfo, BlockRoundedInfo, SourceInfo, StepInfo, TrackInfo } from '../../../shared/api'
import type { FileVerdict } from '../../../shared/schema-api'
import type { TraceInfoTable } from '../../../shared/system-tables'
import type { ClockDomain, SideTable } from '../../../shared/tables'
import type { EngineFile } from '../protocol'
import type { Place } from './engine'
import { MAX_STEPS } from './findings'
import {
  allocatorRange,
  clockOf,
  eventsOf,
  rangeOf,
  tracksOf,
  type Allocator,
  type SnapshotSource,
  type Source,
  type TraceSource,
} from './sources'

const CLOCKS: Readonly<Record<ClockDomain, string>> = {
  'kineto-base-time': 'Unix time: base time of the trace plus the time of the event',
  'unix-microseconds': 'Unix time in microseconds, as stored in the file',
  'unix-nanoseconds': 'Unix time in nanoseconds, as stored in the file',
  unknown: 'relative to an unknown zero; not aligned with other files',
  none: 'no times in the file',
}

const shifted = (range: readonly [number, number] | null, offset: number | null): readonly [number, number] | null =>
  range === null || offset === null ? null : [range[0] + offset, range[1] + offset]

export function sourceInfo(s: Source, { index, group, offset }: Place): SourceInfo {
  return {
    index,
    file: s.file.id,
    path: s.file.path,
    kind: s.kind,
    group,
    clock: CLOCKS[clockOf(s)],
    rank: s.kind === 'chrome-trace' ? (s.table.rank ?? s.file.rank) : s.file.rank,
    complete: s.table.complete,
    events: eventsOf(s),
    range: shifted(rangeOf(s), offset),
  }
}

/** How the runtime's files among these were decoded. */
export const verdictsOf = (
  files: readonly { readonly file: EngineFile; readonly table: Source['table'] | SideTable | TraceInfoTable }[],
): readonly FileVerdict[] =>
  files.flatMap(({ file, table }) => ('verdict' in table ? [{ file: file.id, path: file.path, verdict: table.verdict }] : []))

/** Tracks of a source that has a place in time; `ids` by track. */
export function trackInfos(s: Source, { index, group, offset, stamp }: Place, ids: readonly number[]): readonly TrackInfo[] {
  if (group === null) return []
  return tracksOf(s).tracks.map((t, i) => ({
    id: ids[i] as number,
    stamp,
    source: index,
    group,
    kind: t.kind,
    pid: t.pid,
    tid: t.tid,
    processName: t.processName,
    processLabels: t.processLabels,
    role: t.role,
    ...(t.origin ? { origin: t.origin } : {}),
    ...(t.knownFrom === undefined || t.knownFrom === null ? {} : { knownFrom: t.knownFrom + (offset ?? 0) }),
    ...t.place,
    ...(t.derived ? { derived: true } : {}),
    ...(t.arranged ? { arranged: t.arranged } : {}),
    name: t.name,
    note: t.note,
    depth: t.depth,
    events: t.events,
    min: t.min,
    max: t.max,
  }))
}

export function stepInfos(s: TraceSource, { index, group, offset }: Place): readonly StepInfo[] {
  if (group === null || offset === null) return []
  return s.model.steps.slice(0, MAX_STEPS).map(t => ({ name: t.name, source: index, group, start: t.start + offset, duration: t.duration }))
}

function blockRoundedInfo({ status, reason, startBytes, peakBytes, endBytes }: BlockRounded): BlockRoundedInfo {
  const known = (v: number): number | null => (Number.isNaN(v) ? null : v)
  return { status, reason, startBytes: known(startBytes), peakBytes: known(peakBytes), endBytes: known(endBytes) }
}

export function allocatorInfo(s: SnapshotSource, a: Allocator, place: Place, id: number): AllocatorInfo {
  const { model, owners } = a
  const f = model.figures
  const offset = place.offset ?? 0
  const timed = place.group !== null
  const timeOf = (event: number): number | null => {
    const t = event >= 0 && timed ? (model.time[event] as number) : NaN
    return Number.isNaN(t) ? null : t + offset
  }
  const trace = s.table.devices[model.traceIndex]
  return {
    id,
    source: place.index,
    path: s.file.path,
    rank: s.file.rank ?? 0,
    rankFromName: s.file.rankFromName,
    device: model.device,
    group: timed && allocatorRange(model) !== null ? place.group : null,
    events: model.events,
    allocations: model.count,
    atLeast: Number.isNaN(f.liveAtStart) || !totalsKnown(s.table, model),
    startActiveBytes: f.startActiveBytes,
    peakActiveBytes: f.peakActiveBytes,
    peakActiveEvent: f.peakActiveEvent,
    peakTime: timed ? peakTime(model, offset) : null,
    endActiveBytes: f.endActiveBytes,
    peakAllocatedBytes: f.peakAllocatedBytes,
    endAllocatedBytes: f.endAllocatedBytes,
    startReservedBytes: f.startReservedBytes,
    peakReservedBytes: f.peakReservedBytes,
    endReservedBytes: f.endReservedBytes,
    startBlocks: model.startCount,
    unknownFrees: f.unknownFrees,
    unknownFreeBytes: f.unknownFreeBytes,
    ooms: f.ooms.map(o => ({ event: o.event, time: timeOf(o.event), size: o.size, deviceFree: o.deviceFree })),
    checkpoints: f.checkpoints,
    blockRounded: blockRoundedInfo(f.blockRounded),
    selfCheck: f.selfCheck,
    timeRange: timed ? shifted(allocatorRange(model), offset) : null,
    endsEarly: trace ? trace.complete === false : !s.table.complete,
    groups: owners.groups,
  }
}
