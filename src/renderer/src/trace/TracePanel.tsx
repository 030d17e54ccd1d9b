/** The System Trace: head, navigator, axis, steps and tracks of the active time group, or the state that says why there is nothing to draw. */
import { useCallback, useMemo, useState, type ReactElement } from 'react'
import { groupTracks, HOST_CORES_KEY, INSTANCE_KEY } from '../../../paint/timeline'
import type { SourceInfo } from '../../../shared/api'
import { PickStrip } from '../alignment/PickStrip'
import { ShiftedChip } from '../alignment/ShiftedChip'
import { toggleAlignment } from '../alignment/state'
import { Icon } from '../shell/icons'
import { useUi } from '../shell/ui'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { panelState, traceJobs, trackCount } from './input'
import { TraceState } from './states'
import { SourceChoice } from './SourceChoice'
import { Surface } from './Surface'
import './trace.css'

const NONE: ReadonlySet<string> = new Set()
const DRAWN: readonly SourceInfo['kind'][] = ['chrome-trace', 'system', 'cpu', 'host-memory']
/** A host has hundreds of cores: their lanes begin folded, the average stands above them. */
const AT_FIRST: ReadonlySet<string> = new Set([HOST_CORES_KEY])

export function TracePanel(): ReactElement {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const live = useSession(s => s.jobs)
  const catalog = useSession(s => s.root?.catalog.sessions.find(c => c.id === s.session) ?? null)
  const group = useView(s => s.group)
  const aligning = useUi(s => s.alignment)
  // Folded groups are kept per session: another one starts unfolded.
  const [folded, setFolded] = useState<{ readonly session: string | null; readonly keys: ReadonlySet<string> }>({
    session: null,
    keys: AT_FIRST,
  })
  const collapsed = folded.session === session ? folded.keys : AT_FIRST
  const jobs = useMemo(() => (view ? traceJobs(view, live, catalog) : []), [view, live, catalog])
  const state = useMemo(() => panelState(view, session, group, jobs, catalog, collapsed), [view, session, group, jobs, catalog, collapsed])

  const toggle = useCallback(
    (key: string) =>
      setFolded(was => {
        const keys = new Set(was.session === session ? was.keys : AT_FIRST)
        if (!keys.delete(key)) keys.add(key)
        return { session, keys }
      }),
    [session],
  )
  const input = state.type === 'tracks' ? state.input : null
  const processes = useMemo(() => [...groupTracks(input?.tracks ?? []).keys()], [input])
  const allFolded = processes.length > 0 && processes.every(k => collapsed.has(k) || collapsed.has(INSTANCE_KEY))
  const partial =
    input !== null && view !== null && view.sources.some(s => s.kind !== 'memory-snapshot' && s.group === input.group.id && !s.complete)

  return (
    <section className="panel trace" aria-label="System Trace">
      <div className="phead">
        <h2>System Trace</h2>
        {input && <span className="hint num">{trackCount(input.rows)}</span>}
        {partial && <span className="chip warn">truncated</span>}
        {input && !input.group.calibrated && <span className="chip">own clock</span>}
        <ShiftedChip kinds={DRAWN} />
        <span className="sp" />
        {view && <SourceChoice view={view} />}
        {processes.length > 1 && (
          <button className="btn quiet" onClick={() => setFolded({ session, keys: allFolded ? NONE : new Set(processes) })}>
            <Icon name={allFolded ? 'right' : 'chevron'} size={12} />
            {allFolded ? 'Unfold all' : 'Fold all'}
          </button>
        )}
        {(view?.clocks?.length ?? 0) > 0 && (
          <button className={aligning ? 'btn quiet on' : 'btn quiet'} aria-pressed={aligning} onClick={toggleAlignment}>
            <Icon name="link" size={12} />
            Alignment
          </button>
        )}
      </div>
      <PickStrip />
      {input ? <Surface input={input} onToggle={toggle} /> : <TraceState state={state} />}
    </section>
  )
}
