/** Tracks of a trace: rows of the table by thread, async group and counter, nested on lanes and sorted for windows. */
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { asyncGroups, asyncTracks } from './async'
import { counterSeries, counterTracks } from './counters'
import { arrange, mergeSort } from './lanes'
import { columns, placeOf, slicesTrack, Tally, type Draft } from './draft'
import type { StepModel, TraceModel, TrackModel } from './model'
import { BEYOND, largest } from './most'
import { OpenBegins, SliceList, Unmatched } from './pairs'
import { deviceCategories, isStream, sortTracks, trackName } from './roles'

export const X = 0x58
export const B = 0x42
export const E = 0x45
const INSTANTS = [0x69, 0x49, 0x52]
export const M = 0x4d
const C = 0x43
const ASYNC = [0x62, 0x6e, 0x65]
const FLOWS = [0x73, 0x74, 0x66]

const ON_THREAD = 1
const ON_ASYNC = 2
const NOWHERE = 3
/** Where a phase is shown; 0: nothing is missed when it is not (metadata, flows), counters are taken from their own table. */
const PLACE = new Uint8Array(256).fill(NOWHERE)
for (const p of [X, B, E, ...INSTANTS]) PLACE[p] = ON_THREAD
for (const p of ASYNC) PLACE[p] = ON_ASYNC
for (const p of [M, C, ...FLOWS]) PLACE[p] = 0

/**
 * Builds the tracks of a trace. Pure; n log n at worst, linear when the events of each thread are in order.
 *
 * X events and matched B/E pairs become slices, i/I/R instants (flag 1), b/n/e async tracks, C counters. Slices of length 0 are kept, a negative
 * duration counts as 0. Events without `ts` and phases that no track shows are counted in `skipped`, and so are those of the smallest tracks where there are more than
 * MOST_TRACKS: these are never built.
 */
export function buildTraceModel(table: TraceTable): TraceModel {
  const { count, phase, ts, dur } = table
  const skipped = new Tally()
  const unmatched = new Unmatched()

  // Rows by thread, a counting sort: group 0 holds the events without pid and tid.
  const groups = table.threads.count + 1
  const groupStart = new Uint32Array(groups + 1)
  const async: number[] = []
  let first = Infinity
  let last = -Infinity
  for (let i = 0; i < count; i++) {
    const place = PLACE[phase[i]]
    const t = ts[i]
    if (t !== t) {
      if (place !== 0 || phase[i] === C) skipped.add('no time')
      continue
    }
    if (phase[i] !== M) {
      if (t < first) first = t
      const end = dur[i] > 0 ? t + dur[i] : t
      if (end > last) last = end
    }
    if (place === ON_THREAD) groupStart[table.thread[i] + 2]++
    else if (place === ON_ASYNC) async.push(i)
    else if (place === NOWHERE) skipped.add(phase[i] === 0 ? 'no phase' : `phase ${String.fromCharCode(phase[i])}`)
  }
  for (let g = 1; g <= groups; g++) groupStart[g] += groupStart[g - 1]
  const rows = new Uint32Array(groupStart[groups])
  const next = groupStart.slice()
  for (let i = 0; i < count; i++) if (PLACE[phase[i]] === ON_THREAD && ts[i] === ts[i]) rows[next[table.thread[i] + 1]++] = i

  const device = deviceCategories(table.strings)
  const threads: number[] = []
  for (let g = 0; g < groups; g++) if (groupStart[g + 1] > groupStart[g]) threads.push(g)
  const asyncs = asyncGroups(table, async)
  const series = counterSeries(table)
  // One count per track: threads, then async groups, then counters.
  const events = [threads.map(g => groupStart[g + 1] - groupStart[g]), asyncs.events, series.events].flat()
  const keep = largest(events)
  const firstSeries = threads.length + asyncs.events.length
  if (keep) {
    for (let i = 0; i < firstSeries; i++) if (!keep[i]) skipped.add(BEYOND, events[i])
    // One event may have several series: the rows of one stand together.
    for (let i = 0, told = -1; i < table.counters.count; i++) {
      const s = series.seriesOf[i]
      const row = table.counters.row[i]
      if (s < 0 || keep[firstSeries + s] || row === told) continue
      told = row
      skipped.add(BEYOND)
    }
  }
  const kept = (from: number, count: number): Uint8Array | null => keep && keep.subarray(from, from + count)
  const drafts: Draft[] = []
  threads.forEach((g, i) => {
    if (!keep || keep[i])
      drafts.push(threadTrack(table, g - 1, rows.subarray(groupStart[g], groupStart[g + 1]), device, unmatched, skipped))
  })
  for (const d of asyncTracks(table, asyncs, kept(threads.length, asyncs.events.length), unmatched, skipped)) drafts.push(d)
  for (const d of counterTracks(table, series, kept(firstSeries, series.events.length))) drafts.push(d)
  const tracks = sortTracks(drafts).map((d, index) => ({ ...d.track, index }))
  return {
    tracks,
    steps: stepsOf(table, tracks),
    range: first <= last ? [first, last] : null,
    skipped: Object.fromEntries(skipped.counts),
    unmatched: { begins: unmatched.begins, ends: unmatched.ends },
    firstUnmatched: { begin: unmatched.firstBegin, end: unmatched.firstEnd },
  }
}

