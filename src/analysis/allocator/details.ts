/** Everything the snapshot tells about one allocation. */
import type { AllocationDetails, Frame } from '../../shared/api'
import { stringAt } from '../../shared/columns'
import { ACTIONS, type DeviceTrace, type ExtraColumn, type SnapshotTable } from '../../shared/tables'
import { isLibraryFrame } from './library'
import { ORIGINS, type AllocatorModel } from './model'
import { isLiveAtPeak, ownerOf, type Owners } from './owners'

const SEGMENT_ACTIONS = new Set(
  ['segment_alloc', 'segment_free', 'segment_map', 'segment_unmap'].map(a => (ACTIONS as readonly string[]).indexOf(a)),
)

/**
 * Details of allocation `index` (a row of the model), without the slice it lies in. `shift` (ns) is added to times, which are otherwise relative to the table's epoch.
 * Throws RangeError on an index outside the model.
 */
export function allocationDetails(
  model: AllocatorModel,
  table: SnapshotTable,
  owners: Owners,
  index: number,
  shift = 0,
): Omit<AllocationDetails, 'inside'> {
  if (!(index >= 0 && index < model.count)) throw new RangeError(`allocation ${index} of ${model.count}`)
  const trace = table.devices[model.traceIndex]
  const text = (id: number): string | null => (id < 0 ? null : stringAt(table.strings, id))
  const at = (column: keyof DeviceTrace & ('compileContext' | 'userMetadata' | 'category'), event: number): string | null =>
    event >= 0 && trace ? text(trace[column][event] as number) : null
  const time = (event: number): number | null => {
    const t = event >= 0 ? (model.time[event] as number) : NaN
    return Number.isNaN(t) ? null : t + shift
  }
  const event = (e: number): number | null => (e < 0 ? null : e)
  const alloc = model.allocEvent[index] as number
  const requested = model.freeRequestedEvent[index] as number
  const completed = model.freeEvent[index] as number
  const block = model.block[index] as number
  const origin = ORIGINS[model.origin[index] as number] as AllocationDetails['origin']
  const known = firstKnown(model, index)
  const ownFrames = framesOf(table, model.stack[index] as number)
  const freeFrames = framesOf(table, model.freeStack[index] as number)
  const frames = ownFrames.length > 0 ? ownFrames : freeFrames
  const framesFrom = ownFrames.length > 0 ? (alloc >= 0 ? 'alloc' : 'block') : freeFrames.length > 0 ? 'free' : 'none'
  const segment = segmentOf(table, model, trace, index)
  const poolId = trace && known >= 0 && (trace.pool[known] as number) >= 0 ? (trace.pool[known] as number) : segment ? segment.pool : -1

  return {
    allocation: index,
    size: model.size[index] as number,
    address: '0x' + (model.address[index] as bigint).toString(16),
    label: owners.label(index),
    group: owners.groupOf[index] as number,
    start: index < model.startCount,
    blockBytes: block >= 0 ? (table.blocks.size[block] as number) : null,
    allocEvent: alloc,
    freeRequestedEvent: event(requested),
    freeCompletedEvent: event(completed),
    allocTime: time(alloc),
    freeRequestedTime: time(requested),
    freeCompletedTime: time(completed),
    origin,
    stream: table.streams[model.stream[index] as number] ?? '',
    pool: table.pools[poolId] ?? null,
    segment: segment?.shown ?? null,
    traceId: traceIdOf(table, model, index),
    compileContext: at('compileContext', known),
    userMetadata: at('userMetadata', known),
    category: at('category', known) ?? (block >= 0 ? text(table.blocks.category[block] as number) : null),
    extras: extrasOf(table, model, index),
    frames,
    framesFrom,
    freeFrames,
    sameLine: sameLine(model, owners, index),
  }
}

/** Event that describes an allocation: its alloc, for what is only freed in the recording its free; -1 without one. */
function firstKnown(model: AllocatorModel, index: number): number {
  const alloc = model.allocEvent[index] as number
  if (alloc >= 0) return alloc
  const requested = model.freeRequestedEvent[index] as number
  return requested >= 0 ? requested : (model.freeEvent[index] as number)
}

