/** `stats` for people, and as CSV. */
import { csvText } from '../shared/csv'
import type { Diagnostic } from '../shared/diagnostics'
import { duration, num } from '../shared/format'
import { STATS_COLUMNS, STATS_HEADS } from '../shared/trace-api'
import { plain } from './output'
import type { StatsDocument } from './stats'
import { table } from './table'
import { diagnosticsText } from './text'

/** Rows that people are shown where they say no number. */
export const SHOWN = 50
const WIDEST = 60

export function statsText(document: object, limit: number | null): string {
  const diagnostics = (document as { readonly diagnostics?: readonly Diagnostic[] }).diagnostics ?? []
  if (Object.keys(document).every(k => k === 'diagnostics')) return diagnosticsText(diagnostics)
  return bodyText(document as StatsDocument, limit ?? SHOWN) + (diagnostics.length > 0 ? '\n' + diagnosticsText(diagnostics) : '')
}

function bodyText(d: StatsDocument, limit: number): string {
  const rows = d.rows.slice(0, limit)
  const head = [
    `${num(d.slices)} ${d.slices === 1 ? 'slice' : 'slices'} of ${d.files.map(plain).join(', ') || 'no file'}\n`,
    d.fromNs === null ? '' : `from ${d.fromNs} to ${String(d.toNs)} ns, ${duration(d.wallNs)} of it covered by a slice\n`,
    d.unmatched > 0 ? `${num(d.unmatched)} more with one end missing ${d.unmatched === 1 ? 'is' : 'are'} not counted\n` : '',
  ].join('')
  if (rows.length === 0) return head
  const body = table([
    [d.by, 'count', 'total', 'self', 'wall', 'overlap', 'min', 'max', 'mean', 'median', 'p95'],
    ...rows.map(r => [
      short(r.key),
      num(r.count),
      ...[r.totalNs, r.selfNs, r.wallNs, r.overlapNs, r.minNs, r.maxNs, r.meanNs, r.medianNs, r.p95Ns].map(v => duration(v)),
    ]),
  ])
  const more = d.matching > rows.length ? `\n${num(d.matching - rows.length)} more rows are not listed (--limit N).\n` : ''
  return `${head}\n${body}${more}`
}

function short(key: string): string {
  const p = plain(key) || '(no name)'
  return p.length > WIDEST ? `${p.slice(0, WIDEST - 1)}…` : p
}

/** All rows of the document, ns as they are and texts spelled as in the CSV that the window saves: it is for files. What is to be said goes to `say`. */
export function statsCsv(document: object, say: (text: string) => void): string {
  const d = document as Partial<StatsDocument>
  if (d.diagnostics && d.diagnostics.length > 0) say(diagnosticsText(d.diagnostics))
  if (!d.rows) return ''
  return csvText(
    STATS_HEADS,
    d.rows.map(r => STATS_COLUMNS.map(c => r[c])),
  )
}
