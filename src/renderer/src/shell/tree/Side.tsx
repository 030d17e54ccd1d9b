/** Left column: head with filter, tree, what is being read, and the way to the diagnostics. */
import { useMemo, useState, type ReactElement } from 'react'
import type { CatalogSession } from '../../../../shared/catalog'
import type { Job, RootState } from '../../../../shared/api'
import { fileSize } from '../../../../shared/format'
import { cancelJob, retryFile, useSession } from '../../state/session'
import { openFolder } from '../../commands/open'
import { allDiagnostics } from '../diagnostics'
import { Icon } from '../icons'
import { toggleDiagnostics, toggleOver, useUi } from '../ui'
import { baseName, findings, ranksText, SEVERITY } from '../words'
import { Tree } from './Tree'

export function Side({ root }: { readonly root: RootState }): ReactElement {
  const [filter, setFilter] = useState<string | null>(null)
  return (
    <>
      <div className="phead">
        <h2>Profiles</h2>
        <span className="sp" />
        <button
          className={filter === null ? 'btn icon' : 'btn icon on'}
          aria-label="Filter files"
          title="Filter files"
          aria-pressed={filter !== null}
          onClick={() => setFilter(f => (f === null ? '' : null))}
        >
          <Icon name="filter" size={14} />
        </button>
        <button className="btn icon" aria-label="Open folder" title="Open folder" onClick={() => void openFolder()}>
          <Icon name="folder" size={14} />
        </button>
      </div>
      {filter !== null && (
        <div className="treefilter">
          <label className="field">
            <Icon name="filter" size={12} />
            <input
              autoFocus
              aria-label="Filter files by name, kind or state"
              placeholder="Name, kind or state"
              value={filter}
              spellCheck={false}
              onChange={e => setFilter(e.target.value)}
              onKeyDown={e => {
                if (e.key === 'Escape') {
                  e.stopPropagation()
                  setFilter(null)
                }
              }}
            />
          </label>
        </div>
      )}
      <Tree root={root} filter={filter ?? ''} />
      <Jobs sessions={root.catalog.sessions} />
      <div className="sidefoot">
        <DiagnosticsBadge />
      </div>
    </>
  )
}

function DiagnosticsBadge(): ReactElement {
  const info = useSession(s => s.info)
  const root = useSession(s => s.root)
  const view = useSession(s => s.view)
  const error = useSession(s => s.error)
  const open = useUi(s => s.diagnostics)
  const found = useMemo(() => findings(allDiagnostics({ info, root, view, error })), [info, root, view, error])
  return (
    <button className="badge" aria-pressed={open} onClick={toggleDiagnostics}>
      <Icon name="checks" />
      Diagnostics
      <span className="sp" />
      {found ? (
        <span className={`chip ${SEVERITY[found.severity].cls}`}>
          <Icon name={SEVERITY[found.severity].icon} size={12} />
          <span className="num">{found.text}</span>
        </span>
      ) : (
        <span className="chip">nothing found</span>
      )}
    </button>
  )
}

const byteText = (done: number, total: number): string => {
  const [d, t] = [fileSize(done), fileSize(total)]
  const [dn, du] = d.split('\u00a0')
  return du === t.split('\u00a0')[1] ? `${dn} of ${t}` : `${d} of ${t}`
}

/** `rank 0 / trace.json`: the session is named where several are being read. */
function jobName(job: Job, sessions: readonly CatalogSession[], several: boolean): string {
  const s = sessions.find(x => x.id === job.session)
  const rank = s ? ranksText(s.ranks) || (s.timestamp ?? '') : ''
  return several && rank ? `${rank} / ${baseName(job.path)}` : baseName(job.path)
}

/** Jobs that run, and those of the open session that ended without figures. */
function Jobs({ sessions }: { readonly sessions: readonly CatalogSession[] }): ReactElement | null {
  const jobs = useSession(s => s.jobs)
  const session = useSession(s => s.session)
  const { running, ended } = useMemo(() => {
    const last = new Map<string, Job>()
    for (const j of jobs.values()) last.set(j.file, j)
    const all = [...last.values()]
    return {
      running: all.filter(j => j.state === 'queued' || j.state === 'reading'),
      ended: all.filter(j => (j.state === 'cancelled' || j.state === 'failed') && j.session === session),
    }
  }, [jobs, session])
  if (!running.length && !ended.length) return null
  const several = sessions.length > 1
  return (
    <section className="jobs" aria-label="Reading">
      <h3>
        <span>{running.length ? 'Reading' : 'Not read'}</span>
        <span className="num">{running.length ? `${running.length} running` : ''}</span>
      </h3>
      {running.map(j => (
        <div className="job" key={j.id}>
          <span className="name ell" title={j.path}>
            {jobName(j, sessions, several)}
          </span>
          <span className="amt num">{j.state === 'queued' ? 'waiting' : byteText(j.done, j.total)}</span>
          <div
            className="bar"
            role="progressbar"
            aria-label={`Reading ${baseName(j.path)}`}
            aria-valuemin={0}
            aria-valuemax={100}
            aria-valuenow={j.total ? Math.round((j.done / j.total) * 100) : 0}
            title={j.note}
          >
            <i style={{ width: `${j.total ? Math.min(100, (j.done / j.total) * 100) : 0}%` }} />
          </div>
          <button className="btn icon" title="Cancel" aria-label={`Cancel ${baseName(j.path)}`} onClick={() => cancelJob(j.id)}>
            <Icon name="close" size={12} />
          </button>
        </div>
      ))}
      {ended.map(j => (
        <div className="job ended" key={j.id}>
          <span className="name ell" title={j.path}>
            {jobName(j, sessions, several)}
          </span>
          <button className="btn" aria-label={`Retry ${baseName(j.path)}`} onClick={() => retryFile(j.session, j.file)}>
            <Icon name="retry" size={12} />
            Retry
          </button>
          <span className="why ell" title={j.note}>
            {j.state === 'cancelled' ? 'cancelled' : j.note || 'could not be read'}
          </span>
        </div>
      ))}
    </section>
  )
}

/** The left column of small windows: opens over the centre. */
export function SideRail(): ReactElement {
  const over = useUi(s => s.over)
  const diagnostics = useUi(s => s.diagnostics && s.over === 'details')
  const info = useSession(s => s.info)
  const root = useSession(s => s.root)
  const view = useSession(s => s.view)
  const error = useSession(s => s.error)
  const found = findings(allDiagnostics({ info, root, view, error }))
  return (
    <div className="rail">
      <button
        className={over === 'tree' ? 'btn icon on' : 'btn icon'}
        aria-label="Profiles"
        title="Profiles"
        aria-expanded={over === 'tree'}
        onClick={() => toggleOver('tree')}
      >
        <Icon name="tree" />
      </button>
      <span className="sp" />
      <button
        className={diagnostics ? 'btn icon on' : 'btn icon'}
        aria-label={found ? `Diagnostics: ${found.text}` : 'Diagnostics: nothing found'}
        title={found ? `Diagnostics: ${found.text}` : 'Diagnostics'}
        aria-pressed={diagnostics}
        onClick={toggleDiagnostics}
      >
        <Icon name="checks" />
        {found && <i className={`dot ${found.severity}`} />}
      </button>
    </div>
  )
}
