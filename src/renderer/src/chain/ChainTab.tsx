/** What caused the selected event and what it caused, as two tables. */
import { useMemo, useState, type ReactElement } from 'react'
import type { ChainAnswer, ChainEvent, ChainLink } from '../../../shared/trace-api'
import { duration, num, timeMs } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { DataTable } from '../table/DataTable'
import type { Column, Sort } from '../table/types'
import { sentence } from './ModelFacts'
import { askAgain, chainKey, goToEvent, useChain } from './state'
import { byHelp, byWords, LAYER, SHORT } from './words'
import './chain.css'

interface Row {
  readonly key: string
  /** Place in the answer: nearest first. */
  readonly order: number
  /** The far end. */
  readonly event: ChainEvent
  readonly link: ChainLink
  readonly near: ChainEvent
}

/** The two tables stand beside each other: what tells most comes first. */
const COLUMNS: readonly Column<Row>[] = [
  { id: 'order', title: '#', help: 'Nearest first', align: 'right', width: '32px', csv: 'order', value: r => r.order + 1 },
  { id: 'name', title: 'Name', align: 'left', width: '168px', csv: 'name', value: r => r.event.name, hover: r => r.event.name },
  {
    id: 'layer',
    title: 'Layer',
    align: 'left',
    width: '72px',
    csv: 'layer',
    value: r => SHORT[r.event.layer],
    hover: r => LAYER[r.event.layer],
  },
  {
    id: 'by',
    title: 'Linked by',
    align: 'left',
    width: '176px',
    csv: 'linked_by',
    value: r => `${byWords(r.link)}${r.link.inferred ? ' (inferred)' : ''}`,
    hover: r => `${byHelp(r.link)} (with ${r.near.name})`,
    cell: r => (
      <>
        {r.link.inferred && <span className="chip warn">inferred</span>}
        {byWords(r.link)}
      </>
    ),
  },
  {
    id: 'start',
    title: 'Start',
    align: 'right',
    width: '88px',
    csv: 'start_ns',
    value: r => r.event.start,
    cell: r => timeMs(r.event.start),
    hover: r => `${num(r.event.start)} ns`,
  },
  {
    id: 'duration',
    title: 'Duration',
    align: 'right',
    width: '80px',
    csv: 'duration_ns',
    value: r => r.event.duration,
    cell: r => (r.event.duration === null ? '—' : duration(r.event.duration)),
    hover: r => (r.event.duration === null ? undefined : `${num(r.event.duration)} ns`),
  },
  {
    id: 'track',
    title: 'Track',
    align: 'left',
    width: '170px',
    csv: 'track',
    value: r => r.event.trackName,
    hover: r => r.event.trackName,
  },
  {
    id: 'with',
    title: 'With',
    help: 'The event that it is linked with',
    align: 'left',
    width: '150px',
    csv: 'with',
    value: r => r.near.name,
  },
  {
    id: 'id',
    title: 'Event ID',
    help: 'What `chain --event` takes',
    align: 'left',
    csv: 'event_id',
    value: r => r.event.id,
    hover: r => r.event.id,
  },
]

export function ChainTab(): ReactElement {
  const selection = useView(s => s.selection)
  const session = useSession(s => s.session)
  const version = useSession(s => s.view?.version ?? 0)
  const { key, answer, error } = useChain()
  if (selection?.type !== 'slice')
    return (
      <div className="fill">
        <h3>No event is selected</h3>
        <p>
          Select a slice: its chain from the operator over the runtime to the hardware is listed here and drawn over the tracks. The keys [
          and ] follow it.
        </p>
      </div>
    )
  const current = key === chainKey(selection, session, version)
  if (current && error !== null)
    return (
      <p className="tab-note" role="alert">
        <Icon name="warn" size={14} />
        The dependencies could not be found: {sentence(error)}
        <button className="btn" onClick={askAgain}>
          Try again
        </button>
      </p>
    )
  return answer ? <Tables answer={answer} stale={!current} /> : <p className="tab-note">Following the links…</p>
}

function Tables({ answer, stale }: { readonly answer: ChainAnswer; readonly stale: boolean }): ReactElement {
  const up = useMemo(
    () => answer.upstream.map((link, order): Row => ({ key: String(order), order, event: link.from, near: link.to, link })),
    [answer],
  )
  const down = useMemo(
    () => answer.downstream.map((link, order): Row => ({ key: String(order), order, event: link.to, near: link.from, link })),
    [answer],
  )
  const cut = answer.cut > 0 ? `${num(answer.cut)} more links are not listed` : undefined
  return (
    <div className="chain-tables">
      <Side title="Upstream" rows={up} reason={answer.noUpstream} stale={stale} />
      <Side title="Downstream" rows={down} reason={answer.noDownstream} stale={stale} note={cut} />
    </div>
  )
}

function Side({
  title,
  rows,
  reason,
  stale,
  note,
}: {
  readonly title: string
  readonly rows: readonly Row[]
  readonly reason: string | null
  readonly stale: boolean
  readonly note?: string | undefined
}): ReactElement {
  const [sort, setSort] = useState<Sort>({ column: 'order', descending: false })
  return (
    <section className="chain-table" aria-label={title}>
      <h3>{title}</h3>
      <DataTable
        label={`${title} events`}
        rows={rows}
        columns={COLUMNS}
        rowKey={r => r.key}
        onSelect={r => goToEvent(r.event)}
        sort={sort}
        onSort={setSort}
        csvName={`${title.toLowerCase()}-events`}
        noun={['link', 'links']}
        stale={stale}
        note={note}
        empty={reason === null ? `Nothing ${title.toLowerCase()}.` : sentence(reason)}
      />
    </section>
  )
}
