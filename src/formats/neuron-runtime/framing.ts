/**
 * How messages follow each other in a file of the runtime. No public source states it, so every plausible way is tried; one is taken only if it consumes the whole
 * file, or all but a tail shorter than the message it belongs to (a file that is being written, or was cut).
 */
export const FRAMING_NAMES = ['varint', 'u32', 'u64', 'wrapper', 'message'] as const
export type FramingName = (typeof FRAMING_NAMES)[number]

/** A framing; `field` is the number of the repeated field of a wrapper, 0 otherwise. */
export interface Framing {
  readonly name: FramingName
  readonly field: number
}

/** A message longer than this is taken for a wrong framing: real ones have some hundred bytes, trace_info some thousand. */
export const MAX_MESSAGE = 16 * 1024 * 1024

/** A message that is cut may always be this long. */
const TAIL_BYTES = 64 * 1024

export interface CutEnd {
  /** whole: every byte belongs to a message. cut: the last message is not complete. bad: the bytes cannot be messages framed like this. */
  readonly end: 'whole' | 'cut' | 'bad'
  /** Offset up to which all was well: the end, the begin of the cut message, or of the bad one. */
  readonly at: number
  readonly messages: number
  /** Bytes of the cut message that are there, and its length where that is known; 0 and 0 otherwise. */
  readonly tail: readonly [have: number, want: number]
}

/** Called with each whole message as `bytes[start, end)`; valid during the call. Answers false where it cannot be one. */
export type OnMessage = (bytes: Uint8Array, start: number, end: number) => boolean

/** Cuts a stream of chunks into messages. Holds at most one message that lies across chunks. */
export class Cutter {
  readonly #framing: FramingName
  readonly #field: number
  readonly #onMessage: OnMessage
  #carry = new Uint8Array(4096)
  #carried = 0
  /** Bytes of the stream before the begin of the message that is open. */
  #at = 0
  #bad = false
  #longest = 0
  messages = 0
  // What #head found: bytes of the head and of the body, whether the body is a message of ours.
  #headBytes = 0
  #bodyBytes = 0
  #ours = true

  constructor(framing: Framing, onMessage: OnMessage) {
    this.#framing = framing.name
    this.#field = framing.field
    this.#onMessage = onMessage
  }

