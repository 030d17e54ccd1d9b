/** Statistics of complete slices: of the selected range, of what is in sight, or of everything. */
import { useCallback, useMemo, type ReactElement } from 'react'
import type { StatsAnswer, StatsBy, StatsRow } from '../../../shared/trace-api'
import { duration, num, timeMs } from '../../../shared/format'
import { goToSlice } from '../commands/slices'
import { request, useSession } from '../state/session'
import { useView, type TimeWindow } from '../state/view'
import { Choice } from '../table/Choice'
import { DataTable } from '../table/DataTable'
import { FilterField } from '../table/FilterField'
import type { Sort } from '../table/types'
import { hostColumn, statsColumns } from './columns'
import { laneId } from './lane'
import { RangeStrip } from './RangeStrip'
import { rangeNow, setScope, useStats, type Scope } from './state'
import { LaneNotes } from './LaneNotes'
import { useLane } from './useLane'
import '../table/controls.css'
import './stats.css'

/** Rows that the host sends at most. */
const LIMIT = 2000

interface Question {
  readonly by: StatsBy
  readonly range: TimeWindow | null
  readonly filter: string
  readonly regex: boolean
  readonly sort: Sort
}

/** What is counted now: the kept range, the window, or everything (null). */
function useScope(): {
  readonly scope: Scope
  readonly range: TimeWindow | null
  readonly hasRange: boolean
  readonly shown: TimeWindow | null
} {
  const session = useSession(s => s.session)
  const group = useView(s => s.group)
  const originNs = useSession(s => s.view?.groups.find(g => g.id === group)?.originNs ?? null)
  const kept = useStats(s => s.range)
  const declined = useStats(s => s.declined)
  const base = useStats(s => s.base)
  const shown = useMemo(() => rangeNow(kept, session, group, originNs), [kept, session, group, originNs])
  const scope = shown !== null && declined !== kept ? 'range' : base
  const window = useView(s => (scope === 'window' ? s.window : null))
  return { scope, range: scope === 'range' ? shown : window, hasRange: shown !== null, shown }
}

const args = (group: number, q: Question) => ({
  group,
  by: q.by,
  start: q.range?.start ?? null,
  end: q.range?.end ?? null,
  tracks: null,
  filter: q.filter,
  regex: q.regex,
  sort: { column: hostColumn(q.sort.column), descending: q.sort.descending },
})

const setFilter = (filter: string): void => useStats.setState({ filter })

export function StatisticsTab(): ReactElement {
  const { by, filter, regex, sort } = useStats()
  const group = useView(s => s.group)
  const selected = useView(s => s.selection)
  const { scope, range, hasRange } = useScope()

  const question: Question = { by, range, filter, regex, sort }
  const there = useSession(s => s.view?.groups.some(g => g.id === group) ?? false)
  const lane = useStatsLane(group, there ? question : null, question.sort)
  const answer = lane.value?.answer ?? null
  const lengthNs = answer ? answer.end - answer.start : 0
  const shownBy = answer?.by ?? by
  const columns = useMemo(() => statsColumns(shownBy, lengthNs), [shownBy, lengthNs])
  const rows = answer?.rows ?? NONE
  const selectedKey =
    selected?.type === 'slice'
      ? (rows.find(r => r.longest?.source === selected.source && r.longest.row === selected.row)?.key ?? null)
      : null
  const open = useCallback((r: StatsRow) => r.longest && goToSlice(r.longest), [])
  const { session } = useSession.getState()
  return (
    <>
      <div className="tabbar">
        <span className="lbl" aria-hidden="true">
          By
        </span>
        <Choice
          label="Group by"
          value={by}
          onChange={v => useStats.setState({ by: v })}
          options={[
            { value: 'name', label: 'Name' },
            { value: 'track', label: 'Track' },
            { value: 'category', label: 'Category' },
          ]}
        />
        <span className="lbl" aria-hidden="true">
          of
        </span>
        <Choice<Scope>
          label="What is counted"
          value={scope}
          onChange={setScope}
          options={[
            {
              value: 'range',
              label: 'Selected range',
              disabled: !hasRange,
              title: hasRange ? undefined : 'Drag over the tracks or the axis to select a range',
            },
            { value: 'window', label: 'Window', title: 'What the timeline shows now' },
            { value: 'all', label: 'Everything', title: 'The whole time range' },
          ]}
        />
        <FilterField
          label={`Filter ${FILTERED[by]}`}
          value={filter}
          onChange={setFilter}
          regex={regex}
          onRegex={on => useStats.setState({ regex: on })}
          error={answer?.filterError ?? null}
        />
        <span className="lbl num scope" data-testid="stats-scope" data-from={range?.start} data-to={range?.end}>
          {range ? `${timeMs(range.start)} to ${timeMs(range.end)}` : ''}
        </span>
      </div>
      {scope === 'range' && range && <RangeStrip range={range} />}
      <LaneNotes
        lane={lane}
        failed="The statistics could not be made"
        cancelled="The counting was cancelled"
        again="Count again"
        kept={answer !== null}
      />
      <DataTable
        label="Statistics"
        rows={rows}
        columns={columns}
        rowKey={keyOf}
        onSelect={open}
        onOpen={open}
        selected={selectedKey}
        sort={sort}
        onSort={s => useStats.setState({ sort: s })}
        csvName={`statistics_by_${shownBy}`}
        allCsv={
          session === null || !lane.value
            ? undefined
            : () => request('trace.statsCsv', { session, ...args(group, question) }).then(a => ({ csv: a.csv, rows: a.rows, of: a.rows }))
        }
        total={answer?.matching}
        stale={lane.pending && answer !== null}
        empty={emptyWords(answer, lane.pending, lane.error, filter, scope)}
        note={answer && <Counted answer={answer} pending={lane.pending} range={lane.value?.question.range ?? null} />}
      />
    </>
  )
}

