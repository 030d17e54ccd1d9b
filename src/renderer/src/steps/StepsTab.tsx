/** Training steps: each with its length and what ran in it, and two of them compared. */
import { useMemo, type ReactElement } from 'react'
import { duration, num, timeMs } from '../../../shared/format'
import { jump } from '../commands/jump'
import { useSession } from '../state/session'
import { useView } from '../state/view'
import { percent, signed } from '../stats/words'
import { Choice } from '../table/Choice'
import { DataTable } from '../table/DataTable'
import { timeColumns, withTimes } from '../table/rows'
import type { Column } from '../table/types'
import { Compare } from './Compare'
import { stepRows, type StepRow } from './rows'
import { useAnnotationRows, type AnnotationRows } from './useAnnotationRows'
import { useSteps, type StepsState } from './state'
import { MAX_WALLS, useWalls, type Walls } from './useWalls'
import '../table/controls.css'
import './steps.css'

export function StepsTab(): ReactElement {
  const view = useSession(s => s.view)
  const group = useView(s => s.group)
  const shown = useSteps(s => s.view)
  const withAnnotations = useSteps(s => s.annotations)
  const annotations = useAnnotationRows(group)
  const steps = useMemo(
    () => (view ? stepRows(view, group, withAnnotations ? annotations.rows : []) : []),
    [view, group, withAnnotations, annotations],
  )
  if (steps.length === 0 && annotations.rows.length === 0) return <NoSteps />
  const tabs = (
    <Choice
      label="Steps"
      value={shown}
      onChange={v => useSteps.setState({ view: v })}
      options={[
        { value: 'list', label: 'Steps' },
        { value: 'compare', label: 'Compare', disabled: steps.length < 2, title: steps.length < 2 ? 'There is one step only' : undefined },
      ]}
    />
  )
  return shown === 'compare' && steps.length > 1 ? (
    <Compare steps={steps} tabs={tabs} />
  ) : (
    <List steps={steps} group={group} tabs={tabs} annotations={annotations} />
  )
}

function NoSteps(): ReactElement {
  return (
    <div className="fill">
      <h3>No steps or annotations in this time range</h3>
      <p>
        Call <span className="mono">prof.step()</span> at the end of each iteration: the profiler then writes{' '}
        <span className="mono">ProfilerStep#N</span>, which is listed here and can be compared.
      </p>
    </div>
  )
}

/** Shows a step and selects its range, so that details and statistics are about it. */
function show(s: StepRow): void {
  const end = s.start + s.duration
  const pad = s.duration * 0.02
  useView.getState().select({ type: 'range', start: s.start, end })
  jump({ start: s.start - pad, end: end + pad })
}

function List({
  steps,
  group,
  tabs,
  annotations,
}: {
  readonly steps: readonly StepRow[]
  readonly group: number
  readonly tabs: ReactElement
  readonly annotations: AnnotationRows
}): ReactElement {
  const { a, b, sort, annotations: shown } = useSteps()
  const selection = useView(s => s.selection)
  const walls = useWalls(steps, group)
  const several = new Set(steps.map(s => s.source)).size > 1
  const columns = useMemo(() => columnsOf(a, b, walls, several), [a, b, walls, several])
  const range = useSession(s => s.view?.groups.find(g => g.id === group) ?? null)
  const written = useMemo(
    () =>
      withTimes(
        columns,
        timeColumns<StepRow>(s => s.start, range),
      ),
    [columns, range],
  )
  const selected =
    selection?.type === 'range' ? steps.find(s => s.start === selection.start && s.start + s.duration === selection.end)?.key : undefined
  const both = a !== null && b !== null && a !== b
  return (
    <>
      <div className="tabbar">
        {tabs}
        {annotations.rows.length > 0 && (
          <label className="chk" title="Outermost annotations of the program, such as record_function">
            <input type="checkbox" checked={shown} onChange={e => useSteps.setState({ annotations: e.target.checked })} />
            Annotations
          </label>
        )}
        <span className="lbl">
          {both ? '' : 'Choose A and B to compare two steps.'}
          {both && (
            <button className="btn primary" onClick={() => useSteps.setState({ view: 'compare' })}>
              Compare A with B
            </button>
          )}
        </span>
      </div>
      <DataTable
        label="Steps"
        rows={steps}
        columns={columns}
        written={written}
        rowKey={keyOf}
        onSelect={show}
        onOpen={show}
        selected={selected ?? null}
        sort={sort}
        onSort={s => useSteps.setState({ sort: s })}
        csvName="steps"
        noun={shown && annotations.rows.length > 0 ? undefined : STEPS}
        empty="There are annotations only."
        note={noteOf(steps.length, shown, annotations)}
      />
    </>
  )
}

