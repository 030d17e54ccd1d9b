/** Facts of the range above its statistics: one line of figures that scrolls sideways where it is longer than the panel. */
import type { ReactElement, ReactNode } from 'react'
import type { RangeAnswer } from '../../../shared/trace-api'
import { duration, exactBytes, memory, num } from '../../../shared/format'
import type { TimeWindow } from '../state/view'
import { useRange } from './useRange'
import { busyShare, bytesOrDash, changeOf, DIRECTION, MEANING, movedByDirection, percent, signed } from './words'

export function RangeStrip({ range }: { readonly range: TimeWindow }): ReactElement {
  const { value, pending, error, retry } = useRange('range-strip', range)
  const a = value?.answer ?? null
  return (
    <div
      className={pending && a ? 'facts stale' : 'facts'}
      role="group"
      aria-label="Facts of the range"
      aria-busy={pending}
      tabIndex={0}
      data-testid="range-facts"
    >
      <Fact name="Length" value={duration(range.end - range.start)} title={`${num(Math.round(range.end - range.start))} ns`} />
      {error ? (
        <span className="facts-said">
          The facts of the range could not be read: {error}
          <button className="btn quiet" onClick={retry}>
            Try again
          </button>
        </span>
      ) : a ? (
        <Facts answer={a} />
      ) : (
        <span className="facts-said">Reading…</span>
      )}
    </div>
  )
}

function Facts({ answer: a }: { readonly answer: RangeAnswer }): ReactElement {
  return (
    <>
      {a.cores.map(c => {
        const share = busyShare(c)
        return (
          <Fact
            key={`core/${c.track}/${c.name}`}
            name={`${c.name} busy`}
            value={share === null ? '—' : percent(share, 1)}
            title={
              share === null
                ? 'Not captured in this range'
                : `${duration(c.busyNs ?? 0)} of ${duration(c.knownNs)} that are known, ${num(c.slices)} ${c.slices === 1 ? 'slice' : 'slices'}`
            }
            bar={share}
          />
        )
      })}
      {movedByDirection(a.moved).map(m => (
        <Fact
          key={m.direction}
          name={DIRECTION[m.direction]}
          value={bytesOrDash(m.bytes)}
          more={`${num(m.transfers)}×`}
          title={
            m.bytes === null
              ? `${num(m.transfers)} transfers; none of them carries a size`
              : `${exactBytes(m.bytes)} in ${num(m.transfers)} transfers that end in the range${m.withoutSize > 0 ? `; ${num(m.withoutSize)} carry no size and are not in it` : ''}`
          }
        />
      ))}
      {a.memory.map(m => {
        const change = changeOf(m)
        return (
          <Fact
            key={`memory/${m.label}/${m.meaning}`}
            name={`${m.label} ${MEANING[m.meaning]}`}
            value={`${bytesOrDash(m.startBytes)} → ${bytesOrDash(m.endBytes)}`}
            more={change === null ? undefined : signed(change, memory)}
            title={`At the start ${bytesOrDash(m.startBytes)}, at the end ${bytesOrDash(m.endBytes)}, highest in the range ${bytesOrDash(m.peakBytes)}`}
          />
        )
      })}
    </>
  )
}

function Fact({
  name,
  value,
  more,
  title,
  bar,
}: {
  readonly name: string
  readonly value: ReactNode
  readonly more?: string
  readonly title: string
  /** Share 0..1 drawn below; null: not known. */
  readonly bar?: number | null
}): ReactElement {
  return (
    <div className="fact" title={title}>
      <span className="name">{name}</span>
      <span className="num selectable">
        {value}
        {more !== undefined && <span className="t3"> {more}</span>}
      </span>
      {bar !== undefined && <i className="share">{bar !== null && <i style={{ width: `${100 * bar}%` }} />}</i>}
    </div>
  )
}