const NONE: readonly StatsRow[] = []
const keyOf = (r: StatsRow): string => r.key
const FILTERED: Readonly<Record<StatsBy, string>> = { name: 'names', track: 'tracks', category: 'categories' }

/** Asks for the statistics. The order is part of the question only where the host holds back rows; else the table orders what it has. */
function useStatsLane(group: number, q: Question | null, wanted: Sort) {
  const before = useStats(s => s.askedSort)
  const cut = useStats(s => s.cut)
  const sort = cut ? wanted : before
  const key = q && [q.by, q.range?.start ?? null, q.range?.end ?? null, q.filter, q.regex, hostColumn(sort.column), sort.descending]
  return useLane<Question, StatsAnswer>(`${group}`, JSON.stringify(key), q && { ...q, sort }, async (session, asked) => {
    const answer = await request('trace.stats', { session, ...args(group, asked), limit: LIMIT, lane: laneId('statistics') })
    if (!answer.cancelled) useStats.setState({ askedSort: asked.sort, cut: answer.matching > answer.rows.length })
    return answer
  })
}

function emptyWords(a: StatsAnswer | null, pending: boolean, error: string | null, filter: string, scope: Scope): string {
  if (error !== null) return 'No figures.'
  if (a === null) return pending ? 'Counting…' : 'Nothing in this session has times.'
  if (a.filterError !== null) return `Not a regular expression: ${a.filterError}`
  if (filter !== '') return `Nothing matches “${filter}”.`
  return scope === 'all' ? 'No complete slices in this time range.' : 'No complete slices there.'
}

/** What the figures count and what they do not. */
function Counted({
  answer: a,
  pending,
  range,
}: {
  readonly answer: StatsAnswer
  readonly pending: boolean
  readonly range: TimeWindow | null
}): ReactElement {
  const said = [
    `${num(a.slices)} complete ${a.slices === 1 ? 'slice' : 'slices'}${range ? ', clipped to the range' : ''}`,
    a.unmatched > 0 ? `${num(a.unmatched)} with an end missing not counted` : null,
    `wall ${duration(a.wallNs)}`,
    a.filterNote ?? null,
    pending ? 'counting again…' : null,
  ]
    .filter(s => s !== null)
    .join(' · ')
  return (
    <span
      title={`${said}. Complete slices of all tracks are counted${range ? '; those that only touch the range are left out' : ''}.`}
      data-testid="stats-counted"
      data-slices={a.slices}
      data-unmatched={a.unmatched}
    >
      {said}
    </span>
  )
}
