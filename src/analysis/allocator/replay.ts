/**
 * Replays the history of one device: which allocation lives from when to when, and the totals after each event. Linear in the number of events.
 *
 * Rules (c10/cuda/CUDACachingAllocator.cpp and the notes of the snapshot format):
 * - Sizes are requested bytes. An allocation is *active* from alloc to free_completed and *allocated* from alloc to free_requested; `free` is both at once.
 * - What is freed without an alloc, and what the segment table holds at the end without a live alloc, was there at the start. That is right for a late recording and
 *   for a history whose oldest events were dropped alike, because only a prefix is ever lost.
 * - An alloc on a live address ends the old allocation there: its free was lost.
 * - Reserved bytes are anchored at the end, where the segment table is complete.
 */
import { stringAt } from '../../shared/columns'
import { ACTION_OTHER, ACTIONS, type DeviceTrace, type SnapshotTable } from '../../shared/tables'
import { AddressIds, halvesOf } from './addresses'
import { blockRounded } from './blockRounded'
import { ORIGINS, type AllocatorFigures, type AllocatorModel, type Origin } from './model'
import { poolsOf, reservedCurve } from './reserved'

const code = (a: (typeof ACTIONS)[number]): number => ACTIONS.indexOf(a)
export const ALLOC = code('alloc')
export const FREE_REQUESTED = code('free_requested')
export const FREE_COMPLETED = code('free_completed')
export const FREE = code('free')
export const SNAPSHOT = code('snapshot')
const OOM = code('oom')
const ACTIVE_ALLOCATED = 0
const ACTIVE_PENDING_FREE = 1
const origin = (o: Origin): number => ORIGINS.indexOf(o)

/** Replays each device that has segments or events, ascending. Segments without a device (-1) belong to none; the reader has told about them. */
export function replayAll(table: SnapshotTable): AllocatorModel[] {
  const segments = segmentsByDevice(table)
  const found = new Set(segments.keys())
  for (const d of table.devices) if (d.count > 0) found.add(d.device)
  found.delete(-1)
  return [...found].sort((a, b) => a - b).map(d => replay(table, d, segments.get(d) ?? []))
}

/** Rows of the segment table by device, one pass for all of them: a scan for each device would be quadratic. */
export function segmentsByDevice({ segments }: SnapshotTable): Map<number, number[]> {
  const out = new Map<number, number[]>()
  for (let s = 0; s < segments.count; s++) {
    const device = segments.device[s] as number
    const rows = out.get(device)
    if (rows) rows.push(s)
    else out.set(device, [s])
  }
  return out
}

/**
 * Replays `device` of a snapshot.
 *
 * Where the file ended inside this device's history or before the end of the segment table, the table cannot be tied to the events: then only what the events prove is
 * counted (a lower bound of the active bytes), `liveAtStart` and the reserved bytes are NaN ("not known") and the self-check is not ok.
 *
 * `segmentRows` are the rows of the segment table that belong to the device, where they are known already.
 */
