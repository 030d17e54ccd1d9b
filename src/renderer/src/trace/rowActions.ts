/** What can be done with a row of the System Trace: by its menu, its buttons, its keys. One list for all of them. */
import { change, fullName, PINNED_KEY, type Row, type Rows } from '../../../paint/timeline'
import type { TrackLayout } from '../../../shared/trace-api'
import { num } from '../../../shared/format'
import { copyText } from '../memory/copy'
import type { IconName } from '../shell/icons'
import { notify } from '../shell/ui'
import { describeCursor } from '../state/live'
import { currentTrace } from './current'
import { changeLayout, useLayout } from './layoutStore'

export interface RowAction {
  readonly id: 'pin' | 'hide' | 'up' | 'down' | 'fold' | 'copy' | 'only' | 'all'
  readonly label: string
  readonly icon: IconName
  /** Key as the menu shows it; '' for none. */
  readonly shown: string
  readonly run: () => void
}

/** Makes a change; where the limits of what is kept do not allow it, says so. */
function make(edit: (l: TrackLayout) => TrackLayout, said: string, refused: string): void {
  if (changeLayout(edit)) describeCursor(said)
  else if (refused) notify({ icon: 'info', title: 'The tracks stay as they are', detail: refused })
}

/** Name of a row as people know it, for the clipboard and for hover. */
export function rowName(row: Row, rows: Rows): string {
  if (row.type === 'track') return fullName(row.track, rows.grouped.grouping, rows.grouped.names)
  return row.type === 'group' ? row.full || row.title : row.words
}

export function toggleGroup(rows: Rows, key: string): void {
  const row = rows.byKey.get(key)
  if (row?.type !== 'group') return
  make(l => change.toggle(l, rows.grouped, key, !row.open), row.open ? `${row.title} closed` : `${row.title} open`, '')
}

export function pinRow(row: Row): void {
  if (row.type !== 'track') return
  const pinned = row.group === PINNED_KEY
  make(
    l => change.pin(l, row.key),
    pinned ? `${row.label} unpinned` : `${row.label} pinned`,
    `At most ${change.MOST_PINNED} tracks can be pinned.`,
  )
}

export function hideRow(row: Row): void {
  if (row.type === 'note' || row.key === PINNED_KEY) return
  // The focus goes to a neighbour: what is hidden has none.
  currentTrace()?.leaveRow(row)
  make(
    l => change.hide(l, row.key),
    `${row.type === 'track' ? row.label : row.title} hidden`,
    `At most ${num(change.MOST_KEYS)} rows can be hidden one by one.`,
  )
}

export function moveRow(row: Row, rows: Rows, by: -1 | 1): void {
  make(l => change.moveBy(l, rows, row, by), `${rowName(row, rows)} moved ${by < 0 ? 'up' : 'down'}`, '')
}

export function dropRow(row: Row, rows: Rows, target: Row, after: boolean): void {
  make(
    l => change.moveTo(l, rows, row, target, after),
    `${rowName(row, rows)} moved`,
    `At most ${num(change.MOST_KEYS)} rows can have an order of their own.`,
  )
}

/** Key of the group that a row stands in or is; null for rows outside of groups. */
function groupOf(row: Row, rows: Rows): string | null {
  if (row.type === 'group') return row.key === PINNED_KEY || row.level === 0 ? null : row.key
  if (row.type !== 'track') return null
  const home = rows.grouped.instances.flatMap(i => i.sections).find(s => s.tracks.some(p => p.key === row.key))
  return home && home.title !== null ? home.key : null
}

/** What a row offers, in the order of its menu. */
export function actionsOf(row: Row, rows: Rows): readonly RowAction[] {
  if (row.type === 'note') return []
  const out: RowAction[] = []
  const pinned = row.type === 'track' && row.group === PINNED_KEY
  const own = row.key !== PINNED_KEY
  if (row.type === 'track')
    out.push({ id: 'pin', label: pinned ? 'Unpin' : 'Pin to the top', icon: 'pin', shown: 'Shift P', run: () => pinRow(row) })
  if (own)
    out.push({ id: 'hide', label: row.type === 'track' ? 'Hide track' : 'Hide group', icon: 'hidden', shown: 'H', run: () => hideRow(row) })
  const list = change.movable(rows, row)
  const at = list.findIndex(r => r.key === row.key)
  if (at > 0) out.push({ id: 'up', label: 'Move up', icon: 'up', shown: 'Alt ↑', run: () => moveRow(row, rows, -1) })
  if (at >= 0 && at + 1 < list.length)
    out.push({ id: 'down', label: 'Move down', icon: 'down', shown: 'Alt ↓', run: () => moveRow(row, rows, 1) })
  const key = row.type === 'group' ? row.key : pinned ? PINNED_KEY : groupOf(row, rows)
  const head = key === null ? undefined : rows.byKey.get(key)
  if (head?.type === 'group')
    out.push({
      id: 'fold',
      label: head.open ? 'Collapse group' : 'Open group',
      icon: head.open ? 'right' : 'chevron',
      shown: '',
      run: () => toggleGroup(rows, head.key),
    })
  const group = groupOf(row, rows)
  if (group !== null)
    out.push({
      id: 'only',
      label: 'Show only this group',
      icon: 'filter',
      shown: '',
      run: () =>
        make(
          l => change.showOnly(l, rows.grouped, group),
          'Other groups hidden',
          `At most ${num(change.MOST_KEYS)} rows can be hidden one by one.`,
        ),
    })
  out.push({ id: 'copy', label: 'Copy name', icon: 'copy', shown: '', run: () => void copyText(rowName(row, rows)) })
  if (useLayout.getState().layout.hidden.length > 0)
    out.push({ id: 'all', label: 'Show all hidden', icon: 'eye', shown: '', run: showAllRows })
  return out
}

export const showAllRows = (): void => make(change.showAll, 'All tracks shown', '')
