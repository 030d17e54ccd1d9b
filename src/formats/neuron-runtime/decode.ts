/**
 * The hot part: one event message into the store's columns. Driven by a plan (what each field number means), with no object per message or field. 64-bit values are two
 * halves of 32 bits throughout; bigints would cost more than all the rest.
 */
import { WIRE_OF, type Numbering, type Role } from './description'
import { FIRST_NS, LAST_NS } from './evidence'
import { LISTED, NUMBER, type EventStore } from './store'

const IGNORE = 0
const TYPE = 1
const TIMESTAMP = 2
const DATA = 3
const ND = 4
const NC = 5
const HINT = 6
const EVENT_TYPE = 7
const DURATION = 8
const THREAD = 9
const ID = 10
const PARENT = 11
const ATTRIBUTES = 12
const STATUS = 13
const PHASE = 14
const TRACKING = 15
const SEQUENCE = 16

const CODE: Readonly<Record<Role, number>> = {
  type: TYPE,
  timestamp: TIMESTAMP,
  data: DATA,
  nd_idx: ND,
  nc_idx: NC,
  hint: HINT,
  event_type: EVENT_TYPE,
  duration: DURATION,
  thread_id: THREAD,
  id: ID,
  parent_id: PARENT,
  attributes: ATTRIBUTES,
  status: STATUS,
  phase: PHASE,
  tracking_id: TRACKING,
  nrta_seq_id: SEQUENCE,
}

/** Field numbers above this are looked up in a map. */
const DIRECT = 128
const HIGH = 2 ** 32
const FIRST_HIGH = Number(FIRST_NS >> 32n)
const LAST_HIGH = Number(LAST_NS >> 32n)
/** Differences up to this are exact in a double. */
const EXACT = 2 ** 53

export class EventDecoder {
  readonly #store: EventStore
  /** Role code and wire type by field number, as `code * 8 + wire`. */
  readonly #plan = new Uint8Array(DIRECT)
  readonly #more = new Map<number, number>()
  readonly #zigzag = new Set<number>()
  readonly #anyZigzag: boolean
  readonly #epochLow: number
  readonly #epochHigh: number
  /** Known fields that stood there with another wire type. */
  mismatches = 0
  /** Messages without a usable time. */
  untimed = 0
  /** Messages whose phase is none of 1, 2, 3. */
  unphased = 0

  /** `unused`: roles that are in the numbering but must not be believed. */
  constructor(store: EventStore, numbering: Numbering, unused: ReadonlySet<Role>, epochNs: bigint) {
    this.#store = store
    this.#epochLow = Number(epochNs & 0xffffffffn)
    this.#epochHigh = Number(epochNs >> 32n)
    for (const [role, { field, coding }] of numbering) {
      if (unused.has(role)) continue
      const plan = CODE[role] * 8 + WIRE_OF[coding]
      if (field < DIRECT) this.#plan[field] = plan
      else this.#more.set(field, plan)
      if (coding === 'zigzag') this.#zigzag.add(CODE[role])
    }
    this.#anyZigzag = this.#zigzag.size > 0
  }

