/** A file that was chosen in the tree: what it is, its state, what reading it found, and the figures it gave. */
import { Fragment, useMemo, type ReactElement } from 'react'
import type { Job, SessionView, SourceInfo } from '../../../shared/api'
import type { CatalogFile, CatalogSession } from '../../../shared/catalog'
import { duration, exactBytes, fileSize, localTime, num } from '../../../shared/format'
import { Verdict } from '../schema/Verdict'
import { cancelJob, openSession, retryFile, useSession } from '../state/session'
import { allDiagnostics } from '../shell/diagnostics'
import { Icon } from '../shell/icons'
import { showDiagnostics } from '../shell/ui'
import { baseName, count, findings, KIND, READ_NOW, SEVERITY, sessionName, stateChip, STATE_SENTENCE } from '../shell/words'
import { AllocatorFigures } from './AllocatorFigures'
import { deviceFactRows } from './device-facts'
import { factRows } from './facts'
import { KeyValues, Missing, type KeyValue } from './KeyValues'
import { PairDetails } from './PairDetails'
import { Verify } from './Verify'

interface Found {
  readonly file: CatalogFile
  readonly session: CatalogSession
}

function findFile(sessions: readonly CatalogSession[], id: string): Found | null {
  for (const session of sessions) {
    const file = session.files.find(f => f.id === id)
    if (file) return { file, session }
  }
  return null
}

export function FileDetails({ file: id }: { readonly file: string }): ReactElement {
  const root = useSession(s => s.root)
  const view = useSession(s => s.view)
  const found = findFile(root?.catalog.sessions ?? [], id)
  if (!found)
    return (
      <div className="hero">
        <div className="headline">The file is gone</div>
        <p className="t3">It was removed or renamed since it was chosen.</p>
      </div>
    )
  const { file, session } = found
  const kind = KIND[file.kind]
  const chip = stateChip(file.state)
  const shown = view?.session === session.id
  const source = shown ? view.sources.find(s => s.file === file.id) : undefined
  const verdict = shown ? view.verdicts?.find(v => v.file === file.id)?.verdict : undefined
  return (
    <>
      <div className="hero">
        <div className="headline ell" title={file.path}>
          {baseName(file.path)}
        </div>
        <div className="exact num selectable">
          {fileSize(file.bytes)}
          {file.bytes >= 1000 && `, ${exactBytes(file.bytes)}`}
        </div>
        <div className="tags">
          <span className="chip">
            <Icon name={kind.icon} size={12} />
            {kind.title}
          </span>
          {chip && <span className={`chip ${chip.cls}`}>{chip.word}</span>}
        </div>
      </div>
      <JobRow file={file} session={session} />
      <KeyValues
        rows={[
          ['State', <span className="wrap">{STATE_SENTENCE[file.state]}</span>],
          ['Changed', <span className="num">{localTime(file.mtimeMs)}</span>],
          [
            'Folder',
            <span className="ell" title={session.dir}>
              {session.dir}
            </span>,
          ],
          rankRow(file, source),
        ]}
      />
      {file.kind === 'neff' || file.kind === 'ntff' ? (
        <>
          <DeviceFacts kind={file.kind} facts={file.facts} />
          {root && <PairDetails file={file} session={session} catalog={root.catalog} />}
        </>
      ) : (
        <Facts file={file} view={shown ? view : null} source={source} decoded={verdict !== undefined} />
      )}
      {verdict && <Verdict verdict={verdict} />}
      <Findings path={file.path} />
      {!shown && READ_NOW.has(file.kind) && (
        <div className="acts pad">
          <button className="btn" onClick={() => void openSession(session.id)}>
            <Icon name="open" size={12} />
            Show session {sessionName(session, root?.name ?? '')}
          </button>
        </div>
      )}
      {!READ_NOW.has(file.kind) && (
        <p className="remark t3">
          {file.kind === 'unknown'
            ? 'Its content is of no kind that this program knows. It stays listed, so that nothing is left out in silence.'
            : 'This kind is listed, its content is not read yet.'}
        </p>
      )}
      {source?.kind === 'memory-snapshot' &&
        view?.allocators
          .filter(a => a.source === source.index)
          .map(a => <AllocatorFigures key={a.id} session={session.id} allocator={a} version={view.version} />)}
      {source?.kind === 'memory-snapshot' && <Verify session={session.id} file={file} />}
    </>
  )
}

function rankRow(file: CatalogFile, source: SourceInfo | undefined): readonly [string, ReactElement] | null {
  const rank = file.rank ?? source?.rank ?? null
  if (rank === null) return null
  const from = file.rank === null ? 'told by the trace' : file.rankFromName ? 'told by the name' : 'assumed, the name tells none'
  return [
    'Rank',
    <>
      <span className="num">{rank}</span>
      <span className="t3">{from}</span>
    </>,
  ]
}

