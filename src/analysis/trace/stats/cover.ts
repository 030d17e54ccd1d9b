/** Time that slices of groups cover together, and cover twice: one walk in order of start. */
import type { ByStart } from './by-start'

export class Cover {
  /** ns that at least one slice of each group covers. */
  readonly wall: Float64Array
  /** ns that two or more of them cover at once. */
  readonly overlap: Float64Array
  /** ns that at least one slice of any group covers. */
  all = 0
  /** Furthest end of each group so far, and the end that reaches second furthest: what begins before the latter is covered twice already. */
  readonly #reach: Float64Array
  readonly #second: Float64Array
  #allReach = -Infinity

  constructor(groups: number) {
    this.wall = new Float64Array(groups)
    this.overlap = new Float64Array(groups)
    this.#reach = new Float64Array(groups).fill(-Infinity)
    this.#second = new Float64Array(groups).fill(-Infinity)
  }

  /**
   * Adds slices [start, end) by group, in any order, none of which begins before those of an earlier call. `length`: their durations, which are exact where an end less a start is
   * rounded.
   */
  add(start: Float64Array, end: Float64Array, length: Float64Array, group: Uint32Array, byStart: ByStart): void {
    const n = group.length
    let first = Infinity
    let last = -Infinity
    for (let i = 0; i < n; i++) {
      if (start[i] < first) first = start[i]
      if (start[i] > last) last = start[i]
    }
    const order = byStart.order(start, n, first, last - first)
    const { wall, overlap } = this
    const reach = this.#reach
    const second = this.#second
    let all = this.all
    let allReach = this.#allReach
    for (let k = 0; k < n; k++) {
      const i = order[k]
      const g = group[i]
      const s = start[i]
      const e = end[i]
      const r = reach[g]
      const r2 = second[g]
      if (e > r) {
        wall[g] += s >= r ? length[i] : e - r
        if (r > s) overlap[g] += r - (s > r2 ? s : r2)
        second[g] = r
        reach[g] = e
      } else if (e > r2) {
        overlap[g] += e - (s > r2 ? s : r2)
        second[g] = e
      }
      if (e > allReach) {
        all += s >= allReach ? length[i] : e - allReach
        allReach = e
      }
    }
    this.all = all
    this.#allReach = allReach
  }
}
