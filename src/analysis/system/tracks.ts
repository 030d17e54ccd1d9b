/**
 * Tracks of the runtime's events, named as Neuron Explorer names them: `neuron_rt` by logical NeuronCore (`NC:0`), `neuron_hw` by physical one (`NC0:4`), framework events
 * of exports by thread (`TID:7`) and stream (`Stream:0`). A role that no check confirmed groups nothing: its events stand on one track.
 */
import { stringAt } from '../../shared/columns'
import { EVENT_SOURCES, type EventSource, type SystemTable } from '../../shared/system-tables'
import type { TrackModel } from '../trace/model'
import { BEYOND, largest } from '../trace/most'
import { compareNatural } from '../trace/roles'
import { threadsOf } from './by-thread'
import { PlaceFacts } from './place'
import { systemTrack, type TrackHead } from './track'

export interface SystemModel {
  readonly tracks: readonly TrackModel[]
  /** Events of tracks of several host threads once more, a track for each thread (`arranged`: by-thread). */
  readonly byThread: readonly TrackModel[]
  /** First and last event, ns relative to the table's epochNs; null without events. */
  readonly range: readonly [number, number] | null
  /** Events that stand on no track, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  /** Track (index into `tracks`) of each row; -1 for rows on none. */
  readonly trackOf: Int32Array
}

interface Lane {
  readonly facts: PlaceFacts
  readonly source: EventSource | 'unknown'
  readonly name: string
  readonly note: string
  readonly pid: string
  readonly tid: string
  readonly role: TrackModel['role']
  readonly knownFrom: number | null
  readonly order: number
  readonly at: readonly [device: number, nc: number, core: number]
}

/**
 * Builds the tracks. `pid`: process of the session where the events name none (folder or trace_info); '' where nothing tells. n log n at worst.
 * Starts without a stop are drawn to the last event of their track and marked (flag 2), stops without a start stand at their time (flag 3).
 */
export function buildSystemModel(t: SystemTable, pid = ''): SystemModel {
  const lanes: Lane[] = []
  const laneOf = new Map<string, number>()
  // Every combination of place and source gets its lane once; rows only look it up.
  const laneOfPlace = new Int32Array(t.places.count * (EVENT_SOURCES.length + 1)).fill(-1)
  const unverified = new Set(t.verdict.unverified)
  const lost = new Map(t.cores.filter(c => c.headLost).map(c => [`${c.device}/${c.nc}`, c.firstNs]))
  const rowLane = new Int32Array(t.count)
  for (let i = 0; i < t.count; i++) {
    const code = t.types.source[t.type[i] as number] as number
    const source = EVENT_SOURCES[code]
    const slot = (t.place[i] as number) * (EVENT_SOURCES.length + 1) + (source === undefined ? EVENT_SOURCES.length : code)
    let lane = laneOfPlace[slot] as number
    if (lane < 0) {
      const made = laneFor(t, t.place[i] as number, source ?? 'unknown', unverified, lost, pid)
      const key = JSON.stringify([t.places.instance[t.place[i] as number], made.pid, made.source, made.name, made.note])
      const known = laneOf.get(key)
      if (known === undefined) laneOf.set(key, (lane = lanes.push(made) - 1))
      else lane = known
      lanes[lane]?.facts.add(t, t.place[i] as number)
      laneOfPlace[slot] = lane
    }
    rowLane[i] = lane
  }
  const skipped: Record<string, number> = {}
  const events = new Array<number>(lanes.length).fill(0)
  for (let i = 0; i < t.count; i++) events[rowLane[i] as number] = (events[rowLane[i] as number] as number) + 1
  const keep = largest(events)
  const rows = rowsByLane(rowLane, events)
  const drafts: { readonly lane: Lane; readonly track: Omit<TrackModel, 'index'> }[] = []
  lanes.forEach((lane, l) => {
    if (keep && !keep[l]) {
      skipped[BEYOND] = (skipped[BEYOND] ?? 0) + (events[l] as number)
      return
    }
    const { track, dropped } = systemTrack(t, laneTrack(lane), rows[l] as Uint32Array)
    if (dropped > 0) skipped['too many slices at one time'] = (skipped['too many slices at one time'] ?? 0) + dropped
    drafts.push({ lane, track })
  })
  drafts.sort(
    ({ lane: a }, { lane: b }) =>
      compareNatural(a.pid, b.pid) ||
      a.order - b.order ||
      compareCores(a.at, b.at) ||
      compareNatural(a.tid, b.tid) ||
      compareText(a.name, b.name),
  )
  const { tracks, byThread } = threadsOf(
    t,
    drafts.map((d, index): TrackModel => ({ ...d.track, index })),
    unverified.has('thread_id'),
  )
  const trackIndex = new Int32Array(t.count).fill(-1)
  for (const track of tracks) for (const row of track.row) trackIndex[row] = track.index
  return { tracks, byThread, range: t.range, skipped, trackOf: trackIndex }
}

