/** Details of the selected slice: name, life, others of its name, parents, children, args. Stands in the details column. */
import { useEffect, useState, type ReactElement } from 'react'
import type { SliceDetails as Facts } from '../../../shared/api'
import { duration, num, timeMs } from '../../../shared/format'
import { styleOf, styleTokens } from '../../../paint/timeline'
import { copyText } from '../memory/copy'
import { Icon } from '../shell/icons'
import { request, useSession } from '../state/session'
import { trackName } from './current'
import { useView, type Selection } from '../state/view'
import { ChainSection } from '../chain/ChainSection'
import { goToSlice } from '../commands/slices'
import { percent } from '../stats/words'
import { Args } from './Args'
import { Children } from './Children'
import { Occurrences } from './Occurrences'
import './trace.css'

type SliceSelection = Extract<Selection, { type: 'slice' }>
type Loaded = { readonly key: string; readonly facts: Facts } | { readonly key: string; readonly error: string }

/** While the next slice is read, the one before stays this long, ms: stepping through many does not flicker. */
const PATIENCE = 150

/** Shows the slice of the shared selection; nothing where the selection is something else. */
export function SliceDetails(): ReactElement | null {
  const selection = useView(s => s.selection)
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  if (selection?.type !== 'slice' || session === null) return null
  return <Details selection={selection} session={session} version={version} />
}

function Details({
  selection,
  session,
  version,
}: {
  readonly selection: SliceSelection
  readonly session: string
  readonly version: number
}): ReactElement {
  const { source, row } = selection
  const key = `${session}/${version}/${source}/${row}`
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    let gone = false
    request('trace.slice', { session, source, row })
      .then(facts => {
        if (!gone) setLoaded({ key, facts })
      })
      .catch((e: unknown) => {
        if (!gone) setLoaded({ key, error: e instanceof Error ? e.message : String(e) })
      })
    return () => {
      gone = true
    }
  }, [key, session, source, row, turn])
  const [late, setLate] = useState<string | null>(null)
  useEffect(() => {
    const t = setTimeout(() => setLate(key), PATIENCE)
    return () => clearTimeout(t)
  }, [key])
  const now = loaded?.key === key || (loaded && 'facts' in loaded && late !== key) ? loaded : null
  if (now && 'error' in now)
    return (
      <div className="slice-details">
        <div className="state" role="status">
          <Icon name="error" className="err" />
          <b>The details could not be read</b>
          <p>{now.error}</p>
          <button className="btn" onClick={() => setTurn(turn + 1)}>
            <Icon name="retry" size={12} />
            Try again
          </button>
        </div>
      </div>
    )
  const facts = now?.facts ?? null
  return (
    <div className="slice-details" aria-busy={loaded?.key !== key}>
      {facts ? (
        <Head facts={facts} track={selection.track} />
      ) : (
        <div className="hero">
          <div className="big num">{duration(selection.duration)}</div>
          <div className="exact">Reading the details…</div>
        </div>
      )}
      <Occurrences
        selection={selection}
        session={session}
        version={version}
        name={facts?.name ?? null}
        length={loaded?.key === key ? (facts?.duration ?? null) : null}
      />
      {facts && <Rest facts={facts} selection={selection} session={session} version={version} />}
    </div>
  )
}

/** Events of the runtime of which one half is missing. */
const HALF: Readonly<Record<string, string>> = { open: 'no end recorded', tail: 'no start recorded; its stop is shown' }

