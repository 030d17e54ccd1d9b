/** Where messages happened: distinct places, and what each NeuronCore's ring buffer still held. */
import type { SystemCore, SystemPlaces } from '../../shared/system-tables'
import type { Role } from './description'
import { PHASE_START, PHASE_STOP } from './pair'
import type { EventStore } from './store'

export class Places {
  readonly #index = new Map<number, number[]>()
  readonly #nd: number[] = []
  readonly #nc: number[] = []
  readonly #core: number[] = []
  readonly #thread: number[] = []
  #last = -1

  /** Row of the place. `thread`: 0 where it is not told. */
  of(nd: number, nc: number, core: number, thread: number): number {
    if (this.#last >= 0 && this.#is(this.#last, nd, nc, core, thread)) return this.#last
    const h = Math.imul(thread, 64) ^ Math.imul(core, 7) ^ Math.imul(nc, 131) ^ Math.imul(nd, 1021)
    const list = this.#index.get(h)
    if (list) for (const k of list) if (this.#is(k, nd, nc, core, thread)) return (this.#last = k)
    const k = this.#nd.length
    this.#nd.push(nd)
    this.#nc.push(nc)
    this.#core.push(core)
    this.#thread.push(thread)
    if (list) list.push(k)
    else this.#index.set(h, [k])
    return (this.#last = k)
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

interface Core {
  readonly device: number
  readonly nc: number
  messages: number
  readonly firstNs: number
  lastNs: number
  stopsWithoutStart: number
  startsWithoutStop: number
}

/** Per NeuronCore, by device and core. `order`: messages by time. */
export function coresOf(s: EventStore, order: Uint32Array, partner: Int32Array): readonly SystemCore[] {
  const { nd, nc, time, phase } = s
  const found = new Map<number, Core>()
  let last: Core | undefined
  for (let k = 0; k < order.length; k++) {
    const i = order[k] as number
    const device = nd[i] as number
    const core = nc[i] as number
    let c: Core | undefined = last
    if (!c || c.device !== device || c.nc !== core) {
      const key = device < 1024 && core < 1024 ? device * 1024 + core : device * 2 ** 32 + core
      c = found.get(key)
      if (!c) {
        c = { device, nc: core, messages: 0, firstNs: time[i] as number, lastNs: 0, stopsWithoutStart: 0, startsWithoutStop: 0 }
        found.set(key, c)
      }
      last = c
    }
    c.messages++
    c.lastNs = time[i] as number
    if (partner[i] === -1) {
      if (phase[i] === PHASE_STOP) c.stopsWithoutStart++
      else if (phase[i] === PHASE_START) c.startsWithoutStop++
    }
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
