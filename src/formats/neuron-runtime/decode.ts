/**
 * The hot part: one event message into the store's columns. Driven by a plan (what each field number means), with no object per message or field. 64-bit values are two
 * halves of 32 bits throughout; bigints would cost more than all the rest.
 */
import { WIRE_OF, type Numbering, type Role } from './description'
import { FIRST_NS, LAST_NS } from './evidence'
import { LISTED, NUMBER, type EventStore } from './store'

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

/** The bit of each byte of a word that says that the number goes on. */
const UPPER = 0x80808080 | 0

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
  /** By a tag of one byte: its role code where it is a varint that stands there as it is, ATTRIBUTES; 0 for all others. */
  readonly #tags = new Uint8Array(128)
  readonly #more = new Map<number, number>()
  readonly #zigzag = new Set<number>()
  /** Halves of the time that others are counted from. */
  readonly #epoch: Float64Array
  /** The bytes of the last message as words. */
  #bytes: Uint8Array = new Uint8Array(0)
  #words: DataView = new DataView(new ArrayBuffer(0))
  /** Known fields that stood there with another wire type. */
  mismatches = 0
  /** Messages without a usable time. */
  untimed = 0
  /** Messages whose phase is none of 1, 2, 3. */
  unphased = 0

  /** `unused`: roles that are in the numbering but must not be believed. */
  constructor(store: EventStore, numbering: Numbering, unused: ReadonlySet<Role>, epochNs: bigint) {
    this.#store = store
    this.#epoch = Float64Array.of(Number(epochNs & 0xffffffffn), Number(epochNs >> 32n))
    for (const [role, { field, coding }] of numbering) {
      if (unused.has(role)) continue
      const plan = CODE[role] * 8 + WIRE_OF[coding]
      if (field < DIRECT) this.#plan[field] = plan
      else this.#more.set(field, plan)
      if (coding === 'zigzag') this.#zigzag.add(CODE[role])
      if (field < 16 && (coding === 'varint' || (coding === 'map' && role === 'attributes')))
        this.#tags[field * 8 + WIRE_OF[coding]] = CODE[role]
    }
  }

  /** Reads the message `b[p, end)` as one row. False where it is no protobuf message; the row is not kept then. */
  readonly message = (b: Uint8Array, p: number, end: number): boolean => {
    const s = this.#store
    if (b !== this.#bytes) {
      this.#bytes = b
      this.#words = new DataView(b.buffer, b.byteOffset, b.length)
    }
    const words = this.#words
    const tags = this.#tags
    const row = s.n
    if (row === s.size) s.reserve(row + 1)
    const attrsBefore = s.attrs
    s.attrStart[row] = attrsBefore
    s.time[row] = NaN
    let type = 0
    let phase = 0
    let nc = 0
    let nd = 0
    let thread = 0
    let trackLow = 0
    let trackHigh = 0
    let idLow = 0
    let idHigh = 0
    // Words are read where the longest varint that begins here lies in the message.
    const wordsEnd = end - 10
    while (p < end) {
      const tag = b[p++] as number
      let role = tag < 0x80 ? (tags[tag] as number) : 0
      // Halves of a value are signed here; the columns take them as they are meant.
      let low = 0
      let high = 0
      if (role === ATTRIBUTES) {
        p = this.#attributes(b, p, end, tag, row, attrsBefore)
        if (p < 0) return this.#drop(attrsBefore)
        continue
      }
      if (role !== 0) {
        let c = b[p] as number
        if (c < 0x80) {
          if (p++ >= end) return this.#drop(attrsBefore)
          low = c
        } else if (p <= wordsEnd) {
          // Four bytes at a time; `stop` has the upper bits of those that end a number.
          let w = words.getInt32(p, true)
          let stop = ~w & UPPER
          if (stop !== 0) {
            stop &= 0 - stop
            p += (39 - Math.clz32(stop)) >>> 3
            w &= stop - 1
            low = (w & 0x7f) | ((w >>> 1) & 0x3f80) | ((w >>> 2) & 0x1fc000) | ((w >>> 3) & 0xfe00000)
          } else {
            low = (w & 0x7f) | ((w >>> 1) & 0x3f80) | ((w >>> 2) & 0x1fc000) | ((w >>> 3) & 0xfe00000)
            w = words.getInt32(p + 4, true)
            stop = ~w & UPPER
            if (stop !== 0) {
              stop &= 0 - stop
              p += 4 + ((39 - Math.clz32(stop)) >>> 3)
              w &= stop - 1
            }
            const middle = (w & 0x7f) | ((w >>> 1) & 0x3f80) | ((w >>> 2) & 0x1fc000) | ((w >>> 3) & 0xfe00000)
            low |= middle << 28
            high = middle >>> 4
            if (stop === 0) {
              c = b[p + 8] as number
              high |= (c & 0x7f) << 24
              p += 9
              if (c >= 0x80) {
                c = b[p++] as number
                if (c >= 0x80) return this.#drop(attrsBefore)
                high |= c << 31
              }
            }
          }
        } else {
          let shift = 0
          do {
            if (p >= end || shift > 63) return this.#drop(attrsBefore)
            c = b[p++] as number
            if (shift < 28) low |= (c & 0x7f) << shift
            else if (shift === 28) {
              low |= c << 28
              high = (c & 0x7f) >>> 4
            } else high |= (c & 0x7f) << (shift - 32)
            shift += 7
          } while (c >= 0x80)
        }
      } else {
        p = this.#other(b, p - 1, end, row, attrsBefore)
        if (p < 0) return this.#drop(attrsBefore)
        role = this.#role
        if (role === 0) continue
        low = this.#low
        high = this.#high
      }
      switch (role) {
        case TIMESTAMP:
          this.#time(s.time, row, low, high)
          break
        case TYPE:
          type = low
          break
        case PHASE:
          phase = high === 0 && low >= 0 && low < 256 ? low : 255
          break
        case NC:
          nc = low
          break
        case ND:
          nd = low
          break
        case THREAD:
          thread = high === 0 && low >= 0 ? low : (high >>> 0) * HIGH + (low >>> 0)
          break
        case TRACKING:
          trackLow = low
          trackHigh = high
          break
        case ID:
          idLow = low
          idHigh = high
          break
        default:
          this.#rare(role, row, low, high)
      }
    }
    const time = s.time[row] as number
    if (time !== time) this.untimed++
    if (phase < 1 || phase > 3) this.unphased++
    s.type[row] = type
    s.phase[row] = phase
    s.nc[row] = nc
    s.nd[row] = nd
    s.thread[row] = thread
    const half = 2 * row
    s.tracking[half] = trackLow
    s.tracking[half + 1] = trackHigh
    s.id[half] = idLow
    s.id[half + 1] = idHigh
    s.n = row + 1
    return true
  }

  /** Writes a time; NaN where it is none. Numbers with a fraction or above 2^31 that a function answers would be objects: so it writes them itself, as `numberAt` does. */
  #time(to: Float64Array, row: number, low: number, high: number): void {
    const epoch = this.#epoch
    const t = (high - (epoch[1] as number)) * HIGH + (low - (epoch[0] as number) + (low < 0 ? HIGH : 0))
    to[row] = high < FIRST_HIGH || high > LAST_HIGH || t > EXACT || t < -EXACT ? NaN : t
  }

  // What #other read: a number and its role, 0 where there is none.
  #role = 0
  #low = 0
  #high = 0

  /** Any field at `p`, its tag included. Answers where it ends, -1 where it is none. */
  #other(b: Uint8Array, p: number, end: number, row: number, first: number): number {
    this.#role = 0
    let tag = 0
    for (let shift = 0; ; shift += 7) {
      if (p >= end || shift > 28) return -1
      const c = b[p++] as number
      tag += (c & 0x7f) * 2 ** shift
      if (c < 0x80) break
    }
    const wire = tag % 8
    const field = Math.floor(tag / 8)
    if (field === 0) return -1
    const plan = field < DIRECT ? (this.#plan[field] as number) : (this.#more.get(field) ?? 0)
    let low = 0
    let high = 0
    if (wire === 0) {
      let c: number
      let shift = 0
      do {
        if (p >= end || shift > 63) return -1
        c = b[p++] as number
        if (shift < 28) low |= (c & 0x7f) << shift
        else if (shift === 28) {
          low |= c << 28
          high = (c & 0x7f) >>> 4
        } else high |= (c & 0x7f) << (shift - 32)
        shift += 7
      } while (c >= 0x80)
    } else if (wire === 2) {
      let length = 0
      for (let shift = 0; ; shift += 7) {
        if (p >= end || shift > 28) return -1
        const c = b[p++] as number
        length += (c & 0x7f) * 2 ** shift
        if (c < 0x80) break
      }
      const to = p + length
      if (!(to <= end)) return -1
      if (plan !== 0) {
        if ((plan & 7) !== 2) this.mismatches++
        else if (plan >>> 3 === ATTRIBUTES) {
          if (!this.#attribute(b, p, to, first)) this.mismatches++
        } else this.#hint(row, b, p, to)
      }
      return to
    } else if (wire === 5 || wire === 1) {
      const to = p + (wire === 5 ? 4 : 8)
      if (to > end) return -1
      low = word(b, p)
      if (wire === 1) high = word(b, p + 4)
      p = to
    } else return -1
    if (plan === 0) return p
    if ((plan & 7) !== wire) {
      this.mismatches++
      return p
    }
    this.#role = plan >>> 3
    if (this.#zigzag.has(this.#role)) {
      const negative = low & 1
      low = (low >>> 1) | (high << 31)
      high >>>= 1
      if (negative) {
        low = ~low
        high = ~high
      }
    }
    this.#low = low | 0
    this.#high = high | 0
    return p
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

  /**
   * Attributes that follow each other, the first one at `p` behind its tag. Answers where the last one ends, -1 where one is none. As every writer puts them: key, then value, both
   * shorter than 128 bytes; others go the long way.
   */
  #attributes(b: Uint8Array, p: number, end: number, tag: number, row: number, first: number): number {
    const s = this.#store
    const words = this.#words
    const { keys } = s
    let { attrKey, attrText, attrNumber } = s
    let at = s.attrs
    let before = at > first ? (attrKey[at - 1] as number) : -1
    for (;;) {
      // Tags and lengths of entry, key and value are these five bytes.
      const to = p + 1 + (b[p] as number)
      const keyEnd = p + 3 + (b[p + 2] as number)
      const from = keyEnd + 2
      if (to > end || from > to || b[p + 1] !== 0x0a || b[keyEnd] !== 0x12 || to - from !== b[keyEnd + 1] || to - p > 128) {
        s.attrs = at
        p = this.#other(b, p - 1, end, row, first)
        if (p < 0) return p
        ;({ attrKey, attrText, attrNumber } = s)
        if (s.attrs > at) before = attrKey[s.attrs - 1] as number
        at = s.attrs
      } else {
        if (at === attrKey.length) {
          s.attrs = at
          s.reserveAttributes(at + 1)
          ;({ attrKey, attrText, attrNumber } = s)
        }
        before = keys.intern(b, words, p + 3, keyEnd, before)
        attrKey[at] = before
        attrText[at] = numberAt(attrNumber, at, b, words, from, to) ? NUMBER : this.#text(b, from, to)
        at++
        p = to
      }
      if (p >= end || b[p] !== tag) break
      p++
    }
    s.attrs = at
    return p
  }

  /** One entry of the map (`first`: the message's first): key and value are texts. False where it is no entry. */
  #attribute(b: Uint8Array, p: number, end: number, first: number): boolean {
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
    s.attrKey[at] = s.keys.intern(b, this.#words, keyFrom, keyTo, at > first ? (s.attrKey[at - 1] as number) : -1)
    s.attrText[at] = numberAt(s.attrNumber, at, b, this.#words, from, to) ? NUMBER : this.#text(b, from, to)
  }

  #text(b: Uint8Array, from: number, to: number): number {
    const s = this.#store
    const digits = to - from
    // Addresses, device times and long texts hardly ever repeat.
    const unique = digits > 24 || (b[from] === 48 && b[from + 1] === 120) || (digits > 15 && allDigits(b, from, to))
    return unique ? LISTED - s.list.add(b, from, to) : s.texts.internBytes(b, from, to)
  }
}

