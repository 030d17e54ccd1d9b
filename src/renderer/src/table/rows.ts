/** Rows of a table in the order of a column, and as text. Pure. */
import type { TimeGroup } from '../../../shared/api'
import { csvText, tsvText } from '../../../shared/csv'
import { unixNs } from '../time/parse'
import type { Column, Sort } from './types'

const collator = new Intl.Collator('en', { numeric: true })

/** The rows by a column; what is not known comes last in both directions, equal rows keep their order. An unknown column leaves all as it is. */
export function sortRows<R>(rows: readonly R[], columns: readonly Column<R>[], sort: Sort): readonly R[] {
  const column = columns.find(c => c.id === sort.column)
  if (!column) return rows
  const order = column.order ?? column.value
  const sign = sort.descending ? -1 : 1
  return rows
    .map(row => ({ row, v: order(row) }))
    .sort((a, b) => {
      if (a.v === null || b.v === null) return Number(a.v === null) - Number(b.v === null)
      if (typeof a.v === 'number' && typeof b.v === 'number') return sign * (a.v - b.v)
      return sign * collator.compare(String(a.v), String(b.v))
    })
    .map(r => r.row)
}

/** The order after a click on the head of a column: figures downwards first, words upwards, a second click turns it. */
export const nextSort = <R>(sort: Sort, column: Column<R>): Sort => ({
  column: column.id,
  descending: sort.column === column.id ? !sort.descending : column.align === 'right',
})

/** Times of rows as they are written: exact Unix ns as decimal text (empty where the zero of the time range is not known), and ns from its begin. */
export const timeColumns = <R>(
  start: (row: R) => number,
  group: Pick<TimeGroup, 'originNs' | 'calibrated'> | null,
): readonly Column<R>[] => [
  {
    ...{ id: 'start-unix', title: 'Start', align: 'right', csv: 'start_unix_ns' },
    value: r => (group?.calibrated ? String(unixNs(start(r), group.originNs)) : null),
  },
  { id: 'start-origin', title: 'Start', align: 'right', csv: 'start_ns_from_origin', value: start },
]

/** `columns` as they are written: the one called `start` gives way to exact times. */
export const withTimes = <R>(columns: readonly Column<R>[], times: readonly Column<R>[]): readonly Column<R>[] =>
  columns.flatMap(c => (c.id === 'start' ? times : [c]))

/** Columns that only hold controls are not written. */
const written = <R>(columns: readonly Column<R>[]): readonly Column<R>[] => columns.filter(c => c.csv !== '')

function* cells<R>(rows: readonly R[], columns: readonly Column<R>[]): Generator<readonly (string | number | null)[]> {
  for (const r of rows) yield columns.map(c => c.value(r))
}

/** All rows as CSV, exact values. */
export function rowsCsv<R>(rows: readonly R[], columns: readonly Column<R>[]): string {
  const own = written(columns)
  return csvText(
    own.map(c => c.csv),
    cells(rows, own),
  )
}

/** The same for the clipboard. */
export function rowsTsv<R>(rows: readonly R[], columns: readonly Column<R>[]): string {
  const own = written(columns)
  return tsvText(
    own.map(c => c.csv),
    cells(rows, own),
  )
}
