/**
 * Clocks of a Perfetto trace. Times are brought to Unix time where a ClockSnapshot tells how; clock 6 (BOOTTIME) is meant where a packet names none. Exporters that have Unix
 * times write them without any clock: a time after the year 2000 on a clock that begins when the machine does is taken for what it is.
 */
import { isUnixNs } from '../explorer/build'
import { exact, type WireField } from '../protobuf/wire'
import { fields } from './message'

export const REALTIME = 1
export const REALTIME_COARSE = 2
export const BOOTTIME = 6

interface SequenceClock {
  readonly multiplier: bigint
  readonly incremental: boolean
  last: bigint
  /** Builtin clock and its time minus this clock's. */
  readonly to: { readonly clock: number; readonly offset: bigint } | null
}

export type SequenceClocks = Map<number, SequenceClock>

export interface Reading {
  /** Clock that the time is of: REALTIME where it is Unix time. */
  readonly clock: number
  readonly time: bigint
}

export class Clocks {
  /** Unix time minus the time of the clock, from the last snapshot. */
  readonly #offsets = new Map<number, bigint>()
  /** The same from the first snapshot, for what stands before it. */
  readonly #first = new Map<number, bigint>()
  /** Unix times on a clock that is none of Unix. */
  assumed = 0

  /** Takes a ClockSnapshot of a sequence. */
  snapshot(b: Uint8Array, at: WireField, sequence: SequenceClocks): void {
    const read: { id: number; time: bigint; multiplier: bigint; incremental: boolean }[] = []
    fields(b, at, f => {
      if (f.number !== 1 || f.wire !== 2) return
      let id = 0
      let time = 0n
      let multiplier = 1n
      let incremental = false
      fields(b, f, c => {
        if (c.wire !== 0) return
        if (c.number === 1) id = c.value
        else if (c.number === 2) time = exact(b, c)
        else if (c.number === 3) incremental = c.value !== 0
        else if (c.number === 4) multiplier = exact(b, c) || 1n
      })
      read.push({ id, time: time * multiplier, multiplier, incremental })
    })
    const unix = read.find(c => c.id === REALTIME) ?? read.find(c => c.id === REALTIME_COARSE)
    if (unix)
      for (const c of read)
        if (c.id < 64 || c.id > 127) {
          this.#offsets.set(c.id, unix.time - c.time)
          if (!this.#first.has(c.id)) this.#first.set(c.id, unix.time - c.time)
        }
    const builtin = unix ?? read.find(c => c.id === BOOTTIME) ?? read.find(c => c.id < 64)
    for (const c of read)
      if (c.id >= 64 && c.id <= 127)
        sequence.set(c.id, {
          multiplier: c.multiplier,
          incremental: c.incremental,
          last: c.time,
          to: builtin ? { clock: builtin.id, offset: builtin.time - c.time } : null,
        })
  }

  /** The time of a packet, in Unix time where that is known by now. */
  read(timestamp: bigint, clock: number, sequence: SequenceClocks): Reading {
    const own = clock >= 64 && clock <= 127 ? sequence.get(clock) : undefined
    if (own) {
      const time = own.incremental ? own.last + timestamp * own.multiplier : timestamp * own.multiplier
      own.last = time
      return own.to ? this.#unix(time + own.to.offset, own.to.clock) : { clock, time }
    }
    return this.#unix(timestamp, clock)
  }

  #unix(time: bigint, clock: number): Reading {
    if (clock === REALTIME || clock === REALTIME_COARSE) return { clock: REALTIME, time }
    if (isUnixNs(time)) {
      this.assumed++
      return { clock: REALTIME, time }
    }
    const offset = this.#offsets.get(clock)
    return offset === undefined ? { clock, time } : { clock: REALTIME, time: time + offset }
  }

  /** Unix time minus the time of this clock, for what was read before any snapshot; null where none came. */
  offsetOf(clock: number): bigint | null {
    return this.#first.get(clock) ?? null
  }
}