/** By device, logical and physical core; what names none comes first. */
const compareCores = (a: Lane['at'], b: Lane['at']): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

function rowsByLane(rowLane: Int32Array, events: readonly number[]): readonly Uint32Array[] {
  const rows = events.map(n => new Uint32Array(n))
  const next = new Uint32Array(events.length)
  for (let i = 0; i < rowLane.length; i++) {
    const l = rowLane[i] as number
    const list = rows[l] as Uint32Array
    list[next[l] as number] = i
    next[l] = (next[l] as number) + 1
  }
  return rows
}

const ORDER: Readonly<Record<EventSource | 'unknown', number>> = { framework: 0, neuron_rt: 2, neuron_hw: 3, unknown: 4 }

function laneFor(
  t: SystemTable,
  place: number,
  source: EventSource | 'unknown',
  unverified: ReadonlySet<string>,
  lost: ReadonlyMap<string, number>,
  sessionPid: string,
): Lane {
  const p = t.places
  const use = (role: string, value: number): number => (unverified.has(role) ? -1 : value)
  const device = use('nd_idx', p.device[place] as number)
  const nc = use('nc_idx', p.nc[place] as number)
  const core = p.core[place] as number
  const thread = unverified.has('thread_id') ? NaN : (p.thread[place] as number)
  const stream = p.stream[place] as number
  const process = p.process[place] as number
  const pid = Number.isNaN(process) ? sessionPid : String(process)
  const base = { facts: new PlaceFacts(unverified), source, pid, knownFrom: null, order: ORDER[source], at: [device, nc, core] as const }
  const several = devices(t) > 1 && device >= 0 ? `ND:${device}` : ''
  if (source === 'framework') {
    if (stream >= 0) {
      const text = stringAt(t.strings, stream)
      return { ...base, role: 'stream', name: `Stream:${text}`, tid: text, note: '', order: 1 }
    }
    return Number.isNaN(thread)
      ? { ...base, role: 'thread', name: 'framework', tid: '', note: '' }
      : { ...base, role: 'thread', name: `TID:${thread}`, tid: String(thread), note: '' }
  }
  const knownFrom = lost.get(`${p.device[place] as number}/${p.nc[place] as number}`) ?? null
  if (nc < 0)
    return {
      ...base,
      role: 'core',
      name: source === 'neuron_hw' ? 'Hardware' : source === 'neuron_rt' ? 'Runtime' : 'Events',
      tid: '',
      note: several,
      knownFrom,
    }
  const name = source === 'neuron_hw' && core >= 0 ? `NC${nc}:${core}` : `NC:${nc}`
  return { ...base, role: 'core', name, tid: `${device < 0 ? '' : device}:${nc}:${core < 0 ? '' : core}`, note: several, knownFrom }
}

const deviceCounts = new WeakMap<SystemTable, number>()
function devices(t: SystemTable): number {
  let n = deviceCounts.get(t)
  if (n === undefined) {
    const seen = new Set<number>()
    for (const d of t.places.device) if (d >= 0) seen.add(d)
    deviceCounts.set(t, (n = seen.size))
  }
  return n
}

function laneTrack(lane: Lane): TrackHead {
  return {
    role: lane.role,
    origin: lane.source === 'unknown' ? 'runtime' : lane.source,
    knownFrom: lane.knownFrom,
    place: lane.facts.place,
    pid: lane.pid,
    tid: lane.tid,
    processName: '',
    processLabels: '',
    name: lane.name,
    note: lane.note,
  }
}
