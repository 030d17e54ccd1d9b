/**
 * The tree of the opened root as a flat list of rows: instance, process (rank and pid), session, files. Levels that the names don't tell are left out.
 * Pure: what is open is an argument.
 */
import type { Catalog, CatalogFile, CatalogSession, Pair } from '../../../../shared/catalog'
import { byTime } from '../../state/choose'
import { deviceRows, type Bracket, type DeviceRow } from './brackets'
import { count, fileName, KIND, KIND_ORDER, ranksText, sessionName } from '../words'

interface RowBase {
  /** Stable while the thing exists; also the DOM id's source. */
  readonly key: string
  /** Depth for assistive technology, from 1. */
  readonly level: number
  readonly position: number
  readonly siblings: number
  /** Key of the row above in the hierarchy. */
  readonly parent: string | null
}
export interface InstanceRow extends RowBase {
  readonly type: 'instance'
  readonly label: string
  readonly note: string
  readonly expanded: boolean
}
export interface ProcessRow extends RowBase {
  readonly type: 'process'
  readonly label: string
  readonly note: string
  readonly expanded: boolean
}
export interface SessionRow extends RowBase {
  readonly type: 'session'
  readonly session: CatalogSession
  readonly label: string
  readonly recording: boolean
  readonly expanded: boolean
}
export interface FileRow extends RowBase {
  readonly type: 'file'
  readonly session: CatalogSession
  readonly file: CatalogFile
  readonly label: string
  /** Joins NEFFs and NTFFs that belong together. */
  readonly bracket: Bracket | null
  /** Which NEFF an NTFF was recorded of. */
  readonly pair: Pair | null
}
export type TreeRow = InstanceRow | ProcessRow | SessionRow | FileRow

interface Node {
  readonly key: string
  readonly open: boolean
  readonly row: (base: RowBase) => TreeRow
  readonly children: readonly Node[]
}

export interface TreeOptions {
  readonly rootName: string
  /** Session that is shown; its files are open by default. */
  readonly session: string | null
  /** What the user opened or closed by hand, by key. */
  readonly open: ReadonlyMap<string, boolean>
  /** Shows only files whose path or kind holds this text, with everything above them open. */
  readonly filter: string
}

const groupBy = <T>(list: readonly T[], key: (t: T) => string): readonly (readonly [string, readonly T[]])[] => {
  const groups = new Map<string, T[]>()
  for (const t of list) {
    const k = key(t)
    const g = groups.get(k)
    if (g) g.push(t)
    else groups.set(k, [t])
  }
  return [...groups]
}

const order = (f: CatalogFile): number => KIND_ORDER.indexOf(f.kind)
const byKind = (a: CatalogFile, b: CatalogFile): number =>
  order(a) - order(b) || (a.rank ?? -1) - (b.rank ?? -1) || a.path.localeCompare(b.path, 'en', { numeric: true })

const matches = (f: CatalogFile, needle: string): boolean =>
  !needle || f.path.toLowerCase().includes(needle) || KIND[f.kind].word.toLowerCase().includes(needle) || f.state.includes(needle)

/** The files of a session by kind, NEFFs and NTFFs as they belong together. */
function fileRows(files: readonly CatalogFile[], pairs: readonly Pair[]): readonly DeviceRow[] {
  const device = (f: CatalogFile): boolean => f.kind === 'neff' || f.kind === 'ntff'
  const sorted = [...files].sort(byKind)
  const at = sorted.findIndex(device)
  const plain = (f: CatalogFile): DeviceRow => ({ file: f, bracket: null, pair: null })
  if (at < 0) return sorted.map(plain)
  return [
    ...sorted.slice(0, at).map(plain),
    ...deviceRows(sorted.filter(device), pairs),
    ...sorted
      .slice(at)
      .filter(f => !device(f))
      .map(plain),
  ]
}

function sessionNode(s: CatalogSession, o: TreeOptions, needle: string): Node | null {
  const files = s.files.filter(f => matches(f, needle))
  if (needle && !files.length) return null
  const key = `s:${s.id}`
  const open = needle !== '' || (o.open.get(key) ?? s.id === o.session)
  return {
    key,
    open,
    row: base => ({
      ...base,
      type: 'session',
      session: s,
      label: sessionName(s, o.rootName),
      recording: s.files.some(f => f.state === 'growing'),
      expanded: open,
    }),
    children: fileRows(files, s.pairs).map(r => ({
      key: `f:${r.file.id}`,
      open: false,
      row: base => ({ ...base, type: 'file', session: s, ...r, label: fileName(r.file, s) }),
      children: [],
    })),
  }
}

