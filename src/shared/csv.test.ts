import { expect, it } from 'vitest'
import { csvRows, csvText, tsvText } from './csv'

const HEAD = ['name', 'total_ns']

it('writes CSV with CR LF, quotes where it must and keeps formulas from spreadsheets', () => {
  expect(
    csvText(HEAD, [
      ['aten::mm', 12.5],
      ['a,b "c"\nd', null],
      ['=SUM(A1)', -3],
    ]),
  ).toBe('name,total_ns\r\naten::mm,12.5\r\n"a,b ""c""\nd",\r\n\'=SUM(A1),-3\r\n')
})

it('writes TSV whose cells hold neither tabs nor line ends', () => {
  expect(
    tsvText(HEAD, [
      ['a\tb\r\nc', 1],
      ['', null],
    ]),
  ).toBe('name\ttotal_ns\na b c\t1\n\t\n')
})

it('writes a table in pieces as at once', () => {
  const rows = [['a,b', 1] as const, ['c', null] as const, ['=d', 2.5] as const]
  expect(csvText(HEAD, rows.slice(0, 1)) + csvRows(rows.slice(1)) + csvRows([])).toBe(csvText(HEAD, rows))
})
