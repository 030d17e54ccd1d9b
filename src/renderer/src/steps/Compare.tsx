/** Two steps side by side, by name, track or category. */
import { useMemo, type ReactElement } from 'react'
import type { CompareAnswer, CompareRow, StatsBy } from '../../../shared/trace-api'
import { duration, num } from '../../../shared/format'
import { Icon } from '../shell/icons'
import { request, useSession } from '../state/session'
import { useView } from '../state/view'
import { laneId } from '../stats/lane'
import { LaneNotes } from '../stats/LaneNotes'
import { useLane } from '../stats/useLane'
import { signed } from '../stats/words'
import { Choice } from '../table/Choice'
import { DataTable } from '../table/DataTable'
import { FilterField } from '../table/FilterField'
import { MOST_ROWS } from '../table/pages'
import { rowsCsv, sortRows } from '../table/rows'
import type { AllRows, Column } from '../table/types'
import { changeText, chosenPair, withoutSteps, type StepRow } from './rows'
import { useSteps } from './state'

const LIMIT = 2000

interface Question {
  readonly a: StepRow
  readonly b: StepRow
  readonly by: StatsBy
  readonly filter: string
}

const setFilter = (filter: string): void => useSteps.setState({ filter })

export function Compare({ steps, tabs }: { readonly steps: readonly StepRow[]; readonly tabs: ReactElement }): ReactElement {
  const { by, filter, compareSort: sort, ...chosen } = useSteps()
  const group = useView(s => s.group)
  const [a, b] = chosenPair(steps, chosen.a, chosen.b)
  const question: Question = { a, b, by, filter }
  const key = JSON.stringify([a.start, a.duration, b.start, b.duration, by, filter])
  const ask = (session: string, q: Question, limit: number, name: string): Promise<CompareAnswer> =>
    request('trace.compare', {
      session,
      group,
      a: { start: q.a.start, end: q.a.start + q.a.duration },
      b: { start: q.b.start, end: q.b.start + q.b.duration },
      by: q.by,
      tracks: null,
      filter: q.filter,
      limit,
      lane: laneId(name),
    })
  const lane = useLane<Question, CompareAnswer>(`${group}`, key, question, (session, q) => ask(session, q, LIMIT, 'compare'))
  const answer = lane.value?.answer ?? null
  const asked = lane.value?.question
  const rows = useMemo(() => (answer && asked ? rowsOf(answer, asked) : NONE), [answer, asked])
  const left = answer ? answer.rows.length - rows.length : 0
  const shownBy = lane.value?.question.by ?? by
  const columns = useMemo(() => columnsOf(shownBy), [shownBy])
  const session = useSession(s => s.session)
  const allCsv = async (): Promise<AllRows> => {
    if (session === null || !asked) throw new Error('The steps are not compared yet.')
    const all = await ask(session, asked, MOST_ROWS, 'compare-csv')
    if (all.cancelled) throw new Error('The steps were compared again meanwhile.')
    const own = rowsOf(all, asked)
    return { csv: rowsCsv(sortRows(own, columns, sort), columns), rows: own.length, of: all.matching - (all.rows.length - own.length) }
  }
  return (
    <>
      <div className="tabbar">
        {tabs}
        <Pick side="A" steps={steps} value={a.key} />
        <button
          className="btn icon"
          aria-label="Swap A and B"
          title="Swap A and B"
          onClick={() => useSteps.setState({ a: b.key, b: a.key })}
        >
          ⇄
        </button>
        <Pick side="B" steps={steps} value={b.key} />
        <Choice
          label="Compare by"
          value={by}
          onChange={v => useSteps.setState({ by: v })}
          options={[
            { value: 'name', label: 'Name' },
            { value: 'track', label: 'Track' },
            { value: 'category', label: 'Category' },
          ]}
        />
        <FilterField label="Filter rows" value={filter} onChange={setFilter} />
      </div>
      <LaneNotes
        lane={lane}
        failed="The steps could not be compared"
        cancelled="The comparison was cancelled"
        again="Compare again"
        kept={answer !== null}
      />
      <DataTable
        label="Comparison"
        rows={rows}
        columns={columns}
        rowKey={keyOf}
        sort={sort}
        onSort={s => useSteps.setState({ compareSort: s })}
        csvName="compared_steps"
        allCsv={answer && answer.matching > answer.rows.length ? allCsv : undefined}
        total={answer ? answer.matching - left : undefined}
        stale={lane.pending && answer !== null}
        empty={
          answer === null
            ? lane.pending
              ? 'Comparing…'
              : ''
            : filter
              ? `Nothing matches “${filter}”.`
              : 'No complete slices in either step.'
        }
        note={
          a === b
            ? 'A and B are the same step'
            : `${b.name} is ${duration(Math.abs(b.duration - a.duration))} ${b.duration < a.duration ? 'shorter' : 'longer'} than ${a.name} · complete slices, clipped to the step${left > 0 ? ', without the steps’ own' : ''}`
        }
      />
    </>
  )
}

