/** Async events (b, n, e): slices that belong to an id, not to a thread. */
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { arrange, mergeSort } from './lanes'
import { OpenBegins, SliceList } from './pairs'
import { columns, Processes, slicesTrack, type Draft, type Tally } from './draft'

const BEGIN = 0x62
const END = 0x65
/** With more names than this a category of a process becomes one row. */
const MAX_NAMES = 32

interface Group {
  readonly pid: number
  readonly cat: number
  /** Name of the outermost slice; -2: several. */
  readonly name: number
  readonly list: SliceList
}

/**
 * Async tracks: begins and ends are matched by process, category and id; nesting is that of the id. One track per process, category and name of the
 * outermost slice (per process and category where there are many names). Ids that run at the same time stand on lanes of their own.
 */
export function asyncTracks(
  table: TraceTable,
  rows: readonly number[],
  unmatched: { begins: number; ends: number },
  skipped: Tally,
): readonly Draft[] {
  if (rows.length === 0) return []
  const { phase, ts, name, cat, id } = table
  const processes = new Processes(table)
  const pidOf = (r: number): number => processes.pidOf(r)
  const names = new Map<string, Set<number>>()
  for (const r of rows) {
    const key = `${pidOf(r)} ${cat[r]}`
    let set = names.get(key)
    if (!set) names.set(key, (set = new Set()))
    if (set.size <= MAX_NAMES) set.add(name[r])
  }
  const groups = new Map<string, Group>()
  const groupOf = (r: number): Group => {
    const pid = pidOf(r)
    const many = (names.get(`${pid} ${cat[r]}`) as Set<number>).size > MAX_NAMES
    const key = `${pid} ${cat[r]} ${many ? -2 : name[r]}`
    let g = groups.get(key)
    if (!g) groups.set(key, (g = { pid, cat: cat[r], name: many ? -2 : name[r], list: new SliceList() }))
    return g
  }
  const order = mergeSort(rows.length, (a, b) => ts[rows[a]] - ts[rows[b]])
  const running = new Map<string, { readonly group: Group; readonly open: OpenBegins }>()
  let last = -Infinity
  for (let k = 0; k < order.length; k++) {
    const r = rows[order[k]]
    last = ts[r]
    const key = `${pidOf(r)} ${cat[r]} ${id[r]}`
    let tree = running.get(key)
    if (!tree || tree.open.top < 0) {
      const group = groupOf(r)
      running.set(key, (tree = { group, open: new OpenBegins(group.list) }))
    }
    if (phase[r] === BEGIN) tree.open.begin(ts[r], r, name[r])
    else if (phase[r] !== END) tree.group.list.add(ts[r], 0, r, 1, tree.open.top)
    else if (!tree.open.end(ts[r], name[r])) {
      // Ends may leave the name out or repeat it; another name still ends what this id has open.
      if (!tree.open.end(ts[r], -1)) {
        tree.group.list.add(ts[r], 0, r, 3)
        unmatched.ends++
      }
    }
  }
  for (const tree of running.values()) tree.open.finish(last)
  return [...groups.values()].map(g => {
    for (let i = 0; i < g.list.count; i++) if (g.list.flags[i] === 2) unmatched.begins++
    const lanes = arrange({ ...columns(g.list), within: g.list.within })
    skipped.add('too many slices at one time', lanes.dropped)
    const category = stringAt(table.strings, g.cat)
    const title = g.name === -2 ? category || 'async' : stringAt(table.strings, g.name) || category || 'async'
    return slicesTrack(table, lanes, processes.place(g.pid), 'async', title, category === title ? '' : category)
  })
}