  /** False when the bytes cannot be framed like this; further chunks are ignored then. */
  feed(chunk: Uint8Array): boolean {
    if (this.#bad) return false
    let from = 0
    if (this.#carried > 0 || this.#framing === 'message') {
      from = this.#feedCarry(chunk)
      if (this.#bad) return false
    }
    if (this.#framing === 'varint') {
      from = this.#feedShort(chunk, from)
      if (this.#bad) return false
    }
    while (from < chunk.length) {
      const known = this.#head(chunk, from, chunk.length)
      if (known < 0) return this.#fail()
      const total = this.#headBytes + this.#bodyBytes
      if (known === 0 || total > chunk.length - from) {
        this.#keep(chunk, from, chunk.length)
        return true
      }
      if (!this.#emit(chunk, from)) return false
      from += total
    }
    return true
  }

  /** The common case without detours: messages of less than 16 KiB that lie in the chunk whole. Answers where it stopped. */
  #feedShort(chunk: Uint8Array, from: number): number {
    const onMessage = this.#onMessage
    const begun = from
    const end = chunk.length - 2
    let longest = this.#longest
    let messages = 0
    while (from < end) {
      let start = from + 1
      let length = chunk[from] as number
      if (length >= 0x80) {
        const more = chunk[start++] as number
        if (more >= 0x80) break
        length = (length & 0x7f) | (more << 7)
      }
      if (length === 0 || start + length > chunk.length) break
      if (!onMessage(chunk, start, start + length)) {
        this.#fail()
        break
      }
      messages++
      if (length > longest) longest = length
      from = start + length
    }
    this.#longest = longest
    this.messages += messages
    this.#at += from - begun
    return from
  }

  /** Adds to the open message; answers how many bytes of the chunk were used for it. */
  #feedCarry(chunk: Uint8Array): number {
    if (this.#framing === 'message') {
      if (this.#carried + chunk.length > MAX_MESSAGE) this.#fail()
      else this.#keep(chunk, 0, chunk.length)
      return chunk.length
    }
    let used = 0
    for (;;) {
      const known = this.#head(this.#carry, 0, this.#carried)
      if (known < 0) {
        this.#fail()
        return used
      }
      // A head has at most 15 bytes: as long as it is not complete the bytes come one at a time.
      const want = known === 0 ? this.#carried + 1 : this.#headBytes + this.#bodyBytes
      if (known > 0 && this.#carried >= want) break
      const take = Math.min(want - this.#carried, chunk.length - used)
      if (take === 0) return used
      this.#keep(chunk, used, used + take)
      used += take
    }
    if (this.#emit(this.#carry, 0)) this.#carried = 0
    return used
  }

  #emit(b: Uint8Array, from: number): boolean {
    // Whole numbers for the machine, too, as in #feedShort.
    const start = (from + this.#headBytes) | 0
    const total = this.#headBytes + this.#bodyBytes
    if (this.#ours) {
      if (!this.#onMessage(b, start, (start + this.#bodyBytes) | 0)) return this.#fail()
      this.messages++
      if (total > this.#longest) this.#longest = total
    }
    this.#at += total
    return true
  }

  #fail(): false {
    this.#bad = true
    return false
  }

  #keep(b: Uint8Array, from: number, to: number): void {
    const need = this.#carried + to - from
    if (need > this.#carry.length) {
      const bigger = new Uint8Array(Math.min(Math.max(need, this.#carry.length * 2), MAX_MESSAGE + 64))
      bigger.set(this.#carry.subarray(0, this.#carried))
      this.#carry = bigger
    }
    this.#carry.set(from === 0 && to === b.length ? b : b.subarray(from, to), this.#carried)
    this.#carried = need
  }

  /** Looks at the head of the message at `from`: 1 known, 0 more bytes are needed, -1 bad. */
  #head(b: Uint8Array, from: number, end: number): -1 | 0 | 1 {
    this.#ours = true
    if (this.#framing === 'varint') return this.#lengthAt(b, from, from, end)
    if (this.#framing === 'u32' || this.#framing === 'u64') {
      const width = this.#framing === 'u32' ? 4 : 8
      if (end - from < width) return 0
      for (let i = from + 4; i < from + width; i++) if (b[i] !== 0) return -1
      const length =
        (b[from] as number) + (b[from + 1] as number) * 2 ** 8 + (b[from + 2] as number) * 2 ** 16 + (b[from + 3] as number) * 2 ** 24
      if (length === 0 || length > MAX_MESSAGE) return -1
      this.#headBytes = width
      this.#bodyBytes = length
      return 1
    }
    // A field of the wrapper.
    let tag = 0
    let at = from
    for (let shift = 0; ; shift += 7) {
      if (at >= end) return 0
      if (shift > 28) return -1
      const c = b[at++] as number
      tag += (c & 0x7f) * 2 ** shift
      if (c < 0x80) break
    }
    const field = Math.floor(tag / 8)
    const wire = tag % 8
    if (field < 1 || field >= 2 ** 29) return -1
    this.#ours = field === this.#field && wire === 2
    if (wire === 2) return this.#lengthAt(b, from, at, end)
    if (wire === 1 || wire === 5) this.#bodyBytes = wire === 1 ? 8 : 4
    else if (wire === 0) {
      let n = 0
      do {
        if (at + n >= end) return n > 9 ? -1 : 0
        if (n > 9) return -1
      } while ((b[at + n++] as number) >= 0x80)
      this.#bodyBytes = n
    } else return -1
    this.#headBytes = at - from
    return 1
  }

  /** A varint length at `at` of the message that begins at `from`. Empty messages are refused in streams of messages: a file of zeros is none. */
  #lengthAt(b: Uint8Array, from: number, at: number, end: number): -1 | 0 | 1 {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      if (at >= end) return 0
      if (shift > 28) return -1
      const c = b[at++] as number
      length += (c & 0x7f) * 2 ** shift
      if (c < 0x80) break
    }
    if (length > MAX_MESSAGE || (length === 0 && this.#ours)) return -1
    this.#headBytes = at - from
    this.#bodyBytes = length
    return 1
  }

  /** To be called once after the last chunk. */
  finish(): CutEnd {
    const { messages } = this
    const end = (end: CutEnd['end'], at: number, tail: CutEnd['tail'] = [0, 0]): CutEnd => ({ end, at, messages, tail })
    if (this.#bad) return end('bad', this.#at)
    if (this.#framing === 'message' && this.#carried > 0) {
      if (!this.#onMessage(this.#carry, 0, this.#carried)) return end('bad', 0)
      this.messages++
      return { end: 'whole', at: this.#carried, messages: 1, tail: [0, 0] }
    }
    if (this.#carried === 0) return end('whole', this.#at)
    const want = this.#head(this.#carry, 0, this.#carried) === 1 ? this.#headBytes + this.#bodyBytes : 0
    // A message many times as long as all others is no message that was cut, but bytes that are read wrongly.
    if (want > Math.max(TAIL_BYTES, 16 * this.#longest)) return end('bad', this.#at)
    return end('cut', this.#at, [this.#carried, want])
  }
}
