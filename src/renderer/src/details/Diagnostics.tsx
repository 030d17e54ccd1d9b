/** All findings about what is open: what was found, where, what it means for the numbers, what to do. */
import { useMemo, useState, type ReactElement } from 'react'
import type { Diagnostic } from '../../../shared/diagnostics'
import { copyText } from '../memory/copy'
import { ImportButton } from '../schema/Verdict'
import { answeredBySchema } from '../schema/words'
import { useSession } from '../state/session'
import { allDiagnostics, byFile, reportText, whereText } from '../shell/diagnostics'
import { Icon } from '../shell/icons'
import { hideDiagnostics, useUi } from '../shell/ui'
import { baseName, count, findings, SEVERITY } from '../shell/words'
import './details.css'

/** Cards in the document at once; the rest comes on demand. */
const PAGE = 100

type Order = 'file' | 'severity'

export function Diagnostics(): ReactElement {
  const info = useSession(s => s.info)
  const root = useSession(s => s.root)
  const view = useSession(s => s.view)
  const error = useSession(s => s.error)
  const only = useUi(s => s.diagnosticsFile)
  const [order, setOrder] = useState<Order>('file')
  const [shown, setShown] = useState(PAGE)
  const all = useMemo(() => allDiagnostics({ info, root, view, error }), [info, root, view, error])
  const list = useMemo(() => (only === null ? all : all.filter(d => d.file === only)), [all, only])
  const groups = useMemo(
    () => (order === 'file' ? byFile(list.slice(0, shown)) : [{ file: null, list: list.slice(0, shown) }]),
    [list, order, shown],
  )
  return (
    <>
      <div className="phead diaghead">
        <h2>Diagnostics</h2>
        <span className="t3 ell">{only ? baseName(only) : (root?.name ?? '')}</span>
        <span className="sp" />
        {list.length > 0 && <CopyReport list={list} />}
        <button className="btn icon" aria-label="Close diagnostics" title="Close" onClick={hideDiagnostics}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <div className="scroll diags">
        <div className="diagbar">
          <span className="t1">{summary(list)}</span>
          <span className="sp" />
          {only !== null && (
            <button className="btn quiet" onClick={() => useUi.setState({ diagnosticsFile: null })}>
              All files
            </button>
          )}
          {list.length > 1 && (
            <span className="seg" role="radiogroup" aria-label="Order">
              {(['file', 'severity'] as const).map(o => (
                <button key={o} role="radio" aria-checked={order === o} onClick={() => setOrder(o)}>
                  {o === 'file' ? 'By file' : 'By severity'}
                </button>
              ))}
            </span>
          )}
        </div>
        {!list.length && (
          <div className="fill">
            <Icon name="check" />
            <h3>Nothing found</h3>
            <p>{view?.jobs.some(j => j.state === 'reading') ? 'Files are still being read.' : 'The files could be read as they are.'}</p>
          </div>
        )}
        {groups.map(g => (
          <section key={g.file ?? ''} aria-label={g.file ?? 'All files'}>
            {g.file !== null && (
              <h3 title={g.file}>
                <b>{baseName(g.file)}</b>
                <span className="t3 ell">{folderOf(g.file)}</span>
              </h3>
            )}
            {g.list.map((d, i) => (
              <Card key={`${d.code}:${d.offset}:${i}`} d={d} file={g.file === null} first={list[0] === d} />
            ))}
          </section>
        ))}
        {list.length > shown && (
          <button className="btn" onClick={() => setShown(n => n + PAGE)}>
            Show {Math.min(PAGE, list.length - shown)} more of {list.length}
          </button>
        )}
      </div>
    </>
  )
}

/** The folder of a path, '' where there is none. */
const folderOf = (path: string): string => path.split('/').slice(0, -1).join('/')

function summary(list: readonly Diagnostic[]): string {
  if (!findings(list)) return ''
  const n = (s: Diagnostic['severity']): number => list.filter(d => d.severity === s).length
  return [n('error') && count(n('error'), 'error'), n('warning') && count(n('warning'), 'warning'), n('info') && count(n('info'), 'note')]
    .filter(Boolean)
    .join(', ')
}

function Card({ d, file, first }: { readonly d: Diagnostic; readonly file: boolean; readonly first: boolean }): ReactElement {
  const s = SEVERITY[d.severity]
  const where = [file ? d.file : null, whereText(d)].filter(Boolean).join(', ')
  return (
    <details className={`check ${s.cls}`} open={first || d.severity !== 'info'}>
      <summary>
        <Icon name={s.icon} />
        <span className="what">
          <span className="word">{s.word}</span>
          <b>{d.message}</b>
        </span>
        <Icon name="right" size={12} className="tw" />
      </summary>
      <dl className="selectable">
        {where && (
          <>
            <dt>Where</dt>
            <dd className="num">{where}</dd>
          </>
        )}
        <dt>Means</dt>
        <dd>{d.meaning}</dd>
        <dt>Do</dt>
        <dd>
          {d.action}
          {answeredBySchema(d.code) && (
            <div className="acts">
              <ImportButton />
            </div>
          )}
        </dd>
        <dt>Code</dt>
        <dd className="mono t3">{d.code}</dd>
      </dl>
    </details>
  )
}

function CopyReport({ list }: { readonly list: readonly Diagnostic[] }): ReactElement {
  const [state, setState] = useState<'ready' | 'copied' | 'denied'>('ready')
  const copy = (): void => {
    void copyText(reportText(list)).then(done => {
      setState(done ? 'copied' : 'denied')
      setTimeout(() => setState('ready'), 2000)
    })
  }
  return (
    <button className="btn quiet" onClick={copy}>
      <Icon name={state === 'copied' ? 'check' : 'copy'} size={12} />
      <span aria-live="polite">{state === 'ready' ? 'Copy report' : state === 'copied' ? 'Copied' : 'Copying was denied'}</span>
    </button>
  )
}
