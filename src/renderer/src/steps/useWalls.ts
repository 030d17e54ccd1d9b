/** How long something ran on the device in each step: one question after the other, so that the timeline never waits for them. */
import { useEffect, useState } from 'react'
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

export function useWalls(steps: readonly StepRow[], group: number): Walls {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const [known, setKnown] = useState<{ readonly scope: string; readonly ns: ReadonlyMap<string, number | null> }>({ scope: '', ns: NONE })
  const scope = session === null ? '' : `${session}/${group}`
  useEffect(() => {
    if (session === null || view === null || scope === '') return
    let over = false
    const run = async (): Promise<void> => {
      // Those of before stay until they are told anew; what is not known yet comes first.
      setKnown(k => (k.scope === scope ? k : { scope, ns: NONE }))
      for (const s of steps.slice(0, MAX_WALLS)) {
        const device = deviceTracks(view, group, s.rank)
        const ns = device === null ? null : await wallOf(session, group, s, device.tracks)
        if (over) return
        setKnown(k => ({ scope, ns: new Map(k.scope === scope ? k.ns : NONE).set(s.key, ns) }))
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
