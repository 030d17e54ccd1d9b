/**
 * Staging columns of the reader. Events are kept in pages: nothing is moved while they grow, columns that most files leave empty take no room, and at the end one
 * column after the other is copied out to its exact length.
 */
import { GrowF64, GrowI32, GrowU64, GrowU8 } from '../pickle/grow'

const BITS = 13
export const PAGE = 1 << BITS
const MASK = PAGE - 1

/** Rows of a staging table: a range, or any rows in any order. */
export type Rows = { readonly start: number; readonly end: number } | Uint32Array
export const rowCount = (r: Rows): number => (r instanceof Uint32Array ? r.length : r.end - r.start)
export const rowAt = (r: Rows, i: number): number => (r instanceof Uint32Array ? (r[i] as number) : r.start + i)

type Column = Uint8Array | Int32Array | Uint32Array | Float64Array

class Page {
  readonly action = new Uint8Array(PAGE)
  /** Halves, see GrowU64. */
  readonly address = new Uint32Array(2 * PAGE)
  readonly size = new Float64Array(PAGE)
  readonly time = new Float64Array(PAGE)
  readonly stream = new Int32Array(PAGE)
  readonly stack = new Int32Array(PAGE)
  readonly context = new Int32Array(PAGE)
  readonly metadata = new Int32Array(PAGE)
  otherAction: Int32Array | null = null
  deviceFree: Float64Array | null = null
  pool: Int32Array | null = null
  category: Int32Array | null = null
}
export type EventColumn = Exclude<keyof Page, 'address'>

export class EventPages {
  readonly #pages: Page[] = []
  count = 0
  /** Page and position of the row that `add` has just made. */
  page: Page = undefined as unknown as Page
  at = 0

  add(): number {
    const row = this.count++
    this.at = row & MASK
    if (this.at === 0) {
      this.page = new Page()
      this.#pages.push(this.page)
    }
    return row
  }
  setOtherAction(v: number): void {
    ;(this.page.otherAction ??= new Int32Array(PAGE).fill(-1))[this.at] = v
  }
  setDeviceFree(v: number): void {
    ;(this.page.deviceFree ??= new Float64Array(PAGE).fill(NaN))[this.at] = v
  }
  setPool(v: number): void {
    ;(this.page.pool ??= new Int32Array(PAGE).fill(-1))[this.at] = v
  }
  setCategory(v: number): void {
    ;(this.page.category ??= new Int32Array(PAGE).fill(-1))[this.at] = v
  }

  /** One cell; `absent` where the page has no such column. */
  cell(column: EventColumn, row: number, absent: number): number {
    const c = (this.#pages[row >>> BITS] as Page)[column]
    return c ? (c[row & MASK] as number) : absent
  }
  address(row: number): bigint {
    const a = (this.#pages[row >>> BITS] as Page).address
    const i = 2 * (row & MASK)
    return (BigInt(a[i + 1] as number) << 32n) | BigInt(a[i] as number)
  }

  /** Copies a column of the rows into `out`, which must hold `absent` already. */
  gather<A extends Column>(column: EventColumn, rows: Rows, out: A): A {
    this.#each(rows, (p, from, to, at) => {
      const c = p[column]
      if (c) out.set(c.subarray(from, to), at)
    })
    return out
  }
  gatherAddress(rows: Rows): BigUint64Array {
    const out = new BigUint64Array(rowCount(rows))
    const halves = new Uint32Array(out.buffer)
    this.#each(rows, (p, from, to, at) => halves.set(p.address.subarray(2 * from, 2 * to), 2 * at))
    return out
  }
  #each(rows: Rows, copy: (page: Page, from: number, to: number, at: number) => void): void {
    if (rows instanceof Uint32Array) {
      for (let i = 0; i < rows.length; i++) {
        const r = rows[i] as number
        copy(this.#pages[r >>> BITS] as Page, r & MASK, (r & MASK) + 1, i)
      }
      return
    }
    for (let r = rows.start; r < rows.end;) {
      const from = r & MASK
      const to = Math.min(PAGE, from + rows.end - r)
      copy(this.#pages[r >>> BITS] as Page, from, to, r - rows.start)
      r += to - from
    }
  }
}

/** Segments and blocks as they are met; the final tables are gathered from them. */
export class SegmentRows {
  readonly device = new GrowI32(64)
  readonly address = new GrowU64()
  readonly totalSize = new GrowF64(64)
  readonly allocatedSize = new GrowF64(64)
  readonly activeSize = new GrowF64(64)
  readonly requestedSize = new GrowF64(64)
  readonly stream = new GrowI32(64)
  readonly segmentType = new GrowI32(64)
  readonly pool = new GrowI32(64)
  readonly expandable = new GrowU8(64)
  readonly stack = new GrowI32(64)
  /** Object of the list of blocks; -1 without one. */
  readonly blocks = new GrowI32(64)
}
export class BlockRows {
  readonly address = new GrowU64()
  /** 1 where the block states its address. */
  readonly hasAddress = new GrowU8(64)
  readonly size = new GrowF64(64)
  readonly requestedSize = new GrowF64(64)
  readonly state = new GrowU8(64)
  readonly stack = new GrowI32(64)
  readonly category = new GrowI32(64)
}
export class NoteRows {
  readonly text = new GrowI32(64)
  readonly stage = new GrowI32(64)
  readonly device = new GrowI32(64)
  readonly timeUs = new GrowF64(64)
}
