/** Nothing is open: open a folder, a recent one, or the sample. */
import { useEffect, useState, type ReactElement } from 'react'
import type { RecentEntry } from '../../../shared/api'
import { openFile, openFolder, openRecent, openSample } from '../commands/open'
import { fail, request, useSession } from '../state/session'
import { Icon, Logo, type IconName } from './icons'
import { dayText } from './words'

const READS: readonly (readonly [IconName, string, string])[] = [
  ['frames', 'Framework trace', 'trace.json, .json.gz, .pt.trace.json'],
  ['layers', 'PyTorch memory snapshot', 'pickle, any file name; rank<N> tells the rank'],
]
const LISTS: readonly (readonly [IconName, string, string])[] = [
  ['runtime', 'Neuron runtime trace', 'ntrace.pb, trace_info.pb, cpu_util.pb, host_mem.pb'],
  ['chip', 'Device profile', 'NEFF and NTFF'],
  ['table', 'Explorer exports', 'Parquet, JSON, Perfetto'],
]

const Reads = ({ rows }: { readonly rows: typeof READS }): ReactElement => (
  <ul>
    {rows.map(([icon, title, names]) => (
      <li className="r" key={title}>
        <Icon name={icon} />
        <b>{title}</b>
        <span>{names}</span>
      </li>
    ))}
  </ul>
)

export function Welcome(): ReactElement {
  const info = useSession(s => s.info)
  const [recent, setRecent] = useState<{ readonly list: readonly RecentEntry[]; readonly now: number }>({ list: [], now: 0 })
  const [opening, setOpening] = useState(false)
  useEffect(() => {
    let live = true
    request('recent.list', {}).then(list => live && setRecent({ list, now: Date.now() }), fail)
    return () => {
      live = false
    }
  }, [])
  const sample = async (): Promise<void> => {
    setOpening(true)
    await openSample()
    setOpening(false)
  }
  return (
    <main className="centre welcome" aria-label="Welcome">
      <div className="wbox">
        <div>
          <Logo size={34} />
          <h1>Open a profile</h1>
          <p>
            Choose a profile_output folder, one session, or a single file. An empty folder is fine too: start training and the run shows up
            here as it is written.
          </p>
          <div className="cta">
            <button className="btn lg primary" onClick={() => void openFolder()}>
              <Icon name="folder" size={14} />
              Open folder
            </button>
            <button className="btn lg" disabled={opening} onClick={() => void sample()}>
              <Icon name="play" size={14} />
              {opening ? 'Writing the sample' : 'Sample profile'}
            </button>
          </div>
          <p className="t3 small">
            or{' '}
            <button className="link" onClick={() => void openFile()}>
              open a single file
            </button>
            {info?.shell === 'browser' ? '' : ', or drop a folder or a file anywhere in this window'}
          </p>
          {info?.notice && (
            <p className="t3 small why">
              <Icon name="info" size={14} />
              <span>{info.notice}</span>
            </p>
          )}
          {recent.list.length > 0 && (
            <section className="recent" aria-labelledby="recent">
              <h2 id="recent">Recent</h2>
              <ul>
                {recent.list.slice(0, 6).map(r => (
                  <li key={r.id}>
                    <button className="row" title={r.path} onClick={() => void openRecent(r.id)}>
                      <Icon name={/\.(json|gz|pickle|pkl|html)$/i.test(r.path) ? 'file' : 'folder'} />
                      <span className="two">
                        <b className="ell">{r.label}</b>
                        <small className="ell num">{r.detail || r.path}</small>
                      </span>
                      <small className="num">{dayText(r.openedMs, recent.now)}</small>
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </div>
        <section className="reads" aria-labelledby="reads">
          <h2 id="reads">What it reads</h2>
          <Reads rows={READS} />
          <h2 className="next">Listed, not read yet</h2>
          <Reads rows={LISTS} />
          <p className="last">Files stay where they are. Nothing is uploaded.</p>
        </section>
      </div>
    </main>
  )
}
