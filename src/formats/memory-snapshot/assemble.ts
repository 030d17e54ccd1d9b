/** Builds the table from what the shapes have staged and from the top-level value. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import {
  ACTIONS,
  type AnnotationTable,
  type BlockTable,
  type DeviceTrace,
  type SegmentTable,
  type SnapshotTable,
} from '../../shared/tables'
import { GrowF64, GrowI32 } from '../pickle/grow'
import type { Machine } from '../pickle/machine'
import { DICT_EMPTY, LIST, LIST_EMPTY, NONE, OBJ, STR, TUPLE } from '../pickle/tags'
import { rowAt, rowCount, type Rows } from './columns'
import { key } from './keys'
import { BLOCK, EVENT, isDict, isList, NOTE, RUN, SEGMENT } from './kinds'
import { type SnapshotShapes } from './shapes'

const MOST_DEVICES = 1024
const MOST_TOP_LEVEL = 256
const TOP_LEVEL_TEXT = 64 * 1024
const ANNOTATE = ACTIONS.indexOf('annotate')
const USER_DEFINED = ACTIONS.indexOf('user_defined')

export interface Parts {
  readonly rootTag: number
  readonly rootVal: number
  readonly complete: boolean
  readonly segmentsWhole: boolean
  readonly tracesWhole: boolean
  readonly openDevice: number
  readonly bytesRead: number
}

/** The table, or what was found instead of a snapshot, in words. */
export function assemble(machine: Machine, shapes: SnapshotShapes, sink: DiagnosticSink, parts: Parts): SnapshotTable | string {
  const store = machine.store
  const top = topLevel(machine, parts)
  if (typeof top === 'string') return top
  const { segments: segmentList, traces, settings, annotations: notes, categories, others } = top
  const lists = new Lists(machine, shapes, sink)

  // ── traces ──
  const traceRows: Rows[] = []
  let budget = 2 * shapes.events.count + 1024
  for (const list of traces === null ? [] : lists.items(traces, 'device_traces')) {
    const rows = lists.rows(list[0], list[1], EVENT, `device_traces[${traceRows.length}]`)
    budget -= rowCount(rows)
    if (traceRows.length >= MOST_DEVICES || budget < 0) {
      sink.add(refused(`more device lists than ${traceRows.length}, or the same list many times`, 'device_traces'))
      break
    }
    traceRows.push(rows)
  }
  const times = traceRows.map(r => shapes.events.gather('time', r, new Float64Array(rowCount(r))))
  const timeUs = extent(times)
  const noteRows = notes === null ? [] : [...lists.items(notes, 'external_annotations')]
  const epochUs = timeUs ? timeUs[0] : smallestNote(shapes, noteRows)

  const devices = traceRows.map((rows, device) =>
    deviceTrace(shapes, machine, rows, device, times[device] as Float64Array, epochUs ?? 0, categories, device !== parts.openDevice),
  )

  // ── segments and blocks ──
  const segmentRows = segmentList === null ? { start: 0, end: 0 } : lists.rows(OBJ, segmentList, SEGMENT, 'segments')
  const { segments, blocks } = segmentTables(machine, shapes, sink, lists, segmentRows, categories, parts.segmentsWhole)

  // ── frames, annotations and texts ──
  const frames = {
    count: shapes.frames.count,
    name: shapes.frames.name.take(),
    file: shapes.frames.file.take(),
    line: shapes.frames.line.take(),
    ...(shapes.frames.anyExtra ? { extra: shapes.frames.extra.take() } : {}),
  }
  const stacks = { count: shapes.stacks.count, start: shapes.stacks.start.take(), frames: shapes.stacks.frames.take() }
  const annotations = annotationTable(machine, shapes, noteRows, devices, epochUs ?? 0, stacks.start, stacks.frames)
  const settingsText = settings === null ? null : shapes.valueText(settings[0], settings[1], TOP_LEVEL_TEXT)
  const unknown: [string, string][] = []
  for (const [id, tag, val] of others) {
    if (unknown.length >= MOST_TOP_LEVEL) {
      sink.add(refused(`more than ${MOST_TOP_LEVEL} top-level keys`, 'unknown keys'))
      break
    }
    unknown.push([machine.text(id), shapes.valueText(tag, val, TOP_LEVEL_TEXT)])
  }
  tellUnknownKeys(machine, shapes, sink)

  return {
    kind: 'memory-snapshot',
    format: top.form,
    pickleProtocol: machine.protocol < 0 ? 0 : machine.protocol,
    epochNs: epochUs === null ? 0n : BigInt(Math.trunc(epochUs)) * 1000n,
    clock: epochUs === null ? 'none' : 'unix-microseconds',
    timeRange: timeUs ? [0, (timeUs[1] - timeUs[0]) * 1000] : null,
    timeUs,
    devices,
    segments,
    blocks,
    frames,
    stacks,
    streams: shapes.streams,
    pools: shapes.pools,
    strings: store.strings.table(),
    annotations,
    settings: settingsText,
    unknown: Object.fromEntries(unknown),
    complete: parts.complete,
    bytesRead: parts.bytesRead,
  }
}

