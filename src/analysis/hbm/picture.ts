/**
 * The stacked chart of an HBM for a window: per pixel column, the first instant of its highest total and the bytes of each group at it, so that the stack ends at the column's
 * highest total. Work per query is bounded by the width, not by the number of events.
 */
import { HBM_KNOWN, HBM_UNKNOWN, HBM_UNSURE, type HbmGroup, type HbmGrouping, type HbmPicture } from '../../shared/hbm-api'
import { FAMILIES, familyIndex, rowIndex, RUNTIME_ROWS } from './categories'
import { Categories, firstAfter, firstAt, inGap, isKnown, stateAt } from './curve'
import { Extremes } from './index-of'
import type { HbmModel } from './model'

export interface Grouping {
  readonly groups: readonly HbmGroup[]
  /** Per category, its group. */
  readonly of: readonly number[]
  /** The group of what no category accounts for; -1 where there is none. */
  readonly unattributed: number
}

const UNATTRIBUTED: HbmGroup = { label: 'not named by any event', color: 'unknown', unattributed: true }

/** Groups of a model, bottom of the stack first: those that have a category, and at the very bottom what no category accounts for, where there is any. */
export function groupsOf(m: HbmModel, grouping: HbmGrouping): Grouping {
  const base = m.unattributed ? [UNATTRIBUTED] : []
  const unattributed = m.unattributed ? 0 : -1
  if (grouping === 'category')
    return {
      groups: [...base, ...m.categories.map(c => ({ label: c.name, color: c.color, unattributed: false }))],
      of: m.categories.map((_, i) => base.length + i),
      unattributed,
    }
  const all = grouping === 'family' ? FAMILIES : RUNTIME_ROWS
  const index = m.categories.map(c => (grouping === 'family' ? familyIndex(c) : rowIndex(c)))
  const used = all.map((_, i) => i).filter(i => index.includes(i))
  return {
    groups: [...base, ...used.map(i => ({ label: all[i].label, color: all[i].color, unattributed: false }))],
    of: index.map(i => base.length + used.indexOf(i)),
    unattributed,
  }
}

export interface PictureQuery {
  /** Window [start, end], ns relative to the table's epoch; an event at its end belongs to the last column. */
  readonly start: number
  readonly end: number
  readonly width: number
  readonly grouping: HbmGrouping
}

/** The stacks of a picture, written column by column. */
class Stacks {
  readonly bytes: readonly Float64Array[]
  readonly startBytes: readonly Float64Array[]
  readonly #categories: Categories
  readonly #of: Int32Array
  readonly #unattributed: number
  // Of the last stack that was made.
  readonly #sums: Float64Array
  readonly #starts: Float64Array
  #state = NaN

  constructor(m: HbmModel, { groups, of, unattributed }: Grouping, width: number) {
    this.bytes = groups.map(() => new Float64Array(width))
    this.startBytes = groups.map(() => new Float64Array(width))
    this.#categories = new Categories(m)
    this.#of = Int32Array.from(of)
    this.#unattributed = unattributed
    this.#sums = new Float64Array(groups.length)
    this.#starts = new Float64Array(groups.length)
  }

  /** Column `c`: the stack after event `state`, which ends at `total`; -1 where nothing is known. */
  put(c: number, state: number, total: number): void {
    if (state !== this.#state) this.#make(state, total)
    const { bytes, startBytes } = this
    const sums = this.#sums
    const starts = this.#starts
    for (let g = 0; g < sums.length; g++) {
      bytes[g][c] = sums[g]
      startBytes[g][c] = starts[g]
    }
  }

  #make(state: number, total: number): void {
    this.#state = state
    const sums = this.#sums
    const starts = this.#starts
    for (let g = 0; g < sums.length; g++) sums[g] = starts[g] = NaN
    if (state < 0) return
    const categories = this.#categories
    categories.read(state)
    const { bytes, start } = categories
    const of = this.#of
    // A group's start state is known where that of all its categories is.
    for (let k = 0; k < of.length; k++) starts[of[k]] = 0
    let rest = total
    for (let k = 0; k < of.length; k++) {
      const g = of[k]
      starts[g] += start[k]
      const value = bytes[k]
      if (value !== value) continue
      rest -= value
      sums[g] = (sums[g] || 0) + value
    }
    if (this.#unattributed >= 0) sums[this.#unattributed] = Math.max(0, rest)
  }
}

/** The picture, without what the engine adds. `time` is relative to the table's epoch like the query. */
export function hbmPicture(m: HbmModel, q: PictureQuery): Omit<HbmPicture, 'version' | 'reserved'> {
  const { width, grouping } = q
  const of = groupsOf(m, grouping)
  const nan = (): Float64Array => new Float64Array(width).fill(NaN)
  const out = { min: nan(), max: nan(), time: nan(), known: new Uint8Array(width).fill(HBM_UNKNOWN) }
  const totals = new Extremes(m)
  const stacks = new Stacks(m, of, width)
  // First event at or after the begin of the column.
  let begin = firstAt(m, q.start)
  for (let c = 0; c < width; c++) {
    const last = c === width - 1
    const a = q.start + ((q.end - q.start) * c) / width
    const b = last ? q.end : q.start + ((q.end - q.start) * (c + 1)) / width
    const next = firstAt(m, b)
    // An event at the begin is the state that stands there, the last one where there are several.
    const from = m.time[begin] === a ? stateAt(m, a) : begin - 1
    const to = last ? firstAfter(m, b) : next
    begin = next
    const first = from >= 0 && isKnown(m, a) ? from : from + 1
    if (first >= to) {
      stacks.put(c, -1, NaN)
      continue
    }
    totals.find(first, to)
    const state = totals.at
    out.max[c] = totals.max
    out.min[c] = totals.min
    out.time[c] = state === from ? a : m.time[state]
    out.known[c] = m.gaps.length > 0 && inGap(m, out.time[c]) ? HBM_UNSURE : HBM_KNOWN
    stacks.put(c, state, totals.max)
  }
  return { width, grouping, groups: of.groups, bytes: stacks.bytes, startBytes: stacks.startBytes, ...out }
}