/** Name, life and place. */
function Head({ facts: f, track }: { readonly facts: Facts; readonly track: number }): ReactElement {
  const [fill] = styleTokens(styleOf(f.name, f.category))
  const instant = f.duration === null
  return (
    <>
      <div className="hero">
        <div className="big" title={f.name}>
          {f.name || '(no name)'}
        </div>
        <div className="exact num">{HALF[f.phase] ?? (instant ? `instant, phase ${f.phase}` : duration(f.duration))}</div>
        <div className="tags">
          <span className="chip">
            <i className="sw" style={{ background: `var(${fill})` }} />
            {f.category || 'no category'}
          </span>
          <span className="chip ell" title={f.track}>
            {f.track}
          </span>
          {f.nameInferred && (
            <span className="chip warn" title={f.argsNotice ?? undefined}>
              <Icon name="warn" size={12} />
              name inferred
            </span>
          )}
        </div>
      </div>
      {f.duration !== null && f.duration > 0 && f.selfTime !== null && <SelfRail duration={f.duration} self={f.selfTime} fill={fill} />}
      <dl className="kv">
        <dt>{f.phase === 'tail' ? 'Stop' : 'Start'}</dt>
        <dd className="num" title={`${unixText(f.startUnixNs)} ns since 1970`}>
          {timeMs(f.start)}
          <Copy text={f.startUnixNs} label="Copy Unix time in ns" />
        </dd>
        {f.duration !== null && (
          <>
            <dt>End</dt>
            <dd className="num">{timeMs(f.start + f.duration)}</dd>
          </>
        )}
        <dt>Duration</dt>
        <dd className="num" title={f.duration === null ? undefined : `${num(f.duration)} ns`}>
          {f.duration === null ? '—' : duration(f.duration)}
        </dd>
        <dt>Self time</dt>
        <dd className="num" title={f.selfTime === null ? undefined : `${num(f.selfTime)} ns`}>
          {f.selfTime === null ? '—' : duration(f.selfTime)}
          {f.selfTime !== null && f.duration !== null && f.duration > 0 && <span className="t3">{percent(f.selfTime, f.duration)}</span>}
        </dd>
        <dt>Children</dt>
        <dd className="num">{num(f.children)}</dd>
        <dt>Track</dt>
        <dd className="whole">{trackName(track) ?? f.track}</dd>
        <dt>Phase</dt>
        <dd className="mono">{f.phase}</dd>
      </dl>
    </>
  )
}

/** What it stands in, what stands in it, and its args. */
function Rest({
  facts: f,
  selection,
  session,
  version,
}: {
  readonly facts: Facts
  readonly selection: SliceSelection
  readonly session: string
  readonly version: number
}): ReactElement {
  const { source, track, row } = selection
  return (
    <>
      <div className="sect">
        Inside <span className="t3 num">{f.parents.length === 0 ? 'top level' : num(f.parents.length)}</span>
      </div>
      {f.parents.length > 0 && (
        <ul className="parents">
          {f.parents.map(p => (
            <li key={p.row}>
              <button
                className="fr"
                onClick={() => goToSlice({ source, track, row: p.row, start: p.start, duration: p.duration })}
                title={`Select ${p.name}`}
              >
                <span className="fn ell link">{p.name}</span>
                <span className="at num">{duration(p.duration)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      <Children session={session} version={version} source={source} row={row} count={f.children} />
      <ChainSection />
      <Args text={f.args} notice={f.argsNotice} />
    </>
  )
}

/** How much of the slice is its own time. */
function SelfRail({ duration: d, self, fill }: { readonly duration: number; readonly self: number; readonly fill: string }): ReactElement {
  const share = Math.min(100, Math.max(0, (100 * self) / d))
  return (
    <div className="life">
      <div className="rail2">
        <i style={{ width: `${share}%`, background: `var(${fill})` }} />
      </div>
      <div className="ends num">
        <span>self {duration(self)}</span>
        <span>in children {duration(Math.max(0, d - self))}</span>
      </div>
    </div>
  )
}

/** Unix ns with groups of three digits. */
const unixText = (ns: string): string => ns.replace(/\B(?=(\d{3})+$)/g, ',')

function Copy({ text, label }: { readonly text: string; readonly label: string }): ReactElement {
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const t = setTimeout(() => setDone(false), 1200)
    return () => clearTimeout(t)
  }, [done])
  return (
    <button className="btn icon" aria-label={done ? 'Copied' : label} title={label} onClick={() => void copyText(text).then(setDone)}>
      <Icon name={done ? 'check' : 'copy'} size={12} />
    </button>
  )
}
