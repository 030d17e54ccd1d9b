/** What stands in the HBM tab while there is nothing to draw: what was seen, what it means, what to do. */
import type { ReactElement } from 'react'
import { fileSize } from '../../../shared/format'
import { command, runCommand } from '../commands/registry'
import { Reading } from '../memory/states'
import { Icon } from '../shell/icons'
import { showDiagnostics } from '../shell/ui'
import { retryFile, useSession } from '../state/session'
import { awaitsSource } from '../trace/input'

const KINDS: ReadonlySet<string> = new Set(['ntrace', 'explorer-parquet', 'explorer-json', 'perfetto-trace'])
/** Code of the diagnostic that says that no schema fits. */
const REFUSED = 'system-schema-unknown'
const IMPORT = 'schema-import'

const baseName = (path: string): string => path.split('/').at(-1) ?? path

export function NoHbm(): ReactElement {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const all = useSession(s => s.root?.catalog.sessions.find(x => x.id === session)?.files)
  const jobs = useSession(s => s.jobs)
  const files = (all ?? [])
    .filter(f => KINDS.has(f.kind))
    .map(file => ({ file, job: [...jobs.values()].filter(j => j.session === session && j.file === file.id).at(-1) ?? null }))
  const active = files.find(f => f.job?.state === 'reading' || f.job?.state === 'queued')
  if (active?.job) return <Reading file={active.file} job={active.job} />
  const waits = (session !== null && view === null) || (view !== null && files.some(f => f.job && awaitsSource(view, f.job)))
  if (waits) return <div className="fill" aria-busy="true" data-testid="memory-hbm" />

  const trace = files.find(f => f.file.kind === 'ntrace')
  if (!trace)
    return (
      <div className="fill" data-testid="memory-hbm">
        <Icon name="chip" size={20} />
        <h3>{files.length ? 'No device memory in this session' : 'No runtime trace in this session'}</h3>
        <p>
          {files.length ? `${files.map(f => baseName(f.file.path)).join(', ')} tell nothing of device memory. ` : ''}
          HBM usage is recorded by the runtime mode (ProfileMode.RUNTIME), which writes ntrace.pb beside the trace. An export of Neuron
          Explorer in the same folder is read, too.
        </p>
        <p>What the PyTorch allocator holds on the device is in the tab PyTorch Allocator.</p>
      </div>
    )
  const { file, job } = trace
  const name = baseName(file.path)
  const refused = view?.diagnostics.find(d => d.code === REFUSED && d.file === file.path)
  if (refused)
    return (
      <div className="fill" data-testid="memory-hbm-refused">
        <Icon name="warn" size={20} className="warn" />
        <h3>{name} doesn&apos;t match a known schema</h3>
        <p>
          {name} ({fileSize(file.bytes)}) was not written by a runtime whose schema is known, and its fields cannot be told by their values.
          Nothing is drawn rather than something wrong.
        </p>
        <p>
          The exact schema comes from a .proto file, a descriptor set, or the libnrt.so of the run, which is searched and never loaded. An
          export of Neuron Explorer beside it is read, too.
        </p>
        <div className="acts">
          {command(IMPORT) && (
            <button className="btn primary" onClick={() => runCommand(IMPORT)}>
              Import trace schema…
            </button>
          )}
          <button className="btn" onClick={() => showDiagnostics(file.path)}>
            <Icon name="info" size={12} />
            What was found
          </button>
        </div>
      </div>
    )
  const broken = view?.diagnostics.find(d => d.severity === 'error' && d.file === file.path)
  if (broken)
    return (
      <div className="fill" data-testid="memory-hbm">
        <Icon name="error" size={20} className="err" />
        <h3>{name} could not be decoded</h3>
        <p>
          {broken.message} {broken.meaning}
        </p>
        <p>{broken.action}</p>
        <div className="acts">
          <button className="btn" onClick={() => showDiagnostics(file.path)}>
            <Icon name="info" size={12} />
            What was found
          </button>
        </div>
      </div>
    )
  if (job?.state === 'cancelled' && session !== null)
    return (
      <div className="fill" data-testid="memory-hbm">
        <Icon name="chip" size={20} />
        <h3>Reading {name} was cancelled</h3>
        <div className="acts">
          <button className="btn" onClick={() => retryFile(session, file.id)}>
            <Icon name="retry" size={12} />
            Read again
          </button>
        </div>
      </div>
    )
  const empty = file.bytes === 0
  return (
    <div className="fill" data-testid="memory-hbm">
      <Icon name={empty ? 'clock' : 'chip'} size={20} />
      <h3>{empty ? `${name} is empty so far` : `${name} holds no events of device memory`}</h3>
      <p>
        {empty
          ? 'It is read as soon as it is written.'
          : 'No allocation or free of device memory is in it, so nothing is known of the HBMs. It may have been captured with a filter, or the events were overwritten.'}
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