const NONE: readonly CompareRow[] = []
/** Without the slices of the steps themselves, which have a name each. */
const rowsOf = (answer: CompareAnswer, { by, a, b }: Question): readonly CompareRow[] =>
  by === 'name' ? withoutSteps(answer.rows, a, b) : answer.rows
const keyOf = (r: CompareRow): string => r.key

function Pick({
  side,
  steps,
  value,
}: {
  readonly side: 'A' | 'B'
  readonly steps: readonly StepRow[]
  readonly value: string
}): ReactElement {
  const several = new Set(steps.map(s => s.source)).size > 1
  return (
    <label className="pick step-pick">
      <i>{side}</i>
      <select
        aria-label={`Step ${side}`}
        value={value}
        onChange={e => useSteps.setState(side === 'A' ? { a: e.target.value } : { b: e.target.value })}
      >
        {steps.map(s => (
          <option key={s.key} value={s.key}>
            {s.name}
            {several && s.rank !== null ? `, rank ${s.rank}` : ''}, {duration(s.duration)}
          </option>
        ))}
      </select>
      <Icon name="chevron" />
    </label>
  )
}

const dash = <span className="t3">—</span>

function columnsOf(by: StatsBy): readonly Column<CompareRow>[] {
  const side = (s: 'a' | 'b', field: 'count' | 'totalNs' | 'selfNs', title: string, csv: string): Column<CompareRow> => ({
    id: `${field}-${s}`,
    title: `${title} ${s.toUpperCase()}`,
    align: 'right',
    width: field === 'count' ? '60px' : '88px',
    value: r => r[s]?.[field] ?? null,
    csv: `${csv}_${s}`,
    cell: r => {
      const v = r[s]?.[field]
      return v === undefined ? dash : field === 'count' ? num(v) : duration(v)
    },
    hover: r => {
      const v = r[s]?.[field]
      return v === undefined ? `Not in ${s.toUpperCase()}` : field === 'count' ? undefined : `${num(v)} ns`
    },
  })
  return [
    {
      id: 'key',
      title: by === 'name' ? 'Name' : by === 'track' ? 'Track' : 'Category',
      align: 'left',
      value: r => r.key,
      csv: by,
      cell: r => r.key || (by === 'category' ? 'no category' : '(no name)'),
      hover: r => r.key,
    },
    side('a', 'count', 'Count', 'count'),
    side('b', 'count', 'Count', 'count'),
    side('a', 'totalNs', 'Total', 'total_ns'),
    side('b', 'totalNs', 'Total', 'total_ns'),
    {
      id: 'delta',
      title: 'Difference',
      help: 'Total of B minus total of A. Sorted by its size, whatever the sign',
      align: 'right',
      width: '92px',
      value: r => r.deltaNs,
      // What changed most comes first, in either direction.
      order: r => Math.abs(r.deltaNs),
      csv: 'difference_ns',
      cell: r => signed(r.deltaNs, duration),
      hover: r => `${num(r.deltaNs)} ns`,
    },
    {
      id: 'change',
      title: 'Change',
      help: 'Difference as a share of A',
      align: 'right',
      width: '68px',
      value: r => (r.a !== null && r.b !== null && r.a.totalNs > 0 ? r.deltaNs / r.a.totalNs : null),
      csv: 'change',
      cell: r => changeText(r),
    },
    side('a', 'selfNs', 'Self', 'self_ns'),
    side('b', 'selfNs', 'Self', 'self_ns'),
  ]
}
