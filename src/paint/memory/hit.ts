/** Look-ups in a picture: what lies under the pointer, where an allocation is drawn. No search through allocations: the runs say it. */
import { RUN_SMALLER, type MemoryPicture } from '../../shared/api'

/** What a pixel of the picture shows. */
export type Hit =
  | { readonly kind: 'nothing-known' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'allocation'; readonly allocation: number; readonly column: number; readonly row: number; readonly rows: number }
  | {
      readonly kind: 'smaller'
      readonly column: number
      readonly row: number
      readonly rows: number
      readonly group: number
      /** Stack range of this one row in bytes, and the state that the column shows: the arguments of `memory.smaller`. */
      readonly event: number
      readonly from: number
      readonly to: number
    }

/** The run at column `c`, `r` rows above the bottom. */
export function hitTest(p: MemoryPicture, c: number, r: number): Hit {
  if (c < 0 || c >= p.width || p.columnEvent[c] === -2) return { kind: 'nothing-known' }
  let row = 0
  if (r >= 0)
    for (let i = p.columnStart[c]; i < p.columnStart[c + 1]; i++) {
      const rows = p.runRows[i]
      if (r < row + rows) {
        const allocation = p.runAllocation[i]
        if (allocation >= 0) return { kind: 'allocation', allocation, column: c, row, rows }
        if (allocation !== RUN_SMALLER) return { kind: 'empty' }
        const perRow = p.yMax / p.height
        return {
          kind: 'smaller',
          column: c,
          row: r,
          rows: 1,
          group: p.runGroup[i],
          event: p.columnEvent[c],
          from: r * perRow,
          to: (r + 1) * perRow,
        }
      }
      row += rows
    }
  return { kind: 'empty' }
}

/** Position of an allocation among the facts of a picture; -1 where it is not drawn. */
export function factOf(p: MemoryPicture, allocation: number): number {
  let lo = 0
  let hi = p.allocation.length
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (p.allocation[mid] < allocation) lo = mid + 1
    else hi = mid
  }
  return p.allocation[lo] === allocation ? lo : -1
}

/** A stretch of neighbouring columns in which an allocation is drawn: rows [bottom, top) of each, counted from the bottom. */
export interface Stretch {
  readonly first: number
  readonly bottom: readonly number[]
  readonly top: readonly number[]
}

/** Where an allocation is drawn. Empty when it is not, or is thinner than a pixel row everywhere. */
export function stretches(p: MemoryPicture, allocation: number): readonly Stretch[] {
  if (factOf(p, allocation) < 0) return []
  const out: { first: number; bottom: number[]; top: number[] }[] = []
  let open: (typeof out)[number] | null = null
  for (let c = 0; c < p.width; c++) {
    let row = 0
    let found = false
    for (let i = p.columnStart[c]; i < p.columnStart[c + 1]; i++) {
      if (p.runAllocation[i] === allocation) {
        if (!open) out.push((open = { first: c, bottom: [], top: [] }))
        open.bottom.push(row)
        open.top.push(row + p.runRows[i])
        found = true
        break
      }
      row += p.runRows[i]
    }
    if (!found) open = null
  }
  return out
}
