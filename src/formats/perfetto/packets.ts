/** Cuts a Perfetto trace into its packets as it streams by. A trace is a message whose field 1 repeats TracePacket; nothing is kept but the packet that a chunk cuts. */
import { Input } from '../json/input'
import { varint } from '../protobuf/wire'

/** Longest packet that is read; longer ones are passed over. Writers keep packets far below. */
export const PACKET_BYTES = 16 * 1024 * 1024

export type TakePacket = (bytes: Uint8Array, start: number, end: number, offset: number) => void

export class Packets extends Input {
  count = 0
  tooLong = 0
  /** Where the bytes are no such message; -1. */
  badAt = -1
  readonly #take: TakePacket
  /** Bytes that are passed over. */
  #skip = 0

  constructor(take: TakePacket) {
    super(PACKET_BYTES)
    this.#take = take
  }

  /** Offset up to which the input is understood. */
  get offset(): number {
    return this.base + this.i
  }
  /** Whether the input ended inside a packet. */
  get cut(): boolean {
    return this.badAt < 0 && (this.i < this.end || this.#skip > 0)
  }

  protected override step(): boolean {
    if (this.badAt >= 0) {
      this.i = this.end
      return false
    }
    if (this.#skip > 0) {
      const n = Math.min(this.#skip, this.end - this.i)
      this.#skip -= n
      this.i += n
      return n > 0
    }
    if (this.i >= this.end) return false
    const [tag, at] = varint(this.b, this.i, this.end)
    if (at < 0) return this.#short(at)
    const number = Math.floor(tag / 8)
    const wire = tag % 8
    if (number < 1 || number >= 2 ** 29) return this.#bad()
    if (wire === 0) {
      const [, next] = varint(this.b, at, this.end)
      if (next < 0) return this.#short(next)
      this.i = next
      return true
    }
    if (wire === 1 || wire === 5) {
      this.i = at
      this.#skip = wire === 1 ? 8 : 4
      return true
    }
    if (wire !== 2) return this.#bad()
    const [length, start] = varint(this.b, at, this.end)
    if (start < 0) return this.#short(start)
    if (length >= 2 ** 31) return this.#bad()
    if (number !== 1 || length > PACKET_BYTES) {
      if (number === 1) this.tooLong++
      this.i = start
      this.#skip = length
      return true
    }
    if (start + length > this.end) return false
    this.#take(this.b, start, start + length, this.base + this.i)
    this.count++
    this.i = start + length
    return true
  }

  #short(fault: number): boolean {
    return fault === -1 ? false : this.#bad()
  }
  #bad(): boolean {
    this.badAt = this.base + this.i
    return false
  }
}