export function replay(
  table: SnapshotTable,
  device: number,
  segmentRows: readonly number[] = segmentsByDevice(table).get(device) ?? [],
): AllocatorModel {
  const traceIndex = table.devices.findIndex(d => d.device === device)
  const trace = traceIndex < 0 ? null : (table.devices[traceIndex] as DeviceTrace)
  const anchored = table.segments.complete !== false && trace?.complete !== false
  const events = trace?.count ?? 0
  const active = new Float64Array(events)
  const allocated = new Float64Array(events)
  const run = walk(trace, active, allocated)
  const start = startState(table, segmentRows, trace, run, anchored)

  // ── columns of allocations ──
  const startCount = start.length
  const count = startCount + run.count
  const model = {
    size: new Float64Array(count),
    address: new BigUint64Array(count),
    origin: new Uint8Array(count),
    allocEvent: new Int32Array(count).fill(-1),
    freeRequestedEvent: new Int32Array(count).fill(-1),
    freeEvent: new Int32Array(count).fill(-1),
    stack: new Int32Array(count).fill(-1),
    freeStack: new Int32Array(count).fill(-1),
    stream: new Int32Array(count).fill(-1),
    block: new Int32Array(count).fill(-1),
  }
  let unknownFrees = 0
  let unknownFreeBytes = 0
  let liveAtStart = 0
  let liveAtStartBytes = 0
  let pendingBytes = 0
  start.forEach((s, i) => {
    model.size[i] = s.size
    model.address[i] = s.address
    model.origin[i] = origin(s.origin)
    model.freeRequestedEvent[i] = s.freeRequested
    model.freeEvent[i] = s.free
    model.stack[i] = s.stack
    model.freeStack[i] = s.freeStack
    model.stream[i] = s.stream
    model.block[i] = s.block
    if (s.origin === 'unknown-free') {
      unknownFrees++
      unknownFreeBytes += s.size
    } else if (s.origin === 'live-at-start') {
      liveAtStart++
      liveAtStartBytes += s.size
    } else pendingBytes += s.size
  })
  if (trace)
    for (let r = 0; r < run.count; r++) {
      const i = startCount + r
      const e = run.allocEvent[r] as number
      const free = run.free[r] as number
      const requested = run.freeRequested[r] as number
      model.size[i] = sizeAt(trace, e)
      model.address[i] = trace.address[e] as bigint
      model.allocEvent[i] = e
      model.freeRequestedEvent[i] = requested
      model.freeEvent[i] = free
      model.stack[i] = trace.stack[e] as number
      // A retired allocation has no free of its own: its last event is the alloc of the next one.
      const freed = requested >= 0 ? requested : free >= 0 && trace.action[free] !== ALLOC ? free : -1
      model.freeStack[i] = freed >= 0 ? (trace.stack[freed] as number) : -1
      model.stream[i] = trace.stream[e] as number
      model.block[i] = run.block[r] as number
    }

  // ── totals ──
  const startActiveBytes = liveAtStartBytes + unknownFreeBytes + pendingBytes
  const startAllocatedBytes = liveAtStartBytes + run.requestedWithoutAlloc
  const activePeak = lift(active, startActiveBytes)
  const allocatedPeak = lift(allocated, startAllocatedBytes)
  const reserved = reservedCurve(table, segmentRows, trace, anchored)
  const endActiveBytes = events > 0 ? (active[events - 1] as number) : startActiveBytes
  const tableBytes = start.tableBytes
  const self = trace ? describe(table, trace) : { eventsByAction: {}, ooms: [], maxStack: 0, entriesWithoutFrames: 0, snapshots: [] }

  const figures: Omit<AllocatorFigures, 'checkpoints' | 'blockRounded'> = {
    startActiveBytes,
    peakActiveBytes: activePeak.peak,
    peakActiveEvent: activePeak.event,
    endActiveBytes,
    startAllocatedBytes,
    peakAllocatedBytes: allocatedPeak.peak,
    endAllocatedBytes: events > 0 ? (allocated[events - 1] as number) : startAllocatedBytes,
    startReservedBytes: reserved.start,
    peakReservedBytes: reserved.peak,
    endReservedBytes: reserved.end,
    unknownFrees,
    unknownFreeBytes,
    liveAtStart: anchored ? liveAtStart : NaN,
    liveAtStartBytes: anchored ? liveAtStartBytes : NaN,
    eventsByAction: self.eventsByAction,
    pools: poolsOf(table, segmentRows),
    ooms: self.ooms,
    maxStack: self.maxStack,
    entriesWithoutFrames: self.entriesWithoutFrames,
    selfCheck: { ok: anchored && endActiveBytes === tableBytes, replayBytes: endActiveBytes, tableBytes },
    retired: run.retired,
  }
  const bare = {
    device,
    traceIndex,
    events,
    count,
    startCount,
    ...model,
    active,
    allocated,
    reserved: reserved.after,
    time: trace?.time ?? new Float64Array(0),
  }
  const { verdict, after } = blockRounded(table, segmentRows, bare, self.snapshots, anchored)
  return { ...bare, rounded: after, figures: { ...figures, checkpoints: verdict.checkpoints, blockRounded: verdict } }
}

const sizeAt = (trace: DeviceTrace, e: number): number => {
  const s = trace.size[e] as number
  // The reader has told about a size that is missing or no number.
  return Number.isNaN(s) ? 0 : s
}

