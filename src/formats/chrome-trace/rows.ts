/** Growing columns of a trace while it is read. */
import type { TraceCounters, TraceThreads } from '../../shared/tables'
import type { StringPool } from './strings'

/** Event columns. Row `count` is the one being read; it exists once `count` is raised. */
export class EventRows {
  count = 0
  #capacity = 0
  #begin = 0
  phase = new Uint8Array(0)
  /** Start: whole microseconds and rest in ns until `relative` is called; then ns relative to the epoch. */
  ts = new Float64Array(0)
  rest = new Uint16Array(0)
  dur = new Float64Array(0)
  name = new Int32Array(0)
  cat = new Int32Array(0)
  thread = new Int32Array(0)
  id = new Int32Array(0)
  argsOffset = new Float64Array(0)
  argsLength = new Uint32Array(0)

  /** Makes room for row `count`, an event at `offset`, and sets it to "nothing known". `expected` is a guess of the final number of rows. */
  begin(expected: number, offset: number): void {
    const n = this.count
    if (n >= this.#capacity) this.#grow(Math.ceil(Math.max(n + 1024, n * 1.25, Math.min(expected * 1.03, n * 8))))
    this.phase[n] = 0
    this.ts[n] = NaN
    this.rest[n] = 0
    this.dur[n] = NaN
    this.name[n] = -1
    this.cat[n] = -1
    this.thread[n] = -1
    this.id[n] = -1
    this.argsOffset[n] = -1 - offset
    this.argsLength[n] = 0
    this.#begin = offset
  }

  /** Where the args of row `count` stand; offset -1 for none. Without args the column tells where the event begins. */
  setArgs(offset: number, length: number): void {
    const n = this.count
    this.argsOffset[n] = offset < 0 ? -1 - this.#begin : offset
    this.argsLength[n] = offset < 0 ? 0 : Math.min(length, 0xffffffff)
  }

  #grow(capacity: number): void {
    this.#capacity = capacity
    this.phase = resized(this.phase, Uint8Array, capacity)
    this.ts = resized(this.ts, Float64Array, capacity)
    this.rest = resized(this.rest, Uint16Array, capacity)
    this.dur = resized(this.dur, Float64Array, capacity)
    this.name = resized(this.name, Int32Array, capacity)
    this.cat = resized(this.cat, Int32Array, capacity)
    this.thread = resized(this.thread, Int32Array, capacity)
    this.id = resized(this.id, Int32Array, capacity)
    this.argsOffset = resized(this.argsOffset, Float64Array, capacity)
    this.argsLength = resized(this.argsLength, Uint32Array, capacity)
  }

  /** Turns the start column into ns relative to `us` microseconds + `ns`. Exact where the distance is below 2^53 ns. */
  relative(us: number, ns: number): void {
    const { ts, rest, count } = this
    for (let i = 0; i < count; i++) ts[i] = (ts[i] - us) * 1000 + (rest[i] - ns)
  }

  /** A column cut to the rows. Little waste stays: a view costs nothing, a copy would double the peak. */
  cut<T extends { readonly length: number; slice(a: number, b: number): T; subarray(a: number, b: number): T }>(column: T): T {
    if (column.length === this.count) return column
    return column.length > this.count * 1.25 + 1024 ? column.slice(0, this.count) : column.subarray(0, this.count)
  }
}

type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array
function resized<T extends Column>(old: T, make: new (n: number) => T, n: number): T {
  const bigger = new make(n)
  bigger.set(old.length > n ? old.subarray(0, n) : old)
  return bigger
}

interface ProcessFacts {
  name: number
  labels: number
  sort: number
}

/** Distinct (pid, tid) pairs and what metadata events say about them. */
export class Threads {
  #count = 0
  #pid = new Int32Array(64)
  #tid = new Int32Array(64)
  #name = new Int32Array(64)
  #sort = new Float64Array(64)
  #slots = new Int32Array(128).fill(-1)
  readonly #processes = new Map<number, ProcessFacts>()

