/** Matches begin and end events: B/E of a thread, b/e of an async id. */

/** Slices being collected for one track. */
export class SliceList {
  count = 0
  start = new Float64Array(16)
  duration = new Float64Array(16)
  row = new Uint32Array(16)
  flags = new Uint8Array(16)
  within = new Int32Array(16)

  add(start: number, duration: number, row: number, flags: number, within = -1): number {
    const n = this.count++
    if (n >= this.row.length) this.#grow(n * 2)
    this.start[n] = start
    this.duration[n] = duration
    this.row[n] = row
    this.flags[n] = flags
    this.within[n] = within
    return n
  }

  #grow(to: number): void {
    const bigger = <T extends Float64Array | Uint32Array | Int32Array | Uint8Array>(old: T, make: new (n: number) => T): T => {
      const b = new make(to)
      b.set(old)
      return b
    }
    this.start = bigger(this.start, Float64Array)
    this.duration = bigger(this.duration, Float64Array)
    this.row = bigger(this.row, Uint32Array)
    this.flags = bigger(this.flags, Uint8Array)
    this.within = bigger(this.within, Int32Array)
  }
}

/** Begins without an end and ends without a begin: how many, and the first row of each in file order (-1 none). */
export class Unmatched {
  begins = 0
  ends = 0
  firstBegin = -1
  firstEnd = -1

  /** Takes a slice by its flag; 2 and 3 are unmatched. */
  add(flag: number, row: number): void {
    if (flag === 2) {
      this.begins++
      if (this.firstBegin < 0 || row < this.firstBegin) this.firstBegin = row
    } else if (flag === 3) {
      this.ends++
      if (this.firstEnd < 0 || row < this.firstEnd) this.firstEnd = row
    }
  }
}

/** Open begins of one thread or one async id. An end closes the innermost open begin of its name, or the innermost at all when it has no name. */
export class OpenBegins {
  readonly #slices: SliceList
  readonly #index: number[] = []
  readonly #name: number[] = []
  /** How many open begins have a name: an end whose name is not open is found out without a search. */
  readonly #open = new Map<number, number>()

  constructor(slices: SliceList) {
    this.#slices = slices
  }

  /** Slice index of the innermost open begin; -1 when nothing is open. */
  get top(): number {
    return this.#index.at(-1) ?? -1
  }

  begin(time: number, row: number, name: number): void {
    const within = this.top
    this.#index.push(this.#slices.add(time, 0, row, 2, within))
    this.#name.push(name)
    this.#open.set(name, (this.#open.get(name) ?? 0) + 1)
  }

  /** False when there is no begin for it. Begins inside of the closed one that had no end of their own end with it and keep the flag "without an end". */
  end(time: number, name: number): boolean {
    if (this.#index.length === 0 || (name >= 0 && !this.#open.get(name))) return false
    for (;;) {
      const i = this.#index.pop() as number
      const n = this.#name.pop() as number
      this.#open.set(n, (this.#open.get(n) as number) - 1)
      this.#slices.duration[i] = Math.max(0, time - this.#slices.start[i])
      if (name < 0 || n === name) {
        this.#slices.flags[i] = 0
        return true
      }
    }
  }

  /** Draws what is still open to `end`. */
  finish(end: number): void {
    for (const i of this.#index) this.#slices.duration[i] = Math.max(0, end - this.#slices.start[i])
    this.#index.length = 0
  }
}
