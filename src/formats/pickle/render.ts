/**
 * Values of the store as JSON text: for what a format keeps without understanding it. Integers are exact, tuples and sets are lists, bytes are text of the form b'..',
 * opaque values say what was asked for. The text ends with an ellipsis when it would grow beyond `limit`; depth is bounded, so shared and cyclic values end too.
 */
import type { Store } from './store'
import {
  BIG,
  BYTES,
  DICT,
  DICT_EMPTY,
  DICT_PLAIN,
  FALSE,
  FLOAT,
  FROZENSET,
  I64,
  INT,
  LIST,
  LIST_EMPTY,
  NONE,
  OBJ,
  OPAQUE,
  SET,
  STR,
  TRUE,
  TUPLE,
  U64,
} from './tags'
import { decodeText } from './text'

const DEPTH = 48

/** Lets a format show its own kinds as JSON; `null` for a kind it does not know. */
export type RenderShape = (obj: number, out: JsonText, depth: number) => boolean

export class JsonText {
  text = ''
  cut = false
  readonly #store: Store
  readonly #limit: number
  readonly #shape: RenderShape | null

  constructor(store: Store, limit: number, shape: RenderShape | null = null) {
    this.#store = store
    this.#limit = limit
    this.#shape = shape
  }

  /** Adds text; false when the limit was reached. */
  put(part: string): boolean {
    if (this.cut) return false
    if (this.text.length + part.length > this.#limit) {
      this.text += part.slice(0, this.#limit - this.text.length) + '…'
      this.cut = true
      return false
    }
    this.text += part
    return true
  }

  string(id: number): boolean {
    // Not more of a long string is decoded than is shown.
    return this.put(JSON.stringify(decodeText(this.#store.strings.raw(id).subarray(0, this.#limit + 8))))
  }

  value(tag: number, val: number, depth = 0): boolean {
    const store = this.#store
    switch (tag) {
      case NONE:
        return this.put('null')
      case TRUE:
        return this.put('true')
      case FALSE:
        return this.put('false')
      case INT:
      case U64:
      case I64:
      case BIG:
        return this.put(String(store.integer(tag, val)))
      case FLOAT:
        return this.put(Number.isFinite(val) ? String(val) : `"${val}"`)
      case STR:
        return this.string(val)
      case BYTES:
        return this.put(JSON.stringify(bytesText(store.strings.raw(val).subarray(0, this.#limit))))
      case OBJ:
        return this.#object(val, depth)
      default:
        return this.put('null')
    }
  }

  #object(obj: number, depth: number): boolean {
    const store = this.#store
    if (depth >= DEPTH) return this.put('"…"')
    switch (store.objKind[obj]) {
      case LIST_EMPTY:
        return this.put('[]')
      case LIST:
      case TUPLE:
      case SET:
      case FROZENSET: {
        if (!this.put('[')) return false
        for (let n = store.objA[obj] as number, i = 0; n >= 0; n = store.nodeNext[n] as number, i++) {
          if (i > 0 && !this.put(', ')) return false
          if (!this.value(store.nodeTag[n] as number, store.nodeVal[n] as number, depth + 1)) return false
        }
        return this.put(']')
      }
      case DICT_EMPTY:
        return this.put('{}')
      case DICT:
      case DICT_PLAIN: {
        if (!this.put('{')) return false
        for (let n = store.objA[obj] as number, i = 0; n >= 0; i++) {
          if (i > 0 && !this.put(', ')) return false
          if (!this.#key(store.nodeTag[n] as number, store.nodeVal[n] as number, depth + 1) || !this.put(': ')) return false
          n = store.nodeNext[n] as number
          if (!this.value(store.nodeTag[n] as number, store.nodeVal[n] as number, depth + 1)) return false
          n = store.nodeNext[n] as number
        }
        return this.put('}')
      }
      case OPAQUE: {
        const o = store.opaques[store.objA[obj] as number] as (typeof store.opaques)[number]
        if (!this.put(`{"opaque": ${JSON.stringify(o.name)}`)) return false
        if (o.tag !== NONE && !(this.put(', "args": ') && this.value(o.tag, o.val, depth + 1))) return false
        if (store.objKind[o.items] === LIST && (store.objA[o.items] as number) >= 0)
          if (!(this.put(', "items": ') && this.#object(o.items, depth + 1))) return false
        return this.put('}')
      }
      default:
        return this.#shape?.(obj, this, depth) ? !this.cut : this.put('null')
    }
  }

  #key(tag: number, val: number, depth: number): boolean {
    if (tag === STR) return this.string(val)
    const inner = new JsonText(this.#store, 256, this.#shape)
    inner.value(tag, val, depth)
    return this.put(JSON.stringify(inner.text))
  }
}

/** Bytes as Python shows them: `b'\x01a'`. */
export function bytesText(bytes: Uint8Array): string {
  let out = "b'"
  for (const b of bytes)
    out +=
      b === 0x5c || b === 0x27
        ? '\\' + String.fromCharCode(b)
        : b >= 32 && b < 127
          ? String.fromCharCode(b)
          : '\\x' + b.toString(16).padStart(2, '0')
  return out + "'"
}
