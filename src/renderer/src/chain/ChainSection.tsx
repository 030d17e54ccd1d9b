/** In the details of a slice: what caused it and what it caused, next to it in the chain, and the model that ran. */
import type { ReactElement } from 'react'
import type { ChainEvent, ChainLink } from '../../../shared/trace-api'
import { duration, num } from '../../../shared/format'
import { openDrawer } from '../drawer/state'
import { Icon } from '../shell/icons'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { ModelFacts, sentence } from './ModelFacts'
import { askAgain, chainKey, goToEvent, useChain } from './state'
import { byHelp, byWords, LAYER } from './words'
import './chain.css'

/** Neighbours that stand here; the table has all. */
const MOST = 4

export function ChainSection(): ReactElement | null {
  const selection = useView(s => s.selection)
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const { key, answer, error } = useChain()
  if (selection?.type !== 'slice') return null
  const current = key === chainKey(selection, session, version)
  return (
    <section className="chain" aria-label="Dependencies" aria-busy={!current}>
      <div className="sect">
        Dependencies
        {answer && current && (
          <button className="btn quiet" onClick={() => openDrawer('chain')}>
            Table
          </button>
        )}
      </div>
      {current && error !== null && (
        <p className="chain-why" role="alert">
          <Icon name="warn" size={12} />
          <span>{sentence(error)}</span>
          <button className="btn" onClick={askAgain}>
            Try again
          </button>
        </p>
      )}
      {answer && current && (
        <>
          {answer.deviceNs !== null && (
            <dl className="kv">
              <dt title="Time that at least one hardware event downstream covers">Device time</dt>
              <dd className="num" title={`${num(answer.deviceNs)} ns`}>
                {duration(answer.deviceNs)}
              </dd>
            </dl>
          )}
          <Neighbours title="Upstream" links={answer.upstream} own={answer.event.id} why={answer.noUpstream} />
          <Neighbours title="Downstream" links={answer.downstream} own={answer.event.id} why={answer.noDownstream} />
          {answer.model ? (
            <ModelFacts model={answer.model} />
          ) : (
            answer.models.length > 1 && (
              <p className="chain-why">
                <Icon name="info" size={12} />
                <span>
                  {answer.models.length === 20 ? 'At least 20' : num(answer.models.length)} models ran; select one of the executions.
                </span>
              </p>
            )
          )}
        </>
      )}
    </section>
  )
}

function Neighbours({
  title,
  links,
  own,
  why,
}: {
  readonly title: 'Upstream' | 'Downstream'
  readonly links: readonly ChainLink[]
  readonly own: string
  readonly why: string | null
}): ReactElement | null {
  const up = title === 'Upstream'
  const near = links.filter(l => (up ? l.to.id : l.from.id) === own)
  if (near.length === 0)
    return why === null ? null : (
      <p className="chain-why">
        <Icon name="info" size={12} />
        <span>
          {title}: {why}.
        </span>
      </p>
    )
  return (
    <>
      <div className="chain-side t3">
        {title}
        <span className="num">{num(near.length)}</span>
      </div>
      <ul className="parents" aria-label={title}>
        {near.slice(0, MOST).map(l => (
          <Neighbour key={up ? l.from.id : l.to.id} link={l} event={up ? l.from : l.to} />
        ))}
      </ul>
      {near.length > MOST && <p className="chain-more t3">and {num(near.length - MOST)} more in the table</p>}
    </>
  )
}

function Neighbour({ link, event: e }: { readonly link: ChainLink; readonly event: ChainEvent }): ReactElement {
  return (
    <li>
      <button className="fr" onClick={() => goToEvent(e)} title={`${e.name}, ${LAYER[e.layer]}, ${e.trackName}. ${byHelp(link)}`}>
        <span className="fn ell link">{e.name}</span>
        <span className="t3">{LAYER[e.layer]}</span>
        {link.inferred && <span className="chip warn">inferred</span>}
        <span className="at num">{e.duration === null ? '' : duration(e.duration)}</span>
      </button>
      <span className="vh">{byWords(link)}</span>
    </li>
  )
}
