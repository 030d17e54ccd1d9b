/** Keys that the format does not define, as sparse (key, row, text) triples; columns of the most frequent keys are made at the end. */
import type { ExtraColumn } from '../../shared/tables'
import { GrowI32 } from '../pickle/grow'
import { rowAt, rowCount, type Rows } from './columns'

/** A column per key costs a cell per row, so a file full of made-up keys may not have as many as it likes. */
export const MOST_KEYS = 64

export class Extras {
  readonly #key = new GrowI32(64)
  /** Ascending: rows are made and described one after the other. */
  readonly #row = new GrowI32(64)
  readonly #value = new GrowI32(64)
  readonly #keys = new Map<number, { count: number; readonly offset: number }>()
  /** Cells of keys beyond the first MOST_KEYS. */
  dropped = 0

  add(key: number, row: number, value: number, offset: number): void {
    const known = this.#keys.get(key)
    if (known) known.count++
    else if (this.#keys.size < MOST_KEYS) this.#keys.set(key, { count: 1, offset })
    else {
      this.dropped++
      return
    }
    this.#key.push(key)
    this.#row.push(row)
    this.#value.push(value)
  }

  /** Every kept key with how often it stands and where first. */
  get keys(): readonly { readonly key: number; readonly count: number; readonly offset: number }[] {
    return [...this.#keys].map(([key, k]) => ({ key, ...k }))
  }

  /** Columns over the given rows; keys that none of them has are left out. */
  columns(rows: Rows, text: (id: number) => string): readonly ExtraColumn[] {
    const n = rowCount(rows)
    const out = new Map<number, Int32Array>()
    if (this.#row.n === 0 || n === 0) return []
    const ranged = !(rows instanceof Uint32Array)
    let t = ranged ? this.#first(rows.start) : 0
    for (let i = 0; i < n; i++) {
      const row = rowAt(rows, i)
      if (!ranged) t = this.#first(row)
      for (; t < this.#row.n && this.#row.a[t] === row; t++) {
        const key = this.#key.a[t] as number
        let column = out.get(key)
        if (!column) out.set(key, (column = new Int32Array(n).fill(-1)))
        column[i] = this.#value.a[t] as number
      }
      // Rows without extras between two that have some are skipped over quickly.
      if (ranged && t === this.#row.n) break
    }
    return [...out].map(([key, value]) => ({ key: text(key), value }))
  }

  #first(row: number): number {
    let lo = 0
    let hi = this.#row.n
    while (lo < hi) {
      const mid = (lo + hi) >>> 1
      if ((this.#row.a[mid] as number) < row) lo = mid + 1
      else hi = mid
    }
    return lo
  }
}
