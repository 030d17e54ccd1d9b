/** Builds the table from what the shapes have staged and from the top-level value. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { SnapshotTable } from '../../shared/tables'
import type { Builder } from '../pickle/builder'
import { OBJ } from '../pickle/tags'
import { annotationTable, smallestNote } from './annotations'
import { rowCount, type Rows } from './columns'
import { hostMemory } from './host'
import { EVENT, SEGMENT } from './kinds'
import { Lists } from './lists'
import { MOST_DEVICES, segmentTables } from './segments'
import type { SnapshotShapes } from './shapes'
import { topLevel } from './top'
import { deviceTrace, extent } from './traces'

const MOST_TOP_LEVEL = 256
const TOP_LEVEL_TEXT = 64 * 1024

export interface Parts {
  readonly rootTag: number
  readonly rootVal: number
  readonly complete: boolean
  readonly segmentsWhole: boolean
  readonly tracesWhole: boolean
  readonly openDevice: number
  readonly bytesRead: number
  /** Protocol of the pickle; null for JSON. */
  readonly protocol: number | null
  /** It stood inside an HTML page. */
  readonly page: boolean
}

/** The table, or what was found instead of a snapshot, in words. */
export function assemble(machine: Builder, shapes: SnapshotShapes, sink: DiagnosticSink, parts: Parts): SnapshotTable | string {
  const store = machine.store
  const top = topLevel(machine, parts.rootTag, parts.rootVal, sink)
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
      lists.refuse(`more device lists than ${traceRows.length}, or the same list many times`, 'device_traces')
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
  const { segments, blocks } = segmentTables(machine, shapes, sink, lists, segmentRows, categories, parts.segmentsWhole, true)

  const host = hostMemory(machine, shapes, sink, lists, top, epochUs ?? 0)

  // ── frames, annotations and texts ──
  const frames = {
    count: shapes.lists.frames.count,
    name: shapes.lists.frames.name.take(),
    file: shapes.lists.frames.file.take(),
    line: shapes.lists.frames.line.take(),
    ...(shapes.lists.frames.anyExtra ? { extra: shapes.lists.frames.extra.take() } : {}),
  }
  const stacks = { count: shapes.lists.stacks.count, start: shapes.lists.stacks.start.take(), frames: shapes.lists.stacks.frames.take() }
  const annotations = annotationTable(machine, shapes, noteRows, devices, epochUs ?? 0, stacks.start, stacks.frames)
  const settingsText = settings === null ? null : shapes.texts.value(settings[0], settings[1], TOP_LEVEL_TEXT)
  const unknown: [string, string][] = []
  for (const [id, tag, val] of others) {
    if (unknown.length >= MOST_TOP_LEVEL) {
      lists.refuse(`more than ${MOST_TOP_LEVEL} top-level keys`, 'unknown keys')
      break
    }
    unknown.push([machine.text(id), shapes.texts.value(tag, val, TOP_LEVEL_TEXT)])
  }
  tellUnknownKeys(machine, shapes, sink)

  return {
    kind: 'memory-snapshot',
    format: parts.page ? 'html' : machine.family === 'json' ? 'json' : top.bareList ? 'pickle-list' : 'pickle',
    pickleProtocol: parts.protocol,
    epochNs: epochUs === null ? 0n : BigInt(Math.trunc(epochUs)) * 1000n,
    clock: epochUs === null ? 'none' : 'unix-microseconds',
    timeRange: timeUs ? [0, (timeUs[1] - timeUs[0]) * 1000] : null,
    timeUs,
    devices,
    segments,
    blocks,
    frames,
    stacks,
    streams: shapes.fields.streams,
    pools: shapes.fields.pools,
    strings: store.strings.table(),
    annotations,
    ...(host ? { host } : {}),
    settings: settingsText,
    unknown: Object.fromEntries(unknown),
    complete: parts.complete,
    bytesRead: parts.bytesRead,
  }
}

function tellUnknownKeys(m: Builder, shapes: SnapshotShapes, sink: DiagnosticSink): void {
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
        meaning:
          'Its values are kept and shown with the allocation. Ids among them may link it to an allocation of the runtime; no other figure uses them.',
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
