/** The System Trace: head, navigator, axis, steps and tracks of the active time group, or the state that says why there is nothing to draw. */
import { useCallback, useMemo, type ReactElement } from 'react'
import { change } from '../../../paint/timeline'
import type { SourceInfo } from '../../../shared/api'
import { PickStrip } from '../alignment/PickStrip'
import { ShiftedChip } from '../alignment/ShiftedChip'
import { toggleAlignment } from '../alignment/state'
import { Icon } from '../shell/icons'
import { useUi } from '../shell/ui'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { panelState, traceJobs, trackCount } from './input'
import { changeLayout, useLayout } from './layoutStore'
import { toggleGroup } from './rowActions'
import { TraceState } from './states'
import { SourceChoice } from './SourceChoice'
import { Surface } from './Surface'
import { TrackControls } from './TrackControls'
import './trace.css'

const DRAWN: readonly SourceInfo['kind'][] = ['chrome-trace', 'system', 'cpu', 'host-memory']
export function TracePanel(): ReactElement {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const live = useSession(s => s.jobs)
  const catalog = useSession(s => s.root?.catalog.sessions.find(c => c.id === s.session) ?? null)
  const group = useView(s => s.group)
  const aligning = useUi(s => s.alignment)
  const layout = useLayout(s => s.layout)
  const jobs = useMemo(() => (view ? traceJobs(view, live, catalog) : []), [view, live, catalog])
  const state = useMemo(() => panelState(view, session, group, jobs, catalog, layout), [view, session, group, jobs, catalog, layout])
  const input = state.type === 'tracks' ? state.input : null
  const rows = input?.rows
  const toggle = useCallback((key: string) => rows && toggleGroup(rows, key), [rows])
  const groups = rows?.rows.filter(r => r.type === 'group' && r.level === 1) ?? []
  const allFolded = !groups.some(r => r.type === 'group' && r.open)
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
        {rows && <TrackControls rows={rows} />}
        {rows && groups.length > 1 && (
          <button
            className="btn quiet"
            aria-label={allFolded ? 'Unfold all groups' : 'Fold all groups'}
            onClick={() => changeLayout(l => change.toggleAll(l, rows.grouped, allFolded))}
          >
            <Icon name={allFolded ? 'right' : 'chevron'} size={12} />
            <span className="wide">{allFolded ? 'Unfold all' : 'Fold all'}</span>
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