// ── the walk over the events ──

interface Unknown {
  readonly addressEvent: number
  readonly requested: number
  completed: number
  size: number
}
interface Walk {
  readonly ids: AddressIds
  /** Per address id: 0 nothing lives there, r + 1 recorded allocation r, -(u + 1) a free_requested u without an alloc. */
  readonly live: Int32Array
  readonly count: number
  readonly allocEvent: Int32Array
  readonly freeRequested: Int32Array
  readonly free: Int32Array
  readonly block: Int32Array
  readonly unknown: Unknown[]
  readonly requestedWithoutAlloc: number
  readonly retired: number
}

/** Fills `active` and `allocated` with the change since the start after each event. */
function walk(trace: DeviceTrace | null, active: Float64Array, allocated: Float64Array): Walk {
  const n = trace?.count ?? 0
  const action = trace?.action ?? new Uint8Array(0)
  let allocs = 0
  for (let i = 0; i < n; i++) if (action[i] === ALLOC) allocs++
  const ids = new AddressIds()
  let live = new Int32Array(1024)
  const allocEvent = new Int32Array(allocs)
  const freeRequested = new Int32Array(allocs).fill(-1)
  const free = new Int32Array(allocs).fill(-1)
  const unknown: Unknown[] = []
  let requestedWithoutAlloc = 0
  let retired = 0
  let count = 0
  let a = 0
  let b = 0
  const halves = halvesOf(trace?.address ?? new BigUint64Array(0))
  for (let i = 0; i < n; i++) {
    const act = action[i] as number
    if (act <= FREE && trace) {
      const id = ids.add(halves[2 * i] as number, halves[2 * i + 1] as number)
      if (id >= live.length) {
        const next = new Int32Array(live.length * 2)
        next.set(live)
        live = next
      }
      const here = live[id] as number
      const size = sizeAt(trace, i)
      const r = here - 1
      if (act === ALLOC) {
        if (here > 0) {
          const old = sizeAt(trace, allocEvent[r] as number)
          free[r] = i
          a -= old
          if (freeRequested[r] === -1) b -= old
          retired++
        }
        allocEvent[count++] = i
        live[id] = count
        a += size
        b += size
      } else if (act === FREE_REQUESTED) {
        if (here > 0) {
          if (freeRequested[r] === -1) {
            freeRequested[r] = i
            b -= sizeAt(trace, allocEvent[r] as number)
          }
        } else if (here === 0) {
          requestedWithoutAlloc += size
          b -= size
          live[id] = -unknown.push({ addressEvent: i, requested: i, completed: -1, size })
        }
      } else {
        live[id] = 0
        if (here > 0) {
          const old = sizeAt(trace, allocEvent[r] as number)
          free[r] = i
          a -= old
          if (freeRequested[r] === -1) {
            b -= old
            if (act === FREE) freeRequested[r] = i
          }
        } else {
          a -= size
          const u = here < 0 ? (unknown[-here - 1] as Unknown) : null
          if (u) {
            u.completed = i
            u.size = size
          } else if (act === FREE) {
            // Request and completion in one: it was allocated until here.
            requestedWithoutAlloc += size
            b -= size
            unknown.push({ addressEvent: i, requested: i, completed: i, size })
          } else unknown.push({ addressEvent: i, requested: -1, completed: i, size })
        }
      }
    }
    active[i] = a
    allocated[i] = b
  }
  return {
    ids,
    live,
    count,
    allocEvent,
    freeRequested,
    free,
    block: new Int32Array(allocs).fill(-1),
    unknown,
    requestedWithoutAlloc,
    retired,
  }
}

// ── the start state ──

interface StartRow {
  readonly origin: Origin
  readonly size: number
  readonly address: bigint
  readonly freeRequested: number
  readonly free: number
  readonly stack: number
  readonly freeStack: number
  readonly stream: number
  readonly block: number
}

