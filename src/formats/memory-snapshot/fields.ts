/** The values of one dict by their keys: each as the column wants it, or a word about why it does not fit. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { Builder } from '../pickle/builder'
import type { Store } from '../pickle/store'
import { FALSE, FLOAT, INT, LIST, NONE, STR, TRUE, TUPLE } from '../pickle/tags'
import { key, KEY_COUNT } from './keys'
import type { Texts } from './texts'

const STREAM = key('stream')
const DEVICE = key('device')
const CATEGORY = key('category')

export class Fields {
  /** Stack position of the value of each known key, valid where `seen` is the present generation. */
  readonly slot = new Int32Array(KEY_COUNT)
  readonly seen = new Int32Array(KEY_COUNT)
  generation = 0
  readonly streams: string[] = []
  readonly pools: string[] = []

  readonly #machine: Builder
  readonly #store: Store
  readonly #sink: DiagnosticSink
  readonly #texts: Texts
  readonly #streamIds = new Map<number | string, number>()
  #lastStream = NaN
  #lastStreamId = -1
  readonly #poolIds = new Map<string, number>()
  readonly #poolOf = new Map<number, number>()

  constructor(machine: Builder, sink: DiagnosticSink, texts: Texts) {
    this.#machine = machine
    this.#store = machine.store
    this.#sink = sink
    this.#texts = texts
  }

  has(k: number): boolean {
    return this.seen[k] === this.generation
  }

  /** An exact finite number; NaN for None, NaN and a diagnostic for anything else. */
  number(tags: Uint8Array, vals: Float64Array, k: number): number {
    const i = this.slot[k] as number
    const v = vals[i] as number
    if (tags[i] === INT || (tags[i] === FLOAT && Number.isFinite(v) && Math.abs(v) <= Number.MAX_SAFE_INTEGER)) return v
    if (tags[i] !== NONE) this.bad(this.#machine.text(k), tags[i] as number, v)
    return NaN
  }

  /** A size of zero or more; NaN and a diagnostic where it is missing or none. */
  size(tags: Uint8Array, vals: Float64Array, k: number): number {
    if (!this.has(k)) {
      this.bad(this.#machine.text(k), -1, 0)
      return NaN
    }
    const v = this.number(tags, vals, k)
    if (v < 0 || tags[this.slot[k] as number] === NONE) {
      this.bad(this.#machine.text(k), tags[this.slot[k] as number] as number, v)
      return NaN
    }
    return v
  }

  /** A size that a version may lack; NaN where it does. */
  maybeSize(tags: Uint8Array, vals: Float64Array, k: number): number {
    return this.has(k) ? this.size(tags, vals, k) : NaN
  }

  /** A device index; -1 where it is none, with a diagnostic unless that is what stands for a missing one. */
  device(tags: Uint8Array, vals: Float64Array, absent: number): number {
    if (!this.has(DEVICE)) return absent
    const v = this.number(tags, vals, DEVICE)
    if (Number.isInteger(v) && v >= 0 && v < 0x7fffffff) return v
    const i = this.slot[DEVICE] as number
    // What is no number at all has been told about; None and -1 are how an annotation says that it belongs to no device.
    if (tags[i] === NONE ? absent !== -1 : !Number.isNaN(v) && v !== absent) this.bad('device', tags[i] as number, vals[i] as number)
    return -1
  }

  flag(tags: Uint8Array, vals: Float64Array, k: number): number {
    const tag = tags[this.slot[k] as number]
    if (tag === TRUE || tag === FALSE) return tag === TRUE ? 1 : 0
    const v = this.number(tags, vals, k)
    return v === 0 ? 0 : v === 1 ? 1 : 255
  }

  address(into: { push(low: number, high: number): number }, tags: Uint8Array, vals: Float64Array, k: number): void {
    const bits = this.has(k) ? this.#store.integer(tags[this.slot[k] as number] as number, vals[this.slot[k] as number] as number) : 0n
    if (bits === null) this.bad(this.#machine.text(k), tags[this.slot[k] as number] as number, vals[this.slot[k] as number] as number)
    const u = BigInt.asUintN(64, bits ?? 0n)
    into.push(Number(u & 0xffffffffn), Number(u >> 32n))
  }

  stream(tags: Uint8Array, vals: Float64Array): number {
    if (!this.has(STREAM)) return -1
    const i = this.slot[STREAM] as number
    const v = vals[i] as number
    if (tags[i] === INT) {
      if (v === this.#lastStream) return this.#lastStreamId
      this.#lastStream = v
      return (this.#lastStreamId = this.#streamId(v))
    }
    const big = this.#store.integer(tags[i] as number, v)
    return this.#streamId(big === null ? this.#texts.value(tags[i] as number, v) : String(big))
  }
  #streamId(v: number | string): number {
    let id = this.#streamIds.get(v)
    if (id === undefined) {
      id = this.streams.push(String(v)) - 1
      this.#streamIds.set(v, id)
    }
    return id
  }

  pool(tags: Uint8Array, vals: Float64Array, k: number): number {
    const i = this.slot[k] as number
    const store = this.#store
    const obj = vals[i] as number
    if (tags[i] === NONE) return -1
    const kind = store.kind(tags[i] as number, obj)
    const known = kind === TUPLE ? this.#poolOf.get(obj) : undefined
    if (known !== undefined) return known
    const parts: string[] = []
    if (kind === TUPLE || kind === LIST)
      for (let n = store.objA[obj] as number; n >= 0 && parts.length < 3; n = store.nodeNext[n] as number)
        parts.push(String(store.integer(store.nodeTag[n] as number, store.nodeVal[n] as number)))
    if (parts.length !== 2 || parts.includes('null')) {
      this.bad(this.#machine.text(k), tags[i] as number, obj)
      return -1
    }
    const text = parts.join(',')
    let id = this.#poolIds.get(text)
    if (id === undefined) {
      id = this.pools.push(text) - 1
      this.#poolIds.set(text, id)
    }
    if (kind === TUPLE && this.#poolOf.size < 65536) this.#poolOf.set(obj, id)
    return id
  }

  /** A category is a text, or an index of the top-level `categories`, which may come later: -2 - index. */
  category(tags: Uint8Array, vals: Float64Array): number {
    const i = this.slot[CATEGORY] as number
    const v = vals[i] as number
    if (tags[i] === INT && v >= 0 && v < 0x40000000) return -2 - v
    return this.text(tags, vals, CATEGORY)
  }

  /** String id of a text; other values as JSON text; -1 for None. */
  text(tags: Uint8Array, vals: Float64Array, k: number): number {
    if (!this.has(k)) return -1
    const i = this.slot[k] as number
    if (tags[i] === STR) return (vals[i] as number) | 0
    return tags[i] === NONE ? -1 : this.#texts.id(tags[i] as number, vals[i] as number)
  }

  /** Tells that a value is missing (tag -1) or does not fit. */
  bad(name: string, tag: number, val: number): void {
    this.#sink.add({
      severity: 'warning',
      code: 'snapshot-bad-value',
      offset: this.#machine.offset,
      message: tag < 0 ? `A record has no ${name}.` : `The value of ${name} is ${this.#texts.value(tag, val, 80)}, which does not fit.`,
      meaning: 'The value counts as unknown; totals that need it leave the record out.',
      action: 'Check what wrote the file; PyTorch writes no such value.',
    })
  }
}