  /** Row of the pair; string ids, -1 absent. Both absent: -1. */
  row(pid: number, tid: number): number {
    if (pid < 0 && tid < 0) return -1
    const slots = this.#slots
    const mask = slots.length - 1
    let h = Math.imul(pid + 1, 0x9e3779b1) ^ Math.imul(tid + 1, 0x85ebca6b)
    h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
    let slot = (h ^ (h >>> 15)) & mask
    for (;;) {
      const found = slots[slot]
      if (found < 0) break
      if (this.#pid[found] === pid && this.#tid[found] === tid) return found
      slot = (slot + 1) & mask
    }
    const n = this.#count++
    if (n >= this.#pid.length) {
      this.#pid = resized(this.#pid, Int32Array, n * 2)
      this.#tid = resized(this.#tid, Int32Array, n * 2)
      this.#name = resized(this.#name, Int32Array, n * 2)
      this.#sort = resized(this.#sort, Float64Array, n * 2)
    }
    this.#pid[n] = pid
    this.#tid[n] = tid
    this.#name[n] = -1
    this.#sort[n] = NaN
    slots[slot] = n
    if (this.#count * 2 > slots.length) this.#rehash()
    return n
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1)
    const mask = this.#slots.length - 1
    for (let i = 0; i < this.#count; i++) {
      let h = Math.imul(this.#pid[i] + 1, 0x9e3779b1) ^ Math.imul(this.#tid[i] + 1, 0x85ebca6b)
      h = Math.imul(h ^ (h >>> 16), 0x7feb352d)
      let slot = (h ^ (h >>> 15)) & mask
      while (this.#slots[slot] >= 0) slot = (slot + 1) & mask
      this.#slots[slot] = i
    }
  }

  process(pid: number): ProcessFacts {
    let p = this.#processes.get(pid)
    if (!p) this.#processes.set(pid, (p = { name: -1, labels: -1, sort: NaN }))
    return p
  }
  setName(row: number, name: number): void {
    if (row >= 0) this.#name[row] = name
  }
  setSort(row: number, sort: number): void {
    if (row >= 0) this.#sort[row] = sort
  }

  table(): TraceThreads {
    const n = this.#count
    const processName = new Int32Array(n).fill(-1)
    const processLabels = new Int32Array(n).fill(-1)
    const processSort = new Float64Array(n).fill(NaN)
    for (let i = 0; i < n; i++) {
      const p = this.#processes.get(this.#pid[i])
      if (!p) continue
      processName[i] = p.name
      processLabels[i] = p.labels
      processSort[i] = p.sort
    }
    return {
      count: n,
      pid: this.#pid.slice(0, n),
      tid: this.#tid.slice(0, n),
      processName,
      processLabels,
      threadName: this.#name.slice(0, n),
      processSort,
      threadSort: this.#sort.slice(0, n),
    }
  }
}

export class Counters {
  #count = 0
  #row = new Uint32Array(64)
  #key = new Int32Array(64)
  #value = new Float64Array(64)

  add(row: number, key: number, value: number): void {
    const n = this.#count++
    if (n >= this.#row.length) {
      this.#row = resized(this.#row, Uint32Array, n * 2)
      this.#key = resized(this.#key, Int32Array, n * 2)
      this.#value = resized(this.#value, Float64Array, n * 2)
    }
    this.#row[n] = row
    this.#key[n] = key
    this.#value[n] = value
  }

  table(): TraceCounters {
    const n = this.#count
    return { count: n, row: this.#row.slice(0, n), key: this.#key.slice(0, n), value: this.#value.slice(0, n) }
  }
}

/** String ids of the metadata event names that say how a process or thread is called. */
export interface MetadataNames {
  readonly processName: number
  readonly processLabels: number
  readonly processSort: number
  readonly threadName: number
  readonly threadSort: number
}
export const metadataNames = (pool: StringPool): MetadataNames => ({
  processName: pool.internText('process_name'),
  processLabels: pool.internText('process_labels'),
  processSort: pool.internText('process_sort_index'),
  threadName: pool.internText('thread_name'),
  threadSort: pool.internText('thread_sort_index'),
})
