/** Columns of the hits, on screen and as they are written. */
import type { ReactElement } from 'react'
import type { SessionView } from '../../../shared/api'
import { eventId } from '../../../shared/event-id'
import { duration, num, timeMs } from '../../../shared/format'
import type { SearchHit } from '../../../shared/trace-api'
import { timeColumns, withTimes } from '../table/rows'
import type { Column } from '../table/types'

const WHERE: Readonly<Record<SearchHit['where'], string>> = { name: 'name', args: 'args', stack: 'stack' }

export function columnsOf(offset: number, hits: readonly SearchHit[]): readonly Column<SearchHit>[] {
  const number = new Map(hits.map((h, i) => [h, offset + i + 1]))
  return [
    {
      id: 'number',
      title: '#',
      help: 'Number of the hit by time',
      align: 'right',
      width: '44px',
      value: h => number.get(h) ?? null,
      csv: 'number',
    },
    {
      id: 'name',
      title: 'Name',
      align: 'left',
      width: '190px',
      value: h => h.name,
      csv: 'name',
      cell: h => (h.where === 'name' ? <Hit hit={h} /> : h.name),
      hover: h => h.name,
    },
    { id: 'where', title: 'In', align: 'left', width: '40px', value: h => WHERE[h.where], csv: 'where' },
    {
      id: 'excerpt',
      title: 'Text',
      align: 'left',
      value: h => h.excerpt,
      csv: 'text',
      cell: h => (h.where === 'name' ? <span className="t3">—</span> : <Hit hit={h} />),
      hover: h => h.excerpt,
    },
    {
      id: 'track',
      title: 'Track',
      align: 'left',
      width: '96px',
      value: h => h.trackName,
      csv: 'track',
      cell: h => h.trackName.slice(h.trackName.lastIndexOf('/') + 1),
      hover: h => h.trackName,
    },
    {
      id: 'start',
      title: 'Start',
      help: 'Start, from the begin of the time range',
      align: 'right',
      width: '96px',
      value: h => h.start,
      csv: 'start_ns',
      cell: h => timeMs(h.start),
      hover: h => `${num(h.start)} ns`,
    },
    {
      id: 'duration',
      title: 'Duration',
      align: 'right',
      width: '80px',
      value: h => h.duration,
      csv: 'duration_ns',
      cell: h => (h.duration === null ? <span className="t3">—</span> : duration(h.duration)),
      hover: h => (h.duration === null ? 'An instant, or one end is missing' : `${num(h.duration)} ns`),
    },
  ]
}

/** The text with the hit set off; the part before it is cut where the cell is narrow, so that the hit is seen. */
function Hit({ hit: { excerpt, from, to } }: { readonly hit: SearchHit }): ReactElement {
  const lead = Math.max(0, from - 24)
  return (
    <span className="search-text">
      {lead > 0 && '…'}
      {excerpt.slice(lead, from)}
      {to > from && <mark>{excerpt.slice(from, to)}</mark>}
      {excerpt.slice(to)}
    </span>
  )
}

/** As they are written: exact Unix times, and the id that `chain --event` takes. */
export function writtenColumns(
  columns: readonly Column<SearchHit>[],
  view: Pick<SessionView, 'groups' | 'sources'> | null,
  group: number,
): readonly Column<SearchHit>[] {
  const paths = new Map(view?.sources.map(s => [s.index, s.path]))
  const idOf = (h: SearchHit): string | null => {
    const path = paths.get(h.source)
    return path === undefined ? null : eventId(path, h.row)
  }
  return [
    ...withTimes(
      columns,
      timeColumns<SearchHit>(h => h.start, view?.groups.find(g => g.id === group) ?? null),
    ),
    { id: 'id', title: 'Id', align: 'left', csv: 'id', value: idOf },
  ]
}
