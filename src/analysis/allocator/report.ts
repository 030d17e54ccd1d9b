/** The figures of a snapshot as one document: what `snapshot FILE --json` prints. Its README tells the rule of each field. */
import { stringAt } from '../../shared/columns'
import type { Diagnostic } from '../../shared/diagnostics'
import type { SnapshotTable } from '../../shared/tables'
import { sizesKnown } from './blockRounded'
import type { AllocatorModel, BlockRounded } from './model'

export interface SnapshotReport {
  readonly format: SnapshotTable['format'] | null
  readonly pickleProtocol: number | null
  readonly rank: number
  readonly segments: number
  /** Inactive ones included. */
  readonly blocks: number
  /** Distinct non-empty frame lists of trace entries. */
  readonly stacks: number
  /** Smallest and largest `time_us`, decimal strings. */
  readonly timeUs: readonly [string, string] | readonly [null, null]
  readonly annotations: readonly {
    readonly text: string
    readonly stage: string
    readonly device: number | null
    readonly timeUs: string | null
  }[]
  readonly devices: readonly DeviceReport[]
  /** Segments of pinned host memory (`host_segments`), in no figure of a device; null where the file has none. */
  readonly hostSegments: { readonly count: number; readonly bytes: number | null } | null
  readonly diagnostics: readonly Diagnostic[]
}

/** Bytes count requested bytes unless named reserved or block-rounded; null is "not known": in files that end early, and where an alloc or a free has a size that does not fit. */
export interface DeviceReport {
  readonly device: number
  readonly events: number
  readonly eventsByAction: Readonly<Record<string, number>>
  readonly startActiveBytes: number | null
  readonly peakActiveBytes: number | null
  readonly peakActiveEvent: number
  /** Unix ns of that event, for `at --time`; null for the start state and without times. */
  readonly peakActiveNs: string | null
  readonly endActiveBytes: number | null
  readonly peakAllocatedBytes: number | null
  readonly endAllocatedBytes: number | null
  /** Block sizes (torch.cuda.memory_allocated); null where the rules of the allocator are not met by the file, see `blockRounded`. */
  readonly peakBlockRoundedBytes: number | null
  readonly endBlockRoundedBytes: number | null
  readonly startReservedBytes: number | null
  readonly peakReservedBytes: number | null
  readonly endReservedBytes: number | null
  readonly unknownFrees: number
  readonly unknownFreeBytes: number
  readonly liveAtStart: number | null
  readonly liveAtStartBytes: number | null
  readonly pools: Readonly<Record<string, number>>
  readonly ooms: readonly { readonly event: number; readonly size: number; readonly deviceFree: number | null }[]
  readonly checkpoints: readonly [number, number]
  readonly maxStack: number
  readonly entriesWithoutFrames: number
  readonly selfCheck: { readonly ok: boolean; readonly replayBytes: number; readonly tableBytes: number }
  readonly blockRounded: Pick<BlockRounded, 'checkedBlocks' | 'checkpoints' | 'status' | 'reason'>
}

/** Field order is part of the document. `rank` comes from the file's name. */
export function snapshotReport(
  table: SnapshotTable,
  models: readonly AllocatorModel[],
  rank: number,
  diagnostics: readonly Diagnostic[],
): SnapshotReport {
  return {
    format: table.format,
    pickleProtocol: table.pickleProtocol,
    rank,
    segments: table.segments.count,
    blocks: table.blocks.count,
    stacks: stacksOfEvents(table),
    timeUs: table.timeUs ? [wholeUs(table.timeUs[0]), wholeUs(table.timeUs[1])] : [null, null],
    annotations: annotationsOf(table),
    devices: models.map(m => deviceReport(m, totalsKnown(table, m), peakNs(table, m))),
    hostSegments: hostSegments(table),
    diagnostics,
  }
}

/** False where an alloc or a free of the device has no size: the replay counts it as 0, so that the totals say too little. */
export function totalsKnown(table: SnapshotTable, model: Pick<AllocatorModel, 'traceIndex'>): boolean {
  const trace = table.devices[model.traceIndex]
  return trace === undefined || sizesKnown(trace)
}

/** Pinned host memory; null where the file has none. Bytes are null where a segment's size is not known. */
function hostSegments({ host }: SnapshotTable): SnapshotReport['hostSegments'] {
  if (!host?.segments) return null
  return { count: host.segments.count, bytes: known(host.segments.totalSize.reduce((a, b) => a + b, 0)) }
}

const wholeUs = (us: number): string => String(BigInt(Math.trunc(us)))
const known = (v: number): number | null => (Number.isNaN(v) ? null : v)

/** Unix ns of the peak's event; null for the start state and without times. */
function peakNs(table: SnapshotTable, model: AllocatorModel): string | null {
  const e = model.figures.peakActiveEvent
  const t = e >= 0 ? (model.time[e] as number) : NaN
  return Number.isNaN(t) || table.clock === 'none' || table.clock === 'unknown' ? null : String(table.epochNs + BigInt(Math.round(t)))
}

function deviceReport({ device, events, figures: f }: AllocatorModel, sizes: boolean, peakActiveNs: string | null): DeviceReport {
  const { checkedBlocks, checkpoints, status, reason } = f.blockRounded
  const total = (v: number): number | null => (sizes ? known(v) : null)
  return {
    device,
    events,
    eventsByAction: f.eventsByAction,
    startActiveBytes: total(f.startActiveBytes),
    peakActiveBytes: total(f.peakActiveBytes),
    peakActiveEvent: f.peakActiveEvent,
    peakActiveNs,
    endActiveBytes: total(f.endActiveBytes),
    peakAllocatedBytes: total(f.peakAllocatedBytes),
    endAllocatedBytes: total(f.endAllocatedBytes),
    peakBlockRoundedBytes: known(f.blockRounded.peakBytes),
    endBlockRoundedBytes: known(f.blockRounded.endBytes),
    startReservedBytes: known(f.startReservedBytes),
    peakReservedBytes: known(f.peakReservedBytes),
    endReservedBytes: known(f.endReservedBytes),
    unknownFrees: f.unknownFrees,
    unknownFreeBytes: f.unknownFreeBytes,
    liveAtStart: known(f.liveAtStart),
    liveAtStartBytes: known(f.liveAtStartBytes),
    pools: f.pools,
    ooms: f.ooms,
    checkpoints: f.checkpoints,
    maxStack: f.maxStack,
    entriesWithoutFrames: f.entriesWithoutFrames,
    selfCheck: f.selfCheck,
    blockRounded: { checkedBlocks, checkpoints, status, reason },
  }
}

/** Stacks are interned by content over the whole file; blocks and segments have some that no event has. */
function stacksOfEvents(table: SnapshotTable): number {
  const seen = new Uint8Array(table.stacks.count)
  let n = 0
  for (const d of table.devices)
    for (const s of d.stack)
      if (s >= 0 && seen[s] === 0) {
        seen[s] = 1
        n++
      }
  return n
}

function annotationsOf(table: SnapshotTable): SnapshotReport['annotations'] {
  const a = table.annotations
  return Array.from({ length: a.count }, (_, i) => {
    const t = a.time[i] as number
    return {
      text: stringAt(table.strings, a.text[i] as number),
      stage: stringAt(table.strings, a.stage[i] as number),
      device: (a.device[i] as number) < 0 ? null : (a.device[i] as number),
      timeUs: Number.isNaN(t) ? null : String((table.epochNs + BigInt(Math.round(t))) / 1000n),
    }
  })
}
