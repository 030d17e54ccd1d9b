/** Distinct frames and distinct frame lists, by content. Hashes start from a number that differs from run to run (see Interner). */
import { GrowI32, GrowU32 } from '../pickle/grow'

const mix = (h: number, v: number): number => {
  h = Math.imul(h ^ v, 0x85ebca6b)
  return h ^ (h >>> 13)
}

export class FrameInterner {
  readonly name = new GrowI32(256)
  readonly file = new GrowI32(256)
  readonly line = new GrowI32(256)
  readonly extra = new GrowI32(256)
  anyExtra = false
  readonly #hash = new GrowI32(256)
  #slots = new Int32Array(1024)
  readonly #seed = (Math.random() * 0x100000000) | 0

  get count(): number {
    return this.name.n
  }

  intern(name: number, file: number, line: number, extra: number): number {
    const h = mix(mix(mix(mix(this.#seed, name), file), line), extra)
    const mask = this.#slots.length - 1
    let s = h & mask
    for (let id = this.#slots[s] as number; id !== 0; s = (s + 1) & mask, id = this.#slots[s] as number) {
      const f = id - 1
      if (
        this.#hash.a[f] === h &&
        this.name.a[f] === name &&
        this.file.a[f] === file &&
        this.line.a[f] === line &&
        this.extra.a[f] === extra
      )
        return f
    }
    if (extra >= 0) this.anyExtra = true
    this.name.push(name)
    this.file.push(file)
    this.line.push(line)
    this.extra.push(extra)
    const id = this.#hash.push(h)
    this.#slots[s] = id + 1
    if (2 * (id + 1) > this.#slots.length) this.#slots = rehash(this.#slots.length * 4, this.#hash)
    return id
  }
}

export class StackInterner {
  readonly start = new GrowU32(256)
  readonly frames = new GrowU32(4096)
  readonly #hash = new GrowI32(256)
  #slots = new Int32Array(1024)
  readonly #seed = (Math.random() * 0x100000000) | 0

  constructor() {
    this.start.push(0)
  }

  get count(): number {
    return this.start.n - 1
  }

  /** Start of a hash; `step` adds one frame to it. */
  get seed(): number {
    return this.#seed
  }
  static step(h: number, frame: number): number {
    h = Math.imul(h ^ frame, 0x85ebca6b)
    return h ^ (h >>> 13)
  }

  /** Id of the frame list `frames[from .. to)`, which is not empty. `hash` is the one of its frames where the caller has it. */
  intern(frames: Int32Array, from: number, to: number, hash?: number): number {
    const n = to - from
    let h = hash ?? this.#seed
    if (hash === undefined) for (let i = from; i < to; i++) h = StackInterner.step(h, frames[i] as number)
    const mask = this.#slots.length - 1
    const known = this.frames.a
    let s = h & mask
    for (let id = this.#slots[s] as number; id !== 0; s = (s + 1) & mask, id = this.#slots[s] as number) {
      if (this.#hash.a[id - 1] !== h) continue
      const o = this.start.a[id - 1] as number
      if ((this.start.a[id] as number) - o !== n) continue
      let k = 0
      while (k < n && known[o + k] === frames[from + k]) k++
      if (k === n) return id - 1
    }
    for (let i = from; i < to; i++) this.frames.push(frames[i] as number)
    this.start.push(this.frames.n)
    const id = this.#hash.push(h)
    this.#slots[s] = id + 1
    if (2 * (id + 1) > this.#slots.length) this.#slots = rehash(this.#slots.length * 4, this.#hash)
    return id
  }
}

function rehash(size: number, hash: GrowI32): Int32Array<ArrayBuffer> {
  const slots = new Int32Array(size)
  const mask = size - 1
  for (let id = 0; id < hash.n; id++) {
    let s = (hash.a[id] as number) & mask
    while (slots[s] !== 0) s = (s + 1) & mask
    slots[s] = id + 1
  }
  return slots
}