// ── the top-level value ──

type Value = readonly [tag: number, val: number]
interface Top {
  readonly form: 'pickle' | 'pickle-list'
  readonly segments: number | null
  readonly traces: number | null
  readonly settings: Value | null
  readonly annotations: number | null
  readonly categories: readonly number[]
  readonly others: readonly (readonly [key: number, tag: number, val: number])[]
}

function topLevel(m: Machine, parts: Parts): Top | string {
  const store = m.store
  const obj = parts.rootVal
  const kind = store.kind(parts.rootTag, obj)
  const bare = { traces: null, settings: null, annotations: null, categories: [], others: [] }
  if (kind === RUN + SEGMENT) return { form: 'pickle-list', segments: obj, ...bare }
  if (!isDict(kind)) return describe(m, parts.rootTag, obj)
  // A key that is set twice keeps its last value, as in Python.
  const pairs = new Map<number, Value>()
  if (kind !== DICT_EMPTY)
    for (let n = store.objA[obj] as number; n >= 0; n = store.nodeNext[n] as number) {
      const tag = store.nodeTag[n] as number
      const k = store.nodeVal[n] as number
      n = store.nodeNext[n] as number
      if (tag === STR) pairs.set(k, [store.nodeTag[n] as number, store.nodeVal[n] as number])
    }
  const list = (name: 'segments' | 'device_traces' | 'external_annotations' | 'categories'): number | null => {
    const v = pairs.get(key(name))
    if (!v || v[0] !== OBJ || !isList(store.objKind[v[1]] as number)) return null
    pairs.delete(key(name))
    return v[1]
  }
  const segments = list('segments')
  const traces = list('device_traces')
  if (segments === null && traces === null) return describe(m, parts.rootTag, obj)
  const annotations = list('external_annotations')
  const settings = pairs.get(key('allocator_settings')) ?? null
  pairs.delete(key('allocator_settings'))
  const categories: number[] = []
  const named = list('categories')
  if (named !== null && store.objKind[named] === LIST)
    for (let n = store.objA[named] as number; n >= 0; n = store.nodeNext[n] as number)
      categories.push(store.nodeTag[n] === STR ? (store.nodeVal[n] as number) : -1)
  return { form: 'pickle', segments, traces, settings, annotations, categories, others: [...pairs].map(([k, v]) => [k, v[0], v[1]]) }
}

/** What a value is, in words. */
export function describe(m: Machine, tag: number, val: number): string {
  if (tag === NONE) return 'the value None'
  if (tag === STR) return 'a text'
  const kind = m.store.kind(tag, val)
  if (kind < 0) return 'a plain value'
  if (isDict(kind)) {
    const keys: string[] = []
    for (let n = m.store.objA[val] as number; n >= 0 && keys.length < 6; n = m.store.nodeNext[m.store.nodeNext[n] as number] as number)
      keys.push(m.store.nodeTag[n] === STR ? `'${m.text(m.store.nodeVal[n] as number).slice(0, 40)}'` : 'a key that is no text')
    return keys.length === 0 ? 'an empty dict' : `a dict with the keys ${keys.join(', ')}${keys.length === 6 ? ', …' : ''}`
  }
  if (kind === LIST_EMPTY) return 'an empty list'
  if (kind === RUN + EVENT) return 'a list of trace entries without the segments around it'
  if (isList(kind)) return 'a list whose items are no segments'
  if (kind === SEGMENT || kind === BLOCK || kind === EVENT) return 'a single record of a snapshot'
  return 'a value of another kind'
}

// ── lists ──

class Lists {
  readonly #m: Machine
  readonly #shapes: SnapshotShapes
  readonly #sink: DiagnosticSink
  constructor(m: Machine, shapes: SnapshotShapes, sink: DiagnosticSink) {
    this.#m = m
    this.#shapes = shapes
    this.#sink = sink
  }

