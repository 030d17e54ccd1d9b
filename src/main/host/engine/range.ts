/** What a range holds besides slices: busy share of each core, bytes moved, memory at both ends. */
import { positions, stateAt } from '../../../analysis/allocator/picturePositions'
import type { AllocatorModel } from '../../../analysis/allocator/model'
import { coreIdle, idleInRange } from '../../../analysis/system/gaps'
import { transfersOf, type Transfers } from '../../../analysis/system/transfers'
import type { TrackModel } from '../../../analysis/trace/model'
import { argMax, pyramidOf } from '../../../analysis/trace/range-max'
import { firstEndingAfter, firstFrom } from '../../../analysis/trace/stats/own'
import { RequestError, type Answers, type RequestArgs } from '../../../shared/api'
import { ROW_OPEN, ROW_SLICE, type SystemTable } from '../../../shared/system-tables'
import type { CoreBusy, MemoryEnds, RangeAnswer } from '../../../shared/trace-api'
import type { EngineContext, Part } from './context'
import { coresOf } from './gaps'
import type { Turn } from './lanes'

/** RequestError for a group that is not there; everything else that is not known is null or not listed. */
export async function traceRange(context: EngineContext, q: RequestArgs<'trace.range'>, turn: Turn): Promise<Answers['trace.range']> {
  if (!context.groups[q.group]) throw new RequestError('This time range is not there (any more).')
  const head = { version: context.version, start: q.start, end: q.end } as const
  const over = { ...head, cancelled: true, cores: [], moved: [], memory: [] } as const
  if (await turn.pause()) return over
  const parts = context.parts.filter(p => p.group === q.group)
  const cores: CoreBusy[] = []
  for (const { name, part, track } of coresOf(parts.flatMap(part => part.tracks.map(track => ({ part, track }))))) {
    const idle = await coreIdle(track.model, turn)
    if (!idle) return over
    const from = q.start - part.offset
    const to = q.end - part.offset
    const known = idleInRange(idle, from, to, Infinity, track.model.knownFrom ?? null)
    cores.push({
      name,
      track: track.id,
      busyNs: known.known === null ? null : known.busyNs,
      knownNs: known.knownNs,
      slices: slicesIn(track.model, from, to),
    })
    if (turn.due && (await turn.pause())) return over
  }
  const moved = movedIn(parts, q.start, q.end)
  if (turn.due && (await turn.pause())) return over
  return { ...head, cancelled: false, cores, moved, memory: [...allocators(context, q), ...hbms(context, q), ...hosts(parts, q)] }
}

/** Complete slices of a track that overlap [from, to). */
function slicesIn(m: TrackModel, from: number, to: number): number {
  let n = 0
  for (let lane = 0; lane < m.depth && to > from; lane++) {
    const a = firstEndingAfter(m, lane, from)
    const b = firstFrom(m.start, a, m.laneStart[lane + 1], to)
    for (let i = a; i < b; i++) if (m.flags[i] === 0) n++
  }
  return n
}

// ── copies between host and device ──

const kept = new WeakMap<SystemTable, { readonly pid: string; readonly transfers: readonly Transfers[] }>()

function transfersIn(t: SystemTable, pid: string): readonly Transfers[] {
  const known = kept.get(t)
  if (known?.pid === pid) return known.transfers
  const transfers = transfersOf(t, pid)
  kept.set(t, { pid, transfers })
  return transfers
}

/**
 * Copies by direction and place that end in (start, end]: of ranges side by side each copy is in one. A start without its stop ended at no known time and is not counted.
 */
function movedIn(parts: readonly Part[], start: number, end: number): RangeAnswer['moved'] {
  const sets = parts.flatMap(({ source, offset }) =>
    source.kind === 'system' ? transfersIn(source.table, source.file.pid ?? '').map(set => ({ set, t: source.table, offset })) : [],
  )
  const several = (of: (s: Transfers) => string | undefined): boolean => new Set(sets.map(({ set }) => of(set))).size > 1
  const names = {
    instance: several(s => s.facts.place.instance),
    pid: several(s => s.pid),
    device: several(s => String(s.facts.place.device)),
  }
  return sets.flatMap(({ set, t, offset }) => {
    let transfers = 0
    let withoutSize = 0
    let bytes = 0
    set.rows.forEach((row, i) => {
      if (t.state[row] === ROW_OPEN) return
      const at = t.start[row] + (t.state[row] === ROW_SLICE ? t.duration[row] : 0) + offset
      if (!(at > start && at <= end)) return
      transfers++
      if (Number.isNaN(set.bytes[i])) withoutSize++
      else bytes += set.bytes[i]
    })
    if (transfers === 0) return []
    return [
      { direction: set.direction, place: placeName(set, names), transfers, bytes: withoutSize === transfers ? null : bytes, withoutSize },
    ]
  })
}

