/** How busy a trace is over time, for the overview above the tracks. */
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { mergeSort } from './lanes'
import type { TrackModel } from './model'
import { lowerBound } from './window'

/** Disjoint covered intervals, ascending, and how much is covered before each. */
interface Cover {
  readonly start: Float64Array
  readonly end: Float64Array
  readonly before: Float64Array
}
const covers = new WeakMap<object, Cover>()

/** Which tracks count as work: the hardware's own, else the device streams, or the host threads of a trace without any. */
export function busyTracks(model: { readonly tracks: readonly TrackModel[] }): readonly TrackModel[] {
  const hardware = hardwareTracks(model)
  if (hardware.length) return hardware
  const of = (role: TrackModel['role']): TrackModel[] => model.tracks.filter(t => t.kind === 'slices' && t.role === role && t.depth > 0)
  const streams = of('stream')
  return streams.length ? streams : of('thread')
}

/**
 * Share 0..1 of each of `width` columns of `[start, end)` (ns relative to the table's epoch) that top-level slices of `busyTracks` cover, united over
 * those tracks. Slices without a known begin or end, the span that the profiler draws over its whole recording (category `Trace`) and steps are no
 * work and are left out; where a step is the top-level slice, what lies in it counts.
 */
export function busyOverview(
  table: Pick<TraceTable, 'strings'>,
  model: { readonly tracks: readonly TrackModel[] },
  width: number,
  start: number,
  end: number,
): Float32Array {
  const busy = new Float32Array(width)
  if (!(end > start)) return busy
  let cover = covers.get(model)
  if (!cover) covers.set(model, (cover = coverOf(table, model)))
  const px = (end - start) / width
  let before = coveredUntil(cover, start)
  for (let c = 0; c < width; c++) {
    const now = coveredUntil(cover, c + 1 === width ? end : start + (c + 1) * px)
    busy[c] = Math.min(1, Math.max(0, (now - before) / px))
    before = now
  }
  return busy
}

/** Tracks of what the hardware itself recorded. */
export const hardwareTracks = (model: { readonly tracks: readonly TrackModel[] }): readonly TrackModel[] =>
  model.tracks.filter(t => t.kind === 'slices' && t.origin === 'neuron_hw' && t.depth > 0)

function coveredUntil(c: Cover, t: number): number {
  const i = lowerBound(c.start, 0, c.start.length, t) - 1
  return i < 0 ? 0 : c.before[i] + Math.min(t, c.end[i]) - c.start[i]
}

function coverOf(table: Pick<TraceTable, 'strings'>, model: { readonly tracks: readonly TrackModel[] }): Cover {
  const frames = new Set<number>()
  for (let id = 0; id + 1 < table.strings.offsets.length; id++) {
    const length = table.strings.offsets[id + 1] - table.strings.offsets[id]
    if (length < 5 || length > 40) continue
    const first = table.strings.bytes[table.strings.offsets[id]]
    if ((first === 0x54 && length === 5 && stringAt(table.strings, id) === 'Trace') || first === 0x50) {
      const text = stringAt(table.strings, id)
      if (text === 'Trace' || /^ProfilerStep#\d+$/.test(text)) frames.add(id)
    }
  }
  const starts: number[] = []
  const ends: number[] = []
  for (const track of busyTracks(model)) {
    const frame = new Uint8Array(track.row.length)
    for (let i = 0; i < track.row.length; i++) {
      const parent = track.parent[i]
      if (parent >= 0 && frame[parent] === 0) continue
      if (frames.has(track.nameId[i]) || frames.has(track.categoryId[i])) frame[i] = 1
      else if (track.flags[i] === 0 && track.duration[i] > 0) {
        starts.push(track.start[i])
        ends.push(track.start[i] + track.duration[i])
      }
    }
  }
  const order = mergeSort(starts.length, (a, b) => starts[a] - starts[b])
  const start: number[] = []
  const end: number[] = []
  for (const i of order) {
    const last = end.length - 1
    if (last >= 0 && starts[i] <= end[last]) end[last] = Math.max(end[last], ends[i])
    else {
      start.push(starts[i])
      end.push(ends[i])
    }
  }
  const before = new Float64Array(start.length)
  for (let i = 1; i < start.length; i++) before[i] = before[i - 1] + end[i - 1] - start[i - 1]
  return { start: Float64Array.from(start), end: Float64Array.from(end), before }
}
