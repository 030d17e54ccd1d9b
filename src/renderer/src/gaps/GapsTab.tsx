/** Where NeuronCores stood idle, longest first, with what the host did meanwhile. */
import { useCallback, useMemo, useState, type ReactElement } from 'react'
import type { Gap, GapsAnswer } from '../../../shared/trace-api'
import { duration, num, timeMs } from '../../../shared/format'
import { jump } from '../commands/jump'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { laneId } from '../stats/lane'
import { LaneNotes } from '../stats/LaneNotes'
import { useLane } from '../stats/useLane'
import { percent } from '../stats/words'
import { Choice } from '../table/Choice'
import { DataTable } from '../table/DataTable'
import { MOST_ROWS } from '../table/pages'
import { rowsCsv, sortRows } from '../table/rows'
import type { AllRows } from '../table/types'
import { COLUMNS, writtenColumns } from './columns'
import { parseLength, rangeNow, useGaps } from './state'
import '../table/controls.css'
import '../stats/stats.css'
import './gaps.css'

/** Gaps that are listed at most; a CSV has all of them, up to `MOST_ROWS`. */
const LIMIT = 1000
/** Share of the window on each side of a gap that is shown. */
const MARGIN = 0.5

interface Question {
  readonly range: TimeWindow | null
  readonly minNs: number
}

export function GapsTab(): ReactElement {
  const { minNs, core, sort, range: kept } = useGaps()
  const session = useSession(s => s.session)
  const group = useView(s => s.group)
  const originNs = useSession(s => s.view?.groups.find(g => g.id === group)?.originNs ?? null)
  const selection = useView(s => s.selection)
  const range = useMemo(() => rangeNow(kept, session, group, originNs), [kept, session, group, originNs])
  const question: Question | null = originNs === null ? null : { range, minNs }
  const lane = useLane<Question, GapsAnswer>(`${group}`, JSON.stringify(question), question, (id, q) =>
    request('trace.gaps', {
      session: id,
      group,
      start: q.range?.start ?? null,
      end: q.range?.end ?? null,
      minNs: q.minNs,
      limit: LIMIT,
      lane: laneId('gaps'),
    }),
  )
  const answer = lane.value?.answer ?? null
  const narrowed = answer?.cores.find(c => c.track === core) ?? null
  const gaps = useMemo(() => (answer ? answer.gaps.filter(g => narrowed === null || g.track === narrowed.track) : NONE), [answer, narrowed])
  const view = useSession(s => s.view)
  const written = useMemo(() => writtenColumns(view, group), [view, group])
  const allCsv = async (): Promise<AllRows> => {
    const asked = lane.value?.question
    if (session === null || !asked) throw new Error('The gaps are not known yet.')
    const limit = MOST_ROWS
    const range = { start: asked.range?.start ?? null, end: asked.range?.end ?? null }
    const all = await request('trace.gaps', { session, group, ...range, minNs: asked.minNs, limit, lane: laneId('gaps-csv') })
    if (all.cancelled) throw new Error('The gaps were asked for again meanwhile.')
    const own = narrowed === null ? all.gaps : all.gaps.filter(g => g.track === narrowed.track)
    const of = narrowed === null ? all.total : (all.cores.find(c => c.track === narrowed.track)?.gaps ?? own.length)
    return { csv: rowsCsv(sortRows(own, COLUMNS, sort), written), rows: own.length, of }
  }
  const open = useCallback((g: Gap) => show(g), [])
  const selected = selection?.type === 'range' ? gaps.find(g => g.start === selection.start && g.end === selection.end) : undefined
  const wanted = selection?.type === 'range' && originNs !== null && session !== null ? { ...selection, session, group, originNs } : null
  return (
    <>
      <div className="tabbar">
        <span className="lbl" aria-hidden="true">
          Of
        </span>
        <Choice<'range' | 'all'>
          label="Where gaps are looked for"
          value={range ? 'range' : 'all'}
          onChange={v => useGaps.setState({ range: v === 'all' ? null : wanted })}
          options={[
            { value: 'all', label: 'Everything', title: 'The whole time range' },
            {
              value: 'range',
              label: 'Selected range',
              disabled: wanted === null && range === null,
              title: wanted === null && range === null ? 'Drag over the tracks or the axis to select a range' : undefined,
            },
          ]}
        />
        <MinLength minNs={minNs} />
        <span className="lbl num scope">{range ? `${timeMs(range.start)} to ${timeMs(range.end)}` : ''}</span>
      </div>
      {answer && answer.cores.length > 0 && <Cores answer={answer} stale={lane.pending} />}
      <LaneNotes lane={lane} failed="The gaps could not be found" />
      <DataTable
        label="Gaps"
        rows={gaps}
        columns={COLUMNS}
        rowKey={keyOf}
        onSelect={open}
        onOpen={open}
        selected={selected ? keyOf(selected) : null}
        sort={sort}
        onSort={s => useGaps.setState({ sort: s })}
        csvName="gaps"
        written={written}
        allCsv={gaps.length < (narrowed ? narrowed.gaps : (answer?.total ?? 0)) ? allCsv : undefined}
        total={narrowed ? narrowed.gaps : answer?.total}
        noun={NOUN}
        stale={lane.pending && answer !== null}
        empty={emptyWords(answer, lane.pending, lane.error, minNs)}
        note={answer && answer.cores.length > 0 && <Note answer={answer} />}
      />
    </>
  )
}

