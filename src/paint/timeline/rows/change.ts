/** Changes of the layout that the user makes. Each answers the new layout, or the same object where nothing changes. Pure. */
import type { Grouping, TrackLayout } from '../../../shared/trace-api'
import { PINNED_KEY } from './layout'
import type { Grouped, Row, Rows } from './model'
import { applyOrder, orderFor } from './order'

/** Limits of the contract. */
export const MOST_PINNED = 200
export const MOST_KEYS = 5000

const without = (list: readonly string[], key: string): string[] => list.filter(k => k !== key)
const within = (list: readonly string[]): boolean => list.length <= MOST_KEYS

/** Opens or closes a group. */
export function toggle(l: TrackLayout, g: Grouped, key: string, open: boolean): TrackLayout {
  const closedAtFirst = g.instances.some(i => i.sections.some(s => s.key === key && s.closed))
  const collapsed = without(l.collapsed, key)
  const expanded = without(l.expanded, key)
  const next = open
    ? { ...l, collapsed, expanded: closedAtFirst ? [...expanded, key] : expanded }
    : { ...l, collapsed: [...collapsed, key], expanded }
  return within(next.collapsed) && within(next.expanded) ? next : l
}

/** Opens or closes all groups of a grouping. */
export function toggleAll(l: TrackLayout, g: Grouped, open: boolean): TrackLayout {
  const keys = g.instances.flatMap(i => i.sections.filter(s => s.title !== null).map(s => s.key))
  const mine = new Set(keys)
  const collapsed = l.collapsed.filter(k => !mine.has(k))
  const expanded = l.expanded.filter(k => !mine.has(k))
  const closed = g.instances.flatMap(i => i.sections.filter(s => s.closed).map(s => s.key))
  const next = open ? { ...l, collapsed, expanded: [...expanded, ...closed] } : { ...l, collapsed: [...collapsed, ...keys], expanded }
  return within(next.collapsed) && within(next.expanded) ? next : l
}

/** Pins or unpins a track. */
export function pin(l: TrackLayout, key: string): TrackLayout {
  if (l.pinned.includes(key)) return { ...l, pinned: without(l.pinned, key) }
  return l.pinned.length < MOST_PINNED ? { ...l, pinned: [...l.pinned, key] } : l
}

/** Hides a track, or all of a group (also what appears in it later). */
export const hide = (l: TrackLayout, key: string): TrackLayout =>
  l.hidden.includes(key) || l.hidden.length >= MOST_KEYS ? l : { ...l, hidden: [...l.hidden, key] }

export const showAll = (l: TrackLayout): TrackLayout => (l.hidden.length === 0 ? l : { ...l, hidden: [] })

/** Hides all groups but one of this grouping. The others of the same instance and of all other ones. */
export function showOnly(l: TrackLayout, g: Grouped, key: string): TrackLayout {
  const keys = g.instances.flatMap(i => i.sections.map(s => s.key))
  const hidden = [...new Set([...l.hidden.filter(k => k !== key), ...keys.filter(k => k !== key)])]
  return within(hidden) ? { ...l, hidden } : l
}

export const regroup = (l: TrackLayout, grouping: Grouping): TrackLayout => (l.grouping === grouping ? l : { ...l, grouping })

/** Keys that a row stands among, in the order of the screen, hidden ones too; null for rows that cannot be moved. */
function siblings(l: TrackLayout, g: Grouped, row: Row): { readonly natural: readonly string[]; readonly now: readonly string[] } | null {
  if (row.type === 'note' || row.key === PINNED_KEY) return null
  const order = new Map(l.order.map((k, i) => [k, i]))
  const sections = g.instances.flatMap(i => i.sections)
  const items =
    row.type === 'track'
      ? sections.find(s => s.key === row.group)?.tracks
      : row.level === 0
        ? g.instances
        : g.instances.find(i => i.sections.some(s => s.key === row.key))?.sections
  return items ? { natural: items.map(i => i.key), now: applyOrder<{ readonly key: string }>(items, order).map(i => i.key) } : null
}

/** Rows of the same group as a row, in the order of the screen: what it can be moved among. */
export function movable(rows: Rows, row: Row): readonly Row[] {
  if (row.type === 'note' || row.key === PINNED_KEY) return []
  if (row.type === 'track') return rows.rows.filter(r => r.type === 'track' && r.group === row.group)
  const instance = (key: string): string | undefined => rows.grouped.instances.find(i => i.sections.some(s => s.key === key))?.key
  const mine = instance(row.key)
  return rows.rows.filter(
    r => r.type === 'group' && r.key !== PINNED_KEY && r.level === row.level && (row.level === 0 || instance(r.key) === mine),
  )
}

/** Moves a row to stand directly before or after another of its group. */
export function moveTo(l: TrackLayout, rows: Rows, row: Row, target: Row, after: boolean): TrackLayout {
  if (row.key === target.key) return l
  const insert = (keys: readonly string[]): string[] => {
    const rest = without(keys, row.key)
    const at = rest.indexOf(target.key)
    return at < 0 ? [...keys] : [...rest.slice(0, at + (after ? 1 : 0)), row.key, ...rest.slice(at + (after ? 1 : 0))]
  }
  if (row.type === 'track' && row.group === PINNED_KEY) return { ...l, pinned: insert(l.pinned) }
  const s = siblings(l, rows.grouped, row)
  if (!s?.now.includes(target.key)) return l
  const order = orderFor(s.natural, insert(s.now), l.order)
  return within(order) ? { ...l, order } : l
}

/** Moves a row up or down by one of those that are in sight. */
export function moveBy(l: TrackLayout, rows: Rows, row: Row, by: -1 | 1): TrackLayout {
  const list = movable(rows, row)
  const target = list[list.findIndex(r => r.key === row.key) + by]
  return target ? moveTo(l, rows, row, target, by > 0) : l
}