/** Frames of a stack, innermost first; none for -1. */
export function framesOf(table: SnapshotTable, stack: number): readonly Frame[] {
  if (stack < 0) return []
  const out: Frame[] = []
  for (let i = table.stacks.start[stack] as number; i < (table.stacks.start[stack + 1] as number); i++) {
    const f = table.stacks.frames[i] as number
    const name = stringAt(table.strings, table.frames.name[f] as number)
    const file = stringAt(table.strings, table.frames.file[f] as number)
    out.push({ name, file, line: table.frames.line[f] as number, library: isLibraryFrame(file) })
  }
  return out
}

/** The segment around an allocation: that of its block, else the one of the table at its address if it was there all the time since. */
function segmentOf(table: SnapshotTable, model: AllocatorModel, trace: DeviceTrace | undefined, index: number) {
  const { segments, blocks } = table
  const address = model.address[index] as bigint
  const covers = (from: bigint, bytes: number): boolean =>
    address >= from && address < from + BigInt(Number.isFinite(bytes) ? Math.trunc(bytes) : 0)
  let s = -1
  const block = model.block[index] as number
  if (block >= 0) s = blocks.segment[block] as number
  else {
    for (let i = 0; i < segments.count && s < 0; i++)
      if (segments.device[i] === model.device && covers(segments.address[i] as bigint, segments.totalSize[i] as number)) s = i
    const since = Math.max(0, model.allocEvent[index] as number)
    for (let e = since; trace && s >= 0 && e < trace.count; e++)
      if (SEGMENT_ACTIONS.has(trace.action[e] as number) && covers(trace.address[e] as bigint, trace.size[e] as number)) s = -1
    if (segments.complete === false || trace?.complete === false) s = -1
  }
  if (s < 0) return null
  const shown = {
    address: '0x' + (segments.address[s] as bigint).toString(16),
    bytes: segments.totalSize[s] as number,
    type: stringAt(table.strings, segments.segmentType[s] as number),
    offset: Number(address - (segments.address[s] as bigint)),
    expandable: segments.expandable[s] === 1,
  }
  return { shown, pool: segments.pool[s] as number }
}

/** Rows of unknown keys that belong to an allocation: those of its alloc (or free) event and those of its block. */
function extraValues(table: SnapshotTable, model: AllocatorModel, index: number): readonly (readonly [ExtraColumn, number])[] {
  const out: (readonly [ExtraColumn, number])[] = []
  const add = (columns: readonly ExtraColumn[], row: number): void => {
    for (const c of columns) if (row >= 0 && (c.value[row] as number) >= 0 && !out.some(([o]) => o.key === c.key)) out.push([c, row])
  }
  add(table.devices[model.traceIndex]?.extras ?? [], firstKnown(model, index))
  add(table.blocks.extras, model.block[index] as number)
  return out
}

const extrasOf = (table: SnapshotTable, model: AllocatorModel, index: number): AllocationDetails['extras'] =>
  extraValues(table, model, index).map(([c, row]) => ({ key: c.key, value: stringAt(table.strings, c.value[row] as number) }))

/** Whether an unknown key looks like a trace id: `trace_id`, `traceid`, `trace id`, `neuron_trace_id`, `traceId`. */
export const isTraceIdKey = (key: string): boolean => /(^|[^a-z])trace[^a-z0-9]*id$/i.test(key.replace(/([a-z0-9])([A-Z])/g, '$1_$2'))

/** Trace id of an allocation, from a key of its event or block that looks like one; null without. */
export function traceIdOf(table: SnapshotTable, model: AllocatorModel, index: number): string | null {
  const found = extraValues(table, model, index).find(([c]) => isTraceIdKey(c.key))
  return found ? stringAt(table.strings, found[0].value[found[1]] as number) : null
}

function sameLine(model: AllocatorModel, owners: Owners, index: number): AllocationDetails['sameLine'] {
  const owner = ownerOf(model, owners.ownerOfStack, index)
  if (owner < 0) return null
  let count = 0
  let liveAtPeak = 0
  let liveAtPeakBytes = 0
  for (let i = 0; i < model.count; i++) {
    if (ownerOf(model, owners.ownerOfStack, i) !== owner) continue
    count++
    if (!isLiveAtPeak(model, i)) continue
    liveAtPeak++
    liveAtPeakBytes += model.size[i] as number
  }
  return { count, liveAtPeak, liveAtPeakBytes }
}
