/** The event around an allocation: the call of the runtime that asked for it (nrt_tensor_allocate, nrt_load). */
import { ROW_SLICE, type SystemTable } from '../../shared/system-tables'

/**
 * Per row of `rows` (distinct), the row of the innermost event around it; -1 where none is known. By `parentId` where the file has parents, else by time: the last slice of the same place
 * (process, core and thread) that began before and ends after. Linear in the rows of the table.
 */
export function parentRows(t: SystemTable, rows: ArrayLike<number>): Int32Array {
  const out = new Int32Array(rows.length).fill(-1)
  /** Row to the last place in `rows` that names it, plus 1. */
  const at = new Int32Array(t.count)
  const wanted = new Map<bigint, number[]>()
  let last = -1
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i]
    if (row < 0) continue
    at[row] = i + 1
    last = Math.max(last, row)
    if (t.parentId[row] === 0n) continue
    const list = wanted.get(t.parentId[row])
    if (list) list.push(i)
    else wanted.set(t.parentId[row], [i])
  }
  /** Open slices by place, outermost first. */
  const open = new Map<number, number[]>()
  for (let row = 0; row <= last; row++) {
    const stack = open.get(t.place[row])
    if (stack) while (stack.length > 0 && endOf(t, stack[stack.length - 1]) < t.start[row]) stack.pop()
    if (at[row] > 0) {
      const end = t.state[row] === ROW_SLICE ? t.start[row] + t.duration[row] : t.start[row]
      let k = (stack?.length ?? 0) - 1
      while (stack && k >= 0 && endOf(t, stack[k]) < end) k--
      if (stack && k >= 0) out[at[row] - 1] = stack[k]
    }
    if (t.state[row] === ROW_SLICE) {
      if (stack) stack.push(row)
      else open.set(t.place[row], [row])
    }
  }
  // What the file says stands above what times suggest.
  if (wanted.size > 0)
    for (let row = 0; row < t.count; row++) {
      if (t.id[row] === 0n) continue
      const mine = wanted.get(t.id[row])
      if (mine) for (const i of mine) if (rows[i] !== row) out[i] = row
    }
  return out
}

const endOf = (t: SystemTable, row: number): number => t.start[row] + t.duration[row]

const idRows = new WeakMap<SystemTable, Map<bigint, number>>()

/** Rows of the events around a row, innermost first, at most `most`; found like `parentRows`. */
export function eventsAround(t: SystemTable, row: number, most = 8): readonly number[] {
  const out: number[] = []
  if (t.parentId[row] !== 0n) {
    let ids = idRows.get(t)
    if (!ids) {
      ids = new Map()
      for (let r = 0; r < t.count; r++) if (t.id[r] !== 0n) ids.set(t.id[r], r)
      idRows.set(t, ids)
    }
    for (let r = ids.get(t.parentId[row]); r !== undefined && out.length < most; r = ids.get(t.parentId[r])) {
      if (r === row || out.includes(r)) break
      out.push(r)
    }
    if (out.length > 0) return out
  }
  const end = t.state[row] === ROW_SLICE ? endOf(t, row) : t.start[row]
  const stack: number[] = []
  for (let r = 0; r < row; r++) {
    if (t.place[r] !== t.place[row] || t.state[r] !== ROW_SLICE) continue
    while (stack.length > 0 && endOf(t, stack[stack.length - 1]) < t.start[r]) stack.pop()
    stack.push(r)
  }
  for (let k = stack.length - 1; k >= 0 && out.length < most; k--) if (endOf(t, stack[k]) >= end) out.push(stack[k])
  return out
}
