/** Occupied addresses and ends of segments in order of address, moved along with the events: how large is the free gap at an address? */
import { ACTIONS, type DeviceTrace, type SnapshotTable } from '../../shared/tables'
import { AddressIds, halvesOf } from './addresses'
import type { AllocatorModel } from './model'
import { RankSet } from './rankset'

const SEGMENT_ALLOC = ACTIONS.indexOf('segment_alloc')
const SEGMENT_FREE = ACTIONS.indexOf('segment_free')
const SEGMENT_MAP = ACTIONS.indexOf('segment_map')
const SEGMENT_UNMAP = ACTIONS.indexOf('segment_unmap')

export class AddressMap {
  /** Rank of the address of each allocation of the model. */
  readonly #rowRank: Int32Array
  /** Addresses in ascending order, as halves. */
  readonly #halves: Uint32Array
  readonly #occupied: RankSet
  /** Addresses where a segment or a mapped range ends. */
  readonly #ends: RankSet
  /** Starts and ends of the mapped ranges of expandable segments. */
  readonly #mappedStart: RankSet
  readonly #mappedEnd: RankSet
  readonly #action: Uint8Array
  /** The segment events in order, with the ranks of their ranges. */
  readonly #events: readonly number[]
  readonly #from: Int32Array
  readonly #to: Int32Array
  #next = 0

  /** Stands before the first event: the segment table is the state at the end, from which all events are undone. */
  constructor(table: SnapshotTable, segmentRows: readonly number[], model: Pick<AllocatorModel, 'count' | 'address'>, trace: DeviceTrace) {
    this.#action = trace.action
    const ids = new AddressIds()
    const add = (address: bigint): number => ids.add(Number(address & 0xffff_ffffn), Number(address >> 32n))
    const rows = halvesOf(model.address)
    const rowRank = new Int32Array(model.count)
    for (let i = 0; i < model.count; i++) rowRank[i] = ids.add(rows[2 * i] as number, rows[2 * i + 1] as number)
    const { segments } = table
    const ranges = segmentRows.map(s => {
      const address = segments.address[s] as bigint
      return [add(address), add(end(address, segments.totalSize[s] as number)), segments.expandable[s] === 1] as const
    })
    const events: number[] = []
    for (let e = 0; e < trace.count; e++) if (isSegment(trace.action[e] as number)) events.push(e)
    this.#events = events
    this.#from = Int32Array.from(events, e => add(trace.address[e] as bigint))
    this.#to = Int32Array.from(events, e => add(end(trace.address[e] as bigint, trace.size[e] as number)))

    const sorted = ids.values().sort()
    this.#halves = halvesOf(sorted)
    const rankOf = new Int32Array(sorted.length)
    for (let r = 0; r < sorted.length; r++) rankOf[ids.find(this.#halves[2 * r] as number, this.#halves[2 * r + 1] as number)] = r
    const ranked = (column: Int32Array): void => column.forEach((id, i) => (column[i] = rankOf[id] as number))
    ranked(rowRank)
    ranked(this.#from)
    ranked(this.#to)
    this.#rowRank = rowRank
    this.#occupied = new RankSet(sorted.length)
    this.#ends = new RankSet(sorted.length)
    this.#mappedStart = new RankSet(sorted.length)
    this.#mappedEnd = new RankSet(sorted.length)
    for (const [from, to, expandable] of ranges)
      if (expandable) this.#map(rankOf[from] as number, rankOf[to] as number)
      else this.#ends.add(rankOf[to] as number)
    for (let k = events.length - 1; k >= 0; k--) this.#apply(k, true)
  }

  /** Applies event `e` where it is one of a segment. Events are given in order. */
  segment(e: number): void {
    if (this.#events[this.#next] === e) this.#apply(this.#next++, false)
  }
  /** The address of an allocation (row of the model) is taken, or free again. */
  occupy(row: number): void {
    this.#occupied.add(this.#rowRank[row] as number)
  }
  vacate(row: number): void {
    this.#occupied.delete(this.#rowRank[row] as number)
  }

  /** Bytes from an allocation's address to the next occupied one or the end of its segment; 0 where no segment is known. */
  gap(row: number): { readonly bytes: number; readonly expandable: boolean } {
    const r = this.#rowRank[row] as number
    const stop = this.#ends.after(r)
    if (stop < 0) return { bytes: 0, expandable: false }
    const next = this.#occupied.after(r)
    const to = next >= 0 && next < stop ? next : stop
    const h = this.#halves
    const bytes = ((h[2 * to + 1] as number) - (h[2 * r + 1] as number)) * 2 ** 32 + ((h[2 * to] as number) - (h[2 * r] as number))
    return { bytes, expandable: this.#mappedEnd.has(stop) }
  }

  #apply(k: number, undo: boolean): void {
    const action = this.#action[this.#events[k] as number] as number
    const from = this.#from[k] as number
    const to = this.#to[k] as number
    const grows = (action === SEGMENT_ALLOC || action === SEGMENT_MAP) !== undo
    if (action === SEGMENT_MAP || action === SEGMENT_UNMAP) {
      if (grows) this.#map(from, to)
      else this.#unmap(from, to)
    } else if (grows) this.#ends.add(to)
    else this.#ends.delete(to)
  }

  #map(a: number, b: number): void {
    if (this.#mappedEnd.has(a)) this.#end(a, false)
    else this.#mappedStart.add(a)
    if (this.#mappedStart.has(b)) this.#mappedStart.delete(b)
    else this.#end(b, true)
  }
  #unmap(a: number, b: number): void {
    if (this.#mappedStart.has(a)) this.#mappedStart.delete(a)
    else this.#end(a, true)
    if (this.#mappedEnd.has(b)) this.#end(b, false)
    else this.#mappedStart.add(b)
  }
  #end(r: number, there: boolean): void {
    if (there) {
      this.#mappedEnd.add(r)
      this.#ends.add(r)
    } else {
      this.#mappedEnd.delete(r)
      this.#ends.delete(r)
    }
  }
}

const isSegment = (action: number): boolean =>
  action === SEGMENT_ALLOC || action === SEGMENT_FREE || action === SEGMENT_MAP || action === SEGMENT_UNMAP
const end = (address: bigint, bytes: number): bigint => BigInt.asUintN(64, address + BigInt(Number.isFinite(bytes) ? Math.trunc(bytes) : 0))