  /** Items of a list one by one. A run of records has none that are lists. */
  *items(list: number, name: string): Generator<Value> {
    const store = this.#m.store
    const kind = store.objKind[list] as number
    if (kind === LIST || kind === TUPLE)
      for (let n = store.objA[list] as number; n >= 0; n = store.nodeNext[n] as number)
        yield [store.nodeTag[n] as number, store.nodeVal[n] as number]
    else if (kind !== LIST_EMPTY) this.#odd(name, 1)
  }

  /** Rows of the records of one kind in a list. Items of other kinds are counted and told. */
  rows(tag: number, list: number, want: number, name: string): Rows {
    const store = this.#m.store
    const kind = store.kind(tag, list)
    if (kind === RUN + want) return { start: store.objA[list] as number, end: store.objB[list] as number }
    if (kind === LIST_EMPTY) return { start: 0, end: 0 }
    if (kind !== LIST && kind !== TUPLE) {
      this.#odd(name, 1)
      return { start: 0, end: 0 }
    }
    const rows = new GrowI32(64)
    let odd = 0
    for (let n = store.objA[list] as number; n >= 0; n = store.nodeNext[n] as number) {
      const val = store.nodeVal[n] as number
      if (this.#shapes.itemKind(store.nodeTag[n] as number, val) === want) rows.push(store.objA[val] as number)
      else odd++
    }
    if (odd > 0) this.#odd(name, odd)
    return Uint32Array.from(rows.take())
  }

  #odd(name: string, count: number): void {
    this.#sink.add({
      severity: 'warning',
      code: 'snapshot-odd-item',
      message: `${name} holds items that are not what the format puts there.`,
      meaning: 'They are left out of all figures.',
      action: 'Check what wrote the file.',
      count,
    })
  }
}

const refused = (what: string, where: string) =>
  ({
    severity: 'error',
    code: 'pickle-limit',
    message: `${where}: ${what}.`,
    meaning: 'What goes beyond is left out.',
    action: 'PyTorch writes no such file. Check where it comes from.',
  }) as const

// ── tables ──

function extent(columns: readonly Float64Array[]): readonly [number, number] | null {
  let lo = Infinity
  let hi = -Infinity
  for (const column of columns)
    for (const v of column) {
      if (v < lo) lo = v
      if (v > hi) hi = v
    }
  return lo <= hi ? [lo, hi] : null
}

function smallestNote(shapes: SnapshotShapes, notes: readonly Value[]): number | null {
  let lo = Infinity
  for (const [tag, val] of notes)
    if (shapes.itemKind(tag, val) === NOTE)
      lo = Math.min(lo, nanTo(shapes.notes.timeUs.a[shapes.store.objA[val] as number] as number, Infinity))
  return Number.isFinite(lo) ? lo : null
}
const nanTo = (v: number, instead: number): number => (Number.isNaN(v) ? instead : v)

function deviceTrace(
  shapes: SnapshotShapes,
  machine: Machine,
  rows: Rows,
  device: number,
  time: Float64Array,
  epochUs: number,
  categories: readonly number[],
  complete: boolean,
): DeviceTrace {
  const e = shapes.events
  const n = rowCount(rows)
  const ids = (): Int32Array => new Int32Array(n).fill(-1)
  const epoch = Math.trunc(epochUs)
  for (let i = 0; i < n; i++) time[i] = ((time[i] as number) - epoch) * 1000
  return {
    device,
    count: n,
    action: e.gather('action', rows, new Uint8Array(n)),
    otherAction: e.gather('otherAction', rows, ids()),
    address: e.gatherAddress(rows),
    size: e.gather('size', rows, new Float64Array(n)),
    stream: e.gather('stream', rows, new Int32Array(n)),
    time,
    stack: e.gather('stack', rows, new Int32Array(n)),
    deviceFree: e.gather('deviceFree', rows, new Float64Array(n).fill(NaN)),
    pool: e.gather('pool', rows, ids()),
    compileContext: e.gather('context', rows, new Int32Array(n)),
    userMetadata: e.gather('metadata', rows, new Int32Array(n)),
    category: named(e.gather('category', rows, ids()), categories, machine),
    extras: shapes.eventExtras.columns(rows, id => machine.text(id)),
    complete,
  }
}

