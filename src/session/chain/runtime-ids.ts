/**
 * Links inside the runtime's trace by ids other than the sequence id: parent_id and id, tracking_id, exec_id. They are used where two events do not both carry a sequence
 * id, which then decides alone. A role that no check of the schema confirmed is not used.
 */
import { Groups, halves, isNone } from './groups'
import type { LinkList } from './links'
import { BY_EXEC, BY_PARENT, BY_TRACKING, L_HARDWARE, L_NONE, L_RUNTIME, L_UNKNOWN, type Breath, type GraphSource } from './model'
import { isClockReading, nameOf, STRIDE, type Nodes } from './nodes'
import { around } from './order'
import { nest, outermost } from './slices'
import { MOST_MEMBERS, MOST_PAIRS } from './sequence'
import type { SystemTable } from '../../shared/system-tables'

/** Answers how many ids were left out because too many events carry them, or one core has them twice. */
export async function runtimeLinks(
  n: Nodes,
  s: GraphSource,
  t: SystemTable,
  carries: Uint8Array,
  links: LinkList,
  breath: Breath,
): Promise<number> {
  const verified = (role: string): boolean => !t.verdict.unverified.includes(role)
  const ids = new Groups()
  const tracking = new Groups()
  const exec = new Groups()
  const [id, parent, track, run] = [halves(t.id), halves(t.parentId), halves(t.trackingId), halves(t.exec)]
  const byParent = verified('parent_id') && verified('id')
  const byTracking = verified('tracking_id')
  const clock = Uint8Array.from({ length: t.types.count }, (_, i) => (isClockReading(nameOfType(t, i)) ? 1 : 0))
  for (let row = 0; row < t.count; row++) {
    if (row % STRIDE === 0 && breath.due) await breath.pause()
    const node = s.base + row
    const l = n.layer[node]
    if (l === L_NONE || l === L_UNKNOWN) continue
    const p = n.process[node]
    if (byParent && !isNone(id[2 * row], id[2 * row + 1])) ids.add(p, id[2 * row], id[2 * row + 1], node)
    if ((l !== L_RUNTIME && l !== L_HARDWARE) || clock[t.type[row]] === 1) continue
    if (byTracking && !isNone(track[2 * row], track[2 * row + 1])) tracking.add(p, track[2 * row], track[2 * row + 1], node)
    if (t.exec[row] >= 0n) exec.add(p, run[2 * row], run[2 * row + 1], node)
  }
  for (let row = 0; byParent && row < t.count; row++) {
    if (row % STRIDE === 0 && breath.due) await breath.pause()
    const [low, high] = [parent[2 * row], parent[2 * row + 1]]
    const node = s.base + row
    if (isNone(low, high) || n.layer[node] === L_NONE || n.layer[node] === L_UNKNOWN) continue
    const g = ids.of(n.process[node], low, high)
    if (g < 0) continue
    const found = ids.members(g)
    // Two events of one id: which one is meant is not known. A child does not stand above its parent.
    if (found.length === 1 && n.layer[found[0]] <= n.layer[node]) links.add(found[0], node, BY_PARENT, low, high)
  }
  let left = 0
  for (let g = 0; g < tracking.count; g++) {
    if (g % 1024 === 0 && breath.due) await breath.pause()
    if (!across(n, s, tracking, g, carries, links, BY_TRACKING)) left++
  }
  for (let g = 0; g < exec.count; g++) {
    if (g % 1024 === 0 && breath.due) await breath.pause()
    if (!across(n, s, exec, g, carries, links, BY_EXEC)) left++
  }
  return left
}

const nameOfType = (t: SystemTable, type: number): string => {
  const { bytes, offsets } = t.strings
  const name = t.types.name[type]
  return name < 0 ? '' : new TextDecoder().decode(bytes.subarray(offsets[name], offsets[name + 1]))
}

/** Links the host's events of one id with the hardware's; false where the id tells nothing. */
function across(n: Nodes, s: GraphSource, groups: Groups, g: number, carries: Uint8Array, links: LinkList, by: number): boolean {
  const members = groups.members(g)
  if (members.length < 2) return true
  if (members.length > MOST_MEMBERS) return false
  const t = s.table as SystemTable
  const host: number[] = []
  const device: number[] = []
  for (const node of members) (n.layer[node] === L_RUNTIME ? host : device).push(node)
  if (host.length === 0 || device.length === 0) return true
  if (host.every(h => carries[h] !== 0) && device.every(d => carries[d] !== 0)) return true
  if (repeats(t, s.base, host) || repeats(t, s.base, device)) return false
  const hosts = nest(n, host)
  const devices = outermost(device, nest(n, device))
  if (host.length * devices.length > MOST_PAIRS) return false
  for (const d of devices) {
    const may = (h: number): boolean => (carries[h] === 0 || carries[d] === 0) && fits(t, h - s.base, d - s.base)
    const { before, after } = around(n, host, hosts, d)
    for (const h of before) if (may(h)) links.add(h, d, by, groups.low(g), groups.high(g))
    for (const h of after) if (may(h)) links.add(d, h, by, groups.low(g), groups.high(g))
  }
  return true
}

/** Whether a core, device and model can be the same; what one of them does not tell contradicts nothing. */
function fits(t: SystemTable, a: number, b: number): boolean {
  const [p, q] = [t.place[a], t.place[b]]
  const may = (role: string, x: number, y: number): boolean => x < 0 || y < 0 || x === y || t.verdict.unverified.includes(role)
  const models = t.model[a] === 0n || t.model[b] === 0n || t.model[a] === t.model[b]
  return models && may('nc_idx', t.places.nc[p], t.places.nc[q]) && may('nd_idx', t.places.device[p], t.places.device[q])
}

/** A counter that began again: one place has two executions of the same kind under the id. Collectives are many in one execution. */
function repeats(t: SystemTable, base: number, nodes: readonly number[]): boolean {
  const seen = new Set<string>()
  for (const node of nodes) {
    const row = node - base
    if (/^cc_/.test(nameOf(t, row))) continue
    const key = `${t.type[row]} ${t.place[row]}`
    if (seen.has(key)) return true
    seen.add(key)
  }
  return false
}
