/** Decoded messages as growing columns, before they are paired. Columns that most files leave empty are made when the first value comes. */
import { StringPool } from '../chrome-trace/strings'
import { KeyTable } from './keys'

/** Texts that hardly ever repeat (addresses, times): appended without looking for an equal one. */
export class TextList {
  bytes = new Uint8Array(1 << 12)
  used = 0
  offsets = new Uint32Array(1 << 10)
  count = 0

  /** Makes room for so many texts and bytes in all. */
  reserve(count: number, bytes: number): void {
    if (bytes > this.bytes.length) this.bytes = resized(this.bytes, bytes, this.used)
    if (count + 1 > this.offsets.length) this.offsets = resized(this.offsets, count + 1, this.count + 1)
  }

  add(b: Uint8Array, s: number, e: number): number {
    if (this.used + e - s > this.bytes.length) this.bytes = grow(this.bytes, this.used + e - s)
    if (this.count + 2 > this.offsets.length) this.offsets = grow(this.offsets, this.count + 2)
    const to = this.bytes
    let at = this.used
    for (let i = s; i < e; i++) to[at++] = b[i] as number
    this.used = at
    this.offsets[++this.count] = at
    return this.count - 1
  }
}

export function grow<T extends Uint8Array | Uint32Array | Int32Array | Float64Array>(old: T, need: number): T {
  const bigger = new (old.constructor as new (n: number) => T)(Math.max(need, old.length + (old.length >>> 1)))
  bigger.set(old)
  return bigger
}

/** A larger array with the first `used` values of another; the rest is `fill`. */
export function resized<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  old: T,
  size: number,
  used = old.length,
  fill = 0,
): T {
  const bigger = new (old.constructor as new (n: number) => T)(size)
  bigger.set(used < old.length ? old.subarray(0, used) : old)
  if (fill !== 0) bigger.fill(fill, used)
  return bigger
}

/** The first `count` values. A copy costs more than a little room at the end. */
export function cut<T extends Uint8Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | Int32Array<ArrayBuffer> | Float64Array<ArrayBuffer>>(
  a: T,
  count: number,
): T {
  return (count > 0.8 * a.length ? a.subarray(0, count) : a.slice(0, count)) as T
}

/** `text` of an attribute: 0 and above is an id of `texts`, NUMBER a number, LISTED - k entry k of `list`. */
export const NUMBER = -2
export const LISTED = -3

/** Halves of 64-bit values: value i is [2i] (low) and [2i + 1] (high), as a little-endian BigUint64Array lies in memory. */
type Halves = Uint32Array<ArrayBuffer>

export class EventStore {
  n = 0
  /** Messages that are not kept any more. */
  dropped = 0
  size: number
  /** ns relative to the epoch; NaN where the message has no usable time. */
  time: Float64Array<ArrayBuffer>
  type: Int32Array<ArrayBuffer>
  phase: Uint8Array<ArrayBuffer>
  nc: Int32Array<ArrayBuffer>
  nd: Int32Array<ArrayBuffer>
  thread: Float64Array<ArrayBuffer>
  tracking: Halves
  id: Halves
  /** `attrStart[i]`: first attribute of message i; the end is the next one's, or `attrs`. */
  attrStart: Uint32Array<ArrayBuffer>
  parent: Halves | null = null
  sequence: Halves | null = null
  hasSequence: Uint8Array<ArrayBuffer> | null = null
  status: Halves | null = null
  data: Halves | null = null
  eventType: Halves | null = null
  duration: Halves | null = null
  hint: Int32Array<ArrayBuffer> | null = null
  attrs = 0
  attrKey = new Int32Array(1 << 12)
  attrText = new Int32Array(1 << 12)
  attrNumber = new Float64Array(1 << 12)
  readonly keys = new KeyTable()
  readonly texts = new StringPool()
  readonly list = new TextList()

