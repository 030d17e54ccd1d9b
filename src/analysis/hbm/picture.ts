/**
 * The stacked chart of an HBM for a window: per pixel column, the first instant of its highest total and the bytes of each group at it, so that the stack ends at the column's
 * highest total. Work per query is bounded by the width, not by the number of events.
 */
import { HBM_KNOWN, HBM_UNKNOWN, HBM_UNSURE, type HbmGroup, type HbmGrouping, type HbmPicture } from '../../shared/hbm-api'
import { argMax, pyramidOf } from '../trace/range-max'
import { FAMILIES, familyIndex, rowIndex, RUNTIME_ROWS } from './categories'
import { categoriesAt, firstAt, inGap, isKnown, stateAt } from './curve'
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

const negatives = new WeakMap<Float64Array, Float64Array>()
function negated(values: Float64Array): Float64Array {
  let n = negatives.get(values)
  if (!n) negatives.set(values, (n = values.map(v => -v)))
  return n
}

/** The picture, without what the engine adds. `time` is relative to the table's epoch like the query. */
export function hbmPicture(m: HbmModel, q: PictureQuery): Omit<HbmPicture, 'version' | 'reserved'> {
  const { width, grouping } = q
  const { groups, of, unattributed } = groupsOf(m, grouping)
  const nan = (): Float64Array => new Float64Array(width).fill(NaN)
  const bytes = groups.map(nan)
  const startBytes = groups.map(nan)
  const out = { min: nan(), max: nan(), time: nan(), known: new Uint8Array(width).fill(HBM_UNKNOWN) }
  const values = new Float64Array(m.categories.length)
  const starts = new Float64Array(m.categories.length)
  const high = pyramidOf(m.total)
  const negative = negated(m.total)
  const low = pyramidOf(negative)
  let shown = -1
  for (let c = 0; c < width; c++) {
    const a = q.start + ((q.end - q.start) * c) / width
    const b = c === width - 1 ? q.end : q.start + ((q.end - q.start) * (c + 1)) / width
    const from = stateAt(m, a)
    const to = c === width - 1 ? stateAt(m, b) + 1 : firstAt(m, b)
    const first = from >= 0 && isKnown(m, a) ? from : from + 1
    if (first >= to || m.count === 0) continue
    const state = argMax(m.total, high, first, to)
    out.max[c] = m.total[state]
    out.min[c] = m.total[argMax(negative, low, first, to)]
    out.time[c] = state === from ? a : m.time[state]
    out.known[c] = inGap(m, out.time[c]) ? HBM_UNSURE : HBM_KNOWN
    if (state === shown) {
      for (let g = 0; g < groups.length; g++) {
        bytes[g][c] = bytes[g][c - 1]
        startBytes[g][c] = startBytes[g][c - 1]
      }
      // The column before may have shown nothing.
      if (c > 0 && out.known[c - 1] !== HBM_UNKNOWN) continue
    }
    shown = state
    categoriesAt(m, state, values, starts)
    let rest = m.total[state]
    for (let k = 0; k < values.length; k++) {
      const g = of[k]
      if (Number.isNaN(values[k])) continue
      rest -= values[k]
      bytes[g][c] = (bytes[g][c] || 0) + values[k]
    }
    // A group's start state is known where that of all its categories is.
    for (let k = 0; k < values.length; k++) startBytes[of[k]][c] = 0
    for (let k = 0; k < values.length; k++) startBytes[of[k]][c] += starts[k]
    if (unattributed >= 0) bytes[unattributed][c] = Math.max(0, rest)
  }
  return { width, grouping, groups, bytes, startBytes, ...out }
}
