/** Grouping, filter and hidden tracks, in the head of the panel. */
import { useCallback, type ReactElement } from 'react'
import type { Rows } from '../../../paint/timeline'
import { num } from '../../../shared/format'
import { GROUPINGS, type Grouping } from '../../../shared/trace-api'
import { Icon } from '../shell/icons'
import { FilterField } from '../table/FilterField'
import '../table/controls.css'
import { GROUPING_HOW, GROUPING_WORDS, setGrouping } from './groupings'
import { changeLayout, useLayout } from './layoutStore'
import { showAllRows } from './rowActions'

export function TrackControls({ rows }: { readonly rows: Rows }): ReactElement {
  const grouping = useLayout(s => s.layout.grouping)
  const filter = useLayout(s => s.layout.filter)
  const regex = useLayout(s => s.layout.regex)
  const onFilter = useCallback((text: string) => void changeLayout(l => ({ ...l, filter: text.slice(0, 500) })), [])
  const onRegex = useCallback((on: boolean) => void changeLayout(l => ({ ...l, regex: on })), [])
  return (
    <>
      {rows.hidden > 0 && (
        <button className="chip track-hidden" onClick={showAllRows} title="Show all hidden tracks">
          <Icon name="hidden" size={12} />
          {num(rows.hidden)} hidden
          <Icon name="close" size={12} />
        </button>
      )}
      {rows.filterError !== null && (
        <span className="chip err ell track-filter-error" role="alert" title={rows.filterError}>
          No regular expression: {rows.filterError}
        </span>
      )}
      <span className="track-filter">
        <FilterField label="Filter tracks" value={filter} onChange={onFilter} regex={regex} onRegex={onRegex} error={rows.filterError} />
      </span>
      <label className="pick" title={`Tracks are grouped by: ${GROUPING_HOW[grouping]}`}>
        <i>Group</i>
        <select value={grouping} aria-label="Grouping of tracks" onChange={e => setGrouping(e.target.value as Grouping)}>
          {GROUPINGS.map(g => (
            <option key={g} value={g}>
              {GROUPING_WORDS[g]}
            </option>
          ))}
        </select>
        <Icon name="chevron" size={12} />
      </label>
    </>
  )
}
