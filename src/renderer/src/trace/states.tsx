/** What the panel says when there are no tracks to draw: what was seen, what it means, what to do. */
import type { ReactElement } from 'react'
import { Icon } from '../shell/icons'
import { switchGroup } from '../shell/follow'
import { fail, request } from '../state/session'
import { jobProgress, type PanelState } from './input'

const CAPTURE = `acts = [ProfilerActivity.CPU, ProfilerActivity.PrivateUse1]
with torch.profiler.profile(activities=acts) as p:
    train(steps=4)
p.export_chrome_trace("trace.json")`

export function TraceState({ state }: { readonly state: PanelState }): ReactElement | null {
  switch (state.type) {
    case 'none':
      return (
        <div className="fill">
          <Icon name="pulse" />
          <h3>No session chosen</h3>
          <p>Choose a session in the tree to see what ran when.</p>
        </div>
      )
    case 'loading': {
      const { job } = state
      return (
        <div className="fill" role="status">
          <Icon name="pulse" />
          <h3>{job ? `Reading ${name(job.path)}` : 'Opening the session'}</h3>
          {job && (
            <>
              <p className="num">
                {job.state === 'queued' ? 'Waits for another file to be read.' : `${jobProgress(job)}${job.note ? `, ${job.note}` : ''}.`}
              </p>
              <div
                className="bar trace-bar"
                role="progressbar"
                aria-label={`Reading ${name(job.path)}`}
                aria-valuemin={0}
                aria-valuemax={100}
                aria-valuenow={job.total > 0 ? Math.round((100 * job.done) / job.total) : undefined}
              >
                <i style={{ width: `${job.total > 0 ? (100 * job.done) / job.total : 0}%` }} />
              </div>
              {job.state !== 'done' && (
                <div className="acts">
                  <button className="btn" onClick={() => void request('job.cancel', { job: job.id }).catch(fail)}>
                    <Icon name="close" size={12} />
                    Cancel
                  </button>
                </div>
              )}
            </>
          )}
        </div>
      )
    }
    case 'failed': {
      const { job } = state
      const cancelled = job.state === 'cancelled'
      return (
        <div className="fill" role="status">
          <Icon name={cancelled ? 'info' : 'error'} className={cancelled ? '' : 'err'} />
          <h3>{cancelled ? `Reading ${name(job.path)} was cancelled` : `${name(job.path)} could not be read`}</h3>
          <p>{job.note || 'The diagnostics tell what was found. The rest of the session is usable.'}</p>
          <div className="acts">
            <button className="btn" onClick={() => void request('file.retry', { session: job.session, file: job.file }).catch(fail)}>
              <Icon name="retry" size={12} />
              Read again
            </button>
          </div>
        </div>
      )
    }
    case 'elsewhere':
      return (
        <div className="fill trace-hatched">
          <div className="panelbox">
            <Icon name="clock" />
            <h3>The trace lies in another time range</h3>
            <p>
              {state.trace} doesn&rsquo;t overlap in time with {state.shown.length > 0 ? state.shown.join(' and ') : 'what is shown'}. Each
              is drawn in its own range; nothing was shifted.
            </p>
            <div className="acts">
              <button className="btn primary" onClick={() => switchGroup(state.group.id)}>
                Show the trace&rsquo;s range
              </button>
            </div>
          </div>
        </div>
      )
    case 'empty':
      return (
        <div className="fill">
          <Icon name="pulse" />
          <h3>No events in this session</h3>
          <p>
            {state.traces > 0
              ? 'The trace was read, but it holds no slices or counters with a time.'
              : 'There is no framework trace (trace.json) beside the other files. It is written when the profiler stops.'}
          </p>
          <pre className="code" tabIndex={0} aria-label="Calls to record a trace">
            {CAPTURE}
          </pre>
        </div>
      )
    case 'tracks':
      return null
  }
}

const name = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
