/** Columns of the gaps, on screen and as they are written. */
import type { ReactElement } from 'react'
import type { SessionView } from '../../../shared/api'
import { eventId } from '../../../shared/event-id'
import { duration, num, timeMs } from '../../../shared/format'
import type { Gap, SliceRef } from '../../../shared/trace-api'
import { goToSlice } from '../commands/slices'
import { percent } from '../stats/words'
import { timeColumns, withTimes } from '../table/rows'
import type { Column } from '../table/types'
import { showSelected } from '../trace/reveal'

const ref = (r: SliceRef | null): ReactElement =>
  r === null ? (
    <span className="t3">—</span>
  ) : (
    <button
      className="link gap-event"
      title={`Go to ${r.name}`}
      onClick={() => {
        goToSlice(r)
        showSelected()
      }}
    >
      {r.name || '(no name)'}
    </button>
  )

export const COLUMNS: readonly Column<Gap>[] = [
  { id: 'core', title: 'Core', align: 'left', width: '92px', value: g => g.core, csv: 'core' },
  {
    id: 'start',
    title: 'Start',
    align: 'right',
    width: '104px',
    value: g => g.start,
    csv: 'start_ns',
    cell: g => timeMs(g.start),
    hover: g => `${num(g.start)} ns`,
  },
  {
    id: 'length',
    title: 'Length',
    align: 'right',
    width: '84px',
    value: g => g.end - g.start,
    csv: 'length_ns',
    cell: g => duration(g.end - g.start),
    hover: g => `${num(g.end - g.start)} ns`,
  },
  {
    id: 'before',
    title: 'After',
    help: 'Event that ended before the gap',
    align: 'left',
    width: '150px',
    value: g => g.before?.name ?? null,
    csv: 'event_before',
    cell: g => ref(g.before),
  },
  {
    id: 'after',
    title: 'Before',
    help: 'Event that began after the gap',
    align: 'left',
    width: '150px',
    value: g => g.after?.name ?? null,
    csv: 'event_after',
    cell: g => ref(g.after),
  },
  {
    id: 'host',
    title: 'Host meanwhile',
    help: 'Innermost slices of the framework’s threads in the same process, by their time in the gap',
    align: 'left',
    value: g => (g.host.length === 0 ? null : g.host.map(h => `${h.name} ${h.ns}`).join('; ')),
    csv: 'host_names_ns',
    cell: g => <Host gap={g} />,
    hover: g =>
      g.host.map(h => `${h.name}: ${duration(h.ns)} on ${h.trackName}`).join('\n') ||
      'No event of a framework thread of this process lies in the gap',
  },
]

function Host({ gap }: { readonly gap: Gap }): ReactElement {
  if (gap.host.length === 0) return <span className="t3">—</span>
  return (
    <>
      {gap.host.map((h, i) => (
        <span key={`${h.trackName}/${h.name}`}>
          {i > 0 && ', '}
          {ref(h.ref)} <span className="num t3">{percent(h.ns, gap.end - gap.start)}</span>
        </span>
      ))}
    </>
  )
}

/** As they are written: exact Unix times, and the ids of the events around the gap. */
export function writtenColumns(view: Pick<SessionView, 'groups' | 'sources'> | null, group: number): readonly Column<Gap>[] {
  const paths = new Map(view?.sources.map(s => [s.index, s.path]))
  const idOf = (r: SliceRef | null): string | null => {
    const path = r === null ? undefined : paths.get(r.source)
    return r === null || path === undefined ? null : eventId(path, r.row)
  }
  return [
    ...withTimes(
      COLUMNS,
      timeColumns<Gap>(g => g.start, view?.groups.find(g => g.id === group) ?? null),
    ),
    { id: 'before-id', title: 'After', align: 'left', csv: 'event_before_id', value: g => idOf(g.before) },
    { id: 'after-id', title: 'Before', align: 'left', csv: 'event_after_id', value: g => idOf(g.after) },
  ]
}
