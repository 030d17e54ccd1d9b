/**
 * The runtime's host events by thread. Their tracks go by NeuronCore; rows that go by thread need the events of a track with several threads once more, a track for each
 * of them. A track of one thread serves both.
 */
import type { SystemTable } from '../../shared/system-tables'
import type { TrackModel } from '../trace/model'
import { MOST_TRACKS } from '../trace/most'
import { compareNatural } from '../trace/roles'
import { systemTrack } from './track'

/** Events that are arranged a second time at most; beyond, a track stays whole in every arrangement. */
const MOST_EVENTS = 4_000_000

/** Tracks, those of several threads marked as arranged by core, and their events by thread. `unverified`: nothing is grouped by threads. */
export function threadsOf(
  t: SystemTable,
  tracks: readonly TrackModel[],
  unverified: boolean,
): { readonly tracks: readonly TrackModel[]; readonly byThread: readonly TrackModel[] } {
  if (unverified) return { tracks, byThread: [] }
  const byThread: TrackModel[] = []
  let events = 0
  const marked = tracks.map((track): TrackModel => {
    if (track.origin !== 'neuron_rt' || track.place?.thread !== undefined) return track
    const rows = rowsByThread(t, track.row)
    events += track.row.length
    if (rows.size < 2 || events > MOST_EVENTS || tracks.length + byThread.length + rows.size > MOST_TRACKS) return track
    for (const [thread, list] of [...rows].sort(([a], [b]) => compareNatural(a, b))) {
      const place = thread === '' ? track.place : { ...track.place, thread }
      const head = { ...track, ...(place ? { place } : {}), derived: true, arranged: 'by-thread' as const, tid: `${track.tid}@${thread}` }
      byThread.push({ ...systemTrack(t, head, Uint32Array.from(list)).track, index: -1 })
    }
    return { ...track, arranged: 'by-core' }
  })
  return { tracks: marked, byThread }
}

/** Rows in order of the table, by thread; '' for those that name none. */
function rowsByThread(t: SystemTable, rows: Uint32Array): ReadonlyMap<string, readonly number[]> {
  const out = new Map<string, number[]>()
  const { thread } = t.places
  for (const row of Uint32Array.from(rows).sort()) {
    const value = thread[t.place[row] as number] as number
    const key = Number.isNaN(value) ? '' : String(value)
    const list = out.get(key)
    if (list) list.push(row)
    else out.set(key, [row])
  }
  return out
}
