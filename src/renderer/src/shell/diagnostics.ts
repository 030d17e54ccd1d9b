/** All diagnostics that concern the user now, in one list: the catalog's, those of its sessions, the open session's, and the program's own notices. */
import type { AppInfo, RootState, SessionView } from '../../../shared/api'
import type { Diagnostic } from '../../../shared/diagnostics'
import { num } from '../../../shared/format'
import { SEVERITY } from './words'

/** Stands in `file` of a diagnostic that is about no file. */
export const PROGRAM = 'Program'

const notice = (code: string, message: string, meaning: string, action: string): Diagnostic => ({
  severity: 'info',
  code,
  file: PROGRAM,
  offset: null,
  message,
  meaning,
  action,
  count: 1,
})

const identity = (d: Diagnostic): string => [d.severity, d.code, d.file, d.offset, d.message].join('\u0000')

/** Merges the lists; a finding that two of them hold (catalog and session read the same file) stands once. Errors first, then by file and offset. */
export function allDiagnostics(s: {
  readonly info: AppInfo | null
  readonly root: RootState | null
  readonly view: SessionView | null
  readonly error: string | null
}): readonly Diagnostic[] {
  const own: Diagnostic[] = []
  if (s.error)
    own.push({
      ...notice('request-failed', s.error, 'What was asked for is not shown or not up to date.', 'Try again, or open the folder again.'),
      severity: 'error',
    })
  if (s.info?.notice) own.push(notice('shell', s.info.notice, 'The figures are the same in both shells.', 'Nothing needs to be done.'))
  if (s.root?.watchNotice)
    own.push(
      notice(
        'watch',
        s.root.watchNotice,
        'Files that appear or change may be missing from the tree.',
        'Open the folder again to see them.',
      ),
    )
  if (s.view?.notice) own.push(notice('engine', s.view.notice, 'The figures come from the files anew.', 'Nothing needs to be done.'))
  const seen = new Set<string>()
  return [
    ...own,
    ...(s.view?.diagnostics ?? []),
    ...(s.root?.catalog.diagnostics ?? []),
    ...(s.root?.catalog.sessions.flatMap(x => x.checks) ?? []),
  ]
    .filter(d => {
      const k = identity(d)
      if (seen.has(k)) return false
      seen.add(k)
      return true
    })
    .sort(
      (a, b) =>
        SEVERITY[a.severity].order - SEVERITY[b.severity].order ||
        (a.file < b.file ? -1 : a.file > b.file ? 1 : (a.offset ?? -1) - (b.offset ?? -1)),
    )
}

/** Groups of one file each, in the order of the worst finding. */
export function byFile(all: readonly Diagnostic[]): readonly { readonly file: string; readonly list: readonly Diagnostic[] }[] {
  const groups = new Map<string, Diagnostic[]>()
  for (const d of all) {
    const g = groups.get(d.file)
    if (g) g.push(d)
    else groups.set(d.file, [d])
  }
  return [...groups].map(([file, list]) => ({ file, list }))
}

/** Where in the file, and how often: `byte 1,204`, `3 times`. */
export const whereText = (d: Diagnostic): string =>
  [d.offset === null ? null : `byte ${num(d.offset)}`, d.count > 1 ? `${num(d.count)} times` : null].filter(Boolean).join(', ')

/** The list as plain text for a report. */
export const reportText = (all: readonly Diagnostic[]): string =>
  all
    .map(d =>
      [
        `${SEVERITY[d.severity].word}: ${d.message}`,
        `  file: ${d.file}${whereText(d) ? ` (${whereText(d)})` : ''}`,
        `  code: ${d.code}`,
        `  means: ${d.meaning}`,
        `  do: ${d.action}`,
      ].join('\n'),
    )
    .join('\n\n')
