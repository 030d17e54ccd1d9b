/** A range of time that was dragged out: where it lies, what took its time, how busy the cores were, what was moved and held. */
import { useState, type ReactElement } from 'react'
import type { CoreBusy, MemoryEnds, RangeAnswer, StatsAnswer } from '../../../shared/trace-api'
import { duration, exactBytes, memory, num, timeMs } from '../../../shared/format'
import { jump } from '../commands/jump'
import { runCommand } from '../commands/registry'
import { goToSlice } from '../commands/slices'
import { openDrawer } from '../drawer/state'
import { request } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { laneId } from '../stats/lane'
import { setScope } from '../stats/state'
import { useLane } from '../stats/useLane'
import { useRange } from '../stats/useRange'
import { busyShare, bytesOrDash, changeOf, DIRECTION, MEANING, meanBusy, percent, signed } from '../stats/words'
import { KeyValues, Missing } from './KeyValues'
import './range.css'

/** Share of the window that is left free on each side of the range. */
const MARGIN = 0.02
/** Names listed. */
const TOP = 5
/** Cores listed before the rest is asked for. */
const CORES = 8

export function RangeDetails({ start, end }: TimeWindow): ReactElement {
  const range = useRange('range-details', { start, end })
  const top = useTop({ start, end })
  const a = range.value?.answer ?? null
  const zoom = (): void => {
    const pad = (end - start) * MARGIN
    jump({ start: start - pad, end: end + pad })
  }
  return (
    <div className="range-details" data-testid="range-details">
      <div className="hero">
        <div className="big num selectable">{duration(end - start)}</div>
        <div className="exact num selectable">{num(Math.round(end - start))} ns</div>
      </div>
      <KeyValues
        rows={[
          ['From', <span className="num">{timeMs(start)}</span>],
          ['To', <span className="num">{timeMs(end)}</span>],
        ]}
      />
      <div className="acts pad">
        <button
          className="btn"
          onClick={() => {
            setScope('range')
            openDrawer('statistics')
          }}
        >
          Statistics
        </button>
        <button className="btn" onClick={zoom}>
          Zoom to range
        </button>
        <button className="btn quiet" onClick={() => runCommand('focus-selection')}>
          Centre
        </button>
      </div>
      <div className="sect">
        Most time <span className="t3">self, within the range</span>
      </div>
      {top.error !== null ? (
        <Failed what="The statistics" error={top.error} retry={top.retry} />
      ) : (
        <Top answer={top.value?.answer ?? null} pending={top.pending} />
      )}
      {range.error !== null ? (
        <Failed what="Cores, transfers and memory" error={range.error} retry={range.retry} />
      ) : a ? (
        <div className={range.pending ? 'stale' : ''}>
          <Cores cores={a.cores} />
          <Transfers moved={a.moved} />
          <Memory memory={a.memory} />
        </div>
      ) : (
        <p className="remark t3">Reading cores, transfers and memory…</p>
      )}
    </div>
  )
}

const Failed = ({ what, error, retry }: { readonly what: string; readonly error: string; readonly retry: () => void }): ReactElement => (
  <div className="remark" role="alert">
    <p>
      {what} could not be read: {error}
    </p>
    <button className="btn" onClick={retry}>
      Try again
    </button>
  </div>
)

const useTop = (range: TimeWindow) => {
  const group = useView(s => s.group)
  return useLane<TimeWindow, StatsAnswer>(`${group}`, `${range.start},${range.end}`, range, (session, q) =>
    request('trace.stats', {
      session,
      group,
      by: 'name',
      start: q.start,
      end: q.end,
      tracks: null,
      filter: '',
      regex: false,
      sort: { column: 'selfNs', descending: true },
      limit: TOP,
      lane: laneId('range-top'),
    }),
  )
}

function Top({ answer: a, pending }: { readonly answer: StatsAnswer | null; readonly pending: boolean }): ReactElement {
  if (a === null) return <p className="remark t3">{pending ? 'Counting…' : ''}</p>
  if (a.rows.length === 0)
    return (
      <p className="remark t3">
        No complete slices in the range{a.unmatched > 0 ? `; ${num(a.unmatched)} with an end missing are not counted` : ''}.
      </p>
    )
  const most = Math.max(...a.rows.map(r => r.selfNs), 1)
  return (
    <ul className={pending ? 'tops stale' : 'tops'}>
      {a.rows.map(r => (
        <li key={r.key}>
          <button
            className="fr"
            disabled={r.longest === null}
            title={`Select the longest of ${num(r.count)}: ${r.key}`}
            onClick={() => r.longest && goToSlice(r.longest)}
          >
            <span className="fn ell link">{r.key || '(no name)'}</span>
            <span className="at num t3">{num(r.count)}×</span>
            <span className="at num t1">{duration(r.selfNs)}</span>
            <i className="share">
              <i style={{ width: `${(100 * r.selfNs) / most}%` }} />
            </i>
          </button>
        </li>
      ))}
    </ul>
  )
}

