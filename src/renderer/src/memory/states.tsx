/** What stands in the Memory Viewer while there is nothing to draw: what was seen, what it means, what to do. */
import { useState, type ReactElement } from 'react'
import { makesTrace, type Job } from '../../../shared/api'
import type { CatalogFile } from '../../../shared/catalog'
import { fileSize } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { showDiagnostics } from '../shell/ui'
import { cancelJob, retryFile, useSession } from '../state/session'
import { awaitsSource } from '../trace/input'
import { copyText } from './copy'

const baseName = (path: string): string => path.split('/').at(-1) ?? path

/** Snapshot files of the open session, and their jobs. */
function useSnapshots(): readonly { readonly file: CatalogFile; readonly job: Job | null }[] {
  const session = useSession(s => s.session)
  const files = useSession(s => s.root?.catalog.sessions.find(x => x.id === session)?.files)
  const jobs = useSession(s => s.jobs)
  return (files ?? [])
    .filter(f => f.kind === 'memory-snapshot')
    .map(file => ({ file, job: [...jobs.values()].filter(j => j.session === session && j.file === file.id).at(-1) ?? null }))
}

export function NoAllocator(): ReactElement {
  const view = useSession(s => s.view)
  const opening = useSession(s => s.view === null && s.session !== null)
  const snapshots = useSnapshots()
  const session = useSession(s => s.session)
  const active = snapshots.find(s => s.job && (s.job.state === 'reading' || s.job.state === 'queued'))
  if (active?.job) return <Reading file={active.file} job={active.job} />
  const stopped = snapshots.find(s => s.job?.state === 'cancelled')
  if (stopped && session)
    return (
      <div className="fill" data-testid="memory-cancelled">
        <Icon name="layers" size={20} />
        <h3>Reading {baseName(stopped.file.path)} was cancelled</h3>
        <p>Nothing of it is shown, since a part of a snapshot has no figures that hold.</p>
        <div className="acts">
          <button className="btn" onClick={() => retryFile(session, stopped.file.id)}>
            <Icon name="retry" size={12} />
            Read again
          </button>
        </div>
      </div>
    )
  // A job is done a moment before the view holds what it read.
  const awaited = view !== null && snapshots.some(s => s.job && awaitsSource(view, s.job))
  if (opening || awaited || snapshots.some(s => s.job === null && s.file.bytes > 0)) return <div className="fill" aria-busy="true" />
  if (snapshots.length) {
    const { file } = snapshots[0]
    const empty = snapshots.every(s => s.file.bytes === 0)
    return (
      <div className="fill" data-testid="memory-unreadable">
        <Icon name={empty ? 'clock' : 'error'} size={20} className={empty ? '' : 'err'} />
        <h3>{empty ? `${baseName(file.path)} is empty so far` : `${baseName(file.path)} holds no allocator data that can be drawn`}</h3>
        <p>
          {empty
            ? 'The snapshot is read as soon as it is written.'
            : 'Nothing is drawn rather than something wrong. The diagnostics say what was found and at which byte.'}
        </p>
        {!empty && (
          <div className="acts">
            <button className="btn" onClick={() => showDiagnostics(file.path)}>
              <Icon name="info" size={12} />
              What was found
            </button>
          </div>
        )}
      </div>
    )
  }
  return <NoSnapshot />
}

/** The calls of the user guide, section 1. */
const CALL = [
  'mem._record_memory_history()',
  '# ... the steps to look at ...',
  'profiler.export_snapshot(f"memory_snapshot_rank{rank}.pickle")',
]

function NoSnapshot(): ReactElement {
  const [copied, setCopied] = useState(false)
  return (
    <div className="fill" data-testid="memory-empty">
      <Icon name="layers" size={20} />
      <h3>No memory snapshot in this session</h3>
      <p>
        This tab needs a PyTorch allocator snapshot in the session folder. Record the history before the first step and write it at the end,
        in the same process; the rank is read from the file&apos;s name.
      </p>
      <pre className="code mono selectable" tabIndex={0} aria-label="Calls to record a snapshot">
        {CALL.join('\n')}
      </pre>
      <div className="acts">
        <button className="btn" onClick={() => void copyText(CALL.join('\n') + '\n').then(setCopied)}>
          <Icon name={copied ? 'check' : 'copy'} size={12} />
          {copied ? 'Copied' : 'Copy'}
        </button>
      </div>
    </div>
  )
}

/** A file while it is read, with its progress. */
export function Reading({ file, job }: { readonly file: CatalogFile; readonly job: Job }): ReactElement {
  const others = useSession(s => s.view?.tracks.some(makesTrace) ?? false)
  const share = job.total > 0 ? Math.min(1, job.done / job.total) : 0
  return (
    <div className="fill" data-testid="memory-loading">
      <Icon name="layers" size={20} />
      <h3 className="num">
        {job.state === 'queued' ? 'Waiting to read' : 'Reading'} {baseName(file.path)}
      </h3>
      <p className="num">
        {fileSize(job.done)} of {fileSize(job.total)}
        {job.note ? `, ${job.note}` : ''}.{others ? ' The System Trace is ready meanwhile.' : ''}
      </p>
      <div
        className="bar"
        role="progressbar"
        aria-label={`Reading ${baseName(file.path)}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(share * 100)}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
      <div className="acts">
        <button className="btn" onClick={() => cancelJob(job.id)}>
          <Icon name="close" size={12} />
          Cancel
        </button>
      </div>
    </div>
  )
}