  /** Reads the message `b[p, end)` as one row. False where it is no protobuf message; the row is not kept then. */
  readonly message = (b: Uint8Array, p: number, end: number): boolean => {
    const s = this.#store
    const plans = this.#plan
    const row = s.n
    if (row === s.size) s.reserve(row + 1)
    const attrsBefore = s.attrs
    s.attrStart[row] = attrsBefore
    let time = NaN
    let type = 0
    let phase = 0
    let nc = 0
    let nd = 0
    let thread = 0
    let trackLow = 0
    let trackHigh = 0
    let idLow = 0
    let idHigh = 0
    while (p < end) {
      let tag = b[p++] as number
      if (tag >= 0x80) {
        tag &= 0x7f
        for (let shift = 7; ; shift += 7) {
          if (p >= end || shift > 28) return this.#drop(attrsBefore)
          const c = b[p++] as number
          tag += (c & 0x7f) * 2 ** shift
          if (c < 0x80) break
        }
      }
      const wire = tag & 7
      const field = tag < 2 ** 31 ? tag >>> 3 : Math.floor(tag / 8)
      if (field === 0) return this.#drop(attrsBefore)
      const plan = field < DIRECT ? (plans[field] as number) : (this.#more.get(field) ?? 0)
      let low: number
      let high = 0
      if (wire === 0) {
        let c = b[p++] as number
        low = c & 0x7f
        if (c >= 0x80) {
          c = b[p++] as number
          low |= (c & 0x7f) << 7
          if (c >= 0x80) {
            c = b[p++] as number
            low |= (c & 0x7f) << 14
            if (c >= 0x80) {
              c = b[p++] as number
              low |= (c & 0x7f) << 21
              if (c >= 0x80) {
                c = b[p++] as number
                low |= c << 28
                high = (c & 0x7f) >>> 4
                for (let shift = 3; c >= 0x80; shift += 7) {
                  if (shift > 31) return this.#drop(attrsBefore)
                  c = b[p++] as number
                  high |= (c & 0x7f) << shift
                }
              }
            }
          }
          low >>>= 0
          high >>>= 0
        }
        if (p > end) return this.#drop(attrsBefore)
      } else if (wire === 2) {
        let length = b[p++] as number
        if (length >= 0x80) {
          length &= 0x7f
          for (let shift = 7; ; shift += 7) {
            if (p >= end || shift > 28) return this.#drop(attrsBefore)
            const c = b[p++] as number
            length += (c & 0x7f) * 2 ** shift
            if (c < 0x80) break
          }
        }
        const to = p + length
        if (!(to <= end)) return this.#drop(attrsBefore)
        if (plan !== 0) {
          if ((plan & 7) !== 2) this.mismatches++
          else if (plan >>> 3 === ATTRIBUTES) {
            if (!this.#attribute(b, p, to, attrsBefore)) this.mismatches++
          } else this.#hint(row, b, p, to)
        }
        p = to
        continue
      } else if (wire === 5 || wire === 1) {
        const to = p + (wire === 5 ? 4 : 8)
        if (to > end) return this.#drop(attrsBefore)
        low = word(b, p)
        if (wire === 1) high = word(b, p + 4)
        p = to
      } else return this.#drop(attrsBefore)
      if (plan === 0) continue
      if ((plan & 7) !== wire) {
        this.mismatches++
        continue
      }
      const role = plan >>> 3
      if (this.#anyZigzag && this.#zigzag.has(role)) {
        const negative = low & 1
        low = ((low >>> 1) | (high << 31)) >>> 0
        high >>>= 1
        if (negative) {
          low = ~low >>> 0
          high = ~high >>> 0
        }
      }
      switch (role) {
        case TIMESTAMP:
          time = high >= FIRST_HIGH && high <= LAST_HIGH ? (high - this.#epochHigh) * HIGH + (low - this.#epochLow) : NaN
          if (time > EXACT || time < -EXACT) time = NaN
          break
        case TYPE:
          type = low | 0
          break
        case PHASE:
          phase = high === 0 && low < 256 ? low : 255
          break
        case NC:
          nc = low | 0
          break
        case ND:
          nd = low | 0
          break
        case THREAD:
          thread = high * HIGH + low
          break
        case TRACKING:
          trackLow = low
          trackHigh = high
          break
        case ID:
          idLow = low
          idHigh = high
          break
        case IGNORE:
          break
        default:
          this.#rare(role, row, low, high)
      }
    }
    if (Number.isNaN(time)) this.untimed++
    if (phase < 1 || phase > 3) this.unphased++
    s.time[row] = time
    s.type[row] = type
    s.phase[row] = phase
    s.nc[row] = nc
    s.nd[row] = nd
    s.thread[row] = thread
    s.tracking[2 * row] = trackLow
    s.tracking[2 * row + 1] = trackHigh
    s.id[2 * row] = idLow
    s.id[2 * row + 1] = idHigh
    s.n = row + 1
    return true
  }

  #drop(attrs: number): false {
    this.#store.attrs = attrs
    return false
  }

  #rare(role: number, row: number, low: number, high: number): void {
    const s = this.#store
    switch (role) {
      case PARENT:
        return put((s.parent ??= new Uint32Array(2 * s.size)), row, low, high)
      case SEQUENCE:
        ;(s.hasSequence ??= new Uint8Array(s.size))[row] = 1
        return put((s.sequence ??= new Uint32Array(2 * s.size)), row, low, high)
    }
    if (low === 0 && high === 0) return
    switch (role) {
      case STATUS:
        return put((s.status ??= new Uint32Array(2 * s.size)), row, low, high)
      case DATA:
        return put((s.data ??= new Uint32Array(2 * s.size)), row, low, high)
      case EVENT_TYPE:
        return put((s.eventType ??= new Uint32Array(2 * s.size)), row, low, high)
      case DURATION:
        return put((s.duration ??= new Uint32Array(2 * s.size)), row, low, high)
    }
  }

  #hint(row: number, b: Uint8Array, from: number, to: number): void {
    const s = this.#store
    if (to > from) (s.hint ??= new Int32Array(s.size).fill(-1))[row] = s.texts.internBytes(b, from, to)
  }

