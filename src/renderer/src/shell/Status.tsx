/** Watching or following, clocks, amounts, the next useful keys, and whether the host can be reached. */
import type { ReactElement } from 'react'
import type { RootState } from '../../../shared/api'
import { toggleAlignment } from '../alignment/state'
import { statusTail } from '../alignment/words'
import { useSession } from '../state/session'
import { awaitsSource } from '../trace/input'
import { useView } from '../state/view'
import { amountText, clockText, count } from './words'

const Dot = ({ token }: { readonly token: string }): ReactElement => (
  <i className="sw round" style={{ background: `var(${token})` }} aria-hidden="true" />
)

function Watching({ root }: { readonly root: RootState }): ReactElement {
  const files = root.catalog.sessions.reduce((n, s) => n + s.files.length, 0)
  const growing = root.catalog.sessions.reduce((n, s) => n + s.files.filter(f => f.state === 'growing').length, 0)
  if (root.scanning)
    return (
      <span>
        <Dot token="--info" />
        Looking through the folder, {count(files, 'file')} so far
      </span>
    )
  if (!root.watching)
    return (
      <span title={root.watchNotice ?? undefined}>
        <Dot token="--text-3" />
        {count(files, 'file')}, not watched
      </span>
    )
  return (
    <span title={root.watchNotice ?? undefined}>
      <Dot token={growing ? '--live' : '--ok'} />
      Watching {count(files, 'file')}
      {growing ? `, ${growing} growing` : ''}
      {root.watchNotice ? ', with gaps' : ''}
    </span>
  )
}

/** Files of the shown session that are read or wait for it, or were read and are being taken in. */
function useReading(): number {
  const session = useSession(s => s.session)
  const view = useSession(s => s.view)
  const live = useSession(s => s.jobs)
  const kinds = useSession(s => s.root?.catalog.sessions.find(c => c.id === s.session)?.files)
  if (session === null) return 0
  if (!view) return 1
  const timed = new Set(kinds?.filter(f => DRAWN.has(f.kind)).map(f => f.id))
  const jobs = new Map(view.jobs.map(j => [j.id, j]))
  for (const [id, j] of live) if (j.session === session) jobs.set(id, j)
  return [...jobs.values()].filter(j => j.state === 'queued' || j.state === 'reading' || (timed.has(j.file) && awaitsSource(view, j)))
    .length
}

/** Kinds of files that become sources of the view. */
const DRAWN: ReadonlySet<string> = new Set(['chrome-trace', 'memory-snapshot', 'ntrace'])

export function Status({ small }: { readonly small: boolean }): ReactElement {
  const info = useSession(s => s.info)
  const root = useSession(s => s.root)
  const view = useSession(s => s.view)
  const connection = useSession(s => s.connection)
  const selected = useView(s => s.selection !== null && s.selection.type !== 'file')
  const reading = useReading()
  const clocks = view && clockText(view)
  const offline =
    connection.kind === 'lost' ? 'Not connected, trying again' : connection.kind === 'refused' ? 'Not connected' : 'Connecting'
  return (
    <footer className="status" aria-label="Status" data-reading={reading} data-version={view?.version ?? ''}>
      {connection.kind !== 'open' ? (
        <span title={'reason' in connection ? connection.reason : undefined}>
          <Dot token={connection.kind === 'connecting' ? '--info' : '--warn'} />
          {offline}
        </span>
      ) : root ? (
        <Watching root={root} />
      ) : (
        <span>No folder open</span>
      )}
      {clocks && (
        <button className="ell clocks clocks-button" onClick={toggleAlignment} title="Show or hide the alignment">
          Clocks:{' '}
          <b className="ell num">
            {clocks}
            {statusTail(view)}
          </b>
        </button>
      )}
      {reading > 0 && root && !root.scanning && <span className="num">Reading {count(reading, 'file')}</span>}
      <span className="sp" />
      {!small && view && amountText(view) && <span className="num">{amountText(view)}</span>}
      {!small && view && (
        <span>
          <kbd>W</kbd>
          <kbd>A</kbd>
          <kbd>S</kbd>
          <kbd>D</kbd>
          move and zoom
        </span>
      )}
      {view && (
        <span>
          <kbd>F</kbd>
          {selected ? 'fit selection' : 'fit everything'}
        </span>
      )}
      {view && (
        <span>
          <kbd>?</kbd>
          keys
        </span>
      )}
      {!root && info && (
        <span className="num">
          {info.shell === 'browser' ? 'in the browser, ' : ''}
          {info.version}
        </span>
      )}
    </footer>
  )
}
