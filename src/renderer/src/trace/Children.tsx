/** Details of a slice: its direct children. */
import type { ReactElement } from 'react'
import { duration, num } from '../../../shared/format'
import { goToSlice } from '../commands/slices'
import { useAsk } from '../memory/useAsk'
import { request } from '../state/session'

/** Children that are listed; the rest is counted. */
const LIMIT = 200

export function Children({
  session,
  version,
  source,
  row,
  count,
}: {
  readonly session: string
  readonly version: number
  readonly source: number
  readonly row: number
  readonly count: number
}): ReactElement {
  const scope = count > 0 ? `${session}/${source}/${row}` : ''
  const { value, error } = useAsk(scope, String(version), row, r => request('trace.children', { session, source, row: r, limit: LIMIT }))
  const a = value?.answer ?? null
  return (
    <section aria-label="Children" data-testid="children">
      <div className="sect">
        Children <span className="t3 num">{count === 0 ? 'none' : num(a?.total ?? count)}</span>
      </div>
      {error !== null && (
        <p className="notice" role="alert">
          The children could not be listed: {error}
        </p>
      )}
      {a && (
        <ul className="parents children">
          {a.children.map(c => (
            <li key={c.row}>
              <button className="fr" onClick={() => goToSlice(c)} title={`Select ${c.name}`}>
                <span className="fn ell link">{c.name || '(no name)'}</span>
                <span className="at num">{c.duration === null ? 'instant' : duration(c.duration)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {a && a.total > a.children.length && (
        <p className="notice">The first {num(a.children.length)} by start are listed; zoom in to reach the others.</p>
      )}
    </section>
  )
}
