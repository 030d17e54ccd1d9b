/**
 * Which of an execution's host events can have caused a hardware event, and which follow from it. All carry the id of the same execution, so the order of time decides: what the
 * host began after the hardware ran (`kbl_exec_wait` waits for its end) did not start it.
 */
import { L_HARDWARE, L_RUNTIME } from './model'
import { placeOf, sourceOf, type Nodes } from './nodes'
import { innermost, outermost, type Nest } from './slices'

/** Host events around one hardware event. */
export interface Around {
  /** Began with it or before it: the innermost of them. */
  readonly before: readonly number[]
  /** Began after it: the outermost of them. */
  readonly after: readonly number[]
}

/** Start of a node in ns, exact within one file; across files in Unix time. */
function startsAfter(n: Nodes, a: number, b: number): boolean {
  const [s, t] = [sourceOf(n.sources, a), sourceOf(n.sources, b)]
  const [x, y] = [placeOf(s, n.position, a), placeOf(t, n.position, b)]
  if (!x || !y) return false
  const by = s === t ? 0 : Number(s.table.epochNs - t.table.epochNs)
  return s.tracks[x.track].start[x.at] - t.tracks[y.track].start[y.at] + by > 0
}

/** Host events of one execution (with how they lie within each other), told apart by the start of a hardware event. */
export function around(n: Nodes, host: readonly number[], nested: Nest, device: number): Around {
  const late = host.map(h => n.layer[h] === L_RUNTIME && n.layer[device] === L_HARDWARE && startsAfter(n, h, device))
  if (!late.includes(true)) return { before: innermost(host, nested), after: [] }
  if (!late.includes(false)) return { before: [], after: outermost(host, nested) }
  // A call that began before may enclose one that began after: it counts as the innermost of those before.
  const encloses = new Uint8Array(host.length)
  host.forEach((_, i) => {
    const p = nested.parent[i]
    if (p >= 0 && !late[i]) encloses[p] = 1
  })
  return {
    before: host.filter((_, i) => !late[i] && encloses[i] === 0),
    after: host.filter((_, i) => late[i] && !(nested.parent[i] >= 0 && late[nested.parent[i]])),
  }
}
