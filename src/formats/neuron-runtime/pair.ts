/** Starts and stops become slices: which messages belong together, and which stay alone. */
import { KEY_CORE } from './keys'
import { attributeOf, resized, type EventStore } from './store'

export const PHASE_START = 1
export const PHASE_STOP = 2
export const PHASE_INSTANT = 3

/** Open starts that are looked at for one stop: a file that leaves thousands open under one key must not take for ever. Real ids have one open at a time. */
const MAX_STEPS = 128

/** What came of it. */
export interface PairCounts {
  readonly matched: number
  readonly openStarts: number
  readonly openStops: number
  /** Stops that met several open starts of their id, where the one of the same core or thread, else the last, was taken. */
  readonly clashes: number
}

/**
 * Pairs the messages of a store by tracking id, event number and NeuronCore, by time. A stop belongs to the open start of its key; where several are open, to the last one of the
 * same physical core and thread, otherwise to the last. Nothing that comes later changes a pair, so messages may be handed over in several goes.
 */
export class Pairer implements PairCounts {
  readonly #s: EventStore
  /** The other half of a slice; -1. */
  partner = new Int32Array(0)
  #next = new Int32Array(0)
  // Open starts by the hash of their key: row + 1, the latest first. Few are open at a time, and a small table stays in the cache; it grows where many never end.
  #heads = new Int32Array(1 << 11)
  matched = 0
  openStarts = 0
  openStops = 0
  clashes = 0

  constructor(s: EventStore) {
    this.#s = s
  }

  /** Pairs messages `order[from .. to)`, or `from` to `to` where `order` is null, with each other and with those before. Messages without a time are left out. */
  pair(order: Uint32Array | null, from: number, to: number): void {
    const s = this.#s
    if (this.partner.length < s.n) {
      this.partner = resized(this.partner, s.size, this.partner.length, -1)
      this.#next = resized(this.#next, s.size)
    }
    const { partner } = this
    const next = this.#next
    let heads = this.#heads
    const { tracking, type, nc, nd, thread, phase, time } = s
    for (let k = from; k < to; k++) {
      const i = order === null ? k : (order[k] as number)
      const p = phase[i]
      if (p !== PHASE_START && p !== PHASE_STOP) continue
      const t = time[i] as number
      if (t !== t) continue
      const low = tracking[2 * i] as number
      const high = tracking[2 * i + 1] as number
      const slot = hashOf(low, high, type[i] as number, nc[i] as number) & (heads.length - 1)
      if (p === PHASE_START) {
        next[i] = heads[slot] as number
        heads[slot] = i + 1
        if (++this.openStarts > heads.length) this.#heads = heads = spread(heads, next, s)
        continue
      }
      let found = -1
      let before = -1
      let several = false
      let steps = 0
      for (let at = (heads[slot] as number) - 1, last = -1; at >= 0; last = at, at = (next[at] as number) - 1) {
        if (++steps > MAX_STEPS) break
        if (tracking[2 * at] !== low || tracking[2 * at + 1] !== high || type[at] !== type[i] || nc[at] !== nc[i] || nd[at] !== nd[i])
          continue
        if (found < 0) {
          found = at
          before = last
          continue
        }
        several = true
        const fits = (row: number): boolean => thread[row] === thread[i] && attributeOf(s, row, KEY_CORE) === attributeOf(s, i, KEY_CORE)
        if (fits(found)) break
        if (fits(at)) {
          found = at
          before = last
        }
      }
      if (found < 0) {
        this.openStops++
        continue
      }
      if (several) this.clashes++
      if (before < 0) heads[slot] = next[found] as number
      else next[before] = next[found] as number
      partner[i] = found
      partner[found] = i
      this.matched++
      this.openStarts--
    }
  }

  /** The store drops the first `count` of its `n` messages, none of which is an open start. */
  drop(count: number, n: number): void {
    const { partner } = this
    const next = this.#next
    const heads = this.#heads
    const left = n - count
    for (let i = 0; i < left; i++) {
      const other = partner[i + count] as number
      partner[i] = other < 0 ? other : other - count
      // What is not open any more is not looked at again.
      const open = next[i + count] as number
      next[i] = open > count ? open - count : 0
    }
    partner.fill(-1, left, n)
    for (let h = 0; h < heads.length; h++) if (heads[h] !== 0) heads[h] = (heads[h] as number) - count
  }
}

function hashOf(low: number, high: number, type: number, nc: number): number {
  let h = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 15) ^ type ^ (nc << 8), 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** The open starts in a table of four times the size. Order within a key is kept. */
function spread(old: Int32Array, next: Int32Array, s: EventStore): Int32Array<ArrayBuffer> {
  const heads = new Int32Array(4 * old.length)
  const chain: number[] = []
  for (const head of old) {
    chain.length = 0
    for (let at = head; at > 0; at = next[at - 1] as number) chain.push(at - 1)
    // The latest first: so the oldest is put in first.
    for (let k = chain.length - 1; k >= 0; k--) {
      const row = chain[k] as number
      const slot =
        hashOf(s.tracking[2 * row] as number, s.tracking[2 * row + 1] as number, s.type[row] as number, s.nc[row] as number) &
        (heads.length - 1)
      next[row] = heads[slot] as number
      heads[slot] = row + 1
    }
  }
  return heads
}
