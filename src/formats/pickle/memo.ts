/** The memo: what a pickle has stored to refer to again. Dense by index; an index far beyond the others never sizes an array. */
import { grown } from './grow'
import { LIMITS } from './limits'
import { PickleFault } from './store'
import { STR, UNSET } from './tags'

export class Memo {
  /** Tag of each entry, UNSET where there is none. Entries below STR have their number in `#number`. */
  tag = new Uint8Array(1 << 12)
  val = new Int32Array(1 << 12)
  /** Entries that are there: MEMOIZE stores under this index, so a second put on one index does not count. */
  count = 0
  /** Numbers put into the memo; nobody does that, but it is allowed. */
  readonly #number = new Map<number, number>()
  readonly #sparse = new Map<number, readonly [tag: number, val: number]>()

  put(i: number, tag: number, val: number): void {
    if (i >= this.tag.length && i > 2 * this.count + 1024) {
      if (this.#sparse.size >= LIMITS.sparseMemo) throw new PickleFault('pickle-limit', 'too many scattered memo indices')
      if (!this.#sparse.has(i)) this.count++
      this.#sparse.set(i, [tag, val])
      return
    }
    if (i >= LIMITS.memo) throw new PickleFault('pickle-limit', `memo index ${i}`)
    if (i >= this.tag.length) this.reserve(i + 1)
    if (this.tag[i] === UNSET && !this.#sparse.delete(i)) this.count++
    this.tag[i] = tag
    if (tag >= STR) this.val[i] = val
    else this.#number.set(i, val)
  }

  /** Writes entry `i` to a stack slot. */
  get(i: number, tags: Uint8Array, vals: Float64Array, slot: number): void {
    const tag = i < this.tag.length ? (this.tag[i] as number) : UNSET
    if (tag !== UNSET) {
      tags[slot] = tag
      vals[slot] = tag >= STR ? (this.val[i] as number) : (this.#number.get(i) as number)
      return
    }
    const sparse = this.#sparse.get(i)
    if (!sparse) throw new PickleFault('pickle-memo', `memo entry ${i}, which was never stored`)
    tags[slot] = sparse[0]
    vals[slot] = sparse[1]
  }

  /** Room for `length` entries at least. Fresh pages of memory cost nothing until they are used. */
  reserve(length: number): void {
    if (length <= this.tag.length) return
    const n = grown(this.tag.length, length)
    const tag = new Uint8Array(n)
    tag.set(this.tag)
    this.tag = tag
    const val = new Int32Array(n)
    val.set(this.val)
    this.val = val
  }
}
