import { describe, expect, it } from 'vitest'
import { nextSort, rowsCsv, rowsTsv, sortRows, timeColumns, withTimes } from './rows'
import type { Column } from './types'

interface Row {
  readonly name: string
  readonly ns: number | null
}
const COLUMNS: readonly Column<Row>[] = [
  { id: 'pick', title: 'A', align: 'left', value: () => null, csv: '' },
  { id: 'name', title: 'Name', align: 'left', value: r => r.name, csv: 'name' },
  { id: 'ns', title: 'Total', align: 'right', value: r => r.ns, csv: 'total_ns' },
]
const rows: readonly Row[] = [
  { name: 'b10', ns: 5 },
  { name: 'b9', ns: null },
  { name: 'a', ns: 7 },
  { name: 'c', ns: 5 },
]
const names = (column: string, descending: boolean): string =>
  sortRows(rows, COLUMNS, { column, descending })
    .map(r => r.name)
    .join(' ')

describe('times as they are written', () => {
  const start: readonly Column<number>[] = [
    { id: 'x', title: 'X', align: 'left', value: () => 'x', csv: 'x' },
    { id: 'start', title: 'Start', align: 'right', value: t => t, csv: 'start_ns' },
  ]
  it('are exact to the ns beyond what a number holds, beside those from the begin', () => {
    const columns = withTimes(
      start,
      timeColumns<number>(t => t, { originNs: 1_760_000_000_123_456_789n, calibrated: true }),
    )
    expect(rowsCsv([1, 12], columns)).toBe(
      'x,start_unix_ns,start_ns_from_origin\r\nx,1760000000123456790,1\r\nx,1760000000123456801,12\r\n',
    )
  })
  it('are no Unix time where the zero is not known', () => {
    const none = timeColumns<number>(t => t, { originNs: 5n, calibrated: false })
    expect(rowsCsv([7], withTimes(start, none))).toBe('x,start_unix_ns,start_ns_from_origin\r\nx,,7\r\n')
  })
})

describe('sortRows', () => {
  it('puts what is not known last in both directions and keeps the order of equal rows', () => {
    expect(names('ns', false)).toBe('b10 c a b9')
    expect(names('ns', true)).toBe('a b10 c b9')
  })
  it('sorts words with numbers in them as people do', () => {
    expect(names('name', false)).toBe('a b9 b10 c')
    expect(names('nothing', false)).toBe('b10 b9 a c')
  })
  it('begins with the largest figure and with the first word, then turns', () => {
    expect(nextSort({ column: 'name', descending: false }, COLUMNS[2])).toEqual({ column: 'ns', descending: true })
    expect(nextSort({ column: 'ns', descending: true }, COLUMNS[2])).toEqual({ column: 'ns', descending: false })
    expect(nextSort({ column: 'ns', descending: true }, COLUMNS[1])).toEqual({ column: 'name', descending: false })
  })
})

it('writes exact values without the columns that only hold controls', () => {
  expect(rowsCsv(rows.slice(0, 2), COLUMNS)).toBe('name,total_ns\r\nb10,5\r\nb9,\r\n')
  expect(rowsTsv(rows.slice(0, 2), COLUMNS)).toBe('name\ttotal_ns\nb10\t5\nb9\t\n')
})
