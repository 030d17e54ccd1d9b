/** Pinned host memory: the same records as those of the devices, in lists of their own. It is in no figure of a device. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import { BLOCK_STATES, type DeviceTrace, type HostMemory } from '../../shared/tables'
import type { Builder } from '../pickle/builder'
import { OBJ } from '../pickle/tags'
import { rowCount, type Rows } from './columns'
import { EVENT, isList, RUN, SEGMENT } from './kinds'
import type { Lists } from './lists'
import { MOST_DEVICES, segmentTables } from './segments'
import type { SnapshotShapes } from './shapes'
import type { Top } from './top'
import { deviceTrace } from './traces'

/** null where the file has neither of the two lists. */
export function hostMemory(
  m: Builder,
  shapes: SnapshotShapes,
  sink: DiagnosticSink,
  lists: Lists,
  top: Top,
  epochUs: number,
): HostMemory | null {
  if (top.hostSegments === null && top.hostTraces === null) return null
  const segmentRows = top.hostSegments === null ? { start: 0, end: 0 } : lists.rows(OBJ, top.hostSegments, SEGMENT, 'host_segments')
  const tables = segmentTables(m, shapes, sink, lists, segmentRows, top.categories, true, false)
  const traces = top.hostTraces === null ? null : hostTraces(m, shapes, lists, top, epochUs)
  const host = { segments: top.hostSegments === null ? null : tables.segments, blocks: tables.blocks, traces }
  tell(host, sink)
  return host
}

/** One list of entries, or a list of such lists: both are taken. */
function hostTraces(m: Builder, shapes: SnapshotShapes, lists: Lists, top: Top, epochUs: number): readonly DeviceTrace[] {
  const store = m.store
  const list = top.hostTraces as number
  const found: Rows[] = []
  const nested = store.objKind[list] !== RUN + EVENT && [...firstItems(m, list)].some(kind => isList(kind))
  let budget = 2 * shapes.events.count + 1024
  for (const [tag, val] of nested ? lists.items(list, 'host_traces') : [[OBJ, list] as const]) {
    const rows = lists.rows(tag, val, EVENT, 'host_traces')
    budget -= rowCount(rows)
    if (found.length >= MOST_DEVICES || budget < 0) {
      lists.refuse(`more lists than ${found.length}, or the same list many times`, 'host_traces')
      break
    }
    found.push(rows)
  }
  return found.map(rows => {
    const time = shapes.events.gather('time', rows, new Float64Array(rowCount(rows)))
    return deviceTrace(shapes, m, rows, -1, time, epochUs, top.categories, true)
  })
}

/** Kinds of the first items of a general list. */
function* firstItems(m: Builder, list: number): Generator<number> {
  const store = m.store
  if (store.objKind[list] === undefined || (store.objKind[list] as number) >= RUN) return
  for (let n = store.objA[list] as number, i = 0; n >= 0 && i < 8; n = store.nodeNext[n] as number, i++)
    yield store.kind(store.nodeTag[n] as number, store.nodeVal[n] as number)
}

function tell(host: HostMemory, sink: DiagnosticSink): void {
  const parts: string[] = []
  if (host.segments !== null) {
    const states = BLOCK_STATES.map((name, state) => {
      let bytes = 0
      for (let i = 0; i < host.blocks.count; i++) if (host.blocks.state[i] === state) bytes += host.blocks.size[i] as number
      return `${Number.isNaN(bytes) ? 'an unknown number of' : bytes.toLocaleString('en-US')} bytes ${name}`
    })
    parts.push(`${host.segments.count} segments (blocks: ${states.join(', ')})`)
  }
  if (host.traces !== null) parts.push(`${host.traces.reduce((n, t) => n + t.count, 0).toLocaleString('en-US')} events`)
  sink.add({
    severity: 'info',
    code: 'snapshot-host-memory',
    message: `The file also holds pinned host memory: ${parts.join(' and ')}.`,
    meaning: 'It lies in the memory of the host and is in no figure of a device.',
    action: 'Nothing to do.',
  })
}
