/**
 * From decoded messages to rows. Where the messages come in order of time a row is written as soon as its other half has come, and its messages are forgotten: few are kept at a
 * time. In any other order all are kept to the end. Both ways give the same rows.
 */
import { orderByTime } from './order'
import { Pairer, type PairCounts } from './pair'
import { RowWriter, type RawRows } from './rows'
import type { EventStore } from './store'

export interface MessageRows {
  readonly raw: RawRows
  readonly pairs: PairCounts
  /** ns to add to the times of the rows for those of the store. */
  readonly zero: number
  readonly range: readonly [number, number] | null
  /** Messages whose time is that of no other, see `strayTimes`. */
  readonly stray: number
}

/** Room is not made for more than this ahead: the beginning of a file may mislead. */
const MAX_RESERVE = 4_000_000
/** Before this share of the file is read what came so far says little. */
const SOON = 0.03
/** About so many messages come between two times that room is made. */
const NEXT = 2048
/** With more messages that wait for their other half room is made for all. */
const WAITING = 1 << 16

export class MessageReader {
  readonly #store: EventStore
  readonly #ordered: boolean
  readonly #pairs: Pairer
  readonly #rows: RowWriter
  /** Messages of the store that are paired, and those that are written. */
  #paired = 0
  #written = 0
  #zero = NaN
  #last = -Infinity

  /** `ordered`: each message is expected to be no earlier than those before. `threads`: whether thread ids are used. */
  constructor(store: EventStore, ordered: boolean, threads: boolean) {
    this.#store = store
    this.#ordered = ordered
    this.#pairs = new Pairer(store)
    this.#rows = new RowWriter(store, threads)
  }

  /** To be called now and then with the share of the file that has been read. False where the messages are not in the expected order: nothing can be had from here then. */
  advance(share: number): boolean {
    if (share > 0 && share < 1) this.#reserve(share)
    return !this.#ordered || this.#write(true)
  }

  /** Room for all that is to come, by what came so far, where what there is begins to be used up. */
  #reserve(share: number): void {
    const s = this.#store
    const rows = this.#rows
    const { count, size } = rows.attributes
    const all = (have: number, most: number): number => Math.min(Math.ceil((1.03 * have) / share), have + most)
    if (share < SOON) return
    if (!this.#ordered || s.n > WAITING) {
      if (s.n + NEXT > s.size) s.reserve(s.n + all(s.messages, MAX_RESERVE) - s.messages)
      if (s.attrs + 4 * NEXT > s.attrKey.length) s.reserveAttributes(s.attrs + all(s.attrs + count, 4 * MAX_RESERVE) - count)
    }
    const { list } = s
    if (list.used + 64 * NEXT > list.bytes.length || list.count + NEXT > list.offsets.length)
      list.reserve(all(list.count, 4 * MAX_RESERVE), all(list.used, 64 * MAX_RESERVE))
    // What waits is not a row yet.
    if (this.#ordered && (rows.count + s.n > rows.size || count + s.attrs > size))
      rows.reserve(all(rows.count + s.n / 2, MAX_RESERVE), all(count + s.attrs, 4 * MAX_RESERVE))
  }

  /** Null as `advance`. */
  finish(): MessageRows | null {
    if (!this.#ordered) return this.#sorted()
    if (!this.#write(false)) return null
    const none = Number.isNaN(this.#zero)
    const zero = none ? 0 : this.#zero
    // In order of time no message is between two that are far from it.
    return { raw: this.#rows.take(), pairs: this.#pairs, zero, range: none ? null : [0, this.#last - zero], stray: 0 }
  }

  #write(hold: boolean): boolean {
    const s = this.#store
    const { time } = s
    let last = this.#last
    for (let i = this.#paired; i < s.n; i++) {
      const t = time[i] as number
      if (t !== t) continue
      if (t < last) return false
      if (last === -Infinity) this.#zero = t
      last = t
      time[i] = t - this.#zero
    }
    this.#last = last
    this.#pairs.pair(null, this.#paired, s.n)
    this.#written = this.#rows.write(null, this.#written, s.n, this.#pairs.partner, hold)
    // Moving many for few would take longer in all than the reading.
    if (2 * this.#written >= s.n) {
      this.#pairs.drop(this.#written, s.n)
      s.drop(this.#written)
      this.#written = 0
    }
    this.#paired = s.n
    return true
  }

  #sorted(): MessageRows {
    const s = this.#store
    const { time, n } = s
    // The first event is time 0.
    let least = Infinity
    for (let i = 0; i < n; i++) if ((time[i] as number) < least) least = time[i] as number
    const zero = least === Infinity ? 0 : least
    for (let i = 0; i < n; i++) time[i] = (time[i] as number) - zero
    const order = orderByTime(time, n)
    const count = order.length
    this.#pairs.pair(order, 0, count)
    this.#rows.reserve(count - this.#pairs.matched, s.attrs + 64)
    this.#rows.write(order, 0, count, this.#pairs.partner, false)
    const range = count === 0 ? null : ([time[order[0] as number] as number, time[order[count - 1] as number] as number] as const)
    return { raw: this.#rows.take(), pairs: this.#pairs, zero, range, stray: strayTimes(s) }
  }
}

/**
 * Messages that alone make the recording more than twice as long: the earliest or the latest one of the file, where both its neighbours in the file are further from it than
 * half of the whole span. An event that was recorded long before or after the others stands at an end of the file instead.
 */
function strayTimes(s: EventStore): number {
  let first = -1
  let last = -1
  for (let i = 0; i < s.n; i++) {
    const t = s.time[i] as number
    if (Number.isNaN(t)) continue
    if (first < 0 || t < (s.time[first] as number)) first = i
    if (last < 0 || t > (s.time[last] as number)) last = i
  }
  if (first === last) return 0
  const half = ((s.time[last] as number) - (s.time[first] as number)) / 2
  const far = (i: number, k: number): boolean => Math.abs((s.time[k] as number) - (s.time[i] as number)) > half
  const alone = (i: number): boolean => i > 0 && i + 1 < s.n && far(i, i - 1) && far(i, i + 1)
  return (alone(first) ? 1 : 0) + (alone(last) ? 1 : 0)
}
