/** Lists of frames while they are filled, and the stacks that they become: most of what a snapshot holds. */
import type { DiagnosticSink } from '../../shared/diagnostics'
import type { Builder } from '../pickle/builder'
import { GrowI32 } from '../pickle/grow'
import { LIST, LIST_EMPTY, NONE, OBJ, STR, TUPLE } from '../pickle/tags'
import { EMPTY_ID } from './keys'
import { FRAME, FRAMES, STACK } from './kinds'
import { FrameInterner, StackInterner } from './stacks'
import type { Texts } from './texts'

/** What stands under `frames` is no list. */
export const NO_FRAMES = -2

export class FrameLists {
  readonly frames = new FrameInterner()
  readonly stacks = new StackInterner()
  /** Frame ids of lists that are being built. */
  readonly pending = new GrowI32(4096)
  /** The list of frames that was filled last, and the hash of its frames. */
  #hashedList = -1
  #hash = 0

  readonly #machine: Builder
  readonly #sink: DiagnosticSink
  readonly #texts: Texts
  readonly #itemKind: (tag: number, val: number) => number

  /** `itemKind`: the kind of an item, which may be recognised only now. */
  constructor(machine: Builder, sink: DiagnosticSink, texts: Texts, itemKind: (tag: number, val: number) => number) {
    this.#machine = machine
    this.#sink = sink
    this.#texts = texts
    this.#itemKind = itemKind
  }

  /** Appends stack positions from .. to to a list that is empty or of frames; false, and nothing has happened, where they are not all frames or the list is not the last one. */
  fill(obj: number, kind: number, from: number, to: number): boolean {
    const { tags, vals, store } = this.#machine
    if (kind !== LIST_EMPTY && (kind !== FRAMES || store.objB[obj] !== this.pending.n)) return false
    const pending = this.pending
    const start = pending.n
    const objKind = store.objKind
    const objA = store.objA
    pending.reserve(start + to - from)
    const out = pending.a
    let h = kind === LIST_EMPTY ? this.stacks.seed : this.#hashedList === obj ? this.#hash : 0
    let n = start
    for (let i = from; i < to; i++) {
      const v = (vals[i] as number) | 0
      if (tags[i] !== OBJ || (objKind[v] !== FRAME && this.#itemKind(OBJ, v) !== FRAME)) break
      const frame = objA[v] as number
      h = StackInterner.step(h, frame)
      out[n++] = frame
    }
    if (n - start !== to - from) return false

    pending.n = n
    if (kind === LIST_EMPTY) {
      objKind[obj] = FRAMES
      objA[obj] = start
    }
    store.objB[obj] = n
    // The hash goes on while this list is the one that is filled; otherwise it is made from the frames when it is needed.
    this.#hashedList = kind === LIST_EMPTY || this.#hashedList === obj ? obj : -1
    this.#hash = h
    return true
  }

  /** See `Shapes.takeRun`. */
  takeRun(list: number, buf: Uint8Array, view: DataView, pos: number, soft: number, memoTag: Uint8Array, memoVal: Int32Array): number {
    const { objKind, objA } = this.#machine.store
    const pending = this.pending
    const start = pending.n
    let out = pending.a
    let n = start
    let h = this.stacks.seed
    let p = pos
    for (;;) {
      if (p >= soft) return -1
      const op = buf[p]
      let i: number
      if (op === 0x6a) {
        i = view.getUint32(p + 1, true)
        p += 5
      } else if (op === 0x68) {
        i = buf[p + 1] as number
        p += 2
      } else break
      if (i >= memoTag.length || memoTag[i] !== OBJ) return -1
      const v = memoVal[i] as number
      if (objKind[v] !== FRAME) return -1
      if (n === out.length) {
        pending.n = n
        pending.reserve(n + 1)
        pending.n = start
        out = pending.a
      }
      const frame = objA[v] as number
      h = StackInterner.step(h, frame)
      out[n++] = frame
    }
    if (buf[p] !== 0x65) return -1
    pending.n = n
    objKind[list] = FRAMES
    objA[list] = start
    this.#machine.store.objB[list] = n
    this.#hashedList = list
    this.#hash = h
    return p + 1
  }

  /** Row of the stack that a value of `frames` is; -1 where it is None or empty, NO_FRAMES where it is no list. */
  stackOf(tag: number, val: number): number {
    const obj = val | 0
    if (tag === NONE) return -1
    const store = this.#machine.store
    switch (store.kind(tag, obj)) {
      case STACK:
        return store.objA[obj] as number
      case FRAMES: {
        const from = store.objA[obj] as number
        const to = store.objB[obj] as number
        const id = this.stacks.intern(this.pending.a, from, to, this.#hashedList === obj ? this.#hash : undefined)
        store.objKind[obj] = STACK
        store.objA[obj] = id
        if (to === this.pending.n) this.pending.n = from
        return id
      }
      case LIST_EMPTY:
        return -1
      case TUPLE:
      case LIST:
        return this.#looseStack(obj)
      default:
        return NO_FRAMES
    }
  }

  /** A frame list with items that are no plain frames: each becomes a frame with what it tells. */
  #looseStack(obj: number): number {
    const store = this.#machine.store
    const ids = new GrowI32(64)
    let odd = 0
    for (let n = store.objA[obj] as number; n >= 0; n = store.nodeNext[n] as number) {
      const tag = store.nodeTag[n] as number
      const val = store.nodeVal[n] as number
      if (this.#itemKind(tag, val) === FRAME) ids.push(store.objA[val] as number)
      else {
        odd++
        ids.push(this.frames.intern(tag === STR ? val : this.#texts.id(tag, val), EMPTY_ID, -1, -1))
      }
    }
    if (odd > 0)
      this.#sink.add({
        severity: 'warning',
        code: 'snapshot-odd-frames',
        offset: this.#machine.offset,
        message: 'A stack holds frames without name and file.',
        meaning: 'They are shown as text. Byte figures are not affected.',
        action: 'Nothing to do.',
        count: odd,
      })
    if (ids.n === 0) return -1
    const id = this.stacks.intern(ids.a, 0, ids.n)
    // Interned once, however many events refer to it.
    store.release(obj)
    store.objKind[obj] = STACK
    store.objA[obj] = id
    return id
  }
}
