/** Values as text: what the format does not define is kept that way, within a budget, since values may share parts. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { Builder } from '../pickle/builder'
import { JsonText, type RenderShape } from '../pickle/render'
import { BYTES, OBJ, STR } from '../pickle/tags'
import { KEY_COUNT } from './keys'

/** Text of one unknown value, and of all of them together. */
const EXTRA_TEXT = 4096
const EXTRA_BUDGET = 1 << 23

export class Texts {
  readonly #machine: Builder
  readonly #sink: DiagnosticSink
  readonly #shape: RenderShape
  readonly #rendered = new Map<number, number>()
  #budget = EXTRA_BUDGET

  /** `shape` writes the records of the format. */
  constructor(machine: Builder, sink: DiagnosticSink, shape: RenderShape) {
    this.#machine = machine
    this.#sink = sink
    this.#shape = shape
  }

  /** Pairs whose keys are not `known`, as one JSON object; -1 where there is none. */
  pairs(known: Uint8Array, tags: Uint8Array, vals: Float64Array, from: number, to: number): number {
    const parts: string[] = []
    for (let i = from; i < to && parts.length < 32; i += 2) {
      const k = vals[i] as number
      if (k < KEY_COUNT && known[k] === 1) continue
      parts.push(`${JSON.stringify(this.#machine.text(k))}: ${this.value(tags[i + 1] as number, vals[i + 1] as number, EXTRA_TEXT)}`)
    }
    return parts.length === 0 ? -1 : this.#machine.store.strings.internText(`{${parts.join(', ')}}`)
  }

  /** String id of a value: a text itself, other values as JSON text. */
  id(tag: number, val: number): number {
    if (tag === STR) return val
    if (tag !== OBJ && tag !== BYTES) return this.#machine.store.strings.internText(this.value(tag, val))
    // In JSON every value is met once, and its object may be another one's later.
    const shared = tag === OBJ && this.#machine.family === 'pickle'
    const known = shared ? this.#rendered.get(val) : undefined
    if (known !== undefined) return known
    const id = this.#machine.store.strings.internText(this.value(tag, val, EXTRA_TEXT))
    if (shared && this.#rendered.size < 1 << 20) this.#rendered.set(val, id)
    return id
  }

  /** JSON text of any value, at most `limit` characters; all of them together stay within a budget, since values may share parts. */
  value(tag: number, val: number, limit = EXTRA_TEXT): string {
    if (tag === OBJ && this.#budget <= 0) {
      this.#sink.add({
        severity: 'warning',
        code: 'snapshot-text-budget',
        offset: this.#machine.offset,
        message: 'The values of unknown keys are more text than is kept.',
        meaning: 'Further ones are shown as an ellipsis. Byte figures are not affected.',
        action: 'Nothing to do.',
      })
      return '…'
    }
    const out = new JsonText(this.#machine.store, limit, this.#shape)
    out.value(tag, val)
    if (tag === OBJ) this.#budget -= out.text.length + 16
    return out.text
  }
}