/** Replaces indices of `categories` by the names. */
function named(column: Int32Array, categories: readonly number[], m: Machine): Int32Array {
  for (let i = 0; i < column.length; i++) {
    const c = column[i] as number
    if (c < -1) column[i] = categories[-2 - c] ?? m.store.strings.internText(String(-2 - c))
  }
  return column
}

/** Gives segments beyond the devices that are taken the device -1 ("none"), and tells how much memory stands under no device. */
function knownDevices(device: Int32Array, totalSize: Float64Array, sink: DiagnosticSink): Int32Array {
  const seen = new Set<number>()
  const none = { count: 0, bytes: 0 }
  const beyond = { count: 0, bytes: 0 }
  for (let i = 0; i < device.length; i++) {
    const d = device[i] as number
    if (d >= 0 && (seen.has(d) || seen.size < MOST_DEVICES)) {
      seen.add(d)
      continue
    }
    const of = d < 0 ? none : beyond
    of.count++
    of.bytes += nanTo(totalSize[i] as number, 0)
    device[i] = -1
  }
  const meaning = (bytes: number): string => `Their ${bytes} bytes are left out of all figures.`
  if (none.count > 0)
    sink.add({
      severity: 'error',
      code: 'snapshot-segment-device',
      message: 'Segments have a device that is no device number.',
      meaning: meaning(none.bytes),
      action: 'Check what wrote the file; PyTorch writes no such value.',
      count: none.count,
    })
  if (beyond.count > 0)
    sink.add({
      ...refused(`more devices than ${MOST_DEVICES}`, 'segments'),
      meaning: meaning(beyond.bytes),
      count: beyond.count,
    })
  return device
}

function segmentTables(
  m: Machine,
  shapes: SnapshotShapes,
  sink: DiagnosticSink,
  lists: Lists,
  rows: Rows,
  categories: readonly number[],
  whole: boolean,
): { readonly segments: SegmentTable; readonly blocks: BlockTable } {
  const s = shapes.segments
  const n = rowCount(rows)
  const blockStart = new Uint32Array(n + 1)
  const blockRows: Rows[] = []
  let total = 0
  const budget = 2 * shapes.blocks.size.n + 1024
  for (let i = 0; i < n; i++) {
    const list = s.blocks.a[rowAt(rows, i)] as number
    let of: Rows = list < 0 ? { start: 0, end: 0 } : lists.rows(OBJ, list, BLOCK, 'blocks')
    if (total + rowCount(of) > budget) {
      sink.add(refused('the same list of blocks many times', 'segments'))
      of = { start: 0, end: 0 }
    }
    total += rowCount(of)
    blockRows.push(of)
    blockStart[i + 1] = total
  }
  const pick = <A extends Int32Array | Float64Array | Uint8Array>(from: A, out: A): A => {
    for (let i = 0; i < n; i++) out[i] = from[rowAt(rows, i)] as number
    return out
  }
  const address = new BigUint64Array(n)
  for (let i = 0; i < n; i++) address[i] = s.address.at(rowAt(rows, i))
  const totalSize = pick(s.totalSize.a, new Float64Array(n))
  const segments: SegmentTable = {
    count: n,
    device: knownDevices(pick(s.device.a, new Int32Array(n)), totalSize, sink),
    address,
    totalSize,
    allocatedSize: pick(s.allocatedSize.a, new Float64Array(n)),
    activeSize: pick(s.activeSize.a, new Float64Array(n)),
    requestedSize: pick(s.requestedSize.a, new Float64Array(n)),
    stream: pick(s.stream.a, new Int32Array(n)),
    segmentType: pick(s.segmentType.a, new Int32Array(n)),
    pool: pick(s.pool.a, new Int32Array(n)),
    expandable: pick(s.expandable.a, new Uint8Array(n)),
    stack: pick(s.stack.a, new Int32Array(n)),
    blockStart,
    extras: shapes.segmentExtras.columns(rows, id => m.text(id)),
    complete: whole,
  }

  const b = shapes.blocks
  const blocks = {
    count: total,
    segment: new Uint32Array(total),
    address: new BigUint64Array(total),
    size: new Float64Array(total),
    requestedSize: new Float64Array(total),
    state: new Uint8Array(total),
    stack: new Int32Array(total),
    category: new Int32Array(total),
  }
  const all = new Uint32Array(total)
  let unrequested = 0
  for (let i = 0, k = 0; i < n; i++) {
    const of = blockRows[i] as Rows
    let next = address[i] as bigint
    for (let j = 0; j < rowCount(of); j++, k++) {
      const row = rowAt(of, j)
      const at = b.hasAddress.a[row] === 1 ? b.address.at(row) : next
      const size = b.size.a[row] as number
      all[k] = row
      blocks.segment[k] = i
      blocks.address[k] = at
      blocks.size[k] = size
      blocks.requestedSize[k] = b.requestedSize.a[row] as number
      blocks.state[k] = b.state.a[row] as number
      blocks.stack[k] = b.stack.a[row] as number
      blocks.category[k] = b.category.a[row] as number
      if (blocks.state[k] !== 2 && Number.isNaN(blocks.requestedSize[k])) unrequested++
      next = BigInt.asUintN(64, at + (Number.isFinite(size) ? BigInt(Math.trunc(size)) : 0n))
    }
  }
  named(blocks.category, categories, m)
  if (unrequested > 0)
    sink.add({
      severity: 'info',
      code: 'snapshot-no-requested-size',
      message: 'Blocks of this version do not tell how many bytes were requested.',
      meaning: 'Their size in the allocator, rounded up to 512 bytes or more, counts instead.',
      action: 'Record with torch 2.0 or later for exact figures.',
      count: unrequested,
    })
  return { segments, blocks: { ...blocks, extras: shapes.blockExtras.columns(all, id => m.text(id)) } }
}