function placeName(
  { pid, facts: { place } }: Transfers,
  names: { readonly instance: boolean; readonly pid: boolean; readonly device: boolean },
): string {
  const parts = [
    names.instance ? (place.instance ?? '') : '',
    names.pid && pid !== '' ? `PID:${pid}` : '',
    names.device && place.device !== undefined ? `ND:${place.device}` : '',
    place.nc === undefined ? '' : `NC:${place.nc}`,
  ]
  return parts.filter(Boolean).join('/') || 'device'
}

// ── memory ──

interface Range {
  readonly group: number
  readonly start: number
  readonly end: number
}

function allocators(context: EngineContext, q: Range): readonly MemoryEnds[] {
  const own = context.allocators.filter(a => a.info.group === q.group)
  return own.flatMap(({ info, allocator: { model }, offset }) => {
    const device = own.some(o => o.info.rank === info.rank && o.info.device !== info.device) ? ` device ${info.device}` : ''
    const label = `rank ${info.rank}${device}`
    const ends = (column: Float64Array, first: number) => stateEnds(model, column, first, q.start - offset, q.end - offset)
    const { startActiveBytes, startReservedBytes } = model.figures
    return [
      { label: info.atLeast ? `${label} (at least)` : label, meaning: 'active (requested)', ...ends(model.active, startActiveBytes) },
      { label, meaning: 'reserved', ...ends(model.reserved, startReservedBytes) },
    ] as const
  })
}

type Ends = Pick<MemoryEnds, 'startBytes' | 'endBytes' | 'peakBytes'>
const UNKNOWN: Ends = { startBytes: null, endBytes: null, peakBytes: null }

/**
 * A column of the replay at both ends and its highest state between them; `first` is its start state, NaN where the column is not known. Outside of the recording nothing is
 * known.
 */
function stateEnds(m: AllocatorModel, column: Float64Array, first: number, start: number, end: number): Ends {
  const p = positions(m, 'time')
  const from = Math.max(start, p.first)
  const to = Math.min(end, p.last)
  if (!(from <= to) || Number.isNaN(first)) return UNKNOWN
  const value = (state: number): number => (state < 0 ? first : column[state])
  const last = stateAt(m, 'time', to)
  // Where the recording begins in the range, so does its start state.
  const carried = start < p.first ? -1 : stateAt(m, 'time', from)
  return {
    startBytes: start >= p.first ? value(carried) : null,
    endBytes: end <= p.last ? value(last) : null,
    peakBytes: Math.max(value(carried), highest(column, carried + 1, last + 1)),
  }
}

/** Highest of column[from..to); -Infinity where that is empty. */
const highest = (column: Float64Array, from: number, to: number): number =>
  to > from ? column[argMax(column, pyramidOf(column), from, to)] : -Infinity

function hbms({ hbm }: EngineContext, q: Range): readonly MemoryEnds[] {
  if (!hbm) return []
  return hbm.infos.flatMap(info => {
    if (info.group !== q.group || info.timeRange === null) return []
    const at = (time: number): number | null => hbm.at({ session: '', hbm: info.id, at: time }).totalBytes
    const { max } = hbm.picture({
      session: '',
      hbm: info.id,
      start: q.start,
      end: Math.max(q.end, q.start + 1),
      width: 1,
      grouping: 'family',
    })
    const label = info.totals === 'runtime' ? info.label : `${info.label} (since the recording began)`
    return [
      { label, meaning: 'HBM total', startBytes: at(q.start), endBytes: at(q.end), peakBytes: Number.isNaN(max[0]) ? null : max[0] },
    ] as const
  })
}

/** Samples hold until the next one; before the first and after the last nothing is known. */
function hosts(parts: readonly Part[], q: Range): readonly MemoryEnds[] {
  return parts.flatMap(({ tracks, offset, source }) =>
    tracks.flatMap(({ model: m }) => {
      if (m.kind !== 'counter' || m.origin !== 'host' || m.tid !== 'host-memory') return []
      const several = parts.filter(p => p.tracks.some(t => t.model.origin === 'host' && t.model.tid === 'host-memory')).length > 1
      const label = several ? `${m.name} (${source.file.path})` : m.name
      return [{ label, meaning: 'host resident', ...sampleEnds(m, q.start - offset, q.end - offset) }] as const
    }),
  )
}

function sampleEnds({ time, value }: TrackModel, start: number, end: number): Ends {
  const first = time[0]
  const last = time[time.length - 1]
  const from = Math.max(start, first)
  const to = Math.min(end, last)
  if (!(from <= to)) return UNKNOWN
  // Sample that holds at a time: the last one at or before it.
  const at = (t: number): number => {
    let i = firstFrom(time, 0, time.length, t)
    while (i < time.length && time[i] === t) i++
    return i - 1
  }
  const told = (v: number): number | null => (Number.isNaN(v) ? null : v)
  let peak = NaN
  const until = at(to)
  for (let i = at(from); i <= until; i++) if (!(value[i] <= peak) && !Number.isNaN(value[i])) peak = value[i]
  return {
    startBytes: start >= first ? told(value[at(from)]) : null,
    endBytes: end <= last ? told(value[at(to)]) : null,
    peakBytes: told(peak),
  }
}
