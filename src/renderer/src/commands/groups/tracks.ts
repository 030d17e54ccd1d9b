/** Commands about the rows of the System Trace. Those of one row act on the row with the focus, else on the one whose name is under the pointer. */
import type { Row, Rows } from '../../../../paint/timeline'
import { GROUPINGS } from '../../../../shared/trace-api'
import { currentTrace } from '../../trace/current'
import { useLayout } from '../../trace/layoutStore'
import { hideRow, moveRow, pinRow, showAllRows } from '../../trace/rowActions'
import { openTargetMenu } from '../../trace/rowMenu'
import { GROUPING_WORDS, setGrouping } from '../../trace/groupings'
import type { Command } from '../command'
import { hasView } from '../when'

const target = (): { readonly row: Row; readonly rows: Rows } | null => {
  const c = currentTrace()
  const row = c?.target
  return row && row.type !== 'note' && c.input ? { row, rows: c.input.rows } : null
}
const hasTarget = (): boolean => target() !== null
const onTarget = (run: (row: Row, rows: Rows) => void) => (): void => {
  const t = target()
  if (t) run(t.row, t.rows)
}
const NEEDS = 'point at a track, or choose one with the arrow keys'
const filterField = (): HTMLInputElement | null => document.querySelector('.track-filter input')

export const TRACKS: readonly Command[] = [
  {
    id: 'track-hide',
    title: 'Hide the track or group',
    group: 'Tracks',
    keys: ['KeyH'],
    shown: 'H',
    when: hasTarget,
    needs: NEEDS,
    run: onTarget(hideRow),
  },
  {
    id: 'track-pin',
    title: 'Pin the track to the top, or unpin it',
    group: 'Tracks',
    keys: ['Shift+KeyP'],
    shown: 'Shift P',
    when: () => target()?.row.type === 'track',
    needs: NEEDS,
    run: onTarget(pinRow),
  },
  {
    id: 'track-up',
    title: 'Move the track or group up',
    group: 'Tracks',
    keys: ['Alt+ArrowUp'],
    shown: 'Alt ↑',
    repeat: true,
    when: hasTarget,
    needs: NEEDS,
    run: onTarget((row, rows) => moveRow(row, rows, -1)),
  },
  {
    id: 'track-down',
    title: 'Move the track or group down',
    group: 'Tracks',
    keys: ['Alt+ArrowDown'],
    shown: 'Alt ↓',
    repeat: true,
    when: hasTarget,
    needs: NEEDS,
    run: onTarget((row, rows) => moveRow(row, rows, 1)),
  },
  {
    id: 'track-menu',
    title: 'Menu of the track or group',
    group: 'Tracks',
    keys: ['Shift+F10', 'ContextMenu'],
    shown: 'Shift F10',
    when: hasTarget,
    needs: NEEDS,
    run: openTargetMenu,
  },
  {
    id: 'tracks-show-all',
    title: 'Show all hidden tracks',
    group: 'Tracks',
    keys: [],
    when: () => useLayout.getState().layout.hidden.length > 0,
    needs: 'no track is hidden',
    run: showAllRows,
  },
  {
    id: 'tracks-filter',
    title: 'Filter tracks',
    group: 'Tracks',
    keys: ['Shift+KeyH'],
    shown: 'Shift H',
    when: () => filterField() !== null,
    run: () => filterField()?.focus(),
  },
  ...GROUPINGS.map((g): Command => ({
    id: `group-${g}`,
    title: `Group tracks by: ${GROUPING_WORDS[g]}`,
    group: 'Tracks',
    keys: [],
    when: hasView,
    active: () => useLayout.getState().layout.grouping === g,
    run: () => setGrouping(g),
  })),
]
