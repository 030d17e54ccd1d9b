/** What the gaps are asked for. Kept while the tab is closed. */
import { create } from 'zustand'
import type { TimeWindow } from '../state/view'
import type { Sort } from '../table/types'

/** A range that was taken from the selection; it stays when a gap in it is selected. */
export interface GapsRange extends TimeWindow {
  readonly session: string
  readonly group: number
  /** Origin that its times count from. */
  readonly originNs: bigint
}

export interface GapsState {
  /** Shortest gap that is listed, ns. */
  readonly minNs: number
  /** null: everything. */
  readonly range: GapsRange | null
  /** Core that the list is narrowed to, by its track. */
  readonly core: number | null
  readonly sort: Sort
}

export const useGaps = create<GapsState>()(() => ({ minNs: 0, range: null, core: null, sort: { column: 'length', descending: true } }))

/** The range in the times of now; null where it belongs to another session or time group. */
export function rangeNow(range: GapsRange | null, session: string | null, group: number, originNs: bigint | null): TimeWindow | null {
  if (range === null || originNs === null || range.session !== session || range.group !== group) return null
  const by = Number(range.originNs - originNs)
  return { start: range.start + by, end: range.end + by }
}

/** ns of a length as people type it: `250 us`, `1.5ms`, `2s`, plain numbers are ns. null: it is none. */
export function parseLength(text: string): number | null {
  const m = /^\s*(\d{1,12}(?:\.\d{1,9})?)\s*(ns|us|µs|μs|ms|s)?\s*$/i.exec(text)
  if (!m) return text.trim() === '' ? 0 : null
  const unit = (m[2] ?? 'ns').toLowerCase()
  const factor = unit === 's' ? 1e9 : unit === 'ms' ? 1e6 : unit === 'ns' ? 1 : 1e3
  return Math.round(Number(m[1]) * factor)
}
