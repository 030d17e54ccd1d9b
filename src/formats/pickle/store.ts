/**
 * What the interpreter has built: strings, big integers and containers, all in typed arrays. An object is a row (kind, A, B); the items of a general container are a
 * linked list of nodes, so that a million APPENDS cost a million nodes and nothing is ever copied.
 */
import { grown, GrowU64 } from './grow'
import { Interner } from './interner'
import { LIMITS } from './limits'
import { BIG, FLOAT, I64, INT, OBJ, STR, TUPLE, U64 } from './tags'

/** A class, function or call that the file asked for: kept as a name and never looked up. */
export interface Opaque {
  /** `module.name`. */
  readonly name: string
  readonly tag: number
  /** Arguments it was to be called with (tag NONE: none). */
  readonly val: number
  /** Object (list) of what was appended to it, set on it or given as its state. */
  readonly items: number
}

/** Raised by the store and the machine; caught in `Machine.run`. */
export class PickleFault extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

const limit = (what: string, n: number): PickleFault => new PickleFault('pickle-limit', `more than ${n.toLocaleString('en-US')} ${what}`)

export class Store {
  readonly strings = new Interner()
  readonly wide = new GrowU64()
  readonly bigs: bigint[] = []
  readonly opaques: Opaque[] = []

  objKind = new Uint8Array(4096)
  objA = new Int32Array(4096)
  objB = new Int32Array(4096)
  objects = 0

  nodeTag = new Uint8Array(1024)
  nodeVal = new Float64Array(1024)
  nodeNext = new Int32Array(1024)
  #nodes = 0
  #free = -1
  readonly #pairs = new Map<number, number>()
  /** The object after the last pair that is kept for later. */
  #kept = 0

  newObject(kind: number, a = -1, b = -1): number {
    const o = this.objects
    if (o === this.objKind.length) this.reserveObjects(o + 1)
    this.objKind[o] = kind
    this.objA[o] = a
    this.objB[o] = b
    this.objects = o + 1
    return o
  }

  /** Room for `length` objects at least. Fresh pages of memory cost nothing until they are used. */
  reserveObjects(length: number): void {
    if (this.objects >= LIMITS.objects) throw limit('objects', LIMITS.objects)
    if (length <= this.objKind.length) return
    const n = grown(this.objKind.length, length)
    const kind = new Uint8Array(n)
    kind.set(this.objKind)
    this.objKind = kind
    const a = new Int32Array(n)
    a.set(this.objA)
    this.objA = a
    const b = new Int32Array(n)
    b.set(this.objB)
    this.objB = b
  }

  /** Appends one item to a container of nodes. */
  append(obj: number, tag: number, val: number): void {
    let node = this.#free
    if (node >= 0) this.#free = this.nodeNext[node] as number
    else {
      node = this.#nodes
      if (node === this.nodeTag.length) this.#growNodes()
      this.#nodes++
    }
    this.nodeTag[node] = tag
    this.nodeVal[node] = val
    this.nodeNext[node] = -1
    const last = this.objB[obj] as number
    if (last < 0) this.objA[obj] = node
    else this.nodeNext[last] = node
    this.objB[obj] = node
  }

  #growNodes(): void {
    if (this.#nodes >= LIMITS.nodes) throw limit('items', LIMITS.nodes)
    const n = grown(this.#nodes, this.#nodes + 1)
    const tag = new Uint8Array(n)
    tag.set(this.nodeTag)
    this.nodeTag = tag
    const val = new Float64Array(n)
    val.set(this.nodeVal)
    this.nodeVal = val
    const next = new Int32Array(n)
    next.set(this.nodeNext)
    this.nodeNext = next
  }

  /** Gives the nodes of a container back; the caller changes its kind. */
  release(obj: number): void {
    const first = this.objA[obj] as number
    if (first < 0) return
    this.nodeNext[this.objB[obj] as number] = this.#free
    this.#free = first
    this.objA[obj] = -1
    this.objB[obj] = -1
  }

  /** Tuple of two small integers; equal ones are one object, so that a pool id per event costs nothing. */
  intPair(a: number, b: number): number {
    const small = a >= 0 && b >= 0 && a < 0x2000000 && b < 0x2000000
    const key = a * 0x2000000 + b
    const known = small ? this.#pairs.get(key) : undefined
    if (known !== undefined) return known
    const t = this.newObject(TUPLE)
    this.append(t, INT, a)
    this.append(t, INT, b)
    if (small && this.#pairs.size < 4096) {
      this.#pairs.set(key, t)
      this.#kept = t + 1
    }
    return t
  }

  /** Forgets the objects from `object` on: nothing refers to them any more. Pairs that may be met again stay, and what was made before them. */
  forget(object: number): void {
    this.objects = Math.max(object, this.#kept)
  }

  addOpaque(name: string, tag: number, val: number, items: number): number {
    if (this.opaques.length >= LIMITS.opaques) throw limit('classes and calls', LIMITS.opaques)
    return this.opaques.push({ name, tag, val, items }) - 1
  }

  /** Exact integer of an INT, U64, I64 or BIG. */
  integer(tag: number, val: number): bigint | null {
    if (tag === INT) return BigInt(val)
    if (tag === U64) return this.wide.at(val)
    if (tag === I64) return BigInt.asIntN(64, this.wide.at(val))
    if (tag === BIG) return this.bigs[val] as bigint
    return null
  }

  /** A number as a double (rounded beyond 2^53); NaN for anything that is no number. */
  number(tag: number, val: number): number {
    if (tag === INT || tag === FLOAT) return val
    const i = this.integer(tag, val)
    return i === null ? NaN : Number(i)
  }

  isString(tag: number, val: number, id: number): boolean {
    return tag === STR && val === id
  }

  /** Kind of an object value, -1 for anything else. */
  kind(tag: number, val: number): number {
    return tag === OBJ ? (this.objKind[val] as number) : -1
  }
}
