/** PyTorch's memory as counter lanes: active (requested) and reserved bytes of an allocator over time, the replay's own curves. */
import { curve } from '../system/counters'
import type { TrackModel } from '../trace/model'
import type { AllocatorModel } from './model'
import { monotoneTime } from './picturePositions'

/**
 * Lanes of an allocator whose events have times; none otherwise. Each has the start state at the time of the first event and then one sample per event, so its peak is that of
 * the replay. Reserved bytes that are not known (a file that was cut) make no lane. `atLeast`: the active bytes are what the events prove and no more.
 */
export function allocatorTracks(model: AllocatorModel, pid = '', atLeast = false): readonly TrackModel[] {
  const times = monotoneTime(model)
  if (model.events === 0 || Number.isNaN(times[0])) return []
  const time = withFirst(times[0] as number, times)
  const head = {
    role: 'counter',
    origin: 'pytorch',
    pid,
    tid: String(model.device),
    processName: '',
    processLabels: '',
    note: 'bytes',
  } as const
  const { startActiveBytes, startReservedBytes } = model.figures
  const lanes = [
    curve(
      { ...head, name: atLeast ? 'active, requested, at least' : 'active, requested' },
      time,
      withFirst(startActiveBytes, model.active),
    ),
  ]
  if (!Number.isNaN(startReservedBytes))
    lanes.push(curve({ ...head, name: 'reserved' }, time, withFirst(startReservedBytes, model.reserved)))
  return lanes
}

function withFirst(first: number, rest: Float64Array): Float64Array {
  const out = new Float64Array(rest.length + 1)
  out[0] = first
  out.set(rest, 1)
  return out
}
