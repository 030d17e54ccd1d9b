/** Arranges the slices of one track on lanes: nested ones below their parent, overlapping ones on a lane of their own, none dropped. */

/** Most lanes of a track. What does not fit is counted, not drawn; real traces stay below 200. */
export const MAX_LANES = 1000

export interface Slices {
  readonly count: number
  readonly start: Float64Array
  /** ns, not negative. */
  readonly duration: Float64Array
  readonly row: Uint32Array
  readonly flags: Uint8Array
  /** Index of the slice that encloses this one where the file says so (async events); null: containment in time decides. */
  readonly within: Int32Array | null
}

export interface Lanes {
  readonly depth: number
  readonly laneStart: Uint32Array
  readonly start: Float64Array
  readonly duration: Float64Array
  readonly row: Uint32Array
  readonly flags: Uint8Array
  readonly parent: Int32Array
  /** Slices that found no lane. */
  readonly dropped: number
}

/**
 * Lanes of a track. Slices are taken by start, longer ones first, file order last. The parent is the innermost open slice that contains
 * the slice: of those that contain it the one that was taken last, which is the deepest unless slices overlap without nesting. The lane is the lowest free one
 * below that. So within a lane slices never overlap, and starts and ends ascend. Slices that begin together with an instant come first, so the instant lands
 * below them and stays visible.
 */
export function arrange(s: Slices): Lanes {
  const n = s.count
  const order = sortedOrder(s)
  const lane = new Uint16Array(n)
  const parent = new Int32Array(n).fill(-1)
  const laneEnd: number[] = []
  const laneLast: number[] = []
  const laneCount: number[] = []
  const laneTaken: number[] = []
  /** Highest lane that may still be open. */
  let open = -1
  /** Until this time an older slice may stand below a newer one. */
  let crossed = -Infinity
  let dropped = 0
  for (let k = 0; k < n; k++) {
    const i = order[k]
    const start = s.start[i]
    const end = start + s.duration[i]
    while (open >= 0 && laneEnd[open] <= start) open--
    let above = open
    if (s.within) {
      const p = s.within[i]
      parent[i] = p >= 0 && lane[p] < MAX_LANES ? p : -1
      above = parent[i] < 0 ? -1 : lane[p]
    } else {
      while (above >= 0 && !(laneEnd[above] >= end && laneEnd[above] > start)) above--
      if (start < crossed)
        for (let o = above - 1; o >= 0; o--) if (laneTaken[o] > laneTaken[above] && laneEnd[o] >= end && laneEnd[o] > start) above = o
      if (above >= 0) parent[i] = laneLast[above]
    }
    let l = above + 1
    while (l < laneEnd.length && laneEnd[l] > start) l++
    if (l >= MAX_LANES) {
      lane[i] = MAX_LANES
      dropped++
      continue
    }
    lane[i] = l
    laneEnd[l] = end
    laneLast[l] = i
    laneTaken[l] = k
    for (let o = l + 1; o <= open; o++) if (laneEnd[o] > crossed) crossed = laneEnd[o]
    laneCount[l] = (laneCount[l] ?? 0) + 1
    if (l > open) open = l
  }

  const depth = laneEnd.length
  const laneStart = new Uint32Array(depth + 1)
  for (let l = 0; l < depth; l++) laneStart[l + 1] = laneStart[l] + laneCount[l]
  const next = laneStart.slice()
  const kept = n - dropped
  const start = new Float64Array(kept)
  const duration = new Float64Array(kept)
  const row = new Uint32Array(kept)
  const flags = new Uint8Array(kept)
  const place = new Int32Array(n).fill(-1)
  for (let k = 0; k < n; k++) {
    const i = order[k]
    if (lane[i] === MAX_LANES) continue
    const at = next[lane[i]]++
    place[i] = at
    start[at] = s.start[i]
    duration[at] = s.duration[i]
    row[at] = s.row[i]
    flags[at] = s.flags[i]
  }
  const parents = new Int32Array(kept).fill(-1)
  for (let i = 0; i < n; i++) if (place[i] >= 0 && parent[i] >= 0) parents[place[i]] = place[parent[i]]
  return { depth, laneStart, start, duration, row, flags, parent: parents, dropped }
}

/** Order by start, then longer first, then slices before instants, then as given. Runs that are sorted already cost one comparison each. */
function sortedOrder(s: Slices): Uint32Array {
  const { start, duration, flags } = s
  return mergeSort(s.count, (a, b) => {
    const d = start[a] - start[b]
    if (d !== 0) return d
    const e = duration[b] - duration[a]
    if (e !== 0) return e
    return (flags[a] === 1 ? 1 : 0) - (flags[b] === 1 ? 1 : 0)
  })
}

/** Stable order of 0..n-1 under `compare`, as indices. Linear for sorted input. */
export function mergeSort(n: number, compare: (a: number, b: number) => number): Uint32Array {
  let from = new Uint32Array(n)
  for (let i = 0; i < n; i++) from[i] = i
  // Natural runs first: traces are mostly in order.
  let runs: number[] = [0]
  for (let i = 1; i < n; i++) if (compare(i - 1, i) > 0) runs.push(i)
  if (runs.length === 1) return from
  let to = new Uint32Array(n)
  while (runs.length > 1) {
    const merged: number[] = []
    for (let r = 0; r < runs.length; r += 2) {
      const a0 = runs[r]
      const a1 = r + 1 < runs.length ? runs[r + 1] : n
      const b1 = r + 2 < runs.length ? runs[r + 2] : n
      merged.push(a0)
      if (a1 === n) {
        to.set(from.subarray(a0, n), a0)
        continue
      }
      let a = a0
      let b = a1
      for (let k = a0; k < b1; k++) to[k] = b >= b1 || (a < a1 && compare(from[a], from[b]) <= 0) ? from[a++] : from[b++]
    }
    ;[from, to] = [to, from]
    runs = merged
  }
  return from
}
