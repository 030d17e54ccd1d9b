/** Links while they are found, then sorted both ways with every pair once. */
import type { Breath, ChainGraph } from './model'

/** Links between two looks at the clock. */
const STRIDE = 16_384

export class LinkList {
  count = 0
  #from = new Uint32Array(1 << 10)
  #to = new Uint32Array(1 << 10)
  #by = new Uint8Array(1 << 10)
  #value = new Uint32Array(1 << 11)

  /** `by` with its bits; the first link between two events stays. */
  add(from: number, to: number, by: number, low = 0, high = 0): void {
    if (from === to) return
    const n = this.count++
    if (n >= this.#from.length) {
      const grow = <T extends Uint32Array | Uint8Array>(a: T, b: T): T => {
        b.set(a)
        return b
      }
      this.#from = grow(this.#from, new Uint32Array(2 * n))
      this.#to = grow(this.#to, new Uint32Array(2 * n))
      this.#by = grow(this.#by, new Uint8Array(2 * n))
      this.#value = grow(this.#value, new Uint32Array(4 * n))
    }
    this.#from[n] = from
    this.#to[n] = to
    this.#by[n] = by
    this.#value[2 * n] = low
    this.#value[2 * n + 1] = high
  }

  from(i: number): number {
    return this.#from[i]
  }
  to(i: number): number {
    return this.#to[i]
  }

  /** Columns of a graph over `nodes` nodes. */
  async finish(
    nodes: number,
    breath: Breath,
  ): Promise<Pick<ChainGraph, 'downStart' | 'from' | 'to' | 'by' | 'value' | 'upStart' | 'upLink'>> {
    const start = new Uint32Array(nodes + 1)
    for (let i = 0; i < this.count; i++) start[this.#from[i] + 1]++
    for (let i = 0; i < nodes; i++) start[i + 1] += start[i]
    const next = start.slice()
    const order = new Uint32Array(this.count)
    for (let i = 0; i < this.count; i++) {
      if (i % STRIDE === 0 && breath.due) await breath.pause()
      order[next[this.#from[i]]++] = i
    }
    const seen = new Uint32Array(nodes)
    const downStart = new Uint32Array(nodes + 1)
    let kept = 0
    for (let node = 0; node < nodes; node++) {
      if (node % STRIDE === 0 && breath.due) await breath.pause()
      downStart[node] = kept
      for (let k = start[node]; k < start[node + 1]; k++) {
        const to = this.#to[order[k]]
        if (seen[to] === node + 1) continue
        seen[to] = node + 1
        order[kept++] = order[k]
      }
    }
    downStart[nodes] = kept
    const from = new Uint32Array(kept)
    const to = new Uint32Array(kept)
    const by = new Uint8Array(kept)
    const value = new Uint32Array(2 * kept)
    const upStart = new Uint32Array(nodes + 1)
    for (let i = 0; i < kept; i++) {
      if (i % STRIDE === 0 && breath.due) await breath.pause()
      const k = order[i]
      from[i] = this.#from[k]
      to[i] = this.#to[k]
      by[i] = this.#by[k]
      value[2 * i] = this.#value[2 * k]
      value[2 * i + 1] = this.#value[2 * k + 1]
      upStart[to[i] + 1]++
    }
    for (let i = 0; i < nodes; i++) upStart[i + 1] += upStart[i]
    const at = upStart.slice()
    const upLink = new Uint32Array(kept)
    for (let i = 0; i < kept; i++) {
      if (i % STRIDE === 0 && breath.due) await breath.pause()
      upLink[at[to[i]]++] = i
    }
    return { downStart, from, to, by, value, upStart, upLink }
  }
}