/** Blocks of the table first, in the table's order; then what is freed in the window, the last freed first. Links recorded allocations to their blocks. */
function startState(
  table: SnapshotTable,
  segmentRows: readonly number[],
  trace: DeviceTrace | null,
  run: Walk,
  anchored: boolean,
): readonly StartRow[] & { readonly tableBytes: number } {
  const rows: StartRow[] = []
  const { segments, blocks } = table
  const halves = halvesOf(blocks.address)
  let tableBytes = 0
  const linked = new Set<number>()
  for (const s of segmentRows) {
    for (let k = segments.blockStart[s] as number; k < (segments.blockStart[s + 1] as number); k++) {
      const state = blocks.state[k]
      if (state !== ACTIVE_ALLOCATED && state !== ACTIVE_PENDING_FREE) continue
      const requested = blocks.requestedSize[k] as number
      const size = Number.isNaN(requested) ? (blocks.size[k] as number) || 0 : requested
      tableBytes += size
      if (!anchored) continue
      const id = run.ids.find(halves[2 * k] as number, halves[2 * k + 1] as number)
      const here = id < 0 ? 0 : (run.live[id] as number)
      if (here > 0 && !linked.has(here)) {
        run.block[here - 1] = k
        linked.add(here)
        continue
      }
      if (here > 0) continue
      const pending = state === ACTIVE_PENDING_FREE
      const u = here < 0 && pending ? (run.unknown[-here - 1] as Unknown) : null
      rows.push({
        origin: pending ? 'pending-free' : 'live-at-start',
        size,
        address: blocks.address[k] as bigint,
        freeRequested: u?.requested ?? -1,
        free: -1,
        stack: blocks.stack[k] as number,
        freeStack: u && trace ? (trace.stack[u.requested] as number) : -1,
        stream: segments.stream[s] as number,
        block: k,
      })
    }
  }
  for (let i = run.unknown.length - 1; i >= 0; i--) {
    const u = run.unknown[i] as Unknown
    if (u.completed < 0 || !trace) continue
    const freed = u.requested >= 0 ? u.requested : u.completed
    rows.push({
      origin: 'unknown-free',
      size: u.size,
      address: trace.address[u.addressEvent] as bigint,
      freeRequested: u.requested,
      free: u.completed,
      stack: -1,
      freeStack: trace.stack[freed] as number,
      stream: trace.stream[u.addressEvent] as number,
      block: -1,
    })
  }
  return Object.assign(rows, { tableBytes })
}

// ── totals and figures ──

/** Adds the start to a curve of changes and finds the first maximum; -1 is the start. */
export function lift(curve: Float64Array, start: number): { readonly peak: number; readonly event: number } {
  let peak = start
  let event = -1
  for (let i = 0; i < curve.length; i++) {
    const v = (curve[i] as number) + start
    curve[i] = v
    if (v > peak) {
      peak = v
      event = i
    }
  }
  return { peak, event }
}

function describe(table: SnapshotTable, trace: DeviceTrace) {
  const counts = new Float64Array(256)
  const others = new Map<number, number>()
  const ooms: { event: number; size: number; deviceFree: number | null }[] = []
  const snapshots: number[] = []
  let maxStack = 0
  let entriesWithoutFrames = 0
  for (let i = 0; i < trace.count; i++) {
    const act = trace.action[i] as number
    counts[act] = (counts[act] as number) + 1
    if (act === OOM) {
      const free = trace.deviceFree[i] as number
      ooms.push({ event: i, size: trace.size[i] as number, deviceFree: Number.isNaN(free) ? null : free })
    } else if (act === SNAPSHOT) snapshots.push(i)
    else if (act === ACTION_OTHER) others.set(trace.otherAction[i] as number, (others.get(trace.otherAction[i] as number) ?? 0) + 1)
    const stack = trace.stack[i] as number
    if (stack < 0) entriesWithoutFrames++
    else maxStack = Math.max(maxStack, (table.stacks.start[stack + 1] as number) - (table.stacks.start[stack] as number))
  }
  const byAction: [string, number][] = []
  ACTIONS.forEach((name, c) => {
    if ((counts[c] as number) > 0) byAction.push([name, counts[c] as number])
  })
  for (const [id, n] of others) byAction.push([stringAt(table.strings, id), n])
  return { eventsByAction: Object.fromEntries(byAction), ooms, maxStack, entriesWithoutFrames, snapshots }
}