/** Ranks of a process: those of all its sessions. */
const ranksOf = (list: readonly CatalogSession[]): readonly number[] => [...new Set(list.flatMap(s => s.ranks))].sort((a, b) => a - b)

function processNodes(list: readonly CatalogSession[], o: TreeOptions, needle: string): readonly Node[] {
  const groups = groupBy(list, s => (s.pid === null ? (s.ranks.length ? `r${s.ranks.join(',')}` : '') : String(s.pid)))
  return groups
    .map(([id, sessions]) => ({ id, sessions, ranks: ranksOf(sessions), pid: sessions[0].pid }))
    .sort((a, b) => (a.ranks[0] ?? Infinity) - (b.ranks[0] ?? Infinity) || (a.pid ?? Infinity) - (b.pid ?? Infinity))
    .flatMap(p => {
      const children = [...p.sessions].sort(byTime).flatMap(s => sessionNode(s, o, needle) ?? [])
      if (!children.length) return []
      if (p.id === '') return children // neither pid nor rank is known: no level for it
      const key = `p:${p.sessions[0].instanceId ?? ''}:${p.id}`
      const open = needle !== '' || (o.open.get(key) ?? true)
      const pid = p.pid === null ? '' : `pid ${p.pid}`
      const label = ranksText(p.ranks) || pid
      return {
        key,
        open,
        row: (base: RowBase): TreeRow => ({ ...base, type: 'process', label, note: label === pid ? '' : pid, expanded: open }),
        children,
      }
    })
}

function instanceNodes(catalog: Catalog, o: TreeOptions, needle: string): readonly Node[] {
  return [...groupBy(catalog.sessions, s => s.instanceId ?? '')]
    .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
    .flatMap(([id, sessions]) => {
      const children = processNodes(sessions, o, needle)
      if (!children.length) return []
      if (id === '') return children
      const key = `i:${id}`
      const open = needle !== '' || (o.open.get(key) ?? true)
      const ranks = ranksOf(sessions).length
      const note = ranks ? count(ranks, 'rank') : count(new Set(sessions.map(s => s.pid)).size, 'process', 'processes')
      return { key, open, row: (base: RowBase): TreeRow => ({ ...base, type: 'instance', label: id, note, expanded: open }), children }
    })
}

/** All rows that are visible now, from top to bottom. */
export function treeRows(catalog: Catalog, o: TreeOptions): readonly TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (nodes: readonly Node[], level: number, parent: string | null): void => {
    nodes.forEach((n, i) => {
      rows.push(n.row({ key: n.key, level, position: i + 1, siblings: nodes.length, parent }))
      if (n.open) walk(n.children, level + 1, n.key)
    })
  }
  walk(instanceNodes(catalog, o, o.filter.trim().toLowerCase()), 1, null)
  return rows
}

export const isExpandable = (r: TreeRow): r is InstanceRow | ProcessRow | SessionRow => r.type !== 'file'

export type TreeMove = { readonly focus: number } | { readonly open: string; readonly to: boolean } | null

/** What an arrow key does in a tree (WAI-ARIA practices): moves the focus, opens or closes a row, or nothing. */
export function treeMove(rows: readonly TreeRow[], at: number, key: string): TreeMove {
  const row = rows[at]
  const last = rows.length - 1
  switch (key) {
    case 'ArrowDown':
      return { focus: Math.min(at + 1, last) }
    case 'ArrowUp':
      return { focus: Math.max(at - 1, 0) }
    case 'Home':
      return { focus: 0 }
    case 'End':
      return { focus: last }
    case 'ArrowRight':
      if (!row || !isExpandable(row)) return null
      return row.expanded ? (rows[at + 1]?.parent === row.key ? { focus: at + 1 } : null) : { open: row.key, to: true }
    case 'ArrowLeft': {
      if (!row) return null
      if (isExpandable(row) && row.expanded) return { open: row.key, to: false }
      const up = rows.findIndex(r => r.key === row.parent)
      return up < 0 ? null : { focus: up }
    }
    default:
      return null
  }
}
