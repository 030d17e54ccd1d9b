/**
 * A look at some messages without a schema: which fields they have, with which values. Everything that decides about framing, numbering and roles works on this, so
 * that a decision costs the same for a file of any size.
 */
import { exact, walkFields } from '../protobuf/wire'
import { Cutter, FRAMING_NAMES, type CutEnd, type Framing } from './framing'

/** Messages with more different fields than this are no messages of the runtime. */
const MAX_FIELDS = 64
const MAX_ENTRIES = 256

/** One field over all messages of a sample. */
export interface FieldSeen {
  readonly number: number
  /** Messages in which it stands with each wire type. */
  readonly wires: { readonly 0: number; readonly 1: number; readonly 2: number; readonly 5: number }
  /** Messages that have it, and those that have it more than once. */
  readonly messages: number
  readonly repeats: number
  /** Value per message: varints and fixed numbers; 0 where absent, as protobuf means it. */
  readonly value: BigUint64Array
  /** 1 where the message has it. */
  readonly has: Uint8Array
  /** Length-delimited: how many times it is a map entry of two texts, and how many times it is UTF-8 text. */
  readonly entries: number
  readonly texts: number
  /** Length-delimited: times in all. */
  readonly times: number
  /** Map entries per message, [key, value]. */
  readonly pairs: readonly (readonly (readonly [string, string])[])[]
  /** Last text per message, '' where absent or no text. */
  readonly text: readonly string[]
}

export interface Sample {
  readonly count: number
  readonly fields: ReadonlyMap<number, FieldSeen>
}

class Field {
  readonly wires = { 0: 0, 1: 0, 2: 0, 5: 0 }
  messages = 0
  repeats = 0
  entries = 0
  texts = 0
  times = 0
  last = -1
  repeated = -1
  readonly value: BigUint64Array
  readonly has: Uint8Array
  readonly pairs: (readonly [string, string])[][] = []
  readonly text: string[] = []
  readonly number: number
  constructor(number: number, size: number) {
    this.number = number
    this.value = new BigUint64Array(size)
    this.has = new Uint8Array(size)
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** `b[start, end)` as text; null where it is no UTF-8 or has control bytes. */
export function textOf(b: Uint8Array, start: number, end: number): string | null {
  if (end - start > 65536) return null
  for (let i = start; i < end; i++) if ((b[i] as number) < 0x20 && b[i] !== 0x09 && b[i] !== 0x0a && b[i] !== 0x0d) return null
  try {
    return utf8.decode(b.subarray(start, end))
  } catch {
    return null
  }
}

/** A map entry: field 1 a text, field 2 a text or absent, nothing else. */
function entryOf(b: Uint8Array, start: number, end: number): readonly [string, string] | null {
  let key: string | null = null
  let value: string | null = ''
  const walk = walkFields(b, start, end, f => {
    if (f.wire !== 2 || f.number > 2) return false
    const t = textOf(b, f.start, f.end)
    if (f.number === 1) key = t
    else value = t
    return t !== null
  })
  return walk.end === 'whole' && key !== null && key !== '' && value !== null ? [key, value] : null
}

/** Gathers up to `size` messages. `add` answers false for bytes that are no protobuf message. */
export class SampleBuilder {
  readonly #size: number
  readonly #fields = new Map<number, Field>()
  #count = 0

  constructor(size: number) {
    this.#size = size
  }

  get full(): boolean {
    return this.#count >= this.#size
  }

  add(b: Uint8Array, start: number, end: number): boolean {
    const at = this.#count
    if (at >= this.#size) return true
    const view = new DataView(b.buffer, b.byteOffset, b.length)
    const walk = walkFields(b, start, end, f => {
      let field = this.#fields.get(f.number)
      if (!field) {
        if (this.#fields.size >= MAX_FIELDS) return false
        this.#fields.set(f.number, (field = new Field(f.number, this.#size)))
      }
      field.wires[f.wire]++
      if (field.last === at) {
        if (field.repeated !== at) field.repeats++
        field.repeated = at
      } else field.messages++
      field.last = at
      field.has[at] = 1
      if (f.wire === 0) field.value[at] = exact(b, f)
      else if (f.wire === 1) field.value[at] = view.getBigUint64(f.start, true)
      else if (f.wire === 5) field.value[at] = BigInt(view.getUint32(f.start, true))
      else {
        field.times++
        const pair = entryOf(b, f.start, f.end)
        const list = (field.pairs[at] ??= [])
        if (pair) {
          field.entries++
          if (list.length < MAX_ENTRIES) list.push(pair)
        }
        const text = textOf(b, f.start, f.end)
        if (text !== null) {
          field.texts++
          field.text[at] = text
        }
      }
      return true
    })
    if (walk.end !== 'whole') return false
    this.#count++
    return true
  }

  take(): Sample {
    const count = this.#count
    const fields = [...this.#fields.values()].sort((a, b) => a.number - b.number)
    return {
      count,
      fields: new Map(
        fields
          // A field may come from a message that was refused in the end.
          .filter(f => f.has.subarray(0, count).includes(1))
          .map(f => [
            f.number,
            {
              ...f,
              value: f.value.subarray(0, count),
              has: f.has.subarray(0, count),
              pairs: Array.from({ length: count }, (_, i) => f.pairs[i] ?? []),
              text: Array.from({ length: count }, (_, i) => f.text[i] ?? ''),
            },
          ]),
      ),
    }
  }
}

/** One framing as the head of a file shows it. */
export interface FramingTry {
  readonly framing: Framing
  readonly end: CutEnd
  readonly sample: Sample
}

/**
 * Every framing under which `head` parses, with a sample of its messages, the most plausible first: those that fit to the end of the file before those that do not.
 * `whole`: the head is the whole file. The tries that failed are in `failed`.
 */
export function tryFramings(
  head: Uint8Array,
  whole: boolean,
  size = 2000,
): { readonly fits: readonly FramingTry[]; readonly failed: readonly FramingTry[] } {
  const tries: FramingTry[] = []
  for (const name of FRAMING_NAMES) {
    const field = name === 'wrapper' ? wrapperField(head) : 0
    if (name === 'wrapper' && field === 0) continue
    if (name === 'message' && !whole) continue
    tries.push(tryFraming(head, { name, field }, size))
  }
  const fits = tries.filter(t => t.end.end !== 'bad' && t.end.messages > 0)
  return {
    fits: fits.sort((a, b) => Number(a.end.end !== 'whole') - Number(b.end.end !== 'whole')),
    failed: tries.filter(t => !fits.includes(t)),
  }
}

export function tryFraming(head: Uint8Array, framing: Framing, size = 2000): FramingTry {
  const builder = new SampleBuilder(size)
  const cutter = new Cutter(framing, (b, from, to) => builder.add(b, from, to))
  cutter.feed(head)
  return { framing, end: cutter.finish(), sample: builder.take() }
}

/** Number of the length-delimited field that holds most of the bytes of a message that begins the head; 0 where there is none. */
function wrapperField(head: Uint8Array): number {
  const bytes = new Map<number, number>()
  walkFields(head, 0, head.length, f => {
    if (f.wire === 2) bytes.set(f.number, (bytes.get(f.number) ?? 0) + f.end - f.start)
    return bytes.size <= MAX_FIELDS
  })
  let most = 0
  for (const [field, n] of bytes) if (n > (bytes.get(most) ?? 0)) most = field
  return most
}
