/** How long something ran on the device in each step: one question after the other, so that the timeline never waits for them. */
import { useEffect, useRef, useState } from 'react'
import { request, useSession } from '../state/session'
import { laneId } from '../stats/lane'
import { deviceTracks, type StepRow } from './rows'

/** Steps whose device time is worked out; more are listed without it. */
export const MAX_WALLS = 300

export interface Walls {
  /** By key of the step; absent: not known yet, null: no row of the device, or it could not be told. */
  readonly ns: ReadonlyMap<string, number | null>
  /** What stands for the device; null: nothing does. */
  readonly what: 'NeuronCores' | 'streams' | null
}

const NONE: ReadonlyMap<string, number | null> = new Map()

interface Known {
  /** Session and time group. */
  readonly scope: string
  readonly ns: Walls['ns']
}
const NOTHING: Known = { scope: '', ns: NONE }

export function useWalls(steps: readonly StepRow[], group: number): Walls {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const [known, setKnown] = useState<Known>(NOTHING)
  const latest = useRef<Known>(NOTHING)
  const scope = session === null ? '' : `${session}/${group}`
  useEffect(() => {
    if (session === null || view === null || scope === '') return
    let over = false
    if (latest.current.scope !== scope) latest.current = { scope, ns: NONE }
    const run = async (): Promise<void> => {
      // Figures of before stay until they are told anew; what is not known yet comes first.
      const { ns: before } = latest.current
      const some = steps.slice(0, MAX_WALLS)
      for (const s of [...some.filter(x => !before.has(x.key)), ...some.filter(x => before.has(x.key))]) {
        const device = deviceTracks(view, group, s.rank)
        const ns = device === null ? null : await wallOf(session, group, s, device.tracks)
        if (over) return
        latest.current = { scope, ns: new Map(latest.current.ns).set(s.key, ns) }
        setKnown(latest.current)
      }
    }
    void run()
    return () => {
      over = true
    }
  }, [scope, session, view, steps, group])
  const what = view === null ? null : (steps.map(s => deviceTracks(view, group, s.rank)?.what).find(w => w !== undefined) ?? null)
  return { ns: known.scope === scope ? known.ns : NONE, what }
}

async function wallOf(session: string, group: number, s: StepRow, tracks: readonly number[]): Promise<number | null> {
  try {
    const a = await request('trace.stats', {
      session,
      group,
      by: 'category',
      start: s.start,
      end: s.start + s.duration,
      tracks: [...tracks],
      filter: '',
      regex: false,
      sort: { column: 'totalNs', descending: true },
      limit: 1,
      lane: laneId('steps'),
    })
    return a.cancelled ? null : a.wallNs
  } catch {
    return null
  }
}