  /** One entry of the map (`first`: the message's first): key and value are texts. False where it is no entry. */
  #attribute(b: Uint8Array, p: number, end: number, first: number): boolean {
    // As every writer puts it: key, value, both shorter than 128 bytes.
    const keyEnd = p + 2 + (b[p + 1] as number)
    if (b[p] === 0x0a && keyEnd + 2 <= end && b[keyEnd] === 0x12 && keyEnd + 2 + (b[keyEnd + 1] as number) === end && end - p < 130) {
      this.#entry(b, p + 2, keyEnd, keyEnd + 2, end, first)
      return true
    }
    let keyFrom = end
    let keyTo = end
    let from = end
    let to = end
    while (p < end) {
      const tag = b[p++] as number
      if (tag !== 0x0a && tag !== 0x12) return false
      let length = b[p++] as number
      if (length >= 0x80) {
        length &= 0x7f
        for (let shift = 7; ; shift += 7) {
          if (p >= end || shift > 28) return false
          const c = b[p++] as number
          length += (c & 0x7f) * 2 ** shift
          if (c < 0x80) break
        }
      }
      if (!(p + length <= end)) return false
      if (tag === 0x0a) {
        keyFrom = p
        keyTo = p + length
      } else {
        from = p
        to = p + length
      }
      p += length
    }
    this.#entry(b, keyFrom, keyTo, from, to, first)
    return true
  }

  #entry(b: Uint8Array, keyFrom: number, keyTo: number, from: number, to: number, first: number): void {
    const s = this.#store
    const at = s.attrs
    if (at === s.attrKey.length) s.reserveAttributes(at + 1)
    s.attrs = at + 1
    s.attrKey[at] = s.keys.intern(b, keyFrom, keyTo, at > first ? (s.attrKey[at - 1] as number) : -1)
    const digits = to - from
    let i = from
    if (digits > 0 && digits <= 15) {
      // Whole numbers in plain digits, exact in a double, need no text. Up to nine digits they are small integers, which are faster.
      let value = 0
      const whole = from + (digits < 9 ? digits : 9)
      for (; i < whole; i++) {
        const c = (b[i] as number) - 48
        if (c < 0 || c > 9) break
        value = (Math.imul(value, 10) + c) | 0
      }
      if (i === whole && (digits === 1 || b[from] !== 48)) {
        let wide = value
        for (; i < to; i++) {
          const c = (b[i] as number) - 48
          if (c < 0 || c > 9) break
          wide = wide * 10 + c
        }
        if (i === to) {
          s.attrText[at] = NUMBER
          s.attrNumber[at] = wide
          return
        }
      }
    }
    s.attrNumber[at] = NaN
    // Addresses, device times and long texts hardly ever repeat.
    const unique = digits > 24 || (b[from] === 48 && b[from + 1] === 120) || (digits > 15 && allDigits(b, from, to))
    s.attrText[at] = unique ? LISTED - s.list.add(b, from, to) : s.texts.internBytes(b, from, to)
  }
}

function allDigits(b: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if ((b[i] as number) < 48 || (b[i] as number) > 57) return false
  return true
}

function put(halves: Uint32Array, row: number, low: number, high: number): void {
  halves[2 * row] = low
  halves[2 * row + 1] = high
}

const word = (b: Uint8Array, p: number): number =>
  ((b[p] as number) | ((b[p + 1] as number) << 8) | ((b[p + 2] as number) << 16) | ((b[p + 3] as number) << 24)) >>> 0