/** Writes a whole number in plain digits that is exact in a double: it needs no text. False and NaN for all else. */
function numberAt(into: Float64Array, at: number, b: Uint8Array, words: DataView, from: number, to: number): boolean {
  const digits = to - from
  into[at] = NaN
  if (digits === 0 || digits > 15 || (digits > 1 && b[from] === 48)) return false
  const head = wholeAt(b, words, from, digits < 9 ? to : from + 8)
  if (head < 0) return false
  if (digits < 9) {
    into[at] = head
    return true
  }
  const tail = wholeAt(b, words, from + 8, to)
  if (tail < 0) return false
  into[at] = head * (POWERS[digits - 8] as number) + tail
  return true
}

const POWERS = Float64Array.from({ length: 9 }, (_, k) => 10 ** k)

/** Up to eight digits as a number; -1 where there are other characters. `words`: the same bytes. */
function wholeAt(b: Uint8Array, words: DataView, i: number, to: number): number {
  let value = 0
  for (; i + 4 <= to; i += 4) {
    const d = words.getInt32(i, true) ^ 0x30303030
    if (((d | (d + 0x06060606)) & 0xf0f0f0f0) !== 0) return -1
    // Two numbers below 100 in the halves of a word.
    const pairs = (Math.imul(d & 0x00ff00ff, 10) + ((d >>> 8) & 0x00ff00ff)) | 0
    value = (Math.imul(value, 10_000) + Math.imul(pairs & 0xffff, 100) + (pairs >>> 16)) | 0
  }
  for (; i < to; i++) {
    const d = (b[i] as number) - 48
    if (d < 0 || d > 9) return -1
    value = (Math.imul(value, 10) + d) | 0
  }
  return value
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
  (b[p] as number) | ((b[p + 1] as number) << 8) | ((b[p + 2] as number) << 16) | ((b[p + 3] as number) << 24)
