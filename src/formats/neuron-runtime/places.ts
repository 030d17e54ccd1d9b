/** Where messages happened: distinct places, and what each NeuronCore's ring buffer still held. */
import { ROW_OPEN, ROW_TAIL, type SystemCore, type SystemPlaces } from '../../shared/system-tables'
import type { Role } from './description'
import { grow } from './store'

const RECENT = 1 << 8

export class Places {
  readonly #index = new Map<number, number[]>()
  readonly #nd: number[] = []
  readonly #nc: number[] = []
  readonly #core: number[] = []
  readonly #thread: number[] = []
  // What happened at each place.
  #messages = new Float64Array(64)
  #first = new Float64Array(64)
  #until = new Float64Array(64)
  #tails = new Float64Array(64)
  #opens = new Float64Array(64)
  /** The last place of each of some hashes. */
  readonly #recent = new Int32Array(RECENT).fill(-1)

  get count(): number {
    return this.#nd.length
  }

  /** Counts a row at a place: from time `first` to time `last` of a column, how many messages it has, and its state. */
  add(place: number, time: Float64Array, first: number, last: number, messages: number, state: number): void {
    const from = time[first] as number
    const to = time[last] as number
    this.#messages[place] = (this.#messages[place] as number) + messages
    if (from < (this.#first[place] as number)) this.#first[place] = from
    if (to > (this.#until[place] as number)) this.#until[place] = to
    if (state === ROW_TAIL) this.#tails[place] = (this.#tails[place] as number) + 1
    else if (state === ROW_OPEN) this.#opens[place] = (this.#opens[place] as number) + 1
  }

  stats(k: number) {
    return {
      device: this.#nd[k] as number,
      nc: this.#nc[k] as number,
      messages: this.#messages[k] as number,
      firstNs: this.#first[k] as number,
      lastNs: this.#until[k] as number,
      stopsWithoutStart: this.#tails[k] as number,
      startsWithoutStop: this.#opens[k] as number,
    }
  }

  /** Row of the place. The thread is `threads[i]`, 0 where it is not told. */
  of(nd: number, nc: number, core: number, threads: Float64Array, i: number): number {
    const thread = threads[i] as number
    const slot = ((thread & 0xff) ^ (core << 4) ^ (nc << 2) ^ (nd << 6)) & (RECENT - 1)
    const recent = this.#recent[slot] as number
    // Numbers with a fraction or above 2^31 that are handed on would be objects: the search is not handed any.
    if (recent >= 0 && this.#thread[recent] === thread && this.#nc[recent] === nc && this.#core[recent] === core && this.#nd[recent] === nd)
      return recent
    return (this.#recent[slot] = this.#find(nd, nc, core, thread))
  }

  #find(nd: number, nc: number, core: number, thread: number): number {
    const h = Math.imul(thread, 64) ^ Math.imul(core, 7) ^ Math.imul(nc, 131) ^ Math.imul(nd, 1021)
    const list = this.#index.get(h)
    if (list) for (const k of list) if (this.#is(k, nd, nc, core, thread)) return k
    const k = this.#nd.length
    if (k === this.#messages.length) this.#grow()
    this.#first[k] = Infinity
    this.#until[k] = -Infinity
    this.#nd.push(nd)
    this.#nc.push(nc)
    this.#core.push(core)
    this.#thread.push(thread)
    if (list) list.push(k)
    else this.#index.set(h, [k])
    return k
  }

  #grow(): void {
    const size = 2 * this.#messages.length
    this.#messages = grow(this.#messages, size)
    this.#first = grow(this.#first, size)
    this.#until = grow(this.#until, size)
    this.#tails = grow(this.#tails, size)
    this.#opens = grow(this.#opens, size)
  }

  #is(k: number, nd: number, nc: number, core: number, thread: number): boolean {
    return this.#thread[k] === thread && this.#nc[k] === nc && this.#core[k] === core && this.#nd[k] === nd
  }

  take(used: ReadonlySet<Role>): SystemPlaces {
    const count = this.#nd.length
    const none = (): Int32Array => new Int32Array(count).fill(-1)
    return {
      count,
      instance: none(),
      process: new Float64Array(count).fill(NaN),
      worker: none(),
      device: used.has('nd_idx') ? Int32Array.from(this.#nd) : none(),
      nc: used.has('nc_idx') ? Int32Array.from(this.#nc) : none(),
      core: Int32Array.from(this.#core, v => (v >= 0 && v < 2 ** 31 ? v : -1)),
      // A thread of 0 is none: no thread of Linux has that number.
      thread: Float64Array.from(this.#thread, v => (v === 0 ? NaN : v)),
      stream: none(),
    }
  }
}

/** Sums over the places of one core: what its ring buffer still held. */
export function coresOf(p: Places): readonly SystemCore[] {
  const found = new Map<string, { -readonly [K in keyof Omit<SystemCore, 'headLost' | 'droppedAtLeast'>]: SystemCore[K] }>()
  for (let k = 0; k < p.count; k++) {
    const at = p.stats(k)
    const name = `${at.device}/${at.nc}`
    const c = found.get(name)
    if (!c) {
      found.set(name, at)
      continue
    }
    c.messages += at.messages
    c.firstNs = Math.min(c.firstNs, at.firstNs)
    c.lastNs = Math.max(c.lastNs, at.lastNs)
    c.stopsWithoutStart += at.stopsWithoutStart
    c.startsWithoutStop += at.startsWithoutStop
  }
  return [...found.values()]
    .sort((a, b) => a.device - b.device || a.nc - b.nc)
    .map(c => ({
      ...c,
      headLost: c.stopsWithoutStart > 0,
      // Each such stop had a start, which is not in the file.
      droppedAtLeast: c.stopsWithoutStart > 0 ? c.stopsWithoutStart : null,
    }))
}
