/** Rows as text for other programs: CSV (RFC 4180, CR LF) and TSV for the clipboard. One spelling for everything that is exported as a table. */

export type TextCell = string | number | null

/** A text that a spreadsheet would take for a formula gets an apostrophe; a number is written as it is, what is not known as nothing. */
function plain(v: TextCell): string {
  if (v === null) return ''
  return typeof v === 'string' && /^[=+\-@\t\r]/.test(v) ? `'${v}` : String(v)
}

/** A cell of CSV, quoted where it must be. */
export function csvCell(v: TextCell): string {
  const text = plain(v)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Head and rows as CSV, each line with its end. */
export const csvText = (head: readonly string[], rows: Iterable<readonly TextCell[]>): string => lines(head, rows, csvCell, ',', '\r\n')

/** Rows as CSV without a head: what follows another piece of the same table. */
export const csvRows = (rows: Iterable<readonly TextCell[]>): string => body(rows, csvCell, ',', '\r\n')

/** Head and rows separated by tabs; tabs and line ends inside of a cell become spaces. */
export const tsvText = (head: readonly string[], rows: Iterable<readonly TextCell[]>): string =>
  lines(head, rows, v => plain(v).replace(/[\t\r\n]+/g, ' '), '\t', '\n')

function lines(
  head: readonly string[],
  rows: Iterable<readonly TextCell[]>,
  cell: (v: TextCell) => string,
  between: string,
  end: string,
): string {
  return head.map(cell).join(between) + end + body(rows, cell, between, end)
}

function body(rows: Iterable<readonly TextCell[]>, cell: (v: TextCell) => string, between: string, end: string): string {
  let text = ''
  for (const r of rows) text += r.map(cell).join(between) + end
  return text
}