function DeviceFacts({ kind, facts }: { readonly kind: 'neff' | 'ntff'; readonly facts: CatalogFile['facts'] }): ReactElement | null {
  const rows = deviceFactRows(kind, facts)
  if (!rows.length) return null
  return (
    <>
      <div className="sect">Content</div>
      <KeyValues
        rows={rows.map((r, i): KeyValue => [
          r.name || '\u00a0'.repeat(i), // a further line of the row above; names are keys
          <span className={`wrap breakable ${r.mono ? 'mono' : 'num'} ${r.tone ?? ''}`} title={r.exact}>
            {/^[0-9a-f]{32,}$/.test(r.text) ? <Hex digits={r.text} /> : r.text}
          </span>,
        ])}
      />
    </>
  )
}

/** Digits that break after every sixteenth, so that the halves of a UUID stand below each other; copied they are one. */
const Hex = ({ digits }: { readonly digits: string }): ReactElement => (
  <>
    {digits.match(/.{1,16}/g)?.map((part, i) => (
      <Fragment key={i}>
        {i > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </>
)

/** What reading the file told; in words, never a raw object. */
function Facts({
  file,
  view,
  source,
  decoded,
}: {
  readonly file: CatalogFile
  readonly view: SessionView | null
  readonly source: SourceInfo | undefined
  readonly decoded: boolean
}): ReactElement | null {
  // How a file of the runtime was decoded stands below, with the checks.
  const facts = factRows(file.facts).filter(([k]) => !decoded || (k !== 'schema' && k !== 'framing'))
  if (!source && !facts.length) return null
  const group = source && source.group !== null ? view?.groups.find(g => g.id === source.group) : undefined
  const tracks = view?.tracks.filter(t => t.source === source?.index) ?? []
  const known = new Set(['events', 'tracks'])
  const rows: readonly (KeyValue | null | false | undefined)[] = [
    source && ['Events', <span className="num">{num(source.events)}</span>],
    source?.kind === 'chrome-trace' && ['Tracks', <span className="num">{num(tracks.length)}</span>],
    source && ['Clock', <span className="wrap">{source.clock}</span>],
    source && [
      'Time range',
      group ? (
        <>
          <span className="num">{duration(group.durationNs)}</span>
          <span className="t3">
            {group.sources.length > 1 ? `shared by ${count(group.sources.length, 'file')}` : group.calibrated ? 'by itself' : 'own clock'}
          </span>
        </>
      ) : (
        <Missing why="the file carries no times" />
      ),
    ],
    group?.calibrated && ['Begins at', <span className="mono">{group.originNs.toString()}</span>],
    ...facts.filter(([k]) => !source || !known.has(k)).map(([, name, text]) => [name, <span className="num wrap">{text}</span>] as const),
  ]
  return (
    <>
      <div className="sect">
        {source ? 'Content' : 'Facts'}
        {source && !source.complete && <span className="t3">of the part that could be read</span>}
      </div>
      <KeyValues rows={rows.map(r => r || null)} />
    </>
  )
}

/** How many findings are about this file; the list itself stands in the diagnostics. */
function Findings({ path }: { readonly path: string }): ReactElement {
  const info = useSession(s => s.info)
  const root = useSession(s => s.root)
  const view = useSession(s => s.view)
  const list = useMemo(() => allDiagnostics({ info, root, view, error: null }).filter(d => d.file === path), [info, root, view, path])
  const found = findings(list)
  return (
    <div className="sect">
      Diagnostics
      <span className="sp" />
      {found ? (
        <button className="btn quiet" onClick={() => showDiagnostics(path)} aria-label={`Show ${found.text} of this file`}>
          <span className={`chip ${SEVERITY[found.severity].cls}`}>
            <Icon name={SEVERITY[found.severity].icon} size={12} />
            {found.text}
          </span>
          <Icon name="right" size={12} />
        </button>
      ) : (
        <span className="t3 end">nothing found</span>
      )}
    </div>
  )
}

function JobRow({ file, session }: Found): ReactElement | null {
  const job = useSession(s => {
    let last: Job | null = null
    for (const j of s.jobs.values()) if (j.file === file.id && j.session === session.id) last = j
    return last
  })
  if (!job || job.state === 'done') return null
  const share = job.total ? Math.min(1, job.done / job.total) : 0
  if (job.state === 'queued' || job.state === 'reading')
    return (
      <div className="jobrow">
        <span className="num">
          {job.state === 'queued' ? 'Waiting to be read' : `Reading, ${fileSize(job.done)} of ${fileSize(job.total)}`}
        </span>
        <button className="btn" onClick={() => cancelJob(job.id)}>
          <Icon name="close" size={12} />
          Cancel
        </button>
        <div className="bar">
          <i style={{ width: `${share * 100}%` }} />
        </div>
      </div>
    )
  return (
    <div className="jobrow">
      <span>{job.state === 'cancelled' ? 'Reading was cancelled.' : `Not read: ${job.note || 'the reader gave no reason'}`}</span>
      <button className="btn" onClick={() => retryFile(session.id, file.id)}>
        <Icon name="retry" size={12} />
        Retry
      </button>
    </div>
  )
}