const NONE: readonly Gap[] = []
const NOUN = ['gap', 'gaps'] as const
const keyOf = (g: Gap): string => `${g.track}/${g.start}`

/** Selects the gap as a range and shows it with some room on both sides. */
function show(g: Gap): void {
  const pad = (g.end - g.start) * MARGIN
  useView.getState().select({ type: 'range', start: g.start, end: g.end })
  jump({ start: g.start - pad, end: g.end + pad })
}

function MinLength({ minNs }: { readonly minNs: number }): ReactElement {
  const [text, setText] = useState(minNs === 0 ? '' : duration(minNs))
  const bad = parseLength(text) === null
  return (
    <label className="lbl">
      At least
      <span className={bad ? 'field filter bad gaps-min' : 'field filter gaps-min'}>
        <input
          type="text"
          inputMode="decimal"
          aria-label="Shortest gap that is listed"
          aria-invalid={bad ? true : undefined}
          title="A length with its unit: ns, µs, ms or s"
          placeholder="any length"
          value={text}
          maxLength={24}
          onChange={e => {
            setText(e.target.value)
            const ns = parseLength(e.target.value)
            if (ns !== null) useGaps.setState({ minNs: ns })
          }}
        />
      </span>
    </label>
  )
}

/** Share of the known time in which each core ran; a click narrows the list to it. */
function Cores({ answer: a, stale }: { readonly answer: GapsAnswer; readonly stale: boolean }): ReactElement {
  const core = useGaps(s => s.core)
  return (
    <div className={stale ? 'facts stale' : 'facts'} role="group" aria-label="Cores" data-testid="gap-cores">
      {a.cores.map(c => {
        const share = c.knownNs > 0 ? c.idleNs / c.knownNs : null
        const on = core === c.track
        return (
          <button
            key={c.track}
            className={on ? 'fact gap-core on' : 'fact gap-core'}
            aria-pressed={on}
            onClick={() => useGaps.setState({ core: on ? null : c.track })}
            title={
              share === null || c.known === null
                ? 'Nothing is known of it there'
                : `Idle ${duration(c.idleNs)}, busy ${duration(c.busyNs)} of ${duration(c.knownNs)} that are known, from ${timeMs(c.known[0])} to ${timeMs(c.known[1])}${c.headLost ? '; earlier events of it are lost' : ''}`
            }
            data-core={c.core}
            data-idle={c.idleNs}
            data-busy={c.busyNs}
            data-known={c.knownNs}
          >
            <span className="name">
              {c.core} idle{c.headLost ? ', head lost' : ''}
            </span>
            <span className="num">
              {share === null ? '—' : percent(share, 1)}{' '}
              <span className="t3">{share === null ? '' : `${duration(c.idleNs)}, ${num(c.gaps)} ${c.gaps === 1 ? 'gap' : 'gaps'}`}</span>
            </span>
            {share !== null && (
              <span className="share" aria-hidden="true">
                <i style={{ width: `${Math.min(100, share * 100)}%` }} />
              </span>
            )}
          </button>
        )
      })}
      {a.silent.length > 0 && (
        <span className="facts-said" title={a.silent.join(', ')}>
          No hardware events of {a.silent.slice(0, 6).join(', ')}
          {a.silent.length > 6 ? ` and ${num(a.silent.length - 6)} more` : ''}: not captured or idle
        </span>
      )}
    </div>
  )
}

function emptyWords(a: GapsAnswer | null, pending: boolean, error: string | null, minNs: number): string {
  if (error !== null) return 'No gaps.'
  if (a === null) return pending ? 'Looking for gaps…' : 'Nothing in this session has times.'
  if (a.reason !== null) return a.silent.length > 0 ? `${a.reason} Named by the runtime: ${a.silent.join(', ')}.` : a.reason
  return minNs > 0 ? `No gap of at least ${duration(minNs)}.` : 'No gaps: each core ran from its first to its last event.'
}

function Note({ answer: a }: { readonly answer: GapsAnswer }): ReactElement {
  const lost = a.cores.filter(c => c.headLost).length
  const said = [
    'before the first and after the last event of a core nothing is known',
    lost > 0 ? `of ${num(lost)} ${lost === 1 ? 'core' : 'cores'} the first events are lost` : null,
    a.total > a.gaps.length ? `the ${num(a.gaps.length)} longest are listed, CSV has up to ${num(MOST_ROWS)}` : null,
  ]
    .filter(s => s !== null)
    .join(' · ')
  return <span title={said}>{said}</span>
}
