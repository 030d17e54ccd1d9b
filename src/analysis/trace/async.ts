/** Async events (b, n, e): slices that belong to an id, not to a thread. */
import { stringAt } from '../../shared/columns'
import type { TraceTable } from '../../shared/tables'
import { arrange, mergeSort } from './lanes'
import { OpenBegins, SliceList, type Unmatched } from './pairs'
import { Processes, slicesTrack, type Draft, type Tally } from './draft'

const BEGIN = 0x62
const END = 0x65
/** With more names than this a category of a process becomes one row. */
const MAX_NAMES = 32

interface Group {
  readonly pid: number
  readonly cat: number
  /** Name of the outermost slice; -2: several. */
  readonly name: number
}

export interface AsyncGroups {
  readonly groups: readonly Group[]
  /** Rows of the table in each group. */
  readonly events: readonly number[]
  /** Slices of all groups in order of time, and the group of each: a list per group would cost more than the events where there are very many groups. */
  readonly slices: SliceList
  readonly groupOf: Int32Array
}

/** Matches begins and ends by process, category and id; nesting is that of the id. An event belongs to the group of the outermost slice that its id has open. */
export function asyncGroups(table: TraceTable, rows: readonly number[]): AsyncGroups {
  const { phase, ts, name, cat, id } = table
  const groups: Group[] = []
  const events: number[] = []
  const slices = new SliceList()
  const groupOf = new Int32Array(rows.length)
  if (rows.length === 0) return { groups, events, slices, groupOf }
  const processes = new Processes(table)
  const pidOf = (r: number): number => processes.pidOf(r)
  const names = new Map<string, number | Set<number>>()
  for (const r of rows) {
    const key = `${pidOf(r)} ${cat[r]}`
    const known = names.get(key)
    // Where there are very many categories most have one name: no set for these.
    if (known === undefined) names.set(key, name[r])
    else if (typeof known === 'object') {
      if (known.size <= MAX_NAMES) known.add(name[r])
    } else if (known !== name[r]) names.set(key, new Set([known, name[r]]))
  }
  const indexOf = new Map<string, number>()
  const groupAt = (r: number): number => {
    const pid = pidOf(r)
    const known = names.get(`${pid} ${cat[r]}`)
    const many = typeof known === 'object' && known.size > MAX_NAMES
    const key = `${pid} ${cat[r]} ${many ? -2 : name[r]}`
    let g = indexOf.get(key)
    if (g === undefined) {
      indexOf.set(key, (g = groups.push({ pid, cat: cat[r], name: many ? -2 : name[r] }) - 1))
      events.push(0)
    }
    return g
  }
  const order = mergeSort(rows.length, (a, b) => ts[rows[a]] - ts[rows[b]])
  const running = new Map<string, { group: number; readonly open: OpenBegins }>()
  let last = -Infinity
  for (let k = 0; k < order.length; k++) {
    const r = rows[order[k]]
    last = ts[r]
    const key = `${pidOf(r)} ${cat[r]} ${id[r]}`
    let tree = running.get(key)
    if (!tree) running.set(key, (tree = { group: groupAt(r), open: new OpenBegins(slices) }))
    else if (tree.open.top < 0) tree.group = groupAt(r)
    events[tree.group]++
    groupOf[slices.count] = tree.group
    if (phase[r] === BEGIN) tree.open.begin(ts[r], r, name[r])
    else if (phase[r] !== END) slices.add(ts[r], 0, r, 1, tree.open.top)
    // Ends may leave the name out or repeat it; another name still ends what this id has open.
    else if (!tree.open.end(ts[r], name[r]) && !tree.open.end(ts[r], -1)) slices.add(ts[r], 0, r, 3)
  }
  for (const tree of running.values()) tree.open.finish(last)
  return { groups, events, slices, groupOf }
}

/**
 * Async tracks: one per process, category and name of the outermost slice (per process and category where there are many names). Ids that run at the same time stand on
 * lanes of their own. `keep`: 0 for groups that get no track; null keeps all.
 */
export function asyncTracks(
  table: TraceTable,
  { groups, slices, groupOf }: AsyncGroups,
  keep: Uint8Array | null,
  unmatched: Unmatched,
  skipped: Tally,
): readonly Draft[] {
  if (groups.length === 0) return []
  const processes = new Processes(table)
  const size = new Uint32Array(groups.length)
  /** Position of each slice in its group. */
  const place = new Int32Array(slices.count)
  for (let i = 0; i < slices.count; i++) place[i] = size[groupOf[i]]++
  const parts = groups.map((_, g) => {
    if (keep && !keep[g]) return null
    const n = size[g]
    return {
      count: n,
      start: new Float64Array(n),
      duration: new Float64Array(n),
      row: new Uint32Array(n),
      flags: new Uint8Array(n),
      within: new Int32Array(n),
    }
  })
  for (let i = 0; i < slices.count; i++) {
    const part = parts[groupOf[i]]
    if (!part) continue
    const at = place[i]
    part.start[at] = slices.start[i]
    part.duration[at] = slices.duration[i]
    part.row[at] = slices.row[i]
    part.flags[at] = slices.flags[i]
    part.within[at] = slices.within[i] < 0 ? -1 : place[slices.within[i]]
    unmatched.add(slices.flags[i], slices.row[i])
  }
  const drafts: Draft[] = []
  parts.forEach((part, i) => {
    if (!part) return
    const g = groups[i]
    const lanes = arrange(part)
    skipped.add('too many slices at one time', lanes.dropped)
    const category = stringAt(table.strings, g.cat)
    const title = g.name === -2 ? category || 'async' : stringAt(table.strings, g.name) || category || 'async'
    drafts.push(slicesTrack(table, lanes, processes.place(g.pid), 'async', title, category === title ? '' : category))
  })
  return drafts
}
