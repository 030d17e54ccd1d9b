/** A set of small integers that answers "the next member after r" in O(log n): bitmaps of 32, one level above the other. */
export class RankSet {
  readonly #levels: Uint32Array[] = []

  constructor(size: number) {
    let n = Math.max(1, size)
    do {
      n = Math.ceil(n / 32)
      this.#levels.push(new Uint32Array(n))
    } while (n > 1)
  }

  has(r: number): boolean {
    return (((this.#levels[0] as Uint32Array)[r >>> 5] as number) & (1 << (r & 31))) !== 0
  }
  add(r: number): void {
    for (const level of this.#levels) {
      level[r >>> 5] = (level[r >>> 5] as number) | (1 << (r & 31))
      r >>>= 5
    }
  }
  delete(r: number): void {
    for (const level of this.#levels) {
      const word = (level[r >>> 5] as number) & ~(1 << (r & 31))
      level[r >>> 5] = word
      if (word !== 0) return
      r >>>= 5
    }
  }
  /** Smallest member greater than r, -1 without one. */
  after(r: number): number {
    for (let l = 0; l < this.#levels.length; l++) {
      const level = this.#levels[l] as Uint32Array
      const bit = r & 31
      const rest = bit === 31 ? 0 : ((level[r >>> 5] as number) & (-2 << bit)) >>> 0
      r >>>= 5
      if (rest === 0) continue
      r = r * 32 + (31 - Math.clz32(rest & -rest))
      for (let d = l - 1; d >= 0; d--) {
        const word = (this.#levels[d] as Uint32Array)[r] as number
        r = r * 32 + (31 - Math.clz32(word & -word))
      }
      return r
    }
    return -1
  }
}
