/** What an event depends on and what depends on it: the links that can be reached, nearest first, each once. */
import type { Breath, ChainGraph } from './model'

export interface Walk {
  /** Numbers of links, nearest first; at most the limit. */
  readonly links: readonly number[]
  /** Links that were reached and not listed. */
  readonly cut: number
  /** Events that were reached, without the first. */
  readonly nodes: Uint32Array
}

/** Follows links down (to what was caused) or up from a node. null when it is not wanted any more. */
export async function walk(g: ChainGraph, node: number, down: boolean, limit: number, breath: Breath): Promise<Walk | null> {
  const seen = new Uint8Array(g.count)
  seen[node] = 1
  let queue = new Uint32Array(64)
  queue[0] = node
  let end = 1
  const links: number[] = []
  let cut = 0
  let steps = 0
  for (let at = 0; at < end; at++) {
    const here = queue[at]
    const from = down ? g.downStart[here] : g.upStart[here]
    const to = down ? g.downStart[here + 1] : g.upStart[here + 1]
    for (let k = from; k < to; k++) {
      if (++steps % 4096 === 0 && breath.due && (await breath.pause())) return null
      const link = down ? k : g.upLink[k]
      if (links.length < limit) links.push(link)
      else cut++
      const next = down ? g.to[link] : g.from[link]
      if (seen[next] === 1) continue
      seen[next] = 1
      if (end >= queue.length) {
        const bigger = new Uint32Array(queue.length * 2)
        bigger.set(queue)
        queue = bigger
      }
      queue[end++] = next
    }
  }
  return { links, cut, nodes: queue.slice(1, end) }
}

/** Time that at least one of the intervals covers. Both lists are sorted in place. */
export function union(start: Float64Array, end: Float64Array): number {
  start.sort()
  end.sort()
  let covered = 0
  let open = 0
  let since = 0
  for (let s = 0, e = 0; e < end.length;) {
    if (s < start.length && start[s] <= end[e]) {
      if (open++ === 0) since = start[s]
      s++
    } else if (--open === 0) covered += end[e++] - since
    else e++
  }
  return covered
}