function Cores({ cores }: { readonly cores: readonly CoreBusy[] }): ReactElement | null {
  const [all, setAll] = useState(false)
  if (cores.length === 0) return null
  const mean = meanBusy(cores)
  const shown = all ? cores : cores.slice(0, CORES)
  return (
    <>
      <div className="sect">
        NeuronCores busy
        <span className="sp" />
        {cores.length > 1 && <span className="t3 num end">mean {mean === null ? '—' : percent(mean, 1)}</span>}
      </div>
      <ul className="cores">
        {shown.map(c => {
          const share = busyShare(c)
          return (
            <li
              key={`${c.track}/${c.name}`}
              title={
                share === null
                  ? 'Not captured in this range'
                  : `${duration(c.busyNs ?? 0)} busy of ${duration(c.knownNs)} that are known, ${num(c.slices)} ${c.slices === 1 ? 'slice' : 'slices'}`
              }
            >
              <span className="ell">{c.name}</span>
              <i className="share">{share !== null && <i style={{ width: `${100 * share}%` }} />}</i>
              <span className="num t1">{share === null ? <Missing why="not captured in this range" /> : percent(share, 1)}</span>
            </li>
          )
        })}
      </ul>
      {cores.length > CORES && (
        <p className="remark">
          <button className="link" aria-expanded={all} onClick={() => setAll(!all)}>
            {all ? `The first ${CORES} only` : `All ${num(cores.length)} cores`}
          </button>
        </p>
      )}
    </>
  )
}

const PLACE: Readonly<Record<RangeAnswer['moved'][number]['direction'], string>> = { host_to_device: 'to', device_to_host: 'from' }

function Transfers({ moved }: { readonly moved: RangeAnswer['moved'] }): ReactElement | null {
  if (moved.length === 0) return null
  return (
    <>
      <div className="sect">
        Moved <span className="t3">by transfers that end in the range</span>
      </div>
      <table className="mini figures" aria-label="Bytes moved">
        <thead>
          <tr>
            <td />
            <th scope="col">Transfers</th>
            <th scope="col">Bytes</th>
          </tr>
        </thead>
        <tbody>
          {moved.map(m => (
            <tr key={`${m.direction}/${m.place}`}>
              <th scope="row" title={`${DIRECTION[m.direction]}, ${PLACE[m.direction]} ${m.place}`}>
                {DIRECTION[m.direction]}
                {m.place && `, ${m.place}`}
              </th>
              <td className="num">{num(m.transfers)}</td>
              <td
                className="num"
                title={
                  m.bytes === null ? undefined : exactBytes(m.bytes) + (m.withoutSize > 0 ? `; ${num(m.withoutSize)} carry no size` : '')
                }
              >
                {m.bytes === null ? <Missing why="no transfer carries a size" /> : memory(m.bytes)}
                {m.bytes !== null && m.withoutSize > 0 && <span className="t3"> at least</span>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  )
}

function Memory({ memory: all }: { readonly memory: readonly MemoryEnds[] }): ReactElement | null {
  if (all.length === 0) return null
  return (
    <>
      <div className="sect">Memory at both ends</div>
      {all.map(m => {
        const change = changeOf(m)
        return (
          <table className="mini figures ends" key={`${m.label}/${m.meaning}`} aria-label={`${m.label}, ${MEANING[m.meaning]}`}>
            <caption>
              {m.label} <span className="t3">{MEANING[m.meaning]}</span>
            </caption>
            <thead>
              <tr>
                <th scope="col">Start</th>
                <th scope="col">End</th>
                <th scope="col">Change</th>
                <th scope="col">Peak</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <Bytes b={m.startBytes} />
                <Bytes b={m.endBytes} />
                <td className="num" title={change === null ? undefined : signed(change, exactBytes)}>
                  {change === null ? <Missing why="one of both ends is not known" /> : signed(change, memory)}
                </td>
                <Bytes b={m.peakBytes} />
              </tr>
            </tbody>
          </table>
        )
      })}
    </>
  )
}

const Bytes = ({ b }: { readonly b: number | null }): ReactElement => (
  <td className="num" title={b === null ? undefined : exactBytes(b)}>
    {b === null ? <Missing why="not recorded at this time" /> : bytesOrDash(b)}
  </td>
)