  constructor(size = 1 << 12) {
    this.size = size
    this.time = new Float64Array(size)
    this.type = new Int32Array(size)
    this.phase = new Uint8Array(size)
    this.nc = new Int32Array(size)
    this.nd = new Int32Array(size)
    this.thread = new Float64Array(size)
    this.tracking = new Uint32Array(2 * size)
    this.id = new Uint32Array(2 * size)
    this.attrStart = new Uint32Array(size)
  }

  /** Makes room for `rows` messages. */
  reserve(rows: number): void {
    if (rows <= this.size) return
    const size = Math.max(rows, this.size + (this.size >>> 1))
    const n = this.n
    this.size = size
    this.time = resized(this.time, size, n)
    this.type = resized(this.type, size, n)
    this.phase = resized(this.phase, size, n)
    this.nc = resized(this.nc, size, n)
    this.nd = resized(this.nd, size, n)
    this.thread = resized(this.thread, size, n)
    this.tracking = resized(this.tracking, 2 * size, 2 * n)
    this.id = resized(this.id, 2 * size, 2 * n)
    this.attrStart = resized(this.attrStart, size, n)
    if (this.parent) this.parent = resized(this.parent, 2 * size, 2 * n)
    if (this.sequence) this.sequence = resized(this.sequence, 2 * size, 2 * n)
    if (this.hasSequence) this.hasSequence = resized(this.hasSequence, size, n)
    if (this.status) this.status = resized(this.status, 2 * size, 2 * n)
    if (this.data) this.data = resized(this.data, 2 * size, 2 * n)
    if (this.eventType) this.eventType = resized(this.eventType, 2 * size, 2 * n)
    if (this.duration) this.duration = resized(this.duration, 2 * size, 2 * n)
    if (this.hint) this.hint = resized(this.hint, size, n, -1)
  }

  reserveAttributes(count: number): void {
    if (count <= this.attrKey.length) return
    const size = Math.max(count, this.attrKey.length + (this.attrKey.length >>> 1))
    this.attrKey = resized(this.attrKey, size, this.attrs)
    this.attrText = resized(this.attrText, size, this.attrs)
    this.attrNumber = resized(this.attrNumber, size, this.attrs)
  }

  /** Forgets the first `count` messages and their attributes; those after them move to the front. */
  drop(count: number): void {
    const { n, attrs } = this
    const first = count < n ? (this.attrStart[count] as number) : attrs
    const left = n - count
    for (const a of [this.time, this.type, this.phase, this.nc, this.nd, this.thread, this.attrStart]) a.copyWithin(0, count, n)
    for (const a of [this.tracking, this.id]) a.copyWithin(0, 2 * count, 2 * n)
    for (const a of [this.attrKey, this.attrText, this.attrNumber]) a.copyWithin(0, first, attrs)
    for (let i = 0; i < left; i++) this.attrStart[i] = (this.attrStart[i] as number) - first
    // These are only written where a message has a value.
    for (const a of [this.parent, this.sequence, this.status, this.data, this.eventType, this.duration])
      if (a) a.copyWithin(0, 2 * count, 2 * n).fill(0, 2 * left, 2 * n)
    if (this.hasSequence) this.hasSequence.copyWithin(0, count, n).fill(0, left, n)
    if (this.hint) this.hint.copyWithin(0, count, n).fill(-1, left, n)
    this.dropped += count
    this.n = left
    this.attrs = attrs - first
  }

  /** Messages decoded. */
  get messages(): number {
    return this.dropped + this.n
  }

  attrEnd(i: number): number {
    return i + 1 < this.n ? (this.attrStart[i + 1] as number) : this.attrs
  }
}

/** Attribute of a message: its place in the attribute columns; -1. */
export function attributeAt(s: EventStore, row: number, key: number): number {
  const end = s.attrEnd(row)
  for (let i = s.attrStart[row] as number; i < end; i++) if (s.attrKey[i] === key) return i
  return -1
}

/** A small number in an attribute; -1 where there is none. */
export function attributeOf(s: EventStore, row: number, key: number): number {
  const at = attributeAt(s, row, key)
  return at >= 0 && s.attrText[at] === NUMBER ? (s.attrNumber[at] as number) : -1
}