function annotationTable(
  m: Machine,
  shapes: SnapshotShapes,
  notes: readonly Value[],
  devices: readonly DeviceTrace[],
  epochUs: number,
  stackStart: Uint32Array,
  stackFrames: Uint32Array,
): AnnotationTable {
  const text = new GrowI32(64)
  const stage = new GrowI32(64)
  const device = new GrowI32(64)
  const time = new GrowF64(64)
  const epoch = Math.trunc(epochUs)
  for (const [tag, val] of notes) {
    const known = shapes.itemKind(tag, val) === NOTE ? (m.store.objA[val] as number) : -1
    text.push(known >= 0 ? (shapes.notes.text.a[known] as number) : m.store.strings.internText(shapes.valueText(tag, val)))
    stage.push(known >= 0 ? (shapes.notes.stage.a[known] as number) : -1)
    device.push(known >= 0 ? (shapes.notes.device.a[known] as number) : -1)
    time.push(known >= 0 ? ((shapes.notes.timeUs.a[known] as number) - epoch) * 1000 : NaN)
  }
  const startEnd = [m.store.strings.internText('START'), m.store.strings.internText('END')]
  for (const d of devices)
    for (let i = 0; i < d.count; i++) {
      const action = d.action[i]
      if (action !== ANNOTATE && action !== USER_DEFINED) continue
      const word = m.store.strings.internText(ACTIONS[action] as string)
      const stack = d.stack[i] as number
      if (action === ANNOTATE) {
        text.push(d.userMetadata[i] as number)
        stage.push(word)
      } else {
        // The range's name stands where a frame has its file, START or END where it has its function.
        const frame = stack >= 0 ? (stackFrames[stackStart[stack] as number] as number) : -1
        const name = frame >= 0 ? (shapes.frames.name.a[frame] as number) : -1
        text.push(frame >= 0 ? (shapes.frames.file.a[frame] as number) : -1)
        stage.push(startEnd.includes(name) ? name : word)
      }
      device.push(d.device)
      time.push(d.time[i] as number)
    }
  return { count: text.n, text: text.take(), stage: stage.take(), device: device.take(), time: time.take() }
}

function tellUnknownKeys(m: Machine, shapes: SnapshotShapes, sink: DiagnosticSink): void {
  for (const [extras, where] of [
    [shapes.eventExtras, 'trace entries'],
    [shapes.segmentExtras, 'segments'],
    [shapes.blockExtras, 'blocks'],
  ] as const) {
    for (const { key: k, count, offset } of extras.keys)
      sink.add({
        severity: 'info',
        code: 'snapshot-unknown-key',
        offset,
        message: `Key '${m.text(k).slice(0, 80)}' of ${where} (${count} times) is not part of the known format.`,
        meaning: 'Its values are kept and shown with the allocation; no figure uses them.',
        action: 'Nothing to do.',
      })
    if (extras.dropped > 0)
      sink.add({
        severity: 'warning',
        code: 'snapshot-unknown-keys-left-out',
        message: `There are more unknown keys of ${where} than are kept.`,
        meaning: 'Values of the later ones are left out; no byte figure uses them.',
        action: 'Check what wrote the file.',
        count: extras.dropped,
      })
  }
}