function threadTrack(
  table: TraceTable,
  thread: number,
  rows: Uint32Array,
  device: Uint8Array,
  unmatched: Unmatched,
  skipped: Tally,
): Draft {
  const { phase, ts, dur, cat, name } = table
  let pairs = false
  let onDevice = 0
  for (let k = 0; k < rows.length; k++) {
    const r = rows[k]
    if (phase[r] === B || phase[r] === E) pairs = true
    if (cat[r] >= 0) onDevice += device[cat[r]]
  }
  const list = new SliceList()
  const add = (r: number): void => {
    if (phase[r] === X) list.add(ts[r], dur[r] > 0 ? dur[r] : 0, r, 0)
    else list.add(ts[r], 0, r, 1)
  }
  if (!pairs) for (let k = 0; k < rows.length; k++) add(rows[k])
  else {
    const open = new OpenBegins(list)
    const order = mergeSort(rows.length, (a, b) => ts[rows[a]] - ts[rows[b]])
    let last = -Infinity
    for (let k = 0; k < order.length; k++) {
      const r = rows[order[k]]
      last = Math.max(last, dur[r] > 0 ? ts[r] + dur[r] : ts[r])
      if (phase[r] === B) open.begin(ts[r], r, name[r])
      else if (phase[r] !== E) add(r)
      else if (!open.end(ts[r], name[r])) list.add(ts[r], 0, r, 3)
    }
    open.finish(last)
    for (let i = 0; i < list.count; i++) unmatched.add(list.flags[i], list.row[i])
  }
  const lanes = arrange({ ...columns(list), within: null })
  skipped.add('too many slices at one time', lanes.dropped)
  const place = placeOf(table, thread)
  const role = isStream(place.processLabels, place.threadName, place.tid, onDevice, rows.length) ? 'stream' : 'thread'
  return slicesTrack(table, lanes, place, role, trackName(role, place.pid, place.tid), place.threadName)
}

const STEP = new TextEncoder().encode('ProfilerStep#')

/** Steps of the profiler as the host saw them; the copy that Kineto projects onto the device is left out. */
function stepsOf(table: TraceTable, tracks: readonly TrackModel[]): readonly StepModel[] {
  const { bytes, offsets } = table.strings
  const isStep = new Uint8Array(offsets.length)
  let any = false
  for (let i = 0; i + 1 < offsets.length; i++) {
    const at = offsets[i]
    if (offsets[i + 1] - at <= STEP.length || bytes[at] !== STEP[0] || bytes[at + 8] !== STEP[8]) continue
    if (!/^ProfilerStep#\d+$/.test(stringAt(table.strings, i))) continue
    isStep[i] = 1
    any = true
  }
  if (!any) return []
  const found = new Map<string, StepModel>()
  for (const track of tracks) {
    if (track.role !== 'thread' || track.kind !== 'slices') continue
    for (let i = 0; i < track.row.length; i++) {
      const row = track.row[i]
      const name = table.name[row]
      if (name < 0 || isStep[name] === 0 || track.flags[i] !== 0) continue
      if (table.cat[row] >= 0 && stringAt(table.strings, table.cat[row]) === 'gpu_user_annotation') continue
      const step = { name: stringAt(table.strings, name), start: track.start[i], duration: track.duration[i], row }
      found.set(`${step.name} ${step.start}`, step)
    }
  }
  return [...found.values()].sort((a, b) => a.start - b.start)
}