function noteOf(count: number, shown: boolean, a: AnnotationRows): string | undefined {
  const said: string[] = []
  if (shown && a.rows.length > 0) said.push(`annotations from ${duration(a.leastNs)} on`)
  if (shown && a.cut > 0) said.push(`${num(a.cut)} more of them not listed`)
  if (count > MAX_WALLS) said.push(`time on device of the first ${num(MAX_WALLS)} only`)
  return said.join(' · ') || undefined
}

const STEPS = ['step', 'steps'] as const
const keyOf = (s: StepRow): string => s.key

const pick = (side: 'a' | 'b', chosen: string | null): Column<StepRow> => ({
  id: side,
  title: side.toUpperCase(),
  help: `Step ${side.toUpperCase()} of the comparison`,
  align: 'left',
  width: '24px',
  csv: '',
  value: s => (s.key === chosen ? 0 : 1),
  cell: s => (
    <input
      type="radio"
      name={`step-${side}`}
      aria-label={`${s.name} is ${side.toUpperCase()}`}
      checked={s.key === chosen}
      onChange={() => useSteps.setState(side === 'a' ? { a: s.key } : { b: s.key })}
    />
  ),
})

function columnsOf(a: StepsState['a'], b: StepsState['b'], walls: Walls, several: boolean): readonly Column<StepRow>[] {
  const device = walls.what ?? 'device'
  return [
    pick('a', a),
    pick('b', b),
    { id: 'name', title: 'Step', align: 'left', value: s => s.name, csv: 'step', hover: s => `${s.name} of ${s.path}` },
    ...(several
      ? [
          {
            id: 'rank',
            title: 'Rank',
            align: 'right',
            width: '48px',
            value: s => s.rank,
            csv: 'rank',
            hover: s => s.path,
          } satisfies Column<StepRow>,
        ]
      : []),
    { id: 'start', title: 'Start', align: 'right', width: '104px', value: s => s.start, csv: 'start_ns', cell: s => timeMs(s.start) },
    {
      id: 'duration',
      title: 'Duration',
      align: 'right',
      width: '96px',
      value: s => s.duration,
      csv: 'duration_ns',
      cell: s => duration(s.duration),
      hover: s => `${num(s.duration)} ns`,
    },
    {
      id: 'change',
      title: 'To previous',
      help: 'Longer or shorter than the step before of the same kind',
      align: 'right',
      width: '96px',
      value: s => s.change,
      csv: 'change_ns',
      cell: s => (s.change === null ? <span className="t3">—</span> : signed(s.change, duration)),
      hover: s => (s.change === null ? 'The first of its kind' : `${num(s.change)} ns`),
    },
    {
      id: 'wall',
      title: 'On device',
      help:
        walls.what === null
          ? 'This time range has no rows of a device'
          : `Time of the step in which at least one event stands on the ${device}, clipped to the step`,
      align: 'right',
      width: '156px',
      value: s => walls.ns.get(s.key) ?? null,
      csv: 'device_wall_ns',
      cell: s => {
        const ns = walls.ns.get(s.key)
        if (ns === undefined && walls.what !== null) return <span className="t3">…</span>
        if (ns === undefined || ns === null) return <span className="t3">—</span>
        return (
          <>
            {duration(ns)} <span className="t3 part">{percent(ns, s.duration)}</span>
          </>
        )
      },
      hover: s => {
        const ns = walls.ns.get(s.key)
        return ns === undefined ? undefined : ns === null ? 'Not known' : `${num(ns)} ns in which something ran on the ${device}`
      },
    },
  ]
}
