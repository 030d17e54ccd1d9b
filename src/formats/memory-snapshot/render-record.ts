/** Recognised records as JSON text, where they stand inside a value that is kept as text (for example `host_traces`). */
import { ACTION_OTHER, ACTIONS, BLOCK_STATES } from '../../shared/tables'
import type { JsonText } from '../pickle/render'
import { OBJ } from '../pickle/tags'
import { decodeText } from '../pickle/text'
import { BLOCK, EVENT, FRAME, FRAMES, HISTORY, NOTE, RUN, SEGMENT, STACK } from './kinds'
import type { SnapshotShapes } from './shapes'

/** Writes record `obj`; false for an object that is no record, or when the text is full. */
export function renderRecord(shapes: SnapshotShapes, obj: number, out: JsonText, depth: number): boolean {
  const store = shapes.store
  const kind = store.objKind[obj] as number
  const row = store.objA[obj] as number
  const fields = (list: readonly (readonly [string, string | number | bigint | null])[]): boolean => {
    const shown = list.filter(([, v]) => v !== null && !Number.isNaN(v))
    return out.put(
      `{${shown.map(([k, v]) => `${JSON.stringify(k)}: ${typeof v === 'string' ? JSON.stringify(v) : String(v)}`).join(', ')}}`,
    )
  }
  const many = (n: number, one: (i: number) => boolean): boolean => {
    if (!out.put('[')) return false
    for (let i = 0; i < n; i++) if ((i > 0 && !out.put(', ')) || !one(i)) return false
    return out.put(']')
  }
  const text = (id: number): string | null => (id < 0 ? null : decodeText(store.strings.raw(id)))
  const frame = (f: number): boolean =>
    fields([
      ['name', text(shapes.lists.frames.name.a[f] as number)],
      ['filename', text(shapes.lists.frames.file.a[f] as number)],
      ['line', shapes.lists.frames.line.a[f] as number],
    ])
  const event = (r: number): boolean => {
    const e = shapes.events
    const action = e.cell('action', r, 0)
    return fields([
      ['action', action === ACTION_OTHER ? text(e.cell('otherAction', r, -1)) : (ACTIONS[action] as string)],
      ['addr', e.address(r)],
      ['size', e.cell('size', r, NaN)],
      ['stream', shapes.fields.streams[e.cell('stream', r, -1)] ?? null],
      ['time_us', e.cell('time', r, NaN)],
      ['user_metadata', text(e.cell('metadata', r, -1))],
    ])
  }
  const block = (r: number): boolean =>
    fields([
      ['address', shapes.blocks.address.at(r)],
      ['size', shapes.blocks.size.a[r] as number],
      ['requested_size', shapes.blocks.requestedSize.a[r] as number],
      ['state', BLOCK_STATES[shapes.blocks.state.a[r] as number] ?? 'other'],
    ])
  const segment = (r: number): boolean => {
    const s = shapes.segments
    const ok = fields([
      ['device', s.device.a[r] as number],
      ['address', s.address.at(r)],
      ['total_size', s.totalSize.a[r] as number],
      ['segment_type', text(s.segmentType.a[r] as number)],
    ])
    const blocks = s.blocks.a[r] as number
    return ok && (blocks < 0 || (out.put(', ') && out.value(OBJ, blocks, depth + 1)))
  }
  const run = (one: (r: number) => boolean): boolean => many((store.objB[obj] as number) - row, i => one(row + i))
  switch (kind) {
    case FRAME:
      return frame(row)
    case EVENT:
      return event(row)
    case BLOCK:
      return block(row)
    case SEGMENT:
      return segment(row)
    case RUN + EVENT:
      return run(event)
    case RUN + BLOCK:
      return run(block)
    case RUN + SEGMENT:
      return run(segment)
    case FRAMES:
      return run(i => frame(shapes.lists.pending.a[i] as number))
    case STACK: {
      const from = shapes.lists.stacks.start.a[row] as number
      return many((shapes.lists.stacks.start.a[row + 1] as number) - from, i => frame(shapes.lists.stacks.frames.a[from + i] as number))
    }
    case NOTE:
      return fields([
        ['name', text(shapes.notes.text.a[row] as number)],
        ['stage', text(shapes.notes.stage.a[row] as number)],
        ['time_us', shapes.notes.timeUs.a[row] as number],
      ])
    case HISTORY:
      return fields([['real_size', shapes.historySize.a[row] as number]])
    default:
      return false
  }
}
