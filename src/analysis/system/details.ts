/** What is known about one event of the runtime or the hardware. */
import type { SliceDetails } from '../../shared/api'
import { stringAt } from '../../shared/columns'
import { attributesOf, EVENT_SOURCES, ROW_STATES, type SystemTable } from '../../shared/system-tables'
import { coveringInLane, sliceFacts, trackLabel } from '../trace/details'
import type { TrackModel } from '../trace/model'
import { lowerBound } from '../trace/window'
import type { SystemModel } from './tracks'

/** Position of a row in the columns of its track; null for rows on none. */
export function placeOfSystemRow(
  t: SystemTable,
  model: SystemModel,
  row: number,
): { readonly track: TrackModel; readonly at: number } | null {
  const track = model.tracks[model.trackOf[row] ?? -1]
  if (!track) return null
  const start = t.start[row] as number
  for (let lane = 0; lane < track.depth; lane++) {
    const end = track.laneStart[lane + 1] as number
    for (let i = lowerBound(track.start, track.laneStart[lane] as number, end, start); i < end && track.start[i] === start; i++)
      if (track.row[i] === row) return { track, at: i }
  }
  return null
}

/**
 * Details of a row, times relative to the table's epoch; null when no track shows it. `args` are the event's attributes with its ids, as pretty JSON (ids as texts: they
 * exceed 2^53); the notice says where the name was told from the attributes.
 */
export function systemDetails(t: SystemTable, model: SystemModel, row: number): SliceDetails | null {
  const place = placeOfSystemRow(t, model, row)
  if (!place) return null
  const facts = sliceFacts(t.strings, place.track, place.at)
  const type = t.type[row] as number
  const source = EVENT_SOURCES[t.types.source[type] as number] ?? 'source not known'
  const number = t.types.number[type] as number
  return {
    ...facts,
    category: source,
    phase: ROW_STATES[t.state[row] as number] ?? '',
    startUnixNs: String(t.epochNs + BigInt(Math.round(facts.start))),
    args: JSON.stringify(argsOfRow(t, row), null, 2),
    nameInferred: t.types.inferred[type] === 1,
    argsNotice:
      t.types.inferred[type] === 1
        ? `The name was told from the attributes: the number of the event type (${number}) names something else, or nothing, in the catalogue.`
        : null,
  }
}

/** Attributes and ids of a row by name. Ids are texts. */
export function argsOfRow(t: SystemTable, row: number): Readonly<Record<string, string>> {
  const big = (v: bigint, none: bigint): string | undefined => (v === none ? undefined : String(v))
  const p = t.place[row] as number
  const at = (v: number): string | undefined => (v < 0 || Number.isNaN(v) ? undefined : String(v))
  const ids: Record<string, string | undefined> = {
    nd_idx: at(t.places.device[p] as number),
    nc_idx: at(t.places.nc[p] as number),
    pcore_idx: at(t.places.core[p] as number),
    thread_id: at(t.places.thread[p] as number),
    worker_gid: at(t.places.worker[p] as number),
    model_id: big(t.model[row] as bigint, 0n),
    model_name: (t.modelName[row] as number) < 0 ? undefined : stringAt(t.strings, t.modelName[row] as number),
    exec_id: big(t.exec[row] as bigint, -1n),
    nrta_seq_id: t.hasSequence[row] === 1 ? String(t.sequence[row] as bigint) : undefined,
    tracking_id: big(t.trackingId[row] as bigint, 0n),
    id: big(t.id[row] as bigint, 0n),
    parent_id: big(t.parentId[row] as bigint, 0n),
    nc_start_timestamp_ns: big(t.ncStart[row] as bigint, -1n),
    nc_stop_timestamp_ns: big(t.ncStop[row] as bigint, -1n),
  }
  const out: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [key, value] of attributesOf(t, row)) out[key] = value
  for (const [key, value] of Object.entries(ids)) if (value !== undefined && out[key] === undefined) out[key] = value
  return out
}

export interface SystemSliceAt {
  readonly track: string
  readonly name: string
  /** ns relative to the table's epoch. */
  readonly start: number
  readonly duration: number
  readonly row: number
}

/** All slices that cover `t`, by track, outermost first, as the trace's `slicesAt`. `PID:1/neuron_rt/NC:0` is how a track is named where it stands alone. */
export function systemSlicesAt(t: SystemTable, model: SystemModel, time: number): readonly SystemSliceAt[] {
  const out: SystemSliceAt[] = []
  for (const track of model.tracks)
    for (let lane = 0; lane < track.depth; lane++) {
      const i = coveringInLane(track, lane, time)
      if (i < 0) continue
      const name = stringAt(t.strings, track.nameId[i] as number)
      const [start, duration, row] = [track.start[i] as number, track.duration[i] as number, track.row[i] as number]
      out.push({ track: systemTrackLabel(track), name, start, duration, row })
    }
  return out
}

export const systemTrackLabel = (track: TrackModel): string => {
  if (track.origin === 'framework') return trackLabel(track)
  const parts = [track.pid === '' ? '' : `PID:${track.pid}`, track.origin ?? '', track.note, track.name]
  return parts.filter(Boolean).join('/')
}
