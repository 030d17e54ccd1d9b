/** Details of a slice: all slices of its name, with their figures, where this one stands among them, and the way to the others. */
import type { ReactElement } from 'react'
import type { OccurrencesAnswer } from '../../../shared/trace-api'
import { duration, num } from '../../../shared/format'
import { goToSlice } from '../commands/slices'
import { useAsk } from '../memory/useAsk'
import type { Selection } from '../state/view'
import { binOf, bins } from './histogram'
import { isThis, occurrencesOf, STEPS, type Step } from './occurrences'

const LABEL: Readonly<Record<Step, string>> = {
  first: 'First',
  previous: 'Previous',
  next: 'Next',
  last: 'Last',
  shortest: 'Shortest',
  longest: 'Longest',
}
const KEY: Readonly<Partial<Record<Step, string>>> = { previous: ',', next: '.' }

export function Occurrences({
  selection: s,
  session,
  version,
  name,
  length,
}: {
  readonly selection: Extract<Selection, { type: 'slice' }>
  readonly session: string
  readonly version: number
  /** null: not known yet. */
  readonly name: string | null
  /** Duration of this slice; null: it is none of them. */
  readonly length: number | null
}): ReactElement | null {
  const { value, error } = useAsk(session, `${version}/${s.source}/${s.row}`, s, q => occurrencesOf(session, version, q.source, q.row))
  // The figures of the same name stay while the answer for its neighbour is on its way.
  const a = value && (name === null || value.answer.name === name) ? value.answer : null
  const here = value?.question.source === s.source && value.question.row === s.row
  return (
    <section aria-label="Same name" data-testid="occurrences" data-count={a?.count} data-index={here ? a?.index : undefined}>
      <div className="sect">
        Same name
        <span className="t3 num">
          {a === null ? '' : !here ? num(a.count) : a.index >= 0 ? `${num(a.index + 1)} of ${num(a.count)}` : num(a.count)}
        </span>
      </div>
      {error !== null ? (
        <p className="notice" role="alert">
          The others of this name could not be counted: {error}
        </p>
      ) : a === null ? (
        <p className="notice">Counting…</p>
      ) : (
        <>
          <div className="steps">
            {STEPS.map(step => {
              const to = here ? a[step] : null
              return (
                <button
                  key={step}
                  className="btn"
                  disabled={to === null || isThis(to, s)}
                  title={`${LABEL[step]} of this name${KEY[step] ? ` (${KEY[step]})` : ''}`}
                  aria-keyshortcuts={KEY[step]}
                  onClick={() => to && goToSlice(to)}
                >
                  {LABEL[step]}
                </button>
              )
            })}
          </div>
          {a.count === 0 ? (
            <p className="notice">
              No complete slice has this name{a.others > 0 ? `; ${num(a.others)} instants or slices with an end missing have` : ''}.
            </p>
          ) : (
            <>
              <dl className="kv two">
                <Figure name="Total" ns={a.totalNs} />
                <Figure name="Mean" ns={a.meanNs} />
                <Figure name="Median" ns={a.medianNs} />
                <Figure name="p95" ns={a.p95Ns} />
                <Figure name="Min" ns={a.minNs} />
                <Figure name="Max" ns={a.maxNs} />
              </dl>
              {a.count > 1 && a.maxNs > a.minNs && <Histogram answer={a} length={length} />}
              {a.others > 0 && (
                <p className="notice">{num(a.others)} more of this name are instants or have an end missing; they are not counted.</p>
              )}
            </>
          )}
        </>
      )}
    </section>
  )
}

const Figure = ({ name, ns }: { readonly name: string; readonly ns: number }): ReactElement => (
  <>
    <dt>{name}</dt>
    <dd className="num" title={`${num(ns)} ns`} data-ns={ns}>
      {duration(ns)}
    </dd>
  </>
)

const HEIGHT = 44

function Histogram({ answer: a, length }: { readonly answer: OccurrencesAnswer; readonly length: number | null }): ReactElement {
  const h = a.histogram
  const bars = bins(h.counts, HEIGHT)
  const mine = length === null ? -1 : binOf(h.edges, length)
  const most = Math.max(...h.counts)
  return (
    <figure className="histogram">
      <svg
        viewBox={`0 0 ${bars.length} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`Durations of ${num(a.count)} slices from ${duration(a.minNs)} to ${duration(a.maxNs)}${h.logarithmic ? ', logarithmic' : ''}; at most ${num(most)} in a bar${mine >= 0 ? `; this one is in bar ${mine + 1} of ${bars.length}` : ''}`}
      >
        {bars.map((height, i) => (
          <g key={i}>
            <rect x={i} width={1} y={0} height={HEIGHT} fill="transparent" />
            <rect className={i === mine ? 'mine' : ''} x={i + 0.06} width={0.88} y={HEIGHT - height} height={height} />
            <title>{`${num(h.counts[i])} from ${duration(h.edges[i])} to ${duration(h.edges[i + 1])}`}</title>
          </g>
        ))}
      </svg>
      {mine >= 0 && <i className="here" style={{ left: `${(100 * (mine + 0.5)) / bars.length}%` }} title="This slice" />}
      <figcaption className="num">
        <span>{duration(h.edges[0])}</span>
        <span>{h.logarithmic ? 'logarithmic' : ''}</span>
        <span>{duration(h.edges[h.edges.length - 1])}</span>
      </figcaption>
    </figure>
  )
}
