/**
 * The stacked chart of an HBM for a window: per pixel column, the first instant of its highest total and the bytes of each group at it, so that the stack ends at the column's
 * highest total. Work per query is bounded by the width, not by the number of events.
 */
import { HBM_KNOWN, HBM_UNKNOWN, HBM_UNSURE, type HbmGroup, type HbmGrouping, type HbmPicture } from '../../shared/hbm-api'
import { FAMILIES, familyIndex, rowIndex, RUNTIME_ROWS } from './categories'
import { Categories, firstAt, inGap, isKnown } from './curve'
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

/** The picture, without what the engine adds. `time` is relative to the table's epoch like the query. */
export function hbmPicture(m: HbmModel, q: PictureQuery): Omit<HbmPicture, 'version' | 'reserved'> {
  const { width, grouping } = q
  const { groups, of, unattributed } = groupsOf(m, grouping)
  const nan = (): Float64Array => new Float64Array(width).fill(NaN)
  const bytes = groups.map(() => new Float64Array(width))
  const startBytes = groups.map(() => new Float64Array(width))
  const out = { min: nan(), max: nan(), time: nan(), known: new Uint8Array(width).fill(HBM_UNKNOWN) }
  const totals = new Extremes(m)
  const categories = new Categories(m)
  const sums = new Float64Array(groups.length)
  const starts = new Float64Array(groups.length)
  /** First category of each group. */
  const told = groups.map((_, g) => of.indexOf(g))
  let shown = -1
  // First event at or after the begin of the column.
  let begin = firstAt(m, q.start)
  for (let c = 0; c < width; c++) {
    const a = q.start + ((q.end - q.start) * c) / width
    const b = c === width - 1 ? q.end : q.start + ((q.end - q.start) * (c + 1)) / width
    const next = firstAt(m, b, begin)
    // An event at the begin is the state that stands there, the last one where there are several.
    const from = firstAt(m, a, begin, true) - 1
    const to = c === width - 1 ? firstAt(m, b, next, true) : next
    begin = next
    const first = from >= 0 && isKnown(m, a) ? from : from + 1
    if (first >= to) {
      for (let g = 0; g < groups.length; g++) bytes[g][c] = startBytes[g][c] = NaN
      continue
    }
    totals.find(first, to)
    const state = totals.at
    out.max[c] = totals.max
    out.min[c] = totals.min
    out.time[c] = state === from ? a : m.time[state]
    out.known[c] = inGap(m, out.time[c]) ? HBM_UNSURE : HBM_KNOWN
    if (state !== shown) {
      shown = state
      categories.read(state)
      sums.fill(NaN)
      // A group's start state is known where that of all its categories is.
      starts.fill(NaN)
      let rest = totals.max
      for (let k = 0; k < of.length; k++) {
        const g = of[k]
        const start = categories.start[k]
        starts[g] = told[g] === k ? start : starts[g] + start
        const value = categories.bytes[k]
        if (value !== value) continue
        rest -= value
        sums[g] = (sums[g] || 0) + value
      }
      if (unattributed >= 0) sums[unattributed] = Math.max(0, rest)
    }
    for (let g = 0; g < groups.length; g++) {
      bytes[g][c] = sums[g]
      startBytes[g][c] = starts[g]
    }
  }
  return { width, grouping, groups, bytes, startBytes, ...out }
}
