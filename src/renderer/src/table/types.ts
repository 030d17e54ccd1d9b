/** What a table of the drawer is made of. Rows are data; columns say how to read, write and order them. */
import type { ReactNode } from 'react'

export interface Column<R> {
  readonly id: string
  /** Head of the column; units stand in the cells. */
  readonly title: string
  /** Meaning, shown when hovering over the head. */
  readonly help?: string
  readonly align: 'left' | 'right'
  /** CSS width; the one column without takes the rest. */
  readonly width?: string
  /** What is sorted by and written to CSV and TSV: exact, numbers in the unit of `exact`. null: not known, sorted last, written empty. */
  readonly value: (row: R) => string | number | null
  /** What is sorted by where that is not the value, e.g. its size whatever the sign. */
  readonly order?: (row: R) => string | number | null
  /** Head in CSV and TSV, with the unit, e.g. `total_ns`; '' for a column of controls, which is not written. */
  readonly csv: string
  /** Cell; default: the value as text, `—` for null. */
  readonly cell?: (row: R) => ReactNode
  /** Exact value on hover. */
  readonly hover?: (row: R) => string | undefined
}

/** What is written of a table that shows a part of its rows. */
export interface AllRows {
  readonly csv: string
  /** Rows in `csv`, and those there are: fewer where what is written is bounded. */
  readonly rows: number
  readonly of: number
}

export interface Sort {
  readonly column: string
  readonly descending: boolean
}

export interface DataTableProps<R> {
  /** Accessible name. */
  readonly label: string
  readonly rows: readonly R[]
  readonly columns: readonly Column<R>[]
  readonly rowKey: (row: R) => string
  /** Enter or double click; single click calls `onSelect`. */
  readonly onOpen?: (row: R) => void
  readonly onSelect?: (row: R) => void
  readonly selected?: string | null
  readonly sort: Sort
  /** The owner sorts (by the host) where `sorted` is true, else the table sorts the rows it has. */
  readonly sorted?: boolean
  readonly onSort: (sort: Sort) => void
  /** File name of the CSV, without ending. */
  readonly csvName: string
  /** All rows as CSV where the table holds only a part of them. */
  readonly allCsv?: () => Promise<AllRows>
  /** Columns of CSV and TSV, where they are not those that are shown. */
  readonly written?: readonly Column<R>[]
  /** Rows there are in all, where `rows` are the first of them: `5,000 of 12,340 rows`. */
  readonly total?: number
  /** What a row is called in the counts; `rows` by default. */
  readonly noun?: readonly [one: string, many: string]
  /** Rows of the question before, while the answer is on its way: dimmed. */
  readonly stale?: boolean
  /** Words in place of rows. */
  readonly empty: ReactNode
  /** What was cut or is not known, beside the counts. */
  readonly note?: ReactNode
}
