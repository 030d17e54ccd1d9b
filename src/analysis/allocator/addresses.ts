/** Distinct 64-bit addresses with dense ids, so that a replay works on plain arrays. Exact: an address is two halves, never a double. */

const EMPTY = 0

export class AddressIds {
  /** Halves of address `id`: low at 2 id, high at 2 id + 1. */
  #halves = new Uint32Array(2048)
  #slots = new Int32Array(4096)
  count = 0

  /** Id of an address, -1 when it is not there. */
  find(low: number, high: number): number {
    const mask = this.#slots.length - 1
    for (let s = hash(low, high) & mask; ; s = (s + 1) & mask) {
      const id = (this.#slots[s] as number) - 1
      if (id < 0) return -1
      if (this.#halves[2 * id] === low && this.#halves[2 * id + 1] === high) return id
    }
  }

  /** Id of an address, which is added where it is new. */
  add(low: number, high: number): number {
    const mask = this.#slots.length - 1
    let s = hash(low, high) & mask
    for (; this.#slots[s] !== EMPTY; s = (s + 1) & mask) {
      const id = (this.#slots[s] as number) - 1
      if (this.#halves[2 * id] === low && this.#halves[2 * id + 1] === high) return id
    }
    const id = this.count++
    if (2 * id === this.#halves.length) {
      const next = new Uint32Array(this.#halves.length * 2)
      next.set(this.#halves)
      this.#halves = next
    }
    this.#halves[2 * id] = low
    this.#halves[2 * id + 1] = high
    this.#slots[s] = id + 1
    if (2 * this.count > this.#slots.length) this.#grow()
    return id
  }

  /** Every address by its id. */
  values(): BigUint64Array {
    return new BigUint64Array(this.#halves.buffer, 0, this.count).slice()
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4)
    const mask = slots.length - 1
    for (let id = 0; id < this.count; id++) {
      let s = hash(this.#halves[2 * id] as number, this.#halves[2 * id + 1] as number) & mask
      while (slots[s] !== EMPTY) s = (s + 1) & mask
      slots[s] = id + 1
    }
    this.#slots = slots
  }
}

function hash(low: number, high: number): number {
  let h = Math.imul(high, 0x9e3779b1) ^ low
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** The halves of an address column (all supported machines are little-endian). */
export const halvesOf = (column: BigUint64Array): Uint32Array => new Uint32Array(column.buffer, column.byteOffset, 2 * column.length)
