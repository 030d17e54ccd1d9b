/** What a thread was in during a stretch of time: ns of the innermost complete slices by name. */
import type { TrackModel } from './model'
import type { Pausing } from '../../shared/pausing'
import { firstVisible, lowerBound } from './window'

export interface Innermost {
  /** String id of the name. */
  readonly name: number
  readonly ns: number
  /** Position of the slice of this name with the most ns in the stretch (the earliest of equals). */
  readonly longest: number
}

const STRIDE = 1 << 13

/**
 * Names of the slices that are the innermost at some time of [from, to), with the ns they are, most first. Slices of which an end is missing take no part. Of slices that cover
 * the same time the one on the deeper lane is the inner one. In proportion to the slices in the stretch; null when it was given up.
 */
export async function innermostByName(track: TrackModel, from: number, to: number, pausing: Pausing): Promise<readonly Innermost[] | null> {
  const { start, duration, flags, nameId, laneStart } = track
  const found = new Map<number, { ns: number; longest: number; most: number }>()
  let cover: Cover = { start: [], end: [] }
  let steps = 0
  for (let lane = track.depth - 1; lane >= 0; lane--) {
    const first = firstVisible(track, lane, from)
    const end = lowerBound(start, first, laneStart[lane + 1], to)
    if (first >= end) continue
    const own: Cover = { start: [], end: [] }
    let c = 0
    for (let i = first; i < end; i++) {
      if (++steps % STRIDE === 0 && pausing.due && (await pausing.pause())) return null
      if (flags[i] !== 0) continue
      const a = Math.max(from, start[i])
      const b = Math.min(to, start[i] + duration[i])
      if (!(b > a)) continue
      add(own, a, b)
      // What deeper lanes have is theirs.
      let ns = b - a
      while (c < cover.start.length && cover.end[c] <= a) c++
      for (let k = c; k < cover.start.length && cover.start[k] < b; k++) ns -= Math.min(b, cover.end[k]) - Math.max(a, cover.start[k])
      if (!(ns > 0)) continue
      const known = found.get(nameId[i])
      if (!known) found.set(nameId[i], { ns, longest: i, most: ns })
      else {
        known.ns += ns
        if (ns > known.most || (ns === known.most && start[i] < start[known.longest])) {
          known.most = ns
          known.longest = i
        }
      }
    }
    cover = united(cover, own)
  }
  return [...found]
    .map(([name, { ns, longest }]) => ({ name, ns, longest }))
    .sort((a, b) => b.ns - a.ns || start[a.longest] - start[b.longest])
}

/** Disjoint stretches by start. */
interface Cover {
  readonly start: number[]
  readonly end: number[]
}

function united(a: Cover, b: Cover): Cover {
  if (a.start.length === 0) return b
  const out: Cover = { start: [], end: [] }
  for (let i = 0, j = 0; i < a.start.length || j < b.start.length;) {
    if (j >= b.start.length || (i < a.start.length && a.start[i] <= b.start[j])) add(out, a.start[i], a.end[i++])
    else add(out, b.start[j], b.end[j++])
  }
  return out
}

/** Adds a stretch that does not begin before the last one. */
function add(c: Cover, a: number, b: number): void {
  const last = c.end.length - 1
  if (last >= 0 && a <= c.end[last]) c.end[last] = Math.max(c.end[last], b)
  else {
    c.start.push(a)
    c.end.push(b)
  }
}
